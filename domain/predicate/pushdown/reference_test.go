package pushdown

import (
	"context"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

func TestReference(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for text, want := range map[string][]string{ // nil: no reference
		`state.resolved = NO`:                             {"state"},
		`milestone.name = 'x' OR milestone = nil`:         {"milestone"},
		`NOT ANY component.parent.children.name =[c] 'x'`: {"component"},
		`milestone.component.name MATCHES 'x'`:            {"milestone"},
		`SUBQUERY(state.nextStates, $s, $s.order > state.order AND SUBQUERY($s.nextStates, $t, $t = state).@count = 1).@count > 0`: {"state"},
		`length(assignee.name) + 1 IN {2, length(assignee.email)}`:                                                                 {"assignee"},
		`assignee.name LIKE 'x*'`: {"assignee"},

		`TRUEPREDICATE`:                                nil,
		`title = 'x'`:                                  nil,
		`assignee = originator`:                        nil,
		`state.resolved = NO AND title = 'x'`:          nil,
		`watching = YES`:                               nil,
		`ANY watchers.name = 'x'`:                      nil,
		`watchers.@count = 1`:                          nil,
		`ANY history.assignee.name = 'x'`:              nil,
		`ANY component.children = milestone.component`: nil,
	} {
		p := compile(t, w, text, predicate.Problem)
		slot, steps, ok := Reference(p.Where)
		var got []string
		for _, key := range steps {
			got = append(got, key.Name)
		}
		if ok != (want != nil) || slot != 0 || !slices.Equal(got, want) {
			t.Errorf("the reference of %s: slot %d, %v, %t; want %v", text, slot, got, ok, want)
		}
	}
}

// TestReferenceOfVariables: a reference may begin at a member of a collection, lead
// through its problem, or be the member itself.
func TestReferenceOfVariables(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for text, want := range map[string][]string{
		`SUBQUERY(relationships, $r, $r.child.state.resolved = NO).@count > 0`: {"child", "state"},
		`SUBQUERY(history, $h, $h.modifier.identifier = $ApiUser).@count > 0`:  {"modifier"},
		`ANY relationships.parent.milestone.component.name = 'x'`:              {"parent", "milestone"},
		`SUBQUERY(watchers, $w, $w.inactive = YES).@count > 0`:                 {},
		`ANY watchers.email = 'x'`:                                             {},
	} {
		compiled, _ := Split(compile(t, w, text, predicate.Problem))
		exists, ok := compiled[0].(predicate.Exists)
		if !ok {
			t.Fatalf("%s is compiled to %#v", text, compiled)
		}
		slot, steps, ok := Reference(exists.Where)
		var got []string
		for _, key := range steps {
			got = append(got, key.Name)
		}
		if !ok || slot != exists.Slot || !slices.Equal(got, want) {
			t.Errorf("the reference in %s: slot %d, %v, %t; want %v", text, slot, got, ok, want)
		}
	}
}

// TestReferenceOfTwoVariables: the same steps from two variables are two references.
func TestReferenceOfTwoVariables(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	p := compile(t, w, `SUBQUERY(comments, $c, SUBQUERY(comments, $d, $c.author.name = $d.author.name).@count > 0).@count > 0`, predicate.Problem)
	inner := p.Where.(predicate.Exists).Where.(predicate.Exists).Where
	if slot, steps, ok := Reference(inner); ok {
		t.Errorf("the reference of two: slot %d, %v", slot, steps)
	}
	if compiled, residual := Split(p); len(compiled) != 0 || residual == nil {
		t.Errorf("it is compiled to %#v", compiled)
	}
}

// TestReferenceOfRoot: predicates about metadata depend on nothing else.
func TestReferenceOfRoot(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	p := compile(t, w, `resolved = NO AND ANY nextStates.name = 'Closed'`, predicate.State)
	slot, steps, ok := Reference(p.Where)
	if slot != 0 || len(steps) != 0 || !ok {
		t.Errorf("slot %d, %v, %t", slot, steps, ok)
	}
	for state, want := range map[*predicatetest.Fake]bool{w.Open: true, w.Closed: false} {
		if got, err := holdsReferring(p.Where, state); got != want || err != nil {
			t.Errorf("of %v: %t, %v", state.ID, got, err)
		}
	}
}

// holdsReferring reports whether a condition holds of one object.
func holdsReferring(cond predicate.Cond, object predicate.Entry) (bool, error) {
	holds, err := Referring(context.Background(), cond)
	if err != nil {
		return false, err
	}
	return holds(object)
}

func TestReferring(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, c := range []struct {
		text   string
		object predicate.Entry
		want   bool
	}{
		{`milestone.name =[c] 'next'`, w.Next, true},
		{`milestone.name =[c] 'next'`, nil, false},
		{`milestone.name != 'Next'`, nil, true},
		{`milestone = nil`, nil, true},
		{`milestone = nil`, w.Next, false},
		{`ALL component.children.name = 'x'`, nil, true},
		{`ALL component.children.name = 'x'`, w.Core, false},
		{`relationships.@count = 0 OR TRUEPREDICATE`, nil, false}, // an error, below
	} {
		p := compile(t, w, c.text, predicate.Problem)
		got, err := holdsReferring(p.Where, c.object)
		if _, _, ok := Reference(p.Where); ok != (err == nil) {
			t.Errorf("%s: %v", c.text, err)
		}
		if got != c.want {
			t.Errorf("%s of %v is %t, want %t", c.text, c.object, got, c.want)
		}
	}
	// By way of two objects.
	p := compile(t, w, `SUBQUERY(relationships, $r, $r.child.state.resolved = NO).@count > 0`, predicate.Problem)
	where := p.Where.(predicate.Exists).Where
	for state, want := range map[*predicatetest.Fake]bool{w.Open: true, w.Closed: false} {
		if got, err := holdsReferring(where, state); got != want || err != nil {
			t.Errorf("of %v: %t, %v", state.ID, got, err)
		}
	}
}
