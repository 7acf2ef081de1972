package predicate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEvaluator: the caches of an Evaluator make no difference to the results, in any
// order of objects.
func TestEvaluator(t *testing.T) {
	t.Parallel()
	w := newWorld()
	random := rand.New(rand.NewPCG(12, 12))
	problems := append(w.problems(random, 12), w.bare, w.first, w.second)
	e := NewEvaluator(context.Background())
	holding := 0
	for range 2 {
		for _, text := range atoms() {
			plan := w.compile(t, text, Problem)
			for _, p := range problems {
				want, wantErr := plan.Holds(context.Background(), p)
				got, err := e.Holds(plan.Where, p)
				if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s of %v: %t, %v, but %t, %v on its own", text, p.id, got, err, want, wantErr)
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
			orders, err := CompileOrder(key, Problem)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := e.Eval(orders[0].Path, p); err != nil || got != p.values[key] {
				t.Errorf("%s of %v: %v, %v", key, p.id, got, err)
			}
		}
	}
}

// TestEvaluatorAsks: many simple evaluations look at the context as often as one with
// the same work.
func TestEvaluatorAsks(t *testing.T) {
	t.Parallel()
	w := newWorld()
	plan := w.compile(t, "watching = YES", Problem)
	e := NewEvaluator(&impatient{Context: context.Background(), most: 2})
	n := 0
	for ; n < 10*checkInterval; n++ {
		if _, err := e.Holds(plan.Where, w.first); err != nil {
			break
		}
	}
	if n < 2*checkInterval || n > 3*checkInterval {
		t.Errorf("stopped after %d evaluations, want %d to %d", n, 2*checkInterval, 3*checkInterval)
	}
}

// longList returns a list of enough other members to be long, followed by the members.
func longList(members string, other func(n int) string) string {
	var list []string
	for n := range 2 * shortList {
		list = append(list, other(n))
	}
	return "{" + strings.Join(append(list, members), ", ") + "}"
}

// TestLongLists: a look-up in a list finds exactly its members.
func TestLongLists(t *testing.T) {
	t.Parallel()
	w := newWorld()
	word := func(n int) string { return fmt.Sprintf("'word %d'", n) }
	number := func(n int) string { return fmt.Sprint(1000 + n) }
	fraction := func(n int) string { return fmt.Sprintf("%d.5", n) }
	date := func(n int) string { return fmt.Sprintf("CAST('20%d-01-01', 'NSDate')", 30+n) }
	object := func(n int) string { return "'" + userID(byte(100+n)).String() + "'" }
	id := w.ann.values["identifier"]
	e := NewEvaluator(context.Background())
	for text, want := range map[string]bool{
		"title IN " + longList("'The API löst nichts'", word):                              true,
		"title IN " + longList("'the api löst nichts'", word):                              false,
		"title IN[c] " + longList("'THE api löst NICHTS'", word):                           true,
		"title IN[cd] " + longList("'the API lost nichts'", word):                          true,
		"title IN " + longList("title", word):                                              true,
		"title IN " + longList("'x', nil", word):                                           false,
		"priority.name IN " + longList("'x'", word):                                        false,
		"priority.name IN " + longList("'x', nil", word):                                   true,
		"NOT priority.name IN " + longList("'x'", word):                                    true,
		"identifier IN " + longList("1", number):                                           true,
		"identifier IN " + longList("2", number):                                           false,
		"identifier IN " + longList("1.0", number):                                         true,
		"identifier IN " + longList("1", fraction):                                         true,
		"identifier IN " + longList("1.0", fraction):                                       true,
		"identifier * 1.0 IN " + longList("1", number):                                     true,
		"identifier * 1.5 IN " + longList("1", number):                                     false,
		"identifier IN " + longList("1, 1", func(int) string { return "1" }):               true,
		"resolveDate IN " + longList("nil", date):                                          true,
		"creationDate IN " + longList("creationDate", date):                                true,
		"assignee.identifier IN " + longList("'"+fmt.Sprint(id)+"'", object):               true,
		"assignee.identifier IN " + longList("'"+userID(77).String()+"'", object):          false,
		"resolver.identifier IN " + longList("'"+fmt.Sprint(id)+"'", object):               false,
		"ANY keywords.name IN[c] " + longList("'FLAKY'", word):                             true,
		"ALL keywords.name IN " + longList("'flaky'", word):                                false,
		"ANY keywords.value IN " + longList("'1.2'", word):                                 true,
		"SUBQUERY(keywords, $k, $k.value IN " + longList("'1.2'", word) + ").@count = 1":   true,
		"watching IN " + longList("YES", func(int) string { return "NO" }):                 true,
		"read IN " + longList("YES, YES", func(int) string { return "YES" }):               false,
		"length(title) IN " + longList("19", number):                                       true,
		"'The API löst nichts' IN " + longList("title", word):                              true,
		"identifier IN " + longList("9007199254740993, 1", number) + " AND watching = YES": true,
	} {
		plan := w.compile(t, text, Problem)
		alone, err := plan.Holds(context.Background(), w.first)
		if err != nil || alone != want {
			t.Errorf("%s: %t, %v, one by one", text, alone, err)
		}
		for range 2 {
			if got, err := e.Holds(plan.Where, w.first); err != nil || got != want {
				t.Errorf("%s: %t, %v, looked up", text, got, err)
			}
		}
	}
}

// TestMixedNumbers: in a list of both, an Int can equal a Float.
func TestMixedNumbers(t *testing.T) {
	t.Parallel()
	for _, order := range [][]Value{{1.0, int64(2)}, {int64(2), 1.0}} {
		var list []Expr
		for range shortList {
			list = append(list, Const{Value: order[0]}, Const{Value: order[1]})
		}
		for v, want := range map[Value]bool{int64(1): true, 1.0: true, int64(2): true, 2.0: true, int64(3): false, 1.5: false} {
			if got, err := NewEvaluator(context.Background()).Holds(In{Operand: Const{Value: v}, List: list}, nil); got != want || err != nil {
				t.Errorf("%v of %T in a list of %T and %T: %t, %v", v, v, order[0], order[1], got, err)
			}
		}
	}
}

// TestLongListsAreLookedUp: a look-up takes the same work in any list.
func TestLongListsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld()
	list := func(of func(n int) string) string {
		var members []string
		for n := range MaxListMembers {
			members = append(members, of(n))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	for _, text := range []string{
		"identifier IN " + list(func(n int) string { return fmt.Sprint(1000 + n) }),
		"title IN[c] " + list(func(n int) string { return fmt.Sprintf("'%d'", n) }),
		"priority.name IN " + list(func(n int) string { return fmt.Sprintf("'%d'", n) }),
	} {
		plan := w.compile(t, text, Problem)
		e := NewEvaluator(context.Background())
		for range 100 {
			if ok, err := e.Holds(plan.Where, w.first); ok || err != nil {
				t.Fatalf("%.40s: %t, %v", text, ok, err)
			}
		}
		if e.spent > 1000 {
			t.Errorf("%.40s: %d units of work for 100 evaluations", text, e.spent)
		}
	}
}
