// Package markdown turns comments into safe HTML: Markdown, and HTML stored by old clients.
//
// There are two walls. Goldmark writes no HTML of the author. Bluemonday then lets only
// known elements, attributes and schemes through, also if goldmark has a fault. Stored HTML
// passes bluemonday, then a parser closes the elements left open.
package markdown

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Link is the target of a reference.
type Link struct {
	URL   string
	Title string // of the problem, or the whole name of a person; for the pointer
	Done  bool   // the problem is resolved, or the person is no longer active
}

// Resolver finds the targets of references. It reports false for a reference to nothing.
type Resolver interface {
	// Problem returns the problem with a number.
	Problem(number int64) (Link, bool)
	// Person returns the user with an e-mail address, or with the part of it before the "@".
	Person(address string) (Link, bool)
	// Picture returns the image with the identifier of its attachment.
	Picture(id string) (Link, bool)
}

// Renderer makes HTML. Its methods may be called from many goroutines.
type Renderer struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy // of stored HTML
	pictured *bluemonday.Policy // of Markdown, with images
	cache    cache
}

// New returns a Renderer.
func New() *Renderer {
	return &Renderer{
		markdown: goldmark.New(
			goldmark.WithExtensions(
				extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
				extension.Strikethrough, extension.TaskList,
				addresses{},
			),
			goldmark.WithParserOptions(
				parser.WithASTTransformers(util.Prioritized(shift{}, 500), util.Prioritized(tasks{}, 600), util.Prioritized(pictures{}, 700)),
				parser.WithInlineParsers(util.Prioritized(references{}, 50)),
			),
			goldmark.WithRendererOptions(
				goldmarkhtml.WithHardWraps(),
				renderer.WithNodeRenderers(util.Prioritized(links{}, 100), util.Prioritized(tags{}, 100), util.Prioritized(references{}, 100), util.Prioritized(tasks{}, 100)),
			),
		),
		policy:   newPolicy(),
		pictured: withPictures(newPolicy()),
		cache:    newCache(),
	}
}

// newPolicy returns the second wall.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "i", "b", "del", "s", "label", "sub", "sup", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("title").OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(reference|mention)( done)?$`)).OnElements("a")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true) // it implies noopener
	return p
}

// Render returns a text in Markdown as HTML. References such as "#12" to problems, and
// "@anna" to people, are links if the resolver knows them. It may be nil. Render reports
// false if a text is beyond the limits of Markdown: then it returns Plain.
func (r *Renderer) Render(source string, resolve Resolver) (template.HTML, bool) {
	if len(source) > longest {
		return Plain(source), false
	}
	how := resolved
	if resolve == nil {
		how = unresolved
	}
	return r.cache.get(how, source, resolve, func(resolve Resolver) (template.HTML, bool) { return r.render(source, resolve) })
}

// render is Render without its cache, for a text of an allowed length.
func (r *Renderer) render(source string, resolve Resolver) (template.HTML, bool) {
	valid := strings.ToValidUTF8(source, string(utf8.RuneError))
	if !affordable(valid) {
		return Plain(source), false
	}
	var out bytes.Buffer
	ctx := parser.NewContext()
	if resolve != nil {
		ctx.Set(targetsKey, newTargets(resolve, growth*len(source)))
	}
	document := r.markdown.Parser().Parse(text.NewReader([]byte(valid)), parser.WithContext(ctx))
	if repeated(document, len(source)) || r.markdown.Renderer().Render(&out, []byte(valid), document) != nil {
		return Plain(source), false
	}
	return template.HTML(r.pictured.SanitizeBytes(out.Bytes())), true
}

// Plain returns HTML to show a text as it is.
func Plain(source string) template.HTML {
	return template.HTML(`<p class="plain">` + html.EscapeString(source) + `</p>`)
}

// shift moves headings below those of the page, and leaves out skipped levels.
type shift struct{}

func (shift) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var headings []*ast.Heading
	var used [7]bool                                                                 // by level, from 1
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		if n.Type() != ast.TypeBlock && n.Type() != ast.TypeDocument {
			return ast.WalkSkipChildren, nil
		}
		if h, ok := n.(*ast.Heading); ok && entering {
			headings, used[h.Level] = append(headings, h), true
		}
		return ast.WalkContinue, nil
	})
	shifted, next := [7]int{}, 3
	for level, is := range used {
		if is {
			shifted[level], next = next, min(6, next+1)
		}
	}
	before := 2 // the level of the page's heading above the comments
	for _, h := range headings {
		h.Level = min(shifted[h.Level], before+1)
		before = h.Level
	}
}

// links writes links, and a link in place of an image: a page loads nothing from elsewhere.
// A link within a link is text: browsers would end the outer one.
type links struct{}

func (links) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		image := n.(*ast.Image)
		if _, ok := image.AttributeString(attached); ok {
			return picture(w, image, entering)
		}
		return anchor(w, n, util.URLEscape(image.Destination, true), image.Title, entering)
	})
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		link := n.(*ast.Link)
		return anchor(w, n, util.URLEscape(link.Destination, true), link.Title, entering)
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		link := n.(*ast.AutoLink)
		address := escaped(link.URL(source))
		if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(address), []byte("mailto:")) {
			address = append([]byte("mailto:"), address...)
		}
		_, _ = anchor(w, n, address, nil, true) // it has no error
		_, _ = w.Write(util.EscapeHTML(link.Label(source)))
		return anchor(w, n, address, nil, false)
	})
}

// anchor writes the start or the end of a link. The address is escaped already: a judgement
// of its scheme before then misses schemes with entities in them.
func anchor(w util.BufWriter, n ast.Node, address, title []byte, entering bool) (ast.WalkStatus, error) {
	if linked(n) {
		return ast.WalkContinue, nil
	}
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<a href="`)
	if !goldmarkhtml.IsDangerousURL(address) {
		_, _ = w.Write(util.EscapeHTML(address))
	}
	_, _ = w.WriteString(`"`)
	if len(title) > 0 {
		_, _ = w.WriteString(` title="`)
		goldmarkhtml.DefaultWriter.Write(w, title)
		_, _ = w.WriteString(`"`)
	}
	_, _ = w.WriteString(`>`)
	return ast.WalkContinue, nil
}

// linked reports whether a node is within a link or an image.
func linked(n ast.Node) bool {
	for p := n.Parent(); p != nil && p.Type() == ast.TypeInline; p = p.Parent() {
		if p.Kind() == ast.KindLink || p.Kind() == ast.KindImage {
			return true
		}
	}
	return false
}

// tags shows the HTML of the author as plain text: nothing typed is lost.
type tags struct{}

func (tags) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.Write(util.EscapeHTML(n.(*ast.RawHTML).Segments.Value(source)))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block := n.(*ast.HTMLBlock)
		if !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString("<p>")
		_, _ = w.Write(util.EscapeHTML(block.Lines().Value(source)))
		if block.HasClosure() {
			_, _ = w.Write(util.EscapeHTML(block.ClosureLine.Value(source)))
		}
		_, _ = w.WriteString("</p>\n")
		return ast.WalkContinue, nil
	})
}
