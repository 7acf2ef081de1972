package lmtp

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/problemtracking/problems/domain/mail"
)

// attribute reads an attribute that a text keeps.
func (p *plain) attribute(tag atom.Atom, key, value string) {
	switch {
	case tag == atom.A && key == "href" && p.hidden == 0:
		if p.target = target(value); p.target != "" {
			p.link = pending
		}
	case len(p.lists) == 0:
	case tag == atom.Ol && key == "start", tag == atom.Li && key == "value":
		if n, err := strconv.ParseUint(value, 10, 29); err == nil { // Markdown has nine digits
			p.lists[len(p.lists)-1].next = int(n)
		}
	}
}

// target returns the address of a link that leads out of the mail; empty for others.
func target(href string) string {
	href = strings.TrimSpace(href)
	scheme, _, _ := strings.Cut(href, ":")
	if !slices.Contains([]string{"http", "https", "mailto", "ftp"}, strings.ToLower(scheme)) {
		return ""
	}
	return strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", "\\", "%5C").Replace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, href))
}

// mark returns the mark of an item, behind the marks of the lists around.
func (p *plain) mark() string {
	if len(p.lists) == 0 {
		return "- "
	}
	indent := 0
	for _, l := range p.lists[:len(p.lists)-1] {
		indent += l.width
	}
	l := &p.lists[len(p.lists)-1]
	mark := "- "
	if l.numbered {
		mark = strconv.Itoa(l.next) + ". "
		l.next++
	}
	l.width = len(mark)
	return strings.Repeat(" ", min(indent, 3*mostMarks)) + mark
}

// endLink writes the target of a link, unless its text has it.
func (p *plain) endLink() {
	to, begin := p.target, p.link
	p.target, p.link = "", none
	if to == "" {
		return
	}
	if begin < 0 { // such as a picture
		p.text(" <" + to + "> ")
		return
	}
	text := string(p.out[begin:])
	scheme, address, _ := strings.Cut(to, ":")
	isMail := strings.EqualFold(scheme, "mailto")
	switch {
	case strings.TrimRight(text, "/\n") == strings.TrimRight(to, "/"), isMail && strings.Contains(strings.ToLower(text), strings.ToLower(address)):
	case isMail && !strings.Contains(address, "?"): // as mails name people
		p.text(" <" + address + "> ")
	case p.pre, p.code != none, strings.Contains(text, "\n"):
		p.text(" <" + to + "> ")
	default:
		if strings.ContainsAny(to, "()") {
			to = "<" + to + ">"
		}
		p.out = append(p.out[:begin], "["+strings.NewReplacer("[", "\\[", "]", "\\]").Replace(text)+"]("+to+")"...)
	}
}

// endCode marks code inside of a line, or lines that have nothing else.
func (p *plain) endCode() {
	begin := p.code
	if p.code = none; begin < 0 {
		return
	}
	text := string(p.out[begin:])
	if strings.Contains(text, "\n") {
		if begin == 0 || p.out[begin-1] == '\n' {
			p.fenceFrom(begin)
		}
		return
	}
	marks, space := ticks(text, 1), ""
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		space = " "
	}
	p.out = append(p.out[:begin], marks+space+text+space+marks...)
}

func (p *plain) endPre() {
	begin := p.fence
	if p.pre, p.fence = false, none; begin >= 0 {
		p.fenceFrom(begin)
	}
}

// fenceFrom puts fences around the lines from a place on. Programs also put a plain mail into a
// pre, with its quotes and its signature: that is no code.
func (p *plain) fenceFrom(begin int) {
	p.block()
	text := strings.TrimRight(string(p.out[begin:]), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if line == "-- " || p.quotes == 0 && strings.HasPrefix(line, ">") || strings.Contains(line, mail.Divider) {
			return
		}
	}
	marks, quotes := ticks(text, 3), ""
	if p.quotes > 0 {
		quotes = strings.Repeat(">", min(p.quotes, mostMarks)) + " "
	}
	p.out = append(p.out[:begin], marks+"\n"+quotes+text+"\n"+quotes+marks+"\n"...)
	p.blanks = 1
}

// ticks returns backticks, more than the text has in a row.
func ticks(text string, least int) string {
	row := 0
	for _, c := range text {
		if row++; c != '`' {
			row = 0
		}
		least = max(least, row+1)
	}
	return strings.Repeat("`", least)
}
