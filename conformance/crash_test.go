package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/crash"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func TestStatement(t *testing.T) {
	t.Parallel()
	said := harness.Statement{
		Phase: harness.Refused, Action: harness.Committing, Batch: ident.ID{1, 15: 2}, Problems: [3]problem.ID{3, 4, 5}, Doomed: true,
		Position: 6, Why: "a \"reason\"\non two lines", Kind: "conflict", Process: 7,
	}
	line := string(said.Line())
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		t.Errorf("the line %q is not one line", line)
	}
	heard, ok := harness.ParseStatement(line)
	if !ok || heard != said {
		t.Errorf("what was heard is %+v (%v) where %+v was said", heard, ok, said)
	}
	for _, other := range []string{"", "PASS\n", "conformance: ", "conformance: {", "=== RUN " + line} {
		if heard, ok := harness.ParseStatement(other); ok {
			t.Errorf("the line %q was taken for the Statement %+v", other, heard)
		}
	}
}

func TestSpecReached(t *testing.T) {
	t.Parallel()
	commit, rule, restore := harness.Statement{Action: harness.Committing, Phase: harness.Acknowledged}, harness.Statement{Action: harness.Ruling, Phase: harness.Acknowledged}, harness.Statement{Action: harness.Restoring, Phase: harness.Acknowledged}
	half, tried, refused := harness.Statement{Action: harness.Restoring, Phase: harness.Halfway}, harness.Statement{Action: harness.Committing, Phase: harness.Tried}, harness.Statement{Action: harness.Committing, Phase: harness.Refused}
	early := harness.Statement{Action: harness.Confirming, Phase: harness.Acknowledged, Batch: tried.Batch}
	commit.Batch = tried.Batch
	sight := harness.Statement{Action: harness.Settling, Phase: harness.Acknowledged, Batch: ident.ID{2}}
	for _, test := range []struct {
		name    string
		spec    harness.CrashSpec
		before  harness.Ledger // not yet
		reached harness.Statement
	}{
		{"commits", harness.CrashSpec{Commits: 2}, harness.Ledger{tried, commit, refused, tried}, commit},
		{"rulings", harness.CrashSpec{Rulings: 1}, harness.Ledger{commit, commit}, rule},
		{"both", harness.CrashSpec{Commits: 1, Rulings: 1}, harness.Ledger{rule, rule}, commit},
		{"a Restore", harness.CrashSpec{Restore: 4}, harness.Ledger{half}, restore},
		{"a Restore and commits", harness.CrashSpec{Restore: 4, Commits: 1}, harness.Ledger{half, restore}, commit},
		{"sights", harness.CrashSpec{Commits: 1, Sights: 2}, harness.Ledger{sight, tried, commit}, sight},
		{"one sight of what is not acknowledged", harness.CrashSpec{Commits: 1, Sights: 9}, harness.Ledger{tried, early, commit, sight, tried}, early},
		{"an entry of the feed", harness.CrashSpec{Commits: 1, Sights: 1, Follow: true}, harness.Ledger{tried, commit}, harness.Statement{Action: harness.Following, Phase: harness.Acknowledged, Number: 1}},
		{"half a Restore", harness.CrashSpec{Restore: 4, Midway: true}, harness.Ledger{tried}, half},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if crash.Enough(test.spec, test.before) {
				t.Errorf("it is reached after %v", test.before)
			}
			if all := append(test.before, test.reached); !crash.Enough(test.spec, all) {
				t.Errorf("it is not reached after %v", all)
			}
		})
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	if got, want := crash.Pattern("TestAll/a.b#01"), `^TestAll$/^a\.b#01$`; got != want {
		t.Errorf("pattern: %s, want %s", got, want)
	}
}

// waived stands for a case that is not run, and no gap.
const waived report.Status = "waived"

// says is a Crash that says how it went, and does nothing.
func says(run harness.CrashRun) func(harness.T, harness.CrashSpec) harness.CrashRun {
	return func(harness.T, harness.CrashSpec) harness.CrashRun { return run }
}

// gone is a Crash that takes the directory of the store away first.
func gone(t harness.T, spec harness.CrashSpec) harness.CrashRun {
	if err := os.RemoveAll(spec.Env.Dir); err != nil {
		t.Fatalf("%v", err)
	}
	return crash.CutPower(t, spec)
}

// TestCrashThatDoesNothing shows that no store passes for which nothing was done,
// whether or not it forgets what it has.
func TestCrashThatDoesNothing(t *testing.T) {
	t.Parallel()
	open := func(harness.T, harness.Env) store.Store { return model.NewModel() }
	forgets := harness.Harness{Name: "forgets", Open: open, Reopen: open, Crash: says(harness.CrashRun{}), Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}
	for _, h := range []harness.Harness{forgets, keeping()} {
		for _, c := range crash.Cases() {
			t.Run(h.Name+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				if ended := meet(t, c, h); ended.Status != report.Broken {
					t.Errorf("the case ended as %s: %s%s; want %s", ended.Status, ended.Reason, ended.Failure, report.Broken)
				}
			})
		}
	}
}

