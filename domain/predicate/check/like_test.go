package check

import (
	"reflect"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
)

func TestParseLike(t *testing.T) {
	t.Parallel()
	run, one := predicate.Part{Any: true}, predicate.Part{One: true}
	text := func(s string) predicate.Part { return predicate.Part{Text: s} }
	for _, c := range []struct {
		pattern string
		want    []predicate.Part
	}{
		{"", nil},
		{"abc", []predicate.Part{text("abc")}},
		{"*", []predicate.Part{run}},
		{"***", []predicate.Part{run}},
		{"?", []predicate.Part{one}},
		{"??", []predicate.Part{one, one}},
		{"*?*", []predicate.Part{run, one, run}},
		{"a**b?c", []predicate.Part{text("a"), run, text("b"), one, text("c")}},
		{`\*`, []predicate.Part{text("*")}},
		{`\?`, []predicate.Part{text("?")}},
		{`\\`, []predicate.Part{text(`\`)}},
		{`\\*`, []predicate.Part{text(`\`), run}},
		{`a\*b`, []predicate.Part{text("a*b")}},
		{`*\**`, []predicate.Part{run, text("*"), run}},
		{"é\n%_[a]", []predicate.Part{text("é\n%_[a]")}},
	} {
		p, err := parseLike(c.pattern)
		if err != nil || !reflect.DeepEqual(p.Parts, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.pattern, p.Parts, err, c.want)
		}
	}
	for _, pattern := range []string{`\`, `a\`, `\a`, `\\\`, `\[`, strings.Repeat("*a", 17)} {
		if p, err := parseLike(pattern); err == nil {
			t.Errorf("%q: %+v, want an error", pattern, p)
		}
	}
	if _, err := parseLike(strings.Repeat("**a", 16)); err != nil {
		t.Errorf("16 runs of two: %v", err)
	}
}

// TestLikeHolds checks matches of patterns, from their spelling in a predicate.
func TestLikeHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want bool
	}{
		{"'abc' LIKE 'a*'", true},
		{"'abc' LIKE 'b*'", false},
		{"'abc' LIKE 'A*'", false},
		{"'abc' LIKE[c] 'A?C'", true},
		{`'a*c' LIKE 'a\\*c'`, true},
		{`'abc' LIKE 'a\\*c'`, false},
		{"'Été' LIKE[cd] 'ete'", true},
		{"'ete' LIKE[d] 'étÉ'", false},
		{"'é' LIKE '?'", true},
		{"'e\u0301' LIKE '?'", true}, // NFC makes it one code point
		{"'x' LIKE[d] 'x\u0334'", true},
		{"'x\ny' LIKE 'x*y'", true},
		{"'' LIKE ''", true},
		{"nil LIKE '*'", false},
		{"'abc' MATCHES 'b'", false},
		{"'abc' MATCHES 'a|abc'", true},
		{"'abc' MATCHES 'abc|d'", true},
		{"'xabc' MATCHES 'd|abc'", false},
		{"'abc' MATCHES 'ABC'", false},
		{"'abc' MATCHES[c] 'ABC'", true},
		{"'\u212a' MATCHES[c] 'k'", true},
		{"'a\nb' MATCHES 'a.b'", false},
		{"'a\nb' MATCHES '(?s)a.b'", true},
		{"'a\n' MATCHES 'a'", false},
		{"'a\nb' MATCHES '^a$\\nb'", false},
		{"'a\nb' MATCHES '(?m)^a$\\nb'", true},
		{"'a#b' MATCHES '(?:a#b)'", true},
		{`'a)b' MATCHES '\\Qa)b'`, true},
		{`'a)' MATCHES '\\Qa)'`, true},
		{"nil MATCHES '.*'", false},
		{"'' MATCHES ''", true},
	} {
		plan, err := Compile(c.text, predicate.Problem, checkEnv)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, err := eval.Matches(t.Context(), plan, nil); err != nil || got != c.want {
			t.Errorf("%s: %t, %v; want %t", c.text, got, err, c.want)
		}
	}
}
