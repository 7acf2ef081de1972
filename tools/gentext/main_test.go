package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
	"golang.org/x/text/unicode/norm"
)

// "make check" has the files of the domain checked.
func TestCheck(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"text", "user"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, edited := range []string{"text", "user"} {
		if err := run(folder, false); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(folder, edited, "tables.go"), []byte("package "+edited), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(folder, true); err == nil {
			t.Errorf("an edited file of %s passes the check", edited)
		}
	}
	if err := run(folder, false); err != nil {
		t.Error(err)
	}
	if err := run(folder, true); err != nil {
		t.Errorf("files that were just written fail the check: %v", err)
	}
}

// TestDomainsOfEmail compares the stored form of domains with that of x/net, which is the form
// of browsers and mail servers. A domain that StoredEmail takes is the domain that x/net
// looks up, and compares as its ASCII form does.
func TestDomainsOfEmail(t *testing.T) {
	t.Parallel()
	sameUnicode(t)
	taken := 0
	check := func(domain string) {
		_, refused := user.StoredEmail("a@" + domain)
		want, err := domains.ToUnicode(domain)
		if refused != nil || err != nil {
			return // each refuses domains that the other takes
		}
		taken++
		ascii, err := domains.ToASCII(domain)
		for _, same := range []string{domain, strings.ToUpper(ascii)} {
			if got := user.FoldEmail("a@" + same); got != "a@"+want || err != nil {
				t.Errorf("%+q compares as %+q, and x/net has %+q, %s, %v", same, got, want, ascii, err)
			}
		}
	}
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune && !t.Failed(); r++ {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			check("a" + string(r))
			check("BÜ" + string(r) + "\u0301.Example")
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	blocks := []rune{'-', '0', 'A', 'a', 0xC0, 0x100, 0x300, 0x370, 0x410, 0x5D0, 0x620, 0x904, 0x1E00, 0x1F00, 0x30A0, 0x4E00, 0xAC00, 0x10400, 0x1E900}
	for range 50_000 {
		label := make([]rune, 1+random.IntN(12))
		for i := range label {
			label[i] = blocks[random.IntN(len(blocks))] + random.Int32N(26)
		}
		if check(string(label)); t.Failed() {
			return
		}
	}
	if taken < 100_000 {
		t.Errorf("only %d domains are compared", taken)
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
		if p := lookup(r); p.CCC() == 0 && p.Decomposition() == nil && !unicode.IsLetter(r) {
			continue // what it composes with is a pair
		}
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
