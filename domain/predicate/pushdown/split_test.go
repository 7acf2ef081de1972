package pushdown

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for name, rule := range predicatetest.Splits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range rule.Compiled {
				p := compile(t, w, text, predicate.Problem)
				if compiled, residual := Split(p); residual != nil {
					t.Errorf("%s leaves %#v, beside %#v", text, residual.Where, compiled)
				}
			}
			for _, text := range rule.Residual {
				p := compile(t, w, text, predicate.Problem)
				compiled, residual := Split(p)
				if len(compiled) != 0 || residual == nil {
					t.Errorf("%s is compiled to %#v", text, compiled)
				} else if residual.Root != predicate.Problem || residual.Slots != p.Slots {
					t.Errorf("%s leaves a predicate about %s with %d slots", text, residual.Root, residual.Slots)
				}
				// A disjunction is evaluated whole, and so is a negation of one.
				for _, whole := range []string{"(" + text + ") OR watching = YES", "NOT (watching = YES AND " + text + ")"} {
					if compiled, residual := Split(compile(t, w, whole, predicate.Problem)); len(compiled) != 0 || residual == nil {
						t.Errorf("%s is compiled to %#v", whole, compiled)
					}
				}
				// A condition beside it is compiled nevertheless.
				both := "watching = YES AND (" + text + " AND read = NO)"
				if compiled, residual := Split(compile(t, w, both, predicate.Problem)); len(compiled) != 2 || residual == nil {
					t.Errorf("%s is compiled to %#v", both, compiled)
				}
			}
		})
	}
}

func TestSplitOfTrue(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, text := range []string{`TRUEPREDICATE`, `1 = 1 AND NOT 'a' MATCHES 'b'`} {
		if compiled, residual := Split(compile(t, w, text, predicate.Problem)); len(compiled) != 0 || residual != nil {
			t.Errorf("%s is %v and %v", text, compiled, residual)
		}
	}
}

// TestSplitUnfolded leaves folded comparisons to the residual, wherever they are, and nothing
// else.
func TestSplitUnfolded(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for text, compiles := range map[string]bool{
		`title = 'a'`:                                         true,
		`title = 'a' OR read = NO`:                            true,
		`title =[c] 'a'`:                                      false,
		`title LIKE[cd] '*a*'`:                                false,
		`title IN[c] {'a', 'b'}`:                              false,
		`read = NO OR NOT title CONTAINS[c] 'a'`:              false,
		`ANY comments.text CONTAINS[cd] 'a'`:                  false,
		`SUBQUERY(comments, $c, $c.text =[c] 'a').@count > 1`: false,
	} {
		compiled, residual := SplitUnfolded(compile(t, w, "("+text+") AND watching = YES", predicate.Problem))
		if got := len(compiled) == 2 && residual == nil; got != compiles || len(compiled) == 0 {
			t.Errorf("%s is compiled to %#v, and leaves %v", text, compiled, residual)
		}
	}
}

// randomPredicate combines the rules' texts.
func randomPredicate(random *rand.Rand, atoms []string, depth int) string {
	if depth == 0 {
		return atoms[random.IntN(len(atoms))]
	}
	one := func() string { return randomPredicate(random, atoms, random.IntN(depth)) }
	switch random.IntN(5) {
	case 0:
		return "NOT (" + one() + ")"
	case 1, 2:
		return "(" + one() + ") OR (" + one() + ")"
	default:
		return "(" + one() + ") AND (" + one() + ")"
	}
}

// TestSplitMeansTheSame: the compiled and the residual part together hold exactly when
// the predicate does. The result by a reference is the same too.
func TestSplitMeansTheSame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 11))
	ctx := context.Background()
	w := predicatetest.NewWorld()
	atoms := predicatetest.Atoms()
	problems := w.Problems(random, 12)
	for _, p := range problems {
		p.Values["title"] = []string{"The API löst nichts", "the api", "löst", ""}[random.IntN(4)]
	}
	holding, references := 0, 0
	for range 3_000 {
		text := randomPredicate(random, atoms, random.IntN(4))
		plan := compile(t, w, text, predicate.Problem)
		compiled, residual := Split(plan)
		if random.IntN(4) == 0 {
			compiled, residual = SplitUnfolded(plan)
		}
		for _, c := range compiled {
			if again := simplify(c); !compilable(again) {
				t.Fatalf("%s: %#v is no longer compiled", text, again)
			}
		}
		for _, problem := range problems {
			want, err := eval.Matches(ctx, plan, problem)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if want {
				holding++
			}
			got := true
			if residual != nil {
				if got, err = eval.Matches(ctx, residual, problem); err != nil {
					t.Fatalf("%s: the residual: %v", text, err)
				}
			}
			for _, c := range compiled {
				ok, err := eval.Holds(ctx, c, []predicate.Value{problem})
				if err != nil {
					t.Fatalf("%s: %#v: %v", text, c, err)
				}
				got = got && ok
				if slot, steps, found := Reference(c); found && slot == 0 {
					references++
					if referred := holdsReferred(t, c, steps, problem); referred != ok {
						t.Fatalf("%s: by the reference, %#v is %t", text, c, referred)
					}
				}
			}
			if got != want {
				t.Fatalf("%s of %v is %t, but %t when it is split", text, problem.Values, want, got)
			}
		}
	}
	if holding < 3_000 || references < 3_000 {
		t.Errorf("%d hold, %d are about one reference", holding, references)
	}
}

// holdsReferred evaluates a condition about the object at the end of the steps from
// the problem.
func holdsReferred(t *testing.T, cond predicate.Cond, steps []*predicate.Key, problem *predicatetest.Fake) bool {
	t.Helper()
	v, err := eval.Value(context.Background(), predicate.Path{Start: predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}, Steps: steps}, []predicate.Value{problem})
	if err != nil {
		t.Fatal(err)
	}
	object, _ := v.(predicate.Entry)
	ok, err := holdsReferring(cond, object)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestKeys(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for text, want := range map[string][]string{
		`TRUEPREDICATE`:                  nil,
		`title = 'x' OR NOT title = 'y'`: {"title"},
		`ANY keywords.name = 'x' AND SUBQUERY(comments, $c, $c.author = assignee AND $c.text = 'logs').@count > identifier`:          {"keywords", "comments", "assignee", "identifier"},
		`SUBQUERY(relationships, $r, $r.child.keywords.@count > 0 AND $r.child = SELF).child.history.@count IN {watchers.@count, 3}`: {"relationships", "watchers"},
	} {
		var got []string
		for _, key := range compile(t, w, text, predicate.Problem).Keys() {
			got = append(got, key.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the keys of %s are %v, want %v", text, got, want)
		}
	}
}
