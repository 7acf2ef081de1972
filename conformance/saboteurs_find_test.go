package conformance

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// seeking is the sabotage of Search.
func seeking(fn func(context.Context, store.Reader, store.Query) ([]store.Hit, error)) func(*broken) {
	return func(s *broken) { s.reader = func(r *shown) { r.search = fn } }
}

// asking is the sabotage that searches for something else.
func asking(fn func(*store.Query)) func(*broken) {
	return seeking(func(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
		fn(&q)
		return r.Search(ctx, q)
	})
}

// found is the sabotage that changes what was found.
func found(fn func(store.Query, []store.Hit) []store.Hit) func(*broken) {
	return seeking(func(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
		hits, err := r.Search(ctx, q)
		return fn(q, hits), err
	})
}

// rewritten returns a plan whose conditions were replaced, the inner ones first.
func rewritten(p *predicate.Plan, fn func(predicate.Cond) predicate.Cond) *predicate.Plan {
	var each func(predicate.Cond) predicate.Cond
	list := func(conds []predicate.Cond) []predicate.Cond {
		conds = slices.Clone(conds)
		for i := range conds {
			conds[i] = each(conds[i])
		}
		return conds
	}
	each = func(c predicate.Cond) predicate.Cond {
		switch outer := c.(type) {
		case predicate.And:
			c = predicate.And{Conds: list(outer.Conds)}
		case predicate.Or:
			c = predicate.Or{Conds: list(outer.Conds)}
		case predicate.Not:
			c = predicate.Not{Cond: each(outer.Cond)}
		case predicate.Exists:
			outer.Where = each(outer.Where)
			c = outer
		}
		return fn(c)
	}
	other := *p
	other.Where = each(p.Where)
	return &other
}

// known returns the condition that neither side of a comparison is nil.
func known(c predicate.Compare) predicate.Cond {
	var all []predicate.Cond
	for _, side := range []predicate.Expr{c.Left, c.Right} {
		if path, ok := side.(predicate.Path); ok {
			all = append(all, predicate.Not{Cond: predicate.Compare{Op: predicate.Equal, Left: path, Right: predicate.Const{Of: predicate.Type{Kind: predicate.Nil}}}})
		}
	}
	return predicate.And{Conds: all}
}

// findSaboteurs are stores with a defect in Search.
func findSaboteurs() []saboteur {
	return slices.Concat(conditionSaboteurs(), pageSaboteurs(), searchEndSaboteurs())
}

// conditionSaboteurs find the wrong problems.
func conditionSaboteurs() []saboteur {
	return []saboteur{{
		name: "leaves out what a database cannot decide", caught: "FIND-001/residual",
		sabotage: asking(func(q *store.Query) {
			compiled, _ := pushdown.Split(q.Plan)
			plan := *q.Plan
			plan.Where = predicate.And{Conds: compiled}
			q.Plan = &plan
		}),
	}, {
		name: "takes NOT of nil for unknown", caught: "FIND-001/fields",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				if not, ok := c.(predicate.Not); ok {
					if compared, ok := not.Cond.(predicate.Compare); ok && compared.Op != predicate.Equal {
						return predicate.And{Conds: []predicate.Cond{known(compared), not}}
					}
				}
				return c
			})
		}),
	}, {
		name: "takes [cd] for [c]", caught: "FIND-001/text",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				if compared, ok := c.(predicate.Compare); ok {
					compared.Folding &^= predicate.Marks
					return compared
				}
				return c
			})
		}),
	}, {
		name: "finds problems with half of what they are to have", caught: "FIND-001/parts",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				if exists, ok := c.(predicate.Exists); ok {
					if both, ok := exists.Where.(predicate.And); ok {
						exists.Where = both.Conds[0]
						return exists
					}
					return predicate.Exists{Coll: exists.Coll, Slot: exists.Slot, Where: predicate.And{}}
				}
				return c
			})
		}),
	}, {
		name: "looks at the first member of a list alone", caught: "FIND-001/lists",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				if exists, ok := c.(predicate.Exists); ok {
					if list, ok := exists.Coll.(predicate.List); ok && len(list.Members) > 1 {
						exists.Coll = predicate.List{Members: list.Members[:1], Of: list.Of}
						return exists
					}
				}
				return c
			})
		}),
	}, {
		name: "takes all savepoints for the same", caught: "FIND-001/savepoints",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				if compared, ok := c.(predicate.Compare); ok && compared.Left.Type().Entity == predicate.Savepoint {
					return predicate.And{}
				}
				return c
			})
		}),
	}, {
		name: "finds what is watched by somebody else as well", caught: "FIND-001/documented",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				compared, ok := c.(predicate.Compare)
				if !ok {
					return c
				}
				if path, ok := compared.Left.(predicate.Path); !ok || path.Steps[0].Name != "watching" {
					return c
				}
				watchers, _ := predicate.Lookup(predicate.Problem, "watchers")
				return predicate.Exists{
					Coll:  predicate.Path{Start: predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}, Steps: []*predicate.Key{watchers}},
					Slot:  1,
					Where: predicate.And{},
				}
			})
			q.Plan.Slots = max(q.Plan.Slots, 2)
		}),
	}, {
		name: "forgets who asks", caught: "FIND-001/caller",
		sabotage: asking(func(q *store.Query) { q.As = ident.None }),
	}, {
		name: "compares with the first title", caught: "FIND-001/changed",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			titles := make(map[problem.ID]string)
			s.reader = func(r *shown) {
				r.search = func(ctx context.Context, reader store.Reader, q store.Query) ([]store.Hit, error) {
					mu.Lock()
					defer mu.Unlock()
					old := reader.(*model.World).Clone()
					for id, p := range old.AllProblems {
						if _, ok := titles[id]; !ok {
							titles[id] = p.Title
						}
						p.Title = titles[id]
						old.AllProblems[id] = p
					}
					return old.Search(ctx, q)
				}
			}
			s.restore = func(ctx context.Context, archive store.Archive) error {
				err := s.Model.Restore(ctx, archive)
				for id, p := range s.world().AllProblems {
					titles[id] = p.Title
				}
				return err
			}
		},
	}, {
		name: "finds deleted comments", caught: "FIND-001/comments",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.search = func(ctx context.Context, reader store.Reader, q store.Query) ([]store.Hit, error) {
					all := reader.(*model.World).Clone()
					for i := range all.AllComments {
						all.AllComments[i].Comment.Deleted = false
					}
					return all.Search(ctx, q)
				}
			}
		},
	}, {
		name: "finds no more than ten", caught: "FIND-001/random",
		sabotage: found(func(_ store.Query, hits []store.Hit) []store.Hit { return hits[:min(10, len(hits))] }),
	}}
}

