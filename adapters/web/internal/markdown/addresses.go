package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// address is an address in a text that becomes a link. The host may be one word, have letters of
// any script, or be a number. A link does not end with punctuation. Behind the match, goldmark
// drops further punctuation and parentheses that were opened before the link, as GitHub does.
var address = regexp.MustCompile(`^(?i:https?://(?:[\pL\pM\pN._~!$&'*+,;=:%-]{1,256}@)?` + host + behind +
	`|mailto:[\pL\pM\pN.!#$%&'*+/=?^_{|}~-]{1,64}@` + host + `(?:\?` + inside + `*` + end + `)?)`)

// www is an address without its scheme.
var www = regexp.MustCompile(`^www\.` + label + `(?:\.` + label + `)+` + behind)

const (
	label  = `[\pL\pN][\pL\pM\pN_-]{0,62}`
	behind = `(?::[0-9]{1,5})?(?:[/?#](?:` + inside + `*` + end + `\)*)?)?`
	host   = `(?:\[[0-9a-f:.]{2,45}\]|[\pL\pN](?:[\pL\pM\pN._-]{0,252}[\pL\pM\pN])?)`
	inside = `[^\pZ\pC<>"` + "`" + `]`
	end    = `[^\pZ\pC<>"` + "`" + `?!.,:*_~')\p{Pi}\p{Pf}…。，、！？：；）」』】]`
)

// addresses is the extension of goldmark that finds addresses.
type addresses struct{}

// Extend implements goldmark.Extender. Goldmark compares schemes byte by byte.
func (addresses) Extend(m goldmark.Markdown) {
	extension.NewLinkify(extension.WithLinkifyURLRegexp(address), extension.WithLinkifyWWWRegexp(www), extension.WithLinkifyAllowedProtocols([]string{
		"http:", "https:", "mailto:", "Http:", "Https:", "Mailto:", "HTTP:", "HTTPS:", "MAILTO:",
	})).Extend(m)
	m.Parser().AddOptions(parser.WithASTTransformers(util.Prioritized(quoted{}, 400)))
}

// quoted finds addresses behind quotes and other marks: goldmark finds them only behind spaces and
// some marks.
type quoted struct{}

// Transform implements parser.ASTTransformer.
func (quoted) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	var texts []*ast.Text
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no error
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				for next, ok := n.NextSibling().(*ast.Text); ok && dividedInside(next, reader.Source()) && n.Merge(next, reader.Source()); next, ok = n.NextSibling().(*ast.Text) {
					n.Parent().RemoveChild(n.Parent(), next)
				}
				texts = append(texts, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, t := range texts {
		divide(t, reader.Source())
	}
}

// dividedInside reports whether a text begins with a mark that may stand in an address, and begins a
// text because it could have been a reference. "&#" stays divided: it would become a character.
func dividedInside(t *ast.Text, source []byte) bool {
	at := t.Segment.Start
	return t.Segment.Stop > at && (source[at] == '@' || source[at] == '#') && at > 0 && source[at-1] != '&'
}

// divide makes links of the addresses in a text. An address that goes on in the next node stays text.
func divide(t *ast.Text, source []byte) {
	all, done := t.Segment, t.Segment.Start
	for _, at := range begins.FindAllIndex(all.Value(source), -1) {
		start := all.Start + at[0]
		before, _ := utf8.DecodeLastRune(source[:start])
		if start < done || joins(before) {
			continue
		}
		_, more := utf8.DecodeRune(source[all.Stop:])
		found, protocol := address.Find(source[start:all.Stop+more]), []byte(nil)
		if found == nil {
			found, protocol = www.Find(source[start:all.Stop+more]), []byte("http")
		}
		if found == nil {
			continue
		}
		if start+len(found) > all.Stop {
			break
		}
		for surplus := bytes.Count(found, []byte(")")) - bytes.Count(found, []byte("(")); surplus > 0 && found[len(found)-1] == ')'; surplus-- {
			found = found[:len(found)-1]
		}
		made := ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(start, start+len(found))))
		made.Protocol = protocol
		t.Parent().InsertBefore(t.Parent(), t, ast.NewTextSegment(text.NewSegment(done, start)))
		t.Parent().InsertBefore(t.Parent(), t, made)
		done = start + len(found)
		t.Segment = text.NewSegment(done, all.Stop)
	}
}

var begins = regexp.MustCompile(`(?i:https?://|mailto:)|www\.`)

// joins reports whether a character makes a longer word or address of what is behind it. Chinese
// and Japanese have no spaces between words.
func joins(c rune) bool {
	return strings.ContainsRune("/.@+-_", c) || (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// escaped returns an address for a link. Goldmark would escape the brackets of a numeric host.
func escaped(address []byte) []byte {
	if start := bytes.Index(address, []byte("://[")); start >= 0 {
		if end := bytes.IndexByte(address, ']'); end > start {
			return append(bytes.Clone(address[:end+1]), util.URLEscape(address[end+1:], false)...)
		}
	}
	return util.URLEscape(address, false)
}
