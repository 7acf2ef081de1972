package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// hasParts compares the filled blocks with the texts: they have so many titles and comments, and
// nothing is missing. With whole, they have nothing of former texts.
func (d *database) hasParts(titles, comments int, whole bool) {
	d.t.Helper()
	for p, want := range map[parted]int{partedTitles: titles, partedComments: comments} {
		rows, err := d.conn.Query(d.t.Context(), p.statement("SELECT {key}, b.low, {text}, EXISTS (SELECT FROM parts_due d WHERE d.kind = {kind} AND d.key = {key}) "+
			"FROM {table} JOIN part_blocks b ON b.kind = {kind} AND {key} BETWEEN b.low AND b.high WHERE b.rows IS NOT NULL"))
		if err != nil {
			d.t.Fatal(err)
		}
		expected, got, count := map[string]bool{}, map[string]bool{}, 0
		for rows.Next() {
			var key, low int64
			var text string
			var due bool
			if err := rows.Scan(&key, &low, &text, &due); err != nil {
				d.t.Fatal(err)
			}
			count++
			if !due {
				eachPart(text, func(part int16) { expected[fmt.Sprint(low, part, key)] = true })
			}
		}
		rows, err = d.conn.Query(d.t.Context(), p.statement("SELECT block, part, rows FROM parts WHERE kind = {kind}"))
		if err != nil {
			d.t.Fatal(err)
		}
		for rows.Next() {
			var low int64
			var part int16
			var list []byte
			if err := rows.Scan(&low, &part, &list); err != nil {
				d.t.Fatal(err)
			}
			for _, key := range keysIn(low, list) {
				got[fmt.Sprint(low, part, key)] = true
				if of := fmt.Sprint(low, part, key); whole && !expected[of] {
					d.t.Errorf("%s has %s of a former text", p.table, of)
				}
			}
		}
		for of := range expected {
			if !got[of] {
				d.t.Errorf("%s lacks %s", p.table, of)
			}
		}
		if count != want {
			d.t.Errorf("%d rows of %s are indexed; want %d", count, p.table, want)
		}
	}
}

