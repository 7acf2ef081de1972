package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// The roles of child processes. This program starts itself for them. The honest clients
// have a process of their own: beside thousands of attacking goroutines they would wait
// for these, not for the server. They keep the priority of the server. The attackers have
// a lower one, so they take no processor from the others.
const (
	honestRole    = "role:honest"
	attackersRole = "role:attackers"
)

// honestTask is the task of the honest clients.
type honestTask struct {
	URL      string
	Token    string
	Problems []int64
	Rate     int           // requests per second
	Asked    int           // requests before
	Duration time.Duration // while requests begin
	Patience time.Duration // of each request
}

// attackTask is the task of the attackers.
type attackTask struct {
	URL      string
	Attack   string
	Short    bool
	Duration time.Duration
	Attacker string // a token, as is Admin
	Admin    string
	StoreURL string
	Made     map[string]int64 // by preparations
	Program  launch.Program
	Guard    int64 // bytes
}

// attacked is the result of an attack.
type attacked struct {
	Answers  map[string]int
	Wrong    []string
	Notes    []string
	Nice     int    // their priority; 19 is the lowest
	Priority string // why it is not lower; empty: it is
}

// asChild does the work of a role. It reports false without one in the arguments.
func asChild(args []string, in io.Reader, out io.Writer) (is bool, err error) {
	if len(args) != 1 {
		return false, nil
	}
	switch args[0] {
	case honestRole:
		return true, work(in, out, beHonest)
	case attackersRole:
		return true, work(in, out, attackAs)
	default:
		return false, nil
	}
}

// work reads a task, does it, and writes the result. The context of the work ends with
// the input: nobody waits for the results then.
func work[T, R any](in io.Reader, out io.Writer, do func(context.Context, T) (R, error)) error {
	var task T
	tasks := json.NewDecoder(in)
	if err := tasks.Decode(&task); err != nil {
		return fmt.Errorf("reading a task: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // nothing comes after the task
		cancel()
	}()
	result, err := do(ctx, task)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

func beHonest(ctx context.Context, t honestTask) (waited, error) {
	h := &honest{client: newClient(t.URL, t.Token, honestConnections), problems: t.Problems, rate: t.Rate, n: t.Asked, patience: t.Patience}
	defer h.close()
	return h.run(ctx, t.Duration), nil
}

func attackAs(ctx context.Context, t attackTask) (attacked, error) {
	at := slices.IndexFunc(attacks, func(a attack) bool { return a.name == t.Attack })
	if at < 0 {
		return attacked{}, fmt.Errorf("there is no attack %q", t.Attack)
	}
	var result attacked
	if err := lowerPriority(); err != nil {
		result.Priority = err.Error()
	}
	attacking, cancel := context.WithTimeout(ctx, t.Duration)
	defer cancel()
	s := &stage{
		ctx: attacking, last: attacking, whole: ctx, attack: attacks[at], sizes: options{short: t.Short}.sizes(),
		place:    &place{url: t.StoreURL, made: t.Made},
		attacker: newClient(t.URL, t.Attacker, 0), admin: newClient(t.URL, t.Admin, 0),
		program: t.Program, guard: t.Guard,
	}
	defer s.attacker.close()
	defer s.admin.close()
	if t.Short {
		// A request too long for the moment is answered nevertheless, to see its answer
		// and its cost.
		last, cancel := context.WithTimeout(ctx, prepareLimit)
		defer cancel()
		s.last = last
	}
	s.attack.run(s)
	result.Answers, result.Wrong = s.tally.all()
	result.Notes = s.notes
	var err error
	result.Nice, err = niceness()
	return result, err
}

// child is a process in a role.
type child struct {
	role string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.Reader
}

// startChild starts a command in a role. The process waits for its task.
func startChild(command []string, role string) (*child, error) {
	c := &child{role: role, cmd: exec.Command(command[0], append(slices.Clone(command[1:]), role)...)}
	c.cmd.Stderr = os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ^C at the terminal is for the parent. It ends the child.
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

// do hands the task over, and reads the result. When ctx ends, the process ends soon. In
// any case it has ended when do returns. Tasks hold tokens, and so are on no command
// line.
func (c *child) do(ctx context.Context, task, result any) error {
	defer context.AfterFunc(ctx, c.close)()
	err := json.NewEncoder(c.in).Encode(task)
	if err == nil {
		err = json.NewDecoder(c.out).Decode(result)
	}
	if err != nil {
		_ = c.cmd.Process.Kill() // it may have ended
	}
	c.close()
	if err = errors.Join(err, c.cmd.Wait()); err != nil {
		return fmt.Errorf("the process of %s: %w", c.role, err)
	}
	return nil
}

// close tells the process to end.
func (c *child) close() { _ = c.in.Close() } // it may be closed already
