package searchtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/relationship"
)

// generator writes predicates.
type generator struct {
	*world
	variables []variable // in scope
	depth     int
}

// variable is one of a SUBQUERY.
type variable struct {
	name string
	of   predicate.Entity
}

// source is the start of a path: the root, without prefix, or a variable.
func (g *generator) source() (prefix string, of predicate.Entity) {
	if len(g.variables) > 0 && g.IntN(4) > 0 {
		v := pick(g.world, g.variables)
		return v.name + ".", v.of
	}
	return "", predicate.Problem
}

// path returns a path of a type accepted by want, and that type. It is not ok when none
// was found.
func (g *generator) path(prefix string, of predicate.Entity, want func(predicate.Type) bool) (path string, t predicate.Type, ok bool) {
	for range 40 {
		path, entity, many := prefix, of, false
		for range 1 + g.IntN(5) {
			keys := predicate.Keys(entity)
			key := pick(g.world, keys)
			many = many || key.Type.Many
			t := key.Type
			t.Many = many
			if want(t) && g.IntN(3) > 0 {
				return path + key.Name, t, true
			}
			if key.Type.Kind != predicate.Object {
				break
			}
			path, entity = path+key.Name+".", key.Type.Entity
		}
	}
	return "", predicate.Type{}, false
}

func scalar(t predicate.Type) bool     { return !t.Many && t.Kind != predicate.Object }
func collection(t predicate.Type) bool { return t.Many }
func objects(t predicate.Type) bool    { return t.Many && t.Kind == predicate.Object }

// cond returns a condition.
func (g *generator) cond() string {
	g.depth++
	defer func() { g.depth-- }()
	choice := g.IntN(15)
	if g.depth > 4 {
		choice = 6
	}
	switch choice {
	case 0:
		return "(" + g.cond() + " AND " + g.cond() + ")"
	case 1:
		return "(" + g.cond() + " OR " + g.cond() + ")"
	case 2:
		return "NOT (" + g.cond() + ")"
	case 3, 4:
		return g.qualified()
	case 5:
		return g.subquery()
	case 7:
		return g.aggregate()
	case 8:
		return g.among()
	case 9:
		return g.entities()
	case 11:
		return g.list()
	case 10:
		if g.IntN(6) == 0 {
			return pick(g.world, []string{"TRUEPREDICATE", "FALSEPREDICATE"})
		}
	}
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, scalar)
	if !ok {
		return "TRUEPREDICATE"
	}
	return g.compare(path, t)
}

// compare returns a comparison of a path with a literal or another path.
func (g *generator) compare(path string, t predicate.Type) string {
	if g.IntN(10) == 0 && !t.Many {
		return path + pick(g.world, []string{" = ", " != "}) + "nil"
	}
	right := g.literal(t)
	if g.IntN(6) == 0 {
		prefix, of := g.source()
		same := func(o predicate.Type) bool { return !o.Many && o.Kind == t.Kind && o.Entity == t.Entity }
		if other, _, ok := g.path(prefix, of, same); ok {
			right = other
		}
	}
	switch t.Kind {
	case predicate.String:
		fold := pick(g.world, []string{"", "", "[c]", "[cd]", "[c]", "[d]"})
		op := pick(g.world, []string{"=", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"})
		if op == "LIKE" {
			right = quote(g.form())
		}
		return path + " " + op + fold + " " + right
	case predicate.Int, predicate.Date:
		if g.IntN(8) == 0 {
			return path + " BETWEEN {" + g.literal(t) + ", " + right + "}"
		}
		if g.IntN(12) == 0 && t.Kind == predicate.Int {
			return path + " + 1 > " + right
		}
		op := pick(g.world, []string{"=", "!=", "<", "<=", ">", ">="})
		if g.IntN(6) == 0 && !strings.Contains(right, "{") {
			return right + " " + op + " " + path
		}
		return path + " " + op + " " + right
	}
	return path + pick(g.world, []string{" = ", " != "}) + right
}

func (g *generator) qualified() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, func(t predicate.Type) bool { return t.Many && t.Kind != predicate.Object })
	if !ok {
		return "TRUEPREDICATE"
	}
	return pick(g.world, []string{"ANY ", "ALL ", "NONE ", "SOME "}) + g.compare(path, t)
}

func (g *generator) subquery() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, objects)
	if !ok || len(g.variables) > 2 {
		return "FALSEPREDICATE"
	}
	name := "$v" + strconv.Itoa(len(g.variables))
	g.variables = append(g.variables, variable{name, t.Entity})
	where := g.cond()
	g.variables = g.variables[:len(g.variables)-1]
	found := "SUBQUERY(" + path + ", " + name + ", " + where + ")"
	switch g.IntN(4) {
	case 0:
		if path, t, ok := g.path(found+".", t.Entity, func(t predicate.Type) bool { return !t.Many && t.Kind == predicate.Int || t.Kind == predicate.Date }); ok {
			at := strings.LastIndex(path, ".")
			return path[:at] + "." + pick(g.world, []string{"@min", "@max"}) + path[at:] + " >= " + g.literal(t)
		}
	case 1:
		if path, t, ok := g.path(found+".", t.Entity, func(t predicate.Type) bool { return !t.Many && t.Kind == predicate.String }); ok {
			return "ANY " + g.compare(path, t)
		}
	}
	return found + ".@count " + pick(g.world, []string{">", "=", "<", ">=", "!="}) + " " + strconv.Itoa(g.IntN(3))
}

