package conformance

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/cases/reads"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// boundSaboteurs are stores with a defect that shows with large numbers alone.
func boundSaboteurs() []saboteur {
	return []saboteur{{
		name: "takes no more than 64 MiB at once", caught: "COM-013",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if change.Size() > 64<<20 {
					return store.Receipt{}, fault.New(fault.TooLarge, "the transaction is too large")
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "cuts the order of states to 16 bits", caught: "READ-001/order",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.Clone(change.Effects)
			for i, e := range change.Effects {
				if put, ok := e.(store.PutState); ok {
					put.State.Order = int(int16(put.State.Order))
					change.Effects[i] = put
				}
			}
		}),
	}, {
		name: "asks for one dossier more than the limit", caught: "READ-012/huge",
		sabotage: repage(func(_ problem.ID, limit int, page *[]store.Dossier) {
			if limit+1 < limit {
				*page = nil
			}
		}),
	}, {
		name: "adds the skip and the limit of the audit log", caught: "READ-015/huge",
		sabotage: audits(func(skip, limit int, page []audit.Entry) []audit.Entry {
			if skip+limit < skip {
				return nil
			}
			return page
		}),
	}, {
		name: "adds the skip and the limit of a log", caught: "READ-020/huge",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.portion = overflowing } },
	}, {
		name: "adds the skip and the limit of comments", caught: "READ-021/huge",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.portion = overflowing } },
	}, {
		name: "searches for one problem more than the limit", caught: "FIND-003/huge",
		sabotage: found(func(q store.Query, hits []store.Hit) []store.Hit {
			if q.Limit+1 < q.Limit {
				return nil
			}
			return hits
		}),
	}, {
		name: "commits thousands of effects in parts", caught: "COM-001/large-refused",
		sabotage: inParts(func(change store.Change) bool { return len(change.Effects) > 1000 }),
	}, {
		name: "commits megabytes in parts", caught: "COM-001/large-text-refused",
		sabotage: inParts(func(change store.Change) bool {
			size := 0
			for _, e := range change.Effects {
				if add, ok := e.(store.AddComment); ok {
					size += len(add.Comment.Text)
				}
			}
			return size > 4<<20
		}),
	}, {
		name: "returns each problem once", caught: "READ-014/twice",
		sabotage: several(func(_ []problem.ID, _ ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error) {
			seen := make(map[problem.ID]bool)
			return slices.DeleteFunc(all, func(s snapshot.Snapshot) bool {
				again := seen[s.ID]
				seen[s.ID] = true
				return again
			}), nil
		}),
	}}
}

// overflowing is what becomes of a portion when skip and limit are added.
func overflowing(skip, limit *int, _ *int64) {
	if *skip+*limit < *skip {
		*limit = 1
	}
}

// inParts is the sabotage that commits some Changes in two parts.
func inParts(divided func(store.Change) bool) func(*broken) {
	return func(s *broken) {
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			if _, known, _ := s.settled(change.Batch); known || !divided(change) {
				return s.Model.Commit(ctx, change)
			}
			first := change
			first.Batch[0] ^= 0xff
			first.Effects, first.Log = change.Effects[:len(change.Effects)/2], nil
			if _, err := s.Model.Commit(ctx, first); err != nil {
				return store.Receipt{}, err
			}
			change.Expect, change.Effects = nil, change.Effects[len(change.Effects)/2:]
			return s.Model.Commit(ctx, change)
		}
	}
}

// settled reports what became of a batch, if anything did.
func (s *broken) settled(batch ident.ID) (receipt store.Receipt, known, stored bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	b, known := s.Batches[batch]
	return b.Receipt, known, b.Stored
}

// counted is the order that a store gives to what it lists, by identifier.
type counted struct {
	remembers bool // the place of what was dropped
	mu        sync.Mutex
	place     map[ident.ID]int
}

// note gives the next place of a counter to everything in a Change that is new.
func (c *counted) note(change store.Change, counter *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add := func(id ident.ID) {
		if _, there := c.place[id]; !there {
			*counter++
			c.place[id] = *counter
		}
	}
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.AddComment:
			add(e.Comment.ID)
		case store.PutToken:
			add(e.Token.ID)
		case store.PutQuery:
			add(e.Query.ID)
		case store.PutSession:
			add(e.Session.ID)
		case store.DropQuery:
			if !c.remembers {
				delete(c.place, e.ID)
			}
		case store.AppendAudit:
			add(e.Entry.ID)
		}
	}
}

// compare orders by place, and then by identifier. Restored elements have no place, and
// stay where they are, before all others.
func (c *counted) compare(a, b ident.ID) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.place[a] == 0 || c.place[b] == 0 {
		return cmp.Compare(c.place[a], c.place[b])
	}
	return cmp.Or(cmp.Compare(c.place[a], c.place[b]), a.Compare(b))
}