// The index of parts follows the texts, whoever changes them.
func TestPartsFollowTexts(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	fill := func() {
		t.Helper()
		if err := s.FillParts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// One comment is larger than a block, and three are too many for one together.
	d.exec(`INSERT INTO problems (id, title, created, modified, revision) VALUES (3, 'Crème secret', 0, 0, 1);
		INSERT INTO comments (problem, id, created, text) SELECT 3, gen_random_uuid(), 0, 'zephyr ' || n || repeat('x', 1500000) FROM generate_series(1, 4) n`)
	d.hasParts(0, 0, true)
	fill()
	d.hasParts(1, 4, true)
	if blocks := d.strings("SELECT rows::text FROM part_blocks WHERE kind = 2 ORDER BY low"); !slices.Equal(blocks, []string{"3", "1"}) {
		t.Errorf("the blocks of comments have %s rows", blocks)
	}
	here := d.strings("SELECT current_schema()::text")[0] // the triggers work for a session outside of it
	d.exec(fmt.Sprintf(`SET search_path = pg_catalog; INSERT INTO %[1]s.problems (id, title, created, modified, revision) VALUES (1, 'a late number', 0, 0, 1), (4, 'the next', 0, 0, 1);
		UPDATE %[1]s.problems SET title = 'Crème *** brûlée' WHERE id = 3; SET search_path = %[1]s; UPDATE comments SET text = 'nothing' WHERE text LIKE 'zephyr 2%%'`, here))
	d.hasParts(2, 4, false)
	if err := Compact(t.Context(), Options{URL: d.url}, func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	d.hasParts(0, 1, true)
	d.exec("UPDATE versions SET folding = 0; UPDATE problems SET title_cd = 'wrong'")
	if _, err := (Options{URL: d.url}).directly(t.Context(), true, func(_ Options, db *bun.DB) ([]Migration, error) {
		return nil, newDialect().Fold(t.Context(), db, "BEGIN", func(int) {})
	}); err != nil {
		t.Fatal(err)
	}
	fill()
	d.hasParts(3, 4, true)
	if left := d.strings("SELECT key::text FROM parts_due"); len(left) > 0 {
		t.Errorf("rows %s wait for a block", left)
	}
	if findings := d.examine(Options{}); len(findings) > 0 {
		t.Errorf("an examination finds %+v", findings)
	}
}

// A comment appears behind one with a later position: no block may end between them.
func TestPartsWaitForEarlierComments(t *testing.T) {
	t.Parallel()
	d, slow := newDatabase(t, postgrestest.Schema(t)), (*database)(nil)
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	slow = newDatabase(t, d.url)
	const comment = "INSERT INTO comments (problem, id, created, text) VALUES (3, gen_random_uuid(), 0, 'zephyr')"
	slow.exec("BEGIN; " + comment)
	d.exec(comment)
	if err := s.FillParts(t.Context()); !errors.Is(err, errWritten) {
		t.Errorf("%v; want %v", err, errWritten)
	}
	d.hasParts(0, 0, true)
	slow.exec("COMMIT")
	if err := s.FillParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.hasParts(0, 2, true)
}

// A title appears below the end of a block: of somebody who began before the block, or sees nothing of it.
func TestPartsHaveTitlesOfLateNumbers(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	early, blind, undone := newDatabase(t, d.url), newDatabase(t, d.url), newDatabase(t, d.url)
	const title = "INSERT INTO problems (id, title, created, modified, revision) VALUES (%d, 'Crème', 0, 0, 1)"
	d.exec(fmt.Sprintf(title, 9))
	if due := d.strings("SELECT key::text FROM parts_due"); len(due) > 0 {
		t.Errorf("titles %s behind all blocks have an entry", due)
	}
	early.exec("BEGIN; " + fmt.Sprintf(title, 3))
	blind.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM problems")
	if err := s.FillParts(t.Context()); !errors.Is(err, errWritten) {
		t.Errorf("%v; want %v", err, errWritten)
	}
	d.hasParts(0, 0, true)
	begun := d.strings("SELECT clock_timestamp()::text")[0]
	filled := make(chan error, 1)
	go func() { filled <- s.FillParts(t.Context()) }()
	d.until("the server waits for who began before", func() bool {
		return len(d.strings("SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_locks%ANY($1)%' AND query_start > '"+begun+"' AND pid <> pg_backend_pid()")) > 0
	})
	undone.exec("BEGIN; " + fmt.Sprintf(title, 4))
	blind.exec(fmt.Sprintf(title, 5))
	early.exec("COMMIT")
	if err := <-filled; err != nil {
		t.Fatal(err)
	}
	d.hasParts(2, 0, true)
	undone.exec("ROLLBACK")
	blind.exec("COMMIT")
	d.exec(fmt.Sprintf(title, 1) + ";" + fmt.Sprintf(title, 10))
	if due := d.strings("SELECT key::text FROM parts_due ORDER BY key"); !slices.Equal(due, []string{"1", "5"}) {
		t.Errorf("titles %s have an entry; want 1 and 5", due)
	}
	if err := s.FillParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.hasParts(5, 0, true)
	d.exec("SELECT setval('titles_end', 0)") // as a restore without sequences leaves it
	if err := s.FillParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ends := d.strings("SELECT last_value::text FROM titles_end UNION SELECT max(high)::text FROM part_blocks WHERE kind = 3"); len(ends) != 1 {
		t.Errorf("the end of the titles and that of the blocks are %v", ends)
	}
}

// Two servers fill the index beside writes. Both stop at any moment, and begin again.
func TestServersFillPartsBesideWrites(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	d.opened(Options{URL: d.url, AutoMigrate: true})
	var writers, servers sync.WaitGroup
	writing, done := context.WithTimeout(t.Context(), 3*time.Second)
	defer done()
	for range 2 {
		s := d.opened(Options{URL: d.url})
		servers.Go(func() {
			for writing.Err() == nil {
				short, cancel := context.WithTimeout(writing, rand.N(60*time.Millisecond))
				_, _ = s.addParts(short, rand.N(4)) // it fails when it is cut, and when the other one is at work
				cancel()
			}
		})
		for range 2 {
			writers.Go(func() {
				for id := rand.Int64N(1 << 40); writing.Err() == nil; id++ {
					text := func() string { return fmt.Sprint("text ", rand.N(1000)) }
					change := store.Change{Batch: ident.ID{1, 2, byte(id >> 40), byte(id >> 32), byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}, At: time.Now()}
					p := problem.Problem{ID: problem.ID(rand.N(1000) + 1), Fields: problem.Fields{Title: text()}, Created: time.Now(), Modified: time.Now(), Revision: 1}
					change.Effects = []store.Effect{store.CreateProblem{Problem: p}}
					if id%3 > 0 {
						change.Effects = []store.Effect{store.AddComment{Problem: p.ID, Comment: problem.Comment{ID: change.Batch, Created: time.Now(), Text: text()}}}
					}
					_, _ = s.Commit(t.Context(), change) // the number may be taken
				}
			})
		}
	}
	editor := newDatabase(t, d.url)
	for writing.Err() == nil {
		editor.exec("UPDATE problems SET title = 'renamed ' || id WHERE id % 7 = 0; UPDATE comments SET text = 'edited ' || position WHERE position % 11 = 0")
	}
	writers.Wait()
	servers.Wait()
	s := d.opened(Options{URL: d.url})
	d.until("the index is whole", func() bool { return s.FillParts(t.Context()) == nil })
	var titles, comments int
	if err := d.conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM problems), (SELECT count(*) FROM comments)").Scan(&titles, &comments); err != nil || titles == 0 || comments == 0 {
		t.Fatal(titles, comments, err)
	}
	d.hasParts(titles, comments, true)
}

