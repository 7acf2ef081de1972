package predicate

import (
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/text"
)

// Folding is a set of differences between strings for a comparison to ignore.
type Folding uint8

// The foldings. Both is first Marks, then Case.
const (
	Case  Folding = 1 << iota // [c]: simple Unicode case folding
	Marks                     // [d]: combining marks, after canonical decomposition

	Exact Folding = 0
	Both          = Case | Marks // [cd]
)

// FoldVersion is the version of Fold, including its Unicode tables. A store of folded
// texts keeps this number with them, and folds anew when the number changes.
const FoldVersion = 1

// Fold returns s without the differences ignored by the folding. Strings are equal
// under the folding exactly when their results are equal (section 7). Folding a result
// again changes nothing. Fold expects NFC, the form of stored text (D9).
func Fold(s string, f Folding) string {
	if f&Marks != 0 {
		s = text.WithoutMarks(s)
	}
	if f&Case != 0 {
		s = withoutCase(s)
	}
	return s
}

func withoutCase(s string) string {
	if strings.ContainsFunc(s, beyondASCII) {
		return strings.Map(foldCase, s)
	}
	return strings.ToLower(s) // faster, with the same result
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII }

// foldCase maps each class of characters under unicode.SimpleFold to one of its
// members. The dotted I and the dotless i are classes of their own, although each has
// an upper or a lower case.
func foldCase(r rune) rune {
	if r == '\u0130' || r == '\u0131' {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// Modifier returns the folding as the modifier of an operator: [c], [d] or [cd]. It is
// empty for Exact.
func (f Folding) Modifier() string {
	switch f {
	case Case:
		return "[c]"
	case Marks:
		return "[d]"
	case Both:
		return "[cd]"
	}
	return ""
}
