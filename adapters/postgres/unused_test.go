package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Of a change that moves a problem into a state and one that needs the state to be
// unused, both decided by the same catalogue, only one can happen.
func TestStateUnusedAmongOthers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)
	ids := ident.NewSequence(at, [10]byte{})
	s, err := postgres.Open(t.Context(), postgres.Options{URL: postgrestest.Schema(t), AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	commit := func(change store.Change) error {
		_, err := s.Commit(t.Context(), change)
		return err
	}
	used := metadata.State{ID: ids.Next(), Name: "Some"}
	other := metadata.State{ID: ids.Next(), Name: "Other"}
	p := problem.Problem{ID: 1, Fields: problem.Fields{Title: "A", State: other.ID}, Created: at, Modified: at, Revision: 1}
	if err := commit(store.Change{Batch: ids.Next(), At: at, Effects: []store.Effect{store.PutState{State: used}, store.PutState{State: other}, store.CreateProblem{Problem: p}}}); err != nil {
		t.Fatal(err)
	}
	for round := range 30 {
		var catalogue ident.Version
		var now snapshot.Snapshot
		err := s.View(t.Context(), func(r store.Reader) error {
			v, err := r.Versions(t.Context())
			if err != nil {
				return err
			}
			catalogue = v.Catalogue
			now, err = r.Problem(t.Context(), 1, ident.None, 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		move := store.Change{Batch: ids.Next(), At: at, Expect: []store.Expectation{store.CatalogueAt{Version: catalogue}, store.ProblemAt{ID: 1, Revision: p.Revision, Batch: now.Batch}}}
		p.State, p.Revision = used.ID, p.Revision+1
		move.Effects = []store.Effect{store.UpdateProblem{Problem: p}}
		used.Name = fmt.Sprint("Some ", round)
		change := store.Change{Batch: ids.Next(), At: at, Expect: []store.Expectation{store.CatalogueAt{Version: catalogue}, store.StateUnused{State: used.ID}},
			Effects: []store.Effect{store.PutState{State: used}}}
		var moved, changed error
		var both sync.WaitGroup
		both.Go(func() { moved = commit(move) })
		both.Go(func() { changed = commit(change) })
		both.Wait()
		if (moved == nil) == (changed == nil) {
			t.Fatalf("round %d: moving: %v; changing: %v", round, moved, changed)
		}
		for _, err := range []error{moved, changed} {
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if moved != nil {
			p.Revision--
			continue
		}
		if err := commit(store.Change{Batch: ids.Next(), At: at, Expect: []store.Expectation{store.StateUnused{State: used.ID}}, Effects: []store.Effect{store.Watch{Problem: 1, User: ids.Next()}}}); !fault.Is(err, fault.Conflict) {
			t.Fatalf("the state is used: %v", err)
		}
		p.State, p.Revision = other.ID, p.Revision+1
		if err := commit(store.Change{Batch: ids.Next(), At: at, Effects: []store.Effect{store.UpdateProblem{Problem: p}}}); err != nil {
			t.Fatal(err)
		}
	}
}
