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

// Child is a process that commits to a store. Harnesses that have a Crash of their
// own start one with StartChild.
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

// StartChild starts a process that opens the store of the spec with Harness.Reopen
// and commits to it, until it is killed, or until each of its writers has met an
// error. It is killed at the latest when the case is over.
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

// grace is how long something is waited for that a killed process may have left
// behind.
const grace = 5 * time.Second

// listen reads what the child says until it is gone.
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
		if one.Deed == harness.Resting {
			rested()
			done()
		}
		if reached {
			done()
		}
	}
}

// Ledger returns what the child has said so far.
func (c *Child) Ledger() harness.Ledger {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger[:len(c.ledger):len(c.ledger)]
}

// Reached waits until the child has done what the spec asks for, and is to be
// ended. It returns why the child has not come so far, or "". A child that never
// said that it opens the store is no child of this harness: that is fatal.
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
			return fmt.Sprintf("its %s failed: %s", one.Deed, one.Why)
		}
	}
	c.Kill()
	return fmt.Sprintf("it ended by itself: %v: %s", c.cmd.ProcessState, bytes.TrimSpace(c.log.Bytes()))
}

// Rested returns a channel that is closed when the child does nothing any more,
// since each of its writers has met an error, or is gone. A harness that has ended
// what the child was connected to waits for it before Kill, so that the child says
// what it was told of the Changes that were under way.
func (c *Child) Rested() <-chan struct{} { return c.rested }

// Kill kills the child, unless it is dead, and returns what it has said.
func (c *Child) Kill() harness.Ledger {
	c.kill.Do(c.end)
	return c.Ledger()
}

func (c *Child) end() {
	// The child by its own number: if it was started by way of another
	// command, that one is to see it end.
	victim := c.cmd.Process
	if said := c.Ledger(); len(said) > 0 && said[0].Process != 0 {
		if child, err := os.FindProcess(said[0].Process); err == nil {
			victim = child
		}
	}
	_ = victim.Kill() // it may be dead
	_ = c.stdin.Close()
	_ = c.cmd.Wait() // says that it was killed
	select {
	case <-c.quiet:
	case <-time.After(grace): // somebody else has what the child had open
	}
	_ = c.said.Close()
	<-c.quiet
}
