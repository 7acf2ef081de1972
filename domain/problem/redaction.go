package problem

import (
	"errors"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/text"
)

// Redaction replaces a text in a problem for good, wherever it stands (D45). See
// [NewRedaction].
type Redaction struct {
	Text        string
	Replacement string
}

// RedactedText is the rule of the text of a redaction.
var RedactedText = text.Rule{Min: 4, Max: 1000}

// DefaultReplacement is the replacement where a client names none.
const DefaultReplacement = "***"

// NewRedaction returns the redaction of a text that follows RedactedText. The replacement is
// no longer than the text, so nothing grows beyond a limit. It shares neither end with the
// text, so none is put together anew. The error ends a sentence about the replacement.
func NewRedaction(redacted, replacement string) (Redaction, error) {
	rule := text.Rule{Min: 1, Max: utf8.RuneCountInString(redacted), MaxBytes: len(redacted), Line: true}
	replacement, err := rule.Apply(replacement)
	switch {
	case err != nil:
		return Redaction{}, err
	case strings.ContainsFunc(replacement, func(r rune) bool { return unicode.Is(unicode.Mn, r) }):
		return Redaction{}, errors.New("must have no combining mark")
	case strings.Contains(redacted, replacement):
		return Redaction{}, errors.New("must not be a part of the text")
	}
	for i := range replacement {
		if i > 0 && (strings.HasSuffix(redacted, replacement[:i]) || strings.HasPrefix(redacted, replacement[i:])) {
			return Redaction{}, errors.New("must not begin as the text ends, nor end as it begins")
		}
	}
	return Redaction{redacted, replacement}, nil
}

// In returns s without the text.
func (r Redaction) In(s string) string {
	// A replacement can compose with a mark behind it. Each further pass makes s shorter.
	for strings.Contains(s, r.Text) {
		s = text.NFC(strings.ReplaceAll(s, r.Text, r.Replacement))
	}
	return s
}

// InHTML returns HTML without the text. HTML that has it only behind character references
// becomes null: the comment has the same as text.
func (r Redaction) InHTML(s NullText) NullText {
	s.String = r.In(s.String)
	if strings.Contains(html.UnescapeString(s.String), r.Text) {
		return NullText{}
	}
	return s
}

// Fields returns the fields with texts without the text.
func (r Redaction) Fields(of Fields) Fields {
	for _, f := range AllFields() {
		if f.Kind() == TextField {
			*f.ClientText(&of) = r.In(*f.ClientText(&of))
		}
	}
	return of
}

// Keyword returns the keyword with a value without the text.
func (r Redaction) Keyword(k Keyword) Keyword {
	k.Value.String = r.In(k.Value.String)
	return k
}

// Comment returns the comment without the text.
func (r Redaction) Comment(c Comment) Comment {
	c.Text, c.HTML = r.In(c.Text), r.InHTML(c.HTML)
	return c
}

// Entry returns the log entry without the text. Names of metadata and users stay, and so do
// identifiers and dates.
func (r Redaction) Entry(e LogEntry) LogEntry {
	switch e.Type {
	case ProblemCreated:
		e.To = r.members(e.To, isTextField)
	case FieldChanged:
		if isTextField(e.Field) {
			e.From, e.To = r.value(e.From), r.value(e.To)
		}
	case CommentEdited, CommentDeleted:
		e.From = r.members(e.From, func(member string) bool { return member == "text" || member == "html" })
	case AttachmentAdded, AttachmentDeleted:
		name := func(member string) bool { return member == "name" }
		e.From, e.To = r.members(e.From, name), r.members(e.To, name)
	case KeywordSet, KeywordDeleted:
		e.Field, e.From, e.To = r.In(e.Field), r.value(e.From), r.value(e.To)
	}
	return e
}

func isTextField(name string) bool {
	f := FieldNamed(name)
	return f != nil && f.Kind() == TextField
}

// value redacts a string.
func (r Redaction) value(v LogValue) LogValue {
	s, ok := v.Text()
	if redacted := r.In(s); ok && redacted != s {
		return LogText(redacted)
	}
	return v
}

// members redacts members of an object, in place.
func (r Redaction) members(v LogValue, of func(member string) bool) LogValue {
	return v.EachMember(func(m LogMember) LogValue {
		if of(m.Name) {
			return r.member(m)
		}
		return m.Value
	})
}

func (r Redaction) member(m LogMember) LogValue {
	s, ok := m.Value.Text()
	if m.Name != "html" || !ok {
		return r.value(m.Value)
	}
	switch redacted := r.InHTML(Text(s)); {
	case !redacted.Valid:
		return "null"
	case redacted.String != s:
		return LogText(redacted.String)
	}
	return m.Value
}
