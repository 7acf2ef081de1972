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

// In returns s without the text. A line of the text ends in s by LF, or by CR LF.
func (r Redaction) In(s string) string {
	// A replacement can compose with a mark behind it. Each further pass makes s shorter.
	for r.isIn(s) {
		s = text.NFC(strings.ReplaceAll(strings.ReplaceAll(s, r.Text, r.Replacement), r.withCR(), r.Replacement))
	}
	return s
}

func (r Redaction) isIn(s string) bool {
	return strings.Contains(s, r.Text) || strings.Contains(s, r.withCR())
}

// withCR returns the text with lines that end by CR LF.
func (r Redaction) withCR() string {
	return strings.ReplaceAll(strings.ReplaceAll(r.Text, "\r\n", "\n"), "\n", "\r\n")
}

// InHTML returns HTML without the text. HTML that has it only behind character references
// becomes null: the comment has the same as text.
func (r Redaction) InHTML(s NullText) NullText {
	s.String = r.In(s.String)
	if r.isIn(text.NFC(html.UnescapeString(s.String))) {
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

// Attachment returns the attachment with a name and a media type without the text.
func (r Redaction) Attachment(a Attachment) Attachment {
	a.Name = r.In(a.Name)
	if r.isIn(a.MediaType) {
		a.MediaType = UnknownMediaType
	}
	return a
}

// Entry returns the log entry without the text. Names of metadata and users stay, and so do
// identifiers and dates.
func (r Redaction) Entry(e LogEntry) LogEntry {
	if e.Type == AttachmentAdded || e.Type == AttachmentDeleted {
		return e.withAttachment(r.Attachment)
	}
	return e.WithTexts(func(s string, isHTML bool) NullText {
		if isHTML {
			return r.InHTML(Text(s))
		}
		return Text(r.In(s))
	})
}

// WithTexts returns the log entry with its texts changed: those that people wrote into the problem,
// but for the names of files. change gets a text or HTML, and may return null for HTML.
func (e LogEntry) WithTexts(change func(s string, isHTML bool) NullText) LogEntry {
	value := func(v LogValue, isHTML bool) LogValue {
		s, ok := v.Text()
		switch changed := change(s, isHTML); {
		case !ok || changed == Text(s):
			return v
		case !changed.Valid:
			return "null"
		default:
			return LogText(changed.String)
		}
	}
	members := func(v LogValue, of func(member string) bool) LogValue {
		return v.EachMember(func(m LogMember) LogValue {
			if of(m.Name) {
				return value(m.Value, m.Name == "html")
			}
			return m.Value
		})
	}
	switch e.Type {
	case ProblemCreated:
		e.To = members(e.To, isTextField)
	case FieldChanged:
		if isTextField(e.Field) {
			e.From, e.To = value(e.From, false), value(e.To, false)
		}
	case CommentEdited, CommentDeleted:
		e.From = members(e.From, func(member string) bool { return member == "text" || member == "html" })
	case KeywordSet, KeywordDeleted:
		e.Field, e.From, e.To = change(e.Field, false).String, value(e.From, false), value(e.To, false)
	}
	return e
}

func isTextField(name string) bool {
	f := FieldNamed(name)
	return f != nil && f.Kind() == TextField
}
