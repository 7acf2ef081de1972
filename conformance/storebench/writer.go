package storebench

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// writer patches the state of one problem, back and forth.
type writer struct {
	author    ident.ID
	catalogue *metadata.Catalogue
	current   problem.Problem
	batch     ident.ID // of the last write
	size      int64    // see snapshot.Snapshot
	ids       ident.Sequence
}

// newWriter returns a writer for a problem read by the user. Writers of different numbers
// make different identifiers.
func newWriter(f *filled, d store.Dossier, batch ident.ID, n byte) *writer {
	// The identifiers of the data set are of other times.
	return &writer{author: f.user, catalogue: f.catalogue, current: d.Problem, batch: batch, size: d.Size(), ids: ident.NewSequence(d.Modified.AddDate(1, 0, 0), [10]byte{3: n})}
}

// commit commits the next patch.
func (w *writer) commit(ctx context.Context, s store.Store) error {
	change, err := w.change()
	if err != nil {
		return err
	}
	receipt, err := s.Commit(ctx, change)
	if err == nil && receipt.Batch != change.Batch {
		err = fmt.Errorf("the receipt is of the batch %s; want %s", receipt.Batch, change.Batch)
	}
	return err
}

// change returns the tracker's Change for a patch to the next state, a second after the
// latest change, and moves the problem.
func (w *writer) change() (store.Change, error) {
	from, ok := w.catalogue.State(w.current.State)
	if !ok || len(from.Next) == 0 {
		return store.Change{}, fmt.Errorf("from the state %s of problem %d there is no way on", w.current.State, w.current.ID)
	}
	to, ok := w.catalogue.State(from.Next[0])
	if !ok {
		return store.Change{}, fmt.Errorf("there is no state %s", from.Next[0])
	}
	old := store.ProblemAt{ID: w.current.ID, Revision: w.current.Revision, Batch: w.batch}
	p := &w.current
	p.State, p.Modifier, p.Modified, p.Revision = to.ID, w.author, p.Modified.Add(time.Second), old.Revision+1
	p.Resolver, p.Resolved = ident.None, time.Time{}
	if to.Resolved {
		p.Resolver, p.Resolved = w.author, p.Modified
	}
	batch := w.ids.Next()
	w.batch = batch
	entry := problem.LogEntry{
		ID: w.ids.Next(), Problem: p.ID, Type: problem.FieldChanged, Created: p.Modified, Author: w.author, Batch: batch,
		Field: "state", From: problem.LogRef(from.ID, from.Name), To: problem.LogRef(to.ID, to.Name), Revision: p.Revision,
	}
	w.size += problem.SavedSize(p.Fields) + entry.Size()
	return store.Change{
		Batch:  batch,
		At:     p.Modified,
		Author: w.author,
		Expect: []store.Expectation{store.CatalogueAt{Version: w.catalogue.Version}, old},
		Effects: []store.Effect{
			store.ForgetReads{Problem: p.ID, But: w.author}, store.PutSavepoint{Problem: *p}, store.UpdateProblem{Problem: *p, Size: w.size},
			store.Publish{Event: event.Event{
				Type: event.ProblemChanged, Problem: p.ID, Title: p.Title, State: p.State, Revision: p.Revision,
				Lines: []event.Line{{ID: entry.ID, Type: string(entry.Type), Field: entry.Field, From: entry.From, To: entry.To}},
			}},
		},
		Log: []problem.LogEntry{entry},
	}, nil
}
