package conformance

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// markSaboteurs are stores with a defect in read marks.
func markSaboteurs() []saboteur {
	return []saboteur{{
		name: "keeps the read mark of the assignee", caught: "READ-001/unmark-assignee",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool {
					mark, ok := e.(store.MarkRead)
					return ok && !mark.Read && s.world().AllProblems[mark.Problem].Assignee == mark.User
				})
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "forgets 64 read marks at most", caught: "READ-001/forget-many",
		sabotage: forgetting(func(d store.Dossier, but ident.ID) []ident.ID {
			others := slices.DeleteFunc(slices.Clone(d.Readers), func(user ident.ID) bool { return user == but })
			if len(others) <= 64 {
				return nil
			}
			return others[:64]
		}),
	}, {
		name: "leaves watchers their read marks", caught: "READ-001/forget-watcher",
		sabotage: forgetting(func(d store.Dossier, but ident.ID) []ident.ID {
			if !slices.ContainsFunc(d.Readers, func(user ident.ID) bool { return user != but && slices.Contains(d.Watchers, user) }) {
				return nil
			}
			return slices.DeleteFunc(slices.Clone(d.Readers), func(user ident.ID) bool { return user == but || slices.Contains(d.Watchers, user) })
		}),
	}}
}

// forgetting is the sabotage of ForgetReads: it removes the read marks of these users
// alone. With nil, it does as it should.
func forgetting(users func(d store.Dossier, but ident.ID) []ident.ID) func(*broken) {
	return func(s *broken) {
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			var effects []store.Effect
			for _, e := range change.Effects {
				forget, ok := e.(store.ForgetReads)
				var forgotten []ident.ID
				if ok {
					forgotten = users(dossierOf(s, forget.Problem), forget.But)
				}
				if forgotten == nil {
					effects = append(effects, e)
				}
				for _, user := range forgotten {
					effects = append(effects, store.MarkRead{Problem: forget.Problem, User: user})
				}
			}
			change.Effects = effects
			return s.Model.Commit(ctx, change)
		}
	}
}

// dossierOf returns the present dossier of a problem.
func dossierOf(s *broken, id problem.ID) store.Dossier {
	page, err := s.world().Dossiers(context.Background(), id-1, 1)
	if err != nil || len(page) == 0 || page[0].ID != id {
		return store.Dossier{}
	}
	return page[0]
}

// watchSaboteurs are stores with a defect in Unwatch.
func watchSaboteurs() []saboteur {
	return []saboteur{{
		name: "removes no watcher", caught: "READ-001/watch",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), is[store.Unwatch])
		}),
	}}
}

// clockSaboteurs are stores that go by the times of values where only the order of the
// Commits counts, or that compare some times wrongly.
func clockSaboteurs() []saboteur {
	epoch := time.Unix(0, 0)
	return []saboteur{{
		name: "keeps the value with the later time", caught: "COM-003/clock-back",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool {
					put, ok := e.(store.PutToken)
					i := slices.IndexFunc(s.world().AllTokens, func(t access.Token) bool { return ok && t.ID == put.Token.ID })
					return i >= 0 && put.Token.Created.Before(s.world().AllTokens[i].Created)
				})
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "compares no revision with that of a later time", caught: "COM-004/clock-back",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool {
					at, ok := e.(store.ProblemAt)
					stored, there := s.world().AllProblems[at.ID]
					return ok && there && change.At.Before(stored.Modified.Add(time.Millisecond))
				})
				linger()
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "expires nothing before 1970", caught: "READ-013/before-1970",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool {
				expire, ok := e.(store.Expire)
				return ok && expire.Before.Before(epoch)
			})
		}),
	}}
}

// edit replaces the present world by another.
func (s *broken) edit(fn func(*model.World)) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Now = s.Now.Clone()
	fn(s.Now)
}

// fillSaboteurs are stores with a defect in Restore over little, or right after it.
func fillSaboteurs() []saboteur {
	return []saboteur{{
		name: "restores over saved queries", caught: "RES-005/query",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				if now := s.world(); len(now.AllProblems)+len(now.AuditLog) == 0 && now.Counters == (store.Versions{}) {
					s.edit(func(w *model.World) { w.Queries = nil })
				}
				return s.Model.Restore(ctx, archive)
			}
		},
	}, {
		name: "restores over an audit log", caught: "RES-005/audit",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				if now := s.world(); len(now.AllProblems)+len(now.Queries) == 0 && now.Counters == (store.Versions{}) {
					s.edit(func(w *model.World) { w.AuditLog = nil })
				}
				return s.Model.Restore(ctx, archive)
			}
		},
	}, {
		name: "counts no restored problem for its state", caught: "COM-002/state-unused-restored",
		sabotage: func(s *broken) {
			restored := make(map[problem.ID]bool) // and not updated since
			s.restore = func(ctx context.Context, archive store.Archive) error {
				err := s.Model.Restore(ctx, archive)
				for id := range s.world().AllProblems {
					restored[id] = err == nil
				}
				return err
			}
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Expect = slices.Clone(change.Expect)
				for i, e := range change.Expect {
					unused, ok := e.(store.StateUnused)
					if !ok {
						continue
					}
					change.Expect[i] = store.StateUnused{} // of no problem
					for id, p := range s.world().AllProblems {
						if p.State == unused.State && !restored[id] {
							return store.Receipt{}, fault.New(fault.Conflict, "a problem is in the state")
						}
					}
				}
				for _, e := range change.Effects {
					if update, ok := e.(store.UpdateProblem); ok {
						delete(restored, update.Problem.ID)
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}