// pageSaboteurs sort, cut or continue a list of hits in the wrong way.
func pageSaboteurs() []saboteur {
	// Each database has one of the two, unless it is told otherwise.
	nilFirst := func(descending bool) func(*broken) {
		return found(func(q store.Query, hits []store.Hit) []store.Hit {
			slices.SortStableFunc(hits, func(a, b store.Hit) int {
				for i, o := range q.Sort {
					if (a.Keys[i] == nil) != (b.Keys[i] == nil) && o.Descending == descending {
						return -predicate.CompareValues(a.Keys[i], b.Keys[i])
					}
				}
				return 0
			})
			return hits
		})
	}
	return []saboteur{{
		name: "sorts nil first when it ascends", caught: "FIND-002",
		sabotage: nilFirst(false),
	}, {
		name: "sorts nil first when it descends", caught: "FIND-002",
		sabotage: nilFirst(true),
	}, {
		name: "forgets what it sorted by", caught: "FIND-003",
		sabotage: found(func(_ store.Query, hits []store.Hit) []store.Hit {
			for i := range hits {
				hits[i].Keys = nil
			}
			return hits
		}),
	}, {
		name: "begins with the last one of the page before", caught: "FIND-003/pages",
		sabotage: asking(func(q *store.Query) {
			if q.After != nil {
				after := *q.After
				after.ID--
				q.After = &after
			}
		}),
	}, {
		name: "goes on where the problem of the hit is now", caught: "FIND-003/moved",
		sabotage: seeking(func(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
			if q.After == nil {
				return r.Search(ctx, q)
			}
			whole := q
			whole.After, whole.Limit = nil, math.MaxInt
			all, err := r.Search(ctx, whole)
			i := slices.IndexFunc(all, func(h store.Hit) bool { return h.ID == q.After.ID })
			return all[i+1 : min(len(all), i+1+q.Limit)], err
		}),
	}}
}

// searchEndSaboteurs end a search in the wrong way, or search at the wrong moment.
func searchEndSaboteurs() []saboteur {
	return []saboteur{{
		name: "looks at any number one by one", caught: "FIND-004",
		sabotage: seeking(func(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
			hits, err := r.Search(ctx, q)
			if fault.Is(err, fault.QueryTooExpensive) {
				return nil, nil
			}
			return hits, err
		}),
	}, {
		name: "searches on when the context is over", caught: "FIND-005",
		sabotage: seeking(func(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
			return r.Search(context.WithoutCancel(ctx), q)
		}),
	}, {
		name: "looks for the beginning of a long text", caught: "FIND-005/long",
		sabotage: asking(func(q *store.Query) {
			q.Plan = rewritten(q.Plan, func(c predicate.Cond) predicate.Cond {
				compare, ok := c.(predicate.Compare)
				part, known := compare.Right.(predicate.Const)
				if s, isText := part.Value.(string); ok && known && isText && len(s) > 1000 {
					part.Value = s[1:1000]
					compare.Right = part
					return compare
				}
				return c
			})
		}),
	}, {
		name: "finds what came after its View began", caught: "VIEW-002/search",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.search = func(ctx context.Context, _ store.Reader, q store.Query) ([]store.Hit, error) {
					return s.world().Search(ctx, q)
				}
			}
		},
	}, {
		name: "finds what it found after its own last Commit", caught: "SHARE-001/search",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				s.stale.Store(nil)
				return receipt, err
			}
			s.restore = func(ctx context.Context, archive store.Archive) error {
				err := s.Model.Restore(ctx, archive)
				s.stale.Store(nil)
				return err
			}
			s.reader = func(r *shown) {
				r.search = func(ctx context.Context, _ store.Reader, q store.Query) ([]store.Hit, error) {
					s.stale.CompareAndSwap(nil, s.world())
					return s.stale.Load().Search(ctx, q)
				}
			}
		},
	}}
}
