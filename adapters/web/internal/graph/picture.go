package graph

import (
	"strings"
	"unicode/utf8"
)

// Picture is a drawing of a graph with texts.
type Picture struct {
	// Name says what is on it.
	Name          string
	Width, Height int
	Nodes         []Node
	Lines         []Line
}

// Node is a node with its text. Draw gives it a place, a size and the lines of the text.
type Node struct {
	X, Y, Width, Height int
	URL                 string // empty: the node leads nowhere
	Number              string // small, above the text
	Text                []string
	Title               string // the whole text
	Class               string
}

// Line returns the height of a line of the text: below the number, or else in the middle.
func (n Node) Line(i int) int {
	switch {
	case len(n.Text) > 1:
		return 33 + 14*i
	case n.Number != "":
		return 38
	}
	return n.Height/2 + 5
}

// Draw lays out nodes and edges. It sets the places of the nodes given.
func Draw(name string, nodes []Node, edges []Edge) Picture {
	d := lay(len(nodes), edges)
	p := Picture{Name: name, Width: d.Width, Height: d.Height, Nodes: nodes, Lines: d.Lines}
	for i, at := range d.Nodes {
		n := &p.Nodes[i]
		n.X, n.Y, n.Width, n.Height = at.X, at.Y, nodeWidth, nodeHeight
		n.Text = shortened(n.Title)
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
