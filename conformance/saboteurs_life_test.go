package conformance

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/cases/handles"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// lifeSaboteurs are stores with a defect in Versions, Reserve, Confirm or Close.
func lifeSaboteurs() []saboteur {
	return slices.Concat(reserveSaboteurs(), confirmSaboteurs(), closeSaboteurs())
}

// reserveSaboteurs have a defect in Versions or Reserve.
func reserveSaboteurs() []saboteur {
	return []saboteur{{
		name: "counts every effect on metadata", caught: "VER-002/many",
		sabotage: func(s *broken) {
			s.versions = func(ctx context.Context) (store.Versions, error) {
				v, err := s.Model.Versions(ctx)
				w := s.world()
				v.Catalogue.Number = int64(len(w.States) + len(w.Priorities) + len(w.Users))
				return v, err
			}
		},
	}, {
		name: "asks for the versions once", caught: "VER-001",
		sabotage: func(s *broken) {
			s.versions = func(context.Context) (store.Versions, error) { return store.Versions{}, nil }
		},
	}, {
		name: "reserves a number twice", caught: "ID-001",
		sabotage: func(s *broken) {
			s.reserve = func(ctx context.Context) (problem.ID, error) {
				id, err := s.Model.Reserve(ctx)
				return max(1, id/2*2), err
			}
		},
	}, {
		name: "reserves without a lock", caught: "ID-001/at-once",
		sabotage: func(s *broken) {
			s.reserve = func(context.Context) (problem.ID, error) {
				highest := problem.ID(0)
				for id := range s.world().AllProblems {
					highest = max(highest, id)
				}
				for range 100 {
					runtime.Gosched()
				}
				return highest + 1, nil
			}
		},
	}, {
		name: "reserves from the top of what is free", caught: "ID-001/at-once",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			var free []problem.ID
			var end problem.ID
			s.reserve = func(context.Context) (problem.ID, error) {
				mu.Lock()
				defer mu.Unlock()
				highest := problem.ID(0)
				for id := range s.world().AllProblems {
					highest = max(highest, id)
				}
				if len(free) == 0 || free[len(free)-1] <= highest {
					free = []problem.ID{end + 1, end + 2, end + 3, end + 4}
					end += 4
				}
				id := free[len(free)-1]
				free = free[:len(free)-1]
				return id, nil
			}
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				linger()
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// confirmSaboteurs have a defect in Confirm.
func confirmSaboteurs() []saboteur {
	return []saboteur{{
		name: "never confirms", caught: "CONF-001",
		sabotage: func(s *broken) {
			s.confirm = func(context.Context) error { return fault.New(fault.Unavailable, "no replica answers") }
		},
	}, {
		name: "confirms only what it has written itself", caught: "CONF-001/peers",
		sabotage: func(s *broken) {
			var own atomic.Int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				handles.Raise(&own, receipt.Position)
				return receipt, err
			}
			s.confirm = func(context.Context) error {
				if s.world().Position > own.Load() {
					return fault.New(fault.Unavailable, "another handle has written this")
				}
				return nil
			}
		},
	}, {
		name: "confirms after those who read", caught: "CONF-001/within",
		sabotage: func(s *broken) {
			var reading sync.RWMutex
			s.view = func(ctx context.Context, fn func(store.Reader) error) error {
				reading.RLock()
				defer reading.RUnlock()
				return s.Model.View(ctx, fn)
			}
			s.confirm = func(ctx context.Context) error {
				if !reading.TryLock() {
					return fault.New(fault.Unavailable, "somebody reads")
				}
				reading.Unlock()
				return s.Model.Confirm(ctx, 0)
			}
		},
	}, {
		name: "takes another's work for a failure to confirm", caught: "CONF-001/at-once",
		sabotage: func(s *broken) {
			var writing sync.Mutex
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				writing.Lock()
				defer writing.Unlock()
				linger()
				return s.Model.Commit(ctx, change)
			}
			s.confirm = func(ctx context.Context) error {
				if !writing.TryLock() {
					return fault.New(fault.Unavailable, "somebody writes")
				}
				writing.Unlock()
				return s.Model.Confirm(ctx, 0)
			}
		},
	}, {
		name: "confirms though the context is over", caught: "CONF-003",
		sabotage: func(s *broken) {
			s.confirm = func(ctx context.Context) error { return s.Model.Confirm(context.WithoutCancel(ctx), 0) }
		},
	}}
}

// closeSaboteurs have a defect in Close.
func closeSaboteurs() []saboteur {
	return []saboteur{{
		name: "goes on while it closes", caught: "CLOSE-001/under-way",
		sabotage: func(s *broken) { s.close = func() error { return nil } },
	}, {
		name: "fails to close twice", caught: "CLOSE-002",
		sabotage: func(s *broken) {
			s.close = func() error {
				if _, err := s.Model.Versions(context.Background()); err != nil {
					return err
				}
				return s.Model.Close()
			}
		},
	}}
}
