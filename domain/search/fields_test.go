package search

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/problem"
)

// fielded maps predicates to true if the fields of a problem decide them.
var fielded = map[string]bool{
	"TRUEPREDICATE":                                          true,
	"FALSEPREDICATE":                                         true,
	"title CONTAINS[c] 'SLOW'":                               true,
	"identifier > 20":                                        true,
	"identifier IN {3, 5, 7, 9}":                             true,
	"state.resolved = NO":                                    true,
	"assignee.identifier = $ApiUser":                         true,
	"assignee = nil OR assignee.inactive = 1":                true,
	"priority.name = 'High' AND state.resolved = NO":         true,
	"ANY component.children.name = 'API'":                    true,
	"component.parent.name = 'Server' OR priority = nil":     true,
	"NOT (state.resolved = YES AND title = 'Slow')":          true,
	"creationDate < modificationDate":                        true,
	"originator = modifier":                                  true,
	"resolver = nil AND resolveDate = nil":                   true,
	"watching = YES":                                         false,
	"read = NO":                                              false,
	"readByAssignee = YES":                                   false,
	"state.resolved = YES OR watching = YES":                 false,
	"ANY keywords.name = 'a'":                                false,
	"watchers.@count > 0":                                    false,
	"ANY history.title = 'Slow'":                             false,
	"ANY logs.isSignificant = YES":                           false,
	"ANY comments.author = assignee":                         false,
	"ANY relationships.child.state.resolved = NO":            false,
	"length(title) = 4":                                      false, // no store has to decide it
	"originator.name = modifier.name":                        false, // nor this
	"title MATCHES 's.*'":                                    false,
	"title = 'Slow' AND watching = YES":                      false,
	"state.resolved = NO AND ANY keywords.name = 'b'":        false,
	"assignee.identifier = $ApiUser AND title MATCHES '.*w'": false,
}

// Fields rule out only problems outside of the result. Alone in a query, they rule out
// all of them, in any order of problems and without other data.
func TestFields(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dossiers := randomDossiers(r, 300)
	for text, decided := range fielded {
		plan := compile(t, text, predicate.Problem)
		problems := NewProblems(nil, catalogue(), ann)
		fields := problems.Fields(t.Context(), plan)
		reader := &archive{dossiers: dossiers}
		found := 0
		for _, n := range r.Perm(len(dossiers)) {
			d := dossiers[n]
			holds, err := eval.Matches(t.Context(), plan, NewProblems(reader, catalogue(), ann).entry(Snapshot(d, ann)))
			if err != nil {
				t.Fatal(err)
			}
			out, err := fields.RuleOut(&d.Problem)
			if err != nil || out && holds || decided && out == holds {
				t.Fatalf("%s of %+v: ruled out: %t, %v; holds: %t", text, d.Problem, out, err, holds)
			}
			if !out {
				found++
			}
		}
		if !decided && found == 0 {
			t.Errorf("%s: everything is ruled out", text)
		}
	}
}

// Two conditions of three are about fields, and only they rule out.
func TestFieldsOfMixedConditions(t *testing.T) {
	t.Parallel()
	fields := NewProblems(nil, catalogue(), ann).Fields(t.Context(), compile(t, "state.resolved = NO AND watching = YES AND title = 'Slow'", predicate.Problem))
	for _, c := range []struct {
		problem.Fields
		out bool
	}{
		{problem.Fields{State: open, Title: "Slow"}, false},
		{problem.Fields{State: done, Title: "Slow"}, true},
		{problem.Fields{State: open, Title: "slow"}, true},
		{problem.Fields{State: id(99), Title: "Slow"}, true}, // the catalogue does not have it
	} {
		if out, err := fields.RuleOut(&problem.Problem{Fields: c.Fields}); err != nil || out != c.out {
			t.Errorf("%+v: ruled out: %t, %v", c.Fields, out, err)
		}
	}
}

// An evaluation after the end of its context fails with a fault.
func TestFieldsEnd(t *testing.T) {
	t.Parallel()
	fields := NewProblems(nil, catalogue(), ann).Fields(&countdown{t.Context(), 1}, compile(t, "title = 'Slow' OR title = 'slow'", predicate.Problem))
	for n := range 10_000 {
		if _, err := fields.RuleOut(&problem.Problem{ID: problem.ID(n + 1)}); err != nil {
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%v", err)
			}
			return
		}
	}
	t.Error("it never asks")
}

// Fields caches the result for each reference, so many problems with one reference
// cost one evaluation. Another evaluation would show in the context.
func TestFieldsKnowReferences(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fields := NewProblems(nil, catalogue(), ann).Fields(ctx, compile(t, "assignee.name = 'Ann' AND state.resolved = NO", predicate.Problem))
	p := problem.Problem{Fields: problem.Fields{Assignee: ann, State: open}}
	if out, err := fields.RuleOut(&p); out || err != nil {
		t.Fatalf("ruled out: %t, %v", out, err)
	}
	cancel()
	for range 1000 {
		if out, err := fields.RuleOut(&p); out || err != nil {
			t.Fatalf("ruled out: %t, %v", out, err)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { _, _ = fields.RuleOut(&p) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
