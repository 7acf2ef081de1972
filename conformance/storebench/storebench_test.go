package storebench

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// fake is a store that has one problem, which every search finds as often as it is
// asked for. It takes every Archive, and keeps the latest Change.
type fake struct {
	store.Store
	reader
	batches   map[problem.ID]ident.ID // of the restored problems
	committed store.Change
}

type reader struct {
	store.Reader
	snapshot  snapshot.Snapshot
	catalogue *metadata.Catalogue
}

func (f *fake) View(_ context.Context, fn func(store.Reader) error) error { return fn(f.reader) }

func (f *fake) Restore(_ context.Context, archive store.Archive) error {
	f.catalogue = metadata.NewCatalogue(archive.Versions().Catalogue, archive.Metadata)
	f.batches = make(map[problem.ID]ident.ID)
	for d, err := range archive.Problems {
		if err != nil {
			return err
		}
		f.batches[d.ID] = archive.BatchOf(d)
	}
	return nil
}

func (f *fake) Commit(_ context.Context, change store.Change) (store.Receipt, error) {
	f.committed = change
	return store.Receipt{Batch: change.Batch, Position: 1}, nil
}

func (f *fake) Versions(ctx context.Context) (store.Versions, error) { return f.reader.Versions(ctx) }

func (r reader) Versions(context.Context) (store.Versions, error) {
	return store.Versions{Catalogue: r.catalogue.Version}, nil
}

func (r reader) History() store.History { return 0 }

func (r reader) Catalogue(context.Context) (*metadata.Catalogue, error) { return r.catalogue, nil }

func (r reader) Problem(context.Context, problem.ID, ident.ID, snapshot.Parts) (snapshot.Snapshot, error) {
	return r.snapshot, nil
}

func (r reader) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) ([]snapshot.Snapshot, error) {
	all := make([]snapshot.Snapshot, len(ids))
	for i := range all {
		all[i] = r.snapshot
	}
	return all, nil
}

func (r reader) Search(_ context.Context, q store.Query) ([]store.Hit, error) {
	hits := make([]store.Hit, q.Limit)
	for i := range hits {
		hits[i].ID = r.snapshot.ID
	}
	return hits, nil
}

// newFilled returns what Run measures, on a fake.
func newFilled(t *testing.T) (*filled, *fake) {
	t.Helper()
	s := &fake{}
	f, err := fill(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return f, s
}

// The Changes that are measured are those of the tracker, to and fro.
func TestChangesAreTheTrackers(t *testing.T) {
	t.Parallel()
	f, s := newFilled(t)
	w := f.writers[0]
	for range 2 {
		before := w.current
		s.snapshot = snapshot.Snapshot{Problem: before, Batch: w.batch, Size: w.size, Catalogue: f.catalogue.Version, Read: true}
		change, err := w.change()
		if err != nil {
			t.Fatal(err)
		}
		service := tracker.New(tracker.Options{
			Store: s, Now: func() time.Time { return change.At }, Random: bytes.NewReader(make([]byte, 100)), Limits: tracker.DefaultLimits(),
		})
		state := patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(w.current.State.String())})
		caller := tracker.Caller{User: f.user, Scope: access.Write}
		if _, err := service.UpdateProblem(t.Context(), caller, before.ID, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{State: state}}); err != nil {
			t.Fatal(err)
		}
		want := s.committed
		if len(want.Log) != 1 || want.Batch == want.Log[0].ID {
			t.Fatalf("the tracker has committed %+v", want)
		}
		// Only the identifiers are the writer's own.
		want.Batch, want.Log[0].Batch, want.Log[0].ID = change.Batch, change.Batch, change.Log[0].ID
		want.Effects[3].(store.Publish).Event.Lines[0].ID = change.Log[0].ID
		if !reflect.DeepEqual(change, want) {
			t.Errorf("the Change is\n%+v\nthe tracker's is\n%+v", change, want)
		}
	}
}

func TestFirstChangesExpectWhatWasRestored(t *testing.T) {
	t.Parallel()
	f, s := newFilled(t)
	for _, w := range f.writers {
		want := store.ProblemAt{ID: w.current.ID, Revision: w.current.Revision, Batch: s.batches[w.current.ID]}
		change, err := w.change()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(change.Expect, store.Expectation(want)) {
			t.Errorf("a Change expects %+v; want %+v", change.Expect, want)
		}
	}
}

func TestIdentifiersAreNew(t *testing.T) {
	t.Parallel()
	f, _ := newFilled(t)
	seen := make(map[ident.ID]bool)
	for d := range dataset.New(Problems).Archive().Problems {
		for _, entry := range d.Log {
			seen[entry.ID], seen[entry.Batch] = true, true
		}
	}
	for _, w := range f.writers {
		for range 1000 {
			change, err := w.change()
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []ident.ID{change.Batch, change.Log[0].ID} {
				if seen[id] {
					t.Fatalf("the identifier %s was there before", id)
				}
				seen[id] = true
			}
		}
	}
}

func TestWrongAnswersAreErrors(t *testing.T) {
	t.Parallel()
	f, s := newFilled(t)
	id := f.loaded[1]
	right := snapshot.Snapshot{
		Problem:  problem.Problem{ID: id, Fields: problem.Fields{Assignee: f.user}},
		Keywords: make([]problem.Keyword, 2), Log: make([]problem.LogEntry, logged),
	}
	for _, c := range []struct {
		what         string
		edit         func(*snapshot.Snapshot)
		load, search bool // whether it is wrong there
	}{
		{"what is right", func(*snapshot.Snapshot) {}, false, false},
		{"nothing", func(s *snapshot.Snapshot) { *s = snapshot.Snapshot{} }, true, true},
		{"no log", func(s *snapshot.Snapshot) { s.Log = nil }, true, false},
		{"no keywords", func(s *snapshot.Snapshot) { s.Keywords = nil }, true, false},
		{"another problem", func(s *snapshot.Snapshot) { s.ID++ }, true, false},
		{"a resolved problem", func(s *snapshot.Snapshot) { s.Resolved = time.Unix(1, 0) }, false, true},
		{"somebody's problem", func(s *snapshot.Snapshot) { s.Assignee = ident.None }, false, true},
	} {
		s.snapshot = right
		c.edit(&s.snapshot)
		if err := f.load(t.Context(), 0, 1); (err != nil) != c.load {
			t.Errorf("load, %s: %v", c.what, err)
		}
		if err := f.search(t.Context(), 0, 1); (err != nil) != c.search {
			t.Errorf("search, %s: %v", c.what, err)
		}
		if err := f.committed(t.Context()); err == nil {
			t.Errorf("%s is taken for what was committed", c.what)
		}
	}
}
