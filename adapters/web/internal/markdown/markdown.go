// Package markdown turns comments into safe HTML: Markdown, and the HTML that clients of
// old have stored.
//
// There are two walls. Goldmark writes no HTML of the author. Bluemonday then lets only
// known elements, attributes and schemes through, whatever goldmark has written.
package markdown

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strconv"
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

const (
	// longest is the longest text, in bytes, that is read as Markdown. A longer one is shown
	// as it is. A hostile text of this length takes some tens of milliseconds.
	longest = 32 << 10
	// deepest is how many marks of a quotation or a list may begin a line. The cost of nested
	// blocks grows with the square of their depth.
	deepest = 20
	// mostMarks is how many brackets, asterisks and underscores a text may have. The cost of
	// pairing them grows with the square of their number.
	mostMarks = 2000
)

// Link is what a reference leads to.
type Link struct {
	URL   string
	Title string // of the problem, or the whole name of a person; for the pointer
	Done  bool   // the problem is resolved
}

// Resolver returns the problem with a number, or false if there is none.
type Resolver func(number int64) (Link, bool)

// Renderer makes HTML. Its methods may be called from many goroutines.
type Renderer struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy
}

// New returns a Renderer.
func New() *Renderer {
	return &Renderer{
		markdown: goldmark.New(
			goldmark.WithExtensions(
				extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
				extension.Strikethrough, extension.TaskList,
				extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:", "mailto:"})),
			),
			goldmark.WithParserOptions(
				parser.WithASTTransformers(util.Prioritized(shift{}, 500)),
				parser.WithInlineParsers(util.Prioritized(&references{}, 50)),
			),
			goldmark.WithRendererOptions(
				goldmarkhtml.WithHardWraps(),
				renderer.WithNodeRenderers(util.Prioritized(images{}, 100), util.Prioritized(tags{}, 100), util.Prioritized(&references{}, 100)),
			),
		),
		policy: newPolicy(),
	}
}

// newPolicy returns the second wall.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "i", "b", "del", "s", "sub", "sup", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("title").OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^reference( done)?$`)).OnElements("a")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// Render returns a text in Markdown as HTML. References such as "#12" to problems that the
// resolver knows are links.
func (r *Renderer) Render(source string, resolve Resolver) template.HTML {
	if len(source) > longest || tooDeep(source) {
		return Plain(source)
	}
	var out bytes.Buffer
	ctx := parser.NewContext()
	ctx.Set(resolverKey, resolve)
	if err := r.markdown.Convert([]byte(strings.ToValidUTF8(source, string(utf8.RuneError))), &out, parser.WithContext(ctx)); err != nil {
		return Plain(source)
	}
	return r.safe(out.Bytes())
}

// RenderHTML returns stored HTML in its safe form.
func (r *Renderer) RenderHTML(stored string) template.HTML {
	if len(stored) > longest {
		return Plain(stored)
	}
	return r.safe([]byte(stored))
}

func (r *Renderer) safe(unsafe []byte) template.HTML {
	return template.HTML(r.policy.SanitizeBytes(unsafe))
}

// Plain returns a text as HTML that shows it as it is.
func Plain(source string) template.HTML {
	return template.HTML(`<p class="plain">` + html.EscapeString(source) + `</p>`)
}

// tooDeep reports whether a line begins with too many marks, or the whole has too many.
func tooDeep(source string) bool {
	if strings.Count(source, "[")+strings.Count(source, "*")+strings.Count(source, "_") > mostMarks {
		return true
	}
	for line := range strings.Lines(source) {
		marks := 0
		for _, c := range line {
			if strings.ContainsRune(">-*+", c) {
				marks++
			} else if c != ' ' && c != '\t' && !('0' <= c && c <= '9') && c != '.' && c != ')' {
				break
			}
		}
		if marks > deepest && strings.Trim(line, "-*_= \t\r\n") != "" {
			return true
		}
	}
	return false
}

var number = regexp.MustCompile(`#([1-9][0-9]{0,15})\b`)

// Numbers returns the problems that texts may refer to, each once, up to a limit. So one
// request to the store resolves all references of a page.
func Numbers(limit int, texts ...string) (numbers []int64) {
	seen := map[int64]bool{}
	for _, t := range texts {
		if len(t) > longest {
			continue
		}
		for _, match := range number.FindAllStringSubmatch(t, -1) {
			n, err := strconv.ParseInt(match[1], 10, 64)
			if err != nil || seen[n] || len(numbers) == limit {
				continue
			}
			seen[n] = true
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// shift moves headings below those of the page.
type shift struct{}

func (shift) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(6, h.Level+2)
		}
		return ast.WalkContinue, nil
	})
}

// images shows the address of an image in place of it: a page loads nothing from elsewhere.
type images struct{}

func (images) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		image := n.(*ast.Image)
		if !entering {
			_, _ = w.WriteString("</a>")
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString(`<a href="`)
		if !goldmarkhtml.IsDangerousURL(image.Destination) {
			_, _ = w.Write(util.EscapeHTML(util.URLEscape(image.Destination, true)))
		}
		_, _ = w.WriteString(`">`)
		return ast.WalkContinue, nil
	})
}

// tags shows the HTML of the author as the text that it is: nothing typed is lost.
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

var resolverKey = parser.NewContextKey()

// reference is "#12" with its problem.
type reference struct {
	ast.BaseInline
	number string
	link   Link
}

var kindReference = ast.NewNodeKind("Reference")

func (*reference) Kind() ast.NodeKind { return kindReference }

func (n *reference) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// references finds and writes them.
type references struct{}

func (*references) Trigger() []byte { return []byte{'#'} }

func (*references) Parse(_ ast.Node, block text.Reader, ctx parser.Context) ast.Node {
	resolve, _ := ctx.Get(resolverKey).(Resolver)
	if resolve == nil || isWord(block.PrecendingCharacter()) {
		return nil
	}
	line, _ := block.PeekLine()
	match := number.FindSubmatchIndex(line[:min(len(line), 20)])
	if match == nil || match[0] != 0 {
		return nil
	}
	digits := string(line[match[2]:match[3]])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	link, ok := resolve(n)
	if !ok {
		return nil
	}
	block.Advance(match[1])
	return &reference{number: digits, link: link}
}

func isWord(c rune) bool {
	return c == '_' || c == '&' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

func (*references) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindReference, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		ref, class := n.(*reference), "reference"
		if ref.link.Done {
			class += " done"
		}
		_, _ = w.WriteString(`<a class="` + class + `" href="` + html.EscapeString(ref.link.URL) + `" title="` + html.EscapeString(ref.link.Title) + `">#` + ref.number + `</a>`)
		return ast.WalkContinue, nil
	})
}
