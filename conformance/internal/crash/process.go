package crash

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
)

// Child is a process for commits to a store. Harnesses with a Crash of their own start
// one with StartChild.
type Child struct {
	t      harness.T
	spec   harness.CrashSpec
	cmd    *exec.Cmd
	stdin  io.Closer // the child ends when it is closed
	said   io.ReadCloser
	quiet  chan struct{} // closed when nothing more will be said
	done   chan struct{} // closed when the spec is reached, and at the latest with rested
	rested chan struct{} // closed when nothing more will be done
	log    bytes.Buffer  // the standard error, to be read when the child is gone
	kill   sync.Once

	mu     sync.Mutex
	ledger harness.Ledger
}

// StartChild starts a process. It opens the store of the spec with Harness.Reopen and
// commits to it, until it is killed, or until each of its writers has met an error. It is
// killed at the latest at the end of the case.
func StartChild(t harness.T, spec harness.CrashSpec) *Child {
	t.Helper()
	c, err := start(t, spec)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

func startProcess(t harness.T, spec harness.CrashSpec, cmd *exec.Cmd) (*Child, error) {
	c := &Child{t: t, spec: spec, cmd: cmd, quiet: make(chan struct{}), done: make(chan struct{}), rested: make(chan struct{})}
	said, saying, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = saying.Close() }()
	c.said, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = said, saying, &c.log, grace
	stdin, err := cmd.StdinPipe()
	if err == nil {
		c.stdin = stdin
		err = cmd.Start()
	}
	if err != nil {
		_ = said.Close()
		return nil, fmt.Errorf("the child process cannot be started: %w", err)
	}
	go c.listen()
	t.Cleanup(func() { c.Kill() })
	return c, nil
}

// grace is the longest wait for something left behind by a killed process.
const grace = 5 * time.Second

// listen reads the child's output to its end.
func (c *Child) listen() {
	defer close(c.quiet)
	done, rested := sync.OnceFunc(func() { close(c.done) }), sync.OnceFunc(func() { close(c.rested) })
	defer done()
	defer rested()
	lines := bufio.NewReader(c.said)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // half a line was not said
		}
		one, ok := harness.ParseStatement(line)
		if !ok {
			continue
		}
		c.mu.Lock()
		c.ledger = append(c.ledger, one)
		reached := Enough(c.spec, c.ledger)
		c.mu.Unlock()
		if one.Action == harness.Resting {
			rested()
			done()
		}
		if reached {
			done()
		}
	}
}

// Ledger returns the child's Statements so far.
func (c *Child) Ledger() harness.Ledger {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger[:len(c.ledger):len(c.ledger)]
}

// Reached waits until the child has done the task of the spec, and is to be ended. It
// returns why the child has not come so far, or "". A child without a Statement about
// opening the store is no child of this harness: this is fatal.
func (c *Child) Reached() (early string) {
	c.t.Helper()
	timely := true
	select {
	case <-c.done:
	case <-c.t.Context().Done():
		timely = false
	}
	said := c.Ledger()
	switch {
	case Enough(c.spec, said):
		return ""
	case len(said) == 0:
		c.Kill()
		c.t.Fatalf("the child process never came to open the store, for which the test %q has to call Run with the harness %q: %v: %s",
			c.spec.Test, c.spec.Harness, c.cmd.ProcessState, bytes.TrimSpace(c.log.Bytes()))
	case !timely:
		return "it did not come so far in the time of the case"
	}
	for _, one := range said {
		if one.Why != "" {
			return fmt.Sprintf("its %s failed: %s", one.Action, one.Why)
		}
	}
	c.Kill()
	return fmt.Sprintf("it ended by itself: %v: %s", c.cmd.ProcessState, bytes.TrimSpace(c.log.Bytes()))
}

// Rested returns a channel. It is closed when the child does nothing any more: each of
// its writers has met an error, or the child is gone. After ending the child's server, a
// harness waits for it before Kill. So the child can report the answers to its Changes
// under way.
func (c *Child) Rested() <-chan struct{} { return c.rested }

// Kill kills the child, unless it is dead, and returns its Statements.
func (c *Child) Kill() harness.Ledger {
	c.kill.Do(c.end)
	return c.Ledger()
}

func (c *Child) end() {
	// The child by its own number: if another command started it, the latter is to see it
	// end.
	victim := c.cmd.Process
	if said := c.Ledger(); len(said) > 0 && said[0].Process != 0 {
		if child, err := os.FindProcess(said[0].Process); err == nil {
			victim = child
		}
	}
	_ = victim.Kill() // it may be dead
	_ = c.stdin.Close()
	_ = c.cmd.Wait() // reports the kill
	select {
	case <-c.quiet:
	case <-time.After(grace): // another process has the child's open files
	}
	_ = c.said.Close()
	<-c.quiet
}
