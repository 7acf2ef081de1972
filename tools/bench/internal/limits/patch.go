package limits

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// patcher commits patches of the state of one problem, there and back: the tracker's
// Changes for such patches, brought up to date.
type patcher struct {
	changes [2]store.Change // of the tracker
	states  [2]ident.ID     // the states at the begin of a change
	current problem.Problem
	batch   ident.ID // of the last write
	before  ident.ID // of the write before
	phase   int      // the next one of the two
	// last is the latest Change, and lastPhase its place of the two.
	last      store.Change
	lastPhase int
}

// newPatchers creates problems with differences in their numbers alone, each with a
// patcher.
func newPatchers(ctx context.Context, s store.Store, catalogue *metadata.Catalogue, as ident.ID, n int) ([]*patcher, error) {
	// The clock stands still, so the problems have the same times.
	now := time.Now()
	recorder := &recorder{Store: s}
	service := tracker.New(tracker.Options{Store: recorder, Now: func() time.Time { return now }, Random: rand.Reader, Limits: tracker.DefaultLimits()})
	caller := tracker.Caller{User: as, Scope: access.Admin}
	states, err := thereAndBack(catalogue)
	if err != nil {
		return nil, err
	}
	fields := typical(catalogue, as)
	fields.State = set(states[0])
	patchers := make([]*patcher, n)
	for i := range patchers {
		created, err := service.CreateProblem(ctx, caller, tracker.CreateProblem{ProblemPatch: fields})
		if err != nil {
			return nil, err
		}
		p := &patcher{current: created.Value.Problem, states: states}
		for phase := range p.changes {
			recorder.committed = nil
			patched, err := service.UpdateProblem(ctx, caller, p.current.ID, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{State: set(states[1-phase])}})
			if err != nil {
				return nil, err
			}
			if len(recorder.committed) != 1 {
				return nil, fmt.Errorf("a patch was committed in %d Changes, not in one", len(recorder.committed))
			}
			p.changes[phase], p.current = recorder.committed[0], patched.Value.Problem
			p.batch = recorder.committed[0].Batch
		}
		patchers[i] = p
	}
	return patchers, nil
}

// recorder is a store with a list of its Changes.
type recorder struct {
	store.Store
	committed []store.Change
}

func (r *recorder) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	receipt, err := r.Store.Commit(ctx, change)
	if err == nil {
		r.committed = append(r.committed, change)
	}
	return receipt, err
}

// thereAndBack returns two states with transitions in both directions, the first of them
// initial; both unresolved, if possible.
func thereAndBack(c *metadata.Catalogue) (found [2]ident.ID, err error) {
	best := -1
	for _, a := range c.Content().States {
		for _, next := range a.Next {
			b, _ := c.State(next)
			if !a.Initial || a.Resolved || !slices.Contains(b.Next, a.ID) {
				continue
			}
			rank := 0
			if !b.Resolved {
				rank = 1
			}
			if rank > best {
				best, found = rank, [2]ident.ID{a.ID, b.ID}
			}
		}
	}
	if best < 0 {
		return found, errors.New("the data set needs two states between which a problem can go back and forth, of which one is initial and not resolved")
	}
	return found, nil
}

// typical returns the fields of a problem with a value in each of them, as far as the
// catalogue goes.
func typical(c *metadata.Catalogue, assignee ident.ID) tracker.ProblemPatch {
	content := c.Content()
	fields := tracker.ProblemPatch{Title: patch.Set("The state of this problem is patched by a benchmark"), Assignee: set(assignee)}
	for _, o := range content.Priorities {
		fields.Priority = set(o.ID)
	}
	for _, o := range content.Classifications {
		fields.Classification = set(o.ID)
	}
	for _, o := range content.Components {
		if !o.Closed {
			fields.Component = set(o.ID)
		}
	}
	for _, o := range content.Milestones {
		fields.Milestone = set(o.ID)
	}
	return fields
}

func set(id ident.ID) patch.Field[metadata.Partial] {
	return patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(id.String())})
}

