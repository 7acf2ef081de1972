package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// ChildVariable is the environment variable for the child of a crash: it holds the
// CrashSpec as JSON.
const ChildVariable = "PROBLEMS_CONFORMANCE_CHILD"

// ActAsChild turns this process into the child of a crash, if it was started as one. The
// child commits until it is killed, and the function does not return. It returns true in
// the child of another harness.
func ActAsChild(h harness.Harness, test string) (ofAnother bool) {
	text, started := os.LookupEnv(ChildVariable)
	if !started {
		return false
	}
	c := &child{h: h, ctx: context.Background()}
	if err := json.Unmarshal([]byte(text), &c.CrashSpec); err != nil {
		c.Fatalf("the environment variable %s has to be a CrashSpec as JSON: %v", ChildVariable, err)
	}
	if c.Harness != h.Name || c.Test != test {
		return true
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(1)
	}()
	c.work()
	select {} // until it is killed
}

// Claims are the names of the harnesses of each test under way. Two calls of Run in one
// test share nothing but the test, and it has no storage for them: a test with parallel
// subtests cannot set environment variables.
var Claims sync.Map // claim -> true

// Claim is a harness of a test.
type Claim struct{ Test, Name string }

// ClaimName takes a name for a harness of the test; a child finds the harness by it. It
// fails if another harness of the test has the name. Another run of the test may take it
// again.
func ClaimName(t *testing.T, name string) error {
	c := Claim{t.Name(), name}
	if _, taken := Claims.LoadOrStore(c, true); taken {
		return fmt.Errorf("two harnesses of this test are called %s: name them apart", name)
	}
	t.Cleanup(func() { Claims.Delete(c) })
	return nil
}

// child is the child process. It is the T of its harness, too.
type child struct {
	harness.CrashSpec
	h     harness.Harness
	ctx   context.Context
	store store.Store

	mu sync.Mutex // held while a Statement is written
}

var _ harness.T = (*child)(nil)

// say writes a Statement. It is one write, so it appears whole or not at all.
func (c *child) say(s harness.Statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := os.Stdout.Write(s.Line()); err != nil {
		os.Exit(1) // nobody listens
	}
}

// work does the task of the spec, and then rests.
func (c *child) work() {
	c.say(harness.Statement{Phase: harness.Tried, Action: harness.Opening, Process: os.Getpid()})
	env := seededEnv(c.Env.Dir, c.Seed)
	c.store = c.h.Reopen(c, env)
	if c.Restore > 0 && !c.restore(env) {
		c.say(harness.Statement{Action: harness.Resting})
		return
	}
	var all, watching sync.WaitGroup
	var writers []*source
	for writer := range c.Writers {
		d := newSource(c.Seed, writer, c.Problem)
		writers = append(writers, d)
		all.Go(func() { c.write(d) })
	}
	written := make(chan struct{})
	for range c.Watchers {
		watching.Go(func() {
			if c.Follow {
				c.follow(written)
			} else {
				c.watch(writers, written)
			}
		})
	}
	all.Wait()
	close(written)
	watching.Wait()
	c.say(harness.Statement{Action: harness.Resting})
}

// restore restores the Archive of the spec.
func (c *child) restore(env harness.Env) bool {
	h := archived(env, c.Restore)
	c.say(harness.Statement{Phase: harness.Tried, Action: harness.Restoring})
	err := c.store.Restore(c.ctx, h.Interrupted(func(yielded int) error {
		if yielded == c.Restore/2 {
			c.say(harness.Statement{Phase: harness.Halfway, Action: harness.Restoring})
			if c.Midway {
				c.say(harness.Statement{Action: harness.Resting})
				select {} // until it is killed during this Restore
			}
		}
		return nil
	}))
	c.ended(harness.Statement{Action: harness.Restoring}, err)
	return err == nil
}

// A writer rules out a batch before every third Change. Every fifth Change has to be
// refused.
const (
	ruleEvery = 3
	doomEvery = 5
)