func (g *generator) aggregate() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, collection)
	switch {
	case !ok:
		return "TRUEPREDICATE"
	case t.Kind == predicate.Int || t.Kind == predicate.Date:
		f := "@max"
		if t.Kind == predicate.Int {
			f = pick(g.world, []string{"@sum", "@min", "@max", "@avg"})
		}
		at := strings.LastIndex(path, ".")
		return path[:at] + "." + f + path[at:] + pick(g.world, []string{" > ", " <= ", " = "}) + g.literal(t)
	}
	return path + ".@count " + pick(g.world, []string{">", "=", "<", "!="}) + " " + pick(g.world, []string{"0", "1", "2", "1.5", "-1"})
}

func (g *generator) among() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, scalar)
	if !ok {
		return "TRUEPREDICATE"
	}
	var list []string
	for range g.IntN(4) {
		list = append(list, g.literal(t))
	}
	if g.IntN(4) == 0 {
		list = append(list, "nil")
	}
	in := " IN"
	if t.Kind == predicate.String && g.IntN(2) == 0 {
		in += pick(g.world, []string{"[c]", "[cd]"})
	}
	return path + in + " {" + strings.Join(list, ", ") + "}"
}

// list returns a condition about a list in the place of a collection.
func (g *generator) list() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, scalar)
	if !ok {
		return "{}.@count = 0"
	}
	list := "{" + g.literal(t) + ", " + g.literal(t) + pick(g.world, []string{"", ", nil"}) + "}"
	op := " = "
	switch t.Kind {
	case predicate.String:
		op = pick(g.world, []string{" = ", " =[cd] ", " CONTAINS[c] ", " IN ", " != "})
	case predicate.Int:
		if g.IntN(3) == 0 {
			return pick(g.world, []string{"sum(", "max(", "count("}) + "{" + path + ", " + g.literal(t) + "}) >= " + g.literal(t)
		}
		op = pick(g.world, []string{" = ", " < ", " >= "})
	case predicate.Date:
		if g.IntN(3) == 0 {
			return "SUBQUERY(" + list + ", $l, $l >= " + path + ").@count" + pick(g.world, []string{" > 0", " = 2", " < 1"})
		}
	}
	if g.IntN(3) == 0 { // the path among the members, and a literal in its place
		list = "{" + pick(g.world, []string{path + ", " + g.literal(t), g.literal(t) + ", " + path, path + ", nil"}) + "}"
		path = g.literal(t)
	}
	return pick(g.world, []string{"ANY ", "ALL ", "NONE "}) + list + op + path
}

// entities compares objects.
func (g *generator) entities() string {
	prefix, of := g.source()
	path, t, ok := g.path(prefix, of, func(t predicate.Type) bool { return !t.Many && t.Kind == predicate.Object })
	if !ok {
		return "TRUEPREDICATE"
	}
	if g.IntN(3) == 0 {
		return path + pick(g.world, []string{" = ", " != "}) + "nil"
	}
	many := g.IntN(2) == 0
	prefix, of = g.source()
	other, _, ok := g.path(prefix, of, func(o predicate.Type) bool { return o.Many == many && o.Kind == t.Kind && o.Entity == t.Entity })
	switch {
	case !ok:
		return "TRUEPREDICATE"
	case many:
		return path + " IN " + other
	}
	return path + pick(g.world, []string{" = ", " != "}) + other
}

// literal returns one of a type.
func (g *generator) literal(t predicate.Type) string {
	switch t.Kind {
	case predicate.Bool:
		return pick(g.world, []string{"YES", "NO"})
	case predicate.Int:
		return pick(g.world, []string{strconv.Itoa(g.IntN(40)), "0", "-1", "2.5", "7.0", "1e300", "-1e300", "9223372036854775807", "9.3e18",
			strconv.Itoa(pick(g.world, relationship.Types()).Code())})
	case predicate.Date:
		at := g.time().Format("2006-01-02T15:04:05.999Z07:00")
		return pick(g.world, []string{"CAST('" + at + "', 'NSDate')", "CAST('" + at[:10] + "', 'NSDate')",
			"CAST('2026-03-05T09:30:00.0000001Z', 'NSDate')", "NOW()", "FUNCTION(NOW(), 'dateByAddingDays:', -3)",
			"CAST('0001-01-01', 'NSDate')", "CAST('9999-12-31', 'NSDate')"})
	case predicate.UUID:
		return "'" + pick(g.world, g.content.Users).ID.String() + "'"
	}
	names := []string{"Open", "open", "Next", "API", "Server/API", "Ann", "FieldChanged", "@example.org"}
	switch g.IntN(4) {
	case 0:
		return quote(pick(g.world, names))
	case 1:
		return quote(pick(g.world, texts))
	}
	runes := []rune(pick(g.world, g.texts))
	if len(runes) > 200 {
		runes = runes[:200]
	}
	from := g.IntN(len(runes) + 1)
	return quote(string(runes[from : from+g.IntN(len(runes)-from+1)]))
}

// form returns a pattern for LIKE.
func (g *generator) form() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		switch g.IntN(3) {
		case 0:
			b.WriteByte('*')
		case 1:
			b.WriteByte('?')
		}
		b.WriteString(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`).Replace(pick(g.world, texts)))
	}
	return b.String()
}

// quote returns a text as a literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// order returns an order of results.
func (g *generator) order() string {
	var keys []string
	for range g.IntN(3) {
		if path, _, ok := g.path("", predicate.Problem, scalar); ok {
			keys = append(keys, pick(g.world, []string{"", "-"})+path)
		}
	}
	return strings.Join(keys, ",")
}

// now is the time of all requests.
var now = start.Add(5 * 24 * time.Hour)