// refresh reads the problem, after somebody else has patched it.
func (p *patcher) refresh(ctx context.Context, s store.Store) error {
	err := s.View(ctx, func(r store.Reader) error {
		snapshot, err := r.Problem(ctx, p.current.ID, ident.None, 0)
		p.current, p.batch = snapshot.Problem, snapshot.Batch
		return err
	})
	p.phase = slices.Index(p.states[:], p.current.State)
	if err == nil && p.phase < 0 {
		err = fmt.Errorf("somebody has put problem %d into a state of his own", p.current.ID)
	}
	return err
}

// patch commits the next Change, at a time not before the latest one.
func (p *patcher) patch(ctx context.Context, s store.Store, at time.Time) error {
	change, after, err := p.next(at)
	if err != nil {
		return err
	}
	if _, err := s.Commit(ctx, change); err != nil {
		return err
	}
	p.before, p.batch = p.batch, change.Batch
	p.current, p.last, p.lastPhase = after, change, p.phase
	p.phase = 1 - p.phase
	return nil
}

// next returns the tracker's Change with new identifiers, times and revisions, and the
// problem after it.
func (p *patcher) next(at time.Time) (change store.Change, after problem.Problem, err error) {
	change = p.changes[p.phase]
	change.At = at.UTC().Truncate(time.Millisecond)
	if change.At.Before(p.current.Modified) {
		change.At = p.current.Modified
	}
	var random [10]byte
	if _, err := rand.Read(random[:]); err != nil {
		return change, after, err
	}
	ids := ident.NewSequence(change.At, random)
	change.Batch = ids.Next()

	change.Expect = slices.Clone(change.Expect)
	for i, expectation := range change.Expect {
		switch e := expectation.(type) {
		case store.ProblemAt:
			e.Revision, e.Batch = p.current.Revision, p.batch
			change.Expect[i] = e
		case store.CatalogueAt:
		default:
			return change, after, fmt.Errorf("the tracker's patch expects what is not known here: %T", e)
		}
	}
	change.Effects = slices.Clone(change.Effects)
	for i, effect := range change.Effects {
		switch e := effect.(type) {
		case store.UpdateProblem:
			e.Problem = p.advanced(e.Problem, change.At)
			change.Effects[i], after = e, e.Problem
		case store.PutSavepoint:
			e.Problem = p.advanced(e.Problem, change.At)
			change.Effects[i] = e
		case store.ForgetReads, store.Publish: // an event needs the log entry: see below
		default:
			return change, after, fmt.Errorf("the tracker's patch does what is not known here: %T", e)
		}
	}
	change.Log = slices.Clone(change.Log)
	if len(change.Log) != 1 || after.ID == 0 {
		return change, after, errors.New("the tracker's patch does not update one problem with one log entry")
	}
	entry := &change.Log[0]
	entry.ID, entry.Batch, entry.Created, entry.Revision = ids.Next(), change.Batch, change.At, after.Revision
	for i, effect := range change.Effects {
		if e, ok := effect.(store.Publish); ok {
			change.Effects[i] = store.Publish{Event: published(e.Event, *entry)}
		}
	}
	return change, after, nil
}

// published returns the event of the tracker's Change with the revision and the identifier
// of the next entry.
func published(e event.Event, entry problem.LogEntry) event.Event {
	e.Revision = entry.Revision
	e.Lines = slices.Clone(e.Lines)
	for i := range e.Lines {
		e.Lines[i].ID = entry.ID
	}
	return e
}

// advanced returns a problem of the tracker's Change as it is after the next one.
func (p *patcher) advanced(q problem.Problem, at time.Time) problem.Problem {
	q.Revision, q.Modified = p.current.Revision+1, at
	if !q.Resolved.IsZero() {
		q.Resolved = at
	}
	return q
}

// values returns the values of the script's variables in the latest patch.
func (p *patcher) values() map[string]string {
	return map[string]string{
		"problem": strconv.FormatInt(int64(p.current.ID), 10),
		"old":     strconv.FormatInt(p.current.Revision-1, 10),
		"new":     strconv.FormatInt(p.current.Revision, 10),
		"at":      strconv.FormatInt(p.last.At.UnixMicro(), 10),
		"batch":   p.last.Batch.String(),
		"before":  p.before.String(),
		"entry":   p.last.Log[0].ID.String(),
	}
}
