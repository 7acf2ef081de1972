package syntax

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// tokensOf returns the tokens of a text without the end, and the error after them.
func tokensOf(text string) ([]token, error) {
	l := lexer{text: text}
	var tokens []token
	for {
		t, err := l.next()
		if err != nil || t.kind == end {
			return tokens, err
		}
		tokens = append(tokens, t)
	}
}

// TestTokens checks section 1 of the query language.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string // kinds, and texts after a colon, separated by |
	}{
		{"", ""},
		{" \t\r\n", ""},
		{"a", "word:a"},
		{"_a1B", "word:_a1B"},
		{"and Or NOT", "AND:and|OR:Or|NOT"},
		{"andy", "word:andy"},
		{"caseInsensitive fetch anykey ci", "CASEINSENSITIVE:caseInsensitive|FETCH:fetch|ANYKEY:anykey|CI:ci"},
		{"#and #x", "key:and|key:x"},
		{"$r $AND $_1", "variable:r|variable:AND|variable:_1"},
		{"= == != <> < <= =< > >= =>", "=|=:==|!=|!=:<>|<|<=|<=:=<|>|>=|>=:=>"},
		{"&& || ! + - * / **", "AND:&&|OR:|||NOT:!|+|-|*|/|**"},
		{"( ) { } [ ] , . @", "(|)|{|}|[|]|,|.|@"},
		{"--a", "-|-|word:a"},
		{"***", "**|*"},
		{"!==", "!=|="},
		{"<>=", "!=:<>|="},
		{"===", "=:==|="},
		{"7", "number:7"},
		{"007", "number:007"},
		{"1.5", "number:1.5"},
		{"1e5", "number:1e5"},
		{"1.5E-3", "number:1.5E-3"},
		{"1.5e+3", "number:1.5e+3"},
		{"0e-400 0.00e-400 5e-324", "number:0e-400|number:0.00e-400|number:5e-324"},
		{"1.5.2", "number:1.5|.|number:2"},
		{"1.foo", "number:1|.|word:foo"},
		{"1 .5", "number:1|.|number:5"},
		{"9223372036854775807", "number:9223372036854775807"},
		{"-7", "-|number:7"},
		{"'a'", "string:a"},
		{`"a"`, "string:a"},
		{`''`, "string:"},
		{`'it"s'`, `string:it"s`},
		{`"it's"`, `string:it's`},
		{`'a''b'`, "string:a|string:b"},
		{"'a\nb\r\tc'", "string:a\nb\r\tc"},
		{`'%@ $x ?'`, "string:%@ $x ?"},
		{`'\\ \' \" \/'`, `string:\ ' " /`},
		{`'\b\f\n\r\t'`, "string:\b\f\n\r\t"},
		{`'\u0041\u00e9\u00E9'`, "string:Aéé"},
		{`'\ud83d\uDE00'`, "string:😀"},
		{`'\u00411'`, "string:A1"},
		{"'é😀'", "string:é😀"},
		{"'\ufffd'", "string:\ufffd"},
		{`'\ufffd'`, "string:\ufffd"},
	} {
		tokens, err := tokensOf(c.text)
		var got []string
		for _, token := range tokens {
			s := string(token.kind)
			if token.text != s {
				s += ":" + token.text
			}
			got = append(got, s)
		}
		if joined := strings.Join(got, "|"); err != nil || joined != c.want {
			t.Errorf("%q: %q, %v; want %q", c.text, joined, err, c.want)
		}
	}
}

