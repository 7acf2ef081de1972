package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/finding"
	"github.com/problemtracking/problems/conformance/internal/model"
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
	b := &bench.Bench{T: t, Env: bench.FreshEnv(t), Ctx: t.Context()}
	b.Author = b.ID()
	random := rand.New(rand.NewPCG(seed, 0))
	h := finding.Findable(b, random, 40)
	model := model.NewModel()
	if err := model.Restore(t.Context(), h.Archive()); err != nil {
		t.Fatal(err)
	}
	const drawn = 400
	g := querygen.New(random, finding.ValuesOf(model.Now))
	s := finding.NewSeeker(t.Context(), model.Now, nil)
	some := 0
	for range drawn {
		hits, err := s.Search(finding.Asked{Predicate: g.Predicate().Text, As: h.Metadata.Users[0].ID})
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
	o := onTrial(t, "FIND-001/random", 1, h, func(b *bench.Bench) {
		x := finding.ExhibitsOf(b)
		b.Restore(x.Holdings)
		model := model.NewModel()
		b.Must("Restore", model.Restore(b.Ctx, x.Archive()))
		part := func(text string, parts ...querygen.Cond) querygen.Cond {
			return querygen.Cond{Text: text, Parts: parts}
		}
		whole := part("(watching = NO AND (FALSEPREDICATE OR title = 'Crash'))",
			part("watching = YES AND FALSEPREDICATE"), part("FALSEPREDICATE OR title = 'Crash'", part("FALSEPREDICATE"), part("title = 'Crash'")))
		b.Failf("%s", finding.Smaller(b, finding.NewSeeker(b.Ctx, model.Now, nil), whole, finding.Asked{Predicate: whole.Text, As: ident.None}, "something is missing"))
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
