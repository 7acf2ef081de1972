package serve

import (
	"log/slog"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/webhook"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/webhookworker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// webhookModule exports the sender and the worker of webhooks.
var webhookModule = fx.Module("webhooks", fx.Provide(func(lc fx.Lifecycle, o Options) *webhook.Sender {
	sender := webhook.New(webhook.Options{Now: o.Now, Allow: o.Settings.Webhooks.WebhookAllow.Prefixes(), Version: o.Version})
	lc.Append(fx.StopHook(sender.Close))
	return sender
}, func(service *usecases.All, m *metrics.Metrics, logger *slog.Logger, o Options) *webhookworker.Worker {
	alone := !o.Settings.Storage.Store.Is(backend.Shared)
	c := webhookworker.New(webhookworker.Options{Service: service.Webhooks, Encode: httpapi.EncodeEvent, Logger: logger, Now: o.Now, Alone: alone})
	m.Webhooks(c.Stats, c.Attempts, c.Locked)
	return c
}))

// KeyFile returns the file with the key behind the secrets of webhooks.
func KeyFile(s config.Settings) webhookworker.KeyFile {
	store := s.Storage.Store
	return webhookworker.Beside(s.Webhooks.WebhookKeyFile, store.Path(), store.Is(backend.Private))
}
