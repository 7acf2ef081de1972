package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:generate env GOWORK=off go run -C ../../tools ./gentext -o ../domain/text/tables.go

// NFC returns s in Normalization Form C (UAX #15). It returns s itself, without
// allocating, if a quick check finds nothing to change. It also returns s itself if s is
// not valid UTF-8 and so has no normal form.
func NFC(s string) string {
	n := quickSpan(s)
	if n == len(s) || !utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var chars []char
	for s != "" {
		b.WriteString(s[:n])
		s = s[n:]
		end := segment(s)
		chars = compose(decompose(chars, s[:end]))
		for _, c := range chars {
			b.WriteRune(c.r)
		}
		s = s[end:]
		n = quickSpan(s)
	}
	return b.String()
}

// quickSpan returns the length of a prefix of s in NFC. No text after the prefix can
// change it. This is the quick check of UAX #15, section 9, cut back to the start of a
// segment.
func quickSpan(s string) int {
	start, class := 0, uint8(0)
	for i, r := range s {
		p := lookup(r)
		if p.starts() {
			start, class = i, 0
			continue
		}
		if p.suspect || p.class < class {
			return start
		}
		class = p.class
	}
	return len(s)
}

// segment returns the length of the first segment of s. A segment normalises on its own.
// Segments are short in real text, so the buffers stay small.
func segment(s string) int {
	for i, r := range s {
		if i > 0 && lookup(r).starts() {
			return i
		}
	}
	return len(s)
}

// property holds for the code points from first to last. Code points without a
// property have the zero class and are not suspect.
type property struct {
	first, last rune
	class       uint8 // Canonical_Combining_Class: 0 for starters
	suspect     bool  // NFC_Quick_Check is not Yes: the character changes, or may combine with the one before it
}

// starts reports whether such a character starts a segment: nothing before it
// can change it or be changed by it.
func (p property) starts() bool { return p.class == 0 && !p.suspect }

func lookup(r rune) property {
	if r < properties[0].first {
		return property{}
	}
	i, found := slices.BinarySearchFunc(properties, r, func(p property, r rune) int {
		switch {
		case r < p.first:
			return 1
		case r > p.last:
			return -1
		}
		return 0
	})
	if !found {
		return property{}
	}
	return properties[i]
}

// char is a character during normalisation, with its Canonical_Combining_Class.
type char struct {
	r     rune
	class uint8
}

// decompose returns the full canonical decomposition of s in canonical order
// (Normalization Form D). It overwrites buf, to reuse its memory.
func decompose(buf []char, s string) []char {
	chars := buf[:0]
	for _, r := range s {
		if isHangul(r) {
			chars = appendJamo(chars, r)
			continue
		}
		chars = appendDecomposed(chars, r)
	}
	reorder(chars)
	return chars
}

// appendDecomposed appends the full canonical decomposition of a character other than a
// Hangul syllable.
func appendDecomposed(chars []char, r rune) []char {
	d := decomposition(r)
	if d == "" {
		return append(chars, char{r, lookup(r).class})
	}
	for _, r := range d {
		chars = append(chars, char{r, lookup(r).class})
	}
	return chars
}

// mapping is the full canonical decomposition of a character.
type mapping struct {
	from rune
	to   string
}

// decomposition returns the full canonical decomposition of r. It is empty for a
// character equal to its decomposition, and for Hangul syllables, because appendJamo
// decomposes them.
func decomposition(r rune) string {
	if r < decompositions[0].from {
		return ""
	}
	i, found := slices.BinarySearchFunc(decompositions, r, func(m mapping, r rune) int {
		return cmp.Compare(m.from, r)
	})
	if !found {
		return ""
	}
	return decompositions[i].to
}

// reorder sorts each run of non-starters by class and keeps the order within a class. A
// client chooses the length of the runs, so the sort must not be quadratic.
func reorder(chars []char) {
	sort := func(run []char) {
		slices.SortStableFunc(run, func(a, b char) int { return cmp.Compare(a.class, b.class) })
	}
	start := 0
	for i, c := range chars {
		if c.class == 0 {
			sort(chars[start:i])
			start = i + 1
		}
	}
	sort(chars[start:])
}

// compose replaces pairs of characters by their composites, in place, and returns the
// remaining characters. A character combines with the last starter before it, unless
// another one of its class or higher stands between them.
func compose(chars []char) []char {
	out := chars[:0]
	starter := -1
	for _, c := range chars {
		if starter >= 0 {
			last := len(out) - 1
			if starter == last || out[last].class < c.class {
				if r, ok := composite(out[starter].r, c.r); ok {
					out[starter].r = r
					continue
				}
			}
		}
		if c.class == 0 {
			starter = len(out)
		}
		out = append(out, c)
	}
	return out
}

// composition is a primary composite with its pair of parts.
type composition struct{ first, second, composite rune }

// composite returns the primary composite of a and b, if there is one.
func composite(a, b rune) (rune, bool) {
	if r, ok := syllable(a, b); ok {
		return r, true
	}
	i, found := slices.BinarySearchFunc(compositions, composition{first: a, second: b}, func(x, y composition) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second))
	})
	if !found {
		return 0, false
	}
	return compositions[i].composite, true
}
