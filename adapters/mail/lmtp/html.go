package lmtp

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostTag bounds one tag, or one text between two tags, in bytes.
const mostTag = 1 << 20

// plainOf returns the text of HTML, for the mails without plain text. Its quotes are marked
// as in plain text.
func plainOf(r io.Reader) (string, error) {
	var p plain
	tokens := html.NewTokenizer(r)
	tokens.SetMaxBuf(mostTag)
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return "", err
			}
			return p.out.String(), nil
		case html.TextToken:
			p.text(string(tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			p.begin(atom.Lookup(name), kind == html.SelfClosingTagToken)
			if p.picture { // its titles and styles hold tags
				tokens.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			p.end(atom.Lookup(name))
		}
	}
}

// plain is a text that grows.
type plain struct {
	out    strings.Builder
	quotes int // blockquotes around
	hidden atom.Atom
	// picture is true inside of SVG. A block ends it, as in browsers.
	picture bool
	pre     bool
	inLine  bool // the line has text
	space   bool // white space comes before the next text
	dashes  bool // the line is "-- ", which begins a signature
	blanks  int  // line ends since the last text
}

// mostMarks bounds the marks of one line.
const mostMarks = 10

func (p *plain) text(text string) {
	if p.hidden != 0 {
		return
	}
	if p.pre {
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				p.newLine()
			}
			p.write(line)
		}
		return
	}
	words := strings.Fields(text)
	if len(words) > 0 { // a line end of the source is no blank behind dashes
		p.dashes = !p.inLine && len(words) == 1 && words[0] == "--" && (strings.Contains(text, "-- ") || strings.Contains(text, "--\u00a0"))
	}
	if len(words) == 0 || strings.TrimLeftFunc(text, unicode.IsSpace) != text {
		p.space = p.space || text != ""
	}
	for i, word := range words {
		if p.inLine && (p.space || i > 0) {
			p.out.WriteByte(' ')
		}
		p.space = false
		p.write(word)
	}
	if len(words) > 0 && strings.TrimRightFunc(text, unicode.IsSpace) != text {
		p.space = true
	}
}

func (p *plain) write(text string) {
	if text == "" {
		return
	}
	if !p.inLine && p.quotes > 0 {
		p.out.WriteString(strings.Repeat(">", min(p.quotes, mostMarks)) + " ")
	}
	p.out.WriteString(text)
	p.inLine, p.blanks = true, 0
}

// newLine ends a line. More than one blank line says no more than one.
func (p *plain) newLine() {
	if p.dashes {
		p.out.WriteByte(' ')
		p.dashes = false
	}
	if p.blanks < 2 {
		p.out.WriteByte('\n')
		p.blanks++
	}
	p.inLine, p.space = false, false
}

// block ends a line that has text.
func (p *plain) block() {
	if p.inLine {
		p.newLine()
	}
}

// leaves has the tags that end a picture.
var leaves = map[atom.Atom]bool{
	atom.Body: true, atom.P: true, atom.Div: true, atom.Span: true, atom.Br: true, atom.Pre: true, atom.Blockquote: true,
	atom.Table: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Hr: true, atom.Img: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

// endPicture shows text again: a title of a picture can lack its end.
func (p *plain) endPicture() {
	if p.picture {
		p.picture, p.hidden = false, 0
	}
}

func (p *plain) begin(tag atom.Atom, closed bool) {
	if p.picture && leaves[tag] {
		p.endPicture()
	}
	switch tag {
	case atom.Script, atom.Style, atom.Title:
		if p.hidden == 0 && !closed {
			p.hidden = tag
		}
	case atom.Svg:
		p.picture = p.picture || !closed
	case atom.Br:
		p.newLine()
	case atom.Pre:
		p.block()
		p.pre = true
	case atom.Blockquote:
		p.block()
		p.quotes++
	case atom.Li:
		p.block()
		p.write("- ")
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Div, atom.Tr, atom.Ul, atom.Ol, atom.Table, atom.Hr:
		p.block()
	}
}

func (p *plain) end(tag atom.Atom) {
	switch tag {
	case p.hidden:
		p.hidden = 0
	case atom.Svg:
		p.endPicture()
	case atom.Pre:
		p.block()
		p.pre = false
	case atom.Blockquote:
		p.block()
		p.quotes = max(0, p.quotes-1)
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Table:
		p.block()
		p.newLine()
	case atom.Div, atom.Tr, atom.Li:
		p.block()
	case atom.Td, atom.Th:
		p.space = true
	}
}
