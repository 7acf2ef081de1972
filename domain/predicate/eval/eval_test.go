package eval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

func TestHolds(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for name, rule := range predicatetest.Rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for want, texts := range map[bool][]string{true: rule.Yes, false: rule.No} {
				for _, text := range texts {
					if got := holds(t, w, text, predicate.Problem, w.First); got != want {
						t.Errorf("%s is %t, want %t", text, got, want)
					}
					if got := holds(t, w, "NOT ("+text+")", predicate.Problem, w.First); got == want {
						t.Errorf("NOT (%s) is %t too", text, got)
					}
				}
			}
		})
	}
}

// TestHoldsOnNothing: qualifiers and aggregates of empty collections.
func TestHoldsOnNothing(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for text, want := range map[string]bool{
		`ANY keywords.name != 'x'`:                             false,
		`ALL keywords.name = 'x'`:                              true,
		`NONE keywords.name != 'x'`:                            true,
		`nil IN keywords.value`:                                false,
		`keywords.@count = 0`:                                  true,
		`relationships.@sum.type = 0`:                          true,
		`relationships.@avg.type = nil`:                        true,
		`history.@min.modificationDate = nil`:                  true,
		`history.@max.modificationDate = nil`:                  true,
		`milestone.component.children.@count = 0`:              true,
		`ALL milestone.component.children.name = 'x'`:          true,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).@count > 0`:     false,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).name[SIZE] = 0`: true,
	} {
		if got := holds(t, w, text, predicate.Problem, w.Bare); got != want {
			t.Errorf("%s is %t, want %t", text, got, want)
		}
	}
}

// TestHoldsOfMetadata: the documented queries about other entities.
func TestHoldsOfMetadata(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, c := range []struct {
		root  predicate.Entity
		about *predicatetest.Fake
		text  string
		want  bool
	}{
		{predicate.User, w.Ann, `identifier == $ApiUser`, true},
		{predicate.User, w.Bob, `identifier == $ApiUser`, false},
		{predicate.User, w.Ann, `inactive == NO`, true},
		{predicate.User, w.Bob, `inactive == NO`, false},
		{predicate.Component, w.Core, `ANY children.identifier = '15000000-0000-7000-8000-000000000000'`, true},
		{predicate.Component, w.UI, `ANY children.identifier = '15000000-0000-7000-8000-000000000000'`, false},
		{predicate.Component, w.Done, `successor.parent.name = 'Core'`, true},
		{predicate.Milestone, w.Next, `(StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())`, true},
		{predicate.State, w.Open, `Initial = YES`, true},
		{predicate.State, w.Closed, `Initial = YES`, false},
		{predicate.State, w.Closed, `ANY PreviousStates.identifier = '0A000000-0000-7000-8000-000000000000'`, true},
		{predicate.State, w.Open, `ANY PreviousStates.identifier = '0a000000-0000-7000-8000-000000000000'`, false},
	} {
		if got := holds(t, w, c.text, c.root, c.about); got != c.want {
			t.Errorf("%s of %v is %t, want %t", c.text, c.about.ID, got, c.want)
		}
	}
}

// TestVariables: Holds and Value do not change their arguments.
func TestVariables(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	keywords, _ := predicate.Lookup(predicate.Problem, "keywords")
	name, _ := predicate.Lookup(predicate.Keyword, "name")
	title, _ := predicate.Lookup(predicate.Problem, "title")
	vars := []predicate.Value{w.First, "kept"}
	names := predicate.Filter{Coll: predicate.Path{Start: predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}, Steps: []*predicate.Key{keywords}}, Slot: 1, Where: predicate.And{}, Steps: []*predicate.Key{name}}

	got, err := eval.Value(context.Background(), names, vars)
	if members, ok := got.([]predicate.Value); err != nil || !ok || len(members) != 2 || members[0] != "Build" || members[1] != "flaky" {
		t.Errorf("Value: %v, %v", got, err)
	}
	if vars[1] != "kept" {
		t.Errorf("Value has set a variable to %v", vars[1])
	}
	ok, err := eval.Holds(context.Background(), predicate.Exists{Coll: names, Slot: 1, Where: predicate.Compare{Op: predicate.Equal, Left: predicate.Path{Slot: 1, Start: predicate.Type{Kind: predicate.String}}, Right: predicate.Const{Value: "flaky", Of: predicate.Type{Kind: predicate.String}}}}, vars)
	if !ok || err != nil || vars[1] != "kept" {
		t.Errorf("Holds: %t, %v; %v", ok, err, vars[1])
	}
	if v, err := eval.Value(context.Background(), predicate.Path{Start: predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}, Steps: []*predicate.Key{title}}, []predicate.Value{nil}); v != nil || err != nil {
		t.Errorf("the title of nil: %v, %v", v, err)
	}
	if v, err := eval.Value(context.Background(), predicate.Path{Start: predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}, Steps: []*predicate.Key{keywords, name}}, []predicate.Value{nil}); err != nil || v == nil || len(v.([]predicate.Value)) != 0 {
		t.Errorf("the keywords of nil: %v, %v", v, err)
	}
}

