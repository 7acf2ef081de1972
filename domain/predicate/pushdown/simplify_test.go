package pushdown

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestSimplify checks simplified conditions: keys behind a collection move into the
// condition on its members.
func TestSimplify(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, c := range []struct{ text, want string }{
		// Keys behind the last to-many one.
		{"ANY relationships.child.title = 'x'", "EXISTS(#0.relationships AS #1: (#1.child.title = String:'x'))"},
		{"ANY relationships.child.keywords.name = 'x'", "EXISTS(#0.relationships.child.keywords AS #1: (#1.name = String:'x'))"},
		{"history.assignee.name.@count = 2", "(#0.history.@count = Int:2)"},
		{"history.@max.modificationDate = modificationDate", "(#0.history.modificationDate.@max = #0.modificationDate)"},
		{"SUBQUERY(comments, $c, $c.text = 'x').author.name.@count > 1", "(FILTER(#0.comments AS #1: (#1.text = String:'x')).@count > Int:1)"},
		{"SUBQUERY(relationships, $r, $r.type = 501).child.keywords.name.@count > 1",
			"(FILTER(#0.relationships AS #1: (#1.type = Int:501)).child.keywords.@count > Int:1)"},
		// Filters: their collection, their condition and their keys.
		{"ANY SUBQUERY(comments, $c, $c.text = 'x').author.name = 'y'", "EXISTS(#0.comments AS #1: AND((#1.text = String:'x'), (#1.author.name = String:'y')))"},
		{"ANY SUBQUERY(relationships, $r, $r.type = 501).child.comments.author.name = 'y'",
			"EXISTS(#0.relationships AS #1: AND((#1.type = Int:501), EXISTS(#1.child.comments AS #2: (#2.author.name = String:'y'))))"},
		{"SUBQUERY(SUBQUERY(relationships.child, $p, $p.title = 'x').assignee, $a, $a.name = 'y').email.@count > 1",
			"(FILTER(#0.relationships AS #1: AND((#1.child.title = String:'x'), (#1.child.assignee.name = String:'y'))).@count > Int:1)"},
		{"SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.title = title).@sum.identifier > 1",
			"(FILTER(#0.relationships AS #1: AND((#1.type = Int:501), (#1.child.title = #0.title))).child.identifier.@sum > Int:1)"},
		{"SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child.comments, $c, $c.text = 'x').@count > 1",
			"(FILTER(FILTER(#0.relationships AS #1: (#1.type = Int:501)).child.comments AS #2: (#2.text = String:'x')).@count > Int:1)"},
		// A variable in every possible position.
		{"SUBQUERY(relationships.child, $p, $p.identifier IN {1, $p.identifier} OR NOT 1 IN {$p.identifier}).@count > 1",
			"(FILTER(#0.relationships AS #1: OR((#1.child.identifier IN {Int:1, #1.child.identifier}), NOT (Int:1 IN {#1.child.identifier}))).@count > Int:1)"},
		{"SUBQUERY(relationships.child, $p, $p.title LIKE 'x' AND $p.title MATCHES 'x' AND 'x' = $p.title).@count > 1",
			"(FILTER(#0.relationships AS #1: AND((#1.child.title LIKE [{Any:false One:false Text:x}]), (#1.child.title MATCHES), (String:'x' = #1.child.title))).@count > Int:1)"},
		{"SUBQUERY(relationships.child, $p, length($p.title) + $p.identifier = 2).@count > 1",
			"(FILTER(#0.relationships AS #1: ([+]([length:](#1.child.title)Int, #1.child.identifier)Int = Int:2)).@count > Int:1)"},
		{"SUBQUERY(relationships.child, $p, SUBQUERY($p.comments, $c, $c.author = $p.assignee).@count > 1).@count > 1",
			"(FILTER(#0.relationships AS #1: (FILTER(#1.child.comments AS #2: (#2.author = #1.child.assignee)).@count > Int:1)).@count > Int:1)"},
		{"SUBQUERY(relationships.child, $p, ANY $p.keywords.name = $p.title AND $p.keywords.@count > 1).@count > 1",
			"(FILTER(#0.relationships AS #1: AND(EXISTS(#1.child.keywords AS #2: (#2.name = #1.child.title)), (#1.child.keywords.@count > Int:1))).@count > Int:1)"},
		// Constants, from the inside out.
		{"1 = 1", "AND()"},
		{"NOT 1 = 1", "OR()"},
		{"'a' LIKE 'b' OR 'a' MATCHES 'a' AND 2 IN {1, 2}", "AND()"},
		{"1 = 2 OR 2 IN {1}", "OR()"},
		{"title = 'x' AND NOT 1 = 1", "OR()"},
		{"title = 'x' OR NOT 1 = 2", "AND()"},
		{"NOT (title = 'x' AND 1 = 2)", "AND()"},
		{"title = 'x' OR 1 = 2", "OR((#0.title = String:'x'), OR())"},
		{"ANY keywords.name = 'x' OR 1 = 2 AND title MATCHES 'x'", "OR(EXISTS(#0.keywords AS #1: (#1.name = String:'x')), OR())"},
	} {
		plan := compile(t, w, c.text, predicate.Problem)
		before := predicatetest.PlanForm(plan.Where)
		if got := predicatetest.PlanForm(simplify(plan.Where)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
		if after := predicatetest.PlanForm(plan.Where); after != before {
			t.Errorf("%s: the plan has become\n%s, and was\n%s", c.text, after, before)
		}
	}
}

// TestRebuild checks that each node is visited once, the inner ones first. The work
// for a long sum is proportional to it.
func TestRebuild(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	const terms = 900
	plan := compile(t, w, "NOT "+predicatetest.Repeat(terms, "id", "+")+" IN {1, id}", predicate.Problem)
	conds, exprs := 0, 0
	predicate.Rebuild(plan.Where, func(c predicate.Cond) predicate.Cond { conds++; return c }, func(x predicate.Expr) predicate.Expr { exprs++; return x })
	if want := 2*terms - 1 + 2; conds != 2 || exprs != want {
		t.Errorf("%d conditions and %d expressions, want 2 and %d", conds, exprs, want)
	}
}
