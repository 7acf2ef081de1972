package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// Migration is one step of a schema.
type Migration struct {
	Name    string
	Applied bool
}

// Pending reports whether a step is left to do.
func Pending(all []Migration) bool {
	return slices.ContainsFunc(all, func(m Migration) bool { return !m.Applied })
}

// Steps are the steps of the schema of one kind of database. They only go forward,
// and none is changed once it was released.
type Steps struct {
	// Files has the steps as migrations/0001_name.up.sql.
	Files fs.FS
	// Table is the list of applied steps in the database.
	Table string
	// OneByOne sends the statements of a step one at a time. Some engines take no more.
	// Each statement then has to end with a semicolon at the end of a line, and no other
	// line may end with one, except comments.
	OneByOne bool
}

// Compare returns all steps in their order, by the numbers of the applied ones. It fails when one of these is not known.
func (s Steps) Compare(applied []string) ([]Migration, error) {
	known, err := s.discover()
	if err != nil {
		return nil, err
	}
	unknown := make(map[string]bool)
	for _, number := range applied {
		unknown[number] = true
	}
	var all []Migration
	for _, m := range known.Sorted() {
		all = append(all, Migration{Name: m.String(), Applied: unknown[m.Name]})
		delete(unknown, m.Name)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the schema is at step %s, and this version knows those up to %s: a version that knows %[1]s is needed (its \"problems migrate --status\" lists it)",
			slices.Max(slices.Collect(maps.Keys(unknown))), all[len(all)-1].Name)
	}
	return all, nil
}

// Apply runs the pending steps and lists them. db has to be a single
// connection within a transaction.
func (s Steps) Apply(ctx context.Context, db *bun.DB) error {
	known, err := s.discover()
	if err != nil {
		return err
	}
	if _, err := s.createTable(db).Exec(ctx); err != nil {
		return fmt.Errorf("the list of migrations cannot be made: %w", err)
	}
	if s.OneByOne {
		if known, err = s.divided(known, db); err != nil {
			return err
		}
	}
	m := migrate.NewMigrator(db, known, migrate.WithTableName(s.Table), migrate.WithMarkAppliedOnSuccess(true))
	if _, err := m.Migrate(ctx); err != nil {
		return fmt.Errorf("migration %w", err)
	}
	return nil
}

// divided returns the steps as ones that send a statement at a time.
func (s Steps) divided(known *migrate.Migrations, db *bun.DB) (*migrate.Migrations, error) {
	divided := migrate.NewMigrations()
	for _, m := range known.Sorted() {
		text, err := fs.ReadFile(s.Files, "migrations/"+m.String()+".up.sql")
		if err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		m.Up = func(ctx context.Context, _ *migrate.Migrator, _ *migrate.Migration) error {
			for _, statement := range statements(string(text)) {
				if _, err := db.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		}
		divided.Add(m)
	}
	return divided, nil
}

// statements returns the statements of a step, without comments.
func statements(text string) (all []string) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "--") || strings.TrimSpace(line) == "" {
			continue
		}
		b.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			all = append(all, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		all = append(all, b.String())
	}
	return all
}

// Plan returns the statements of Apply. They do the same when they are run by hand within a transaction; none when nothing is left to do. It
// takes from db how its statements are written.
func (s Steps) Plan(db *bun.DB, all []Migration) (string, error) {
	if !Pending(all) {
		return "", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s;\n", s.createTable(db))
	group := "coalesce(max(group_id), 0) + 1" // of all steps of one run
	for _, m := range all {
		if m.Applied {
			continue
		}
		text, err := fs.ReadFile(s.Files, "migrations/"+m.Name+".up.sql")
		if err != nil {
			return "", fmt.Errorf("%w", err)
		}
		number, _, _ := strings.Cut(m.Name, "_")
		fmt.Fprintf(&b, "\n-- Step %s.\n\n%s\nINSERT INTO %s (name, group_id) SELECT '%s', %s FROM %[3]s;\n", m.Name, text, s.Table, number, group)
		group = "max(group_id)"
	}
	return b.String(), nil
}

// createTable returns the statement to create the list, unless it exists. (The migrator's
// own statement would create a second table, for an unused lock.)
func (s Steps) createTable(db *bun.DB) *bun.CreateTableQuery {
	return db.NewCreateTable().Model((*migrate.Migration)(nil)).ModelTableExpr(s.Table).IfNotExists()
}

// discover returns the steps as bun wants them.
func (s Steps) discover() (*migrate.Migrations, error) {
	known := migrate.NewMigrations()
	if err := known.Discover(s.Files); err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	if len(known.Sorted()) == 0 {
		return nil, errors.New("there are no steps of the schema")
	}
	return known, nil
}
