package erasure

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/user"
)

// Worker is one server's part in the erasure of users (D46). Each erasure has a lease: its
// state is a State, and each Change of a problem moves it on. So a killed server leaves
// the rest to the next one. A Worker is for one goroutine.
type Worker struct {
	service *Service
	alone   bool
	memory  *budget.Budget
	me      ident.ID
	watches map[ident.ID]*lease.Watch
	done    map[ident.ID]bool
}

// NewWorker returns a Worker. alone is true when no other server can use the
// store. memory is the budget of large problems; nil: there is any amount.
func (s *Service) NewWorker(alone bool, memory *budget.Budget) *Worker {
	return &Worker{service: s, alone: alone, memory: memory, watches: make(map[ident.ID]*lease.Watch), done: make(map[ident.ID]bool)}
}

// underWay is an erasure with the lease as this server holds it.
type underWay struct {
	user  user.User
	lease lease.Lease
	state State
	since time.Time // of the lease
}

// Work erases a user from the next problems. worked is false when nothing is left that no other
// server does. now is a time by a clock that nobody sets: see lease.Watch.
func (w *Worker) Work(ctx context.Context, now time.Time) (worked bool, err error) {
	e, err := w.next(ctx, now)
	if e == nil || err != nil {
		return false, err
	}
	if w.memory != nil {
		account := w.memory.Open(ctx.Done())
		defer account.Close()
		ctx = budget.With(ctx, account)
	}
	ids, err := w.service.following(ctx, e.state.Through)
	if err != nil {
		return false, err
	}
	if len(ids) == 0 {
		e.state.Done, e.state.Former = true, nil
	}
	for len(ids) > 0 {
		untouched, err := w.pass(ctx, e, ids[:min(len(ids), mostPassed)])
		if err != nil {
			return false, err
		}
		if ids = ids[untouched:]; untouched < mostPassed && len(ids) > 0 {
			if err := w.problem(ctx, e, ids[0]); err != nil {
				return false, err
			}
			ids = ids[1:]
		}
		if w.service.core.Now().Sub(e.since) > lease.Renewal {
			if err := w.save(ctx, e); err != nil {
				return false, err
			}
		}
	}
	return true, w.save(ctx, e)
}

// mostPassed limits the problems of a View, which starts over for the memory of a large one.
const mostPassed = 50

// pass moves the state past problems that the erasure leaves as they are, up to the first one that
// it changes, and returns their number. They need no lock: nobody names the erased user any more.
func (w *Worker) pass(ctx context.Context, e *underWay, ids []problem.ID) (untouched int, err error) {
	s := w.service
	var state State
	var history store.History
	err = s.core.Views.View(ctx, func(r store.Reader) error {
		untouched, state, history = 0, e.state, r.History()
		for _, id := range ids {
			of, err := s.core.As(ident.None).Problem(ctx, r, id, erasureParts)
			if err != nil {
				return err
			}
			found, after := state.in(e.user, &of)
			if !found.untouched() {
				break
			}
			untouched, state = untouched+1, after
		}
		return nil
	})
	if err == nil {
		err = s.core.Store.Confirm(ctx, history)
	}
	if err == nil {
		e.state = state
	}
	return untouched, err
}

// next takes the lease of an erasure that is not done; nil: there is none.
func (w *Worker) next(ctx context.Context, now time.Time) (e *underWay, err error) {
	if w.me.IsNone() {
		m, err := w.service.core.Moment(ctx)
		if err != nil {
			return nil, err
		}
		w.me = m.IDs.Next()
	}
	err = w.service.core.Store.View(ctx, func(r store.Reader) error {
		e = nil
		c, err := w.service.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		for _, u := range erasedUsers(c) {
			if w.done[u.ID] {
				continue
			}
			l, state, err := readErasure(ctx, r, u.ID)
			if err != nil {
				return err
			}
			if w.done[u.ID] = state.Done; state.Done {
				continue
			}
			if w.watches[u.ID] == nil {
				w.watches[u.ID] = new(lease.Watch)
			}
			w.watches[u.ID].See(l, !l.Version.IsNone(), now)
			if e == nil && (w.alone || w.watches[u.ID].Free(l, !l.Version.IsNone(), w.me, now)) {
				e = &underWay{user: u, lease: l, state: state}
			}
		}
		return nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	return e, w.save(ctx, e)
}

// save stores the state.
func (w *Worker) save(ctx context.Context, e *underWay) error {
	m, err := w.service.core.Moment(ctx)
	if err != nil {
		return err
	}
	cb := changes.NewBuilder(m, changes.Author{})
	next := w.renewed(cb, e.lease, e.user, e.state)
	if err := w.service.core.Commit(ctx, cb.Change); err != nil {
		return taken(err)
	}
	e.lease, e.since = next, cb.At
	return nil
}

// renewed adds the next state of the lease to a Change.
func (w *Worker) renewed(cb *changes.Builder, held lease.Lease, of user.User, state State) lease.Lease {
	next := lease.Lease{Name: erasureLease(of.ID), Version: cb.Batch, Holder: w.me, State: state.encode()}
	cb.AddExpect(store.LeaseAt{Name: next.Name, Version: held.Version})
	cb.AddEffect(store.PutLease{Lease: next})
	return next
}

// taken makes a lost lease a fault that passes.
func taken(err error) error {
	if fault.Is(err, fault.Conflict) {
		return fault.Wrap(fault.Unavailable, err, "another server goes on with the erasure")
	}
	return err
}

// problem erases the user from a problem.
func (w *Worker) problem(ctx context.Context, e *underWay, id problem.ID) error {
	s := w.service
	next, err := core.Run(ctx, s.core, core.Command[snapshot.Snapshot, underWay]{
		Locks: []writerlocks.Key{writerlocks.Problem(id)},
		Load: func(ctx context.Context, r store.Reader) (of snapshot.Snapshot, err error) {
			now, _, err := readErasure(ctx, r, e.user.ID)
			if err != nil {
				return of, err
			}
			if now.Version != e.lease.Version {
				return of, fault.New(fault.Unavailable, "another server goes on with the erasure")
			}
			return s.core.As(ident.None).Problem(ctx, r, id, erasureParts)
		},
		Prepare: func(ctx context.Context, of *snapshot.Snapshot) error { return s.core.ReserveRewrite(ctx, of.Size) },
		Decide: func(of snapshot.Snapshot, m changes.Moment) (store.Change, underWay, error) {
			next := *e
			var found erasedProblem
			found, next.state = e.state.in(e.user, &of)
			by := e.state.By
			if by.IsNone() {
				by = e.user.ID
			}
			cb := found.change(by, e.user, &of, m)
			if !cb.Empty() {
				next.lease, next.since = w.renewed(cb, e.lease, e.user, next.state), cb.At
			}
			return cb.Change, next, nil
		},
	})
	if err == nil {
		*e = next
	}
	return err
}