// write commits until there is an error.
func (c *child) write(d *source) {
	if len(c.Kinds) > 0 {
		c.commitKinds(d)
		return
	}
	for n := 1; ; n++ {
		if n%ruleEvery == 0 && !c.rule(d) || !c.Commit(d, n%doomEvery == 0) {
			return
		}
	}
}

// Commit commits the writer's next Change, and reports whether the writer goes on.
func (c *child) Commit(d *source, doomed bool) bool {
	var numbers [2]problem.ID
	for i := range numbers {
		id, err := c.store.Reserve(c.ctx)
		if err != nil {
			c.ended(harness.Statement{Action: harness.Reserving}, err)
			return false
		}
		numbers[i] = id
	}
	tried := d.next(numbers, doomed)
	tried.Bulk = c.Bulk
	c.say(tried)
	if !doomed {
		d.publish(tried)
	}
	receipt, err := c.store.Commit(c.ctx, changeOf(tried, d.common))
	tried.Position = receipt.Position
	c.ended(tried, err)
	return err == nil || doomed && fault.Is(err, fault.Conflict)
}

// commitKinds commits the Changes of one kind each. The problem of the first one has a
// reserved number.
func (c *child) commitKinds(d *source) {
	number, err := c.store.Reserve(c.ctx)
	if err != nil {
		c.ended(harness.Statement{Action: harness.Reserving}, err)
		return
	}
	for n := range c.Commits {
		if !c.commitOnly(d, number, c.Kinds[n%len(c.Kinds)]) {
			return
		}
	}
}

// commitOnly commits a Change of one kind, and reports whether the writer goes on.
// Nothing else is asked of the store: another call might sync the Change.
func (c *child) commitOnly(d *source, number problem.ID, kind string) bool {
	tried := harness.Statement{Phase: harness.Tried, Action: harness.Committing, Batch: d.batch(), Only: kind, Problems: [3]problem.ID{d.common, number}}
	c.say(tried)
	receipt, err := c.store.Commit(c.ctx, changeOf(tried, d.common))
	tried.Position = receipt.Position
	c.ended(tried, err)
	return err == nil
}

// rule has a batch ruled out.
func (c *child) rule(d *source) bool {
	one := harness.Statement{Phase: harness.Tried, Action: harness.Ruling, Batch: d.batch()}
	c.say(one)
	_, stored, err := c.store.Outcome(c.ctx, one.Batch, beginning)
	if err == nil && stored {
		err = errors.New("Outcome reports an uncommitted batch as stored")
	}
	c.ended(one, err)
	return err == nil
}

// ended reports the end of an action.
func (c *child) ended(one harness.Statement, err error) {
	one.Phase = harness.Acknowledged
	if err != nil {
		one.Phase, one.Why = harness.Refused, err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			one.Kind = string(f.Kind)
		}
		if fault.Is(err, fault.UnknownOutcome) {
			one.Phase = harness.Unknown
		}
	}
	c.say(one)
}

// Helper does nothing.
func (c *child) Helper() {}

// Name returns the name of the test.
func (c *child) Name() string { return c.Test }

// Context returns a context with no end before the child's.
func (c *child) Context() context.Context { return c.ctx }

// TempDir returns a new directory. The parent removes it.
func (c *child) TempDir() string {
	dir, err := os.MkdirTemp("", "child-")
	if err != nil {
		c.Fatalf("%v", err)
	}
	return dir
}

// Cleanup does nothing: the child is killed before it could clean up.
func (c *child) Cleanup(func()) {}

// Logf writes to the standard error.
func (c *child) Logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// Errorf ends the child.
func (c *child) Errorf(format string, args ...any) { c.Fatalf(format, args...) }

// Fatalf ends the child.
func (c *child) Fatalf(format string, args ...any) {
	c.Logf(format, args...)
	os.Exit(1)
}

// seededEnv returns an environment with clock and identifiers from a seed, so parent and
// child have the same.
func seededEnv(dir string, seed uint64) harness.Env {
	random := rand.New(rand.NewPCG(seed, 0))
	return harness.NewEnv(dir, beginning, newSequence(random))
}
