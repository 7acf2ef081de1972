package predicate

import (
	"errors"
	"slices"
	"testing"
	"unicode/utf8"
)

// seeds are predicates of all forms, right and wrong, for the fuzz targets.
func seeds() []string {
	texts := []string{
		"", "watching = YES", "a", "(", "'", `'\u00`, "1e", "a = %@",
		"read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser",
		"creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)",
		"SUBQUERY(history, $h, $h.modifier.identifier = $ApiUser).@count > 0",
		"title CONTAINS[c] 'API' || !(title LIKE[cd] 'a*?' && title MATCHES '(a|b)*')",
		"ANY children.identifier = '0197c3f2-89ab-7cde-8f01-23456789abcd'",
		"identifier IN {1, 2.5, nil, 1 + 2 * -3 ** 4}",
		"NONE relationships.type BETWEEN {'ParentOf', 201}",
		"CAST('2024-05-01', 'NSDate') < creationDate AND relationships.@sum.type = 1",
		"title = 'e\u0301\\ud83d\\ude00'",
		"((((((title)))))).name = 1",
	}
	for _, h := range hostile() {
		texts = append(texts, h.text[:min(len(h.text), 1000)])
	}
	return texts
}

// checkPlace checks that an error is an Error inside the text or at its end.
func checkPlace(t *testing.T, text string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %v", err)
	}
	lines := slices.Collect(func(yield func(string) bool) {
		start := 0
		for i := range len(text) {
			if text[i] == '\n' {
				if !yield(text[start : i+1]) {
					return
				}
				start = i + 1
			}
		}
		yield(text[start:])
	})
	if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > utf8.RuneCountInString(lines[e.Line-1])+1 {
		t.Fatalf("%v is outside of the text", e)
	}
	if !utf8.ValidString(e.Message) || len(e.Message) > 700 {
		t.Fatalf("a message of %d bytes", len(e.Message))
	}
}

// FuzzLex: each token advances, and is at its offset.
func FuzzLex(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := lexer{text: text}
		for last := -1; ; {
			before := l.offset
			tok, err := l.next()
			if err != nil {
				checkPlace(t, text, err)
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
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			checkPlace(t, text, err)
			return
		}
		if len(text) > MaxBytes || !utf8.ValidString(text) {
			t.Fatalf("parsed %d bytes", len(text))
		}
		checkPrintParse(t, s)
	})
}

// FuzzCheck: every predicate becomes a Plan or an Error about any entity. Its printed
// form becomes the same Plan.
func FuzzCheck(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		for _, root := range []Entity{Problem, User, Component, Milestone, Priority, Classification, State} {
			plan, err := Check(s, root, checkEnv)
			if err != nil {
				checkPlace(t, text, err)
				continue
			}
			if plan.Root != root || plan.Slots < 1 || plan.Slots > MaxNodes {
				t.Fatalf("about %s, %d slots", plan.Root, plan.Slots)
			}
			printed, err := parse(s.String())
			if err != nil {
				t.Fatal(err)
			}
			again, err := Check(printed, root, checkEnv)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			if got, want := planForm(again.Where), planForm(plan.Where); got != want {
				t.Fatalf("%s becomes\n%s, and printed\n%s", text, want, got)
			}
		}
	})
}

// FuzzOrder: every sort becomes an order by to-one keys, or an Error.
func FuzzOrder(f *testing.F) {
	for _, text := range []string{"", "title", "-state.name,modificationDate", "a,,", "#id,--", "watchers.@count", "component.parent.parent.name"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		orders, err := CompileOrder(text, Problem)
		if err != nil {
			checkPlace(t, text, err)
			return
		}
		for _, o := range orders {
			if typ := o.Path.Type(); typ.Many || typ.Kind == Object || o.Path.Slot != 0 || len(o.Path.Steps) == 0 {
				t.Fatalf("%s: sorted by %s", text, exprForm(o.Path))
			}
		}
	})
}
