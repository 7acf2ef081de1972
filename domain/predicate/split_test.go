package predicate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// splits are the rules of section 7: compiled and residual conditions.
var splits = map[string]struct{ compiled, residual []string }{
	"the documented queries": {compiled: []string{
		`watching = YES`,
		`read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`,
		`creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)`,
		`SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0`,
		`title CONTAINS[c] 'API'`,
		`identifier IN {1, 2}`,
		`milestone.name =[c] 'Next'`,
		`state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`,
	}},
	"MATCHES": {
		compiled: []string{`state.name MATCHES 'O.*'`},
		residual: []string{`title MATCHES 'x'`, `ANY keywords.name MATCHES 'x'`, `NOT title MATCHES 'x'`},
	},
	"folding where stores keep folded forms": {
		compiled: []string{`title =[c] 'x'`, `title CONTAINS[cd] 'x'`, `title LIKE[c] 'x*'`, `title IN[cd] {'x', nil}`, `ANY keywords.value BEGINSWITH[c] 'x'`, `ANY comments.text CONTAINS[cd] 'x'`,
			`ANY relationships.child.title CONTAINS[c] 'x'`, `SUBQUERY(keywords, $k, $k.name =[c] title).@count > 0`, `assignee.name =[d] 'x'`, `ANY watchers.name CONTAINS[cd] 'x'`},
		residual: []string{`title =[d] 'x'`, `title LIKE[d] 'x'`, `title IN[d] {'x'}`, `ANY history.title CONTAINS[c] 'x'`, `ANY logs.type =[c] 'x'`, `SUBQUERY(history, $h, $h.title =[c] title).@count > 0`},
	},
	"computing": {
		compiled: []string{`state.order + 1 = 2`, `length(milestone.name) > 3`, `identifier > 1 + 1`, `uppercase('x') = title`, `resolveDate < dateByAddingMonths(NOW(), 1)`, `SUBQUERY(history, $h, $h.priority.order * 2 > 4).@count > 1`},
		residual: []string{`identifier + 1 = 2`, `length(title) > 3`, `lowercase(title) = 'x'`, `dateByAddingDays(creationDate, 1) > NOW()`, `CAST(title, 'NSNumber') = 1`, `keywords.@count + 1 = 2`, `keywords.@count / 2 = 1`},
	},
	"references": {
		compiled: []string{`assignee.name = 'x' OR assignee = nil`, `ANY component.children.name = 'x'`, `component.fullName BEGINSWITH 'Core/'`, `milestone.component.parent.name = 'x'`, `state.nextStates.@count = 2`, `ANY relationships.child.assignee.email = 'x'`,
			`ANY watchers.inactive = YES`, `SUBQUERY(watchers, $w, $w.name = $w.email).@count = 1`, `SUBQUERY(comments, $c, $c.author.name = 'x' AND state.resolved = NO).@count > 0`, `state.nextStates.@avg.order > 1.5`,
			`ANY component.children = component.successor`, `component.name = component.parent.name`},
		residual: []string{`assignee.name = originator.name`, `milestone.component = component`, `component.parent = milestone.component`, `assignee.name = title`, `SUBQUERY(comments, $c, $c.author.name = assignee.name).@count > 0`, `ANY component.children = milestone.component`,
			`SUBQUERY(component.children, $c, $c.name = title).@count > 0`, `assignee.identifier = originator.identifier`, `history.@max.priority.order > 1`, `history.state.nextStates.@count = 3`, `'x' IN {assignee.name, originator.name}`},
	},
	"identity": {
		compiled: []string{`assignee = originator`, `assignee IN watchers`, `watchers CONTAINS originator`, `ANY relationships.child = SELF`, `ALL history.state = state`, `ANY relationships.child.assignee = assignee`, `assignee IN {nil, originator}`},
		residual: []string{`SUBQUERY(history, $a, SUBQUERY(history, $b, $a = $b).@count = 1).@count = 1`},
	},
	"aggregates": {
		compiled: []string{`keywords.@count > 3`, `history.@max.modificationDate > NOW()`, `relationships.@sum.type > 1000`, `relationships.child.comments.@count = 2`, `history.assignee.name.@count = 2`, `SUBQUERY(comments, $c, $c.author = assignee).@max.creationDate > creationDate`,
			`comments.@count = keywords.@count`, `comments.@count IN {1, 2}`, `SUBQUERY(relationships, $r, $r.type = 501).child.keywords.@count > 1`, `SUBQUERY(relationships, $r, $r.child.keywords.@count > 1).@count > 0`},
		residual: []string{`relationships.@avg.type > 400.5`, `SUBQUERY(comments, $c, $c.text MATCHES 'x').@count = 2`},
	},
	"collections": {
		compiled: []string{`ANY history.assignee = nil`, `ANY history.assignee.name = 'x'`, `NONE relationships.child.keywords.name = 'x'`, `ALL relationships.child.history.modifier.name = 'x'`, `ANY SUBQUERY(comments, $c, $c.creationDate > NOW()).author.name = 'x'`,
			`ANY SUBQUERY(relationships, $r, $r.type = 501).child.comments.text = 'x'`, `SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.read = NO AND $p.title = title).@count > 0`, `keywords.value CONTAINS nil`,
			`SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.identifier IN {1, 2}).keywords.@count > 1`, `SUBQUERY(relationships.child, $p, $p.identifier IN {1, $p.identifier} AND ANY $p.keywords.name = 'build').identifier CONTAINS 2`,
			`SUBQUERY(relationships.child, $p, $p.read = YES).@sum.identifier > 2`, `SUBQUERY(relationships.child, $p, SUBQUERY($p.comments, $c, $c.author = $p.assignee).@count > 0).@max.creationDate > NOW()`,
			`SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.identifier > 0).@sum.identifier = 2`,
			`SUBQUERY(history, $h, $h.assignee.name = 'Ann' AND SUBQUERY(comments, $c, $c.author = $h.modifier).@count > 0).@count = 1`},
		residual: []string{`ANY SUBQUERY(comments, $c, length($c.text) > 3).author = nil`},
	},
	"lists as collections": {
		compiled: []string{`{1, 2}.@count = 2`, `sum({1, 2, 3}) < identifier`, `ANY {1, 2} = identifier`, `ANY {'a', 'b'} =[c] title`, `ANY {'api', 'x'} IN[c] title`, `ALL {3, 4} > identifier`, `NONE {assignee, originator} = modifier`, `ANY {title, 'x'} LIKE 'a*'`,
			`SUBQUERY({assignee, originator}, $u, $u.name = 'x').@count > 0`, `ANY {assignee, originator}.name = 'x'`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = 2`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = identifier`,
			`SUBQUERY({'a', 'b'}, $n, ANY keywords.name = $n).@count > 0`, `SUBQUERY(keywords, $k, ANY {'a', 'b'} = $k.name).@count = 1`, `ANY {assignee, resolver} = nil`, `ANY {SELF}.keywords.name = 'x'`},
		residual: []string{`sum({1, identifier}) > 2`, `SUBQUERY({1, 2}, $n, $n > identifier).@count = 1`, `ANY {title, 'x'} MATCHES 'a'`, `ANY {identifier + 1, 2} = 3`, `ALL {` + strings.Repeat("1, ", 200) + `2} > identifier`},
	},
	"constants": {compiled: []string{`TRUEPREDICATE`, `FALSEPREDICATE`, `1 = 2`, `NOT 1 = 1 OR title = 'x'`, `'a' LIKE 'b' OR 'a' MATCHES 'b'`}},
}

