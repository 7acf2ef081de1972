package report

import (
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"a\tb\nc\r\nd":                   "a\tb\nc\nd",
		"a\rb":                           `a\x0db`,
		"\x00\x1b[31m\x7f":               `\x00\x1b[31m\x7f`,
		"\xff\xed\xa0\x80":               `\xff\xed\xa0\x80`,
		"\uFFFD":                         "\uFFFD",
		"\uFFFE\u0085\u202E\u2028\uFEFF": `\ufffe\u0085\u202e\u2028\ufeff`,
		"\U0010FFFF":                     `\U0010ffff`,
		"größer, 日本, \u00a0, e\u0301, 🙂": "größer, 日本, \u00a0, e\u0301, 🙂",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %q where %q was expected", text, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"größer", 4, "grö…"},
		{"a\n\nb", 3, "a b"},
	} {
		got := brief(test.text, test.n)
		if got != test.want || utf8.RuneCountInString(got) > test.n {
			t.Errorf("%q in %d characters is %q where %q was expected", test.text, test.n, got, test.want)
		}
	}
}
