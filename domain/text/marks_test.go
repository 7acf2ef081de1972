package text

import (
	"strings"
	"testing"
	"unicode"
)

func TestWithoutMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"ASCII", "plain text", "plain text"},
		{"letters with marks", "Ünïcödé", "Unicode"},
		{"two marks in one letter", "\u1EAD", "a"},
		{"marks on their own", "a\u0301\u0323\u0301", "a"},
		{"nothing but marks", "\u0301\u0323", ""},
		{"singleton", "\u212B", "A"},
		{"singleton to ASCII", "\u212A\u037E", "K;"},
		{"Greek with breathing and accent", "\u1F04", "\u03B1"},
		{"Arabic vowels", "\u0643\u064E\u062A\u064E\u0628\u064E", "\u0643\u062A\u0628"},
		{"Hebrew points", "\uFB2C", "\u05E9"},
		{"a mark of class 0", "a\u034Fb", "ab"},

		{"Hangul syllables stay whole", "\uD55C\uAE00", "\uD55C\uAE00"},
		{"Hangul syllable with a mark", "\uD55C\u0301", "\uD55C"},
		{"spacing marks stay", "\u0915\u093F", "\u0915\u093F"},
		{"composed of a letter and a spacing mark", "\u0BCA", "\u0BC6\u0BBE"},
		{"letters with a stroke are letters of their own", "\u00F8\u0142\u0111", "\u00F8\u0142\u0111"},
		{"so are ligatures and compatibility characters", "\uFB01\u00BD\u00DF\u00E6", "\uFB01\u00BD\u00DF\u00E6"},
		{"spacing marks come into order when what was between them goes", "\U0001D16D\u034F\U0001D165", "\U0001D165\U0001D16D"},
		{"beyond the basic plane", "\U0001109A", "\U00011099"},
		{"invalid UTF-8 stays", "e\u0301\xFF", "e\u0301\xFF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := WithoutMarks(c.in); got != c.want {
				t.Errorf("WithoutMarks(%+q) = %+q, want %+q", c.in, got, c.want)
			}
			if got := WithoutMarks(c.want); got != c.want {
				t.Errorf("WithoutMarks(%+q) = %+q, want it unchanged", c.want, got)
			}
		})
	}
}

// TestWithoutMarksOfEveryCodePoint: no mark remains, and no letter gets lost. Texts
// with one NFC have one result.
func TestWithoutMarksOfEveryCodePoint(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		s := "x" + string(r) + "y"
		got := WithoutMarks(s)
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.Is(unicode.Mn, r) }) {
			t.Errorf("WithoutMarks(%+q) = %+q still has a mark", s, got)
		}
		if !strings.HasPrefix(got, "x") || !strings.HasSuffix(got, "y") {
			t.Errorf("WithoutMarks(%+q) = %+q has lost a letter", s, got)
		}
		if again := WithoutMarks(got); again != got {
			t.Errorf("WithoutMarks(%+q) = %+q, which becomes %+q", s, got, again)
		}
		if equivalent := WithoutMarks(NFC(s)); equivalent != got {
			t.Errorf("WithoutMarks(%+q) = %+q, but %+q for its NFC", s, got, equivalent)
		}
	}
}

func TestWithoutMarksDoesNotAllocate(t *testing.T) {
	for _, s := range []string{strings.Repeat("plain text ", 100), "日本語 한국어 русскии 🙂"} {
		if n := testing.AllocsPerRun(10, func() { WithoutMarks(s) }); n != 0 {
			t.Errorf("WithoutMarks(%+q) allocates %v times", s, n)
		}
	}
}
