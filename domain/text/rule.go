package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rule is the condition for accepting a text (D9). The zero Rule accepts every text
// allowed by D9.
type Rule struct {
	// Min and Max bound the length of the stored form in code points. Max 0 stands for no
	// upper bound. A text with a Min has a character that people can see.
	Min, Max int
	// MaxBytes bounds the length of the stored form in bytes of UTF-8. 0 stands for no
	// bound.
	MaxBytes int
	// Line is true for a single line: it is trimmed of White_Space and has no control
	// characters. Other text is not trimmed, and may have tab, CR and LF.
	Line bool
	// PathSegment is true for a text in the path of a URL. It cannot be "." or ".." (RFC
	// 3986, section 5.2.4).
	PathSegment bool
	// AsSent is true for a text that stays as it was sent. Other text is brought to NFC.
	AsSent bool

	kept bool
}

// Kept returns the rule for text that the service has stored. Earlier versions stored text
// without a visible character.
func (r Rule) Kept() Rule {
	r.kept = true
	return r
}

// The rules of the service. Component names are further restricted (D2).
var (
	Title        = Rule{Min: 1, Max: 1000, Line: true}                   // of a problem (D1)
	Name         = Rule{Min: 1, Max: 255, Line: true}                    // of metadata, milestones and users (D2)
	KeywordName  = Rule{Min: 1, Max: 255, Line: true, PathSegment: true} // D4
	KeywordValue = Rule{MaxBytes: 64 << 10}                              // D4
	Comment      = Rule{Min: 1}                                          // D5, D12
	Predicate    = Rule{AsSent: true}                                    // and sort of a saved query: the query language bounds them
)

// Apply returns the form of s for storing and comparing: trimmed if r is for a line, and
// in NFC unless it is AsSent. If this form breaks the rule, Apply returns an error
// instead. The error's text ends a sentence for the author, such as "must not be empty".
// It never repeats the text itself.
func (r Rule) Apply(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", errors.New("must be valid UTF-8")
	}
	if r.Line {
		s = strings.TrimSpace(s)
	}
	// Check before NFC, so the error counts the characters as sent.
	if err := r.checkControls(s); err != nil {
		return "", err
	}
	if !r.AsSent {
		s = NFC(s)
	}
	if err := r.checkLength(s); err != nil {
		return "", err
	}
	if r.Min > 0 && !r.kept && !Visible(s) {
		return "", errors.New("must have a character that people can see")
	}
	if r.PathSegment && (s == "." || s == "..") {
		return "", errors.New(`must not be "." or ".."`)
	}
	return s, nil
}

func (r Rule) checkControls(s string) error {
	n := 0
	for _, c := range s {
		n++
		switch {
		case !unicode.IsControl(c):
		case c == 0:
			return errors.New("must not contain U+0000")
		case r.Line:
			return fmt.Errorf("must not contain control characters (%U at character %d)", c, n)
		case c != '\t' && c != '\r' && c != '\n':
			return fmt.Errorf("must not contain control characters other than tab, CR and LF (%U at character %d)", c, n)
		}
	}
	return nil
}

func (r Rule) checkLength(s string) error {
	n := utf8.RuneCountInString(s)
	short, long := n < r.Min, r.Max > 0 && n > r.Max
	switch {
	case short && n == 0:
		return errors.New("must not be empty")
	case (short || long) && r.Max == 0:
		return fmt.Errorf("must have at least %d characters, not %d", r.Min, n)
	case (short || long) && r.Min == 0:
		return fmt.Errorf("must have at most %d characters, not %d", r.Max, n)
	case short || long:
		return fmt.Errorf("must have %d to %d characters, not %d", r.Min, r.Max, n)
	case r.MaxBytes > 0 && len(s) > r.MaxBytes:
		return fmt.Errorf("must have at most %d bytes in UTF-8, not %d", r.MaxBytes, len(s))
	}
	return nil
}
