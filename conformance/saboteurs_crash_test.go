package conformance

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/crash"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// crashSaboteur is a journal with a flaw that shows when it is not closed before
// it is opened again.
type crashSaboteur struct {
	name   string
	caught string // the ID of the case that has to notice
	says   string // part of the complaint
	flaw   flaw
}

// Of the stores that do not sync one kind of Changes, some are enough: crash.Kinds has
// every effect, which TestEachEffectIsTheLastBeforeACrash demands.
func crashSaboteurs() []crashSaboteur {
	return []crashSaboteur{
		{"acknowledges what it has not written", "COM-003/killed", "LOST", flaw{buffers: true}},
		{"never syncs", "COM-003/power-cut", "LOST", flaw{neverSyncs: true}},
		{"acknowledges what it has not synced", "COM-003/power-cut", "LOST", flaw{syncsLate: true}},
		{"syncs the directory for the file", "COM-003/power-cut", "LOST", flaw{syncsFolder: true}},
		{"renames a file without a sync of the directory", "COM-003/power-cut", "LOST", flaw{forgetsName: true}},
		{"writes a Change in two halves", "COM-001/power-cut", "TORN", flaw{halves: true}},
		{"writes a large Change in two halves", "COM-001/large/power-cut", "TORN", flaw{halvesLarge: true}},
		{"does not sync new problems", "COM-003/each-kind/power-cut", "never will be stored", flaw{lazy: onlyHas[store.CreateProblem]}},
		{"does not sync the log alone", "COM-003/each-kind/power-cut", "never will be stored", flaw{lazy: func(_ int, c store.Change) bool { return len(c.Effects) == 0 }}},
		{"does not sync every sixteenth Change", "COM-003/each-kind/power-cut", "never will be stored", flaw{lazy: func(n int, _ store.Change) bool { return n%16 == 0 }}},
		{"writes what it then refuses", "COM-003/killed", "RESURRECTED", flaw{writesFirst: true}},
		{"adds comments twice", "COM-003/killed", "DUPLICATE", flaw{replay: func(r *record) {
			for i, change := range r.Changes {
				for _, effect := range change.Effects {
					if _, comment := effect.(store.AddComment); comment {
						change.Effects = append(change.Effects, effect)
					}
				}
				r.Changes[i] = change
			}
		}}},
		{"finds a comment that nobody made", "COM-003/killed", "PHANTOM", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			for id := range m.Now.AllProblems {
				m.Now.AllComments = append(m.Now.AllComments, store.AddComment{Problem: id, Comment: problem.Comment{ID: ident.ID{1}, Text: "nobody's"}})
				break
			}
		}}},
		{"loses the oldest problem when there are others", "COM-003/killed", "1 Changes from before the child, 1 are LOST", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			if len(m.Now.AllProblems) > 1 {
				delete(m.Now.AllProblems, 1)
			}
		}}},
		{"loses the log of Changes", "COM-001/killed", "TORN", flaw{replay: func(r *record) {
			for i := range r.Changes {
				r.Changes[i].Log = nil
			}
		}}},
		{"loses keywords", "COM-001/killed", "Keywords", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			clear(m.Now.Keywords)
		}}},
		{"loses the last entry of the feed", "FEED-004/killed", "Feed", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			if n := len(m.Now.Events); n > 0 {
				m.Now.Events = m.Now.Events[:n-1]
			}
		}}},
		{"reverses the feed", "FEED-004/killed", "read before the crash", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			slices.Reverse(m.Now.Events)
			for i := range m.Now.Events {
				m.Now.Events[i].Number = int64(i + 1)
			}
		}}},
		{"forgets batches", "COM-005/killed", "repeated Commit", flaw{afterReplay: func(m *model.Model) { clear(m.Batches) }}},
		{"forgets batches, so that Outcome rules them out", "OUT-001/killed", "never will be stored", flaw{afterReplay: func(m *model.Model) { clear(m.Batches) }}},
		{"keeps rulings in memory", "COM-006/killed", "ruled out", flaw{noRulings: true}},
		{"keeps rulings in memory, also those after a crash", "OUT-002/killed", "ruled out", flaw{noRulings: true}},
		{"does not sync rulings", "COM-006/power-cut", "ruled out", flaw{lazyRulings: true}},
		{"reserves numbers from memory", "ID-002/killed", "", flaw{afterReplay: func(m *model.Model) { m.Reserved = 0 }}},
		{"counts positions from 0", "COM-011/killed", "position", flaw{afterReplay: func(m *model.Model) {
			m.Now = m.Now.Clone()
			m.Now.Position = 0
		}}},
		{"confirms what it has shown and not synced", "CONF-002/power-cut", "TAKEN BACK", flaw{confirms: true}},
		{"confirms what it has shown and not written", "CONF-002/killed", "TAKEN BACK", flaw{confirms: true, dawdles: true}},
		{"shows entries of the feed that it has not synced", "FEED-004/shown/power-cut", "TAKEN BACK", flaw{feedsEarly: true}},
		{"shows entries of the feed that it has not written", "FEED-004/shown/killed", "TAKEN BACK", flaw{feedsEarly: true, dawdles: true}},
		{"knows the outcome of what it has not synced", "CONF-002/outcome/power-cut", "TAKEN BACK", flaw{knows: true}},
		{"knows the outcome of what it has not written", "CONF-002/outcome/killed", "TAKEN BACK", flaw{knows: true, dawdles: true}},
		{"restores problem by problem", "RES-001/killed", "Dossiers", flaw{piecemeal: true}},
		{"does not sync what it restored", "RES-004/power-cut", "has 0 elements", flaw{lazyRestore: true}},
	}
}

