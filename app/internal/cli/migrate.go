package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
)

type migrateCommand struct {
	config.Storage `embed:"" group:"Store"`

	Status bool `xor:"look" help:"Only show which steps are done and which are left to do."`
	DryRun bool `xor:"look" help:"Only print the SQL of the steps that are left to do, for whoever runs it by hand; nothing when all are done."`

	WithoutLog bool `xor:"look" help:"Go on with a SQLite file whose write-ahead log is gone, and with it what was written last."`
}

// Help is shown by kong.
func (migrateCommand) Help() string {
	return `"problems serve" does this by itself when it starts, unless PROBLEMS_AUTO_MIGRATE=false. Any number may run at once: each step is done once. A store of a newer version is refused if a step of it leaves no way back: --status shows this for each step. Before such a step, a SQLite file is copied, to a name beside it with .before- and the step.

In PostgreSQL, some steps are done beside the services, such as large indexes: lists and searches are only slower without them. One process at a time is at work, a service or this command, which ends when all is done. The log and --status show how far it has come, such as "under way, 43 %". What a killed process has left, another one completes.

Examples:

    problems migrate --status
    problems migrate --store sqlite:///var/lib/problems/problems.db
    problems migrate --store postgres://ann@db/problems --dry-run | psql …`
}

// Run is called by kong.
func (c *migrateCommand) Run(ctx context.Context, p Process) error {
	schema, err := storage.SchemaOf(c.Storage, p.logger())
	if err != nil {
		return err
	}
	if c.DryRun {
		plan, err := schema.Plan(ctx)
		if err != nil {
			return err
		}
		_, err = io.WriteString(p.Stdout, plan)
		return err
	}
	act := schema.Migrate
	switch {
	case c.Status:
		act = schema.Status
	case c.WithoutLog && schema.WithoutLog == nil:
		return errors.New("--without-log is for SQLite: only a SQLite file has its log beside it")
	case c.WithoutLog:
		act = schema.WithoutLog
	}
	steps, err := act(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"STEP", "STATUS", "WAY BACK"}}
	for _, step := range steps {
		rows = append(rows, []string{step.Name, statusOf(step), wayBack(step)})
	}
	return printTable(p.Stdout, rows)
}

func statusOf(step backend.Step) string {
	switch {
	case step.Newer:
		return "done by a newer version"
	case step.Done:
		return "done"
	case step.UnderWay && step.Waits != "":
		return fmt.Sprintf("under way, %d %%, waits for %s", step.Percent, step.Waits)
	case step.UnderWay:
		return fmt.Sprintf("under way, %d %%", step.Percent)
	case step.Background:
		return "to do, beside the service"
	}
	return "to do"
}

// wayBack says how to return to a version without the step.
func wayBack(step backend.Step) string {
	if step.Final {
		return "a backup from before"
	}
	return "start the older version"
}
