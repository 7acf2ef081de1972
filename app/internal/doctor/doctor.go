// Package doctor finds faults in the settings of a service and in its store, and says how
// to mend them.
package doctor

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"time"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/health"
	"github.com/problemtracking/problems/app/internal/serve"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
)

// Options describe what to examine. All but the questions at the end are required.
type Options struct {
	Settings config.Settings
	// Faults were found during the reading of the settings.
	Faults []error
	Now    func() time.Time
	Logger *slog.Logger
	// Records asks for a read of all records, Digests for one of all files of attachments.
	Records, Digests bool
}

// Findings are faults with their mends, the settings first. Notes are sentences about
// sound things, and about things out of reach.
type Findings struct {
	All   []backend.Finding
	Notes []string
}

// Grave reports whether a fault stops the service, or puts data at risk.
func (f *Findings) Grave() bool {
	for _, found := range f.All {
		if found.Grave {
			return true
		}
	}
	return false
}

func (f *Findings) grave(mend, what string, args ...any) {
	f.All = append(f.All, backend.Finding{Grave: true, What: fmt.Sprintf(what, args...), Mend: mend})
}

func (f *Findings) warn(mend, what string, args ...any) {
	f.All = append(f.All, backend.Finding{What: fmt.Sprintf(what, args...), Mend: mend})
}

func (f *Findings) note(what string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(what, args...))
}

// Examine looks at everything. It changes nothing.
func Examine(ctx context.Context, o Options) *Findings {
	f := &Findings{}
	for _, fault := range append(o.Faults, o.Settings.Unusable()...) {
		f.grave("correct the setting", "%v", fault)
	}
	if len(f.All) == 0 {
		f.note("the settings are in order")
	}
	for _, risk := range o.Settings.Risks(config.ContainerMemory(os.DirFS("/"))) {
		f.warn(risk.Mend, "%s", risk.What)
	}
	f.files(o.Settings)
	f.certificate(o)
	f.listener(ctx, "--listen", o.Settings.Server.Listen, o.Settings.Server.TLSCert != "")
	if metrics := o.Settings.Server.MetricsListen; metrics != "" {
		f.listener(ctx, "--metrics-listen", metrics, false)
	}
	if profiles := o.Settings.Server.ProfilesListen; profiles != "" {
		f.listener(ctx, "--profiles-listen", profiles, false)
	}
	f.replies(ctx, o.Settings.Mail)
	f.outside(ctx, o.Settings)
	f.openFiles(o.Settings)
	f.store(ctx, o)
	return f
}

// files looks for secrets in files for everybody.
func (f *Findings) files(s config.Settings) {
	for _, secret := range []struct{ flag, path string }{
		{"--tls-key", s.Server.TLSKey}, {"--bootstrap-token-file", s.Server.BootstrapTokenFile},
		{"--store-password-file", s.Storage.PasswordFile}, {"--oidc-client-secret-file", s.SignIn.OIDCClientSecretFile},
		{"--mail-password-file", s.Mail.MailPasswordFile}, {"--webhook-key-file", s.Webhooks.WebhookKeyFile},
	} {
		if secret.path == "" {
			continue
		}
		if info, err := os.Stat(secret.path); err == nil && info.Mode().Perm()&0o004 != 0 {
			f.warn("chmod o-r "+config.Quote(secret.path), "every user of this machine can read the file of %s", secret.flag)
		}
	}
}

// renewal is how long before its end a certificate should have been renewed.
const renewal = 14 * 24 * time.Hour