// TestChildOfAnother shows how a case ends whose child meets nobody who makes it
// one: in the child, the harness has another name.
func TestChildOfAnother(t *testing.T) {
	t.Parallel()
	h := journals(t, flaw{})
	if _, isChild := os.LookupEnv(crash.ChildVariable); isChild {
		h.Name = "somebody else"
		if !crash.ActAsChild(h, t.Name()) {
			t.Error("the child of one harness took itself for that of another")
		}
		return
	}
	for _, c := range crash.Cases()[:2] {
		if ended := meet(t, c, h); ended.Status != report.Broken || !strings.Contains(ended.Failure, `has to call Run with the harness "journal"`) {
			t.Errorf("the case %s ended as %s: %s%s", c.ID, ended.Status, ended.Reason, ended.Failure)
		}
	}
}

// TestClaimName shows that two harnesses of one test need two names, and that a
// test can be run again.
func TestClaimName(t *testing.T) {
	t.Parallel()
	again := crash.Claim{Test: t.Name() + "/test", Name: "store"}
	t.Run("test", func(t *testing.T) {
		for _, name := range []string{"store", "other"} {
			if err := crash.ClaimName(t, name); err != nil {
				t.Errorf("the first harness called %s: %v", name, err)
			}
		}
		if err := crash.ClaimName(t, "store"); err == nil || !strings.Contains(err.Error(), "called store: name them apart") {
			t.Errorf("the second harness of the name was met with %v", err)
		}
		t.Run("subtest", func(t *testing.T) {
			if err := crash.ClaimName(t, "store"); err != nil {
				t.Errorf("the harness of another test: %v", err)
			}
		})
	})
	if _, taken := crash.Claims.Load(again); taken {
		t.Errorf("the test is over, and its name still taken")
	}
}

// TestCrashThatCannotBe shows how a case ends for which there is no crash.
func TestCrashThatCannotBe(t *testing.T) {
	t.Parallel()
	killed, powerCut := crash.Cases()[0], crash.Cases()[1]
	for _, test := range []struct {
		name   string
		c      bench.Case
		crash  func(harness.T, harness.CrashSpec) harness.CrashRun
		status report.Status
		says   string
	}{
		{"KillChild loses nothing", powerCut, crash.KillChild, waived, "use conformance.CutPower"},
		{"the test is not known", killed, crash.KillChild, report.Broken, "would not know which test"},
		{"the test is not known to CutPower", powerCut, crash.CutPower, report.Broken, "would not know which test"},
		{"the machine has no power", powerCut, says(harness.CrashRun{Unable: "no power to cut"}), report.NotRun, "no power to cut"},
		{"the machine kills nobody", killed, says(harness.CrashRun{Unable: "nobody is killed"}), report.NotRun, "nobody is killed"},
		{"the harness declines to lose anything", powerCut, says(harness.CrashRun{Declined: "the disk is somebody else's"}), waived, "somebody else's"},
		{"the harness declines to kill", killed, says(harness.CrashRun{Declined: "that hurts"}), report.NotRun, "that hurts"},
		{"the harness fails", killed, func(t harness.T, _ harness.CrashSpec) harness.CrashRun {
			t.Fatalf("no fuse")
			return harness.CrashRun{}
		}, report.Broken, "no fuse"},
		{"the child ends early", killed, says(harness.CrashRun{Early: "it had a cold"}), report.Failed, "it had a cold"},
		{"the child does nothing", killed, says(harness.CrashRun{}), report.Broken, "of 0 statements is not one of 40 Commits"},
		{"the child does nothing until the power fails", powerCut, says(harness.CrashRun{}), report.Broken, "of 0 statements is not one of 40 Commits"},
		{"the directory is gone", powerCut, gone, report.Broken, "cannot be read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := journals(t, flaw{})
			h.Crash = test.crash
			ended := meetIn(t, "", test.c, h)
			status := ended.Status
			if ended.Waived {
				status = waived
			}
			if status != test.status || !strings.Contains(ended.Reason+ended.Failure, test.says) {
				t.Errorf("the case ended as %s: %s%s; want %s with %q", status, ended.Reason, ended.Failure, test.status, test.says)
			}
		})
	}
}

// TestChildThatCannotOpen shows that what went wrong in a child is told.
func TestChildThatCannotOpen(t *testing.T) {
	t.Parallel()
	h := journals(t, flaw{})
	reopen := h.Reopen
	h.Reopen = func(t harness.T, env harness.Env) store.Store {
		if _, isChild := os.LookupEnv(crash.ChildVariable); isChild {
			t.Fatalf("the key of the store is not at hand")
		}
		return reopen(t, env)
	}
	ended := meet(t, crash.Cases()[0], h)
	if ended.Status != report.Failed || !strings.Contains(ended.Failure, "the key of the store is not at hand") {
		t.Errorf("the case ended as %s: %s", ended.Status, ended.Failure)
	}
}

// TestStartChild shows what a harness with a Crash of its own works with.
func TestStartChild(t *testing.T) {
	t.Parallel()
	h := journals(t, flaw{})
	var rested bool
	h.Crash = func(t harness.T, spec harness.CrashSpec) harness.CrashRun {
		child := crash.StartChild(t, spec)
		early := child.Reached()
		ledger := child.Kill()
		select {
		case <-child.Rested():
			rested = true
		default:
		}
		return harness.CrashRun{Ledger: ledger, Early: early}
	}
	if ended := meet(t, crash.Cases()[0], h); ended.Status != report.Passed || !rested {
		t.Errorf("the case ended as %s: %s; whether the child rests when it is dead: %v", ended.Status, ended.Failure, rested)
	}
}
