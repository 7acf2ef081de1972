package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// The planner knows nothing of a new database, and then assumes thousands of rows in
// feed_head. A numbering that looks expensive is compiled first, which takes a second and
// more: every reader waits for it.
func TestNumberingIsCheap(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	for _, fill := range []string{
		"SELECT",
		"INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", 1000, repeat('x', 1000) FROM generate_series(1, 500) n",
		"INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", 1000, repeat('x', 1000) FROM generate_series(501, 100000) n",
		"ANALYZE",
	} {
		d.exec(fill)
		var encoded []byte
		if err := d.conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+s.texts.plainOf(giveNumbers), numberedAtOnce, numberedBytes).Scan(&encoded); err != nil {
			t.Fatal(err)
		}
		var plans []struct {
			Plan struct {
				Cost float64 `json:"Total Cost"`
			}
		}
		if err := json.Unmarshal(encoded, &plans); err != nil {
			t.Fatal(err)
		}
		const compiled = 100_000 // the default of jit_above_cost
		if cost := plans[0].Plan.Cost; cost >= compiled/2 {
			t.Errorf("after %.40s… a numbering costs %.0f by the planner; above %d the server compiles it\n%s", fill, cost, compiled, encoded)
		}
	}
}

// Without readers of the feed, housekeeping numbers what is pending, in portions.
func TestHousekeepingNumbersTheFeed(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	const entries = 2*numberedAtOnce + 1
	d.exec("INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", 1000, '{\"ev\":[]}' FROM generate_series(1, " + strconv.Itoa(entries) + ") n")
	service := tracker.New(tracker.Options{Store: s, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()})
	if err := service.Housekeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var pending, numbered, ordered int
	if err := d.conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM pending), count(*), count(*) FILTER (WHERE batch = "+uuidOf("number")+") FROM feed").Scan(&pending, &numbered, &ordered); err != nil {
		t.Fatal(err)
	}
	if pending != 0 || numbered != entries || ordered != entries {
		t.Errorf("after housekeeping %d entries are pending, and %d have numbers, %d of them the right ones; want none, and %d", pending, numbered, ordered, entries)
	}
}

// A read of the feed begins with a numbering only when this process has published since the
// last one: a numbering is a write.
func TestNumberingFirstAfterOwnEvents(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	commit := func(batch byte, effects ...store.Effect) {
		t.Helper()
		if _, err := s.Commit(t.Context(), store.Change{Batch: ident.ID{15: batch}, At: time.UnixMilli(1), Effects: effects}); err != nil {
			t.Fatal(err)
		}
	}
	commit(1)
	if s.published.Load() {
		t.Error("a Change without events makes the next read number")
	}
	commit(2, store.Publish{Event: event.Event{Type: "user.created"}})
	if !s.published.Load() {
		t.Error("a Change with an event leaves the numbering to a second read")
	}
	if entries, err := s.Feed(t.Context(), 1, 10, 1<<20); err != nil || len(entries) != 1 || entries[0].Number != 1 || s.published.Load() {
		t.Errorf("the feed has %v, want one entry: %v", entries, err)
	}
}

// counted counts the rows that the server sends.
type counted struct {
	sqlstore.Session
	rows *int
}

func (c counted) Read(ctx context.Context, queries ...sqlstore.Query) error {
	for i := range queries {
		row := queries[i].Row
		queries[i].Row = func(scan func(...any) error) error {
			*c.rows++
			return row(scan)
		}
	}
	return c.Session.Read(ctx, queries...)
}

// The server sends no body beyond the budget: large ones would take longer than a
// statement may.
func TestFeedSendsNoMoreThanTheBudget(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	row := "SELECT n, " + uuidOf("n") + ", 1000, '{\"ev\":[]}' FROM generate_series"
	d.exec("INSERT INTO feed (number, batch, size, body) " + row + "(1, 20) n")
	d.exec("UPDATE feed_head SET number = 20")
	d.exec("INSERT INTO pending (position, batch, size, body) " + row + "(21, 40) n")
	for _, c := range []struct {
		from     int64
		limit    int
		budget   int64
		whole    int // entries of the feed with the pending ones
		numbered int
	}{
		{1, 1000, 1 << 20, 40, 20},
		{1, 1000, 5000, 5, 5},
		{1, 1000, 5001, 6, 6},
		{1, 3, 5000, 3, 3},
		{18, 1000, 5000, 5, 3},
		{1, 1000, 0, 1, 1},
		{1, 1000, -1, 1, 1},
		{41, 1000, 5000, 0, 0},
	} {
		for _, pending := range []bool{true, false} {
			rows, want := 0, c.numbered
			var entries []event.Entry
			err := s.View(t.Context(), func(r store.Reader) (err error) {
				counting := sqlstore.Reader{Dialect: s.dialect, Session: counted{r.(reader).Reader.Session, &rows}}
				if pending {
					want = c.whole
					entries, err = counting.Feed(t.Context(), c.from, c.limit, c.budget)
				} else {
					entries, err = counting.NumberedFeed(t.Context(), c.from, c.limit, c.budget)
				}
				return err
			})
			if err != nil || len(entries) != want || rows != want || want > 0 && entries[0].Number != c.from {
				t.Errorf("from %d, at most %d, within %d, pending %t: %d entries of %d rows, %v; want %d", c.from, c.limit, c.budget, pending, len(entries), rows, err, want)
			}
		}
	}
}

// A numbering of large entries ends within the time of a statement: it takes some of them.
func TestNumberingIsLimitedInBytes(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	const size = (16<<20)/2 + 1
	d.exec("INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", " + strconv.Itoa(size) + ", '{\"ev\":[]}' FROM generate_series(1, 5) n")
	for i, want := range []int{2, 4, 5, 5} {
		more, err := s.numberEntries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var numbered int
		if err := d.conn.QueryRow(t.Context(), "SELECT count(*) FROM feed").Scan(&numbered); err != nil {
			t.Fatal(err)
		}
		if numbered != want || more != (want < 5) {
			t.Errorf("after numbering %d, %d entries have numbers, and more is %t; want %d", i+1, numbered, more, want)
		}
	}
}
