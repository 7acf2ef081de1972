package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WithoutMarks returns the canonical decomposition of s without its nonspacing marks
// (general category Mn), in canonical order. Hangul syllables stay whole. So "é" and "e"
// become the same. It returns s itself, without allocating, if nothing changes, or if s
// is not valid UTF-8.
//
// The marks are those of the standard library. Their version of Unicode is the one of
// the Go toolchain.
func WithoutMarks(s string) string {
	if !strings.ContainsFunc(s, decomposes) || !utf8.ValidString(s) {
		return s
	}
	chars := make([]char, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		if isHangul(r) {
			chars = append(chars, char{r: r})
			continue
		}
		chars = appendDecomposed(chars, r)
	}
	// Remove the marks first: a mark of class 0 would keep its neighbours apart, and they
	// would change places in the decomposition of the result.
	bases := chars[:0]
	for _, c := range chars {
		if !unicode.Is(unicode.Mn, c.r) {
			bases = append(bases, c)
		}
	}
	reorder(bases)

	var b strings.Builder
	b.Grow(len(s))
	for _, c := range bases {
		b.WriteRune(c.r)
	}
	return b.String()
}

// decomposes reports whether WithoutMarks could change a text for this character.
func decomposes(r rune) bool {
	return r >= 0x80 && (decomposition(r) != "" || unicode.Is(unicode.Mn, r) || lookup(r).class != 0)
}
