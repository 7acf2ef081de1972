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

// reply knows the answered mail by its address.
type reply struct{ token string }

// Written returns the author's own text in a reply to the address with a token. It leaves out the answered mail, control
// characters, and the signature below "-- ". Quotes between pieces of the author's own text
// stay, since the text may refer to them. It is empty when nothing is left.
func Written(text, token string) string {
	r := reply{strings.ToLower(token)}
	lines := strings.Split(printable(text), "\n")
	lines = r.aboveOriginal(lines)
	lines = r.withoutQuotes(lines)
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
func (r reply) aboveOriginal(lines []string) []string {
	for i, l := range lines {
		bare := strings.Trim(l, " \t*_\u00A0")
		switch {
		case l == "-- ":
			return lines[:i]
		case divides(bare, lines[i+1:]), title(bare, lines[i+1:]):
			return r.withoutHeading(lines[:i])
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

// withoutQuotes removes quotes of the answered mail at both ends, and those below a sentence such
// as "On Sat, 14 Mar 2026, Ann wrote:". Other lines that begin with ">" can be the author's own. It
// returns none when there are no other lines.
func (r reply) withoutQuotes(lines []string) []string {
	var own []string
	program, written := false, false // the program quotes the mail; the author wrote lines
	for i := 0; i < len(lines); {
		if !quoted(lines[i]) {
			written = written || !blank(lines[i])
			own = append(own, lines[i])
			i++
			continue
		}
		begin := i
		for i < len(lines) && (quoted(lines[i]) || blank(lines[i])) {
			i++
		}
		above, below := r.withoutAttribution(own)
		program = program || below || r.answered(lines[begin:i])
		first, last := len(withoutBlankEnd(above)) == 0, i == len(lines)
		if !below && (!program || !first && !last) {
			own = append(own, lines[begin:i]...)
			continue
		}
		if own = above; !last && len(own) > 0 && !blank(own[len(own)-1]) {
			own = append(own, "") // in place of the quote
		}
	}
	if !written {
		return nil
	}
	return own
}

// answered reports whether quoted lines are from the answered mail: they have its Divider, its
// address, or the sentence that a program writes above it.
func (r reply) answered(quotes []string) bool {
	bare := make([]string, len(quotes))
	for i, l := range quotes {
		bare[i] = strings.Trim(l, "> \t*_\u00A0")
	}
	for i, l := range bare {
		if divides(l, bare[i+1:]) {
			return true
		}
	}
	return r.addressed(bare) || isAttribution(bare[:1])
}
