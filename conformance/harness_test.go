package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func TestHarnessHasToBeDeclared(t *testing.T) {
	t.Parallel()
	open := func(harness.T, harness.Env) store.Store { return model.NewModel() }
	crash := func(harness.T, harness.CrashSpec) harness.CrashRun { return harness.CrashRun{} }
	replicate := func(harness.T, harness.Env) harness.Replication { return harness.Replication{} }
	for _, test := range []struct {
		name    string
		harness harness.Harness
		wrong   string // part of the error; empty when nothing is wrong
	}{
		{"neither", harness.Harness{Open: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, ""},
		{"durable", harness.Harness{Open: open, Reopen: open, Crash: crash, Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}, ""},
		{"shared", harness.Harness{Open: open, Peer: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.Yes}}, ""},
		{"without Open", harness.Harness{Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, "no Open"},
		{"undeclared", harness.Harness{Open: open, Caps: harness.Capabilities{Shared: harness.No}}, "does not declare Caps.Durable"},
		{"durable without Reopen", harness.Harness{Open: open, Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}, "no Reopen"},
		{"durable without Crash", harness.Harness{Open: open, Reopen: open, Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}, "no Crash"},
		{"not durable with Crash", harness.Harness{Open: open, Crash: crash, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, "has a Crash"},
		{"not durable with Reopen", harness.Harness{Open: open, Reopen: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, "has a Reopen"},
		{"undeclared sharing", harness.Harness{Open: open, Caps: harness.Capabilities{Durable: harness.No}}, "does not declare Caps.Shared"},
		{"shared without Peer", harness.Harness{Open: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.Yes}}, "no Peer"},
		{"replicated", harness.Harness{Open: open, Replicate: replicate, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No, Replicated: harness.Yes}}, ""},
		{"replicated without Replicate", harness.Harness{Open: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No, Replicated: harness.Yes}}, "no Replicate"},
		{"undeclared with Replicate", harness.Harness{Open: open, Replicate: replicate, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, "has a Replicate"},
		{"not shared with Peer", harness.Harness{Open: open, Peer: open, Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No}}, "has a Peer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := test.harness.Check()
			switch {
			case test.wrong == "" && err != nil:
				t.Errorf("check: %v", err)
			case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("check: %v, want an error with %q", err, test.wrong)
			}
		})
	}
}

func TestReportSaysThatAStoreIsSerial(t *testing.T) {
	t.Parallel()
	for declared, want := range map[harness.Support]bool{harness.Yes: true, harness.No: false, harness.Undeclared: false} {
		caps := harness.Capabilities{Serial: declared}
		if said := strings.HasPrefix(caps.Declared()["serial"], "yes"); said != want {
			t.Errorf("declared %v: the report says it: %v", declared, said)
		}
	}
}

// TestForgetfulStore shows that the cases of durability can fail. A random case can draw
// a sequence that loses nothing, so it has several seeds.
func TestForgetfulStore(t *testing.T) {
	t.Parallel()
	open := func(harness.T, harness.Env) store.Store { return model.NewModel() }
	crash := func(harness.T, harness.CrashSpec) harness.CrashRun { return harness.CrashRun{} }
	h := harness.Harness{Open: open, Reopen: open, Crash: crash, Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}
	for _, c := range Cases() {
		if c.Durable && !c.Shared && !c.Crash {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				seeds := uint64(1)
				if c.Seeded {
					seeds = 5
				}
				for seed := range seeds {
					if attempt(t, c, h, seed+1).Status == report.Failed {
						return
					}
				}
				t.Errorf("the case %s did not notice that the store forgets everything, with %d seeds", c.ID, seeds)
			})
		}
	}
}

