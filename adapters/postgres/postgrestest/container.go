package postgrestest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tcpostgres "github.com/testcontainers/testcontainers-go/modules/postgres"
)

// containerNode is a server in a container.
type containerNode struct {
	engine   *engine
	password string
	port     int // of the machine: fixed, since one that Docker picks changes with every start
	id       string
}

// newContainer creates a container without starting it.
func newContainer(ctx context.Context, e *engine, image string, settings []string, volatile bool) (*containerNode, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	n := &containerNode{engine: e, password: rand.Text(), port: port}
	command := []string{"postgres"} // the module's own turns fsync off
	for _, setting := range settings {
		command = append(command, "-c", setting)
	}
	options := []testcontainers.ContainerCustomizer{
		tcpostgres.WithPassword(n.password),
		testcontainers.WithCmd(command...),
		testcontainers.WithLabels(map[string]string{ownerLabel: thisProcess()}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			host.PortBindings = network.PortMap{network.MustParsePort("5432/tcp"): {{HostIP: e.publishAt(), HostPort: strconv.Itoa(port)}}}
			host.ShmSize = 256 << 20 // Docker's 64 MB are few for many parallel queries
		}),
		testcontainers.WithNoStart(),
	}
	if volatile {
		// A path of our own: where the data is by default is a volume in some images.
		const data = "/volatile"
		options = append(options, testcontainers.WithTmpfs(map[string]string{data: "rw"}),
			testcontainers.WithEnv(map[string]string{"PGDATA": data}))
	}
	created, err := tcpostgres.Run(ctx, image, options...)
	if created != nil {
		n.id = created.GetContainerID()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a container of %s: %w", image, err), n.remove(context.WithoutCancel(ctx)))
	}
	return n, nil
}

// publishAt is the address of the engine's machine where ports are published:
// nobody else is to reach them, if that is this machine.
func (e *engine) publishAt() netip.Addr {
	if address, err := netip.ParseAddr(e.host); err == nil && address.IsLoopback() {
		return address
	}
	return netip.IPv4Unspecified()
}

func (n *containerNode) url() string {
	return fmt.Sprintf("postgres://postgres:%s@%s:%d/postgres?sslmode=disable", n.password, n.engine.host, n.port)
}

func (n *containerNode) start(ctx context.Context) error {
	if _, err := n.engine.client.ContainerStart(ctx, n.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start a container: %w", err)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	gone := make(chan struct{})
	go func() {
		if n.ended(waiting) == nil {
			close(gone)
		}
	}()
	if err := answers(ctx, n.url(), gone); err != nil {
		return fmt.Errorf("the server in the container: %w\n%s", err, n.log(context.WithoutCancel(ctx)))
	}
	return nil
}

// ended returns when the container does not run, or ctx ends.
func (n *containerNode) ended(ctx context.Context) error {
	wait := n.engine.client.ContainerWait(ctx, n.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-wait.Result:
		return nil
	case err := <-wait.Error:
		return err
	}
}

// log returns the last lines that the server wrote.
func (n *containerNode) log(ctx context.Context) string {
	lines, err := n.engine.client.ContainerLogs(ctx, n.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "20"})
	if err != nil {
		return fmt.Sprintf("its log: %v", err)
	}
	defer lines.Close()
	var text bytes.Buffer
	if _, err := stdcopy.StdCopy(&text, &text, lines); err != nil {
		return fmt.Sprintf("its log: %v", err)
	}
	return strings.TrimSpace(text.String())
}

// signal sends a signal to the first process, and returns when the container has
// ended.
func (n *containerNode) signal(ctx context.Context, signal string) error {
	if _, err := n.engine.client.ContainerKill(ctx, n.id, client.ContainerKillOptions{Signal: signal}); err != nil {
		return err
	}
	return n.ended(ctx)
}

func (n *containerNode) stop(ctx context.Context, mode stopMode) error {
	if mode == immediate {
		return n.signal(ctx, "SIGQUIT")
	}
	return n.signal(ctx, "SIGINT")
}

// kill ends all processes, since the system does so with the first of a container.
func (n *containerNode) kill(ctx context.Context) error { return n.signal(ctx, "SIGKILL") }

func (n *containerNode) pause(ctx context.Context) error {
	_, err := n.engine.client.ContainerPause(ctx, n.id, client.ContainerPauseOptions{})
	return err
}

func (n *containerNode) resume(ctx context.Context) error {
	_, err := n.engine.client.ContainerUnpause(ctx, n.id, client.ContainerUnpauseOptions{})
	return err
}

func (n *containerNode) remove(ctx context.Context) error {
	if n.id == "" {
		return nil
	}
	_ = n.resume(ctx) // some engines do not remove what is paused
	return n.engine.removeContainer(ctx, n.id)
}
