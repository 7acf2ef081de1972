package markdown

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tasks makes the text of each task the label of its box.
type tasks struct{}

// task is the box with its text.
type task struct{ ast.BaseInline }

var kindTask = ast.NewNodeKind("Task")

func (*task) Kind() ast.NodeKind { return kindTask }

func (t *task) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

func (tasks) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var boxes []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		if entering && n.Kind() == extast.KindTaskCheckBox {
			boxes = append(boxes, n)
		}
		return ast.WalkContinue, nil
	})
	for _, box := range boxes {
		block, label := box.Parent(), &task{}
		for n := box; n != nil; {
			next := n.NextSibling()
			label.AppendChild(label, n)
			n = next
		}
		block.AppendChild(block, label)
	}
}

func (tasks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindTask, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<label>")
		} else {
			_, _ = w.WriteString("</label>")
		}
		return ast.WalkContinue, nil
	})
}

// ofText are the elements of stored HTML that a label can hold.
var ofText = map[atom.Atom]bool{atom.A: true, atom.B: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.I: true, atom.S: true, atom.Strong: true, atom.Sub: true, atom.Sup: true}

// labelled makes the text behind each box of stored HTML its label. A box within a label keeps it.
func labelled(box *html.Node) {
	var inputs []*html.Node
	for n := range box.Descendants() {
		if n.DataAtom == atom.Input {
			inputs = append(inputs, n)
		}
	}
	for _, input := range inputs {
		if within(input, atom.Label) {
			continue
		}
		label := &html.Node{Type: html.ElementNode, Data: "label", DataAtom: atom.Label}
		input.Parent.InsertBefore(label, input)
		for n := input; n != nil && (n == input || n.Type == html.TextNode || ofText[n.DataAtom]); {
			next := n.NextSibling
			n.Parent.RemoveChild(n)
			label.AppendChild(n)
			n = next
		}
	}
}

func within(n *html.Node, tag atom.Atom) bool {
	for p := range n.Ancestors() {
		if p.DataAtom == tag {
			return true
		}
	}
	return false
}
