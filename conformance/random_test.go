package conformance

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/internal/sequence"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// onTrial calls fn with the bench of a case of which nothing but the ID is known.
func onTrial(t *testing.T, id string, seed uint64, h harness.Harness, fn func(*bench.Bench)) engine.Outcome {
	t.Helper()
	return engine.Do(t.Context(), id, "", time.Minute, func(r *engine.Run) {
		b := bench.NewBench(r, bench.Case{ID: id}, h, "", seed)
		b.Open()
		fn(b)
	})
}

// rare is a defect that takes several effects to show: of a Change with three or
// more, of which one is PutLease, a keyword is lost.
func rare(s *broken) {
	alter(func(change *store.Change) {
		if len(change.Effects) >= 3 && slices.ContainsFunc(change.Effects, is[store.PutLease]) {
			change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), is[store.PutKeyword])
		}
	})(s)
}

// TestRareDefect lets a rare defect be found, and looks what is left of the
// sequence that showed it. Its clock stands still, so a busy machine shrinks as far as any.
func TestRareDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	synctest.Test(t, rareDefect)
}

func rareDefect(t *testing.T) {
	h := saboteur{sabotage: rare}.harness()
	effects := regexp.MustCompile(`\b(` + strings.Join(implementing(t, "effect"), "|") + `)\{`)
	const seeds = 12
	caught := 0
	for seed := range uint64(seeds) {
		o := onTrial(t, "READ-001/random", seed, h, sequence.CheckRandom)
		if o.Status == report.Passed {
			continue
		}
		caught++
		text := o.Failure()
		steps := regexp.MustCompile(`(?m)^  \d+\. .*$`).FindAllString(text, -1)
		if len(steps) == 0 || len(steps) > 3 {
			t.Errorf("seed %d: %d steps are told, want 1 to 3:\n%s", seed, len(steps), text)
			continue
		}
		last := steps[len(steps)-1]
		told := effects.FindAllString(last, -1)
		if len(told) != 3 || !slices.Contains(told, "PutLease{") || !slices.Contains(told, "PutKeyword{") ||
			strings.Contains(last, "expecting") || strings.Contains(last, "log entries") {
			t.Errorf("seed %d: the last step has more than it needs: %s", seed, last)
		}
		for _, want := range []string{"this went wrong:", "At step " + strconv.Itoa(len(steps)) + ", what is stored differs", "Keywords", "the shortest sequence that was found"} {
			if !strings.Contains(text, want) {
				t.Errorf("seed %d: the complaint does not say %q:\n%s", seed, want, text)
			}
		}
	}
	if caught < seeds/4 { // of 120 seeds, 53 find it
		t.Errorf("the defect was found with %d of %d seeds, want a quarter of them at least", caught, seeds)
	}
}

// TestDefectThatDoesNotRepeat checks what is said of a store that fails once.
func TestDefectThatDoesNotRepeat(t *testing.T) {
	t.Parallel()
	var failed atomic.Bool
	h := saboteur{sabotage: alter(func(change *store.Change) {
		if len(change.Log) > 0 && failed.CompareAndSwap(false, true) {
			change.Log = nil
		}
	})}.harness()
	o := onTrial(t, "READ-001/random", 3, h, sequence.CheckRandom)
	if text := o.Failure(); o.Status != report.Failed || !strings.Contains(text, "It failed so once, and did not when all of it was repeated 3 times.") {
		t.Errorf("the case ended as %s, and said:\n%s", o.Status, text)
	}
}

// TestPanic checks that also a panic is told with the steps that lead to it.
func TestPanic(t *testing.T) {
	t.Parallel()
	h := saboteur{sabotage: alter(func(change *store.Change) {
		if slices.ContainsFunc(change.Effects, is[store.PutLease]) {
			panic("a lease moves")
		}
	})}.harness()
	o := onTrial(t, "READ-001/random", 2, h, sequence.CheckRandom)
	text := o.Failure()
	steps := regexp.MustCompile(`(?m)^  \d+\. .*: PutLease{.*$`).FindAllString(text, -1)
	if o.Status != report.Failed || len(steps) != 1 || !strings.Contains(text, "At step 1, it panicked: a lease moves") {
		t.Errorf("the case ended as %s, and said:\n%s", o.Status, text)
	}
}

// TestHarnessThatBreaks checks what is said when there are no more stores to repeat
// it with.
func TestHarnessThatBreaks(t *testing.T) {
	t.Parallel()
	h := keeping()
	open, opened := h.Open, 0
	h.Open = func(t harness.T, env harness.Env) store.Store {
		if opened++; opened > 1 {
			t.Fatalf("no more stores")
		}
		return &broken{Model: open(t, env).(*model.Model), commit: func(context.Context, store.Change) (store.Receipt, error) {
			return store.Receipt{}, nil
		}}
	}
	o := onTrial(t, "READ-001/random", 1, h, sequence.CheckRandom)
	if text := o.Failure(); o.Status != report.Failed || !strings.Contains(text, "It could not be repeated: the harness failed: no more stores") {
		t.Errorf("the case ended as %s, and said:\n%s", o.Status, text)
	}
}

// TestStoreThatHangs checks that no more time is spent on a store that does not
// answer, and that the step it does not answer is told. Its time is virtual: a busy machine
// would use up the last moments of the case.
func TestStoreThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, storeThatHangs)
}

func storeThatHangs(t *testing.T) {
	open := func(harness.T, harness.Env) store.Store {
		return &broken{Model: model.NewModel(), commit: func(ctx context.Context, _ store.Change) (store.Receipt, error) {
			<-ctx.Done()
			return store.Receipt{}, store.Ended(ctx)
		}}
	}
	o := engine.Do(t.Context(), "COM-002/random", "", time.Second, func(r *engine.Run) {
		b := bench.NewBench(r, bench.Case{ID: "COM-002/random"}, harness.Harness{Open: open}, "", 1)
		b.Open()
		sequence.CheckRandom(b)
	})
	for _, want := range []string{"  1. Commit of batch", "At step 1, it was given up", "no time to look for a shorter sequence"} {
		if text := o.Failure(); !strings.Contains(text, want) {
			t.Errorf("the complaint does not say %q:\n%s", want, text)
		}
	}
}
