package conformance

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// several is the sabotage of Problems.
func several(fn func(ids []problem.ID, as ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error)) func(*broken) {
	return func(s *broken) { s.reader = func(r *shown) { r.several = fn } }
}

// audits is the sabotage of Audit.
func audits(fn func(skip, limit int, page []audit.Entry) []audit.Entry) func(*broken) {
	return func(s *broken) { s.reader = func(r *shown) { r.audit = fn } }
}

// unexpecting is the sabotage that leaves out expectations.
func unexpecting(gone func(store.Expectation) bool) func(*broken) {
	return alter(func(change *store.Change) { change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), gone) })
}

// savedSaboteurs are stores with a defect in saved queries, the audit log, what is
// expected of them, or in Problems.
func savedSaboteurs() []saboteur {
	return slices.Concat(severalSaboteurs(), auditSaboteurs(), stateSaboteurs(), querySaboteurs())
}

// severalSaboteurs have a defect in Problems.
func severalSaboteurs() []saboteur {
	return []saboteur{{
		name: "returns the problems by their numbers", caught: "READ-014",
		sabotage: several(func(_ []problem.ID, _ ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error) {
			slices.SortFunc(all, func(a, b snapshot.Snapshot) int { return int(a.ID - b.ID) })
			return all, nil
		}),
	}, {
		name: "returns many problems as nobody sees them", caught: "READ-014/parts",
		sabotage: several(func(_ []problem.ID, _ ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error) {
			for i := range all {
				all[i].Watching, all[i].Read = false, false
			}
			return all, nil
		}),
	}, {
		name: "takes a thousand problems at most", caught: "READ-014/many",
		sabotage: several(func(ids []problem.ID, _ ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error) {
			return slices.DeleteFunc(all, func(s snapshot.Snapshot) bool { return slices.Index(ids, s.ID) >= 1000 }), nil
		}),
	}}
}

// auditSaboteurs have a defect in the audit log.
func auditSaboteurs() []saboteur {
	return []saboteur{{
		name: "sorts the audit log by time", caught: "READ-015",
		sabotage: audits(func(_, _ int, page []audit.Entry) []audit.Entry {
			slices.SortFunc(page, func(a, b audit.Entry) int { return a.Created.Compare(b.Created) })
			return page
		}),
	}, {
		name: "returns no full page of the audit log", caught: "READ-015/pages",
		sabotage: audits(func(_, limit int, page []audit.Entry) []audit.Entry { return page[:min(len(page), max(1, limit-1))] }),
	}, {
		name: "leaves a gap among the numbers of the audit log where a Change was refused", caught: "READ-015/pages",
		sabotage: func(s *broken) {
			var gap atomic.Int64 // how many entries are before it; 0: there is none
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if err != nil {
					gap.CompareAndSwap(0, int64(len(s.world().AuditLog)))
				}
				return receipt, err
			}
			s.reader = func(r *shown) {
				r.audit = func(skip, limit int, page []audit.Entry) []audit.Entry {
					if at := int(gap.Load()); at > 0 && skip > at {
						rest := s.world().AuditLog
						rest = rest[min(skip-1, len(rest)):]
						return rest[:min(limit, len(rest))]
					}
					return page
				}
			}
		},
	}, {
		name: "sorts the audit log by identifier", caught: "READ-015/at-once",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.audit = func(_, _ int, page []audit.Entry) []audit.Entry {
					slices.SortFunc(page, func(a, b audit.Entry) int { return a.ID.Compare(b.ID) })
					return page
				}
			}
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				linger()
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "forgets who was audited", caught: "READ-001/audit",
		sabotage: audits(func(_, _ int, page []audit.Entry) []audit.Entry {
			for i := range page {
				page[i].Author = ident.None
			}
			return page
		}),
	}, {
		name: "takes a store with an audit log for empty", caught: "COM-002/store-not-empty/audit",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				now := s.world()
				if len(now.AllProblems)+len(now.Queries) == 0 && now.Counters == (store.Versions{}) {
					change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == store.Expectation(store.StoreEmpty{}) })
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// stateSaboteurs are wrong about the use of a state.
func stateSaboteurs() []saboteur {
	return []saboteur{{
		name: "takes no state for used", caught: "COM-002/state-unused",
		sabotage: unexpecting(func(e store.Expectation) bool { _, ok := e.(store.StateUnused); return ok }),
	}}
}

// querySaboteurs have a defect in saved queries.
func querySaboteurs() []saboteur {
	return []saboteur{{
		name: "moves a query that is saved again to the end", caught: "READ-016",
		sabotage: alter(func(change *store.Change) {
			var effects []store.Effect
			for _, e := range change.Effects {
				if put, ok := e.(store.PutQuery); ok {
					effects = append(effects, store.DropQuery{ID: put.Query.ID})
				}
				effects = append(effects, e)
			}
			change.Effects = effects
		}),
	}, {
		name: "shows shared queries to their owners only", caught: "READ-016/shared",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.queries = func(owner ident.ID, found []query.Saved) []query.Saved {
					return slices.DeleteFunc(found, func(q query.Saved) bool { return !owner.IsNone() && q.Owner != owner })
				}
			}
		},
	}, {
		name: "finds a saved query that was dropped", caught: "READ-017",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			saved := make(map[ident.ID]query.Saved)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				for _, e := range change.Effects {
					if put, ok := e.(store.PutQuery); ok {
						saved[put.Query.ID] = put.Query
					}
				}
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.saved = func(id ident.ID) (query.Saved, bool) {
					mu.Lock()
					defer mu.Unlock()
					q, ok := saved[id]
					return q, ok
				}
			}
		},
	}, {
		name: "drops no saved query", caught: "READ-001/query",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), is[store.DropQuery])
		}),
	}, {
		name: "takes a store with saved queries for empty", caught: "COM-002/store-not-empty/query",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				now := s.world()
				if len(now.AllProblems)+len(now.AuditLog) == 0 && now.Counters == (store.Versions{}) {
					change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == store.Expectation(store.StoreEmpty{}) })
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}
