package postgres

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/upgradetest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// An index waits for the transactions of the whole database. So these tests have databases
// of their own.

// indexed returns the steps of a version after this one, with two more indexes.
func indexed(t *testing.T) sqlstore.Steps {
	t.Helper()
	return upgradetest.Next(t, builtin, "9998_next", "-- Background: only searches are slower without it.\n\n"+
		"CREATE INDEX problems_next_size ON problems (size, id);\nCREATE INDEX problems_next_resolver ON problems (resolver);\n")
}

// journal collects the log of stores.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.text.String(), text)
}

// until waits for a condition.
func (d *database) until(what string, met func() bool) {
	d.t.Helper()
	for limit := time.Now().Add(time.Minute); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			d.t.Fatalf("within a minute, it is not so that %s", what)
		}
	}
}

// opened opens a store, and closes it after the test.
func (d *database) opened(o Options) *Store {
	d.t.Helper()
	s, err := Open(d.t.Context(), o)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return s
}

// add stores a problem.
func (d *database) add(s *Store, title string) {
	d.t.Helper()
	id, err := s.Reserve(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	at := time.UnixMicro(int64(id)).UTC()
	_, err = s.Commit(d.t.Context(), store.Change{
		Batch: ident.ID{14: byte(id >> 8), 15: byte(id)}, At: at,
		Effects: []store.Effect{store.CreateProblem{Problem: problem.Problem{ID: id, Fields: problem.Fields{Title: title}, Created: at, Modified: at, Revision: 1}}},
	})
	if err != nil {
		d.t.Fatalf("%s: %v", title, err)
	}
}

// found returns how many problems a search finds.
func (d *database) found(s *Store, text string) (hits int) {
	d.t.Helper()
	plan, err := check.Compile(text, predicate.Problem, predicate.Env{User: ident.None})
	if err != nil {
		d.t.Fatal(err)
	}
	err = s.View(d.t.Context(), func(r store.Reader) error {
		catalogue, err := r.Catalogue(d.t.Context())
		if err != nil {
			return err
		}
		all, err := r.Search(d.t.Context(), store.Query{Plan: plan, Limit: 10_000, Catalogue: catalogue})
		hits = len(all)
		return err
	})
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return hits
}

const (
	builderOf  = "SELECT l.pid::text FROM " + holders + ", (SELECT " + backgroundNumber + " AS number) n WHERE " + holds
	usable     = "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace AND c.relname LIKE 'problems_next_%' AND i.indisvalid ORDER BY 1"
	listedStep = "SELECT name::text FROM problems_migrations WHERE name = '9998'"
)

// TestBackgroundStepBesideServers holds a background step half way, while servers of the
// version before and of this one write. Then the session of the work is killed, and another
// server completes it.
func TestBackgroundStepBesideServers(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	older := d.opened(Options{URL: d.url, AutoMigrate: true, Serving: true})
	d.add(older, "by the older one")
	holder := newDatabase(t, d.url)
	holder.exec("BEGIN; LOCK TABLE problems IN ROW EXCLUSIVE MODE") // as a write does

	lines := &journal{}
	o := Options{URL: d.url, AutoMigrate: true, Serving: true, pause: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(lines, nil)), steps: indexed(t)}
	first := d.opened(o)
	waits := fmt.Sprintf("process %d of the server", holder.conn.PgConn().PID())
	d.until("the work waits for the write", func() bool {
		left := first.Behind()
		return len(left) == 1 && left[0].Name == "9998_next" && left[0].Progress == Progress{UnderWay: true, Waits: waits}
	})
	second := d.opened(o)
	for i := range 3 {
		for _, s := range []*Store{older, first, second} {
			d.add(s, fmt.Sprint("meanwhile ", i))
			if n, want := d.found(s, "title BEGINSWITH[c] 'MEANWHILE'"), len(d.strings("SELECT title FROM problems WHERE title LIKE 'mean%'")); n != want {
				t.Errorf("while the index is made, a search finds %d of %d problems", n, want)
			}
		}
	}
	d.until("the log says so", func() bool { return lines.has("step=9998_next percent=0 waits_for=") })
	all, err := Status(t.Context(), o)
	if at := slices.IndexFunc(all, func(m Migration) bool { return m.Name == "9998_next" }); err != nil || at < 0 || !all[at].Progress.UnderWay || all[at].Progress.Waits != waits {
		t.Errorf("the status is %v, %v", all, err)
	}
	if findings := d.examine(Options{steps: o.steps}); len(findings) != 1 || !strings.Contains(findings[0].What, "9998_next is under way, at 0 %") || !strings.Contains(findings[0].Mend, waits) {
		t.Errorf("the examination finds %+v", findings)
	}

	killed := d.strings(builderOf)
	d.exec("SELECT pg_terminate_backend(" + strings.Join(killed, "") + ")")
	d.until("another one is at work", func() bool {
		now := d.strings(builderOf)
		return len(now) == 1 && !slices.Equal(now, killed)
	})
	holder.exec("COMMIT")
	d.until("it is done", func() bool {
		return len(d.strings(listedStep)) == 1 && len(first.Behind()) == 0 && len(second.Behind()) == 0
	})
	if got := d.strings(usable); !slices.Equal(got, []string{"problems_next_resolver", "problems_next_size"}) {
		t.Errorf("usable are %v", got)
	}
	if !lines.has("a step of the schema is done") {
		t.Error("the log does not say that it is done")
	}
	for _, s := range []*Store{older, first, second} {
		d.add(s, "afterwards")
	}
	if findings := d.examine(Options{steps: o.steps}); len(findings) > 0 {
		t.Errorf("afterwards, the examination finds %+v", findings)
	}
}

