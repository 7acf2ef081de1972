package predicatetest

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// Attack is a harmful predicate with its expected refusal.
type Attack struct {
	Name string
	Text string
	Kind predicate.ErrorKind // empty: it is an ordinary predicate
	// Column is the position of the refusal, the most text to read.
	Column int
}

// Hostile returns harmful predicates, and ordinary ones that take much work.
func Hostile() []Attack {
	fill := func(text string) string { return strings.Repeat(text, predicate.MaxBytes/len(text)) }
	return []Attack{
		{"open parentheses", fill("("), predicate.LimitExceeded, 65},
		{"open parentheses around a value", strings.Repeat("(", 64) + "id" + fill(")"), predicate.LimitExceeded, predicate.MaxBytes + 1},
		{"balanced parentheses", strings.Repeat("(", 8000) + "id = 1" + strings.Repeat(")", 8000), predicate.LimitExceeded, 65},
		{"open braces", "id IN " + strings.Repeat("{", 16000), predicate.LimitExceeded, 7 + 64},
		{"NOT", fill("NOT "), predicate.LimitExceeded, 4*64 + 1},
		{"exclamation marks", fill("!"), predicate.LimitExceeded, 65},
		{"minus signs", fill("-"), predicate.LimitExceeded, 65},
		{"calls", fill("abs("), predicate.LimitExceeded, 4 * 65},
		{"FUNCTION in FUNCTION", fill("FUNCTION("), predicate.LimitExceeded, 9 * 65},
		{"SUBQUERY in SUBQUERY", fill("SUBQUERY("), predicate.LimitExceeded, 28},
		{"CAST in CAST", fill("CAST("), predicate.LimitExceeded, 5 * 65},
		{"brackets", fill("["), predicate.InvalidSyntax, 1},
		{"a long list", "id IN {" + strings.Repeat("1,", 8000) + "1}", predicate.LimitExceeded, 7 + 2*1000 + 1},
		{"a long call", "abs(" + strings.Repeat("1,", 8000) + "1) = 1", predicate.LimitExceeded, 4 + 2*1999 + 1},
		{"a long sum", "1" + strings.Repeat("+1", 8000) + " = 1", predicate.LimitExceeded, 2*1000 + 1},
		{"many conditions", "id=1" + strings.Repeat("||id=1", 2000), predicate.LimitExceeded, 6*500 + 1},
		{"a long path", "state" + fill(".state")[:predicate.MaxBytes-16] + " = 1", predicate.LimitExceeded, 5 + 6*9 + 2},
		{"many aggregates", "a" + strings.Repeat(".@count", 2000) + " = 1", predicate.UnknownKey, 1},
		{"a long word", fill("a"), predicate.InvalidSyntax, predicate.MaxBytes + 1},
		{"a long word compared", strings.Repeat("a", 16000) + " = 1", predicate.UnknownKey, 1},
		{"a long variable", "$" + strings.Repeat("a", 16000) + " = 1", predicate.UnboundVariable, 1},
		{"a long function", strings.Repeat("a", 16000) + "() = 1", predicate.UnknownFunction, 1},
		{"a long number", strings.Repeat("9", 16000) + " = 1", predicate.InvalidSyntax, 1},
		{"a long fraction", "id = 0." + strings.Repeat("1", 16000), "", 0},
		{"a long string that is not closed", "title = '" + strings.Repeat("a", 16000), predicate.InvalidSyntax, 9},
		{"many escapes", "title = '" + strings.Repeat(`\\`, 8000) + "'", "", 0},
		{"many strings that are not closed", "title = " + strings.Repeat(`'\'`, 5000), predicate.InvalidSyntax, 13},
		{"many combining marks", "title =[cd] '" + strings.Repeat("\u0301\u0323", 4000) + "'", "", 0},
		{"only white space", fill(" "), predicate.InvalidSyntax, predicate.MaxBytes + 1},
		{"too long", strings.Repeat("(", 1<<20), predicate.LimitExceeded, predicate.MaxBytes + 1},
		{"not UTF-8", strings.Repeat("\xff", predicate.MaxBytes), predicate.InvalidSyntax, 1},
		{"not UTF-8 and too long", strings.Repeat("\x80", predicate.MaxBytes+1), predicate.LimitExceeded, predicate.MaxBytes + 1},
		{"nested repetition", "title MATCHES '((((a{100}){100}){100}){100})'", predicate.InvalidPattern, 15},
		{"a catastrophic pattern", "title MATCHES '(a*)*b|(a|a)*c|(.*)*'", "", 0},
		{"a pattern that is repeated", "title MATCHES '" + strings.Repeat("(.*.?){999}", 23) + "b'", predicate.InvalidPattern, 15},
		{"eight of them", Repeat(8, "title MATCHES '"+strings.Repeat("(.*.?){999}", 23)+"b'", " OR "), predicate.InvalidPattern, 15},
		{"large classes", `title MATCHES[c] '` + strings.Repeat(`\\PL`, 85) + "'", predicate.InvalidPattern, 18},
		{"eight patterns of large classes", Repeat(8, "title MATCHES[c] '"+strings.Repeat(`\\PL`, 11)+"'", " OR "), "", 0},
		{"a pattern as large as it may be", "title MATCHES 'a{1000}b{1000}'", "", 0},
		{"a constant that is matched", "'" + strings.Repeat("a", 1000) + "' MATCHES '" + strings.Repeat("(a?){15}", 28) + "b'", "", 0},
		{"a long sum of keys", "id" + strings.Repeat("+id", 980) + " = 1", "", 0},
		{"a LIKE pattern of ?", "title LIKE '*" + strings.Repeat("?", 16000) + "b*'", "", 0},
		{"nested groups", "title MATCHES '" + strings.Repeat("(", 128) + strings.Repeat(")", 128) + "'", "", 0},
		{"many runs of *", "title LIKE '" + strings.Repeat("*a", 8000) + "'", predicate.LimitExceeded, 12},
		{"SQL in a string", `title = 'x\'; DROP TABLE problems; --'`, "", 0},
		{"SQL outside", "title = 'x'; DROP TABLE problems; --", predicate.InvalidSyntax, 12},
		{"SQL in place of a key", `title" OR 1=1 = 'x'`, predicate.InvalidSyntax, 6},
		{"a long list of literals", "sum({1" + strings.Repeat(",1", 999) + "}) = 1", "", 0},
		{"long lists in lists", Repeat(40, "SUBQUERY("+ones(30)+", $a, SUBQUERY("+ones(30)+", $b, SUBQUERY("+ones(30)+", $c, $a + $b < $c).@count > 0).@count > 0).@count > 0", " OR "), "", 0},
		{"long lists in lists and keys", Repeat(30, "SUBQUERY("+ones(30)+", $a, SUBQUERY("+ones(30)+", $b, SUBQUERY("+ones(30)+", $c, $a + $b < id).@count > 0).@count > 0).@count > 0", " OR "), "", 0},
		{"many short lists", Repeat(200, "ANY "+ones(12)+" < id", " OR "), "", 0},
		{"short lists in lists", Repeat(60, "ALL {1,2} < SUBQUERY({1,2}, $a, ANY {$a,2} < SUBQUERY({1,2}, $b, ANY {$a,$b} < id).@count).@count", " OR "), "", 0},
		{"BETWEEN in SUBQUERY in BETWEEN", nestedBetween(3), "", 0},
	}
}

// ones is a list of so many literals.
func ones(n int) string { return "{1" + strings.Repeat(",1", n-1) + "}" }

// nestedBetween nests SUBQUERY in the operand of BETWEEN. A Plan has this operand
// twice.
func nestedBetween(depth int) string {
	text := "1"
	coll := "$c.children"
	for i := range depth {
		if i == depth-1 {
			coll = "component.children"
		}
		text = "SUBQUERY(" + coll + ", $c, " + text + " BETWEEN {0, 2}).@count"
	}
	return text + " BETWEEN {0, 2}"
}
