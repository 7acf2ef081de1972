package markdown

import (
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// ofAttachment is how a comment names an attachment of its problem: ![a lamp](attachment:ID).
const ofAttachment = "attachment:"

// attached marks images that are shown. All others become links.
const attached = "attached"

// pictures finds the images of attachments.
type pictures struct{}

// Transform implements parser.ASTTransformer.
func (pictures) Transform(document *ast.Document, source text.Reader, ctx parser.Context) {
	named, _ := ctx.Get(targetsKey).(*targets)
	if named == nil {
		return
	}
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it has no error
		image, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		id, ok := strings.CutPrefix(string(image.Destination), ofAttachment)
		if !ok {
			return ast.WalkContinue, nil
		}
		link, ok := named.resolve.Picture(id)
		if ok {
			link, ok = named.take(link)
		}
		if ok {
			image.Destination = []byte(link.URL)
			image.SetAttributeString(attached, alternative(image, source.Source()))
		}
		return ast.WalkSkipChildren, nil
	})
}

// alternative returns the text in place of an image.
func alternative(image *ast.Image, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(image, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// picture writes an image.
func picture(w util.BufWriter, image *ast.Image, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	alt, _ := image.AttributeString(attached)
	_, _ = w.WriteString(`<img src="`)
	_, _ = w.Write(util.EscapeHTML(image.Destination))
	_, _ = w.WriteString(`" alt="`)
	_, _ = w.Write(util.EscapeHTML([]byte(alt.(string))))
	_, _ = w.WriteString(`">`)
	return ast.WalkSkipChildren, nil
}

// ownFile is the address of the file of an attachment.
var ownFile = regexp.MustCompile(`^(/[^/?#]+)*/problems/[0-9]+/attachments/[0-9a-f-]{36}/[^/?#]+$`)

// withPictures returns the policy with images of attachments.
func withPictures(p *bluemonday.Policy) *bluemonday.Policy {
	p.AllowAttrs("src").Matching(ownFile).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	return p
}