// TestIndexIsMadeAfterItsServer lets the process end that makes an index. The server goes
// on with the index, and the next process lists the step.
func TestIndexIsMadeAfterItsServer(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	d.opened(Options{URL: d.url, AutoMigrate: true})
	holder := newDatabase(t, d.url)
	holder.exec("BEGIN; LOCK TABLE problems IN ROW EXCLUSIVE MODE")
	o := Options{URL: d.url, AutoMigrate: true, Serving: true, pause: 20 * time.Millisecond, steps: indexed(t)}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	d.until("the index is begun", func() bool {
		return len(d.strings("SELECT phase FROM pg_stat_progress_create_index WHERE pid::text IN ("+builderOf+")")) > 0
	})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	holder.exec("COMMIT")
	d.until("the index is there", func() bool { return slices.Contains(d.strings(usable), "problems_next_size") })
	if _, err := Migrate(t.Context(), o); err != nil {
		t.Error(err)
	}
	if len(d.strings(listedStep)) != 1 || len(d.strings(usable)) != 2 {
		t.Errorf("usable are %v", d.strings(usable))
	}
}

// TestUnusableIndexIsMadeAnew has the index of a process that was killed.
func TestUnusableIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	d.opened(Options{URL: d.url, AutoMigrate: true})
	d.exec("CREATE INDEX problems_next_size ON problems (title); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'problems_next_size'::regclass")
	if _, err := Migrate(t.Context(), Options{URL: d.url, steps: indexed(t)}); err != nil {
		t.Fatal(err)
	}
	got := d.strings("SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid = 'problems_next_size'::regclass AND indisvalid")
	if len(got) != 1 || !strings.Contains(got[0], "(size, id)") {
		t.Errorf("the index is %v", got)
	}
}

