package limits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// newTestPort opens a database with a few problems that have the log entries to be
// loaded.
func newTestPort(t testing.TB, clients int) *StorePort {
	t.Helper()
	ctx := t.Context()
	url := postgrestest.Database(t)
	s, err := postgres.Open(ctx, postgres.Options{URL: url, AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	service := newService(s)
	if _, err := service.Seed(ctx, access.NewSecret([32]byte{1})); err != nil {
		t.Fatal(err)
	}
	caller := tracker.Caller{User: onlyUser(t, s), Scope: access.Admin}
	for n := range 3 {
		title := patch.Set(fmt.Sprintf("Problem %d", n))
		created, err := service.CreateProblem(ctx, caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: title}})
		if err != nil {
			t.Fatal(err)
		}
		for k := range logged - 1 { // the first entry is of the creation
			set := tracker.SetKeyword{Name: fmt.Sprintf("keyword %d", k), Value: problem.Text("value")}
			if _, err := service.SetKeyword(ctx, caller, created.Value.ID, set); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := OpenPort(ctx, url, clients)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func onlyUser(t testing.TB, s store.Store) ident.ID {
	t.Helper()
	var catalogue *metadata.Catalogue
	err := s.View(t.Context(), func(r store.Reader) (err error) {
		catalogue, err = r.Catalogue(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.Content().Users[0].ID
}

// TestStorePort shows that the adapter and pgbench can take turns: that what either of
// them commits is stored, their own checks see to.
func TestStorePort(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 3)
	for range 2 {
		for _, turn := range []struct {
			name string
			run  func(context.Context, time.Duration) (float64, error)
		}{
			{"reads", p.Reads}, {"reads by pgbench", p.PgbenchReads},
			{"commits", p.Commits}, {"commits without events", p.SilentCommits}, {"commits by pgbench", p.PgbenchCommits},
		} {
			perSecond, err := turn.run(t.Context(), 100*time.Millisecond)
			if err != nil || perSecond <= 0 {
				t.Errorf("%s: %v per second, %v", turn.name, perSecond, err)
			}
		}
	}
}

// TestStorePortBesideHousekeeping shows that a batch of the server on the same database is
// not taken for a patch. The server begins its housekeeping a minute after its start.
func TestStorePortBesideHousekeeping(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 1)
	w := p.patched[0]
	if err := p.stored(t.Context(), func() (int64, error) {
		return 1, errors.Join(p.service.Housekeep(t.Context()), w.patch(t.Context(), p.store, time.Now()))
	}); err != nil {
		t.Error(err)
	}
	if err := p.stored(t.Context(), func() (int64, error) {
		return 2, w.patch(t.Context(), p.store, time.Now())
	}); err == nil {
		t.Error("a lost patch is not noticed")
	}
}

// TestPatchIsTheTrackers shows that the store holds, after a patch of the benchmark and
// after one by pgbench, what it holds after the tracker's.
func TestPatchIsTheTrackers(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 2)
	w := p.patched[0]
	before := dossier(t, p, w.current.ID)
	if err := w.patch(t.Context(), p.store, time.Now()); err != nil {
		t.Fatal(err)
	}
	after := dossier(t, p, w.current.ID)
	checkPatched(t, before, after)
	if _, err := p.PgbenchCommits(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	last := dossier(t, p, w.current.ID)
	checkPublished(t, p, last)
	n := len(after.Log)
	if len(last.Log) <= n || len(last.Savepoints) != len(last.Log) {
		t.Fatalf("pgbench has left %d log entries and %d savepoints, where there were %d", len(last.Log), len(last.Savepoints), n)
	}
	seen := make(map[ident.ID]bool)
	for i, entry := range last.Log {
		if entry.Revision != int64(i)+1 || last.Savepoints[i].Revision != entry.Revision || last.Savepoints[i].Batch != entry.Batch {
			t.Fatalf("entry %d is of revision %d and batch %v, and the savepoint of %d and %v", i, entry.Revision, entry.Batch, last.Savepoints[i].Revision, last.Savepoints[i].Batch)
		}
		if seen[entry.ID] || seen[entry.Batch] {
			t.Fatalf("entry %d has an identifier that was there before: %+v", i, entry)
		}
		seen[entry.ID], seen[entry.Batch] = true, true
		if i < 2 {
			continue
		}
		earlier := last.Log[i-1]
		if entry.From != earlier.To || entry.To != earlier.From || !entry.Created.After(earlier.Created) && i >= n+1 {
			t.Fatalf("entry %d does not go on from the one before:\n%+v\n%+v", i, earlier, entry)
		}
	}
	if last.Revision != int64(len(last.Log)) || last.State != last.Savepoints[len(last.Savepoints)-1].State || last.Title != before.Title {
		t.Errorf("the problem is %+v after %d entries", last.Problem, len(last.Log))
	}
}

// checkPublished checks that the newest event in the feed is that of the newest log entry
// of a problem.
func checkPublished(t *testing.T, p *StorePort, after store.Dossier) {
	t.Helper()
	entries, err := p.store.Feed(t.Context(), 1, 1_000_000, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	logged := after.Log[len(after.Log)-1]
	for _, entry := range slices.Backward(entries) {
		e := entry.Events[0]
		if e.Problem != after.ID {
			continue
		}
		want := event.Line{ID: logged.ID, Type: string(logged.Type), Field: logged.Field, From: logged.From, To: logged.To}
		if entry.Batch != logged.Batch || !entry.At.Equal(logged.Created) || e.Revision != logged.Revision || len(e.Lines) != 1 || e.Lines[0] != want {
			t.Errorf("the newest event is %+v; want one of\n%+v", entry, logged)
		}
		return
	}
	t.Error("the patch has no event")
}

// checkPatched checks what a patch of the state has changed.
func checkPatched(t *testing.T, before, after store.Dossier) {
	t.Helper()
	if after.Revision != before.Revision+1 || after.State == before.State || !after.Modified.After(before.Modified) {
		t.Errorf("the patch made %+v of %+v", after.Problem, before.Problem)
	}
	if len(after.Log) != len(before.Log)+1 || len(after.Savepoints) != len(before.Savepoints)+1 {
		t.Fatalf("the patch left %d log entries and %d savepoints", len(after.Log), len(after.Savepoints))
	}
	entry := after.Log[len(after.Log)-1]
	if entry.Type != problem.FieldChanged || entry.Field != "state" || entry.Revision != after.Revision || entry.Author != after.Modifier {
		t.Errorf("the patch was logged as %+v", entry)
	}
	if saved := after.Savepoints[len(after.Savepoints)-1]; saved.Problem != after.Problem || saved.Batch != entry.Batch {
		t.Errorf("the savepoint is %+v; want %+v", saved, after.Problem)
	}
}

func dossier(t *testing.T, p *StorePort, id problem.ID) store.Dossier {
	t.Helper()
	var found []store.Dossier
	err := p.store.View(t.Context(), func(r store.Reader) (err error) {
		found, err = r.Dossiers(t.Context(), id-1, 1)
		return err
	})
	if err != nil || len(found) != 1 || found[0].ID != id {
		t.Fatalf("problem %d: %+v, %v", id, found, err)
	}
	return found[0]
}

// BenchmarkStorePort is for profiles of the adapter: 8 clients, with the log entries
// that the benchmark has.
func BenchmarkStorePort(b *testing.B) {
	const clients = 8
	for _, bench := range []struct {
		name string
		run  func(*StorePort) func(client int) error
	}{
		{"read", func(p *StorePort) func(int) error {
			return func(client int) error { return p.read(b.Context(), p.service, p.loaded[client%len(p.loaded)]) }
		}},
		{"commit", func(p *StorePort) func(int) error {
			return func(client int) error { return p.patched[client].patch(b.Context(), p.store, time.Now()) }
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := newTestPort(b, clients)
			do := bench.run(p)
			b.ResetTimer()
			if err := p.times(int64(b.N), do); err != nil {
				b.Fatal(err)
			}
		})
	}
}
