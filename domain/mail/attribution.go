package mail

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The forms of an attribution: the sentence above a quote, such as "On Sat, 14 Mar 2026, Ann
// wrote:". The forms are narrow. A missed attribution leaves one line too many in a comment. A
// wrong match removes a line of the author, and this is worse.
var (
	// verbLast has its verb at the end. The name stands behind the time and a comma, or has an
	// address. So "On Monday at 10:04 the server wrote:" is text of an author.
	verbLast = matching(`^(?:On|Le|El|Il|Em) .*\d(?:(?: [^ ,]+){0,2}, [^,\d][^,]*|.*<[^<>\s]+@[^<>\s]+>\)?,?)\s` +
		`(?:wrote|a écrit|escribió|ha scritto|escreveu)\s?:$`)
	// verbInside has its verb in the middle.
	verbInside = matching(`^(?:Am|Op|Den) .*\d,?(?: [^ ]+){0,2} (?:(?:schrieb|schreef|skrev) .+|hat .*<[^<>\s]+@[^<>\s]+> Folgendes geschrieben):$`)
	// nameFirst begins with a name, and ends in an address and a verb.
	nameFirst = matching(`^[^<].*<[^<>\s]+@[^<>\s]+>\)?,?\s(?:(?:wrote|writes|a écrit|escribió|ha scritto|escreveu` +
		`|napisała?|napisał\(a\)|napsala?|kirjoitti|пишет|написал\(а\))\s?:|于.*写道：)$`)
	// dateFirst begins with a date, and ends in an address without a verb.
	dateFirst = matching(`^(?:\S{1,5} )?\d.*<[^<>\s]+@[^<>\s]+>\s?:$`)

	// day is a date with its year, and hour a time of day.
	day  = matching(`\b(?:19|20)\d\d(?:\D|$)|\b\d{1,2}[./-]\d{1,2}[./-]\d\d(?:\D|$)`)
	hour = matching(`\b[0-2]?\d:[0-5]\d(?:\D|$)|\bkl\.? [0-2]?\d\.[0-5]\d(?:\D|$)`)
)

// Bounds of an attribution.
const (
	mostAttributionLines = 3
	mostAttributionBytes = 500
	// fullLine is a length in characters. A program breaks a line only when the line and the
	// next word have at least this length.
	fullLine = 60
)

// withoutAttribution returns the lines without the attribution at their end. ok is false when
// there is none.
func (r reply) withoutAttribution(all []string) (without []string, ok bool) {
	lines := withoutBlankEnd(all)
	begin := paragraph(lines)
	for n := 1; n <= mostAttributionLines && len(lines)-n >= begin; n++ {
		sentence := lines[len(lines)-n:]
		if n > 1 && !broken(sentence[0], sentence[1]) {
			break
		}
		if isAttribution(sentence) {
			return withoutBlankEnd(lines[:len(lines)-n]), true
		}
	}
	if n := r.ownAttribution(lines[begin:]); n > 0 {
		return withoutBlankEnd(lines[:len(lines)-n]), true
	}
	return all, false
}

// ownAttribution returns how many lines at the end of a paragraph name the address of this mail,
// in any language, with the broken line of a date above; 0: none does.
func (r reply) ownAttribution(lines []string) int {
	least := 0
	for n := 1; n <= min(mostAttributionLines+1, len(lines)); n++ {
		sentence := lines[len(lines)-n:]
		if least > 0 && !broken(sentence[0], sentence[1]) {
			break
		}
		if least == 0 && r.addressed(sentence) {
			least = n
		}
		if text := plain(strings.Join(sentence, " ")); least > 0 && (day.MatchString(text) || hour.MatchString(text)) {
			return n
		}
	}
	return least
}

// addressed reports whether lines have the address of this mail, which may be broken.
func (r reply) addressed(lines []string) bool {
	return r.token != "" && strings.Contains(strings.ToLower(strings.Join(strings.Fields(strings.Join(lines, "")), "")), "+"+r.token)
}

// broken reports whether a program broke a sentence between two lines. It did not when the line
// ends in a punctuation mark, or when the next word had room on it.
func broken(line, next string) bool {
	line = strings.TrimSpace(line)
	word, _, _ := strings.Cut(strings.TrimSpace(next), " ")
	return !strings.ContainsAny(line[len(line)-1:], ".!?:;") && utf8.RuneCountInString(line+" "+word) >= fullLine
}

// isAttribution reports whether the lines are one attribution.
func isAttribution(lines []string) bool {
	first, sentence := plain(lines[0]), plain(strings.Join(lines, " "))
	// A line can be broken before an address, or inside of "<reply@example.org>".
	whole := len(lines) == 1 || strings.HasSuffix(first, "<") || strings.HasPrefix(plain(lines[1]), "<")
	sentence = strings.ReplaceAll(sentence, "< ", "<")
	if len(sentence) > mostAttributionBytes {
		return false
	}
	onDay, atHour := day.MatchString(first), hour.MatchString(first)
	switch {
	case verbLast.MatchString(sentence):
		return onDay || atHour
	case verbInside.MatchString(sentence), whole && dateFirst.MatchString(sentence):
		return onDay && atHour
	}
	return len(lines) == 1 && nameFirst.MatchString(sentence)
}

// plain returns a line with plain spaces, and without the marks of bold and italic text.
func plain(line string) string {
	line = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return ' '
		}
		return c
	}, line)
	return strings.Trim(line, " *_")
}
