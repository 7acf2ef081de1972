package conformance

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// linearSaboteurs are stores that are wrong when several clients use them at once.
func linearSaboteurs() []saboteur {
	return slices.Concat(revisionSaboteurs(), pairSaboteurs(), familySaboteurs(), versionSaboteurs(), handleSaboteurs())
}

// revisionSaboteurs are wrong about one problem of several writers.
func revisionSaboteurs() []saboteur {
	return []saboteur{{
		name: "reads from a replica that is one Change behind", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			s.lag()
			var views atomic.Int64
			s.reader = func(r *shown) {
				if old := s.stale.Load(); old != nil && views.Add(1)%4 == 0 {
					r.Reader = old
				}
			}
		},
	}, {
		name: "checks the revision before it takes the lock", caught: "COM-004/linear",
		sabotage: (*broken).hasty,
	}, {
		name: "takes a Change for one that came in time when it is one revision late", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			alter(func(change *store.Change) {
				for _, e := range change.Expect {
					if at, ok := e.(store.ProblemAt); ok && s.world().AllProblems[at.ID].Revision == at.Revision+1 {
						change.Expect = nil
					}
				}
			})(s)
		},
	}, {
		name: "shows a part of a Change before the rest", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			s.early(func(change *store.Change) {
				change.Log, change.Effects = nil, change.Effects[:min(1, len(change.Effects))]
			})
		},
	}, {
		name: "shows what it refuses until it takes it back", caught: "COM-004/linear",
		sabotage: func(s *broken) { s.early(func(change *store.Change) { change.Expect = nil }) },
	}, {
		name: "refuses what comes while another is under way", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			var busy sync.Mutex
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if !busy.TryLock() {
					return store.Receipt{}, fault.New(fault.Conflict, "another Commit is under way")
				}
				defer busy.Unlock()
				linger()
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "draws the position before it waits for its turn", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			var last atomic.Int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				position := last.Add(1)
				linger()
				receipt, err := s.Model.Commit(ctx, change)
				receipt.Position = position
				return receipt, err
			}
		},
	}, {
		name: "stores what it has ruled out after an unknown outcome", caught: "COM-004/linear",
		sabotage: func(s *broken) {
			var commits atomic.Int64
			var sent sync.Map // by batch
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if commits.Add(1)%5 != 0 {
					return s.Model.Commit(ctx, change)
				}
				sent.Store(change.Batch, change)
				return store.Receipt{}, fault.New(fault.UnknownOutcome, "the connection is gone")
			}
			s.outcome = func(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
				change, ok := sent.Load(batch)
				if !ok {
					return s.Model.Outcome(ctx, batch, at)
				}
				_, err := s.Model.Commit(ctx, change.(store.Change))
				if fault.Is(err, fault.Conflict) {
					err = nil
				}
				return store.Receipt{}, false, err
			}
		},
	}}
}

