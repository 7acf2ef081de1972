package conformance

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// plain is the harness of stores that can do nothing but the rules.
func plain() harness.Harness {
	return harness.Harness{
		Name: "plain",
		Open: func(harness.T, harness.Env) store.Store { return model.NewModel() },
		Caps: harness.Capabilities{Durable: harness.No, Shared: harness.No},
	}
}

func execute(t *testing.T, h harness.Harness, o Options) *report.Report {
	t.Helper()
	r, err := Execute(t.Context(), h, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExecute(t *testing.T) {
	t.Parallel()
	r := execute(t, plain(), Options{Seed: 7})
	if r.Result != report.Conformant || r.ExitCode() != 0 {
		t.Errorf("the model is found to be %s: %s", r.Result, r.Reason)
	}
	if core := r.Count(report.Core); core.Passed < 100 || core.Passed != core.Total()-core.Waived {
		t.Errorf("of the core cases %+v passed", core)
	}
	if extended := r.Count(report.Extended); extended.Passed != 0 || extended.Waived != extended.Total() {
		t.Errorf("a store that can do nothing more has the extended cases %+v", extended)
	}
	if r.Seed != "7" || r.Durability.Level != "" || r.Capabilities["durable"] != "no" || r.Capabilities["replicated"] != "no" {
		t.Errorf("the report has the seed %s, the durability %+v, the capabilities %v", r.Seed, r.Durability, r.Capabilities)
	}
}

func TestExecuteSome(t *testing.T) {
	t.Parallel()
	r := execute(t, plain(), Options{Only: regexp.MustCompile("^COM-001$|^COM-005")})
	if r.Result != report.Incomplete {
		t.Errorf("a part of the cases is %s: %s", r.Result, r.Reason)
	}
	r = execute(t, plain(), Options{Only: regexp.MustCompile("^NONE$")})
	if r.Result != report.NotConformant || r.ExitCode() != 1 {
		t.Errorf("no case at all is %s: %s", r.Result, r.Reason)
	}
}

// A harness that lets the suite down says nothing about the store.
func TestExecuteWithoutStores(t *testing.T) {
	t.Parallel()
	h := plain()
	h.Open = func(t harness.T, _ harness.Env) store.Store {
		t.Fatalf("the disk is full")
		return nil
	}
	r := execute(t, h, Options{})
	if r.Result != report.Incomplete || r.ExitCode() != 2 {
		t.Errorf("a harness without stores is %s: %s", r.Result, r.Reason)
	}
	if c := r.Cases[0]; c.Status != report.Broken || !strings.Contains(c.Failure, "the disk is full") {
		t.Errorf("the first case ended %s: %s", c.Status, c.Failure)
	}
}

func TestExecuteIsEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	h := plain()
	var opened atomic.Int64
	h.Open = func(harness.T, harness.Env) store.Store {
		if opened.Add(1) == 50 {
			cancel()
		}
		return model.NewModel()
	}
	r, err := Execute(ctx, h, Options{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Result == report.Conformant || r.Count(report.Core).NotRun == 0 {
		t.Errorf("a run that was ended is %s: %s", r.Result, r.Reason)
	}
}

// A case with the same seed does the same; with another, something else.
func TestSeedsRepeat(t *testing.T) {
	t.Parallel()
	h := sharing(func(m *model.Model) store.Store {
		b := &broken{Model: m}
		alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(change.Effects, func(e store.Effect) bool {
				_, watch := e.(store.Watch)
				return watch
			})
		})(b)
		return b
	})
	i := slices.IndexFunc(Cases(), func(c bench.Case) bool { return c.ID == "READ-001/random" })
	c := Cases()[i]
	first, again, other := attempt(t, c, h, 5), attempt(t, c, h, 5), attempt(t, c, h, 6)
	if first.Failure == "" || first.Failure != again.Failure {
		t.Errorf("the same seed gives first\n%s\nand then\n%s", first.Failure, again.Failure)
	}
	if first.Failure == other.Failure {
		t.Errorf("another seed gives the same:\n%s", other.Failure)
	}
}

// Seeded cases have as many rounds as they are asked for, and the failure of one
// names its seed.
func TestRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	only := regexp.MustCompile("^RES-002/moved$") // which opens two stores
	h := plain()
	var opened atomic.Int64
	h.Open = func(t harness.T, _ harness.Env) store.Store {
		if opened.Add(1) == 59 {
			return &broken{Model: model.NewModel(), commit: func(context.Context, store.Change) (store.Receipt, error) {
				return store.Receipt{}, nil
			}}
		}
		return model.NewModel()
	}
	if r := execute(t, h, Options{Seed: 100, Rounds: 20, Only: only}); r.Count(report.Core).Passed != 1 || opened.Load() != 40 {
		t.Errorf("20 rounds opened %d stores: %s", opened.Load(), r.Reason)
	}
	r := execute(t, h, Options{Seed: 100, Rounds: 20, Only: only})
	i := slices.IndexFunc(r.Cases, func(c report.Case) bool { return c.Status == report.Failed })
	if i < 0 || !strings.Contains(r.Cases[i].Failure, "with the seed 109") {
		t.Errorf("the tenth round failed, but the report says %s", r.Text())
	}
	// A machine that is busy may need longer for a second round.
	for long, rounds := 10*time.Millisecond, int64(0); rounds < 2; long *= 2 {
		opened.Store(100)
		began := time.Now()
		execute(t, h, Options{Long: long, Only: only})
		rounds = (opened.Load() - 100) / 2
		if took := time.Since(began); took < long || long > bench.Patience {
			t.Fatalf("a run that was to go on for %v had %d rounds in %v", long, rounds, took)
		}
	}
}

func TestExecuteNeedsAName(t *testing.T) {
	t.Parallel()
	h := plain()
	h.Name = ""
	if _, err := Execute(t.Context(), h, Options{}); err == nil || !strings.Contains(err.Error(), "no Name") {
		t.Errorf("a harness without a name is refused with %v", err)
	}
}
