package conformance

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// peerSaboteurs are stores of which each handle has something for itself that it
// should share. They are sabotaged one by one.
func peerSaboteurs() []saboteur {
	return slices.Concat(peerLockSaboteurs(), peerBatchSaboteurs(), peerOrderSaboteurs(), peerNumberSaboteurs(), peerFeedSaboteurs())
}

// peerLockSaboteurs have versions and locks of their own.
func peerLockSaboteurs() []saboteur {
	return []saboteur{{
		name: "shows what it knew after its own last Commit", caught: "SHARE-001",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				s.stale.Store(nil)
				return receipt, err
			}
			s.reader = func(r *shown) {
				s.stale.CompareAndSwap(nil, s.world())
				r.Reader = s.stale.Load()
			}
		},
	}, {
		name: "counts its own versions", caught: "VER-001/peers",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			var own store.Versions
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				if catalogue, _ := change.Raises(); catalogue {
					own.Catalogue = own.Catalogue.Next(change.Batch)
				}
				return s.Model.Commit(ctx, change)
			}
			s.versions = func(ctx context.Context) (store.Versions, error) {
				mu.Lock()
				defer mu.Unlock()
				v, err := s.Model.Versions(ctx)
				v.Catalogue = own.Catalogue
				return v, err
			}
		},
	}, {
		name: "knows by itself which problems it has written", caught: "COM-004/skew/peers",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			written := make(map[problem.ID]bool)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool {
					at, ok := e.(store.ProblemAt)
					return ok && !written[at.ID] && !updates(change, at.ID)
				})
				receipt, err := s.Model.Commit(ctx, change)
				for _, e := range change.Effects {
					if update, ok := e.(store.UpdateProblem); ok && err == nil {
						written[update.Problem.ID] = true
					}
				}
				return receipt, err
			}
		},
	}, {
		name: "holds a lock that the others do not know", caught: "COM-004/one-problem/peers",
		sabotage: func(s *broken) {
			s.hasty()
			var own sync.Mutex
			commit := s.commit
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				own.Lock()
				defer own.Unlock()
				return commit(ctx, change)
			}
		},
	}, {
		name: "takes a lock that the others hold for a failure", caught: "COM-004/crossed/peers",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if !s.Mu.TryLock() {
					return store.Receipt{}, fault.New(fault.Unavailable, "there was a deadlock")
				}
				for range 10 {
					runtime.Gosched()
				}
				s.Mu.Unlock()
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// peerBatchSaboteurs have batches and rulings of their own.
func peerBatchSaboteurs() []saboteur {
	return []saboteur{{
		name: "knows the outcome of its own batches", caught: "SHARE-001/batches",
		sabotage: func(s *broken) {
			var own sync.Map
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if err == nil {
					own.Store(change.Batch, true)
				}
				return receipt, err
			}
			s.outcome = func(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
				if _, known := own.Load(batch); !known {
					return store.Receipt{}, false, nil
				}
				return s.Model.Outcome(ctx, batch, at)
			}
		},
	}}
}

// peerOrderSaboteurs have an order of their own, or overwrite the work of others.
func peerOrderSaboteurs() []saboteur {
	return []saboteur{{
		name: "counts its own positions", caught: "COM-011/peers",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			var own int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				receipt, err := s.Model.Commit(ctx, change)
				own++
				receipt.Position = own
				return receipt, err
			}
		},
	}, {
		name: "lists its own comments first", caught: "COM-008/between/peers",
		sabotage: func(s *broken) {
			var own sync.Map
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Effects {
					if add, ok := e.(store.AddComment); ok {
						own.Store(add.Comment.ID, true)
					}
				}
				return s.Model.Commit(ctx, change)
			}
			distort(func(s *snapshot.Snapshot) {
				rank := func(c problem.Comment) int {
					if _, mine := own.Load(c.ID); mine {
						return 0
					}
					return 1
				}
				slices.SortStableFunc(s.Comments, func(a, b problem.Comment) int { return rank(a) - rank(b) })
			})(s)
		},
	}, {
		name: "shows the log by identifier", caught: "COM-008/at-once",
		sabotage: func(s *broken) {
			distort(func(s *snapshot.Snapshot) {
				slices.SortFunc(s.Log, func(a, b problem.LogEntry) int { return a.ID.Compare(b.ID) })
			})(s)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				linger() // so that Commits come in another order than their identifiers
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "overwrites what others changed in the catalogue", caught: "COM-004/versions/peers",
		sabotage: alter(func(change *store.Change) {
			change.Expect = slices.DeleteFunc(change.Expect, func(e store.Expectation) bool {
				_, ok := e.(store.CatalogueAt)
				return ok
			})
		}),
	}}
}

// peerNumberSaboteurs have numbers of problems of their own, or an end of their own.
func peerNumberSaboteurs() []saboteur {
	return []saboteur{{
		name: "reserves ten numbers at a time", caught: "SHARE-001/reserve",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			var next, end problem.ID
			s.reserve = func(context.Context) (problem.ID, error) {
				mu.Lock()
				defer mu.Unlock()
				if next == end {
					s.Mu.Lock()
					next, end = s.Reserved, s.Reserved+10
					s.Reserved = end
					s.Mu.Unlock()
				}
				next++
				return next, nil
			}
		},
	}, {
		name: "overwrites the problems of others", caught: "SHARE-001/numbers",
		sabotage: func(s *broken) {
			var own problem.ID
			s.reserve = func(context.Context) (problem.ID, error) {
				s.Mu.Lock()
				defer s.Mu.Unlock()
				for id := range s.Now.AllProblems {
					own = max(own, id)
				}
				own++
				return own, nil
			}
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for range 100 {
					runtime.Gosched()
				}
				receipt, err := s.Model.Commit(ctx, change)
				if fault.Is(err, fault.Conflict) {
					change.Effects[0] = store.UpdateProblem(change.Effects[0].(store.CreateProblem))
					return s.Model.Commit(ctx, change)
				}
				return receipt, err
			}
		},
	}, {
		name: "takes the data along when it closes", caught: "SHARE-001/close",
		sabotage: func(s *broken) {
			s.close = func() error {
				s.Mu.Lock()
				s.Now = model.NewWorld()
				s.Mu.Unlock()
				return s.Model.Close()
			}
		},
	}}
}

// peerFeedSaboteurs have a feed of their own.
func peerFeedSaboteurs() []saboteur {
	return []saboteur{{
		name: "numbers entries by a counter of its own handle", caught: "FEED-001/peers",
		sabotage: func(s *broken) {
			own := int64(0)
			onFeed(func(change store.Change, all []event.Entry) []event.Entry {
				for i, e := range all {
					if e.Batch == change.Batch {
						own++
						all[i].Number = own
					}
				}
				return all
			})(s)
		},
	}, {
		name: "remembers the end of the feed until its own next Commit", caught: "FEED-002/at-once/peers",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			commits, known := 0, false
			var seen []event.Entry
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				mu.Lock()
				defer mu.Unlock()
				commits, known = commits+1, false
				return receipt, err
			}
			s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
				mu.Lock()
				before, fresh := commits, !known
				mu.Unlock()
				all, err := s.Model.Feed(ctx, 1, math.MaxInt, math.MaxInt64)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case fresh && before == commits && err == nil:
					seen, known = all, true
				case known:
					all = seen
				}
				return pageOf(bench.CloneFeed(all), from, limit, budget), err
			}
		},
	}}
}
