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

	Status bool `xor:"look" help:"Only show the completed and the remaining steps."`
	DryRun bool `xor:"look" help:"Only print the SQL of the remaining steps, to run it by hand."`

	WithoutLog bool `xor:"look" help:"Go on with a SQLite file without its write-ahead log. Its last writes are lost."`
}

// Help is shown by kong.
func (migrateCommand) Help() string {
	return `"problems serve" does this at its start, unless PROBLEMS_AUTO_MIGRATE=false. Several processes may run at once: each step runs once. An irreversible step makes older versions refuse the store: --status shows this for each step. Before such a step, the command copies a SQLite file to a name beside it, with .before- and the step.

In PostgreSQL, some steps, such as large indexes, run beside the services: lists and searches are only slower without them. One process at a time works on them, a service or this command. This command ends when all steps are done. The log and --status show the progress, such as "under way, 43 %". Another process completes the work of a killed one.

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
