package mail

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence above a quote, such as "On Sat, 14 Mar 2026, Ann wrote:". The bounds are narrow:
// a sentence that is missing here leaves one line in a comment, and one too many takes a line
// of the author.
var (
	// opened is such a sentence with its verb at the end. The name stands behind the time and a
	// comma, or has an address. So "On Monday at 10:04 the server wrote:" is text of an author.
	opened = matching(`^(?:On|Le|El|Il|Em) .*\d(?:(?: [^ ,]+){0,2}, [^,\d][^,]*|.*<[^<>\s]+@[^<>\s]+>\)?,?)\s` +
		`(?:wrote|a écrit|escribió|ha scritto|escreveu)\s?:$`)
	// middle is such a sentence with its verb in the middle.
	middle = matching(`^(?:Am|Op|Den) .*\d,?(?: [^ ]+){0,2} (?:schrieb|schreef|skrev) .+:$`)
	// addressed has a name and ends in an address with a verb. ending begins with
	// a date and ends in an address alone.
	addressed = matching(`^[^<].*<[^<>\s]+@[^<>\s]+>\)?,?\s(?:(?:wrote|writes|a écrit|escribió|ha scritto|escreveu` +
		`|napisała?|napisał\(a\)|napsala?|kirjoitti|пишет|написал\(а\))\s?:|于.*写道：)$`)
	ending = matching(`^(?:\S{1,5} )?\d.*<[^<>\s]+@[^<>\s]+>\s?:$`)

	// day is a date with its year, and hour a time of day.
	day  = matching(`\b(?:19|20)\d\d(?:\D|$)|\b\d{1,2}[./-]\d{1,2}[./-]\d\d(?:\D|$)`)
	hour = matching(`\b[0-2]?\d:[0-5]\d(?:\D|$)|\bkl\.? [0-2]?\d\.[0-5]\d(?:\D|$)`)
)

// Bounds of a sentence above a quote.
const (
	mostAttribution  = 3   // lines
	mostAttributions = 500 // bytes
	// fullLine is how many characters a line has at least, with the next word, when a program
	// breaks the sentence there.
	fullLine = 60
)

// withoutAttribution returns the lines without a sentence such as "On Sat, 14 Mar 2026, Ann
// wrote:" at their end. ok is false when there is none.
func withoutAttribution(all []string) (without []string, ok bool) {
	lines := withoutBlankEnd(all)
	begin := paragraph(lines)
	for n := 1; n <= mostAttribution && len(lines)-n >= begin; n++ {
		sentence := lines[len(lines)-n:]
		if n > 1 && !broken(sentence[0], sentence[1]) {
			break
		}
		if attribution(sentence) {
			return withoutBlankEnd(lines[:len(lines)-n]), true
		}
	}
	return all, false
}

// broken reports whether a program broke a sentence between two lines: an author's line ends
// in a mark or early.
func broken(line, next string) bool {
	line = strings.TrimSpace(line)
	word, _, _ := strings.Cut(strings.TrimSpace(next), " ")
	return !strings.ContainsAny(line[len(line)-1:], ".!?:;") && utf8.RuneCountInString(line+" "+word) >= fullLine
}

// attribution reports whether the lines are one sentence above a quote.
func attribution(lines []string) bool {
	first, sentence := plain(lines[0]), plain(strings.Join(lines, " "))
	// A line can be broken before an address, or inside of "<reply@example.org>".
	whole := len(lines) == 1 || strings.HasSuffix(first, "<") || strings.HasPrefix(plain(lines[1]), "<")
	sentence = strings.ReplaceAll(sentence, "< ", "<")
	if len(sentence) > mostAttributions {
		return false
	}
	onDay, atHour := day.MatchString(first), hour.MatchString(first)
	switch {
	case opened.MatchString(sentence):
		return onDay || atHour
	case middle.MatchString(sentence), whole && ending.MatchString(sentence):
		return onDay && atHour
	}
	return len(lines) == 1 && addressed.MatchString(sentence)
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