func TestSplit(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for name, rule := range splits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range rule.compiled {
				p := w.compile(t, text, Problem)
				if compiled, residual := p.Split(); residual != nil {
					t.Errorf("%s leaves %#v, beside %#v", text, residual.Where, compiled)
				}
			}
			for _, text := range rule.residual {
				p := w.compile(t, text, Problem)
				compiled, residual := p.Split()
				if len(compiled) != 0 || residual == nil {
					t.Errorf("%s is compiled to %#v", text, compiled)
				} else if residual.Root != Problem || residual.Slots != p.Slots {
					t.Errorf("%s leaves a predicate about %s with %d slots", text, residual.Root, residual.Slots)
				}
				// A disjunction is evaluated whole, and so is a negation of one.
				for _, whole := range []string{"(" + text + ") OR watching = YES", "NOT (watching = YES AND " + text + ")"} {
					if compiled, residual := w.compile(t, whole, Problem).Split(); len(compiled) != 0 || residual == nil {
						t.Errorf("%s is compiled to %#v", whole, compiled)
					}
				}
				// A condition beside it is compiled nevertheless.
				both := "watching = YES AND (" + text + " AND read = NO)"
				if compiled, residual := w.compile(t, both, Problem).Split(); len(compiled) != 2 || residual == nil {
					t.Errorf("%s is compiled to %#v", both, compiled)
				}
			}
		})
	}
}

