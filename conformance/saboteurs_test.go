package conformance

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// saboteurs are stores with one defect each, which the named case has to catch.
func saboteurs() []saboteur {
	return []saboteur{{
		name: "commits each effect by itself", caught: "COM-001/refused-effect",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (receipt store.Receipt, err error) {
				whole := change
				for i, effect := range whole.Effects {
					change.Batch[15], change.Batch[14] = byte(i), change.Batch[15]
					change.Effects, change.Log = []store.Effect{effect}, nil
					if receipt, err = s.model.Commit(ctx, change); err != nil {
						return receipt, err
					}
				}
				whole.Effects, whole.Expect = nil, nil
				return s.model.Commit(ctx, whole)
			}
		},
	}, {
		name: "raises the version for a Change that it refuses", caught: "COM-001/refused-effect",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.model.Commit(ctx, change)
				if fault.Is(err, fault.Conflict) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.now = s.now.clone()
					s.now.versions.Catalogue++
				}
				return receipt, err
			}
		},
	}, {
		name: "ignores expectations", caught: "COM-002/problem-at",
		sabotage: alter(func(change *store.Change) { change.Expect = nil }),
	}, {
		name: "checks the first expectation alone", caught: "COM-002/all-expectations",
		sabotage: alter(func(change *store.Change) { change.Expect = change.Expect[:min(1, len(change.Expect))] }),
	}, {
		name: "knows no missing problem as stale", caught: "COM-002/problem-at",
		sabotage: alter(func(change *store.Change) {
			change.Expect = slices.DeleteFunc(change.Expect, func(e store.Expectation) bool {
				at, ok := e.(store.ProblemAt)
				return ok && at.Revision == 0
			})
		}),
	}, {
		name: "takes a key at Since for expired", caught: "COM-002/key-unused",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Expect {
				if unused, ok := e.(store.KeyUnused); ok {
					unused.Since = unused.Since.Add(time.Millisecond)
					change.Expect[i] = unused
				}
			}
		}),
	}, {
		name: "takes a store without problems for empty", caught: "COM-002/store-not-empty/token",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if slices.Contains(change.Expect, store.Expectation(store.StoreEmpty{})) && len(s.world().problems) == 0 {
					change.Expect = nil
				}
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "takes a store with a past for one that is not empty", caught: "COM-002/store-empty",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if slices.Contains(change.Expect, store.Expectation(store.StoreEmpty{})) && s.world().position > 0 {
					return store.Receipt{}, fault.New(fault.Conflict, "the store is not empty")
				}
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "overwrites problems", caught: "COM-002/number-taken",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for i, e := range change.Effects {
					if created, ok := e.(store.CreateProblem); ok && s.world().problems[created.Problem.ID].ID != 0 {
						change.Effects[i] = store.UpdateProblem(created)
					}
				}
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "checks expectations before it has the lock", caught: "COM-004/one-problem",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Expect {
					if err := s.world().expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				for range 100 {
					runtime.Gosched()
				}
				change.Expect = nil
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "shows half pairs", caught: "COM-004/pairs",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.model.Commit(ctx, change)
				for _, e := range change.Effects {
					if put, ok := e.(store.PutRelationship); ok && err == nil && put.Relationship.Type == relationship.CausedBy {
						r := put.Relationship
						drop := store.DropRelationship{Owner: r.Owner, Type: r.Type, Other: r.Other}
						_, _ = s.model.Commit(ctx, store.Change{Batch: ident.ID{1, byte(receipt.Position)}, Effects: []store.Effect{drop}})
					}
				}
				return receipt, err
			}
		},
	}, {
		name: "applies a repeated batch again", caught: "COM-005",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				s.mu.Lock()
				delete(s.batches, change.Batch)
				s.mu.Unlock()
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "refuses a repeated batch", caught: "COM-005/stale",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Expect {
					if err := s.world().expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				return s.model.Commit(ctx, change)
			}
		},
	}, {
		name: "only looks for the outcome", caught: "COM-006",
		sabotage: func(s *broken) {
			s.outcome = func(_ context.Context, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.batches[batch].receipt, s.batches[batch].stored, nil
			}
		},
	}, {
		name: "knows no outcome", caught: "OUT-001",
		sabotage: func(s *broken) {
			s.outcome = func(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
				return store.Receipt{}, false, nil
			}
		},
	}, {
		name: "skips unknown effects", caught: "COM-007/effect",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(change.Effects, func(e store.Effect) bool {
				return e == nil || !strings.HasPrefix(fmt.Sprintf("%T", e), "store.")
			})
		}),
	}, {
		name: "sorts comments by identifier", caught: "COM-008/between",
		sabotage: distort(func(s *store.Snapshot) {
			slices.SortFunc(s.Comments, func(a, b problem.Comment) int { return a.ID.Compare(b.ID) })
		}),
	}, {
		name: "sorts the log by time", caught: "COM-008/within",
		sabotage: distort(func(s *store.Snapshot) {
			slices.SortStableFunc(s.Log, func(a, b problem.LogEntry) int { return a.Created.Compare(b.Created) })
		}),
	}, {
		name: "sorts savepoints by revision", caught: "COM-008/between",
		sabotage: distort(func(s *store.Snapshot) {
			slices.SortStableFunc(s.Savepoints, func(a, b store.Savepoint) int { return cmp.Compare(a.Revision, b.Revision) })
		}),
	}, {
		name: "commits though the context is over", caught: "COM-009",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				return s.model.Commit(context.WithoutCancel(ctx), change)
			}
		},
	}, {
		name: "reports the end of the context after the fact", caught: "COM-010",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.model.Commit(context.WithoutCancel(ctx), change)
				runtime.Gosched()
				if ctx.Err() != nil {
					err = fault.New(fault.Unavailable, "the context is over")
				}
				return receipt, err
			}
		},
	}, {
		name: "counts positions modulo 8", caught: "COM-011",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.model.Commit(ctx, change)
				receipt.Position = receipt.Position%8 + 1
				return receipt, err
			}
		},
	}, {
		name: "takes its position before it is its turn", caught: "COM-011/at-once",
		sabotage: func(s *broken) {
			var taken atomic.Int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				position := taken.Add(1)
				for range 100 {
					runtime.Gosched()
				}
				receipt, err := s.model.Commit(ctx, change)
				receipt.Position = position
				return receipt, err
			}
		},
	}, {
		name: "counts the positions of each problem apart", caught: "COM-011/at-once",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			count := make(map[problem.ID]int64)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				receipt, err := s.model.Commit(ctx, change)
				for _, e := range change.Effects {
					if add, ok := e.(store.AddComment); ok {
						count[add.Problem]++
						receipt.Position = count[add.Problem]*1000 + int64(add.Problem)
					}
				}
				return receipt, err
			}
		},
	}, {
		name: "shows what was current a Commit ago", caught: "VIEW-001",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				s.stale.Store(s.world())
				return s.model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				if old := s.stale.Load(); old != nil {
					r.Reader = old
				}
			}
		},
	}, {
		name: "shows each read its own moment", caught: "VIEW-002",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) { r.moment = func() store.Reader { return s.world() } }
		},
	}, {
		name: "wraps the error of a View", caught: "VIEW-003",
		sabotage: func(s *broken) {
			s.view = func(ctx context.Context, fn func(store.Reader) error) error {
				if err := s.model.View(ctx, fn); err != nil {
					return fmt.Errorf("view: %w", err)
				}
				return nil
			}
		},
	}, {
		name: "reads on when the context is over", caught: "VIEW-004/within",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) { r.deaf = true }
		},
	}, {
		name: "returns bare context errors", caught: "ERR-001/cancelled",
		sabotage: func(s *broken) {
			s.view = func(ctx context.Context, fn func(store.Reader) error) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return s.model.View(ctx, fn)
			}
		},
	}, {
		name: "trims text", caught: "READ-001/text",
		sabotage: distort(func(s *store.Snapshot) { s.Title = strings.TrimSpace(s.Title) }),
	}, {
		name: "takes the end of a line for another", caught: "READ-001/text",
		sabotage: distort(func(s *store.Snapshot) {
			for i := range s.Comments {
				s.Comments[i].Text = strings.ReplaceAll(s.Comments[i].Text, "\r\n", "\n")
			}
		}),
	}, {
		name: "cuts long titles", caught: "READ-001/long-text",
		sabotage: distort(func(s *store.Snapshot) { s.Title = s.Title[:min(len(s.Title), 1020)] }),
	}, {
		name: "compares keyword names without case", caught: "READ-001/names-apart",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if put, ok := e.(store.PutKeyword); ok {
					put.Keyword.Name = strings.ToLower(put.Keyword.Name)
					change.Effects[i] = put
				}
			}
		}),
	}, {
		name: "takes an empty value for null", caught: "READ-001/put-keyword",
		sabotage: distort(func(s *store.Snapshot) {
			for i := range s.Keywords {
				s.Keywords[i].Value.Valid = s.Keywords[i].Value.String != ""
			}
		}),
	}, {
		name: "cuts times to seconds", caught: "READ-001/times",
		sabotage: distort(func(s *store.Snapshot) { s.Modified = s.Modified.Truncate(time.Second) }),
	}, {
		name: "shows times in another zone", caught: "READ-001/times",
		sabotage: distort(func(s *store.Snapshot) { s.Created = s.Created.In(time.FixedZone("there", 3600)) }),
	}, {
		name: "loses the log", caught: "READ-001/log",
		sabotage: alter(func(change *store.Change) { change.Log = nil }),
	}, {
		name: "makes mirrors of its own", caught: "READ-001/relationship",
		sabotage: alter(func(change *store.Change) {
			for _, e := range change.Effects {
				if put, ok := e.(store.PutRelationship); ok && len(change.Effects) == 1 {
					change.Effects = append(change.Effects, store.PutRelationship{Relationship: put.Relationship.Mirror()})
				}
			}
		}),
	}, {
		name: "forgets all reads", caught: "READ-001/forget-reads",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if forget, ok := e.(store.ForgetReads); ok {
					change.Effects[i] = store.ForgetReads{Problem: forget.Problem}
				}
			}
		}),
	}, {
		name: "forgets what is as old as Before", caught: "READ-001/expire",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if expire, ok := e.(store.Expire); ok {
					change.Effects[i] = store.Expire{Before: expire.Before.Add(time.Millisecond)}
				}
			}
		}),
	}, {
		name: "loads all parts", caught: "READ-001/parts",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.parts = everything } },
	}, {
		name: "shows a problem that is not there", caught: "READ-002",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.never = true } },
	}, {
		name: "sorts keywords backwards", caught: "READ-003",
		sabotage: distort(func(s *store.Snapshot) { slices.Reverse(s.Keywords) }),
	}, {
		name: "sorts relationships by problem", caught: "READ-004",
		sabotage: distort(func(s *store.Snapshot) {
			slices.SortFunc(s.Relationships, func(a, b store.Related) int { return cmp.Compare(a.Other, b.Other) })
		}),
	}, {
		name: "keeps the first title of the other problem", caught: "READ-005",
		sabotage: distort(func(s *store.Snapshot) {
			for i := range s.Relationships {
				s.Relationships[i].OtherTitle = strings.TrimRight(s.Relationships[i].OtherTitle, "!")
			}
		}),
	}, {
		name: "returns neighbours once for each time they are asked for", caught: "READ-006",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.twice = true } },
	}, {
		name: "sorts tokens by identifier", caught: "READ-009",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.tokens = func(all []access.Token) {
					slices.SortFunc(all, func(a, b access.Token) int { return a.ID.Compare(b.ID) })
				}
			}
		},
	}, {
		name: "takes the last Commit's time for that of the oldest", caught: "READ-013",
		sabotage: func(s *broken) {
			var last atomic.Pointer[time.Time]
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				last.Store(&change.At)
				return s.model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.oldest = func(time.Time) time.Time { return *last.Load() }
			}
		},
	}, {
		name: "remembers when a reply was first kept", caught: "READ-013/replaced",
		sabotage: func(s *broken) {
			var first atomic.Pointer[time.Time]
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Effects {
					if keep, ok := e.(store.KeepReply); ok {
						first.CompareAndSwap(nil, &keep.Reply.Created)
					}
				}
				return s.model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.oldest = func(time.Time) time.Time { return *first.Load() }
			}
		},
	}, {
		name: "counts every effect on metadata", caught: "VER-002/many",
		sabotage: func(s *broken) {
			s.versions = func(ctx context.Context) (store.Versions, error) {
				v, err := s.model.Versions(ctx)
				w := s.world()
				v.Catalogue = int64(len(w.states) + len(w.priorities) + len(w.users))
				return v, err
			}
		},
	}, {
		name: "asks for the versions once", caught: "VER-001",
		sabotage: func(s *broken) {
			s.versions = func(context.Context) (store.Versions, error) { return store.Versions{}, nil }
		},
	}, {
		name: "keeps the caller's bytes", caught: "ALIAS-001/in",
		sabotage: func(s *broken) {
			bodies := make(map[string][]byte)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Effects {
					if keep, ok := e.(store.KeepReply); ok {
						bodies[keep.Reply.Key] = keep.Reply.Body
					}
				}
				return s.model.Commit(ctx, change)
			}
			s.reader = func(r *shown) { r.bodies = bodies }
		},
	}, {
		name: "hands out what it keeps", caught: "ALIAS-001/out",
		sabotage: func(s *broken) {
			bodies := map[string][]byte{"key": []byte("body")}
			s.reader = func(r *shown) { r.bodies = bodies }
		},
	}, {
		name: "reserves a number twice", caught: "ID-001",
		sabotage: func(s *broken) {
			s.reserve = func(ctx context.Context) (problem.ID, error) {
				id, err := s.model.Reserve(ctx)
				return max(1, id/2*2), err
			}
		},
	}, {
		name: "reserves without a lock", caught: "ID-001/at-once",
		sabotage: func(s *broken) {
			s.reserve = func(context.Context) (problem.ID, error) {
				highest := problem.ID(0)
				for id := range s.world().problems {
					highest = max(highest, id)
				}
				for range 100 {
					runtime.Gosched()
				}
				return highest + 1, nil
			}
		},
	}, {
		name: "goes on after Close", caught: "CLOSE-001",
		sabotage: func(s *broken) { s.close = func() error { return nil } },
	}, {
		name: "goes on while it closes", caught: "CLOSE-001/under-way",
		sabotage: func(s *broken) { s.close = func() error { return nil } },
	}, {
		name: "fails to close twice", caught: "CLOSE-002",
		sabotage: func(s *broken) {
			s.close = func() error {
				if _, err := s.model.Versions(context.Background()); err != nil {
					return err
				}
				return s.model.Close()
			}
		},
	}, {
		name: "does not wait for those who read", caught: "CLOSE-001/under-way",
		sabotage: func(s *broken) {
			s.close = func() error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.closed = true
				return nil
			}
		},
	}}
}
