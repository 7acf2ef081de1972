package eval_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestEvaluator: the caches of an Evaluator make no difference to the results, in any
// order of objects.
func TestEvaluator(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	random := rand.New(rand.NewPCG(12, 12))
	problems := append(w.Problems(random, 12), w.Bare, w.First, w.Second)
	e := eval.New(context.Background())
	holding := 0
	for range 2 {
		for _, text := range predicatetest.Atoms() {
			plan := compile(t, w, text, predicate.Problem)
			for _, p := range problems {
				want, wantErr := eval.Matches(context.Background(), plan, p)
				got, err := e.Holds(plan.Where, p)
				if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s of %v: %t, %v, but %t, %v on its own", text, p.ID, got, err, want, wantErr)
				}
				if got {
					holding++
				}
			}
		}
	}
	if holding == 0 {
		t.Error("nothing ever holds")
	}
	for _, p := range problems {
		for _, key := range []string{"title", "identifier", "resolveDate"} {
			orders, err := check.CompileOrder(key, predicate.Problem)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := e.Value(orders[0].Path, p); err != nil || got != p.Values[key] {
				t.Errorf("%s of %v: %v, %v", key, p.ID, got, err)
			}
		}
	}
}

// TestEvaluatorAsks: many simple evaluations look at the context as often as one with
// the same work.
func TestEvaluatorAsks(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	plan := compile(t, w, "watching = YES", predicate.Problem)
	e := eval.New(&impatient{Context: context.Background(), most: 2})
	n := 0
	for ; n < 10*eval.CheckInterval; n++ {
		if _, err := e.Holds(plan.Where, w.First); err != nil {
			break
		}
	}
	if n < 2*eval.CheckInterval || n > 3*eval.CheckInterval {
		t.Errorf("stopped after %d evaluations, want %d to %d", n, 2*eval.CheckInterval, 3*eval.CheckInterval)
	}
}

// longList returns a list of enough other members to be long, followed by the members.
func longList(members string, other func(n int) string) string {
	var list []string
	for n := range 2 * eval.ShortList {
		list = append(list, other(n))
	}
	return "{" + strings.Join(append(list, members), ", ") + "}"
}

// TestLongLists: a look-up in a list finds exactly its members.
func TestLongLists(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	word := func(n int) string { return fmt.Sprintf("'word %d'", n) }
	number := func(n int) string { return fmt.Sprint(1000 + n) }
	fraction := func(n int) string { return fmt.Sprintf("%d.5", n) }
	date := func(n int) string { return fmt.Sprintf("CAST('20%d-01-01', 'NSDate')", 30+n) }
	object := func(n int) string { return "'" + predicatetest.UserID(byte(100+n)).String() + "'" }
	id := w.Ann.Values["identifier"]
	e := eval.New(context.Background())
	for text, want := range map[string]bool{
		"title IN " + longList("'The API löst nichts'", word):                                   true,
		"title IN " + longList("'the api löst nichts'", word):                                   false,
		"title IN[c] " + longList("'THE api löst NICHTS'", word):                                true,
		"title IN[cd] " + longList("'the API lost nichts'", word):                               true,
		"title IN " + longList("title", word):                                                   true,
		"title IN " + longList("'x', nil", word):                                                false,
		"priority.name IN " + longList("'x'", word):                                             false,
		"priority.name IN " + longList("'x', nil", word):                                        true,
		"NOT priority.name IN " + longList("'x'", word):                                         true,
		"identifier IN " + longList("1", number):                                                true,
		"identifier IN " + longList("2", number):                                                false,
		"identifier IN " + longList("1.0", number):                                              true,
		"identifier IN " + longList("1", fraction):                                              true,
		"identifier IN " + longList("1.0", fraction):                                            true,
		"identifier * 1.0 IN " + longList("1", number):                                          true,
		"identifier * 1.5 IN " + longList("1", number):                                          false,
		"identifier IN " + longList("1, 1", func(int) string { return "1" }):                    true,
		"resolveDate IN " + longList("nil", date):                                               true,
		"creationDate IN " + longList("creationDate", date):                                     true,
		"assignee.identifier IN " + longList("'"+fmt.Sprint(id)+"'", object):                    true,
		"assignee.identifier IN " + longList("'"+predicatetest.UserID(77).String()+"'", object): false,
		"resolver.identifier IN " + longList("'"+fmt.Sprint(id)+"'", object):                    false,
		"ANY keywords.name IN[c] " + longList("'FLAKY'", word):                                  true,
		"ALL keywords.name IN " + longList("'flaky'", word):                                     false,
		"ANY keywords.value IN " + longList("'1.2'", word):                                      true,
		"SUBQUERY(keywords, $k, $k.value IN " + longList("'1.2'", word) + ").@count = 1":        true,
		"watching IN " + longList("YES", func(int) string { return "NO" }):                      true,
		"read IN " + longList("YES, YES", func(int) string { return "YES" }):                    false,
		"length(title) IN " + longList("19", number):                                            true,
		"'The API löst nichts' IN " + longList("title", word):                                   true,
		"identifier IN " + longList("9007199254740993, 1", number) + " AND watching = YES":      true,
	} {
		plan := compile(t, w, text, predicate.Problem)
		alone, err := eval.Matches(context.Background(), plan, w.First)
		if err != nil || alone != want {
			t.Errorf("%s: %t, %v, one by one", text, alone, err)
		}
		for range 2 {
			if got, err := e.Holds(plan.Where, w.First); err != nil || got != want {
				t.Errorf("%s: %t, %v, looked up", text, got, err)
			}
		}
	}
}

// TestMixedNumbers: in a list of both, an Int can equal a Float.
func TestMixedNumbers(t *testing.T) {
	t.Parallel()
	for _, order := range [][]predicate.Value{{1.0, int64(2)}, {int64(2), 1.0}} {
		var list []predicate.Expr
		for range eval.ShortList {
			list = append(list, predicate.Const{Value: order[0]}, predicate.Const{Value: order[1]})
		}
		for v, want := range map[predicate.Value]bool{int64(1): true, 1.0: true, int64(2): true, 2.0: true, int64(3): false, 1.5: false} {
			if got, err := eval.New(context.Background()).Holds(predicate.In{Operand: predicate.Const{Value: v}, List: list}, nil); got != want || err != nil {
				t.Errorf("%v of %T in a list of %T and %T: %t, %v", v, v, order[0], order[1], got, err)
			}
		}
	}
}

// TestLongListsAreLookedUp: a look-up takes the same work in any list.
func TestLongListsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	list := func(of func(n int) string) string {
		var members []string
		for n := range predicate.MaxListMembers {
			members = append(members, of(n))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	for _, text := range []string{
		"identifier IN " + list(func(n int) string { return fmt.Sprint(1000 + n) }),
		"title IN[c] " + list(func(n int) string { return fmt.Sprintf("'%d'", n) }),
		"priority.name IN " + list(func(n int) string { return fmt.Sprintf("'%d'", n) }),
	} {
		plan := compile(t, w, text, predicate.Problem)
		e := eval.New(context.Background())
		for range 100 {
			if ok, err := e.Holds(plan.Where, w.First); ok || err != nil {
				t.Fatalf("%.40s: %t, %v", text, ok, err)
			}
		}
		if e.Spent() > 1000 {
			t.Errorf("%.40s: %d units of work for 100 evaluations", text, e.Spent())
		}
	}
}
