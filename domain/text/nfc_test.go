package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNFC(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301\u0323", 5000)
	sorted := strings.Repeat("\u0323", 5000) + strings.Repeat("\u0301", 5000)
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"ASCII", "plain text", "plain text"},
		{"already composed", "Ünïcödé 日本語", "Ünïcödé 日本語"},
		{"letter and mark", "u\u0308ber", "\u00FCber"},
		{"two marks on one letter", "a\u0323\u0302", "\u1EAD"},
		{"marks in the wrong order", "a\u0301\u0323", "\u1EA1\u0301"},
		{"composite and a mark that goes before its own", "\u00E1\u0323", "\u1EA1\u0301"},
		{"mark of the same class in between", "a\u0315\u0300\u05AE\u0300b", "\u00E0\u05AE\u0300\u0315b"},
		{"blocked by a starter", "a\u034F\u0301", "a\u034F\u0301"},
		{"mark on its own", "\u0301a", "\u0301a"},
		{"marks on their own in the wrong order", "\u0301\u0323", "\u0323\u0301"},
		{"starters that combine", "\u09C7\u09BE", "\u09CB"},
		{"starters that combine, but not across a mark", "\u09C7\u0334\u09BE", "\u09C7\u0334\u09BE"},
		{"beyond the basic plane", "\U00011099\U000110BA", "\U0001109A"},
		{"several segments", "e\u0301 x e\u0301 日 o\u0308", "é x é 日 ö"},

		{"singleton", "\u212B", "\u00C5"},
		{"singleton to ASCII", "\u212A\u037E\u1FEF", "K;`"},
		{"singleton ideograph", "\U0002F800", "\u4E3D"},
		{"white space", "\u2000\u2001", "\u2002\u2003"},
		{"excluded from composition", "\u0958", "\u0915\u093C"},
		{"excluded, already decomposed", "\u0915\u093C", "\u0915\u093C"},
		{"excluded twice over", "\uFB2C", "\u05E9\u05BC\u05C1"},
		{"starts with a mark when decomposed", "a\u0344", "\u00E4\u0301"},
		{"musical symbol", "\U0001D160", "\U0001D158\U0001D165\U0001D16E"},

		{"Hangul L V", "\u1112\u1161", "\uD558"},
		{"Hangul L V T", "\u1112\u1161\u11AB", "\uD55C"},
		{"Hangul LV T", "\uD558\u11AB", "\uD55C"},
		{"Hangul LVT T", "\uD55C\u11AB", "\uD55C\u11AB"},
		{"Hangul, first and last", "\u1100\u1161 \u1112\u1175\u11C2", "\uAC00 \uD7A3"},
		{"Hangul LV and what is one before the first T", "\uD558\u11A7", "\uD558\u11A7"},
		{"Hangul V L", "\u1161\u1112", "\u1161\u1112"},
		{"Hangul L mark V", "\u1112\u0301\u1161", "\u1112\u0301\u1161"},
		{"Hangul syllable and mark", "\u1112\u1161\u0301", "\uD558\u0301"},

		{"compatibility characters stay", "\uFB01\u00BD\uFF21", "\uFB01\u00BD\uFF21"},
		{"byte order mark stays", "\uFEFFa", "\uFEFFa"},
		{"long run of marks, with nothing inserted", "a" + marks, "\u1EA1" + sorted[len("\u0323"):]},
		{"invalid UTF-8 stays", "e\u0301\xFF", "e\u0301\xFF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := NFC(c.in); got != c.want {
				t.Errorf("NFC(%+q) = %+q, want %+q", c.in, got, c.want)
			}
			if got := NFC(c.want); got != c.want {
				t.Errorf("NFC(%+q) = %+q, want it unchanged", c.want, got)
			}
		})
	}
}

func TestNFCDoesNotAllocate(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("plain text ", 100),
		"Ünïcödé 日本語 한국어 Tiếng Việt русский हिन्दी 🙂",
		"x\u0335\u0316\u0305", // never combining marks, in order
	} {
		if n := testing.AllocsPerRun(10, func() { NFC(s) }); n != 0 {
			t.Errorf("NFC(%+q) allocates %v times", s, n)
		}
	}
}

// FuzzNFC compares NFC with its definition: its result is canonically equivalent to
// the input, and equal for equivalent inputs.
func FuzzNFC(f *testing.F) {
	f.Add("plain", "text")
	f.Add("a\u0301", "\u0323\u0302")
	f.Add("\u1112\u1161", "\u11AB")
	f.Add("\u09C7", "\u09BE\u0344\u0958")
	f.Add("\u212B\U0001D160", "\uFB2C\U0002F800")
	f.Add("\xFF", "\u0301")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := a + b
		c := NFC(s)
		if again := NFC(c); again != c {
			t.Errorf("NFC(%+q) = %+q, and again: %+q", s, c, again)
		}
		if !utf8.ValidString(s) {
			if c != s {
				t.Errorf("NFC(%+q) = %+q, want it unchanged", s, c)
			}
			return
		}
		d := nfd(s)
		if got := nfd(c); got != d {
			t.Errorf("NFC(%+q) = %+q, which decomposes to %+q, not %+q", s, c, got, d)
		}
		if got := NFC(d); got != c {
			t.Errorf("NFC(%+q) = %+q, but of its decomposition: %+q", s, c, got)
		}
		if !utf8.ValidString(a) {
			return // b completes a character
		}
		if got := NFC(NFC(a) + NFC(b)); got != c {
			t.Errorf("NFC(%+q) = %+q, but of its parts %+q and %+q: %+q", s, c, a, b, got)
		}
	})
}

func nfd(s string) string {
	var b strings.Builder
	for _, c := range decompose(nil, s) {
		b.WriteRune(c.r)
	}
	return b.String()
}

func BenchmarkNFC(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ASCII", "The service answers 500 when a title has a trailing space. "},
		{"composed", "Der Server läuft über; 日本語 한국어 Tiếng Việt русский. "},
		{"mixed", "Der Server la\u0308uft u\u0308ber; 日本語 한국어 Tiê\u0301ng Viê\u0323t русский. "},
		{"decomposed", nfd("한국어 Tiếng Việt é à ö ñ ")},
		{"marks", strings.Repeat("\u0301\u0323", 30)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := strings.Repeat(c.text, 100)
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				NFC(s)
			}
		})
	}
}
