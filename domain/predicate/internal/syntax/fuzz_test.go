package syntax

import (
	"testing"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// FuzzLex: each token advances, and is at its offset.
func FuzzLex(f *testing.F) {
	for _, text := range predicatetest.Seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := lexer{text: text}
		for last := -1; ; {
			before := l.offset
			tok, err := l.next()
			if err != nil {
				predicatetest.CheckPlace(t, text, err)
				return
			}
			if tok.offset <= last || tok.offset < before || l.offset < tok.offset {
				t.Fatalf("%+v after %d, from %d to %d", tok, last, before, l.offset)
			}
			if tok.kind == end {
				if tok.offset != len(text) {
					t.Fatalf("the end is at %d of %d", tok.offset, len(text))
				}
				return
			}
			if l.offset == tok.offset {
				t.Fatalf("%+v is empty", tok)
			}
			last = tok.offset
		}
	})
}

// FuzzParse: a parsed predicate, printed and parsed again, is an equal tree. No parsed
// predicate is beyond a limit.
func FuzzParse(f *testing.F) {
	for _, text := range predicatetest.Seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			predicatetest.CheckPlace(t, text, err)
			return
		}
		if len(text) > predicate.MaxBytes || !utf8.ValidString(text) {
			t.Fatalf("parsed %d bytes", len(text))
		}
		checkPrintParse(t, s)
	})
}
