package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Writers is how many write at once.
const Writers = 6

// Going returns an error when the time of the case is used up. Loops until a success ask
// it each time: a store may never succeed, and ignore the end of a context.
func (b *Bench) Going() error {
	if b.Ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("what was done again and again came to no end: %w", context.Cause(b.Ctx))
}

// Step raises the revision of a problem by one and appends the log entry. On a conflict
// it tries again. It returns the revision.
func (b *Bench) Step(id problem.ID) (int64, store.Receipt, error) {
	for {
		if err := b.Going(); err != nil {
			return 0, store.Receipt{}, err
		}
		var s snapshot.Snapshot
		err := b.Store.View(b.Ctx, func(r store.Reader) (err error) {
			s, err = r.Problem(b.Ctx, id, ident.None, 0)
			return err
		})
		if err != nil {
			return 0, store.Receipt{}, fmt.Errorf("View: %w", err)
		}
		next := s.Problem
		next.Revision++
		change := b.Change(store.UpdateProblem{Problem: next})
		change.Expect = []store.Expectation{store.ProblemAt{ID: id, Revision: s.Revision, Batch: s.Batch}}
		entry := b.Entry(id)
		entry.Revision = next.Revision
		change.Log = []problem.LogEntry{entry}
		receipt, err := b.Store.Commit(b.Ctx, change)
		if err == nil {
			return next.Revision, receipt, nil
		}
		if err := Failure("Commit", fault.Conflict, err); err != nil {
			return 0, store.Receipt{}, err
		}
	}
}

// Toggle relates two problems, or parts them when they are related, as often as
// it takes until nobody comes between.
func (b *Bench) Toggle(one, other problem.ID) error {
	for {
		if err := b.Going(); err != nil {
			return err
		}
		var s, t snapshot.Snapshot
		err := b.Store.View(b.Ctx, func(r store.Reader) (err error) {
			if s, err = r.Problem(b.Ctx, one, ident.None, snapshot.Relationships); err != nil {
				return err
			}
			t, err = r.Problem(b.Ctx, other, ident.None, snapshot.Relationships)
			return err
		})
		if err != nil {
			return fmt.Errorf("View: %w", err)
		}
		effects := b.Pair(one, relationship.CauseOf, other)
		if slices.ContainsFunc(s.Relationships, func(r snapshot.Related) bool { return r.Type == relationship.CauseOf && r.Other == other }) {
			effects = []store.Effect{
				store.DropRelationship{Owner: one, Type: relationship.CauseOf, Other: other},
				store.DropRelationship{Owner: other, Type: relationship.CausedBy, Other: one},
			}
		}
		s.Revision++
		t.Revision++
		change := b.Change(append(effects, store.UpdateProblem{Problem: s.Problem}, store.UpdateProblem{Problem: t.Problem})...)
		change.Expect = []store.Expectation{
			store.ProblemAt{ID: one, Revision: s.Revision - 1, Batch: s.Batch},
			store.ProblemAt{ID: other, Revision: t.Revision - 1, Batch: t.Batch},
		}
		_, err = b.Store.Commit(b.Ctx, change)
		if err == nil {
			return nil
		}
		if err := Failure("Commit", fault.Conflict, err); err != nil {
			return err
		}
	}
}

// Whole returns an error when a relationship of one of the problems lacks its mirror, by
// either way of reading.
func (b *Bench) Whole(ids []problem.ID) error {
	return b.Store.View(b.Ctx, func(r store.Reader) error {
		sides := make(map[relationship.Relationship]bool)
		for _, id := range ids {
			s, err := r.Problem(b.Ctx, id, ident.None, snapshot.Relationships)
			if err != nil {
				return fmt.Errorf("Problem: %w", err)
			}
			for _, related := range s.Relationships {
				sides[related.Relationship] = true
			}
		}
		count := 0
		for _, t := range relationship.Types() {
			neighbours, err := r.Neighbours(b.Ctx, t, ids)
			if err != nil {
				return fmt.Errorf("Neighbours: %w", err)
			}
			count += len(neighbours)
		}
		if count != len(sides) {
			return fmt.Errorf("Neighbours shows %d relationships where Problem shows %d", count, len(sides))
		}
		for _, side := range slices.SortedFunc(maps.Keys(sides), CompareSides) {
			if !sides[side.Mirror()] {
				return fmt.Errorf("problem %d is %s problem %d, but the mirror is missing", side.Owner, side.Type, side.Other)
			}
		}
		return nil
	})
}

// Race commits one Change of each writer at once, and returns the writers with stored
// Changes. The others have to be refused with Conflict.
func (b *Bench) Race(change func(writer int) store.Change) (won []int) {
	b.Helper()
	changes := make([]store.Change, Writers)
	for i := range changes {
		changes[i] = change(i)
		b.Seen.Add(changes[i])
	}
	stored := make([]bool, Writers)
	b.Together(Writers, func(i int) error {
		_, err := b.Store.Commit(b.Ctx, changes[i])
		if stored[i] = err == nil; stored[i] {
			return nil
		}
		return Failure("a Commit that lost", fault.Conflict, err)
	})
	for i, ok := range stored {
		if ok {
			won = append(won, i)
		}
	}
	return won
}
