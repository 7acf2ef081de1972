package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/text"
	"golang.org/x/text/unicode/norm"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const tables = "../../domain/text/tables.go"
	if err := run(tables, true); err != nil {
		t.Error(err)
	}

	source, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(t.TempDir(), "tables.go")
	if err := os.WriteFile(edited, append(source, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(edited, true); err == nil {
		t.Error("an edited file passes the check")
	}
	if err := run(edited, false); err != nil {
		t.Error(err)
	}
	if err := run(edited, true); err != nil {
		t.Errorf("a file that was just written fails the check: %v", err)
	}
}

// compare holds text.NFC against x/text, which agrees for fewer than 30
// combining marks in a row.
func compare(t *testing.T, s string) {
	t.Helper()
	if got, want := text.NFC(s), norm.NFC.String(s); got != want {
		t.Errorf("NFC(%+q) = %+q, want %+q", s, got, want)
	}
}

func TestEveryCodePoint(t *testing.T) {
	t.Parallel()
	sameUnicode(t)
	for r := range unicode.MaxRune + 1 {
		s := string(r)
		compare(t, s)
		compare(t, "a"+s)
		compare(t, "\u00E1"+s)
		compare(t, s+"\u0301")
		compare(t, s+"\u0323\u0301")
		compare(t, "\u1112"+s+"\u11AB")
		if t.Failed() {
			t.FailNow()
		}
	}
}

// TestEveryPair puts nothing, marks of low, middle and high class, and starters
// between the characters of each pair.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	sameUnicode(t)
	pairs, err := compositions(decompositions())
	if err != nil {
		t.Fatal(err)
	}
	for l := rune(0x1100); l <= 0x1112; l++ {
		for v := rune(0x1161); v <= 0x1175; v++ {
			syllable, _ := utf8.DecodeRuneInString(norm.NFC.String(string([]rune{l, v})))
			pairs = append(pairs, pair{l, v, syllable})
			for t := rune(0x11A7); t <= 0x11C3; t++ { // with one more at each end
				pairs = append(pairs, pair{first: syllable, second: t})
			}
		}
	}
	between := []string{
		"", "\u0334", "\u3099", "\u094D", "\u05B0", "\u0327", "\u0323", "\u0316", "\u0301", "\u0305", "\u0315", "\u0345",
		"\u0316\u0301", "\u0301\u0316", "\u0301\u0301", "\u0344", "\u0F73", "\u034F", "x", "\u1161", "\u09BE",
	}
	for _, p := range pairs {
		a, b := string(p.first), string(p.second)
		for _, m := range between {
			compare(t, a+m+b)
			compare(t, a+b+m)
			compare(t, m+a+b)
			compare(t, a+m+b+b)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func TestRandomStrings(t *testing.T) {
	t.Parallel()
	sameUnicode(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	mappings := decompositions()
	pairs, err := compositions(mappings)
	if err != nil {
		t.Fatal(err)
	}
	marks := properties(mappings, pairs)
	pick := []func() rune{
		func() rune { return mappings[random.IntN(len(mappings))].from },
		func() rune { return pairs[random.IntN(len(pairs))].first },
		func() rune { return pairs[random.IntN(len(pairs))].second },
		func() rune { return pairs[random.IntN(len(pairs))].composite },
		func() rune { p := marks[random.IntN(len(marks))]; return p.first + random.Int32N(p.last-p.first+1) },
		func() rune { return 0x0300 + random.Int32N(0x46) },
		func() rune { return 0x1100 + random.Int32N(0x100) },
		func() rune { return 0xAC00 + 28*random.Int32N(399) },
		func() rune { return 'a' + random.Int32N(26) },
	}
	for range 200_000 {
		// No character has more than three combining marks when it is
		// decomposed: nine of them stay below 30.
		runes := make([]rune, 1+random.IntN(9))
		for i := range runes {
			runes[i] = pick[random.IntN(len(pick))]()
		}
		compare(t, string(runes))
		if t.Failed() {
			t.FailNow()
		}
	}
}

// sameUnicode fails tests that would compare two versions of Unicode.
func sameUnicode(t *testing.T) {
	t.Helper()
	if norm.Version != text.UnicodeVersion {
		t.Fatalf("x/text has Unicode %s, domain/text has %s: run gentext, and see its comment", norm.Version, text.UnicodeVersion)
	}
}
