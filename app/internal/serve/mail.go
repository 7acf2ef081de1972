package serve

import (
	"log/slog"
	"net/url"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/mail"
	"github.com/problemtracking/problems/adapters/web"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/mailworker"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// mailModule exports the worker of e-mail; nil without a mail server.
var mailModule = fx.Module("mail", fx.Provide(func(o Options, service *usecases.All, m *metrics.Metrics, logger *slog.Logger) (*mailworker.Worker, error) {
	if !o.Settings.Mail.MailURL.Given() {
		return nil, nil
	}
	sender, err := MailSender(o.Settings, o)
	if err != nil {
		return nil, err
	}
	p := mailworker.New(mailworker.Options{Service: service.Mailing, Sender: sender, Quiet: o.Settings.Mail.MailQuiet, Logger: logger, Alone: !o.Settings.Storage.Store.Is(backend.Shared)})
	m.Mail(p.Stat, p.Attempts)
	return p, nil
}))

// MailSender returns the sender of e-mail by the settings. Of o, only the clock counts.
func MailSender(settings config.Settings, o Options) (*mail.Sender, error) {
	from, err := settings.Mail.From()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(settings.Server.PublicURL)
	if err != nil {
		return nil, err
	}
	return mail.New(mail.Options{
		Server: settings.Mail.Server(), Password: settings.Mail.Password, From: from, Replies: settings.Mail.MailRepliesAddress, Base: base, Language: settings.Mail.MailLanguage,
		HTML: web.NewSafeHTML(), Now: o.Now,
	})
}
