package serve

import (
	"context"
	"log/slog"
	"sync"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/webhook"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/courier"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/tracker"
)

// webhookModule exports the sender and the courier of webhooks.
var webhookModule = fx.Module("webhooks", fx.Provide(func(lc fx.Lifecycle, o Options) *webhook.Sender {
	sender := webhook.New(webhook.Options{Now: o.Now, Allow: o.Settings.Webhooks.WebhookAllow.Prefixes(), Version: o.Version})
	lc.Append(fx.StopHook(sender.Close))
	return sender
}, func(service *tracker.Service, m *metrics.Metrics, logger *slog.Logger, o Options) *courier.Courier {
	alone := !o.Settings.Storage.Store.Is(backend.Shared)
	c := courier.New(courier.Options{Service: service, Encode: httpapi.EncodeEvent, Logger: logger, Now: o.Now, Alone: alone})
	m.Webhooks(c.Stats, c.Attempts)
	return c
}))

// keyFile returns the file with the key behind the secrets of webhooks.
func keyFile(o Options) courier.KeyFile {
	store := o.Settings.Storage.Store
	return courier.Beside(o.Settings.Webhooks.WebhookKeyFile, store.Path(), store.Is(backend.Private))
}

// delivery runs the courier in the background.
type delivery struct {
	courier *courier.Courier
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (d *delivery) start() {
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	d.running.Go(func() { d.courier.Run(ctx) })
}

// stop ends it, if it was started.
func (d *delivery) stop() {
	if d.cancel != nil {
		d.cancel()
	}
	d.running.Wait()
}
