package syntax

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestParse checks section 2 of the query language: the binding of operators.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range parsed {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := form(s.Root); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestParseStopsAnywhere checks that the text before a token can continue with another
// one. So an error is never before the wrong token.
func TestParseStopsAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range parsed {
		tokens, err := tokensOf(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range append(tokens, token{offset: len(c.text)}) {
			before := c.text[:token.offset]
			at := ErrorAt(before, len(before), predicate.Unsupported, "")
			_, err := Parse(before + " %")
			predicatetest.WantError(t, before+" %", err, predicate.Unsupported, at.Line, at.Column+1)
			if _, err := Parse(before); err != nil {
				predicatetest.WantError(t, before, err, predicate.InvalidSyntax, at.Line, at.Column)
			}
		}
	}
}

// parsed are predicates and their trees.
var parsed = []struct{ text, want string }{
	{"a = b", "(= .a .b)"},
	{"a == b", "(= .a .b)"},
	{"a <> b", "(!= .a .b)"},
	{"a =< b", "(<= .a .b)"},
	{"a => b", "(>= .a .b)"},
	{"TRUEPREDICATE", "<true>"},
	{"falsePredicate", "<false>"},
	{"a = b OR c = d AND e = f", "(OR (= .a .b) (AND (= .c .d) (= .e .f)))"},
	{"a = b AND c = d OR e = f", "(OR (AND (= .a .b) (= .c .d)) (= .e .f))"},
	{"a = b || c = d && e = f", "(OR (= .a .b) (AND (= .c .d) (= .e .f)))"},
	{"a = b AND c = d && e = f", "(AND (= .a .b) (= .c .d) (= .e .f))"},
	{"a = b AND (c = d AND e = f)", "(AND (= .a .b) (AND (= .c .d) (= .e .f)))"},
	{"(a = b AND c = d) AND e = f", "(AND (AND (= .a .b) (= .c .d)) (= .e .f))"},
	{"(a = b OR c = d) AND e = f", "(AND (OR (= .a .b) (= .c .d)) (= .e .f))"},
	{"NOT a = b AND c = d", "(AND (NOT (= .a .b)) (= .c .d))"},
	{"! a = b", "(NOT (= .a .b))"},
	{"!!a = b", "(NOT (NOT (= .a .b)))"},
	{"NOT (a = b AND c = d)", "(NOT (AND (= .a .b) (= .c .d)))"},
	{"NOT TRUEPREDICATE", "(NOT <true>)"},
	{"((a = b))", "(= .a .b)"},
	{"(a) = (b)", "(= .a .b)"},
	{"((a)) = b", "(= .a .b)"},
	{"(((a)) = b)", "(= .a .b)"},
	{"(a + b) = c", "(= (+ .a .b) .c)"},
	{"a + b * c ** d = e", "(= (+ .a (* .b (** .c .d))) .e)"},
	{"a ** b * c + d = e", "(= (+ (* (** .a .b) .c) .d) .e)"},
	{"a - b - c = d", "(= (- (- .a .b) .c) .d)"},
	{"a - (b - c) = d", "(= (- .a (- .b .c)) .d)"},
	{"a / b * c = d", "(= (* (/ .a .b) .c) .d)"},
	{"a ** b ** c = d", "(= (** (** .a .b) .c) .d)"},
	{"-a ** b = c", "(= (** (minus .a) .b) .c)"},
	{"a ** -b = c", "(= (** .a (minus .b)) .c)"},
	{"--a = b", "(= (minus (minus .a)) .b)"},
	{"a - -b = c", "(= (- .a (minus .b)) .c)"},
	{"-a.b = c", "(= (minus .a.b) .c)"},
	{"a = b + c", "(= .a (+ .b .c))"},
	{"a.b.c = d", "(= .a.b.c .d)"},
	{"a . b\n.c = d", "(= .a.b.c .d)"},
	{"a.#b = #c", "(= .a.b .c)"},
	{"a.in = b.and", "(= .a.in .b.and)"},
	{"(a.b).c = d", "(= [.a.b].c .d)"},
	{"a.@count = b", "(= .a.@count .b)"},
	{"a.@ Count = b", "(= .a.@count .b)"},
	{"a[SIZE] = b", "(= .a.@count .b)"},
	{"a[ size ] = b", "(= .a.@count .b)"},
	{"a.@sum.b.c = d", "(= .a.@sum.b.c .d)"},
	{"a.@AVG.b = a.@min.b", "(= .a.@avg.b .a.@min.b)"},
	{"SELF = self", "(= SELF SELF)"},
	{"SELF.a = b", "(= [SELF].a .b)"},
	{"$r = $R", "(= $r $R)"},
	{"$r.a.b = $r.@max.c", "(= [$r].a.b [$r].@max.c)"},
	{"a =[c] b", "(=/1 .a .b)"},
	{"a ==[C] b", "(=/1 .a .b)"},
	{"a CONTAINS[d] b", "(CONTAINS/2 .a .b)"},
	{"a contains [ cd ] b", "(CONTAINS/3 .a .b)"},
	{"a LIKE[DC] b", "(LIKE/3 .a .b)"},
	{"a MATCHES[c] b", "(MATCHES/1 .a .b)"},
	{"a IN[c] {b}", "(IN/1 .a { .b})"},
	{"a < [c] b", "(</1 .a .b)"},
	{"a BETWEEN {b, c}", "(BETWEEN .a { .b .c})"},
	{"a BEGINSWITH b", "(BEGINSWITH .a .b)"},
	{"a endswith b", "(ENDSWITH .a .b)"},
	{"a IN {}", "(IN .a {})"},
	{"{a} CONTAINS b", "(CONTAINS { .a} .b)"},
	{"a IN {b + c, {d}}", "(IN .a { (+ .b .c) { .d}})"},
	{"ANY a = b", "(ANY = .a .b)"},
	{"SOME a = b", "(ANY = .a .b)"},
	{"all a.b != c", "(ALL != .a.b .c)"},
	{"NONE (a) IN b", "(NONE IN .a .b)"},
	{"NOT ANY a = b OR c = d", "(OR (NOT (ANY = .a .b)) (= .c .d))"},
	{"ANY a + b = c", "(ANY = (+ .a .b) .c)"},
	{"SUBQUERY(a, $x, $x.b = c OR d = e).@count > f", "(> [(SUBQUERY .a $x (OR (= [$x].b .c) (= .d .e)))].@count .f)"},
	{"SUBQUERY(a, $x, (b = c))[SIZE] = d", "(= [(SUBQUERY .a $x (= .b .c))].@count .d)"},
	{"CAST(a + b, 'NSDate') = c", `(= (CAST (+ .a .b) "NSDate") .c)`},
	{"f() = g(a, b + c)", "(= (f()) (g() .a (+ .b .c)))"},
	{"now ( ).a = b", "(= [(now())].a .b)"},
	{"FUNCTION('f:', a) = FUNCTION(a, 'f:', b)", `(= (FUNCTION() String:"f:":"f:" .a) (FUNCTION() .a String:"f:":"f:" .b))`},
	{"function(a, ('f:')) = b", `(= (function() .a String:"f:":"f:") .b)`},
	{"FUNCTION('f:', 'g:') = a", `(= (FUNCTION() String:"f:":"f:" String:"g:":"g:") .a)`},
	{"function = a", "(= .function .a)"},
	{"a = YES", `(= .a Bool:"":true)`},
	{"a = true", `(= .a Bool:"":true)`},
	{"a = no", `(= .a Bool:"":false)`},
	{"a = False", `(= .a Bool:"":false)`},
	{"a = nil", `(= .a Nil:"":<nil>)`},
	{"a = NULL", `(= .a Nil:"":<nil>)`},
	{"a = 7", `(= .a Int:"7":7)`},
	{"a = 1.5e1", `(= .a Float:"1.5e1":15)`},
	{"a = 'b'", `(= .a String:"b":"b")`},
	{"a='b'AND c=1", `(AND (= .a String:"b":"b") (= .c Int:"1":1))`},
	{"1.foo = 2", `(= [Int:"1":1].foo Int:"2":2)`},
	{"(-1).a = 2", `(= [(minus Int:"1":1)].a Int:"2":2)`},
	{"size_ = notes", "(= .size_ .notes)"},
}

// TestParseErrors checks that errors are at the first token without a valid
// continuation (section 5).
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text string
		kind predicate.ErrorKind
		line int
		col  int
	}{
		{"nothing", "", predicate.InvalidSyntax, 1, 1},
		{"white space", "  \n ", predicate.InvalidSyntax, 2, 2},
		{"a bare key", "watching", predicate.InvalidSyntax, 1, 9},
		{"a bare key and space", "watching ", predicate.InvalidSyntax, 1, 10},
		{"a bare literal", "YES", predicate.InvalidSyntax, 1, 4},
		{"a bare value in parentheses", "(watching)", predicate.InvalidSyntax, 1, 11},
		{"a bare value after NOT", "NOT watching", predicate.InvalidSyntax, 1, 13},
		{"a bare value before AND", "watching AND read = YES", predicate.InvalidSyntax, 1, 10},
		{"a bare value after AND", "read = YES AND watching", predicate.InvalidSyntax, 1, 24},
		{"a bare value before OR, in parentheses", "(watching OR read = YES)", predicate.InvalidSyntax, 1, 11},
		{"a bare value in parentheses before AND", "(watching) AND read = YES", predicate.InvalidSyntax, 1, 12},
		{"a bare value in SUBQUERY", "SUBQUERY(a, $x, b).@count > 0", predicate.InvalidSyntax, 1, 18},
		{"a function alone", "now()", predicate.InvalidSyntax, 1, 6},
		{"a sum alone", "1 + 1", predicate.InvalidSyntax, 1, 6},
		{"a condition as left operand", "(a = b) = c", predicate.InvalidSyntax, 1, 9},
		{"a condition as right operand", "c = (a = b)", predicate.InvalidSyntax, 1, 8},
		{"a condition as summand", "(a = b) + 1 = c", predicate.InvalidSyntax, 1, 9},
		{"a condition after a sign", "-(a = b) = c", predicate.InvalidSyntax, 1, 5},
		{"a condition as argument", "f(a = b) = c", predicate.InvalidSyntax, 1, 5},
		{"a condition in a list", "a IN {b = c}", predicate.InvalidSyntax, 1, 9},
		{"a condition with a key", "(a = b).c = d", predicate.InvalidSyntax, 1, 8},
		{"a condition after ANY", "ANY (a = b)", predicate.InvalidSyntax, 1, 8},
		{"NOT as operand", "a = NOT b", predicate.InvalidSyntax, 1, 5},
		{"! as operand", "a = !b", predicate.InvalidSyntax, 1, 5},
		{"TRUEPREDICATE as operand", "a = TRUEPREDICATE", predicate.InvalidSyntax, 1, 5},
		{"TRUEPREDICATE compared", "TRUEPREDICATE = a", predicate.InvalidSyntax, 1, 15},
		{"ANY as right operand", "a = ANY b", predicate.InvalidSyntax, 1, 5},
		{"ANY before a condition in parentheses", "ANY ANY a = b", predicate.InvalidSyntax, 1, 5},
		{"ANY in a sum", "1 + (ANY a = b) = c", predicate.InvalidSyntax, 1, 6},
		{"ANY without an operator", "ANY a", predicate.InvalidSyntax, 1, 6},
		{"ANY and AND", "ANY a AND b = c", predicate.InvalidSyntax, 1, 7},
		{"a chain", "a = b = c", predicate.InvalidSyntax, 1, 7},
		{"a chain of orders", "1 < a < 3", predicate.InvalidSyntax, 1, 7},
		{"a chain after ANY", "ANY a = b = c", predicate.InvalidSyntax, 1, 11},
		{"two values", "a b", predicate.InvalidSyntax, 1, 3},
		{"two conditions", "a = b c = d", predicate.InvalidSyntax, 1, 7},
		{"operator alone", "=", predicate.InvalidSyntax, 1, 1},
		{"no right operand", "a =", predicate.InvalidSyntax, 1, 4},
		{"no right operand before AND", "a = AND b = c", predicate.InvalidSyntax, 1, 5},
		{"no left operand", "AND a = b", predicate.InvalidSyntax, 1, 1},
		{"nothing after AND", "a = b AND", predicate.InvalidSyntax, 1, 10},
		{"nothing after NOT", "NOT", predicate.InvalidSyntax, 1, 4},
		{"nothing in parentheses", "()", predicate.InvalidSyntax, 1, 2},
		{"not closed", "(a = b", predicate.InvalidSyntax, 1, 7},
		{"closed twice", "(a = b))", predicate.InvalidSyntax, 1, 8},
		{"closed by another", "(a = b}", predicate.InvalidSyntax, 1, 7},
		{"a plus sign", "+a = b", predicate.InvalidSyntax, 1, 1},
		{"two dots", "a..b = c", predicate.InvalidSyntax, 1, 3},
		{"a dot at the end", "a. = c", predicate.InvalidSyntax, 1, 4},
		{"a number as key", "a.1 = c", predicate.InvalidSyntax, 1, 3},
		{"a string as key", "a.'b' = c", predicate.InvalidSyntax, 1, 3},
		{"a variable as key", "a.$b = c", predicate.InvalidSyntax, 1, 3},
		{"a leading dot", ".a = c", predicate.InvalidSyntax, 1, 1},
		{"a leading dot of a number", "a = .5", predicate.InvalidSyntax, 1, 5},
		{"@ without a word", "a.@ = c", predicate.InvalidSyntax, 1, 5},
		{"@ without a dot", "a@count = c", predicate.InvalidSyntax, 1, 2},
		{"other @ operators", "a.@distinctUnionOfObjects.b = c", predicate.Unsupported, 1, 4},
		{"@first", "a.@first = c", predicate.Unsupported, 1, 4},
		{"FIRST", "a[FIRST] = c", predicate.Unsupported, 1, 3},
		{"LAST", "a[last] = c", predicate.Unsupported, 1, 3},
		{"an index", "a[0] = c", predicate.Unsupported, 1, 3},
		{"a modifier after an operand", "a[c] = 'x'", predicate.InvalidSyntax, 1, 3},
		{"an empty index", "a[] = c", predicate.InvalidSyntax, 1, 3},
		{"an index that is not closed", "a[SIZE = c", predicate.InvalidSyntax, 1, 8},
		{"an unknown modifier", "a =[x] b", predicate.InvalidSyntax, 1, 5},
		{"a modifier twice", "a =[cc] b", predicate.InvalidSyntax, 1, 5},
		{"no modifier", "a =[] b", predicate.InvalidSyntax, 1, 5},
		{"a string as modifier", "a =['c'] b", predicate.InvalidSyntax, 1, 5},
		{"a modifier with more", "a =[c d] b", predicate.InvalidSyntax, 1, 7},
		{"a modifier of BETWEEN", "a BETWEEN[c] {b, c}", predicate.InvalidSyntax, 1, 10},
		{"[d] of MATCHES", "a MATCHES[d] 'b'", predicate.Unsupported, 1, 11},
		{"[cd] of MATCHES", "a MATCHES[cd] 'b'", predicate.Unsupported, 1, 11},
		{"a list with a comma at the end", "a IN {1,}", predicate.InvalidSyntax, 1, 9},
		{"a list with a comma at the start", "a IN {,1}", predicate.InvalidSyntax, 1, 7},
		{"a list that is not closed", "a IN {1", predicate.InvalidSyntax, 1, 8},
		{"a list without commas", "a IN {1 2}", predicate.InvalidSyntax, 1, 9},
		{"a list in round parentheses", "a IN (1, 2)", predicate.InvalidSyntax, 1, 8},
		{"a list in brackets", "a IN [1, 2]", predicate.InvalidSyntax, 1, 7},
		{"SUBQUERY without parentheses", "SUBQUERY a", predicate.InvalidSyntax, 1, 10},
		{"SUBQUERY without arguments", "SUBQUERY()", predicate.InvalidSyntax, 1, 10},
		{"SUBQUERY without a variable", "SUBQUERY(a, b, c = d)", predicate.InvalidSyntax, 1, 13},
		{"SUBQUERY without a condition", "SUBQUERY(a, $x)", predicate.InvalidSyntax, 1, 15},
		{"SUBQUERY with more", "SUBQUERY(a, $x, b = c, d)", predicate.InvalidSyntax, 1, 22},
		{"SUBQUERY alone", "SUBQUERY(a, $x, b = c)", predicate.InvalidSyntax, 1, 23},
		{"CAST without a type", "CAST(a) = b", predicate.InvalidSyntax, 1, 7},
		{"CAST to a key", "CAST(a, NSDate) = b", predicate.InvalidSyntax, 1, 9},
		{"a call with a comma at the end", "f(a,) = b", predicate.InvalidSyntax, 1, 5},
		{"a call that is not closed", "f(a = b", predicate.InvalidSyntax, 1, 5},
		{"a call of a #word", "#f(a) = b", predicate.InvalidSyntax, 1, 3},
		{"a call after a dot", "a.f(b) = c", predicate.InvalidSyntax, 1, 4},
		{"a call of a variable", "$f(a) = b", predicate.InvalidSyntax, 1, 3},
		{"FUNCTION without arguments", "FUNCTION() = a", predicate.InvalidSyntax, 1, 10},
		{"FUNCTION with one argument that is no selector", "FUNCTION(a) = b", predicate.InvalidSyntax, 1, 11},
		{"FUNCTION without a selector", "FUNCTION(a, b, 'f:') = c", predicate.InvalidSyntax, 1, 13},
		{"FUNCTION with a computed selector", "FUNCTION(a, 'f' + ':') = c", predicate.InvalidSyntax, 1, 13},
		{"a reserved word as key", "size = 1", predicate.InvalidSyntax, 1, 1},
		{"a reserved word as right operand", "a = first", predicate.InvalidSyntax, 1, 5},
		{"an assignment", "$a := 1", predicate.Unsupported, 1, 4},
		{"an argument", "a = %@", predicate.Unsupported, 1, 5},
		{"the first error counts", "a b %@", predicate.InvalidSyntax, 1, 3},
		{"on the third line", "a = b\nAND\n  c d", predicate.InvalidSyntax, 3, 5},
		{"the end on another line", "a = b\nAND\n", predicate.InvalidSyntax, 3, 1},
		{"the end after code points of several bytes", "'é😀' =", predicate.InvalidSyntax, 1, 7},
		{"after code points of several bytes", "'é😀' 1", predicate.InvalidSyntax, 1, 6},
	} {
		_, err := Parse(c.text)
		predicatetest.WantError(t, c.name+": "+c.text, err, c.kind, c.line, c.col)
	}
}

// TestArithmeticKnowsItsStart: parsing a long sum does not search for its start at
// each operator.
func TestArithmeticKnowsItsStart(t *testing.T) {
	t.Parallel()
	s, err := Parse("  " + predicatetest.Repeat(900, "id", "+") + " = 1")
	if err != nil {
		t.Fatal(err)
	}
	sum := s.Root.(*Comparison).Left.(*Arithmetic)
	if sum.First != 2 || sum.Start() != 2 {
		t.Errorf("it starts at %d", sum.First)
	}
	if sum.Left = nil; sum.Start() != 2 {
		t.Errorf("without its operand, it starts at %d", sum.Start())
	}
}
