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
	// Background is true for a step that is done beside the service, outside of a
	// transaction. The schema can be used without it.
	Background bool
	// Progress is that of a background step under way.
	Progress Progress
}

// Progress is how far the work on a step has come. The zero Progress: nobody is at work.
type Progress struct {
	UnderWay bool
	Percent  int
	Waits    string // what the work waits for, as a noun phrase; "": for nothing
}

// Pending reports whether a step is left to do before the schema can be used.
func Pending(all []Migration) bool {
	return slices.ContainsFunc(all, func(m Migration) bool { return !m.Applied && !m.Background })
}

// Behind returns the background steps that are left to do.
func Behind(all []Migration) (left []Migration) {
	for _, m := range all {
		if !m.Applied && m.Background {
			left = append(left, m)
		}
	}
	return left
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
// "-- Background: " with the reason marks a step that only makes and drops indexes. Where
// the database can do so beside writes, it is done beside the service. No other step may
// need it. "-- Folds: " with a version of the folding marks the step after which texts are
// folded by this version.
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
	// Concurrently is true if the database makes indexes beside writes.
	Concurrently bool
}

// OldestTable has one row with the number of the last final step. A server has to know
// this step.
const OldestTable = "oldest_step"

// Unknown reports whether some of the applied steps are not known. It fails when one of them
// comes before all known ones: such a schema lacks what the first known step makes, and no
// step adds it.
func (s Steps) Unknown(applied []string) (bool, error) {
	known, err := s.discover()
	if err != nil {
		return false, err
	}
	if len(applied) > 0 && slices.Min(applied) < known.Sorted()[0].Name {
		return false, errors.New("the schema is of a version from before the first release, and this version cannot use it; nothing has changed: export the data by \"problems export\" of the older version, and import the archive into an empty store by \"problems import\" of this one")
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
		return 0, fmt.Errorf("a newer version has changed the schema, and the oldest version that can use it cannot be read: %w", err)
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
		text, err := s.text(m.String())
		if err != nil {
			return nil, err
		}
		step := Migration{Name: m.String(), Applied: unknown[m.Name], Final: finally.MatchString(text)}
		// In an empty database, nobody waits for an index.
		step.Background = s.Concurrently && len(applied) > 0 && behind.MatchString(text)
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

// The marks of steps.
var (
	finally = regexp.MustCompile(`(?m)^-- Final: \S`)
	behind  = regexp.MustCompile(`(?m)^-- Background: \S`)
	folds   = regexp.MustCompile(`(?m)^-- Folds: (\d+)`)
)

// text returns the file of a step.
func (s Steps) text(name string) (string, error) {
	text, err := fs.ReadFile(s.Files, "migrations/"+name+".up.sql")
	if err != nil {
		return "", fmt.Errorf("%w", err)
	}
	return string(text), nil
}

// FoldedBy returns the number of the step after which texts are folded by a version, and
// whether it is final; 0 without such a step.
func (s Steps) FoldedBy(version int) (number int, final bool, err error) {
	all, err := s.Compare(nil, 0)
	if err != nil {
		return 0, false, err
	}
	for _, m := range all {
		text, err := s.text(m.Name)
		if err != nil {
			return 0, false, err
		}
		if mark := folds.FindStringSubmatch(text); mark != nil && mark[1] == strconv.Itoa(version) {
			number, err = m.Number()
			return number, m.Final, err
		}
	}
	return 0, false, nil
}

// keepOldest returns the statement after a final step, which keeps its number.
func keepOldest(number int) string {
	return fmt.Sprintf("INSERT INTO %s (id, step) VALUES (1, %d) ON CONFLICT (id) DO UPDATE SET step = excluded.step WHERE %[1]s.step < excluded.step", OldestTable, number)
}

// begin returns the statements that make the lists of steps, unless they exist. They keep
// the number of the last final step that was done; that of the first step before that, as it is
// everything.
func (s Steps) begin(db *bun.DB, all []Migration) ([]string, error) {
	needed := all[0]
	for _, m := range all {
		if m.Final && m.Applied {
			needed = m
		}
	}
	oldest, err := needed.Number()
	if err != nil {
		return nil, err
	}
	return []string{
		s.createTable(db).String(),
		"CREATE TABLE IF NOT EXISTS " + OldestTable + " (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), step bigint NOT NULL)",
		keepOldest(oldest),
	}, nil
}

// Begin makes the lists of steps, unless they exist. It returns the number of the next
// group: of the steps of one run. db is a single connection within a transaction.
func (s Steps) Begin(ctx context.Context, db *bun.DB, all []Migration) (group int64, err error) {
	lists, err := s.begin(db, all)
	if err != nil {
		return 0, err
	}
	for _, statement := range lists {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, fmt.Errorf("the list of migrations cannot be made: %w", err)
		}
	}
	if err := db.NewRaw("SELECT coalesce(max(group_id), 0) + 1 FROM "+s.Table).Scan(ctx, &group); err != nil {
		return 0, fmt.Errorf("the list of migrations cannot be read: %w", err)
	}
	return group, nil
}

// Do does a step and lists it. db is a single connection within a transaction.
func (s Steps) Do(ctx context.Context, db *bun.DB, m Migration, group int64) error {
	text, err := s.text(m.Name)
	if err != nil {
		return err
	}
	all := []string{text}
	if s.OneByOne {
		all = statements(text)
	}
	if m.Final {
		number, err := m.Number()
		if err != nil {
			return err
		}
		all = append(all, keepOldest(number))
	}
	for _, statement := range all {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO "+s.Table+" (name, group_id) VALUES (?, ?)", m.listed(), group); err != nil {
		return fmt.Errorf("migration %s cannot be listed: %w", m.Name, err)
	}
	return nil
}

// listed returns the name of the step in the list.
func (m Migration) listed() string {
	number, _, _ := strings.Cut(m.Name, "_")
	return number
}

// Apply does the steps that are left to do, and lists them. db has to be a single
// connection within a transaction.
func (s Steps) Apply(ctx context.Context, db *bun.DB, all []Migration) error {
	group, err := s.Begin(ctx, db, all)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Applied {
			continue
		}
		if err := s.Do(ctx, db, m, group); err != nil {
			return err
		}
	}
	return nil
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

// Plan returns the statements of the steps that are left to do. They do the same when they
// are run by hand: the first ones within a transaction, those of background steps after it,
// each on its own. Both are empty when nothing is left to do. Plan takes from db how its
// statements are written.
func (s Steps) Plan(db *bun.DB, all []Migration) (within, after string, err error) {
	var b strings.Builder
	if Pending(all) {
		lists, err := s.begin(db, all)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&b, "%s;\n", strings.Join(lists, ";\n"))
	}
	group := "coalesce(max(group_id), 0) + 1" // of all steps of one run
	for _, m := range all {
		if m.Applied || m.Background {
			continue
		}
		text, err := s.text(m.Name)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&b, "\n-- Step %s.\n\n%s\n", m.Name, text)
		if m.Final {
			number, err := m.Number()
			if err != nil {
				return "", "", err
			}
			fmt.Fprintf(&b, "%s;\n", keepOldest(number))
		}
		fmt.Fprintf(&b, "INSERT INTO %s (name, group_id) SELECT '%s', %s FROM %[1]s;\n", s.Table, m.listed(), group)
		group = "max(group_id)"
	}
	within = b.String()
	b.Reset()
	for _, m := range Behind(all) {
		indexes, err := s.Indexes(m)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&b, "\n-- Step %s, beside the services. It is listed once its indexes are there.\n\n", m.Name)
		for _, index := range indexes {
			fmt.Fprintf(&b, "%s;\n", index.Statement)
		}
		fmt.Fprintf(&b, "%s;\n", s.ListIndexes(m, indexes))
	}
	return within, b.String(), nil
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
