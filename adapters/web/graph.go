package web

import (
	"cmp"
	"slices"

	"github.com/problemtracking/problems/adapters/web/internal/graph"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// mostDrawn is how many problems a drawing has: more are not to be read.
const mostDrawn = 60

// mostLines is how many relationships a drawing and its list have. The time for a drawing grows
// faster than they do: seconds for all that sixty problems can have. Each line of the list has two titles.
const mostLines = 250

// graphPage shows the relationships around a problem, as a drawing and as a list.
type graphPage struct {
	layout
	ID      problem.ID
	Heading string
	Picture graph.Picture
	Links   []namedLink
	More    bool
}

// namedLink is a relationship in words.
type namedLink struct {
	Owner, Other relatedLink
	Type         string
}

// showGraph shows the relationships around a problem.
func showGraph(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	near, err := q.as().Neighbourhood(q.context(), id, mostDrawn)
	if err != nil {
		return answer{}, err
	}
	view := graphPage{layout: q.signedIn(q.say("graph.title")+" · #"+formatID(id), near.Catalogue).in("problems"), ID: id, More: near.Value.More}
	index := map[problem.ID]int{}
	var nodes []graph.Node
	var links []relatedLink
	for i, p := range near.Value.Problems {
		state, _ := near.Catalogue.State(p.State)
		index[p.ID] = i
		links = append(links, relatedLink{p.ID, p.Title, state})
		node := graph.Node{URL: q.base + "/problems/" + formatID(p.ID), Number: "#" + formatID(p.ID) + " · " + state.Name, Title: p.Title, Class: "node"}
		if state.Resolved {
			node.Class += " resolved"
		}
		if p.ID == id {
			node.Class += " current"
			view.Heading = p.Title
		}
		nodes = append(nodes, node)
	}
	related := near.Value.Links
	if len(related) > mostLines { // those of the problem itself come first
		slices.SortStableFunc(related, func(a, b relationship.Relationship) int {
			return cmp.Compare(away(a, id), away(b, id))
		})
		related, view.More = related[:mostLines], true
	}
	var edges []graph.Edge
	for _, r := range related {
		family, _ := r.Type.Family()
		text := q.say("relationship." + string(r.Type))
		edges = append(edges, graph.Edge{From: index[r.Owner], To: index[r.Other], Label: text, Plain: !family.Directed()})
		view.Links = append(view.Links, namedLink{links[index[r.Owner]], links[index[r.Other]], text})
	}
	view.Picture = graph.Draw(q.say("graph.of", id), nodes, edges)
	return page("graph", view), nil
}

// away is 0 for a relationship of the problem, and 1 for all others.
func away(r relationship.Relationship, id problem.ID) int {
	if r.Owner == id || r.Other == id {
		return 0
	}
	return 1
}

// stateGraph draws the states with their transitions.
func (q *request) stateGraph(c *metadata.Catalogue) *graph.Picture {
	index := map[ident.ID]int{}
	var nodes []graph.Node
	for i, s := range c.Content().States {
		index[s.ID] = i
		node := graph.Node{Title: s.Name, Class: "node"}
		if s.Initial {
			node.Number = q.say("graph.initial")
		}
		if s.Resolved {
			node.Class += " resolved"
		}
		if q.caller.Scope.Covers(access.Admin) {
			node.URL = q.base + "/administration/states/" + s.ID.String()
		}
		nodes = append(nodes, node)
	}
	if len(nodes) > mostDrawn {
		return nil
	}
	var edges []graph.Edge
	for _, s := range c.Content().States {
		for _, next := range s.Next {
			edges = append(edges, graph.Edge{From: index[s.ID], To: index[next]})
		}
	}
	if len(edges) > mostLines {
		return nil
	}
	p := graph.Draw(q.say("kind.states"), nodes, edges)
	return &p
}
