package syntax

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// TestPrint checks the canonical spelling of a predicate.
func TestPrint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"a==b&&!(c<>1||d=nil)", "a = b AND NOT (c != 1 OR d = nil)"},
		{"((a = b) AND ((c = d)))", "a = b AND c = d"},
		{"(a = b AND c = d) AND e = f", "(a = b AND c = d) AND e = f"},
		{"some A.b contains[DC] \"it's\"", `ANY A.b CONTAINS[cd] "it's"`},
		{`a = "x" AND b = "\"" AND c = '\u0041\n\\'`, `a = 'x' AND b = '"' AND c = 'A` + "\n" + `\\'`},
		{`a = '\'"\''`, `a = "'\"'"`},
		{"#in = #a AND a.#in = b.not", "#in = a AND a.in = b.not"},
		{"a[size]=b.@Count", "a.@count = b.@count"},
		{"(1+2)*3=1+(2*3)", "(1 + 2) * 3 = 1 + 2 * 3"},
		{"1-(2-3)=(1-2)-3", "1 - (2 - 3) = 1 - 2 - 3"},
		{"-(1+2)=(-1)**2", "-(1 + 2) = -1 ** 2"},
		{"-(1**2)=--1", "-(1 ** 2) = --1"},
		{"(a+b).c=(a.b).c", "(a + b).c = (a.b).c"},
		{"TRUE=no", "YES = NO"},
		{"007=1E+05", "007 = 1E+05"},
		{"trUEPredicate or falsepredicate", "TRUEPREDICATE OR FALSEPREDICATE"},
		{"x in{}or{1,'a'}contains x", "x IN {} OR {1, 'a'} CONTAINS x"},
		{"subquery(a,$b,$b.c=self)[size]>0", "SUBQUERY(a, $b, $b.c = SELF).@count > 0"},
		{"cast(a,\"NSDate\")=Function(Now(),'f:',1)", "CAST(a, 'NSDate') = Function(Now(), 'f:', 1)"},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := s.String(); got != c.want {
			t.Errorf("%s is printed as\n%s, want\n%s", c.text, got, c.want)
		}
	}
}

// TestPrintParse checks that printing and parsing gives an equal tree, for trees of
// any form.
func TestPrintParse(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		g := growth{Rand: random, nodes: predicate.MaxNodes / 4}
		checkPrintParse(t, &Tree{Root: g.condition(5)})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkPrintParse checks that parsing the printed text gives an equal tree.
func checkPrintParse(t *testing.T, s *Tree) {
	t.Helper()
	text := s.String()
	again, err := parse(text)
	if err != nil {
		t.Errorf("%s\nis printed as\n%s\n%v", form(s.Root), text, err)
		return
	}
	if got, want := form(again.Root), form(s.Root); got != want {
		t.Errorf("%s\nis printed as\n%s\nand parsed as\n%s", want, text, got)
	}
	if twice := again.String(); twice != text {
		t.Errorf("%s\nis printed as\n%s\nthe second time", text, twice)
	}
}

// growth grows a tree of random form, within the limits.
type growth struct {
	*rand.Rand
	nodes   int // nodes left to make
	queries int // SUBQUERY, open ones
}

func (g *growth) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *growth) name() string {
	return g.pick("a", "title", "State", "_x1", "function", "in", "AND", "size", "e5", "nil")
}

// callable returns a word usable as a function's name.
func (g *growth) callable() string { return g.pick("f", "now", "DateByAdding", "_") }

func (g *growth) string() string {
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteString(g.pick("a", "'", `"`, `\`, "\n", "é", "😀", "%@", "e\u0301", "\u0001", `\u0041`))
	}
	return b.String()
}

func (g *growth) condition(depth int) Condition {
	n := g.IntN(6)
	if g.nodes--; depth <= 0 || g.nodes < 0 {
		n = g.IntN(2)
	}
	switch n {
	case 0:
		return &Truth{Holds: g.IntN(2) == 0}
	case 1, 2, 3:
		c := &Comparison{
			Op:    TokenKind(g.pick("=", "!=", "<", "<=", ">", ">=", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE")),
			Fold:  predicate.Folding(g.IntN(4)),
			Left:  g.operand(depth),
			Right: g.operand(depth),
		}
		if g.IntN(3) == 0 {
			c.Qualifier = TokenKind(g.pick("ANY", "ALL", "NONE"))
		}
		return c
	case 4:
		return &Negation{Cond: g.condition(depth - 1)}
	default:
		j := &Junction{Op: TokenKind(g.pick("AND", "OR"))}
		for range 2 + g.IntN(3) {
			j.Conds = append(j.Conds, g.condition(depth-1))
		}
		return j
	}
}

func (g *growth) operands(depth, most int) []Operand {
	var list []Operand
	for range g.IntN(most + 1) {
		list = append(list, g.operand(depth))
	}
	return list
}

func (g *growth) literal() *Literal {
	switch g.IntN(5) {
	case 0:
		l, _ := token{kind: number, text: g.pick("0", "7", "007", "9223372036854775807")}.literal()
		return l
	case 1:
		l, _ := token{kind: number, text: g.pick("0.0", "1e5", "1E-05", "12.50", "1.5e+300")}.literal()
		return l
	case 2:
		l, _ := token{kind: TokenKind(g.pick("YES", "NO", "NIL"))}.literal()
		return l
	default:
		l, _ := token{kind: quote, text: g.string()}.literal()
		return l
	}
}

func (g *growth) operand(depth int) Operand {
	n := g.IntN(11)
	if g.nodes--; depth <= 0 || g.nodes < 0 {
		n = g.IntN(5)
	}
	switch n {
	case 0, 1:
		return g.literal()
	case 2:
		return &Self{}
	case 3:
		return &Reference{Name: g.name()}
	case 4:
		return g.path(nil)
	case 5:
		return g.path(g.operand(depth - 1))
	case 6:
		return &List{Members: g.operands(depth-1, 3)}
	case 7:
		if g.queries == predicate.MaxSubqueryNesting {
			return &Self{}
		}
		g.queries++
		q := &Subquery{Coll: g.operand(depth - 1), Variable: g.name(), Cond: g.condition(depth - 1)}
		g.queries--
		return q
	case 8:
		if g.IntN(2) == 0 {
			return &Cast{Of: g.operand(depth - 1), Target: g.string()}
		}
		c := &Call{Name: g.callable(), Args: g.operands(depth-1, 3)}
		if g.IntN(3) == 0 {
			selector, _ := token{kind: quote, text: g.string()}.literal()
			c.Name, c.Args = "Function", append([]Operand{selector}, c.Args...)
		}
		return c
	case 9:
		return &Minus{Of: g.operand(depth - 1)}
	default:
		return &Arithmetic{Op: TokenKind(g.pick("+", "-", "*", "/", "**")), Left: g.operand(depth - 1), Right: g.operand(depth - 1)}
	}
}

func (g *growth) path(of Operand) *Path {
	p := &Path{Of: of}
	if of == nil {
		p.Steps = []Step{{Name: g.name()}}
	}
	for range 1 + g.IntN(2) {
		if g.IntN(3) == 0 || p.segments() == predicate.MaxPathSegments {
			p.Steps = append(p.Steps, Step{Aggregate: predicate.AggregateFunc(g.pick("@count", "@sum", "@avg", "@min", "@max"))})
		} else {
			p.Steps = append(p.Steps, Step{Name: g.name()})
		}
	}
	return p
}
