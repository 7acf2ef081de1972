package predicate

import (
	"errors"
	"strings"
	"testing"
)

// attack is a harmful predicate with its expected refusal.
type attack struct {
	name string
	text string
	kind ErrorKind // empty: it is an ordinary predicate
	// column is the position of the refusal, the most text to read.
	column int
}

func hostile() []attack {
	fill := func(text string) string { return strings.Repeat(text, MaxBytes/len(text)) }
	return []attack{
		{"open parentheses", fill("("), LimitExceeded, 65},
		{"open parentheses around a value", strings.Repeat("(", 64) + "id" + fill(")"), LimitExceeded, MaxBytes + 1},
		{"balanced parentheses", strings.Repeat("(", 8000) + "id = 1" + strings.Repeat(")", 8000), LimitExceeded, 65},
		{"open braces", "id IN " + strings.Repeat("{", 16000), LimitExceeded, 7 + 64},
		{"NOT", fill("NOT "), LimitExceeded, 4*64 + 1},
		{"exclamation marks", fill("!"), LimitExceeded, 65},
		{"minus signs", fill("-"), LimitExceeded, 65},
		{"calls", fill("abs("), LimitExceeded, 4 * 65},
		{"FUNCTION in FUNCTION", fill("FUNCTION("), LimitExceeded, 9 * 65},
		{"SUBQUERY in SUBQUERY", fill("SUBQUERY("), LimitExceeded, 28},
		{"CAST in CAST", fill("CAST("), LimitExceeded, 5 * 65},
		{"brackets", fill("["), InvalidSyntax, 1},
		{"a long list", "id IN {" + strings.Repeat("1,", 8000) + "1}", LimitExceeded, 7 + 2*1000 + 1},
		{"a long call", "abs(" + strings.Repeat("1,", 8000) + "1) = 1", LimitExceeded, 4 + 2*1999 + 1},
		{"a long sum", "1" + strings.Repeat("+1", 8000) + " = 1", LimitExceeded, 2*1000 + 1},
		{"many conditions", "id=1" + strings.Repeat("||id=1", 2000), LimitExceeded, 6*500 + 1},
		{"a long path", "state" + fill(".state")[:MaxBytes-16] + " = 1", LimitExceeded, 5 + 6*9 + 2},
		{"many aggregates", "a" + strings.Repeat(".@count", 2000) + " = 1", UnknownKey, 1},
		{"a long word", fill("a"), InvalidSyntax, MaxBytes + 1},
		{"a long word compared", strings.Repeat("a", 16000) + " = 1", UnknownKey, 1},
		{"a long variable", "$" + strings.Repeat("a", 16000) + " = 1", UnboundVariable, 1},
		{"a long function", strings.Repeat("a", 16000) + "() = 1", UnknownFunction, 1},
		{"a long number", strings.Repeat("9", 16000) + " = 1", InvalidSyntax, 1},
		{"a long fraction", "id = 0." + strings.Repeat("1", 16000), "", 0},
		{"a long string that is not closed", "title = '" + strings.Repeat("a", 16000), InvalidSyntax, 9},
		{"many escapes", "title = '" + strings.Repeat(`\\`, 8000) + "'", "", 0},
		{"many strings that are not closed", "title = " + strings.Repeat(`'\'`, 5000), InvalidSyntax, 13},
		{"many combining marks", "title =[cd] '" + strings.Repeat("\u0301\u0323", 4000) + "'", "", 0},
		{"only white space", fill(" "), InvalidSyntax, MaxBytes + 1},
		{"too long", strings.Repeat("(", 1<<20), LimitExceeded, MaxBytes + 1},
		{"not UTF-8", strings.Repeat("\xff", MaxBytes), InvalidSyntax, 1},
		{"not UTF-8 and too long", strings.Repeat("\x80", MaxBytes+1), LimitExceeded, MaxBytes + 1},
		{"nested repetition", "title MATCHES '((((a{100}){100}){100}){100})'", InvalidPattern, 15},
		{"a catastrophic pattern", "title MATCHES '(a*)*b|(a|a)*c|(.*)*'", "", 0},
		{"a pattern that is repeated", "title MATCHES '" + strings.Repeat("(.*.?){999}", 23) + "b'", InvalidPattern, 15},
		{"eight of them", repeat(8, "title MATCHES '"+strings.Repeat("(.*.?){999}", 23)+"b'", " OR "), InvalidPattern, 15},
		{"large classes", `title MATCHES[c] '` + strings.Repeat(`\\PL`, 85) + "'", InvalidPattern, 18},
		{"eight patterns of large classes", repeat(8, "title MATCHES[c] '"+strings.Repeat(`\\PL`, 11)+"'", " OR "), "", 0},
		{"a pattern as large as it may be", "title MATCHES 'a{1000}b{1000}'", "", 0},
		{"a constant that is matched", "'" + strings.Repeat("a", 1000) + "' MATCHES '" + strings.Repeat("(a?){15}", 28) + "b'", "", 0},
		{"a long sum of keys", "id" + strings.Repeat("+id", 980) + " = 1", "", 0},
		{"a LIKE pattern of ?", "title LIKE '*" + strings.Repeat("?", 16000) + "b*'", "", 0},
		{"nested groups", "title MATCHES '" + strings.Repeat("(", 128) + strings.Repeat(")", 128) + "'", "", 0},
		{"many runs of *", "title LIKE '" + strings.Repeat("*a", 8000) + "'", LimitExceeded, 12},
		{"SQL in a string", `title = 'x\'; DROP TABLE problems; --'`, "", 0},
		{"SQL outside", "title = 'x'; DROP TABLE problems; --", InvalidSyntax, 12},
		{"SQL in place of a key", `title" OR 1=1 = 'x'`, InvalidSyntax, 6},
		{"a long list of literals", "sum({1" + strings.Repeat(",1", 999) + "}) = 1", "", 0},
		{"long lists in lists", repeat(40, "SUBQUERY("+ones(30)+", $a, SUBQUERY("+ones(30)+", $b, SUBQUERY("+ones(30)+", $c, $a + $b < $c).@count > 0).@count > 0).@count > 0", " OR "), "", 0},
		{"long lists in lists and keys", repeat(30, "SUBQUERY("+ones(30)+", $a, SUBQUERY("+ones(30)+", $b, SUBQUERY("+ones(30)+", $c, $a + $b < id).@count > 0).@count > 0).@count > 0", " OR "), "", 0},
		{"many short lists", repeat(200, "ANY "+ones(12)+" < id", " OR "), "", 0},
		{"short lists in lists", repeat(60, "ALL {1,2} < SUBQUERY({1,2}, $a, ANY {$a,2} < SUBQUERY({1,2}, $b, ANY {$a,$b} < id).@count).@count", " OR "), "", 0},
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

// TestHostile checks that harmful predicates are refused as early as possible, with
// little memory. It counts allocations instead of time, because time depends on the
// machine. BenchmarkHostile shows the time.
func TestHostile(t *testing.T) { // not in parallel: it counts allocations
	for _, a := range hostile() {
		if a.kind != "" {
			_, err := Compile(a.text, Problem, checkEnv)
			var e *Error
			if !errors.As(err, &e) || e.Kind != a.kind || e.Column != a.column || e.Line != 1 {
				t.Errorf("%s: %v, want %s at 1:%d", a.name, err, a.kind, a.column)
			}
		} else if _, err := Compile(a.text, Problem, checkEnv); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
		const most = 20_000
		if n := testing.AllocsPerRun(1, func() { _, _ = Compile(a.text, Problem, checkEnv) }); n > most {
			t.Errorf("%s: %.0f allocations, want %d at most", a.name, n, most)
		}
	}
}

// TestHostileSplit checks that Split makes little of them.
func TestHostileSplit(t *testing.T) { // not in parallel: it counts allocations
	for _, a := range hostile() {
		plan, err := Compile(a.text, Problem, checkEnv)
		if err != nil {
			continue
		}
		const most = 200_000
		if n := testing.AllocsPerRun(1, func() { plan.Split() }); n > most {
			t.Errorf("%s: %.0f allocations, want %d at most", a.name, n, most)
		}
		compiled, _ := plan.Split()
		nodes := 0
		walk(And{compiled}, func(any) bool { nodes++; return true })
		if most := 10 * MaxNodes; nodes > most {
			t.Errorf("%s: %d conditions and expressions are compiled, want %d at most", a.name, nodes, most)
		}
	}
}

// BenchmarkHostile shows that each of them takes less than 10 ms.
func BenchmarkHostile(b *testing.B) {
	for _, a := range hostile() {
		b.Run(a.name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Compile(a.text, Problem, checkEnv)
			}
		})
	}
}
