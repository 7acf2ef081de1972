// Package querygen draws random predicates and orders, as texts of the query language.
// All of them compile.
package querygen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/predicate"
)

// Generator draws predicates. With an equal source of chance and equal values, two Generators
// draw the same predicates.
type Generator struct {
	*rand.Rand
	// values are the values of objects, by key. Literals come from them, so predicates
	// find something.
	values map[*predicate.Key][]predicate.Value

	variables int // of SUBQUERY, so far
	patterns  int // of MATCHES, so far
	nested    int // SUBQUERY around the present condition
}

// New returns a Generator that takes all its choices from random.
func New(random *rand.Rand, values map[*predicate.Key][]predicate.Value) *Generator {
	return &Generator{Rand: random, values: values}
}

// Cond is a condition.
type Cond struct {
	Text string
	// Parts are conditions within it, each usable alone.
	Parts []Cond
}

// scope are the variables of a condition; the first is the root.
type scope []variable

type variable struct {
	prefix string // before a key: "" for the root
	entity predicate.Entity
}

// Predicate draws a predicate about problems.
func (g *Generator) Predicate() Cond {
	g.variables, g.patterns, g.nested = 0, 0, 0
	depth := 0
	for depth < 3 && g.oneIn(2) {
		depth++
	}
	return g.cond(scope{{"", predicate.Problem}}, depth)
}

// Order draws an order of problems.
func (g *Generator) Order() string {
	var keys []string
	for range g.IntN(4) {
		path := g.path(scope{{"", predicate.Problem}}, func(t predicate.Type) bool { return !t.Many && t.Kind != predicate.Object })
		if g.oneIn(2) {
			path.text = "-" + path.text
		}
		keys = append(keys, path.text)
	}
	return strings.Join(keys, ",")
}

// cond draws a condition. depth is the number of levels of AND, OR and NOT around its
// comparisons.
func (g *Generator) cond(sc scope, depth int) Cond {
	if depth == 0 {
		return Cond{Text: g.comparison(sc)}
	}
	if g.oneIn(5) {
		inner := g.cond(sc, depth-1)
		return Cond{g.word("NOT", "not", "!") + " (" + inner.Text + ")", []Cond{inner}}
	}
	joint := g.word(" OR ", " || ", " or ")
	if g.oneIn(3) {
		joint = g.word(" AND ", " && ", "\nand\t")
	}
	var parts []Cond
	var texts []string
	for range 2 + g.IntN(2) {
		part := g.cond(sc, depth-1)
		parts = append(parts, part)
		texts = append(texts, "("+part.Text+")")
	}
	return Cond{strings.Join(texts, joint), parts}
}

// comparison draws a condition without parts.
func (g *Generator) comparison(sc scope) string {
	draw := []func(scope) string{
		g.scalar, g.scalar, g.scalar, g.scalar, g.scalar, g.scalar,
		g.qualified, g.qualified, g.qualified,
		g.counted, g.aggregate,
		g.subquery, g.subquery,
		g.membership, g.listed,
		g.absence, g.entities, g.pair,
		g.computed, g.constant,
		g.gathered, g.gathered,
	}
	return draw[g.IntN(len(draw))](sc)
}

// found is a drawn path.
type found struct {
	text string
	t    predicate.Type
	key  *predicate.Key // the last
	// optional is true when it can lead to nil.
	optional bool
	// computed is true for a value computed from the path. Names of relationship types are no
	// literals for such a value.
	computed bool
}

// path draws a path to an accepted key.
func (g *Generator) path(sc scope, accept func(predicate.Type) bool) found {
	for {
		if f, ok := g.walk(sc, accept); ok {
			return f
		}
	}
}

// walk draws keys at random, until an accepted key or the limit.
func (g *Generator) walk(sc scope, accept func(predicate.Type) bool) (found, bool) {
	at := sc[0]
	if len(sc) > 1 && !g.oneIn(4) {
		at = sc[len(sc)-1]
	}
	f := found{text: at.prefix}
	entity, many := at.entity, false
	for length := range 4 {
		keys := predicate.Keys(entity)
		key := keys[g.IntN(len(keys))]
		t := key.Type
		many = many || t.Many
		t.Many = many
		f.text += g.spelled(key.Name, at.prefix == "" && length == 0)
		f.t, f.key, f.optional = t, key, f.optional || key.Nullable
		if accept(t) && (t.Kind != predicate.Object || g.oneIn(2)) {
			return f, true
		}
		if t.Kind != predicate.Object {
			return f, false
		}
		entity = t.Entity
		f.text += "."
	}
	return f, false
}

// spelled returns a key in some spelling.
func (g *Generator) spelled(name string, first bool) string {
	switch g.IntN(12) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToLower(name)
	case 2:
		if first {
			return "#" + name
		}
	case 3:
		return strings.Map(func(r rune) rune {
			if g.oneIn(2) {
				return unicode.ToUpper(r)
			}
			return r
		}, name)
	}
	return name
}

// oneOf accepts one value of one of the kinds.
func oneOf(kinds ...predicate.Kind) func(predicate.Type) bool {
	return func(t predicate.Type) bool { return !t.Many && slices.Contains(kinds, t.Kind) }
}

// manyOf accepts a collection of values of one of the kinds.
func manyOf(kinds ...predicate.Kind) func(predicate.Type) bool {
	return func(t predicate.Type) bool { return t.Many && slices.Contains(kinds, t.Kind) }
}

// scalars are all kinds with literals.
var scalars = []predicate.Kind{predicate.Bool, predicate.Int, predicate.String, predicate.String, predicate.UUID, predicate.Date}

