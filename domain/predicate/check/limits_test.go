package check

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestLimits checks each limit of section 6. A predicate at the limit compiles. One
// beyond it has its error at the excess.
func TestLimits(t *testing.T) {
	t.Parallel()
	nested := func(n int, open, inner, closing string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	pattern := func(n int) string { return "title MATCHES '" + strings.Repeat("é", n) + "'" }
	subqueries := func(n int) string {
		text := "TRUEPREDICATE"
		for i := n; i > 0; i-- {
			coll := "$p.child.relationships"
			if i == 1 {
				coll = "relationships"
			}
			text = "SUBQUERY(" + coll + ", $p, " + text + ").@count > 0"
		}
		return text
	}
	const length = "id = 1"
	for _, c := range []struct {
		name    string
		allowed string
		more    string
		col     int // in more
	}{
		{"bytes", length + strings.Repeat(" ", predicate.MaxBytes-len(length)), length + strings.Repeat(" ", predicate.MaxBytes-len(length)+1), 16385},
		{"bytes that are not code points",
			"title = '" + strings.Repeat("é", (16384-10)/2) + "'",
			"title = '" + strings.Repeat("é", (16384-10)/2) + "' ", 10 + (16384-10)/2 + 1},
		{"bytes, inside of a code point",
			"title ='" + strings.Repeat("é", (16384-10)/2) + "'",
			"title ='" + strings.Repeat("é", (16384-8)/2) + "é'", 8 + (16384-8)/2 + 1},
		{"parentheses", nested(64, "(", "id = 1", ")"), nested(65, "(", "id = 1", ")"), 65},
		{"parentheses around a value", nested(64, "(", "id", ")") + " = 1", nested(65, "(", "id", ")") + " = 1", 65},
		{"NOT", nested(64, "NOT ", "id = 1", ""), nested(65, "NOT ", "id = 1", ""), 4*64 + 1},
		{"minus", nested(64, "-", "1", "") + " = 1", nested(65, "-", "1", "") + " = 1", 65},
		{"calls", nested(64, "abs(", "1", ")") + " = 1", nested(65, "abs(", "1", ")") + " = 1", 4 * 65},
		{"casts", nested(64, "CAST(", "1", ", 'NSNumber')") + " = 1", nested(65, "CAST(", "1", ", 'NSNumber')") + " = 1", 5 * 65},
		{"a mixture", nested(32, "NOT (", "id = 1", ")"), nested(32, "NOT (", "-id = 1", ")"), 32*5 + 1},
		{"braces", nested(63, "(", "id IN {1}", ")"), nested(64, "(", "id IN {1}", ")"), 64 + 7},
		{"closed levels do not count", predicatetest.Repeat(100, "(id = -1)", " AND "), nested(65, "(", "id = 1", ")"), 65},
		// 500 comparisons of two operands are 1500 nodes, and there are 499 times AND.
		{"nodes", "NOT " + predicatetest.Repeat(500, "id=1", " AND "), predicatetest.Repeat(500, "id=1", " AND ") + " OR NOT 1=1", 4*500 + 5*499 + 5},
		{"nodes, with literals in lists", predicatetest.Repeat(499, "id=1", " AND ") + " AND id IN {" + predicatetest.Repeat(900, "1", ",") + "}",
			predicatetest.Repeat(499, "id=1", " AND ") + " AND id IN {1,id,'a',(1)}", 4*499 + 5*499 + len("id IN {1,id,'a',") + 2},
		{"nodes, with an operator after a literal in a list", predicatetest.Repeat(499, "id=1", " AND ") + " AND id IN {1}",
			predicatetest.Repeat(499, "id=1", " AND ") + " AND id IN {1,id,1+1}", 4*499 + 5*499 + len("id IN {1,id,") + 2 - 1},
		{"list members", "id IN {" + predicatetest.Repeat(1000, "1", ",") + "}", "id IN {" + predicatetest.Repeat(1001, "1", ",") + "}", 7 + 2*1000 + 1},
		{"path segments", "component" + strings.Repeat(".parent", 8) + ".name = 'a'", "component" + strings.Repeat(".parent", 9) + ".name = 'a'", 9 + 7*9 + 2},
		{"path segments, in parentheses", "((component" + strings.Repeat(".parent", 4) + ").parent.parent.parent).parent.name = 'a'",
			"((component" + strings.Repeat(".parent", 4) + ").parent.parent.parent).parent.parent.name = 'a'", 11 + 28 + 1 + 21 + 1 + 14 + 2},
		{"path segments, after a variable", "SUBQUERY(component.children, $c, $c" + strings.Repeat(".parent", 9) + ".name = 'a').@count > 0",
			"SUBQUERY(component.children, $c, $c" + strings.Repeat(".parent", 10) + ".name = 'a').@count > 0", 35 + 70 + 2},
		{"nested SUBQUERY", subqueries(3), subqueries(4), strings.LastIndex(subqueries(4), "SUBQUERY") + 1},
		{"SUBQUERY in a row", predicatetest.Repeat(9, "SUBQUERY(watchers, $w, TRUEPREDICATE).@count > 0", " OR "), subqueries(4), strings.LastIndex(subqueries(4), "SUBQUERY") + 1},
		{"MATCHES", predicatetest.Repeat(8, "title MATCHES 'a'", " OR "), predicatetest.Repeat(9, "title MATCHES 'a'", " OR "), 8*21 + 7},
		{"length of a pattern", pattern(256), pattern(257), 15},
		{"length of a pattern as it is written", "title MATCHES '" + strings.Repeat("e\u0301", 128) + "'", "title MATCHES '" + strings.Repeat("e\u0301", 128) + "a'", 15},
		{"path segments, before and after SUBQUERY", "SUBQUERY(component" + strings.Repeat(".children", 4) + ", $c, TRUEPREDICATE)" + strings.Repeat(".parent", 5) + ".@count > 0",
			"SUBQUERY(component" + strings.Repeat(".children", 4) + ", $c, TRUEPREDICATE)" + strings.Repeat(".parent", 6) + ".@count > 0", 9 + 9 + 36 + 20 + 5*7 + 2},
		{"path segments, before and after two of SUBQUERY", "SUBQUERY(SUBQUERY(component.children, $c, TRUEPREDICATE), $c, TRUEPREDICATE)" + strings.Repeat(".parent", 8) + ".@count > 0",
			"SUBQUERY(SUBQUERY(component.children, $c, TRUEPREDICATE), $c, TRUEPREDICATE)" + strings.Repeat(".parent", 9) + ".@count > 0", 76 + 8*7 + 2},
		{"runs of *", "title LIKE '" + strings.Repeat("**a", 16) + "'", "title LIKE '" + strings.Repeat("*a", 17) + "'", 12},
		{"escaped *", "title LIKE '" + strings.Repeat(`\\*`, 17) + "'", "title LIKE '" + strings.Repeat("*a", 17) + "'", 12},
	} {
		if _, err := Compile(c.allowed, predicate.Problem, checkEnv); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		_, err := Compile(c.more, predicate.Problem, checkEnv)
		predicatetest.WantError(t, "more "+c.name, err, predicate.LimitExceeded, 1, c.col)
	}
}

// TestJoins checks that one variable leads to 32 objects at most.
func TestJoins(t *testing.T) {
	t.Parallel()
	// paths returns comparisons of n different objects below one of a component.
	paths := func(start string, n int) (conds []string) {
		for _, first := range []string{"parent", "successor"} {
			for _, second := range []string{"parent", "successor"} {
				path := start + "." + first
				for range 4 {
					path += "." + second
					conds = append(conds, path+".name = 'a'")
				}
			}
		}
		return conds[:n]
	}
	// component, two below it, and four chains of four each: 19 objects.
	component := strings.Join(paths("component", 16), " AND ")
	// milestone, its component, parent, four below each of that one: 3 + 8.
	milestone := strings.Join(paths("milestone.component", 8), " AND ")
	text := component + " AND " + milestone + " AND state.name = 'a' AND assignee.name = 'a'" // 19 + 11 + 2
	if _, err := Compile(text, predicate.Problem, checkEnv); err != nil {
		t.Errorf("32 objects: %v", err)
	}
	same := " AND state.order = 1 AND component.parent.closed = NO AND assignee = nil AND resolver = nil"
	if _, err := Compile(text+same, predicate.Problem, checkEnv); err != nil {
		t.Errorf("the same objects again, and ends of paths: %v", err)
	}
	others := " AND SUBQUERY(relationships, $r, $r.child.state.name = 'a' AND " + strings.ReplaceAll(component, "component.", "$r.child.component.") + ").@count > 0" +
		" AND ANY relationships.child.priority.name = 'a'"
	if _, err := Compile(text+others, predicate.Problem, checkEnv); err != nil {
		t.Errorf("other variables, and behind a collection: %v", err)
	}
	text += " AND "
	_, err := Compile(text+"resolver.name = 'a'", predicate.Problem, checkEnv)
	predicatetest.WantError(t, "one object more", err, predicate.TooExpensive, 1, len(text)+len("resolver.")+1)
}
