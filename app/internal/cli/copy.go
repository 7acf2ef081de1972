package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/problemtracking/problems/app/internal/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/transfer"
)

type copyCommand struct {
	From             config.StoreURL `required:"" placeholder:"URL" help:"The store to copy; its service may be running."`
	To               config.StoreURL `required:"" placeholder:"URL" help:"The store to fill: an empty one, or one that is not there yet."`
	FromPasswordFile string          `placeholder:"FILE" help:"File with the password of the PostgreSQL database to copy, if it is not in its URL."`
	ToPasswordFile   string          `placeholder:"FILE" help:"File with the password of the PostgreSQL database to fill, if it is not in its URL."`
}

// Help is shown by kong.
func (copyCommand) Help() string {
	return `Does what "problems export" and "problems import" do, without a file between them. No environment variable sets anything here, for there are two stores.

Changes that a running service makes to the first store after the copy has begun are not copied: to move for good, stop the service before.

Example:

    problems copy --from sqlite:///var/lib/problems/problems.db --to postgres://ann@db/problems`
}

// AfterApply is called by kong once all flags are set.
func (c *copyCommand) AfterApply() error {
	for _, side := range []struct {
		flag, file string
		store      config.StoreURL
	}{{"--from-password-file", c.FromPasswordFile, c.From}, {"--to-password-file", c.ToPasswordFile, c.To}} {
		if side.file != "" && side.store.Scheme != config.Postgres {
			return fmt.Errorf("%s is for PostgreSQL: the store is %s", side.flag, side.store)
		}
	}
	return nil
}

// Run is called by kong.
func (c *copyCommand) Run(ctx context.Context, p Process) error {
	from, err := backend.Open(ctx, config.Storage{Store: c.From, StorePasswordFile: c.FromPasswordFile}, p.logger())
	if err != nil {
		return fmt.Errorf("copy: --from: %w", err)
	}
	to, err := backend.OpenNew(ctx, config.Storage{Store: c.To, StorePasswordFile: c.ToPasswordFile, AutoMigrate: true}, p.logger())
	if err != nil {
		return errors.Join(fmt.Errorf("copy: --to: %w", err), from.Close())
	}
	progress := p.progress()
	summary, err := transfer.Copy(ctx, from, to, progress.Reader)
	return errors.Join(p.finish(progress, summary, err, "Copied"), from.Close(), to.Close())
}
