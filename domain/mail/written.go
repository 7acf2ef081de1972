package mail

import (
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/text"
)

// Divider stands at both ends of a line. Each mail with an address for replies begins with
// this line, and the answer stands above it.
const Divider = "-=-=-"

// DividerLine returns the line with the given words.
func DividerLine(words string) string { return Divider + " " + words + " " + Divider }

// Written returns the author's own text in a reply. It leaves out the answered mail, control
// characters, and the signature below "-- ". Quotes between pieces of the author's own text
// stay, since the text may refer to them. It is empty when nothing is left.
func Written(text string) string {
	lines := strings.Split(printable(text), "\n")
	lines = aboveOriginal(lines)
	lines = withoutQuotes(lines)
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	return strings.TrimRightFunc(strings.Join(withoutBlankEnd(lines), "\n"), unicode.IsSpace)
}

// printable returns a text with LF as the end of lines, in UTF-8, and without the control
// characters forbidden in comments (D9). Mail programs add them, and their users cannot see
// them.
func printable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\r':
			return '\n'
		case unicode.IsControl(c) && c != '\t' && c != '\n':
			return -1
		}
		return c
	}, text)
}

func blank(line string) bool { return !text.Visible(line) }

func quoted(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") }

// divides reports whether a line is a DividerLine. A mail program may have moved its last
// words to the next line. A ruler such as "-=-=-=-=-" is text of the author.
func divides(line string, below []string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != Divider {
		return false
	}
	if words[len(words)-1] != Divider && len(below) > 0 {
		words = append(words, strings.Fields(strings.TrimRight(below[0], " \t*_\u00A0"))...)
	}
	last := len(words) - 1
	return words[last] == Divider && strings.ContainsFunc(strings.Join(words[1:last], ""), unicode.IsLetter)
}

// aboveOriginal returns the lines above the answered mail when it is not marked as a quote:
// above the Divider or a title such as "-----Original Message-----", or above a signature.
func aboveOriginal(lines []string) []string {
	for i, l := range lines {
		bare := strings.Trim(l, " \t*_\u00A0")
		switch {
		case l == "-- ":
			return lines[:i]
		case divides(bare, lines[i+1:]), title(bare, lines[i+1:]):
			return withoutHeading(lines[:i])
		}
	}
	return lines
}

// paragraph returns where the last paragraph begins. The last line is not blank.
func paragraph(lines []string) int {
	begin := len(lines)
	for begin > 0 && !blank(lines[begin-1]) && !quoted(lines[begin-1]) {
		begin--
	}
	return begin
}

func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// withoutQuotes removes the quotes at both ends, and quotes below a sentence such as "On Sat, 14 Mar 2026, Ann wrote:".
func withoutQuotes(lines []string) []string {
	var own, quotes []string // quotes: stay if text of the author follows
	dropping := true         // the next quote: nothing of the author stands above it
	for _, l := range lines {
		switch {
		case quoted(l) && dropping:
		case quoted(l) && len(quotes) == 0:
			if own, dropping = withoutAttribution(own); !dropping {
				quotes = append(quotes, l)
			}
		case quoted(l), blank(l) && len(quotes) > 0:
			quotes = append(quotes, l)
		case blank(l):
			own = append(own, l)
		default:
			if n := len(own); dropping && n > 0 && !blank(own[n-1]) {
				own = append(own, "") // in place of the quote
			}
			own = append(append(own, quotes...), l)
			quotes, dropping = nil, false
		}
	}
	return own
}