// TestTokenErrors checks invalid tokens. An error is at the start of the token.
func TestTokenErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text string
		kind predicate.ErrorKind
		line int
		col  int
	}{
		{"string not closed", "a 'b", predicate.InvalidSyntax, 1, 3},
		{"string closed by the other quote", `a 'b"`, predicate.InvalidSyntax, 1, 3},
		{"string ends with a backslash", `'b\`, predicate.InvalidSyntax, 1, 1},
		{"string ends with an escaped quote", `'b\'`, predicate.InvalidSyntax, 1, 1},
		{"unknown escape", `a '\q'`, predicate.InvalidSyntax, 1, 3},
		{"escape of a line break", "'\\\n'", predicate.InvalidSyntax, 1, 1},
		{"upper-case escape", `'\N'`, predicate.InvalidSyntax, 1, 1},
		{"short unicode escape", `'\u041'`, predicate.InvalidSyntax, 1, 1},
		{"unicode escape with a sign", `'\u+041'`, predicate.InvalidSyntax, 1, 1},
		{"high surrogate alone", `'\ud83d'`, predicate.InvalidSyntax, 1, 1},
		{"high surrogate and a letter", `'\ud83d\u0041'`, predicate.InvalidSyntax, 1, 1},
		{"low surrogate alone", `'\ude00'`, predicate.InvalidSyntax, 1, 1},
		{"two low surrogates", `'\ude00\ude00'`, predicate.InvalidSyntax, 1, 1},
		{"U+0000, escaped", `'\u0000'`, predicate.InvalidSyntax, 1, 1},
		{"U+0000 in a string", "'\x00'", predicate.InvalidSyntax, 1, 1},
		{"U+0000 outside", "a \x00", predicate.InvalidSyntax, 1, 3},
		{"not UTF-8 in a string", "'\xff'", predicate.InvalidSyntax, 1, 1},
		{"surrogate in UTF-8", "'\xed\xa0\x80'", predicate.InvalidSyntax, 1, 1},
		{"not UTF-8 outside", "a \xff", predicate.InvalidSyntax, 1, 3},
		{"letter beyond ASCII", "é", predicate.InvalidSyntax, 1, 1},
		{"no-break space", "a\u00a0b", predicate.InvalidSyntax, 1, 2},
		{"vertical tab", "a\vb", predicate.InvalidSyntax, 1, 2},
		{"form feed", "a\fb", predicate.InvalidSyntax, 1, 2},
		{"number and a letter", "a 7abc", predicate.InvalidSyntax, 1, 3},
		{"number and an underscore", "1_000", predicate.InvalidSyntax, 1, 1},
		{"exponent without digits", "1e", predicate.InvalidSyntax, 1, 1},
		{"exponent with a sign alone", "1e+", predicate.InvalidSyntax, 1, 1},
		{"hexadecimal", "0x10", predicate.InvalidSyntax, 1, 1},
		{"Int out of range", "9223372036854775808", predicate.InvalidSyntax, 1, 1},
		{"Float out of range", "1e309", predicate.InvalidSyntax, 1, 1},
		{"Float too small", "id = 1e-400", predicate.InvalidSyntax, 1, 6},
		{"Float too small, with a fraction", "0.001e-400", predicate.InvalidSyntax, 1, 1},
		{"# alone", "# a", predicate.InvalidSyntax, 1, 1},
		{"# and a digit", "#1", predicate.InvalidSyntax, 1, 1},
		{"$ alone", "a $", predicate.InvalidSyntax, 1, 3},
		{"$ and a digit", "$1", predicate.InvalidSyntax, 1, 1},
		{"& alone", "a & b", predicate.InvalidSyntax, 1, 3},
		{"| alone", "a | b", predicate.InvalidSyntax, 1, 3},
		{": alone", "a :", predicate.InvalidSyntax, 1, 3},
		{"semicolon", "a;", predicate.InvalidSyntax, 1, 2},
		{"backquote", "`a`", predicate.InvalidSyntax, 1, 1},
		{"argument", "a = %@", predicate.Unsupported, 1, 5},
		{"argument, the first thing", "%K", predicate.Unsupported, 1, 1},
		{"assignment", "$a := 1", predicate.Unsupported, 1, 4},
		{"second line", "a\n  ?", predicate.InvalidSyntax, 2, 3},
		{"after CR LF", "a\r\n ?", predicate.InvalidSyntax, 2, 2},
		{"CR alone ends no line", "a\r?", predicate.InvalidSyntax, 1, 3},
		{"tab is one column", "\t?", predicate.InvalidSyntax, 1, 2},
		{"after code points of several bytes", "'é😀' ?", predicate.InvalidSyntax, 1, 6},
		{"after a string of several lines", "'a\nb' ?", predicate.InvalidSyntax, 2, 4},
	} {
		_, err := tokensOf(c.text)
		var e *predicate.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %q: no error", c.name, c.text)
			continue
		}
		if e.Kind != c.kind || e.Line != c.line || e.Column != c.col {
			t.Errorf("%s: %q: %v; want %s at %d:%d", c.name, c.text, e, c.kind, c.line, c.col)
		}
	}
}

// TestTokenOffsets checks the offset of each token, after every kind of token.
func TestTokenOffsets(t *testing.T) {
	t.Parallel()
	parts := []string{"a", "#b", "$c", "1.5e3", `'d\n'`, "AND", "<=", "(", "@"}
	for _, first := range parts {
		for _, second := range parts {
			tokens, err := tokensOf("  " + first + "\n" + second)
			if err != nil || len(tokens) != 2 || tokens[0].offset != 2 || tokens[1].offset != 3+len(first) {
				t.Errorf("%q and %q: %+v, %v", first, second, tokens, err)
			}
		}
	}
}

// TestReservedWords checks that all reserved words, in any letter case, are keys only
// after # and ".".
func TestReservedWords(t *testing.T) {
	t.Parallel()
	words := strings.Fields("AND OR NOT ANY SOME ALL NONE IN BETWEEN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES " +
		"NULL NIL TRUE YES FALSE NO SELF FIRST LAST SIZE SUBQUERY CAST TRUEPREDICATE FALSEPREDICATE ANYKEY FETCH CI CASEINSENSITIVE")
	values := strings.Fields("NULL NIL TRUE YES FALSE NO SELF")
	for _, w := range words {
		for _, w := range []string{w, strings.ToLower(w), w[:1] + strings.ToLower(w[1:])} {
			s, err := Parse("#" + w + " = a." + w)
			if want := "(= ." + w + " .a." + w + ")"; err != nil || form(s.Root) != want {
				t.Errorf("#%s and .%s: %v, want %s", w, w, err, want)
			}
			if s, err := Parse(w + " = 1"); (err == nil) != slices.Contains(values, strings.ToUpper(w)) {
				t.Errorf("%s = 1: %v, %v", w, s, err)
			}
		}
	}
}
