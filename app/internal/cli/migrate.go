package cli

import (
	"context"
	"errors"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/config"
)

type migrateCommand struct {
	config.Storage `embed:"" group:"Store"`

	Status bool `help:"Only show which steps are done and which are left to do."`
}

// Help is shown by kong.
func (migrateCommand) Help() string {
	return `"problems serve" does this by itself when it starts. A store with a newer schema than this version knows is refused.

Examples:

    problems migrate --status
    problems migrate --store sqlite:///var/lib/problems/problems.db`
}

// Run is called by kong.
func (c *migrateCommand) Run(ctx context.Context, p Process) error {
	switch c.Store.Scheme {
	case config.Memory:
		return errors.New("a store in memory has no schema to migrate")
	case config.SQLite:
		return c.sqlite(ctx, p)
	default:
		return config.ErrNoStore
	}
}

func (c *migrateCommand) sqlite(ctx context.Context, p Process) error {
	act := sqlite.Status
	if !c.Status {
		if err := c.Prepare(); err != nil {
			return err
		}
		act = sqlite.Migrate
	}
	steps, err := act(ctx, sqlite.Options{Path: c.Store.Path})
	if err != nil {
		return err
	}
	rows := [][]string{{"STEP", "STATUS"}}
	for _, step := range steps {
		status := "to do"
		if step.Applied {
			status = "done"
		}
		rows = append(rows, []string{step.Name, status})
	}
	return printTable(p.Stdout, rows)
}
