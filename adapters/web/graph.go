package web

import (
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/adapters/web/internal/graph"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// mostDrawn is how many problems a drawing has: more are not to be read.
const mostDrawn = 60

// graphPage shows the relationships around a problem, as a drawing and as a list.
type graphPage struct {
	layout
	ID      problem.ID
	Heading string
	Picture picture
	Links   []namedLink
	More    bool
}

// namedLink is a relationship in words.
type namedLink struct {
	Owner, Other relatedLink
	Type         string
}

// picture is a drawing for the template.
type picture struct {
	Name          string
	Width, Height int
	Nodes         []pictureNode
	Lines         []pictureLine
}

type pictureNode struct {
	X, Y, Width, Height int
	URL                 string // empty: the node leads nowhere
	Number              string // small, above the text
	Text                []string
	Title               string // the whole text
	Class               string
}

// Line returns the height of a line of the text: below the number, or else in the middle.
func (n pictureNode) Line(i int) int {
	switch {
	case len(n.Text) > 1:
		return 33 + 14*i
	case n.Number != "":
		return 38
	}
	return n.Height/2 + 5
}

type pictureLine struct {
	graph.Line
	Text string
}

// showGraph shows the relationships around a problem.
func showGraph(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	near, err := q.Service.Neighbourhood(q.context(), q.caller, id, mostDrawn)
	if err != nil {
		return answer{}, err
	}
	view := graphPage{layout: q.signedIn(q.say("graph.title")+" · #"+formatID(id), near.Catalogue).in("problems"), ID: id, More: near.Value.More}
	index := map[problem.ID]int{}
	var nodes []pictureNode
	var links []relatedLink
	for i, p := range near.Value.Problems {
		state, _ := near.Catalogue.State(p.State)
		index[p.ID] = i
		links = append(links, relatedLink{p.ID, p.Title, state.Name, state.Resolved})
		node := pictureNode{URL: q.base + "/problems/" + formatID(p.ID), Number: "#" + formatID(p.ID) + " · " + state.Name, Title: p.Title, Class: "node"}
		if state.Resolved {
			node.Class += " resolved"
		}
		if p.ID == id {
			node.Class += " current"
			view.Heading = p.Title
		}
		nodes = append(nodes, node)
	}
	var edges []graph.Edge
	for _, r := range near.Value.Links {
		family, _ := r.Type.Family()
		text := q.say("relationship." + string(r.Type))
		edges = append(edges, graph.Edge{From: index[r.Owner], To: index[r.Other], Label: text, Plain: !family.Directed()})
		view.Links = append(view.Links, namedLink{links[index[r.Owner]], links[index[r.Other]], text})
	}
	view.Picture = draw(q.say("graph.of", id), nodes, edges)
	return page("graph", view), nil
}

// draw lays out nodes and edges.
func draw(name string, nodes []pictureNode, edges []graph.Edge) picture {
	d := graph.Lay(len(nodes), edges)
	p := picture{Name: name, Width: d.Width, Height: d.Height, Nodes: nodes}
	for i, at := range d.Nodes {
		n := &p.Nodes[i]
		n.X, n.Y, n.Width, n.Height = at.X, at.Y, graph.NodeWidth, graph.NodeHeight
		n.Text = shortened(n.Title)
	}
	for _, line := range d.Lines {
		p.Lines = append(p.Lines, pictureLine{line, line.Label})
	}
	return p
}

// lineLength is how many characters fit into a line of a node.
const lineLength = 23

// shortened returns a text in at most two lines that fit into a node.
func shortened(text string) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= lineLength:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	lines = append(lines, line)
	cut := len(lines) > 2
	lines = lines[:min(2, len(lines))]
	for i, l := range lines {
		runes := []rune(l)
		if len(runes) > lineLength || cut && i == 1 {
			lines[i] = strings.TrimSpace(string(runes[:min(len(runes), lineLength-1)])) + "…"
		}
	}
	return lines
}

// stateGraph draws the states with their transitions.
func (q *request) stateGraph(c *metadata.Catalogue) *picture {
	index := map[ident.ID]int{}
	var nodes []pictureNode
	for i, s := range c.Content().States {
		index[s.ID] = i
		node := pictureNode{Title: s.Name, Class: "node"}
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
	p := draw(q.say("kind.states"), nodes, edges)
	return &p
}
