package predicate

import (
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/text"
)

// Folding is what differences between strings a comparison ignores.
type Folding uint8

// The foldings. Both is first Marks, then Case.
const (
	Case  Folding = 1 << iota // [c]: simple Unicode case folding
	Marks                     // [d]: combining marks, after canonical decomposition

	Exact Folding = 0
	Both          = Case | Marks // [cd]
)

// FoldVersion is the version of what Fold does, the Unicode tables included. Who
// stores what Fold returned stores it too, and folds anew when it is another one.
const FoldVersion = 1

// Fold returns s without the differences that the folding ignores, so that strings
// which it does not tell apart become equal (section 7). What is folded already
// stays as it is. The text is expected in NFC, as D9 stores it.
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
	return strings.ToLower(s) // which is faster, and the same
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII }

// foldCase maps each class of characters that unicode.SimpleFold goes round in to
// one of them. The dotted I and the dotless i are classes of their own, though they
// have an upper or a lower case.
func foldCase(r rune) rune {
	if r == '\u0130' || r == '\u0131' {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}
