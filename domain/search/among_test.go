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