// TestDifferenceOfOrder shows how it is told that a slice has another order, and
// that it is not when there is more to it.
func TestDifferenceOfOrder(t *testing.T) {
	t.Parallel()
	comments := func(texts ...string) (s snapshot.Snapshot) {
		for _, text := range texts {
			s.Comments = append(s.Comments, problem.Comment{Text: text})
		}
		return s
	}
	for _, test := range []struct {
		want, got snapshot.Snapshot
		says      string
	}{
		{comments("a", "b", "c"), comments("c", "a", "b"), `.Comments has the 3 expected elements in another order: those with the indices 2 0 1; so .Comments[0].Text is "c" where "a" was expected`},
		{comments("a", "a", "b"), comments("a", "b", "a"), `.Comments has the 3 expected elements in another order: those with the indices 0 2 1; so .Comments[1].Text is "b" where "a" was expected`},
		{comments("a", "b", "c"), comments("c", "a", "d"), `.Comments[0].Text is "c" where "a" was expected`},
		{comments("a", "a", "b"), comments("a", "b", "b"), `.Comments[1].Text is "b" where "a" was expected`},
		{comments("a", "b"), comments("b", "a", "a"), `.Comments[0].Text is "b" where "a" was expected`},
	} {
		if got := bench.Difference(test.want, test.got); got != test.says {
			t.Errorf("difference: %s\nwant: %s", got, test.says)
		}
	}
	if got, want := bench.Difference([]byte("ab"), []byte("ba")), "[0] is 98 where 97 was expected"; got != want {
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
	marks := map[bench.Mark]bool{{Problem: 3, User: ident.ID{2}}: true, {Problem: 3, User: ident.ID{1}}: true, {Problem: 4, User: ident.ID{}}: true}
	for _, test := range []struct {
		want, got any
		says      string
	}{
		{numbers("a"), numbers("b"), `[5] is "b" where "a" was expected`},
		{numbers("a"), map[problem.ID]string{}, "[5] is missing"},
		{map[problem.ID]string{}, numbers("a"), "[5] is there, but was not expected"},
		{marks, map[bench.Mark]bool{}, "[{3 01000000-0000-0000-0000-000000000000}] is missing"},
	} {
		for range 10 {
			if got := bench.Difference(test.want, test.got); got != test.says {
				t.Fatalf("difference: %s, want %s", got, test.says)
			}
		}
	}
}

// TestDifference shows what counts as a difference, and how it is told.
func TestDifference(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 7e6, time.UTC)
	p := snapshot.Snapshot{Problem: problem.Problem{ID: 1, Created: at}, Keywords: []problem.Keyword{{Name: "a"}}}
	for _, test := range []struct {
		name   string
		change func(*snapshot.Snapshot)
		want   string
	}{
		{"nothing", func(*snapshot.Snapshot) {}, ""},
		{"an empty slice", func(s *snapshot.Snapshot) { s.Log = []problem.LogEntry{} }, ""},
		{"a field", func(s *snapshot.Snapshot) { s.ID = 2 }, ".Problem.ID is 2 where 1 was expected"},
		{"an element", func(s *snapshot.Snapshot) { s.Keywords = []problem.Keyword{{Name: "\u00e4"}} }, `.Keywords[0].Name is "\u00e4" where "a" was expected`},
		{"a length", func(s *snapshot.Snapshot) { s.Keywords = nil }, ".Keywords has 0 elements where 1 were expected"},
		{"a millisecond", func(s *snapshot.Snapshot) { s.Created = at.Add(time.Millisecond) }, ".Problem.Created is"},
		{"a zone", func(s *snapshot.Snapshot) { s.Created = at.In(time.FixedZone("UTC", 0)) }, ".Problem.Created is"},
		{"an identifier", func(s *snapshot.Snapshot) { s.Assignee = ident.ID{15: 1} }, ".Problem.Fields.Assignee is 00000000-0000-0000-0000-000000000001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := p
			test.change(&changed)
			got := bench.Difference(p, changed)
			if (test.want == "") != (got == "") || !strings.HasPrefix(got, test.want) {
				t.Errorf("difference: %q, want %q", got, test.want)
			}
		})
	}
}
