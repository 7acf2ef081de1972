// Package texts holds all texts of the client application, in all its languages, and
// writes dates and numbers in them.
package texts

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/problemtracking/problems/domain/problem"
)

// Language is a language of the client application.
type Language struct {
	// Tag is the tag of BCP 47, for the attribute lang.
	Tag string
	// Name is the name of the language in itself.
	Name string

	texts     map[string]string
	months    [12]string
	day       func(l *Language, t time.Time) string
	separator string // between groups of three digits
}

// withFields adds the labels of the fields of a problem, for forms and for columns of the list.
func withFields(tag string, texts map[string]string) map[string]string {
	for _, f := range problem.ClientFields() {
		texts["field."+f.Name], texts["column."+f.Name] = f.Label[tag], f.Label[tag]
	}
	return texts
}

// Languages returns all languages. The first one is for readers of none of them.
func Languages() []*Language { return []*Language{&english, &german} }

var matcher = func() language.Matcher {
	var tags []language.Tag
	for _, l := range Languages() {
		tags = append(tags, language.MustParse(l.Tag))
	}
	return language.NewMatcher(tags)
}()

// Choose returns the best language for a header Accept-Language.
func Choose(accept string) *Language {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return Languages()[0]
	}
	_, index, _ := matcher.Match(wanted...)
	return Languages()[index]
}

// Find returns the language with a tag.
func Find(tag string) (*Language, bool) {
	for _, l := range Languages() {
		if l.Tag == tag {
			return l, true
		}
	}
	return nil, false
}

// Say returns the text with this key. Its placeholders are those of fmt.Sprintf. A text with
// "one | many" has two forms: an integer as the first argument selects one. Digits of an int
// or int64 are in groups. A text missing in the language falls back to English; a test
// reports it.
func (l *Language) Say(key string, args ...any) string {
	args = slices.Clone(args)
	text, ok := l.texts[key]
	if !ok {
		text = cmp.Or(english.texts[key], key)
	}
	if one, many, ok := strings.Cut(text, " | "); ok && len(args) > 0 {
		text = many
		if fmt.Sprint(args[0]) == "1" {
			text = one
		}
	}
	if !strings.Contains(text, "%") {
		return text
	}
	for i, arg := range args {
		switch n := arg.(type) {
		case int:
			args[i] = grouped{l, int64(n)}
		case int64:
			args[i] = grouped{l, n}
		}
	}
	return fmt.Sprintf(text, args...)
}

// grouped is a number whose digits are in groups with every verb.
type grouped struct {
	language *Language
	n        int64
}

// Format implements fmt.Formatter.
func (g grouped) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, g.language.Number(g.n)) }

// Has reports whether there is a text with this key.
func (l *Language) Has(key string) bool {
	_, ok := l.texts[key]
	return ok
}

// Keys returns the keys of all texts, in order.
func (l *Language) Keys() []string { return slices.Sorted(maps.Keys(l.texts)) }

// Number returns an integer with its digits in groups.
func (l *Language) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.separator + digits[i:]
	}
	return sign + digits
}

// Date returns a day, such as "14 Mar 2026".
func (l *Language) Date(t time.Time) string { return l.day(l, t) }

// Ago returns how long before now a moment was, in words. It returns "" for moments to come, and
// after a week.
func (l *Language) Ago(now, t time.Time) string {
	switch passed := now.Sub(t); {
	case passed < 0 || passed >= 7*24*time.Hour:
		return ""
	case passed < time.Minute:
		return l.Say("ago.now")
	case passed < time.Hour:
		return l.Say("ago.minutes", int(passed/time.Minute))
	case passed < 24*time.Hour:
		return l.Say("ago.hours", int(passed/time.Hour))
	default:
		return l.Say("ago.days", int(passed/(24*time.Hour)))
	}
}

// Moment returns a day and a time, such as "14 Mar 2026, 09:30 UTC".
func (l *Language) Moment(t time.Time) string {
	return l.Date(t) + ", " + t.Format("15:04 MST")
}

// Sentence returns a text with a capital letter and a full stop.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[len(text)-1]; last != '.' && last != '?' && last != '!' {
		text += "."
	}
	return text
}