// failing is an unreadable Entry.
type failing struct{ err error }

func (f failing) Get(context.Context, *predicate.Key) (predicate.Value, error) { return nil, f.err }
func (f failing) Identity() any                                                { return 0 }

func TestErrors(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	broken := errors.New("broken")
	for _, text := range []string{
		`title = 'x'`, `'x' = title`, `NOT title = 'x'`, `title LIKE '*'`, `title MATCHES '.*'`, `title IN {'x'}`, `'x' IN {title}`, `ANY keywords.name = 'x'`, `ALL keywords.name = 'x'`,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).@count = 1`, `identifier + 1 = 2`, `keywords.@count = 1`, `title = 'x' OR TRUEPREDICATE`, `title = 'x' AND FALSEPREDICATE`,
	} {
		if ok, err := eval.Matches(context.Background(), compile(t, w, text, predicate.Problem), failing{broken}); ok || err != broken {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
	}
	// A failure inside a SUBQUERY is a failure of the whole.
	problem := &predicatetest.Fake{ID: 1, Values: map[string]predicate.Value{"keywords": []predicate.Value{failing{broken}}}}
	for _, text := range []string{`SUBQUERY(keywords, $k, $k.name = 'x').@count = 2`, `ANY keywords.name = 'x'`} {
		if ok, err := eval.Matches(context.Background(), compile(t, w, text, predicate.Problem), problem); ok || err != broken {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
	}
}

// TestHoldsStops: a cancelled evaluation returns no answer, even if the answer would
// take forever.
func TestHoldsStops(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	problem := &predicatetest.Fake{ID: int64(1), Values: map[string]predicate.Value{"title": "x"}}
	around := make([]predicate.Value, 1000)
	for i := range around {
		around[i] = &predicatetest.Fake{ID: i, Values: map[string]predicate.Value{"child": problem}}
	}
	problem.Values["relationships"] = around
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{
		`relationships.child.relationships.child.relationships.child.relationships.child.@count = 1`,
		`ANY relationships.child.relationships.child.relationships.child.relationships.child.title = 'y'`,
		`SUBQUERY(relationships, $a, SUBQUERY(relationships, $b, SUBQUERY(relationships, $c, $c.child.title = 'y').@count > 0).@count > 0).@count > 0`,
		`'y' IN SUBQUERY(relationships, $a, TRUEPREDICATE).child.relationships.child.relationships.child.relationships.child.title`,
	} {
		if _, err := eval.Matches(ctx, compile(t, w, text, predicate.Problem), problem); err != context.Canceled {
			t.Errorf("%s: err = %v", text, err)
		}
	}
}

// TestCollectionsAreNotHeld: a million paths to a member do not take memory for each.
func TestCollectionsAreNotHeld(t *testing.T) {
	w := predicatetest.NewWorld()
	problem := &predicatetest.Fake{ID: int64(1), Values: map[string]predicate.Value{"title": "x"}}
	around := make([]predicate.Value, 100)
	for i := range around {
		around[i] = &predicatetest.Fake{ID: i, Values: map[string]predicate.Value{"child": problem}}
	}
	problem.Values["relationships"] = around
	p := compile(t, w, `relationships.child.relationships.child.relationships.child.@count = 1000000`, predicate.Problem)
	allocs := testing.AllocsPerRun(1, func() {
		if ok, err := eval.Matches(context.Background(), p, problem); !ok || err != nil {
			t.Error(ok, err)
		}
	})
	if allocs > 100 {
		t.Errorf("it allocates %v times", allocs)
	}
}
