package predicate

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is the form of a string (LIKE).
type Pattern struct{ Parts []Part }

// Part is one part of a Pattern: a run of any characters, one of any, or a text as
// it is.
type Part struct {
	Any  bool   // any run of characters, also none
	One  bool   // any one code point
	Text string // neither: the text itself
}

// Matches reports whether the whole of s has the form. Line breaks are characters
// as any other. It never looks at a run of the pattern twice for one place in s, so
// its time is bounded by the product of the two lengths.
func (p Pattern) Matches(s string) bool {
	first := slices.IndexFunc(p.Parts, func(part Part) bool { return part.Any })
	if first < 0 {
		end, ok := matchStart(p.Parts, s)
		return ok && end == len(s)
	}
	end, ok := matchStart(p.Parts[:first], s)
	if !ok {
		return false
	}
	s = s[end:]
	// The first place that a run fits is as good as any later one, as
	// anything may follow it. Only the last run has to be at the end.
	rest := p.Parts[first+1:]
	for {
		next := slices.IndexFunc(rest, func(part Part) bool { return part.Any })
		if next < 0 {
			return matchEnd(rest, s)
		}
		if s, ok = cutFirst(rest[:next], s); !ok {
			return false
		}
		rest = rest[next+1:]
	}
}

// matchStart reports whether s starts with the parts, none of which is Any, and
// where they end.
func matchStart(parts []Part, s string) (end int, ok bool) {
	for _, part := range parts {
		if !part.One {
			if !strings.HasPrefix(s[end:], part.Text) {
				return 0, false
			}
			end += len(part.Text)
			continue
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		if size == 0 {
			return 0, false
		}
		end += size
	}
	return end, true
}

// matchEnd reports whether s ends with the parts, none of which is Any.
func matchEnd(parts []Part, s string) bool {
	for _, part := range slices.Backward(parts) {
		if !part.One {
			if !strings.HasSuffix(s, part.Text) {
				return false
			}
			s = s[:len(s)-len(part.Text)]
			continue
		}
		_, size := utf8.DecodeLastRuneInString(s)
		if size == 0 {
			return false
		}
		s = s[:len(s)-size]
	}
	return true
}

// cutFirst returns what is behind the first place in s that the parts fit, none of
// which is Any.
func cutFirst(parts []Part, s string) (rest string, ok bool) {
	for {
		if len(parts) > 0 && !parts[0].One {
			i := strings.Index(s, parts[0].Text)
			if i < 0 {
				return "", false
			}
			s = s[i:]
		}
		if end, ok := matchStart(parts, s); ok {
			return s[end:], true
		}
		_, size := utf8.DecodeRuneInString(s)
		if size == 0 {
			return "", false
		}
		s = s[size:]
	}
}
