package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/history"
)

// AsOf names a point in the history of a problem (D36).
type AsOf struct {
	// Revision is a revision of the problem, from 1.
	Revision int64
	// Time, unless zero, counts instead of Revision. It selects the latest revision
	// made at or before this time. A future time selects the current revision.
	Time time.Time
}

// ProblemAsOf returns a problem with the given parts as of an earlier point (D36).
// Referenced objects, other problems included, are in their current state. The watching
// and read marks of the past are unknown. It fails with fault.ProblemNotFound also when
// the problem did not exist yet, or does not have the revision.
func (as Reader) ProblemAsOf(ctx context.Context, id problem.ID, parts snapshot.Parts, at AsOf) (Answer[snapshot.Snapshot], error) {
	var l loaded
	var current int64
	err := as.s.core.Views.View(ctx, func(r store.Reader) (err error) {
		if l, err = as.load(ctx, r, id, parts|snapshot.Log|snapshot.Savepoints); err != nil {
			return err
		}
		current = l.Revision
		if l.Snapshot, err = at.rebuild(l.Snapshot, parts); err != nil {
			return err
		}
		return as.showOthers(ctx, r, l.Relationships)
	})
	if err != nil {
		return Answer[snapshot.Snapshot]{}, err
	}
	a := answer(l.Snapshot, l)
	a.Current = current
	return a, nil
}

// showOthers adds the title and state of the other problems to deleted relationships.
func (as Reader) showOthers(ctx context.Context, r store.Reader, relationships []snapshot.Related) error {
	gone := map[problem.ID][]*snapshot.Related{}
	var ids []problem.ID
	for i := range relationships {
		if related := &relationships[i]; related.OtherState.IsNone() {
			ids = append(ids, related.Other)
			gone[related.Other] = append(gone[related.Other], related)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	others, err := as.reads.Problems(ctx, r, slices.Compact(ids), 0)
	for _, other := range others {
		for _, related := range gone[other.ID] {
			related.OtherTitle, related.OtherState = other.Title, other.State
		}
	}
	return err
}

// rebuild returns the snapshot as of the earlier point, with the given parts. The given
// snapshot needs its log and its savepoints as well.
func (a AsOf) rebuild(now snapshot.Snapshot, parts snapshot.Parts) (snapshot.Snapshot, error) {
	n := a.entries(now.Log)
	switch {
	case n == 0:
		return now, fault.New(fault.ProblemNotFound, "the problem was not there yet: its history begins with revision 1")
	case a.Time.IsZero() && a.Revision > now.Revision:
		return now, fault.New(fault.ProblemNotFound, "the problem has no such revision: the current one is %d", now.Revision)
	}
	return history.At(now, n, parts)
}

// entries returns the number of log entries up to the point: always whole batches. The
// time of a batch can be before the time of an earlier batch that added a watcher (D1).
// So the order of the log decides (D8).
func (a AsOf) entries(log []problem.LogEntry) int {
	for i, e := range slices.Backward(log) {
		if a.Time.IsZero() && e.Revision <= a.Revision || !a.Time.IsZero() && !e.Created.After(a.Time) {
			return i + 1
		}
	}
	return 0
}
