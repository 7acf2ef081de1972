// Package difference compares two texts word by word, for people to read.
package difference

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// mostWords is how many words, spaces and signs of a text are compared, without the equal
// ones at its start and end. Beyond this number, the whole rest counts as replaced.
const mostWords = 20_000

// Kind is the place of a span: one of two texts, or both.
type Kind int

// The kinds of spans.
const (
	Kept    Kind = iota // in both texts
	Removed             // only in the old text
	Added               // only in the new text
)

// Span is a part of one text or of both. It is never empty.
type Span struct {
	Kind Kind
	Text string
}

// Removed reports whether the span is only in the old text.
func (s Span) Removed() bool { return s.Kind == Removed }

// Added reports whether the span is only in the new text.
func (s Span) Added() bool { return s.Kind == Added }

// Words returns the difference of two texts. The kept and removed spans make the old text,
// the kept and added spans the new one. No two spans of a kind follow each other, and a
// removed span stands before its replacement. Equal texts have one kept span; two empty
// texts have none.
func Words(before, after string) []Span {
	old, now := words(before), words(after)
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	start, end := old[:head], old[len(old)-tail:]
	old, now = old[head:len(old)-tail], now[head:len(now)-tail]

	diffs := []lcs.Diff{{End: len(old), ReplEnd: len(now)}}
	if len(old) <= mostWords && len(now) <= mostWords {
		diffs = lcs.DiffLines(old, now)
	}
	var b builder
	b.keep(start)
	kept := 0
	for _, d := range diffs {
		b.keep(old[kept:d.Start])
		b.replace(old[d.Start:d.End], now[d.ReplStart:d.ReplEnd])
		kept = d.End
	}
	b.keep(old[kept:])
	b.keep(end)
	b.flush()
	return b.spans
}

// builder collects spans. It holds a replacement back until more than a space is kept: so
// "one two" replaced by "three four" reads as one change and not as two.
type builder struct {
	spans                []Span
	kept, removed, added strings.Builder
}

func (b *builder) keep(words []string) {
	text := strings.Join(words, "")
	if strings.TrimSpace(text) != "" {
		b.flush()
		b.span(Kept, text)
		return
	}
	b.kept.WriteString(text)
}

func (b *builder) replace(old, now []string) {
	if len(old)+len(now) == 0 {
		return
	}
	space := b.kept.String()
	b.kept.Reset()
	if b.removed.Len() > 0 && b.added.Len() > 0 && len(old) > 0 && len(now) > 0 {
		b.removed.WriteString(space)
		b.added.WriteString(space)
	} else {
		b.change()
		b.span(Kept, space)
	}
	b.removed.WriteString(strings.Join(old, ""))
	b.added.WriteString(strings.Join(now, ""))
}

// flush writes the change held back, and the space behind it.
func (b *builder) flush() {
	b.change()
	b.span(Kept, b.kept.String())
	b.kept.Reset()
}

func (b *builder) change() {
	b.span(Removed, b.removed.String())
	b.span(Added, b.added.String())
	b.removed.Reset()
	b.added.Reset()
}

func (b *builder) span(kind Kind, text string) {
	if text == "" {
		return
	}
	if last := len(b.spans) - 1; last >= 0 && b.spans[last].Kind == kind {
		b.spans[last].Text += text
		return
	}
	b.spans = append(b.spans, Span{kind, text})
}

// words cuts a text into words, runs of spaces, and single signs. Scripts without spaces
// between words are cut into characters. A mark stays with its character.
func words(text string) (cut []string) {
	const (
		none = iota
		word
		space
	)
	start, run := 0, none
	for i, c := range text {
		kind := none
		switch {
		case unicode.IsSpace(c):
			kind = space
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_':
			kind = word
		}
		joined := i > 0 && (kind != none && kind == run || unicode.IsMark(c) && c != utf8.RuneError)
		if joined {
			continue
		}
		if i > start {
			cut = append(cut, text[start:i])
		}
		start, run = i, kind
	}
	if start < len(text) {
		cut = append(cut, text[start:])
	}
	return cut
}
