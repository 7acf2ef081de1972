package search

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/rules"
	"github.com/problemtracking/problems/domain/store"
)

// AmongAll returns for each plan what Among does, also for those that name one problem.
func TestAmongAllIsAmong(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	texts := append(slices.Clone(predicates),
		"identifier = 3", "3 = identifier", "3 == id", "identifier = 999999", "identifier = nil", "identifier != 3", "NOT identifier = 3", "identifier >= 3", "identifier = 1 + 2",
		"identifier = 3 AND title != 'x'", "title != 'x' AND (read = NO AND identifier = 3)", "identifier = 3 AND identifier = 4",
		"identifier = 3 OR identifier = 4", "ANY relationships.child.identifier = 3", "SUBQUERY(relationships, $r, $r.child.identifier = 3).@count > 0",
		"assignee.identifier = $ApiUser", "identifier = identifier", "identifier IN {3, 4}",
	)
	var plans []*predicate.Plan
	for _, text := range texts {
		plans = append(plans, compile(t, text, predicate.Problem))
	}
	for range 10 {
		reader := &archive{dossiers: randomDossiers(r, r.IntN(400))}
		var ids []problem.ID
		for _, d := range reader.dossiers {
			if r.IntN(3) > 0 {
				ids = append(ids, d.ID)
			}
		}
		all, err := AmongAll(t.Context(), reader, catalogue(), ann, plans, ids)
		if err != nil {
			t.Fatal(err)
		}
		for i, plan := range plans {
			hits, err := Among(t.Context(), reader, store.Query{Plan: plan, As: ann, Catalogue: catalogue(), Limit: len(ids)}, ids)
			if err != nil {
				t.Fatal(err)
			}
			same := len(hits) == len(all[i].IDs)
			for _, hit := range hits {
				same = same && all[i].IDs[hit.ID]
			}
			if !same || all[i].Err != nil {
				t.Fatalf("seed %d: %s: %v (%v), want %v", seed, texts[i], all[i].IDs, all[i].Err, hits)
			}
		}
	}
}

// Problems that no plan can find are not read.
func TestAmongAllReadsCandidates(t *testing.T) {
	t.Parallel()
	one, other := compile(t, "identifier = 12", predicate.Problem), compile(t, "identifier = 13 AND title != 'x'", predicate.Problem)
	all := compile(t, "title != 'x'", predicate.Problem)
	ids := []problem.ID{11, 12, 13, 14}
	for name, c := range map[string]struct {
		plans []*predicate.Plan
		want  []problem.ID
	}{
		"none":            {nil, []problem.ID{}},
		"of one":          {[]*predicate.Plan{one, one}, ids[1:2]},
		"of two":          {[]*predicate.Plan{one, other}, ids[1:3]},
		"of any":          {[]*predicate.Plan{one, all}, ids},
		"of any, and one": {[]*predicate.Plan{all, other}, ids},
	} {
		if got := candidates(c.plans, ids); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v are read, want %v", name, got, c.want)
		}
	}
}

func TestPageHasLimitsOfWebhooks(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(rules.Pages(), "predicates.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("\n| %d,000,000 | simple conditions", planWork/1_000_000),
		fmt.Sprintf("\n| %d GiB | of problems to load again", planAgain>>30),
	} {
		if !strings.Contains(string(page), row) {
			t.Errorf("the page lacks %q", row)
		}
	}
}
