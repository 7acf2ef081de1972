package conformance

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/linearity"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// TestLinearCasesSettle shows that a store may say that it does not know what
// became of a Commit, which happened or did not, as long as Outcome settles it.
func TestLinearCasesSettle(t *testing.T) {
	t.Parallel()
	const prepared = 10 // at most so many Changes prepare the store for a case
	lost := fault.New(fault.UnknownOutcome, "the connection is gone")
	for _, c := range linearity.Cases() {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			var commits, unknown atomic.Int64
			ended := attempt(t, c, sharing(func(m *model.Model) store.Store {
				b := &broken{Model: m}
				b.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
					n := commits.Add(1)
					if n > prepared && n%3 == 0 {
						unknown.Add(1)
						return store.Receipt{}, lost
					}
					receipt, err := m.Commit(ctx, change)
					if n > prepared && n%3 == 1 && err == nil {
						unknown.Add(1)
						return store.Receipt{}, lost
					}
					return receipt, err
				}
				return b
			}), 1)
			if ended.Status != report.Passed {
				t.Errorf("the case ended with %q: %s", ended.Status, ended.Failure)
			}
			if unknown.Load() == 0 {
				t.Errorf("no outcome was unknown")
			}
		})
	}
}

// TestEdges shows which edges are taken for a cycle.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		edges  [][2]int
		cyclic bool
	}{
		{"none", nil, false},
		{"a chain against the order", [][2]int{{4, 3}, {3, 2}, {2, 1}, {1, 0}}, false},
		{"two ways to one problem", [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, false},
		{"a problem and itself", [][2]int{{2, 2}}, true},
		{"two", [][2]int{{1, 3}, {3, 1}}, true},
		{"all, in an order of their own", [][2]int{{0, 3}, {3, 1}, {1, 4}, {4, 2}, {2, 0}}, true},
		{"three that others lead to", [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var all, turned linearity.Edges
			for _, e := range c.edges {
				all.Set(e[0], e[1])
				turned.Set(e[1], e[0])
			}
			if all.Cyclic() != c.cyclic || turned.Cyclic() != c.cyclic {
				t.Errorf("the edges %v are cyclic: %t, and turned: %t; want %t", all, all.Cyclic(), turned.Cyclic(), c.cyclic)
			}
			if all.Turned() != turned {
				t.Errorf("turned, the edges %v are %v, want %v", all, all.Turned(), turned)
			}
		})
	}
}
