package predicate

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/problemtracking/problems/domain/text"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, exact, folded, bare, both string }{
		{"empty", "", "", "", "", ""},
		{"ASCII", "API v2", "API v2", "api v2", "API v2", "api v2"},
		{"accents", "Éclair ÜBER", "Éclair ÜBER", "éclair über", "Eclair UBER", "eclair uber"},
		{"accents as marks", "E\u0301", "E\u0301", "e\u0301", "E", "e"},
		{"sharp s is one character, in both sizes", "straße STRAẞE STRASSE", "straße STRAẞE STRASSE", "straße straße strasse", "straße STRAẞE STRASSE", "straße straße strasse"},
		{"all sigmas", "ΣΊΣΥΦΟΣ σίσυφος", "ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ", "ΣΙΣΥΦΟΣ σισυφος", "σισυφοσ σισυφοσ"},
		{"dotted I is a class of its own, and I with a mark", "İI", "İI", "İi", "II", "ii"},
		{"dotless i has nothing to lose", "ıi", "ıi", "ıi", "ıi", "ıi"},
		{"Kelvin sign", "\u212A", "\u212A", "k", "K", "k"},
		{"long s", "ſ", "ſ", "s", "ſ", "s"},
		{"letters in title case", "ǅ", "ǅ", "ǆ", "ǅ", "ǆ"},
		{"Hangul", "한글", "한글", "한글", "한글", "한글"},
		{"Cherokee", "\u13A0\uAB70", "\u13A0\uAB70", "\uAB70\uAB70", "\u13A0\uAB70", "\uAB70\uAB70"},
		{"beyond the basic plane", "\U00010400", "\U00010400", "\U00010428", "\U00010400", "\U00010428"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for f, want := range map[Folding]string{Exact: c.exact, Case: c.folded, Marks: c.bare, Both: c.both} {
				if got := Fold(c.in, f); got != want {
					t.Errorf("Fold(%+q, %d) = %+q, want %+q", c.in, f, got, want)
				}
			}
		})
	}
}

// TestFoldCaseIsSimpleFold: two characters fold to one exactly when SimpleFold leads
// from the one to the other.
func TestFoldCaseIsSimpleFold(t *testing.T) {
	t.Parallel()
	classes := make(map[rune]rune) // folded character to one of its class
	for r := range unicode.MaxRune + 1 {
		folded := foldCase(r)
		inClass := false
		for next := unicode.SimpleFold(r); ; next = unicode.SimpleFold(next) {
			inClass = inClass || next == folded
			if got := foldCase(next); got != folded {
				t.Errorf("%U folds to %U, and %U of its class to %U", r, folded, next, got)
			}
			if next == r {
				break
			}
		}
		if !inClass {
			t.Errorf("%U folds to %U, which is not in its class", r, folded)
		}
		if _, ok := classes[folded]; !ok {
			classes[folded] = r
		}
	}
	if len(classes) < 1_000_000 {
		t.Errorf("there are %d classes only", len(classes))
	}
}

// TestFoldOfText: Fold folds a text character by character, in any company.
func TestFoldOfText(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		folded := string(foldCase(r))
		for in, want := range map[string]string{string(r): folded, "Xk" + string(r): "xk" + folded} {
			if got := Fold(in, Case); got != want {
				t.Errorf("Fold(%+q) = %+q, want %+q", in, got, want)
			}
		}
	}
	if got := Fold("A\xFF", Case); got != "a\uFFFD" {
		t.Errorf("invalid UTF-8 becomes %+q", got)
	}
}

// TestFoldIsIdempotent: folding a folded text changes nothing, even after NFC in
// between.
func TestFoldIsIdempotent(t *testing.T) {
	t.Parallel()
	check := func(s string) {
		for _, f := range []Folding{Exact, Case, Marks, Both} {
			folded := Fold(s, f)
			if again := Fold(folded, f); again != folded {
				t.Errorf("Fold(%+q, %d) = %+q, which folds to %+q", s, f, folded, again)
			}
		}
	}
	for r := range unicode.MaxRune + 1 {
		// Most code points are unassigned, or for private use.
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) && r%97 != 0 {
			continue
		}
		check(string(r))
		check("a" + string(r) + "\u0323\u0301")
	}
	random := rand.New(rand.NewPCG(5, 5))
	alphabet := []rune("aAéÉ\u0301\u0323\u034F\u0345İıſK\u212Bß한\u1112\u1161ǅ\U0001D165\U0001D16D\u0BCA")
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		check(b.String())
	}
}

// TestFoldVersion: stores fold their texts anew when the tables change. Raise
// FoldVersion with them, and then the version of Unicode here.
func TestFoldVersion(t *testing.T) {
	t.Parallel()
	const of1 = "15.0.0"
	if FoldVersion != 1 || unicode.Version != of1 || text.UnicodeVersion != of1 {
		t.Errorf("version %d folds by Unicode %s, with the decompositions of %s; version 1 is of %s", FoldVersion, unicode.Version, text.UnicodeVersion, of1)
	}
}
