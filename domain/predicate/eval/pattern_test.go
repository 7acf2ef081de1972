package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// patternOf makes a Pattern of "*", "?" and literal characters.
func patternOf(s string) predicate.Pattern {
	var p predicate.Pattern
	for _, r := range s {
		switch last := len(p.Parts) - 1; {
		case r == '*':
			p.Parts = append(p.Parts, predicate.Part{Any: true})
		case r == '?':
			p.Parts = append(p.Parts, predicate.Part{One: true})
		case last >= 0 && p.Parts[last].Text != "":
			p.Parts[last].Text += string(r)
		default:
			p.Parts = append(p.Parts, predicate.Part{Text: string(r)})
		}
	}
	return p
}

func TestPatternMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"?", "", false},
		{"?", "a", true},
		{"?", "é", true},
		{"?", "🙂", true},
		{"?", "e\u0301", false}, // two code points
		{"??", "e\u0301", true},
		{"?", "ab", false},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"abc", "xabc", false},
		{"abc", "ABC", false},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"*b*", "abc", true},
		{"b*", "abc", false},
		{"*b", "abc", false},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"a*a", "a", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"*?", "", false},
		{"*?*", "x", true},
		{"?*?", "x", false},
		{"?*?", "xy", true},
		{"*ab*ab*", "ab", false},
		{"*ab*ab*", "abab", true},
		{"*ab?b", "ababab", true},
		{"*a?c*", "abababc", true},
		{"a*b*c", "a\nb\r\nc", true},
		{"a?b", "a\nb", true},
		{"*é", "cafe\u0301", false},
		{"*🙂?", "🙃🙂🙃", true},
	} {
		if got := matches(patternOf(c.pattern), c.text); got != c.want {
			t.Errorf("%q LIKE %q is %t, want %t", c.text, c.pattern, got, c.want)
		}
	}
}

func matches(p predicate.Pattern, s string) bool {
	ok, _ := fits(p, s, func(int) error { return nil })
	return ok
}

// matchesNaively tries every meaning of a pattern.
func matchesNaively(parts []predicate.Part, s []rune) bool {
	if len(parts) == 0 {
		return len(s) == 0
	}
	switch first := parts[0]; {
	case first.Any:
		return matchesNaively(parts[1:], s) || len(s) > 0 && matchesNaively(parts, s[1:])
	case first.One:
		return len(s) > 0 && matchesNaively(parts[1:], s[1:])
	default:
		own := []rune(first.Text)
		return len(s) >= len(own) && slices.Equal(own, s[:len(own)]) && matchesNaively(parts[1:], s[len(own):])
	}
}

func TestPatternMatchesAsNaively(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	word := func(alphabet string, most int) string {
		var b strings.Builder
		runes := []rune(alphabet)
		for range random.IntN(most + 1) {
			b.WriteRune(runes[random.IntN(len(runes))])
		}
		return b.String()
	}
	matching := 0
	for range 100_000 {
		pattern, s := word("ab\u00E9*?", 7), word("ab\u00E9", 8)
		p := patternOf(pattern)
		want := matchesNaively(p.Parts, []rune(s))
		if want {
			matching++
		}
		if got := matches(p, s); got != want {
			t.Fatalf("%q LIKE %q is %t, want %t", s, pattern, got, want)
		}
	}
	if matching < 5_000 {
		t.Errorf("only %d of the patterns match", matching)
	}
}

// TestPatternIsBounded counts the work for patterns with endless backtracking in other
// matchers. It is no more than the product of the lengths for each run.
func TestPatternIsBounded(t *testing.T) {
	t.Parallel()
	const length = 100_000
	text := strings.Repeat("a", length)
	for _, c := range []struct {
		pattern string
		most    int // units of work
	}{
		{strings.Repeat("a*", 16) + "b", length},
		{strings.Repeat("*a", 16) + "*b", length},
		{strings.Repeat("*?a", 16) + "*b*", length},
		{"*" + strings.Repeat("?", 16_000) + "b*", length},
		{"*" + strings.Repeat("?", 16_000) + "*b", length},
		{strings.Repeat("?", 16_000) + "b", length},
		{"*" + strings.Repeat("a?", 500) + "b*", length * 4},
	} {
		work := 0
		ok, err := fits(patternOf(c.pattern), text, func(n int) error { work += n; return nil })
		if ok || err != nil || work > c.most {
			t.Errorf("a text of a LIKE %.40q: %t, %v; %d units of work, want %d at most", c.pattern, ok, err, work, c.most)
		}
	}
}

// TestPatternStops: a failing spend ends the match without an answer.
func TestPatternStops(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 1000)
	for _, pattern := range []string{"*" + strings.Repeat("a?", 100) + "b*", "*" + strings.Repeat("?", 100) + "b", strings.Repeat("a", 100) + "*b", "a?a", "*b*"} {
		spent := 0
		ok, err := fits(patternOf(pattern), text, func(int) error { spent++; return errEffort })
		if ok || err != errEffort || spent != 1 {
			t.Errorf("%.40q: %t, %v, asked %d times", pattern, ok, err, spent)
		}
	}
}

// TestBitsFindTheFirstPlace: a search by bits finds the same as comparing the parts at
// each position.
func TestBitsFindTheFirstPlace(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	free := func(int) error { return nil }
	found := 0
	for n := range 20_000 {
		var pattern, s strings.Builder
		for range 1 + random.IntN(4) {
			pattern.WriteString([]string{"a", "b", "\u00E9", "?", strings.Repeat("a", 70), strings.Repeat("?", 63)}[random.IntN(4+n%3)])
		}
		for range random.IntN(250) {
			s.WriteString([]string{"a", "a", "a", "b", "\u00E9", "x"}[random.IntN(3+n%4)])
		}
		parts := patternOf(pattern.String()).Parts
		rest, ok, err := bitsOf(parts).cut(s.String(), free)
		want, fits := "", false
		for at := range s.String() {
			end, _, is := matchStart(parts, s.String()[at:])
			if is {
				want, fits = s.String()[at+end:], true
				found++
				break
			}
		}
		if ok != fits || rest != want || err != nil {
			t.Fatalf("%q in %q: %q, %t, %v; want %q, %t", pattern.String(), s.String(), rest, ok, err, want, fits)
		}
	}
	if found < 5_000 {
		t.Errorf("only %d are found", found)
	}
}

// TestLongPatterns: a pattern matches the same in texts of any length.
func TestLongPatterns(t *testing.T) {
	t.Parallel()
	before := strings.Repeat("a", 3*window)
	for _, c := range []struct{ pattern, behind string }{
		{"*b*", "b"},
		{"*" + strings.Repeat("a", 15_000) + "b*", "b"},
		{"*a?b*c?d", "abcad"},
		{"*" + strings.Repeat("a?", 100) + "b*", "b"},
		{"*a?" + strings.Repeat("\u00E9", maxBits) + "*", strings.Repeat("\u00E9", maxBits)},
	} {
		p := patternOf(c.pattern)
		if matches(p, before) || !matches(p, before+c.behind) || !matches(p, before+c.behind+"a") && strings.HasSuffix(c.pattern, "*") {
			t.Errorf("%.20q: %t without the end, %t with it", c.pattern, matches(p, before), matches(p, before+c.behind))
		}
	}
}
