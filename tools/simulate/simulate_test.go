package simulate

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	seedsFlag   = flag.String("simulate.seeds", "300", `how many seeds TestSimulate runs, or which: "1000", "77..77", "5000..9999"`)
	surviveFlag = flag.Bool("simulate.survive", true, "servers live on after a fail-over that has lost what they have shown")
	recallFlag  = flag.Bool("simulate.recall", true, "clients go by what they have read before such a fail-over")
	sameFlag    = flag.Uint("simulate.same", 50, "how many seeds are run twice")
	traceFlag   = flag.Bool("simulate.trace", false, "show the run of the first seed, whatever comes of it")
)

// run runs a plan in a bubble of its own.
func run(t *testing.T, plan Plan, options Options) (report Report) {
	t.Helper()
	synctest.Test(t, func(*testing.T) { report = Run(plan, options) })
	return report
}

// seedsOf reads a number of seeds, or the first and the last.
func seedsOf(text string) (first, last uint64, err error) {
	if from, to, ok := strings.Cut(text, ".."); ok {
		if first, err = strconv.ParseUint(from, 10, 64); err != nil {
			return 0, 0, err
		}
		last, err = strconv.ParseUint(to, 10, 64)
		return first, last, err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return 1, n, err
}

// search runs seeds on all cores until one is found that breaks a rule, and returns the
// lowest of those that it has tried.
func search(t *testing.T, first, last uint64, options Options, wanted func(Violation) bool) (found uint64, broken Violation, ran int64) {
	t.Helper()
	var next, count atomic.Uint64
	next.Store(first)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				seed := next.Add(1) - 1
				mu.Lock()
				over := seed > last || found != 0 && seed > found
				mu.Unlock()
				if over {
					return
				}
				count.Add(1)
				for _, v := range run(t, Draw(seed), options).Broken {
					if wanted(v) {
						mu.Lock()
						if found == 0 || seed < found {
							found, broken = seed, v
						}
						mu.Unlock()
						break
					}
				}
			}
		})
	}
	all.Wait()
	return found, broken, int64(count.Load())
}

// explain says what breaks a rule: the seed, the plan made short, and its run.
func explain(t *testing.T, seed uint64, broken Violation, options Options) string {
	t.Helper()
	plan := Draw(seed)
	short := Shrink(plan, broken.Rule, func(p Plan) []Violation { return run(t, p, options).Broken })
	options.Trace = true
	report := run(t, short, options)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d breaks a rule.\n%v\n\n", seed, broken)
	fmt.Fprintf(&b, "It takes %d of %d operations and %d of %d events:\n%v\n", len(short.Ops), len(plan.Ops), len(short.Events), len(plan.Events), short)
	fmt.Fprintf(&b, "What happens then:\n%s\n", report.Trace)
	for _, v := range report.Broken {
		fmt.Fprintf(&b, "broken after %v: %v\n", v.At, v)
	}
	fmt.Fprintf(&b, "\nto repeat it: make simulate SEEDS=%d..%d", seed, seed)
	if options.Survive || options.Recall {
		fmt.Fprintf(&b, " SIMULATE='-simulate.survive=%t -simulate.recall=%t'", options.Survive, options.Recall)
	}
	return b.String()
}

// Whatever fails, no rule is broken.
func TestSimulate(t *testing.T) {
	t.Parallel()
	first, last, err := seedsOf(*seedsFlag)
	if err != nil || first > last || first == 0 {
		t.Fatalf("-simulate.seeds=%s: want a number of seeds, or the first and the last, as 1..1000", *seedsFlag)
	}
	options := Options{Survive: *surviveFlag, Recall: *recallFlag}
	if *traceFlag {
		plan := Draw(first)
		traced := options
		traced.Trace = true
		t.Logf("seed %d:\n%v\n%s", first, plan, run(t, plan, traced).Trace)
	}
	start := time.Now()
	found, broken, ran := search(t, first, last, options, func(Violation) bool { return true })
	rate := float64(ran) / time.Since(start).Seconds()
	t.Logf("%d seeds, from %d on, with %.0f a second", ran, first, rate)
	if found != 0 {
		t.Fatal(explain(t, found, broken, options))
	}
}

// The same seed gives the same run, to the nanosecond.
func TestSameSeedSameRun(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*sameFlag) {
		one, two := run(t, Draw(seed), Options{Trace: true}), run(t, Draw(seed), Options{Trace: true})
		if one.Trace != two.Trace {
			t.Errorf("seed %d gives two runs: %s", seed, difference(one.Trace, two.Trace))
		}
	}
}

// difference returns the first lines that differ.
func difference(a, b string) string {
	one, two := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(one), len(two)) {
		if one[i] != two[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i+1, one[i], two[i])
		}
	}
	return fmt.Sprintf("%d lines and %d lines", len(one), len(two))
}
