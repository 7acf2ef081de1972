package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func TestHarnessHasToBeDeclared(t *testing.T) {
	t.Parallel()
	open := func(T, Env) store.Store { return newModel() }
	crash := func(T, CrashSpec) CrashRun { return CrashRun{} }
	replicate := func(T, Env) Replication { return Replication{} }
	for _, test := range []struct {
		name    string
		harness Harness
		wrong   string // part of the error; empty when nothing is wrong
	}{
		{"neither", Harness{Open: open, Caps: Capabilities{Durable: No, Shared: No}}, ""},
		{"durable", Harness{Open: open, Reopen: open, Crash: crash, Caps: Capabilities{Durable: Yes, Shared: No}}, ""},
		{"shared", Harness{Open: open, Peer: open, Caps: Capabilities{Durable: No, Shared: Yes}}, ""},
		{"without Open", Harness{Caps: Capabilities{Durable: No, Shared: No}}, "no Open"},
		{"undeclared", Harness{Open: open, Caps: Capabilities{Shared: No}}, "does not declare Caps.Durable"},
		{"durable without Reopen", Harness{Open: open, Caps: Capabilities{Durable: Yes, Shared: No}}, "no Reopen"},
		{"durable without Crash", Harness{Open: open, Reopen: open, Caps: Capabilities{Durable: Yes, Shared: No}}, "no Crash"},
		{"not durable with Crash", Harness{Open: open, Crash: crash, Caps: Capabilities{Durable: No, Shared: No}}, "has a Crash"},
		{"not durable with Reopen", Harness{Open: open, Reopen: open, Caps: Capabilities{Durable: No, Shared: No}}, "has a Reopen"},
		{"undeclared sharing", Harness{Open: open, Caps: Capabilities{Durable: No}}, "does not declare Caps.Shared"},
		{"shared without Peer", Harness{Open: open, Caps: Capabilities{Durable: No, Shared: Yes}}, "no Peer"},
		{"replicated", Harness{Open: open, Replicate: replicate, Caps: Capabilities{Durable: No, Shared: No, Replicated: Yes}}, ""},
		{"replicated without Replicate", Harness{Open: open, Caps: Capabilities{Durable: No, Shared: No, Replicated: Yes}}, "no Replicate"},
		{"undeclared with Replicate", Harness{Open: open, Replicate: replicate, Caps: Capabilities{Durable: No, Shared: No}}, "has a Replicate"},
		{"not shared with Peer", Harness{Open: open, Peer: open, Caps: Capabilities{Durable: No, Shared: No}}, "has a Peer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := test.harness.check()
			switch {
			case test.wrong == "" && err != nil:
				t.Errorf("check: %v", err)
			case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("check: %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

// TestForgetfulStore shows that the cases of durability can fail.
func TestForgetfulStore(t *testing.T) {
	t.Parallel()
	open := func(T, Env) store.Store { return newModel() }
	crash := func(T, CrashSpec) CrashRun { return CrashRun{} }
	h := Harness{Open: open, Reopen: open, Crash: crash, Caps: Capabilities{Durable: Yes, Shared: No}}
	for _, c := range Cases() {
		if c.Durable && !c.Shared && !c.Crash {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				if ended := attempt(t, c, h, 1); ended.Status != report.Failed {
					t.Errorf("the case %s did not notice that the store forgets everything: %s %s", c.ID, ended.Status, ended.Reason)
				}
			})
		}
	}
}

// TestDifferenceOfOrder shows how it is told that a slice has another order, and
// that it is not when there is more to it.
func TestDifferenceOfOrder(t *testing.T) {
	t.Parallel()
	comments := func(texts ...string) (s store.Snapshot) {
		for _, text := range texts {
			s.Comments = append(s.Comments, problem.Comment{Text: text})
		}
		return s
	}
	for _, test := range []struct {
		want, got store.Snapshot
		says      string
	}{
		{comments("a", "b", "c"), comments("c", "a", "b"), `.Comments has the 3 expected elements in another order: those with the indices 2 0 1; so .Comments[0].Text is "c" where "a" was expected`},
		{comments("a", "a", "b"), comments("a", "b", "a"), `.Comments has the 3 expected elements in another order: those with the indices 0 2 1; so .Comments[1].Text is "b" where "a" was expected`},
		{comments("a", "b", "c"), comments("c", "a", "d"), `.Comments[0].Text is "c" where "a" was expected`},
		{comments("a", "a", "b"), comments("a", "b", "b"), `.Comments[1].Text is "b" where "a" was expected`},
		{comments("a", "b"), comments("b", "a", "a"), `.Comments[0].Text is "b" where "a" was expected`},
	} {
		if got := difference(test.want, test.got); got != test.says {
			t.Errorf("difference: %s\nwant: %s", got, test.says)
		}
	}
	if got, want := difference([]byte("ab"), []byte("ba")), "[0] is 98 where 97 was expected"; got != want {
		t.Errorf("difference of bytes: %s, want %s", got, want)
	}
}

// TestDifferenceOfMaps shows that of several differences the same one is told each
// time.
func TestDifferenceOfMaps(t *testing.T) {
	t.Parallel()
	numbers := func(value string) map[problem.ID]string {
		m := make(map[problem.ID]string)
		for id := range problem.ID(20) {
			m[id+5] = value
		}
		return m
	}
	marks := map[mark]bool{{3, ident.ID{2}}: true, {3, ident.ID{1}}: true, {4, ident.ID{}}: true}
	for _, test := range []struct {
		want, got any
		says      string
	}{
		{numbers("a"), numbers("b"), `[5] is "b" where "a" was expected`},
		{numbers("a"), map[problem.ID]string{}, "[5] is missing"},
		{map[problem.ID]string{}, numbers("a"), "[5] is there, but was not expected"},
		{marks, map[mark]bool{}, "[{3 01000000-0000-0000-0000-000000000000}] is missing"},
	} {
		for range 10 {
			if got := difference(test.want, test.got); got != test.says {
				t.Fatalf("difference: %s, want %s", got, test.says)
			}
		}
	}
}

// TestDifference shows what counts as a difference, and how it is told.
func TestDifference(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 7e6, time.UTC)
	p := store.Snapshot{Problem: problem.Problem{ID: 1, Created: at}, Keywords: []problem.Keyword{{Name: "a"}}}
	for _, test := range []struct {
		name   string
		change func(*store.Snapshot)
		want   string
	}{
		{"nothing", func(*store.Snapshot) {}, ""},
		{"an empty slice", func(s *store.Snapshot) { s.Log = []problem.LogEntry{} }, ""},
		{"a field", func(s *store.Snapshot) { s.ID = 2 }, ".Problem.ID is 2 where 1 was expected"},
		{"an element", func(s *store.Snapshot) { s.Keywords = []problem.Keyword{{Name: "\u00e4"}} }, `.Keywords[0].Name is "\u00e4" where "a" was expected`},
		{"a length", func(s *store.Snapshot) { s.Keywords = nil }, ".Keywords has 0 elements where 1 were expected"},
		{"a millisecond", func(s *store.Snapshot) { s.Created = at.Add(time.Millisecond) }, ".Problem.Created is"},
		{"a zone", func(s *store.Snapshot) { s.Created = at.In(time.FixedZone("UTC", 0)) }, ".Problem.Created is"},
		{"an identifier", func(s *store.Snapshot) { s.Assignee = ident.ID{15: 1} }, ".Problem.Fields.Assignee is 00000000-0000-0000-0000-000000000001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := p
			test.change(&changed)
			got := difference(p, changed)
			if (test.want == "") != (got == "") || !strings.HasPrefix(got, test.want) {
				t.Errorf("difference: %q, want %q", got, test.want)
			}
		})
	}
}