// pairSaboteurs are wrong about several problems, and about the two sides of a relationship.
func pairSaboteurs() []saboteur {
	return []saboteur{{
		name: "acknowledges what it has yet to apply", caught: "COM-004/linear-several",
		sabotage: func(s *broken) {
			var under sync.WaitGroup
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if len(change.Expect) > 0 || len(change.Log) == 0 {
					return s.Model.Commit(ctx, change)
				}
				under.Go(func() {
					linger()
					_, _ = s.Model.Commit(ctx, change)
				})
				return store.Receipt{Batch: change.Batch, Position: s.world().Position + 1}, nil
			}
			s.close = func() error {
				under.Wait()
				return s.Model.Close()
			}
		},
	}, {
		name: "writes all problems back as it read them, but for its own", caught: "COM-004/linear-several",
		sabotage: func(s *broken) {
			s.commit = func(_ context.Context, change store.Change) (store.Receipt, error) {
				next := s.world().Clone()
				for _, e := range change.Expect {
					if err := next.Expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				if err := next.Run(change); err != nil {
					return store.Receipt{}, err
				}
				runtime.Gosched()
				s.Mu.Lock()
				defer s.Mu.Unlock()
				next.Position = s.Now.Position + 1
				s.Now = next
				return store.Receipt{Batch: change.Batch, Position: next.Position}, nil
			}
		},
	}, {
		name: "stores the mirrors a moment later", caught: "COM-004/linear-pair",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				later := change
				later.Batch[14]++
				later.Expect, later.Effects, later.Log = nil, nil, nil
				whole := change.Effects
				change.Effects = nil
				for _, e := range whole {
					put, puts := e.(store.PutRelationship)
					drop, drops := e.(store.DropRelationship)
					if puts && put.Relationship.Type == relationship.CausedBy || drops && drop.Type == relationship.CausedBy {
						later.Effects = append(later.Effects, e)
					} else {
						change.Effects = append(change.Effects, e)
					}
				}
				receipt, err := s.Model.Commit(ctx, change)
				if err == nil && len(later.Effects) > 0 {
					linger()
					_, _ = s.Model.Commit(ctx, later)
				}
				return receipt, err
			}
		},
	}, {
		name: "shows each problem as it is when it is asked for", caught: "COM-004/linear-pair",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) { r.moment = func() store.Reader { return s.world() } }
		},
	}, {
		name: "shows the other problem's title as it was one Change ago", caught: "COM-004/linear-pair",
		sabotage: func(s *broken) {
			s.lag()
			s.reader = func(r *shown) {
				r.snapshot = func(shown *snapshot.Snapshot) {
					for i, side := range shown.Relationships {
						if old := s.stale.Load(); old != nil {
							shown.Relationships[i].OtherTitle = old.AllProblems[side.Other].Title
						}
					}
				}
			}
		},
	}, {
		name: "checks what the Change does not write before it takes the lock", caught: "COM-004/skew",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				expect := change.Expect
				change.Expect = nil
				for _, e := range expect {
					if at, ok := e.(store.ProblemAt); !ok || updates(change, at.ID) {
						change.Expect = append(change.Expect, e)
					} else if err := s.world().Expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				s.giveWay()
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "locks one problem of the two", caught: "COM-004/linear-pair",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if len(change.Expect) == 2 {
					if err := s.world().Expect(change.Expect[1]); err != nil {
						return store.Receipt{}, err
					}
					s.giveWay()
					change.Expect = change.Expect[:1]
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// familySaboteurs are wrong about the relationships of a family.
func familySaboteurs() []saboteur {
	return []saboteur{{
		name: "checks no expectation of a problem that the Change does not write", caught: "COM-004/linear-family",
		sabotage: alter(func(change *store.Change) {
			expect := change.Expect
			change.Expect = nil
			for _, e := range expect {
				if at, ok := e.(store.ProblemAt); !ok || updates(*change, at.ID) {
					change.Expect = append(change.Expect, e)
				}
			}
		}),
	}, {
		name: "finds neighbours in a cache", caught: "COM-004/linear-family",
		sabotage: func(s *broken) {
			s.lag()
			s.view = s.through(func(r *cached) {
				if old := s.stale.Load(); old != nil {
					r.neighbours = old
				}
			})
		},
	}, {
		name: "finds the neighbours of another store", caught: "COM-004/linear-family",
		sabotage: func(s *broken) {
			strange := model.NewWorld()
			strange.Relationships[model.Link{Owner: 1, Type: relationship.ParentOf, Other: 999}] = relationship.Relationship{Owner: 1, Type: relationship.ParentOf, Other: 999}
			s.view = s.through(func(r *cached) { r.neighbours = strange })
		},
	}, {
		name: "looks along each edge at another moment", caught: "COM-004/linear-family",
		sabotage: func(s *broken) {
			s.view = s.through(func(r *cached) { r.moment = s.world })
		},
	}, {
		name: "raises the revisions after the edge is there", caught: "COM-004/linear-family",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				first := slices.IndexFunc(change.Effects, is[store.UpdateProblem])
				if first < 1 {
					return s.Model.Commit(ctx, change)
				}
				later := change
				later.Batch[14]++
				later.Expect, later.Effects = nil, change.Effects[first:]
				change.Effects = change.Effects[:first]
				receipt, err := s.Model.Commit(ctx, change)
				if err == nil {
					linger()
					_, err = s.Model.Commit(ctx, later)
				}
				return receipt, err
			}
		},
	}}
}

// updates reports whether the Change raises the revision of a problem.
func updates(change store.Change, id problem.ID) bool {
	return slices.ContainsFunc(change.Effects, func(e store.Effect) bool {
		update, ok := e.(store.UpdateProblem)
		return ok && update.Problem.ID == id
	})
}

// versionSaboteurs are wrong about versions and outcomes.
func versionSaboteurs() []saboteur {
	return []saboteur{{
		name: "answers every second question for the Versions from a cache", caught: "VER-001/linear",
		sabotage: func(s *broken) {
			var asked atomic.Int64
			var known atomic.Pointer[store.Versions]
			s.versions = func(ctx context.Context) (store.Versions, error) {
				if v := known.Load(); v != nil && asked.Add(1)%2 == 0 {
					return *v, nil
				}
				v, err := s.Model.Versions(ctx)
				known.Store(&v)
				return v, err
			}
		},
	}, {
		name: "shows the versions of now in a View of before", caught: "VER-001/linear",
		sabotage: func(s *broken) {
			s.view = s.through(func(r *cached) { r.versions = s.world })
		},
	}, {
		name: "raises the version after the content is there", caught: "VER-001/linear",
		sabotage: func(s *broken) {
			s.early(func(change *store.Change) {})
			s.view = s.through(func(r *cached) {
				if early := s.stale.Load(); early != nil {
					r.versions = s.world
					r.Reader = early
				}
			})
		},
	}, {
		name: "looks alone when it is asked for an outcome", caught: "OUT-002/linear",
		sabotage: func(s *broken) {
			s.outcome = func(_ context.Context, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
				s.Mu.Lock()
				defer s.Mu.Unlock()
				known := s.Batches[batch]
				return known.Receipt, known.Stored, nil
			}
		},
	}, {
		name: "looks whether it knows a batch before it takes the lock", caught: "OUT-002/linear",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				s.Mu.Lock()
				_, known := s.Batches[change.Batch]
				s.Mu.Unlock()
				linger()
				if !known {
					s.Mu.Lock()
					delete(s.Batches, change.Batch)
					s.Mu.Unlock()
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "gives a batch that is stored the position of the last Change", caught: "OUT-002/linear",
		sabotage: func(s *broken) {
			s.outcome = func(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
				receipt, stored, err := s.Model.Outcome(ctx, batch, at)
				if stored {
					receipt.Position = s.world().Position
				}
				return receipt, stored, err
			}
		},
	}}
}

// handleSaboteurs are wrong between two handles.
func handleSaboteurs() []saboteur {
	return []saboteur{{
		name: "holds a lock that the others do not know while it changes two problems", caught: "COM-004/linear-pair/peers",
		sabotage: func(s *broken) {
			var own sync.Mutex
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				own.Lock()
				defer own.Unlock()
				for _, e := range change.Expect {
					if err := s.world().Expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				s.giveWay()
				change.Expect = nil
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "remembers neighbours until its own next Commit", caught: "COM-004/linear-family/peers",
		sabotage: func(s *broken) {
			s.remember()
			s.view = s.through(func(r *cached) {
				s.stale.CompareAndSwap(nil, s.world())
				r.neighbours = s.stale.Load()
			})
		},
	}, {
		name: "remembers the Versions until its own next Commit", caught: "VER-001/linear/peers",
		sabotage: func(s *broken) {
			s.remember()
			s.versions = func(ctx context.Context) (store.Versions, error) {
				known := s.stale.Load()
				if known == nil {
					known = s.world()
					s.stale.Store(known)
				}
				return known.Versions(ctx)
			}
		},
	}}
}
