package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

type copyCommand struct {
	From         backend.URL     `required:"" placeholder:"URL" help:"The store to copy; its service may be running."`
	FromDatabase config.Database `embed:"" prefix:"from-"`
	To           backend.URL     `required:"" placeholder:"URL" help:"The store to fill: an empty one, or a new one."`
	ToDatabase   config.Database `embed:"" prefix:"to-"`
	FromFiles    config.FilesURL `placeholder:"URL" help:"Where the files of attachments of --from are: see \"problems serve --help\". Default: that of the store."`
	ToFiles      config.FilesURL `placeholder:"URL" help:"Where the files go. Default: that of the store."`
	WithoutFiles bool            `help:"Leave the files of attachments where they are."`
	ToDirect     backend.URL     `postgres:"" placeholder:"URL" help:"Second URL of the PostgreSQL database, around the pooler in --to, for migrations."`
}

// Help is shown by kong.
func (copyCommand) Help() string {
	return `Does what "problems export" and "problems import" do, without a file between them. Environment variables have no effect here, because there are two stores.

The copy leaves out changes from after its beginning. To move for good, stop the service before.

Examples:

    problems copy --from sqlite:///var/lib/problems/problems.db --to postgres://ann@db/problems
    problems copy --from postgres://ann@old/problems --from-password-file old.txt --to sqlite:problems.db`
}

// AfterApply is called by kong once all flags are set.
func (c *copyCommand) AfterApply(command *kong.Context) error {
	for _, side := range []struct {
		prefix   string
		store    backend.URL
		database config.Database
		files    config.FilesURL
	}{{"from-", c.From, c.FromDatabase, c.FromFiles}, {"to-", c.To, c.ToDatabase, c.ToFiles}} {
		if err := config.CheckTyped(command, side.prefix, side.store); err != nil {
			return err
		}
		if err := errors.Join(side.database.Check(side.prefix), side.files.Check("--"+side.prefix+"files", side.store)); err != nil {
			return err
		}
	}
	if c.ToDirect != (backend.URL{}) && c.ToDirect.Kind() != c.To.Kind() {
		return errors.New("--to-direct has to be another URL of the database of --to: postgres://user@host:5432/database")
	}
	return nil
}

// Run is called by kong.
func (c *copyCommand) Run(ctx context.Context, p Process) error {
	batch, err := p.batch()
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if c.From.IsSame(c.To) {
		return errors.New("copy: --from and --to are the same store: give an empty one for --to, or a new one")
	}
	from, err := storage.Open(ctx, config.Storage{Store: c.From, Database: c.FromDatabase}, p.logger())
	if err != nil {
		return fmt.Errorf("copy: --from: %w", err)
	}
	to, err := storage.OpenNew(ctx, config.Storage{Store: c.To, Database: c.ToDatabase, StoreDirect: c.ToDirect, AutoMigrate: true}, p.logger())
	if err != nil {
		return errors.Join(fmt.Errorf("copy: --to: %w", err), from.Close())
	}
	progress := p.progress()
	summary, err := transfer.Copy(ctx, from, to, batch, progress.Reader)
	if err = p.finish(progress, summary, err, "Copied"); err == nil && !c.WithoutFiles {
		err = p.moveFiles(ctx, to, func() (blob.Store, error) { return p.filesOf(c.FromFiles, c.From, from), nil }, func() (blob.Store, error) { return p.intoNew(ctx, c.ToFiles, c.To, to) })
	}
	if err == nil {
		err = p.tellOfMail(ctx, from)
	}
	return errors.Join(err, from.Close(), to.Close())
}

// tellOfMail says that e-mail waits in a store, if it does. It is not copied: two services
// would send it.
func (p Process) tellOfMail(ctx context.Context, from store.Store) error {
	service := usecases.New(tracker.Options{Store: from, Now: p.Now, Limits: tracker.DefaultLimits()}, nil)
	waits, err := service.Mailing.Waits(ctx)
	if err != nil {
		return fmt.Errorf("copy: everything is copied, but whether e-mail waits in the first store is not known: %w", err)
	}
	if waits {
		_, err = fmt.Fprintln(p.Stderr, "E-mail about the latest changes waits in the first store, and only its service can send it. To lose none, let that service run until problems_mail_gathering and problems_mail_pending are 0, and copy then.")
	}
	return err
}
