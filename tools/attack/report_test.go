package main

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	good := row{Store: onSQLite, Attack: "a", Before: 30 * mebibyte, Peak: 600 * mebibyte, Fate: alive}
	with := func(change func(*row)) row {
		r := good
		change(&r)
		return r
	}
	for _, c := range []struct {
		what string
		row  row
		want string // empty: nothing is wrong
	}{
		{"all is well", good, ""},
		{"too much", with(func(r *row) { r.Peak = 700 * mebibyte }), "took 700 MiB, and may take 640"},
		{"the data of the memory store", with(func(r *row) { r.Store, r.Before, r.Peak = inMemory, 100*mebibyte, 740*mebibyte }), ""},
		{"more than its data", with(func(r *row) { r.Store, r.Before, r.Peak = inMemory, 100*mebibyte, 741*mebibyte }), "may take 740"},
		{"a death", with(func(r *row) { r.Fate = "died: exit status 2" }), "died: exit status 2"},
		{"a wrong answer", with(func(r *row) { r.Wrong = []string{"GET /problems: 500"} }), "GET /problems: 500"},
	} {
		err := (&report{Rows: []row{c.row}}).verdict(640 * mebibyte)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.what, err, c.want)
		}
	}
	if err := (&report{Rows: []row{with(func(r *row) { r.Peak = 1 << 40 })}}).verdict(0); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	// Honest clients may fail: times are no errors.
	if err := (&report{Rows: []row{with(func(r *row) { r.Honest.Failures = 9 })}}).verdict(0); err != nil {
		t.Errorf("with honest failures: %v", err)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := row{Store: onSQLite, Attack: "a", Title: "an attack", Before: 30 * mebibyte, Peak: 99 * mebibyte, Fate: alive, Answers: map[string]int{"200": 3, "503": 40},
		Honest: waited{Requests: 10, P50: 1, P99: 2.4, Max: 9, Failures: 2, Outcomes: map[string]int{"200": 8, "503": 2}}, Notes: []string{"a | b\nc"}, Wrong: []string{"d"}}
	r.print(&out)
	if want := "| sqlite | a: an attack | 30 | 99 | 1 | 2 | 9 | 2 of 10 (503: 2) | alive | 503: 40, 200: 3 | a \\| b c; WRONG: d |\n"; out.String() != want {
		t.Errorf("printed\n%s; want\n%s", out.String(), want)
	}
}