// certificate judges the certificate in the file.
func (f *Findings) certificate(o Options) {
	leaf := o.Settings.Server.Certificate()
	if leaf == nil {
		return
	}
	now := o.Now()
	switch {
	case now.After(leaf.NotAfter):
		f.grave("renew it", "the certificate of --tls-cert has ended at %s", leaf.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		f.grave("set the clock of this machine, or use an older certificate", "the certificate of --tls-cert begins at %s", leaf.NotBefore.UTC().Format(time.RFC3339))
	case leaf.NotAfter.Sub(now) < renewal:
		f.warn("renew it, and look why nothing has done so", "the certificate of --tls-cert ends at %s", leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	if public, err := url.Parse(o.Settings.Server.PublicURL); err == nil && public.Hostname() != "" {
		if name := (x509.HostnameError{}); errors.As(leaf.VerifyHostname(public.Hostname()), &name) {
			f.warn("unless a proxy with another certificate stands before the service, get one for this name", "the certificate of --tls-cert is not for %s, the host of --public-url", public.Hostname())
		}
	}
}

// patience is the longest wait for an answer of the service, or of another service.
const patience = 3 * time.Second

// listener looks whether an address can be taken, or a service has it already.
func (f *Findings) listener(ctx context.Context, flag, address string, secure bool) {
	listener, err := new(net.ListenConfig).Listen(ctx, network(address), address)
	if err == nil {
		_ = listener.Close()
		return
	}
	check := health.Check{Address: address, TLS: secure, Path: health.Live, Timeout: patience}
	if check.Ask(ctx) == nil {
		f.note("a service answers at %s", address)
		check.Path = health.Ready
		if err := check.Ask(ctx); err != nil {
			f.grave("read its log", "%v", err)
		}
		return
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	f.grave("choose another address, or end the program at this one", "the address of %s, %s, cannot be taken: %v", flag, address, err)
}

// network returns the network of an address, as the service takes it.
func network(address string) string {
	if a, err := netip.ParseAddrPort(address); err == nil && a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp"
}

// openFiles compares the limit of open files with the connections of the settings.
func (f *Findings) openFiles(s config.Settings) {
	if most := serve.MostConnections(s); most < s.Limits.MaxConnections {
		f.warn("raise the limit (LimitNOFILE of a unit, ulimit -n of a shell), or lower --max-connections", "the limit of open files allows %d connections, and --max-connections is %d", most, s.Limits.MaxConnections)
	}
}

// store examines the store, and compares the clock with its newest change.
func (f *Findings) store(ctx context.Context, o Options) {
	where := o.Settings.Storage.Store
	before := len(f.All)
	findings, examined, err := storage.Examine(ctx, o.Settings.Storage, o.Logger)
	f.All = append(f.All, findings...)
	inOrder := before == len(f.All)
	switch {
	case errors.Is(err, backend.ErrNoStore):
		f.grave("set PROBLEMS_STORE", "the settings name no store")
		return
	case err != nil:
		f.grave(`the error says what would be right; "problems serve" makes a store that is not there`, "the store cannot be examined: %v", err)
		return
	case !examined:
		f.note("%s is of a kind without an examination", where)
	}
	if !f.Grave() && (examined || o.Records) {
		inOrder = f.content(ctx, o) && inOrder
	} else if o.Records {
		f.note("the records were not read: correct the faults first")
	}
	if examined && inOrder {
		f.note("%s is in order", where)
	}
}

// content compares the clock with the newest change, and the key with those of the webhooks.
// It reads all records if the options ask for it, and reports whether it could.
func (f *Findings) content(ctx context.Context, o Options) (readable bool) {
	opened, err := storage.Open(ctx, o.Settings.Storage, o.Logger)
	if err != nil {
		f.grave("the error says what would be right", "the store cannot be opened: %v", err)
		return false
	}
	defer func() { _ = opened.Close() }() // nothing was written
	file := serve.KeyFile(o.Settings)
	file.Create = false
	files := serve.FileStore(o.Settings, o.Now, func() store.Store { return opened })
	service := tracker.New(tracker.Options{
		Store: opened, Now: o.Now, Limits: tracker.DefaultLimits(), Guard: serve.AtStart(o.Settings), WebhookKey: file.Keys(rand.Reader),
		Files: files,
	})
	if err := service.CheckClock(ctx); err != nil {
		mend := "the error says what would be right"
		if _, ok := errors.AsType[clock.Verdict](err); ok {
			mend = "set the clock of this machine; if it is right, start the service once with --accept-clock"
		}
		f.grave(mend, "%v", err)
	}
	f.webhooks(ctx, webhooks.New(service, nil))
	f.attachments(ctx, service, opened, files, o)
	return !o.Records || f.records(ctx, opened)
}

// mostUnreadable is the largest number of unreadable problems to name.
const mostUnreadable = 20

// records reads all records, as an export does, and names those that cannot be read.
// It reports whether there are none.
func (f *Findings) records(ctx context.Context, s store.Store) bool {
	const mend = "correct the row by means of the database, with the service stopped and a copy at hand; or go back to a backup"
	found, err := transfer.FindUnreadable(ctx, s, mostUnreadable)
	for _, u := range found {
		what := "a record"
		if u.Problem != 0 {
			what = fmt.Sprintf("problem %d", u.Problem)
		}
		f.grave(mend, "%s cannot be read: %v", what, u.Err)
	}
	switch {
	case err != nil:
		f.grave("the error says what would be right", "not all records could be read: %v", err)
	case len(found) == 0:
		f.note("all records can be read")
		return true
	case len(found) == mostUnreadable:
		f.note("there may be more such problems: the doctor names at most %d", mostUnreadable)
	}
	return false
}
