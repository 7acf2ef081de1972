package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// TestRestoreCut cuts the connection under a Restore. Another Restore, which waits
// for what is left of the first, tells what has become of that.
func TestRestoreCut(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	proxy := postgrestest.NewProxy(t, url)
	cut := open(t, postgres.Options{URL: proxy.URL(), Connections: 1})
	healthy := open(t, postgres.Options{URL: url})
	admin := connect(t, url)
	archive, number := someArchive(newSource())

	before := carried(proxy)
	if err := cut.Restore(t.Context(), archive); err != nil {
		t.Fatal(err)
	}
	whole := carried(proxy)
	const parts = 8
	books := &ledger{}
	after := func(direction postgrestest.Direction, n int64) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		empty(t, admin)
		eventually(t, "the store connects again", func() bool { _, err := cut.Versions(ctx); return err == nil })
		proxy.CutAfter(direction, n)
		err := cut.Restore(ctx, archive)
		proxy.CutNever()
		seen, looking := look(ctx, healthy, 1, replyKey{})
		if looking != nil {
			t.Fatal(looking)
		}
		if n := len(seen.problems); n != 0 && n != number {
			t.Errorf("%d of %d problems are there after %v", n, number, err)
		}
		again := healthy.Restore(ctx, archive)
		there := fault.Is(again, fault.Conflict)
		if again != nil && !there {
			t.Fatalf("the store cannot be filled again: %v", again)
		}
		said := stored
		switch {
		case err != nil && !fault.Is(err, fault.UnknownOutcome):
			said = refused
		case err != nil && there:
			said = foundStored
		case err != nil:
			said = foundLost
		}
		if wrong := books.enter(said, once(there)); wrong != "" {
			t.Errorf("a restoration, which gave %v: %s", err, wrong)
		}
		if seen, looking = look(ctx, healthy, 1, replyKey{}); looking != nil || len(seen.problems) != number || seen.versions != archive.Versions() {
			t.Errorf("%d of %d problems are there at %+v: %v", len(seen.problems), number, seen.versions, looking)
		}
	}
	for direction, total := range map[postgrestest.Direction]int64{
		postgrestest.ToServer: whole.ToServer - before.ToServer, postgrestest.ToClient: whole.ToClient - before.ToClient,
	} {
		for _, n := range places(total, total/parts) {
			after(direction, n)
		}
	}
	books.check(t)
}

// Searches find their indexes right after an import. The import does not wait for who holds a table:
// a new index does, and can wait for the import. Nor does the import fail where counting takes long.
func TestRestoreCounts(t *testing.T) {
	t.Parallel()
	const hold = "BEGIN; LOCK TABLE problems IN SHARE UPDATE EXCLUSIVE MODE"
	const slow = "CREATE FUNCTION slow(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS " +
		"'BEGIN IF current_query() LIKE ''ANALYZE%'' THEN PERFORM pg_sleep(0.2); END IF; RETURN $1; END'; CREATE INDEX slow ON problems (slow(id))"
	for _, c := range []struct {
		before            string
		problems, comment bool // whether these are counted
	}{{"SELECT 1", true, true}, {hold, false, true}, {slow, false, true}} {
		url := postgrestest.Schema(t)
		archive, number := someArchive(newSource())
		s, other := open(t, postgres.Options{URL: url, Timeout: 4 * time.Second}), connect(t, url)
		if _, err := other.Exec(t.Context(), c.before); err != nil {
			t.Fatal(err)
		}
		if err := s.Restore(t.Context(), archive); err != nil {
			t.Fatal(err)
		}
		var problems, comments int
		err := other.QueryRow(t.Context(), "SELECT (SELECT reltuples FROM pg_class WHERE oid = 'problems'::regclass), (SELECT reltuples FROM pg_class WHERE oid = 'comments'::regclass)").Scan(&problems, &comments)
		if err != nil || problems == number != c.problems || comments >= 0 != c.comment {
			t.Errorf("after %s, the server knows of %d problems of %d, and %d comments: %v", c.before, problems, number, comments, err)
		}
	}
}

// someArchive returns an archive and the number of its problems.
func someArchive(from *source) (store.Archive, int) {
	const number = 40
	var all []store.Dossier
	for i := range number {
		p := from.problem(problem.ID(i + 1))
		all = append(all, store.Dossier{
			Problem:    p,
			Log:        []problem.LogEntry{from.entry(from.id(), p, problem.ProblemCreated)},
			Comments:   []problem.Comment{from.comment()},
			Savepoints: []snapshot.Savepoint{{Batch: from.id(), Problem: p}},
		})
	}
	id := from.id()
	return store.Archive{
		Batch: from.id(),
		Metadata: metadata.Content{
			Priorities: []metadata.Priority{{ID: id, Name: "Some"}},
			Users:      []user.User{{ID: id, Name: "Somebody", Email: "somebody@example.org"}},
		},
		Problems: func(yield func(store.Dossier, error) bool) {
			for _, d := range all {
				if !yield(d, nil) {
					return
				}
			}
		},
	}, number
}

// empty removes everything that a Restore may have stored. It waits for one that is
// still under way.
func empty(t *testing.T, admin *pgx.Conn) {
	t.Helper()
	execute(t, admin, "BEGIN", "SELECT FROM versions FOR UPDATE",
		"TRUNCATE problems, savepoints, log, comments, keywords, relationships, watchers, reads, priorities, users, tokens, batches",
		"UPDATE versions SET catalogue = 0, access = 0, catalogue_batch = NULL, access_batch = NULL", "COMMIT")
}
