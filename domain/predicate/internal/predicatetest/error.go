package predicatetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// Repeat joins n copies of a text.
func Repeat(n int, text, separator string) string {
	return strings.TrimSuffix(strings.Repeat(text+separator, n), separator)
}

// WantError checks the kind and the position of an error.
func WantError(t *testing.T, name string, err error, kind predicate.ErrorKind, line, column int) {
	t.Helper()
	var e *predicate.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: got %v, want %s at %d:%d", name, err, kind, line, column)
		return
	}
	if e.Kind != kind || e.Line != line || e.Column != column {
		t.Errorf("%s: got %v; want %s at %d:%d", name, e, kind, line, column)
	}
	if e.Message == "" || len(e.Message) > 700 {
		t.Errorf("%s: a message of %d bytes", name, len(e.Message))
	}
}

// Seeds are predicates of all forms, right and wrong, for the fuzz targets.
func Seeds() []string {
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
	for _, h := range Hostile() {
		texts = append(texts, h.Text[:min(len(h.Text), 1000)])
	}
	return texts
}

// CheckPlace checks that an error is an Error inside the text or at its end.
func CheckPlace(t *testing.T, text string, err error) {
	t.Helper()
	var e *predicate.Error
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