// sort has a reader show everything in this order.
func (c *counted) sort(r *shown) {
	r.snapshot = func(s *snapshot.Snapshot) {
		slices.SortStableFunc(s.Comments, func(a, b problem.Comment) int { return c.compare(a.ID, b.ID) })
	}
	r.tokens = func(all []access.Token) {
		slices.SortStableFunc(all, func(a, b access.Token) int { return c.compare(a.ID, b.ID) })
	}
	r.queries = func(_ ident.ID, found []query.Saved) []query.Saved {
		slices.SortStableFunc(found, func(a, b query.Saved) int { return c.compare(a.ID, b.ID) })
		return found
	}
	r.sessions = func(_ ident.ID, found []access.Session) []access.Session {
		slices.SortStableFunc(found, func(a, b access.Session) int { return c.compare(a.ID, b.ID) })
		return found
	}
	r.audit = func(_, _ int, page []audit.Entry) []audit.Entry {
		slices.SortStableFunc(page, func(a, b audit.Entry) int { return c.compare(a.ID, b.ID) })
		return page
	}
}

// perConnection is the sabotage of a store with two connections. Each has a supply of
// numbers of its own, and the second is used when the first is busy.
func perConnection(s *broken) {
	order := counted{place: make(map[ident.ID]int)}
	var busy, turn sync.Mutex
	var next [2]int
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		connection := 1
		if busy.TryLock() {
			defer busy.Unlock()
			connection = 0
		}
		linger()
		turn.Lock()
		defer turn.Unlock()
		if next[1] == 0 {
			next[1] = 1000
		}
		order.note(change, &next[connection])
		return s.Model.Commit(ctx, change)
	}
	s.reader = order.sort
}

// listSaboteurs are stores with a defect in the order of lists.
func listSaboteurs() []saboteur {
	return []saboteur{{
		name: "numbers comments by connection", caught: "COM-008/positions", sabotage: perConnection,
	}, {
		name: "numbers tokens by connection", caught: "READ-009/at-once", sabotage: perConnection,
	}, {
		name: "numbers audit entries by connection", caught: "READ-015/one-after-the-other", sabotage: perConnection,
	}, {
		name: "numbers saved queries by connection", caught: "READ-016/at-once", sabotage: perConnection,
	}, {
		name: "numbers sessions by connection", caught: "READ-023/at-once", sabotage: perConnection,
	}, {
		name: "remembers the place of a query that was dropped", caught: "READ-016/again",
		sabotage: func(s *broken) {
			order := counted{place: make(map[ident.ID]int), remembers: true}
			counter := 0
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				order.note(change, &counter)
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.queries = func(_ ident.ID, found []query.Saved) []query.Saved {
					slices.SortStableFunc(found, func(a, b query.Saved) int { return order.compare(a.ID, b.ID) })
					return found
				}
			}
		},
	}}
}

// TestCountersThatBeginAgain shows that the order of each list is noticed in a store
// with a counter that begins again with each opening.
func TestCountersThatBeginAgain(t *testing.T) {
	t.Parallel()
	for _, c := range reads.Lists() {
		if !c.Durable {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			for _, test := range []struct {
				name    string
				forgets bool
				want    report.Status
			}{{"goes on", false, report.Passed}, {"begins again", true, report.Failed}} {
				if ended := attempt(t, c, counting(test.forgets), 1); ended.Status != test.want {
					t.Errorf("the counter %s, and the case ended as %s: %s", test.name, ended.Status, ended.Failure)
				}
			}
		})
	}
}

// counting returns a harness of stores with a counter for the order of lists, which may
// begin again with each opening.
func counting(forgets bool) harness.Harness {
	type numbered struct {
		*model.Model
		counted
		counter int
	}
	var all sync.Map // *numbered by Env.Dir
	open := func(n *numbered) store.Store {
		if forgets {
			n.counter = 0
		}
		s := &broken{Model: n.Peer()}
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			n.note(change, &n.counter)
			return s.Model.Commit(ctx, change)
		}
		s.reader = n.sort
		return s
	}
	h := keeping()
	h.Open = func(_ harness.T, env harness.Env) store.Store {
		n := &numbered{Model: model.NewModel(), counted: counted{place: make(map[ident.ID]int)}}
		all.Store(env.Dir, n)
		return open(n)
	}
	h.Reopen = func(t harness.T, env harness.Env) store.Store {
		n, ok := all.Load(env.Dir)
		if !ok {
			t.Fatalf("no store was open in %s", env.Dir)
		}
		return open(n.(*numbered))
	}
	return h
}
