package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// Migration is one step of a schema.
type Migration struct {
	Name    string
	Applied bool
	// Final is true if servers that do not know the step cannot use the schema after it.
	// Then there is no way back but a backup.
	Final bool
	// Newer is true if only a newer version knows the step, and this version can use the
	// schema all the same.
	Newer bool
}

// Pending reports whether a step is left to do.
func Pending(all []Migration) bool {
	return slices.ContainsFunc(all, func(m Migration) bool { return !m.Applied })
}

// Newer reports whether a newer version has applied steps.
func Newer(all []Migration) bool {
	return slices.ContainsFunc(all, func(m Migration) bool { return m.Newer })
}

// Outdated returns the numbers of the steps before the last final one that is left to do. A
// server cannot live on after it when the last step that it knows is one of them.
func Outdated(all []Migration) (numbers []int) {
	last := -1
	for i, m := range all {
		if m.Final && !m.Applied {
			last = i
		}
	}
	for _, m := range all[:max(last, 0)] {
		if number, err := m.Number(); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// Number returns the number at the beginning of the name.
func (m Migration) Number() (int, error) {
	text, _, _ := strings.Cut(m.Name, "_")
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("the step %s has no number", m.Name)
	}
	return number, nil
}

// Steps are the steps of the schema of one kind of database. They only go forward,
// and none is changed once it was released, except in its comments.
//
// A step mostly adds to the schema. Servers of an older version, which do not know it, go on
// beside it, and start again. A comment at the beginning of a line, "-- Final: " with the
// reason, marks a step that older servers cannot live with. The database keeps the number of
// the last such step: see [Steps.Oldest].
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

// OldestTable has one row with the number of the last final step. A server has to know
// this step.
const OldestTable = "oldest_step"

// Unknown reports whether some of the applied steps are not known.
func (s Steps) Unknown(applied []string) (bool, error) {
	known, err := s.discover()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(applied, func(number string) bool {
		return !slices.ContainsFunc(known.Sorted(), func(m migrate.Migration) bool { return m.Name == number })
	}), nil
}

// Oldest returns the number of the step that every server has to know, where a newer
// version has applied steps.
func (s Steps) Oldest(ctx context.Context, db bun.IDB, applied []string) (step int, err error) {
	unknown, err := s.Unknown(applied)
	if err != nil || !unknown {
		return 0, err
	}
	if err := db.NewRaw("SELECT step FROM "+OldestTable).Scan(ctx, &step); err != nil {
		return 0, fmt.Errorf("a newer version has changed the schema, and whether this one can use it is not to be read: %w", err)
	}
	return step, nil
}

// Last returns the number of the last step that this version knows.
func (s Steps) Last() (int, error) {
	all, err := s.Compare(nil, 0)
	if err != nil {
		return 0, err
	}
	return all[len(all)-1].Number()
}

// Compare returns all steps in their order, by the numbers of the applied ones. It fails
// when a server has to know a step, the oldest, that this version does not know.
func (s Steps) Compare(applied []string, oldest int) ([]Migration, error) {
	known, err := s.discover()
	if err != nil {
		return nil, err
	}
	unknown := make(map[string]bool)
	for _, number := range applied {
		unknown[number] = true
	}
	var all []Migration
	last := 0
	for _, m := range known.Sorted() {
		final, err := s.final(m)
		if err != nil {
			return nil, err
		}
		step := Migration{Name: m.String(), Applied: unknown[m.Name], Final: final}
		if last, err = step.Number(); err != nil {
			return nil, err
		}
		all = append(all, step)
		delete(unknown, m.Name)
	}
	newer := slices.Sorted(maps.Keys(unknown))
	if len(newer) > 0 && oldest > last {
		return nil, fmt.Errorf("the schema is at step %s, and this version knows those up to %s: a version that knows %04d is needed (its \"problems migrate --status\" lists it); the way back is a backup from before this step",
			newer[len(newer)-1], all[len(all)-1].Name, oldest)
	}
	for _, number := range newer {
		all = append(all, Migration{Name: number, Applied: true, Newer: true})
	}
	return all, nil
}

// finally finds the mark of a final step.
var finally = regexp.MustCompile(`(?m)^-- Final: \S`)

// final reports whether a step is final.
func (s Steps) final(m migrate.Migration) (bool, error) {
	text, err := fs.ReadFile(s.Files, "migrations/"+m.String()+".up.sql")
	if err != nil {
		return false, fmt.Errorf("%w", err)
	}
	return finally.Match(text), nil
}

// keepOldest returns the statements that keep the number of the last final step.
func (s Steps) keepOldest() ([]string, error) {
	all, err := s.Compare(nil, 0)
	if err != nil {
		return nil, err
	}
	number := 1 // the first step is everything
	for _, m := range all {
		if !m.Final {
			continue
		}
		if number, err = m.Number(); err != nil {
			return nil, err
		}
	}
	return []string{
		"CREATE TABLE IF NOT EXISTS " + OldestTable + " (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), step bigint NOT NULL)",
		fmt.Sprintf("INSERT INTO %s (id, step) VALUES (1, %d) ON CONFLICT (id) DO UPDATE SET step = excluded.step", OldestTable, number),
	}, nil
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
	keep, err := s.keepOldest()
	if err != nil {
		return err
	}
	for _, statement := range keep {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("the step that every server has to know cannot be kept: %w", err)
		}
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
	keep, err := s.keepOldest()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n-- The last step that every server has to know.\n\n%s;\n", strings.Join(keep, ";\n"))
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
