package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// partsPerWork is the number of compared parts for one unit of work.
const partsPerWork = 16

// fits reports whether the whole of s has the form. Line breaks are characters like any
// other. It spends units of work, and fails when spend fails.
// It looks at nothing twice for one position in s. So the product of two lengths
// bounds its work: that of s, and that of the texts and "?" between two runs.
func fits(p predicate.Pattern, s string, spend func(work int) error) (bool, error) {
	first := slices.IndexFunc(p.Parts, isRun)
	if first < 0 {
		end, _, ok := matchStart(p.Parts, s)
		return ok && end == len(s), spend(len(p.Parts) / partsPerWork)
	}
	end, looked, ok := matchStart(p.Parts[:first], s)
	if err := spend(looked / partsPerWork); !ok || err != nil {
		return false, err
	}
	s = s[end:]
	// Between two runs, the first match is as good as any later one: a run can cover the
	// rest. Only the parts after the last run must match at the end.
	rest := p.Parts[first+1:]
	for {
		next := slices.IndexFunc(rest, isRun)
		if next < 0 {
			return matchEnd(rest, s), spend(len(rest) / partsPerWork)
		}
		var err error
		if s, ok, err = cutFirst(rest[:next], s, spend); !ok || err != nil {
			return false, err
		}
		rest = rest[next+1:]
	}
}

func isRun(part predicate.Part) bool { return part.Any }

// matchStart reports whether s starts with the parts. None of them is Any. It returns
// their end in s and the number of compared parts.
func matchStart(parts []predicate.Part, s string) (end, looked int, ok bool) {
	for i, part := range parts {
		if !part.One {
			if !strings.HasPrefix(s[end:], part.Text) {
				return 0, i + 1, false
			}
			end += len(part.Text)
			continue
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		if size == 0 {
			return 0, i + 1, false
		}
		end += size
	}
	return end, len(parts), true
}

// matchEnd reports whether s ends with the parts. None of them is Any.
func matchEnd(parts []predicate.Part, s string) bool {
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

// cutFirst finds the first match of the parts in s and returns the rest of s behind
// it. None of the parts is Any.
func cutFirst(parts []predicate.Part, s string, spend func(work int) error) (rest string, ok bool, err error) {
	// The first "?" match any characters, so search for the text after them.
	ones := slices.IndexFunc(parts, func(part predicate.Part) bool { return !part.One })
	if ones < 0 {
		ones = len(parts)
	}
	end, looked, ok := matchStart(parts[:ones], s)
	if err := spend(looked / partsPerWork); !ok || err != nil {
		return "", false, err
	}
	s, parts = s[end:], parts[ones:]
	if len(parts) == 0 {
		return s, true, nil
	}
	if len(parts) == 1 {
		at, err := index(s, parts[0].Text, spend)
		if at < 0 || err != nil {
			return "", false, err
		}
		return s[at+len(parts[0].Text):], true, nil
	}
	for tried := 0; ; {
		at, err := index(s, parts[0].Text, spend)
		if at < 0 || err != nil {
			return "", false, err
		}
		s = s[at:]
		end, looked, ok := matchStart(parts, s)
		if err := spend(1 + looked/partsPerWork); err != nil {
			return "", false, err
		}
		if ok {
			return s[end:], true, nil
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if tried += looked; tried > maxTried {
			if p := bitsOf(parts); p != nil {
				return p.cut(s, spend)
			}
		}
	}
}

// window is the length of text, in bytes, to search before counting the work.
const window = 64 << 10

// index returns the position of a part in s, or -1. It spends the work.
func index(s, part string, spend func(work int) error) (at int, err error) {
	for {
		end := min(len(s), at+window+len(part))
		found := strings.Index(s[at:end], part)
		if found >= 0 {
			return at + found, spend(found / bytesPerWork)
		}
		if err := spend((end - at) / bytesPerWork); err != nil || end == len(s) {
			return -1, err
		}
		at += window
	}
}
