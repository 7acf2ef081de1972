package tracker

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// W4, D4, D8, D10: setting a keyword, on a problem with build = "1A2" and
// regression = null.
func TestSetKeyword(t *testing.T) {
	t.Parallel()
	none := problem.NullText{}
	for _, c := range []struct {
		rule     string
		name     string
		value    problem.NullText
		want     problem.Keyword
		from, to string // empty: nothing changes
		isNew    bool
	}{
		{"a new one", "os", problem.Text("15"), problem.Keyword{Name: "os", Value: problem.Text("15")}, `null`, `"15"`, true},
		{"a new one without value", "os", none, problem.Keyword{Name: "os"}, `null`, `{"value":null}`, true},
		{"a new one with an empty value", "os", problem.Text(""), problem.Keyword{Name: "os", Value: problem.Text("")}, `null`, `""`, true},
		{"another value", "build", problem.Text("1A3"), problem.Keyword{Name: "build", Value: problem.Text("1A3")}, `"1A2"`, `"1A3"`, false},
		{"the value goes", "build", none, problem.Keyword{Name: "build"}, `"1A2"`, `{"value":null}`, false},
		{"a value comes", "regression", problem.Text("yes"), problem.Keyword{Name: "regression", Value: problem.Text("yes")}, `{"value":null}`, `"yes"`, false},
		{"an empty value is not null", "regression", problem.Text(""), problem.Keyword{Name: "regression", Value: problem.Text("")}, `{"value":null}`, `""`, false},
		{"the same value", "build", problem.Text("1A2"), problem.Keyword{Name: "build", Value: problem.Text("1A2")}, "", "", false},
		{"null again", "regression", none, problem.Keyword{Name: "regression"}, "", "", false},
		{"D9: names are trimmed, values are not", " build\u2003", problem.Text(" 1A2"), problem.Keyword{Name: "build", Value: problem.Text(" 1A2")}, `"1A2"`, `" 1A2"`, false},
		{"D9: NFC", "e\u0301", problem.Text("e\u0301"), problem.Keyword{Name: "é", Value: problem.Text("é")}, `null`, `"é"`, true},
		{"names differ by case", "Build", none, problem.Keyword{Name: "Build"}, `null`, `{"value":null}`, true},
		{"D13: a name with a slash", "a/b", none, problem.Keyword{Name: "a/b"}, `null`, `{"value":null}`, true},
		{"D4: three dots", "...", none, problem.Keyword{Name: "..."}, `null`, `{"value":null}`, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded(assigned(ann), readByAssignee)
			change, a, err := decideSetKeyword(by(bob), SetKeyword{Name: c.name, Value: c.value}, old, 1000, at(now))
			noError(t, err)
			if c.to == "" {
				nothing(t, change)
				equal(t, "answer", a, Answer[problem.Keyword]{Value: c.want, Catalogue: old.catalogue, Revision: 3})
				return
			}
			equal(t, "answer", a, Answer[problem.Keyword]{Value: c.want, Catalogue: old.catalogue, Revision: 4, New: c.isNew})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = bob, now, 4
			size := c.want.Size() + logSize(change, 7)
			if before, ok := findKeyword(old.Keywords, c.want.Name); ok {
				size -= before.Size()
			}
			expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy})
			equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: bob},
				store.MarkRead{Problem: 7, User: bob, Read: true},
				store.PutKeyword{Problem: 7, Keyword: c.want},
				store.UpdateProblem{Problem: want, Size: size},
			})
			logged(t, change, "7@4 KeywordSet "+c.want.Name+": "+c.from+" → "+c.to)
		})
	}
}

func TestSetKeywordRefuses(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{1}}}
	for _, c := range []struct {
		rule  string
		cmd   SetKeyword
		limit int
		kind  fault.Kind
		items []string
	}{
		{"D4: no name", SetKeyword{Name: ""}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: a dot", SetKeyword{Name: "."}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: two dots", SetKeyword{Name: ".. "}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: 256 characters", SetKeyword{Name: strings.Repeat("é", 256)}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D9: a line feed in the name", SetKeyword{Name: "a\nb"}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: a value beyond 64 KiB", SetKeyword{Name: "a", Value: problem.Text(strings.Repeat("a", 64<<10+1))}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D9: U+0000 in the value", SetKeyword{Name: "a", Value: problem.Text("\x00")}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D11: both", SetKeyword{Name: "..", Value: problem.Text("\x00")}, 9, fault.InvalidValue, []string{"invalid-value ", "invalid-value "}},
		{"D22: one keyword too many", SetKeyword{Name: "os"}, 2, fault.InvalidValue, []string{"invalid-value "}},
		{"D20: another revision", SetKeyword{Write: stale, Name: ".."}, 9, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideSetKeyword(by(bob), c.cmd, newLoaded(), c.limit, at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[problem.Keyword]{})
		})
	}
}

// D22: a full problem can still have its keywords changed.
func TestSetKeywordAtLimit(t *testing.T) {
	t.Parallel()
	change, _, err := decideSetKeyword(by(bob), SetKeyword{Name: "build"}, newLoaded(), 2, at(now))
	noError(t, err)
	equal(t, "effects", effectsOf[store.PutKeyword](change), []store.PutKeyword{{Problem: 7, Keyword: problem.Keyword{Name: "build"}}})
}

// W5, D8: the log tells a keyword without value from none.
func TestDeleteKeyword(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, name, stored, from string }{
		{"with a value", "build", "build", `"1A2"`},
		{"without value", "regression", "regression", `{"value":null}`},
		{"D9: by a name that is not trimmed", " build ", "build", `"1A2"`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded()
			change, a, err := decideDeleteKeyword(by(bob), DeleteKeyword{Name: c.name}, old, at(now))
			noError(t, err)
			equal(t, "answer", a, Answer[struct{}]{Catalogue: old.catalogue, Revision: 4})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = bob, now, 4
			before, _ := findKeyword(old.Keywords, c.stored)
			expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy})
			equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: bob},
				store.MarkRead{Problem: 7, User: bob, Read: true},
				store.DropKeyword{Problem: 7, Name: c.stored},
				store.UpdateProblem{Problem: want, Size: logSize(change, 7) - before.Size()},
			})
			logged(t, change, "7@4 KeywordDeleted "+c.stored+": "+c.from+" → null")
		})
	}
}

func TestDeleteKeywordRefuses(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{1}}}
	for _, c := range []struct {
		rule string
		cmd  DeleteKeyword
		kind fault.Kind
	}{
		{"D10: nothing to delete", DeleteKeyword{Name: "os"}, fault.KeywordNotFound},
		{"case counts", DeleteKeyword{Name: "BUILD"}, fault.KeywordNotFound},
		{"D18: 422 before keyword 404", DeleteKeyword{Name: ".."}, fault.InvalidValue},
		{"D18: 412 before keyword 404", DeleteKeyword{Write: stale, Name: "os"}, fault.StaleRevision},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, _, err := decideDeleteKeyword(by(bob), c.cmd, newLoaded(), at(now))
			wantFault(t, err, c.kind)
			nothing(t, change)
		})
	}
}
