package conformance

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// TestCasesEnd lets writers try again and again what never succeeds, on stores that
// do not mind the end of a context: the cases end by themselves.
func TestCasesEnd(t *testing.T) {
	t.Parallel()
	deaf := func(s *broken) {
		s.view = func(ctx context.Context, fn func(store.Reader) error) error {
			return s.Model.View(context.WithoutCancel(ctx), func(r store.Reader) error { return fn(&shown{Reader: r, deaf: true}) })
		}
		s.reserve = func(ctx context.Context) (problem.ID, error) {
			return s.Model.Reserve(context.WithoutCancel(ctx))
		}
	}
	refuses := func(s *broken, when func(store.Change) bool) {
		deaf(s)
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			if when(change) {
				return store.Receipt{}, fault.New(fault.Conflict, "somebody else came first")
			}
			return s.Model.Commit(context.WithoutCancel(ctx), change)
		}
	}
	expects := func(c store.Change) bool { return len(c.Expect) > 0 }
	creates := func(c store.Change) bool { return is[store.CreateProblem](c.Effects[0]) }
	for _, test := range []struct {
		id       string
		sabotage func(*broken)
	}{
		{"COM-004/one-problem", func(s *broken) { refuses(s, expects) }},
		{"COM-004/pairs", func(s *broken) { refuses(s, expects) }},
		{"SHARE-001/numbers", func(s *broken) { refuses(s, creates) }},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			h := saboteur{sabotage: test.sabotage}.harness()
			h.Name = "on trial"
			r, err := Execute(t.Context(), h, Options{Seed: 1, Only: regexp.MustCompile("^" + test.id + "$"), Patience: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range r.Cases {
				if c.ID == test.id && (c.Status != report.Failed || !strings.Contains(c.Failure, "again and again came to no end: the case has used up its 2s")) {
					t.Errorf("the case ended as %s: %s", c.Status, c.Failure)
				}
			}
		})
	}
}