// onlyHas reports whether a Change has effects of one type alone.
func onlyHas[E store.Effect](_ int, change store.Change) bool {
	return !slices.ContainsFunc(change.Effects, func(e store.Effect) bool { return !is[E](e) }) && len(change.Log) == 0
}

// journals returns a harness of journals with a flaw, of which the children are
// those of the test.
func journals(t *testing.T, f flaw) harness.Harness {
	var taken sync.Map // the directories of journals that are open
	open := func(t harness.T, env harness.Env) store.Store {
		if _, open := taken.LoadOrStore(env.Dir, true); open {
			t.Fatalf("the journal in %s is open", env.Dir)
		}
		j, err := openJournal(filepath.Join(env.Dir, "journal"), f)
		if err != nil {
			t.Fatalf("the journal cannot be opened: %v", err)
		}
		j.closed = func() { taken.Delete(env.Dir) }
		return j
	}
	return harness.Harness{
		Name: "journal", Open: open, Reopen: open, Crash: crash.CutPower,
		Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No},
	}
}

// meet runs a case on its own, and returns how it ended. In a child process it
// does not return.
func meet(t *testing.T, c bench.Case, h harness.Harness) report.Case {
	t.Helper()
	return meetIn(t, t.Name(), c, h)
}

// meetIn is meet with another name of the test that calls Run.
func meetIn(t *testing.T, test string, c bench.Case, h harness.Harness) report.Case {
	t.Helper()
	crash.ActAsChild(h, test)
	s, err := newSession(h, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.test = test
	j := engine.Job{
		Case:  report.Case{ID: c.ID, Rule: c.Rule, Source: c.Source()},
		Limit: bench.Patience,
		Do:    func(r *engine.Run) { s.Check(c, r, s.Seed) },
	}
	return engine.Execute(t.Context(), []engine.Job{j}, 1)[0]
}

// TestJournal shows that a durable store passes the cases about durability, and that its level
// is found.
func TestJournal(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	h := journals(t, flaw{})
	crash.ActAsChild(h, t.Name())
	var durable []string
	for _, c := range Cases() {
		if c.Durable || c.Crash || c.PowerCut {
			durable = append(durable, regexp.QuoteMeta(c.ID))
		}
	}
	only := regexp.MustCompile("^(" + strings.Join(durable, "|") + ")$")
	s, err := newSession(h, Options{Only: only})
	if err != nil {
		t.Fatal(err)
	}
	s.test = t.Name()
	r := s.report(engine.Execute(t.Context(), s.jobs(), s.Parallel))
	for _, c := range r.Cases {
		if only.MatchString(c.ID) && c.Status != report.Passed && !c.Waived {
			t.Errorf("%s: %s %s %s", c.ID, c.Status, c.Reason, c.Failure)
		}
	}
	if r.Durability.Level != "L2" {
		t.Errorf("the level of durability is %q (%s) where L2 was expected", r.Durability.Level, r.Durability.Reason)
	}
}

// TestCrashSaboteurs lets every flaw meet the case that has to notice.
func TestCrashSaboteurs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	cases := make(map[string]bench.Case)
	for _, c := range crash.Cases() {
		cases[c.ID] = c
	}
	for _, s := range crashSaboteurs() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c, ok := cases[s.caught]
			if !ok {
				t.Fatalf("there is no case %s", s.caught)
			}
			// What shows only at some moments may take more than one crash.
			var ended report.Case
			for try := 1; ended.Status != report.Failed; try++ {
				if try > 10 {
					t.Fatalf("the case %s did not notice in 10 tries: %s %s", s.caught, ended.Status, ended.Reason)
				}
				ended = meet(t, c, journals(t, s.flaw))
			}
			if !strings.Contains(ended.Failure, s.says) {
				t.Errorf("the complaint %q does not say %q", ended.Failure, s.says)
			}
			t.Log(ended.Failure)
		})
	}
}
