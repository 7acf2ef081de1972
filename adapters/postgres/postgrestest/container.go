package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/internal/protocol"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// engine is an answering Docker engine, as seen by the program containers.
type engine struct {
	program *containersProgram
	host    string // where published ports are reached
}

// containerEngine returns the engine of this machine, or nil when none answers. It
// starts the program once for this process.
func containerEngine(ctx context.Context) (*engine, error) {
	program, err := startedContainers()
	if err != nil {
		return nil, err
	}
	var found protocol.Engine
	if err := program.call(ctx, "Engine", protocol.None{}, &found); err != nil {
		return nil, err
	}
	if !found.Answers {
		return nil, nil
	}
	return &engine{program: program, host: found.Host}, nil
}

// containersProgram is the running program containers.
type containersProgram struct {
	client *rpc.Client
	stderr *logTail
}

var startedContainers = sync.OnceValues(startContainers)

// startContainers starts the program. It ends with this process: its standard input is a
// pipe from here.
func startContainers() (*containersProgram, error) {
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/problemtracking/problems/adapters/postgres").Output()
	dir := filepath.Join(strings.TrimSpace(string(found)), "postgrestest", "containers")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "go.mod"))
	}
	if err != nil {
		return nil, fmt.Errorf("the program that runs containers is part of the repository alone (%w): "+
			"run the tests in a clone, or name a server with %s=postgres://…", err, dsnVariable)
	}
	p := &containersProgram{stderr: &logTail{}}
	command := exec.Command("go", "run", ".")
	command.Dir = dir
	// The repository's workspace has its modules, in whatever mode the tests were built.
	command.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=-trimpath") // as in the Makefile
	command.Stderr = p.stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("the program that runs containers does not start: %w", err)
	}
	p.client = rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{stdout, stdin})
	return p, nil
}

// call calls a method of the service, until ctx ends.
func (p *containersProgram) call(ctx context.Context, method string, argument, reply any) error {
	call := p.client.Go(protocol.Service+"."+method, argument, reply, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, ok := errors.AsType[rpc.ServerError](call.Error); call.Error != nil && !ok {
		return fmt.Errorf("the program that runs containers has ended: %w\n%s", call.Error, p.stderr)
	}
	return call.Error
}

func (e *engine) describe(ctx context.Context) (text string, err error) {
	err = e.program.call(ctx, "Describe", protocol.None{}, &text)
	return text, err
}

// removeOrphans removes the containers of killed processes.
func (e *engine) removeOrphans(ctx context.Context) error {
	var found []protocol.Container
	if err := e.program.call(ctx, "List", protocol.None{}, &found); err != nil {
		return err
	}
	for _, c := range found {
		if orphaned(c.Owner) {
			if err := e.program.call(ctx, "RemoveOrphan", c.ID, &protocol.None{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// node creates a container. start starts it.
func (e *engine) node(ctx context.Context, settings []string, volatile bool) (node, error) {
	if err := e.removeOrphans(ctx); err != nil {
		return nil, fmt.Errorf("containers of tests that were killed: %w", err)
	}
	port, err := ports.Free()
	if err != nil {
		return nil, err
	}
	n := &containerNode{engine: e, password: rand.Text(), port: port}
	order := protocol.Order{Owner: thisProcess(), Password: n.password, Port: port, Settings: slices.Clone(settings), Volatile: volatile}
	if err := e.program.call(ctx, "Create", order, &n.id); err != nil {
		return nil, err
	}
	return n, nil
}

// containerNode is a server in a container.
type containerNode struct {
	engine   *engine
	password string
	port     int // of the machine: fixed, since a port of Docker's choice changes with every start
	id       string
}

func (n *containerNode) url() string {
	return fmt.Sprintf("postgres://postgres:%s@%s:%d/postgres?sslmode=disable", n.password, n.engine.host, n.port)
}

// call calls a method on the container.
func (n *containerNode) call(ctx context.Context, method string) error {
	return n.engine.program.call(ctx, method, n.id, &protocol.None{})
}

func (n *containerNode) start(ctx context.Context) error {
	if err := n.call(ctx, "Start"); err != nil {
		return err
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	gone := make(chan struct{})
	go func() {
		if n.call(waiting, "Ended") == nil {
			close(gone)
		}
	}()
	if err := awaitAnswer(ctx, n.url(), gone); err != nil {
		return fmt.Errorf("the server in the container: %w\n%s", err, n.log(context.WithoutCancel(ctx)))
	}
	return nil
}

// log returns the last lines of the server's log.
func (n *containerNode) log(ctx context.Context) (text string) {
	if err := n.engine.program.call(ctx, "Log", n.id, &text); err != nil {
		return fmt.Sprintf("its log: %v", err)
	}
	return text
}

// signal sends a signal to the first process, and returns when the container has
// ended.
func (n *containerNode) signal(ctx context.Context, name string) error {
	return n.engine.program.call(ctx, "Signal", protocol.Signal{ID: n.id, Name: name}, &protocol.None{})
}

func (n *containerNode) stop(ctx context.Context, mode stopMode) error {
	if mode == immediate {
		return n.signal(ctx, "SIGQUIT")
	}
	return n.signal(ctx, "SIGINT")
}

// kill ends all processes, since the system does so with the first of a container.
func (n *containerNode) kill(ctx context.Context) error { return n.signal(ctx, "SIGKILL") }

func (n *containerNode) pause(ctx context.Context) error  { return n.call(ctx, "Pause") }
func (n *containerNode) resume(ctx context.Context) error { return n.call(ctx, "Resume") }
func (n *containerNode) remove(ctx context.Context) error { return n.call(ctx, "Remove") }
