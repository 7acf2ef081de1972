package querygen

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// gathered draws a condition about a list in braces, in a place of a collection.
func (g *Generator) gathered(sc scope) string {
	switch g.IntN(6) {
	case 0:
		return g.gatheredObjects(sc)
	case 1:
		if g.nested < 2 {
			return g.gatheredSubquery(sc)
		}
	case 2:
		return g.gatheredNumbers(sc)
	}
	f := g.path(sc, oneOf(scalars...))
	op := g.word(" = ", " != ", " == ")
	switch f.t.Kind {
	case predicate.String:
		op = g.word(" = ", " !=", " CONTAINS", " BEGINSWITH", " IN") + g.modifier() + " "
	case predicate.Int, predicate.Date:
		op = g.order()
	}
	return g.word("ANY ", "SOME ", "ALL ", "NONE ") + g.braces(f) + op + f.text
}

// braces draws a list of literals of the kind.
func (g *Generator) braces(f found) string {
	var members []string
	for range g.IntN(4) {
		members = append(members, g.literal(f))
	}
	if f.t.Kind != predicate.Bool && g.oneIn(4) {
		members = append(members, g.nothing())
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// gatheredObjects draws a condition about the key of one of two objects.
func (g *Generator) gatheredObjects(sc scope) string {
	f := g.path(sc, oneOf(predicate.Object))
	objects := []string{f.text}
	for range 20 {
		if other, ok := g.walk(sc, func(t predicate.Type) bool { return t == f.t }); ok {
			objects = append(objects, other.text)
			break
		}
	}
	list := "{" + strings.Join(objects, ", ") + "}"
	for {
		keys := predicate.Keys(f.t.Entity)
		key := keys[g.IntN(len(keys))]
		if key.Type.Kind == predicate.Object {
			continue
		}
		if g.oneIn(4) {
			return list + "." + key.Name + ".@count" + g.order() + fmt.Sprint(g.IntN(3))
		}
		of := found{t: key.Type, key: key, optional: true}
		return g.word("ANY ", "ALL ", "NONE ") + list + "." + key.Name + g.compared(sc, of)
	}
}

// gatheredSubquery draws a condition about how many members of a list satisfy another.
func (g *Generator) gatheredSubquery(sc scope) string {
	f := g.path(sc, oneOf(predicate.Int, predicate.String, predicate.Date))
	f.computed = true
	g.variables++
	name := fmt.Sprintf("$v%d", g.variables)
	where := name + g.order() + f.text
	if g.oneIn(3) {
		where += g.word(" AND ", " OR ") + name + g.order() + g.literal(f)
	}
	return "SUBQUERY(" + g.braces(f) + ", " + name + ", " + where + ").@count" + g.word(" > 0", " = 0", " = 2", " >= 1", " != 1")
}

// gatheredNumbers draws a condition about a list of numbers.
func (g *Generator) gatheredNumbers(sc scope) string {
	f := g.path(sc, oneOf(predicate.Int))
	f.computed = true
	list := g.braces(f)
	if g.oneIn(2) {
		list = "{" + g.literal(f) + ", " + f.text + "}"
	}
	made := g.word("sum(", "min(", "max(", "average(", "count(") + list + ")"
	if g.oneIn(3) {
		made = list + g.word(".@count", "[SIZE]", ".@sum", ".@max")
	}
	return made + g.order() + g.literal(f)
}
