package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The texts of a report come from cases, harnesses and stores: they can hold anything.
// These functions make them fit to be shown. The JSON alone has them as they were.

// valid returns the text with invalid UTF-8 replaced, as encoding/json does.
func valid(text string) string { return string([]rune(text)) }

// visible returns the text with everything invisible or unprintable written as Go would:
// control characters, marks for the direction of writing, invalid UTF-8. Newlines and
// tabs stay. XML 1.0 can carry the rest.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || unicode.IsGraphic(r):
			out.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
		text = text[size:]
	}
	return out.String()
}

// line returns the text, visible, in one line.
func line(text string) string { return strings.Join(strings.Fields(visible(text)), " ") }

// brief returns the text in one line of at most n characters.
func brief(text string, n int) string {
	all := []rune(line(text))
	if len(all) <= n {
		return string(all)
	}
	return string(all[:n-1]) + "…"
}

// markup are the characters with a meaning within a line of Markdown, including table
// cells and the links of bare addresses.
const markup = "\\`*_[]<>|~&!#$@"

// md returns the text as one line of Markdown without markup. It must not stand first in
// a line.
func md(text string) string {
	var out strings.Builder
	for _, r := range line(text) {
		if strings.ContainsRune(markup, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return strings.NewReplacer("://", `\://`, "www.", `www\.`).Replace(out.String())
}

// fenced returns the text as a code block of Markdown, within a fence longer than any in
// the text.
func fenced(text string) string {
	text = visible(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// sentence ends the text with a full stop if nothing ends it yet.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// few names at most n of the names, and how many more there are.
func few(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
