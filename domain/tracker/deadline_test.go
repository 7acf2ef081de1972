package tracker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// hanging is a store some methods of which give no answer until their context ends.
type hanging struct {
	store.Store
	in     map[string]bool // the methods
	commit error           // what Commit ends with, unless it hangs; nil: it is that of the store
}

// hang waits if the method is one that hangs, and returns the error of its context.
func (h *hanging) hang(ctx context.Context, method string) error {
	if h.in[method] {
		<-ctx.Done()
	}
	return store.Ended(ctx)
}

func (h *hanging) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := h.hang(ctx, "View"); err != nil {
		return err
	}
	return h.Store.View(ctx, fn)
}

func (h *hanging) Reserve(ctx context.Context) (problem.ID, error) {
	if err := h.hang(ctx, "Reserve"); err != nil {
		return 0, err
	}
	return h.Store.Reserve(ctx)
}

func (h *hanging) Confirm(ctx context.Context, _ store.History) error { return h.hang(ctx, "Confirm") }

func (h *hanging) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	if err := h.hang(ctx, "Commit"); err != nil {
		return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the change was handed over")
	}
	if h.commit != nil {
		return store.Receipt{}, h.commit
	}
	return h.Store.Commit(ctx, change)
}

func (h *hanging) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if err := h.hang(ctx, "Outcome"); err != nil {
		return store.Receipt{}, false, err
	}
	return h.Store.Outcome(ctx, batch, at)
}

// Wherever the store gives no answer, a write is answered by its deadline (D22): that
// the outcome is unknown only when a Commit was handed over, and otherwise that nothing
// was done.
func TestDeadlineBoundsWrites(t *testing.T) {
	t.Parallel()
	lost := fault.New(fault.UnknownOutcome, "the connection broke")
	const limit = time.Second
	for _, c := range []struct {
		rule   string
		in     []string
		commit error
		free   bool // the request has no deadline
		kind   fault.Kind
		after  time.Duration
	}{
		{rule: "View", in: []string{"View"}, kind: fault.Unavailable, after: limit},
		{rule: "Reserve", in: []string{"Reserve"}, kind: fault.Unavailable, after: limit},
		{rule: "Commit", in: []string{"Commit"}, kind: fault.UnknownOutcome, after: limit},
		{rule: "Commit, then Outcome", in: []string{"Commit", "Outcome"}, kind: fault.UnknownOutcome, after: limit},
		{rule: "Outcome", in: []string{"Outcome"}, commit: lost, kind: fault.UnknownOutcome, after: limit},
		{rule: "Outcome, without a deadline", in: []string{"Outcome"}, commit: lost, free: true, kind: fault.UnknownOutcome, after: 10 * time.Second},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newService(t)
				h := &hanging{Store: s.memory, in: map[string]bool{}, commit: c.commit}
				for _, method := range c.in {
					h.in[method] = true
				}
				server := newServer(h, s.clock)
				errs, took := kit.AtOnce(1, func(int) error {
					ctx := t.Context()
					if !c.free {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, limit)
						defer cancel()
					}
					_, err := server.CreateProblem(ctx, s.admin, CreateProblem{ProblemPatch: titled("T")})
					return err
				})
				kit.WantFault(t, errs[0], c.kind)
				kit.Equal(t, "time", took, c.after)
			})
		})
	}
}

// A write that stores nothing is bounded, too, while what it rests on is confirmed;
// and so is one that waits for another at its place.
func TestDeadlineBoundsOtherWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		in    string
		cmd   UpdateProblem
		first bool // another write of the problem hangs meanwhile
	}{
		{"nothing to change", "Confirm", UpdateProblem{ProblemPatch: titled("T")}, false},
		{"a refusal", "Confirm", UpdateProblem{ProblemPatch: titled("U"), Revision: patch.Set[int64](99)}, false},
		{"behind another", "Commit", UpdateProblem{ProblemPatch: titled("U")}, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newService(t)
				id := s.create(t, "T")
				server := newServer(&hanging{Store: s.memory, in: map[string]bool{c.in: true}}, s.clock)
				ahead := make(chan error, 1)
				if c.first {
					go func() {
						ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
						defer cancel()
						_, err := server.UpdateProblem(ctx, s.admin, id, UpdateProblem{ProblemPatch: titled("V")})
						ahead <- err
					}()
					synctest.Wait()
				}
				errs, took := kit.AtOnce(1, func(int) error {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					_, err := server.UpdateProblem(ctx, s.admin, id, c.cmd)
					return err
				})
				kit.WantFault(t, errs[0], fault.Unavailable)
				kit.Equal(t, "time", took, time.Second)
				if c.first {
					kit.WantFault(t, <-ahead, fault.UnknownOutcome)
				}
				kit.Equal(t, "title", s.load(t, id).Title, "T")
			})
		})
	}
}
