package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// graph holds the data of all problems for the checks across problems: their existence
// and their relationships.
type graph struct {
	problems []problem.ID                 // in ascending order
	open     map[pair]side                // relationships without their mirror so far
	edges    map[relationship.Type][]edge // of the directed families
	ahead    []mention                    // of later problems
}

// pair identifies a possible relationship: two problems have at most one in each family
// (D7).
type pair struct {
	low, high problem.ID
	family    int // by code
}

// side is the relationship of the lower problem of a pair.
type side struct {
	line    int64
	created int64 // in milliseconds since 1970
	author  ident.ID
	forward bool
}

// edge leads from one problem to another, in the forward direction of its family.
type edge struct {
	from, to problem.ID
	line     int64
}

// mention is a log entry that names another problem.
type mention struct {
	id   problem.ID
	line int64
	to   bool // named by "to", not by "from"
}

func (g *graph) last() problem.ID {
	if len(g.problems) == 0 {
		return 0
	}
	return g.problems[len(g.problems)-1]
}

func (g *graph) has(id problem.ID) bool {
	_, found := slices.BinarySearch(g.problems, id)
	return found
}

func noProblem(id problem.ID) string { return fmt.Sprintf("there is no problem %d", id) }

func (c *Checker) relationship(r relationship.Relationship) {
	c.belongs(r.Owner)
	family, _ := r.Type.Family()
	c.rule("/type", r.Type.Check())
	c.rule("/problemIdentifier", relationship.CheckEnds(r.Owner, r.Other))
	c.reference("/author", metadata.Users, r.Author)
	c.moment("/creationDate", r.Created)
	if before := c.current.Relationships; len(before) > 0 && before[len(before)-1].Compare(r) >= 0 {
		c.refuse("", "must come after the relationship of the line before: by the type's code, then by the other problem")
	}
	if c.fault != nil {
		return
	}
	c.graph.relate(c, family, r)
	c.current.Relationships = append(c.current.Relationships, r)
}

// relate matches a relationship with its mirror.
func (g *graph) relate(c *Checker, family relationship.Family, r relationship.Relationship) {
	forward := r.Type == family.Forward
	if forward && family.Directed() {
		if g.edges == nil {
			g.edges = make(map[relationship.Type][]edge)
		}
		g.edges[r.Type] = append(g.edges[r.Type], edge{r.Owner, r.Other, c.line})
	}
	key := pair{min(r.Owner, r.Other), max(r.Owner, r.Other), family.Forward.Code()}
	first, found := g.open[key]
	switch {
	case r.Other > r.Owner && found:
		c.refuse("/type", "the problem has another relationship of the same family to problem %d, on line %d", r.Other, first.line)
	case r.Other > r.Owner:
		g.open[key] = side{c.line, r.Created.UnixMilli(), r.Author, forward}
	case !found && !g.has(r.Other):
		c.refuse("/problemIdentifier", "%s", noProblem(r.Other))
	case !found || family.Directed() && first.forward == forward:
		c.refuse("/type", "problem %d does not have the mirror, %s", r.Other, r.Type.Mirror())
	case first.created != r.Created.UnixMilli():
		c.refuse("/creationDate", "must be that of the mirror, on line %d", first.line)
	case first.author != r.Author:
		c.refuse("/author", "must be that of the mirror, on line %d", first.line)
	default:
		delete(g.open, key)
	}
}

// mention checks that the problem named by a log entry exists, or defers the check to
// the end.
func (g *graph) mention(c *Checker, id problem.ID, to bool) {
	switch {
	case id == c.current.ID:
		c.rule(mention{to: to}.field(), relationship.CheckEnds(c.current.ID, id))
	case id > c.current.ID:
		g.ahead = append(g.ahead, mention{id, c.line, to})
	case !g.has(id):
		c.refuse(mention{to: to}.field(), "%s", noProblem(id))
	}
}

func (m mention) field() string {
	if m.to {
		return "/to/problemIdentifier"
	}
	return "/from/problemIdentifier"
}

// close makes the checks across all problems.
func (g *graph) close(c *Checker) {
	for _, m := range g.ahead {
		if !g.has(m.id) {
			c.refuseAt(m.line, m.field(), "%s", noProblem(m.id))
			return
		}
	}
	if len(g.open) > 0 {
		g.refuseOpen(c)
		return
	}
	for _, family := range relationship.Families() {
		edges := g.edges[family.Forward]
		if path, line := g.cycle(edges); path != nil {
			c.refuseAt(line, "/problemIdentifier", "closes a cycle of %s: %s", family.Forward, strings.Join(path, " → "))
			return
		}
	}
}

// refuseOpen refuses the first relationship without a mirror.
func (g *graph) refuseOpen(c *Checker) {
	var at pair
	var first side
	for p, s := range g.open {
		if first.line == 0 || s.line < first.line {
			at, first = p, s
		}
	}
	if !g.has(at.high) {
		c.refuseAt(first.line, "/problemIdentifier", "%s", noProblem(at.high))
		return
	}
	c.refuseAt(first.line, "/problemIdentifier", "problem %d does not have the mirror", at.high)
}

// cycle returns a cycle of the edges and the line of the edge that closes it. It sorts
// the edges. The depth-first search uses no recursion, because a chain can include all
// problems.
func (g *graph) cycle(edges []edge) (path []string, line int64) {
	if len(edges) == 0 {
		return nil, 0
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	const (
		entered = iota + 1 // on the current path
		left               // leads to no cycle
	)
	marks := make([]uint8, len(g.problems))
	mark := func(id problem.ID) *uint8 {
		i, _ := slices.BinarySearch(g.problems, id)
		return &marks[i]
	}
	type frame struct {
		id   problem.ID
		edge int // the next one to follow
	}
	var stack []frame
	enter := func(id problem.ID) {
		*mark(id) = entered
		i, _ := slices.BinarySearchFunc(edges, id, func(e edge, id problem.ID) int { return cmp.Compare(e.from, id) })
		stack = append(stack, frame{id, i})
	}
	for _, start := range edges {
		if *mark(start.from) == 0 {
			enter(start.from)
		}
		for len(stack) > 0 {
			at := &stack[len(stack)-1]
			if at.edge == len(edges) || edges[at.edge].from != at.id {
				*mark(at.id) = left
				stack = stack[:len(stack)-1]
				continue
			}
			e := edges[at.edge]
			at.edge++
			switch *mark(e.to) {
			case 0:
				enter(e.to)
			case entered:
				i := slices.IndexFunc(stack, func(f frame) bool { return f.id == e.to })
				for _, s := range stack[i:] {
					path = append(path, fmt.Sprint(s.id))
				}
				return append(path, fmt.Sprint(e.to)), e.line
			}
		}
	}
	return nil, 0
}