// scalar draws the comparison of a value with a literal.
func (g *Generator) scalar(sc scope) string {
	f := g.path(sc, oneOf(scalars...))
	return f.text + g.compared(sc, f)
}

// qualified draws the comparison of a collection's members.
func (g *Generator) qualified(sc scope) string {
	f := g.path(sc, manyOf(scalars...))
	return g.word("ANY ", "any ", "SOME ", "ALL ", "NONE ") + f.text + g.compared(sc, f)
}

// counted draws the comparison of the number of members of a collection.
func (g *Generator) counted(sc scope) string {
	f := g.path(sc, func(t predicate.Type) bool { return t.Many })
	return f.text + g.word(".@count", "[SIZE]") + g.order() + fmt.Sprint(g.IntN(5))
}

// aggregate draws the comparison of an aggregate of a collection.
func (g *Generator) aggregate(sc scope) string {
	f := g.path(sc, manyOf(predicate.Int, predicate.Date))
	cut := len(f.text) - len(f.key.Name) - 1 // a key may have two words
	funcs := []string{"@min", "@max"}
	if f.t.Kind == predicate.Int {
		funcs = append(funcs, "@sum", "@avg")
	}
	one := f
	one.t.Many, one.computed = false, true
	f.text = f.text[:cut] + "." + g.word(funcs...) + f.text[cut:]
	return f.text + g.order() + g.literal(one)
}

// subquery draws a SUBQUERY, and a condition about the members in its result.
func (g *Generator) subquery(sc scope) string {
	if g.nested == 2 {
		return g.counted(sc)
	}
	f := g.path(sc, manyOf(predicate.Object))
	g.variables++
	name := fmt.Sprintf("$v%d", g.variables)
	if g.oneIn(6) {
		name = "$v1" // hides an outer one
	}
	inner := append(slices.Clone(sc), variable{name + ".", f.t.Entity})
	g.nested++
	where := g.cond(inner, g.IntN(2))
	g.nested--
	text := fmt.Sprintf("%s(%s, %s, %s)", g.word("SUBQUERY", "subquery"), f.text, name, where.Text)
	if g.oneIn(4) {
		keys := slices.DeleteFunc(predicate.Keys(f.t.Entity), func(k *predicate.Key) bool { return k.Type.Kind == predicate.Object })
		key := keys[g.IntN(len(keys))]
		return "ANY " + text + "." + key.Name + g.compared(sc, found{t: key.Type, key: key})
	}
	return text + ".@count" + g.word(" > 0", " = 0", " != 1", " >= 2", " > 0")
}

// membership draws the test of a value for a place in a collection of its type.
func (g *Generator) membership(sc scope) string {
	for {
		coll := g.path(sc, func(t predicate.Type) bool { return t.Many })
		for range 20 {
			one, ok := g.walk(sc, func(t predicate.Type) bool { return t == coll.t.Member() })
			if !ok {
				continue
			}
			if g.oneIn(2) {
				return one.text + g.word(" IN ", " in ") + coll.text
			}
			return coll.text + g.word(" CONTAINS ", " contains ") + one.text
		}
	}
}

// listed draws the test of a value for a place in a list of literals.
func (g *Generator) listed(sc scope) string {
	f := g.path(sc, oneOf(scalars...))
	var members []string
	for range g.IntN(5) {
		members = append(members, g.literal(f))
	}
	if f.optional && g.oneIn(3) {
		members = append(members, g.nothing())
	}
	modifier := ""
	if f.t.Kind == predicate.String {
		modifier = g.modifier()
	}
	return f.text + " IN" + modifier + " {" + strings.Join(members, ", ") + "}"
}

// absence draws the comparison of a value with nil.
func (g *Generator) absence(sc scope) string {
	f := g.path(sc, func(t predicate.Type) bool { return !t.Many })
	return f.text + g.word(" = ", " != ", " == ") + g.nothing()
}

// entities draws the comparison of two objects.
func (g *Generator) entities(sc scope) string {
	for {
		f := g.path(sc, oneOf(predicate.Object))
		for range 20 {
			if other, ok := g.walk(sc, func(t predicate.Type) bool { return t == f.t }); ok {
				return f.text + g.word(" = ", " != ") + other.text
			}
		}
	}
}

// pair draws the comparison of two values.
func (g *Generator) pair(sc scope) string {
	for {
		f := g.path(sc, oneOf(scalars...))
		for range 20 {
			other, ok := g.walk(sc, func(t predicate.Type) bool { return t == f.t })
			switch {
			case !ok:
			case f.t.Kind == predicate.String:
				return f.text + g.word(" = ", " CONTAINS ", " BEGINSWITH ", " ENDSWITH ", " < ") + other.text
			case f.t.Kind == predicate.Bool || f.t.Kind == predicate.UUID:
				return f.text + g.word(" = ", " != ") + other.text
			default:
				return f.text + g.order() + other.text
			}
		}
	}
}

// constant draws a condition without a key.
func (g *Generator) constant(scope) string {
	return g.word("TRUEPREDICATE", "FALSEPREDICATE", "1 = 1", "NOW() < NOW()", "'a' LIKE 'b'")
}

func (g *Generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *Generator) word(of ...string) string { return of[g.IntN(len(of))] }

func (g *Generator) nothing() string { return g.word("nil", "NULL", "NIL") }

func (g *Generator) order() string {
	return g.word(" = ", " != ", " < ", " <= ", " > ", " >= ", " => ", " =< ", " <> ")
}
