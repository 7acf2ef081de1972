package postgres

import (
	"crypto/rand"
	"encoding/json"
	"strconv"
	"testing"
	"time"

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
	s, err := Open(t.Context(), Options{URL: d.url, AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, fill := range []string{
		"SELECT",
		"INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", 1000, repeat('x', 1000) FROM generate_series(1, 500) n",
		"INSERT INTO pending (position, batch, size, body) SELECT n, " + uuidOf("n") + ", 1000, repeat('x', 1000) FROM generate_series(501, 100000) n",
		"ANALYZE",
	} {
		d.exec(fill)
		var encoded []byte
		if err := d.conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+s.texts.plainOf(giveNumbers), numberedAtOnce).Scan(&encoded); err != nil {
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
	s, err := Open(t.Context(), Options{URL: d.url, AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
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
	s, err := Open(t.Context(), Options{URL: d.url, AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
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