// A service fills the index by itself.
func TestServiceFillsParts(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	d.opened(Options{URL: d.url, AutoMigrate: true, Serving: true})
	d.exec(fmt.Sprintf("INSERT INTO problems (id, title, created, modified, revision) SELECT n, 'number ' || n, 0, 0, 1 FROM generate_series(1, %d) n", blockRows+leastDue+1))
	d.until("the index is filled", func() bool {
		return slices.Equal(d.strings("SELECT coalesce(string_agg(rows::text, ' ' ORDER BY low), '') FROM part_blocks"), []string{fmt.Sprint(blockRows, " ", leastDue+1)})
	})
}

// The index of an older database goes on, and its servers go on without it.
func TestPartsOfAnOlderDatabase(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	step, err := builtin.Files.Open("migrations/0118_parts.up.sql")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(step)
	if err != nil {
		t.Fatal(err)
	}
	const title = "INSERT INTO problems (id, title, created, modified, revision) VALUES (%d, 'Crème', 0, 0, 1);"
	d.exec("DROP TABLE parts, part_blocks, parts_due; DROP FUNCTION end_titles, title_due, comment_due CASCADE; DROP SEQUENCE titles_end; DELETE FROM problems_migrations WHERE name = '0119';" +
		fmt.Sprintf(title, 3) + string(text) + fmt.Sprintf(title, 2) + "INSERT INTO part_blocks VALUES (1, 4, 5, 1);" + fmt.Sprintf(title, 5) +
		"DELETE FROM parts_due WHERE key = 5; INSERT INTO comments (problem, id, created, text) VALUES (3, gen_random_uuid(), 0, 'zephyr')")
	eachPart("Crème", func(part int16) { d.exec(fmt.Sprintf("INSERT INTO parts VALUES (4, 1, %d, '\\x01')", part)) })
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	d.hasParts(1, 0, true)
	d.exec(fmt.Sprintf(title, 4))
	if due := d.strings("SELECT key::text FROM parts_due WHERE kind = 3 ORDER BY key"); !slices.Equal(due, []string{"2", "4"}) {
		t.Errorf("titles %s have an entry; want 2 and 4", due)
	}
	if err := s.FillParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.hasParts(4, 1, true)
	if unfilled := d.strings("SELECT low::text FROM part_blocks WHERE kind = 1 AND rows IS NULL"); len(unfilled) == 0 {
		t.Error("an older server believes in an index without new titles")
	}
	if _, err := d.conn.Exec(t.Context(), "INSERT INTO part_blocks (kind, low, high, rows) VALUES (1, 6, 9, 1)"); err == nil {
		t.Error("an older server makes a block of titles")
	}
}

// The lists of a part are looked up block by block.
func TestPartsUseTheirIndex(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	d.opened(Options{URL: d.url, AutoMigrate: true})
	d.exec("INSERT INTO parts (kind, block, part, rows) SELECT 3, block, part, 'x' FROM generate_series(1, 10) block, generate_series(1, 10000) part; ANALYZE parts")
	plan := strings.Join(d.strings("EXPLAIN (COSTS OFF) "+partedTitles.statement(strings.Replace(strings.Replace(listsOf, "?", "'{1,2,3,4,5,6,7,8,9}'", 1), "?", "'{1,2}'", 1))), "\n")
	if !strings.Contains(plan, "Index Cond: ((kind = 3) AND (block = b.low) AND (part = ANY") {
		t.Errorf("it is done by\n%s", plan)
	}
}
