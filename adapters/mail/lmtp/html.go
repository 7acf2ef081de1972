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

// plainOf returns the text of HTML as Markdown, for the mails without plain text: with the
// numbers of lists, code, and the targets of links. Its quotes are marked as in plain text.
func plainOf(r io.Reader) (string, error) {
	return (&plain{link: none, code: none, fence: none}).read(r)
}

// layoutOf returns the same text with the places of the pictures that are parts of the mail,
// unless they stand in a signature. It adds all of these places to shown.
func layoutOf(r io.Reader, shown map[string]bool) (string, error) {
	return (&plain{link: none, code: none, fence: none, layout: layout{shown: shown}}).read(r)
}

func (p *plain) read(r io.Reader) (string, error) {
	tokens := html.NewTokenizer(r)
	tokens.SetMaxBuf(mostTag)
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return "", err
			}
			p.endLink()
			p.endCode()
			p.endPre()
			return string(p.out), nil
		case html.TextToken:
			p.text(string(tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			tag := atom.Lookup(name)
			p.begin(tag, kind == html.SelfClosingTagToken)
			p.beginSignature(tag)
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				p.attribute(tag, string(key), string(value))
				p.place(tag, string(key), string(value))
			}
			if p.picture { // its titles and styles hold tags
				tokens.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			p.end(atom.Lookup(name))
			p.endSignature(atom.Lookup(name))
		}
	}
}

// plain is a text that grows.
type plain struct {
	out    []byte
	quotes int // blockquotes around
	hidden atom.Atom
	// picture is true inside of SVG. A block ends it, as in browsers.
	picture bool
	pre     bool
	inLine  bool // the line has text
	space   bool // white space comes before the next text
	dashes  bool // the line is "-- ", which begins a signature
	blanks  int  // line ends since the last text
	item    bool // an item of a list has begun, and its mark is not written yet
	lists   []list
	deeper  int    // lists inside of the last one, without marks of their own
	target  string // of the link around; empty: there is none
	// Where the text of a link, of code and of a pre begins.
	link, code, fence int

	layout layout
}

// Places without a text.
const (
	none    = -1
	pending = -2 // the tag is there
)

// list is a list around.
type list struct {
	numbered bool
	next     int
	width    int // of the mark before its last item
}

// mostMarks bounds the marks of one line, of quotes and of lists.
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
			p.out = append(p.out, ' ')
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
		p.out = append(p.out, strings.Repeat(">", min(p.quotes, mostMarks))+" "...)
	}
	if p.item {
		p.item = false
		p.out = append(p.out, p.mark()...)
	}
	for _, begin := range []*int{&p.link, &p.code, &p.fence} {
		if *begin == pending {
			*begin = len(p.out)
		}
	}
	p.out = append(p.out, text...)
	p.inLine, p.blanks = true, 0
}

// newLine ends a line. More than one blank line says no more than one, but in code.
func (p *plain) newLine() {
	if p.dashes {
		p.out = append(p.out, ' ')
		p.dashes = false
	}
	if p.blanks < 2 || p.pre {
		p.out = append(p.out, '\n')
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
		p.endPre()
		if p.item { // the fence has a line of its own
			p.write(" ")
			p.newLine()
		}
		p.pre, p.fence = true, pending
	case atom.Blockquote:
		p.block()
		p.quotes++
	case atom.A:
		p.endLink()
	case atom.Code, atom.Tt:
		if p.endCode(); !p.pre {
			p.code = pending
		}
	case atom.Ul, atom.Ol:
		p.block()
		if len(p.lists) == mostMarks {
			p.deeper++
			return
		}
		p.lists = append(p.lists, list{numbered: tag == atom.Ol, next: 1})
	case atom.Li:
		p.block()
		p.item = true
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Div, atom.Tr, atom.Table, atom.Hr:
		p.block()
	}
}

func (p *plain) end(tag atom.Atom) {
	switch tag {
	case p.hidden:
		p.hidden = 0
	case atom.Svg:
		p.endPicture()
	case atom.A:
		p.endLink()
	case atom.Code, atom.Tt:
		p.endCode()
	case atom.Pre:
		p.block()
		p.endPre()
	case atom.Ul, atom.Ol:
		p.block()
		p.item = false
		if p.deeper > 0 {
			p.deeper--
		} else if len(p.lists) > 0 {
			p.lists = p.lists[:len(p.lists)-1]
		}
		if len(p.lists) == 0 {
			p.newLine()
		}
	case atom.Blockquote:
		p.block()
		if p.quotes = max(0, p.quotes-1); p.quotes == 0 {
			p.newLine() // Markdown takes a line directly below a quote for a part of it
		}
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table:
		p.block()
		p.newLine()
	case atom.Div, atom.Tr:
		p.block()
	case atom.Li:
		p.block()
		p.item = false
	case atom.Td, atom.Th:
		p.space = true
	}
}
