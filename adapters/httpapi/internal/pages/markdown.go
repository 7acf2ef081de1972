package pages

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown turns Markdown into HTML. Goldmark leaves out HTML in the text, and link targets
// with scripts. Headings have identifiers.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 100))),
)

// toHTML returns a text in Markdown as HTML.
func toHTML(source string) (template.HTML, error) {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(source), &b); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil // goldmark wrote it: see markdown
}

// heading is a heading of the second level.
type heading struct{ ID, Text string }

// withHeadings returns a text in Markdown as HTML, and its headings of the second level.
func withHeadings(source []byte) (template.HTML, []heading, error) {
	tree := markdown.Parser().Parse(text.NewReader(source))
	var found []heading
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			found = append(found, heading{string(name), string(h.Lines().Value(source))})
		}
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, tree); err != nil {
		return "", nil, err
	}
	return template.HTML(b.String()), found, nil
}

// elements replaces the output of Goldmark for some elements.
type elements struct{}

// RegisterFuncs names the elements: tables and pictures.
func (elements) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTable, scrolled)
	r.Register(ast.KindImage, described)
}

// scrolled writes a table in a box of its own. People can scroll a wide table there, also by
// keyboard.
func scrolled(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, err := w.WriteString(`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>` + "\n")
		return ast.WalkContinue, err
	}
	_, err := w.WriteString("</table></div>\n")
	return ast.WalkContinue, err
}

// described writes the description of a picture in its place: pages load no pictures.
func described(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}
