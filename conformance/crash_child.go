package conformance

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

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// childVariable is the environment variable that makes a process the child of a
// crash: it holds the CrashSpec as JSON.
const childVariable = "PROBLEMS_CONFORMANCE_CHILD"

// actAsChild makes this process the child of a crash, if it was started as one: it
// commits until it is killed, and the function does not return. It returns true if
// the process is to be the child of another harness, and has nothing to do for
// this one.
func actAsChild(h Harness, test string) (ofAnother bool) {
	text, started := os.LookupEnv(childVariable)
	if !started {
		return false
	}
	c := &child{h: h, ctx: context.Background()}
	if err := json.Unmarshal([]byte(text), &c.CrashSpec); err != nil {
		c.Fatalf("the environment variable %s is not what it should be: %v", childVariable, err)
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

// claims are the names of the harnesses of each test under way. Two calls of Run in
// one test have nothing in common but the test, which keeps nothing for them: the
// environment variables of one that has parallel subtests cannot be set.
var claims sync.Map // claim -> true

// claim is a harness of a test.
type claim struct{ test, name string }

// claimName takes a name for a harness of the test, by which a child finds it. It
// fails if another harness of the test has it; another run of the test may take it
// again.
func claimName(t *testing.T, name string) error {
	c := claim{t.Name(), name}
	if _, taken := claims.LoadOrStore(c, true); taken {
		return fmt.Errorf("two harnesses of this test are called %s: name them apart", name)
	}
	t.Cleanup(func() { claims.Delete(c) })
	return nil
}

// child is the child process. It is the T of its harness, too.
type child struct {
	CrashSpec
	h     Harness
	ctx   context.Context
	store store.Store

	mu sync.Mutex // held while a Statement is written
}

var _ T = (*child)(nil)

// say says a Statement. It is one write, so that it is said whole or not at all.
func (c *child) say(s Statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := os.Stdout.Write(s.line()); err != nil {
		os.Exit(1) // nobody listens
	}
}

// work does what the spec says, and then rests.
func (c *child) work() {
	c.say(Statement{Word: Tried, Deed: Opening, Process: os.Getpid()})
	env := seededEnv(c.Env.Dir, c.Seed)
	c.store = c.h.Reopen(c, env)
	if c.Restore > 0 && !c.restore(env) {
		c.say(Statement{Deed: Resting})
		return
	}
	var all, watching sync.WaitGroup
	var writers []*deeds
	for writer := range c.Writers {
		d := newDeeds(c.Seed, writer, c.Problem)
		writers = append(writers, d)
		all.Go(func() { c.write(d) })
	}
	written := make(chan struct{})
	for range c.Watchers {
		watching.Go(func() { c.watch(writers, written) })
	}
	all.Wait()
	close(written)
	watching.Wait()
	c.say(Statement{Deed: Resting})
}

// restore restores the Archive of the spec.
func (c *child) restore(env Env) bool {
	h := archived(env, c.Restore)
	c.say(Statement{Word: Tried, Deed: Restoring})
	err := c.store.Restore(c.ctx, h.interrupted(func(yielded int) error {
		if yielded == c.Restore/2 {
			c.say(Statement{Word: Halfway, Deed: Restoring})
			if c.Midway {
				c.say(Statement{Deed: Resting})
				select {} // so that it is killed while this Restore is under way
			}
		}
		return nil
	}))
	c.ended(Statement{Deed: Restoring}, err)
	return err == nil
}

// How many Changes of a writer there are for each batch that he has ruled out, and
// for each one that has to be refused.
const (
	ruleEvery = 3
	doomEvery = 5
)

// write commits until there is an error.
func (c *child) write(d *deeds) {
	for n := 1; ; n++ {
		if n%ruleEvery == 0 && !c.rule(d) || !c.commit(d, n%doomEvery == 0) {
			return
		}
	}
}

// commit commits the writer's next Change, and reports whether he goes on.
func (c *child) commit(d *deeds, doomed bool) bool {
	var numbers [2]problem.ID
	for i := range numbers {
		id, err := c.store.Reserve(c.ctx)
		if err != nil {
			c.ended(Statement{Deed: Reserving}, err)
			return false
		}
		numbers[i] = id
	}
	tried := d.next(numbers, doomed)
	c.say(tried)
	if !doomed {
		d.publish(tried)
	}
	receipt, err := c.store.Commit(c.ctx, changeOf(tried, d.common))
	tried.Position = receipt.Position
	c.ended(tried, err)
	return err == nil || doomed && fault.Is(err, fault.Conflict)
}

// rule has a batch ruled out.
func (c *child) rule(d *deeds) bool {
	one := Statement{Word: Tried, Deed: Ruling, Batch: d.batch()}
	c.say(one)
	_, stored, err := c.store.Outcome(c.ctx, one.Batch, beginning)
	if err == nil && stored {
		err = errors.New("Outcome says of a batch that nobody committed that it is stored")
	}
	c.ended(one, err)
	return err == nil
}

// ended says how a deed ended.
func (c *child) ended(one Statement, err error) {
	one.Word = Acknowledged
	if err != nil {
		one.Word, one.Why = Refused, err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			one.Kind = string(f.Kind)
		}
		if fault.Is(err, fault.UnknownOutcome) {
			one.Word = Unknown
		}
	}
	c.say(one)
}

// Helper does nothing.
func (c *child) Helper() {}

// Name returns the name of the test.
func (c *child) Name() string { return c.Test }

// Context returns a context that does not end before the child.
func (c *child) Context() context.Context { return c.ctx }

// TempDir returns a new directory, which the parent removes.
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

// seededEnv returns an environment whose clock and identifiers depend on a seed,
// so that parent and child have the same.
func seededEnv(dir string, seed uint64) Env {
	random := rand.New(rand.NewPCG(seed, 0))
	return newEnv(dir, beginning, newSequence(random))
}
