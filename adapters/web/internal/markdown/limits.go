package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A hostile text within these limits takes some tens of milliseconds and some megabytes. All
// limits count the text itself, never the time, so every reader sees the same page.
const (
	// longest is the longest text, in bytes, to be read as Markdown.
	longest = 32 << 10
	// deepest is how many marks of a quotation or a list may begin a line. The cost of nested
	// blocks grows with the square of their depth.
	deepest = 20
	// mostDefinitions is how many targets of links a text may define apart. The parser moves all
	// lines of a paragraph for each.
	mostDefinitions = 1000
	// mostSteps is how many steps the marks of a text may take: see steps.
	mostSteps = 512 * longest
	// spareCells is how many cells the tables of a text may have beyond one for each byte.
	// The parser fills up short rows, so each row costs as many cells as the first one.
	spareCells = 100
	// growth is how many bytes of link targets a text may repeat for each of its own bytes.
	growth = 8
)

// marks are the bytes that can let the parser search the rest of a paragraph.
const marks = "[]<`*_~"

// blocks reads only the blocks of a text, in time linear to its length times its depth.
var blocks = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
		util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
	),
)

// affordable reports whether a text is within the limits above, before it is parsed as a whole.
func affordable(source string) bool {
	if len(source) > longest || tooDeep(source) || strings.Count(source, "]:") > mostDefinitions {
		return false
	}
	ctx := parser.NewContext()
	ctx.Set(cellsKey, len(source)+spareCells)
	document := blocks.Parse(text.NewReader([]byte(source)), parser.WithContext(ctx))
	if ctx.Get(cellsKey).(int) < 0 {
		return false
	}
	total := strings.Count(source, "`") * strings.Count(source, `\|`)                // the parser compares them in tables
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		if entering && n.Type() == ast.TypeBlock && !n.IsRaw() {
			total += steps(source, n.Lines())
		}
		return ast.WalkContinue, nil
	})
	return total <= mostSteps
}

// cellsKey is the place of the number of cells left for tables; it is negative when a table has
// more.
var cellsKey = parser.NewContextKey()

// tables counts the cells of a table before the parser makes them.
type tables struct{ parser.ParagraphTransformer }

// Transform is of parser.ParagraphTransformer. It counts for each line that can begin a table.
func (t tables) Transform(node *ast.Paragraph, reader text.Reader, ctx parser.Context) {
	left, most, lines := ctx.Get(cellsKey).(int), 0, node.Lines()
	for i := 1; i < lines.Len(); i++ {
		segment := lines.At(i)
		line := bytes.TrimSpace(segment.Value(reader.Source()))
		if bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, "-:| \t\f\v\r\n")) == 0 {
			line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte{'|'}), []byte{'|'})
			most = max(most, (bytes.Count(line, []byte{'|'})+1)*(lines.Len()-i))
		}
	}
	left -= most
	ctx.Set(cellsKey, left)
	if left >= 0 {
		t.ParagraphTransformer.Transform(node, reader, ctx)
	}
}

// tooDeep reports whether a line begins with too many marks.
func tooDeep(source string) bool {
	for line := range strings.Lines(source) {
		marks := 0
		for _, c := range line {
			if strings.ContainsRune(">-*+.)", c) { // a number with a dot or a parenthesis is the mark of a list
				marks++
			} else if c != ' ' && c != '\t' && !('0' <= c && c <= '9') {
				break
			}
		}
		if marks > deepest && strings.Trim(line, "-*_= \t\r\n") != "" {
			return true
		}
	}
	return false
}

// steps returns how many bytes the parser can visit in a block with text: each mark can let it
// search the whole of it.
func steps(source string, lines *text.Segments) int {
	size, found := 0, 1
	for i := range lines.Len() {
		line := lines.At(i)
		size += line.Len()
		for _, c := range []byte(source[line.Start:line.Stop]) {
			if strings.IndexByte(marks, c) >= 0 {
				found++
			}
		}
	}
	return size * found
}

// repeated reports whether the links of a parsed text have more targets than a text of this
// length may repeat: links can share a definition.
func repeated(document ast.Node, length int) bool {
	size := 0
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		switch link := n.(type) {
		case *ast.Link:
			size += len(link.Destination) + len(link.Title)
		case *ast.Image:
			size += len(link.Destination) + len(link.Title)
		}
		return ast.WalkContinue, nil
	})
	return size > 2*growth*length // each is entered and left
}
