package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/querygen"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// TestRandomPredicatesTellProblemsApart shows that many random predicates find some
// problems, and not all: those that find nothing show little.
func TestRandomPredicatesTellProblemsApart(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	b := &bench{T: t, Env: freshEnv(t), ctx: t.Context()}
	b.author = b.ID()
	random := rand.New(rand.NewPCG(seed, 0))
	h := findable(b, random, 40)
	model := newModel()
	if err := model.Restore(t.Context(), h.archive()); err != nil {
		t.Fatal(err)
	}
	const drawn = 400
	g := querygen.New(random, valuesOf(model.now))
	s := seeker{t.Context(), model.now, nil}
	some := 0
	for range drawn {
		hits, err := s.search(asked{predicate: g.Predicate().Text, as: h.Metadata.Users[0].ID})
		if err != nil {
			t.Fatal(err)
		}
		if 0 < len(hits) && len(hits) < len(h.Dossiers) {
			some++
		}
	}
	t.Logf("%d of %d tell problems apart", some, drawn)
	if some < drawn/3 {
		t.Errorf("%d of %d predicates tell problems apart, want a third at least", some, drawn)
	}
}

// TestSmallerPredicate shows that a complaint names the part of a predicate that is
// answered wrongly.
func TestSmallerPredicate(t *testing.T) {
	t.Parallel()
	h := saboteur{sabotage: found(func(q store.Query, hits []store.Hit) []store.Hit { return nil })}.harness()
	o := onTrial(t, "FIND-001/random", 1, h, func(b *bench) {
		x := exhibitsOf(b)
		b.restore(x.holdings)
		model := newModel()
		b.must("Restore", model.Restore(b.ctx, x.archive()))
		part := func(text string, parts ...querygen.Cond) querygen.Cond {
			return querygen.Cond{Text: text, Parts: parts}
		}
		whole := part("(watching = NO AND (FALSEPREDICATE OR title = 'Crash'))",
			part("watching = YES AND FALSEPREDICATE"), part("FALSEPREDICATE OR title = 'Crash'", part("FALSEPREDICATE"), part("title = 'Crash'")))
		b.failf("%s", smaller(b, seeker{b.ctx, model.now, nil}, whole, asked{predicate: whole.Text, as: ident.None}, "something is missing"))
	})
	text := o.Failure()
	for _, want := range []string{"something is missing", "So does that of problems that satisfy FALSEPREDICATE OR title = 'Crash'", "So does that of problems that satisfy title = 'Crash'"} {
		if o.Status != report.Failed || !strings.Contains(text, want) {
			t.Errorf("the case ended as %s, and does not say %q:\n%s", o.Status, want, text)
		}
	}
	if strings.Contains(text, "satisfy FALSEPREDICATE\n") || strings.Contains(text, "watching = YES") {
		t.Errorf("the complaint names what is answered rightly:\n%s", text)
	}
}