// TestPlanOfABackgroundStep runs the plan by hand, a statement at a time.
func TestPlanOfABackgroundStep(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	d.opened(Options{URL: d.url, AutoMigrate: true})
	o := Options{URL: d.url, steps: indexed(t)}
	o.steps = upgradetest.Next(t, o.steps, "9999_column", "ALTER TABLE problems ADD COLUMN next bigint;\n")
	plan, err := Plan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	within, after, divided := strings.Cut(plan, "COMMIT;\n")
	if !divided || !strings.HasPrefix(within, "BEGIN;") || strings.Contains(within, "9998") || !strings.Contains(after, "CREATE INDEX CONCURRENTLY IF NOT EXISTS problems_next_size") {
		t.Errorf("the plan is %s", plan)
	}
	d.exec(within + "COMMIT;")
	var statement strings.Builder
	for line := range strings.Lines(after) {
		statement.WriteString(line)
		if strings.HasSuffix(line, ";\n") {
			d.exec(statement.String())
			statement.Reset()
		}
	}
	if plan, err := Plan(t.Context(), o); plan != "" || err != nil {
		t.Errorf("after it, the plan is %q, %v", plan, err)
	}
	if got := d.strings(usable); len(got) != 2 {
		t.Errorf("usable are %v", got)
	}
}

// TestFoldingBesideWrites folds texts of another version while servers search and write.
// Searches are right from the beginning, and the work goes on where it was left.
func TestFoldingBesideWrites(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec("INSERT INTO problems (id, title, title_c, created, modified, revision) SELECT n, 'Many', 'wrong', 1000, 2000, 1 FROM generate_series(1, 1200) n; UPDATE versions SET folding = 12345")
	holder := newDatabase(t, d.url)
	holder.exec("BEGIN; SELECT FROM problems WHERE id = 700 FOR UPDATE")
	o := Options{URL: d.url, AutoMigrate: true, Serving: true, pause: 20 * time.Millisecond}
	s := d.opened(o)
	const half = "SELECT state FROM leases WHERE name = 'folding'"
	d.until("the first rows are folded", func() bool {
		left := s.Behind()
		return len(d.strings(half)) > 0 && len(left) == 1 && left[0].Name == sqlstore.FoldingStep && left[0].Progress.UnderWay && left[0].Progress.Percent > 0
	})
	d.add(s, "MANY more")
	if n := d.found(s, "title BEGINSWITH[c] 'mANY'"); n != 1201 {
		t.Errorf("while texts are folded, a search finds %d problems; want 1201", n)
	}
	d.exec("UPDATE problems SET title_c = 'left alone' WHERE id = 1; SELECT pg_terminate_backend(" + strings.Join(d.strings(builderOf), "") + ")")
	holder.exec("COMMIT")
	if _, err := Migrate(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	d.until("nothing is left", func() bool { return len(s.Behind()) == 0 && s.behind.unfolded.Load() == nil })
	if got := d.strings("SELECT id::text FROM problems WHERE title_c IS DISTINCT FROM 'many' AND title = 'Many'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("folded otherwise are %v; want only what was behind the work", got)
	}
	d.exec("UPDATE problems SET title_c = 'many' WHERE id = 1")
	if n := d.found(s, "title BEGINSWITH[c] 'mANY'"); n != 1201 || len(d.strings(half)) != 0 {
		t.Errorf("afterwards a search finds %d problems, with %v left; want 1201", n, d.strings(half))
	}
}

// TestStepGivesWay changes a table while somebody reads it for long. Others can use the
// table all the time: nobody waits behind the change.
func TestStepGivesWay(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec("BEGIN; SELECT count(*) FROM users")
	steps := upgradetest.Next(t, builtin, "9998_next", "ALTER TABLE users ADD COLUMN next text;\n")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Migrate(ctx, Options{URL: d.url, MigrationTimeout: time.Hour, steps: steps})
		done <- err
	}()
	other, watching := newDatabase(t, d.url), newDatabase(t, d.url)
	other.exec("SET statement_timeout = '20s'") // far more than the change may wait at a time
	for range 3 {
		watching.until("the change waits for the table", func() bool {
			return len(watching.strings("SELECT pid::text FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted")) > 0
		})
		other.exec("INSERT INTO users (id, name, email, inactive) VALUES (gen_random_uuid(), 'a', 'b', false)")
	}
	select {
	case err := <-done:
		t.Fatalf("the change did not wait: %v", err)
	default:
	}
	d.exec("COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