func TestSplitOfTrue(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for _, text := range []string{`TRUEPREDICATE`, `1 = 1 AND NOT 'a' MATCHES 'b'`} {
		if compiled, residual := w.compile(t, text, Problem).Split(); len(compiled) != 0 || residual != nil {
			t.Errorf("%s is %v and %v", text, compiled, residual)
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

// atoms are the texts of all the rules, in order.
func atoms() []string {
	var all []string
	for _, rule := range rules {
		all = append(append(all, rule.yes...), rule.no...)
	}
	for _, rule := range splits {
		all = append(append(all, rule.compiled...), rule.residual...)
	}
	slices.Sort(all)
	return all
}

// TestSplitMeansTheSame: the compiled and the residual part together hold exactly when
// the predicate does. The result by a reference is the same too.
func TestSplitMeansTheSame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 11))
	ctx := context.Background()
	w := newWorld()
	atoms := atoms()
	problems := w.problems(random, 12)
	for _, p := range problems {
		p.values["title"] = []string{"The API löst nichts", "the api", "löst", ""}[random.IntN(4)]
	}
	holding, references := 0, 0
	for range 3_000 {
		text := randomPredicate(random, atoms, random.IntN(4))
		plan := w.compile(t, text, Problem)
		compiled, residual := plan.Split()
		for _, c := range compiled {
			if again := simplify(c); !compilable(again) {
				t.Fatalf("%s: %#v is no longer compiled", text, again)
			}
		}
		for _, problem := range problems {
			want, err := plan.Holds(ctx, problem)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if want {
				holding++
			}
			got := true
			if residual != nil {
				if got, err = residual.Holds(ctx, problem); err != nil {
					t.Fatalf("%s: the residual: %v", text, err)
				}
			}
			for _, c := range compiled {
				ok, err := Holds(ctx, c, []Value{problem})
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
				t.Fatalf("%s of %v is %t, but %t when it is split", text, problem.values, want, got)
			}
		}
	}
	if holding < 3_000 || references < 3_000 {
		t.Errorf("%d hold, %d are about one reference", holding, references)
	}
}

// holdsReferred evaluates a condition about the object at the end of the steps from
// the problem.
func holdsReferred(t *testing.T, cond Cond, steps []*Key, problem *fake) bool {
	t.Helper()
	v, err := Eval(context.Background(), Path{Start: one(Problem), Steps: steps}, []Value{problem})
	if err != nil {
		t.Fatal(err)
	}
	object, _ := v.(Entry)
	ok, err := HoldsReferring(context.Background(), cond, object)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for text, want := range map[string][]string{
		`TRUEPREDICATE`:                  nil,
		`title = 'x' OR NOT title = 'y'`: {"title"},
		`ANY keywords.name = 'x' AND SUBQUERY(comments, $c, $c.author = assignee AND $c.text = 'logs').@count > identifier`:          {"keywords", "comments", "assignee", "identifier"},
		`SUBQUERY(relationships, $r, $r.child.keywords.@count > 0 AND $r.child = SELF).child.history.@count IN {watchers.@count, 3}`: {"relationships", "watchers"},
	} {
		var got []string
		for _, key := range w.compile(t, text, Problem).Keys() {
			got = append(got, key.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the keys of %s are %v, want %v", text, got, want)
		}
	}
}
