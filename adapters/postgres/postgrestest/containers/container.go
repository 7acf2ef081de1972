package main

import (
	"bytes"
	"context"
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

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/internal/protocol"
)

// postgresContainer is a server in a container.
type postgresContainer struct {
	engine *engine
	id     string
}

// newContainer creates a container without starting it.
func newContainer(ctx context.Context, e *engine, image string, order protocol.Order) (*postgresContainer, error) {
	c := &postgresContainer{engine: e}
	command := []string{"postgres"} // the module's own turns fsync off
	settings := order.Settings
	if e.here {
		settings = append(settings, "port="+strconv.Itoa(order.Port), "listen_addresses="+e.host)
	}
	for _, setting := range settings {
		command = append(command, "-c", setting)
	}
	options := []testcontainers.ContainerCustomizer{
		tcpostgres.WithPassword(order.Password),
		testcontainers.WithCmd(command...),
		testcontainers.WithLabels(map[string]string{ownerLabel: order.Owner}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			if e.here {
				host.NetworkMode = network.NetworkHost
			} else {
				host.PortBindings = network.PortMap{network.MustParsePort("5432/tcp"): {{HostIP: e.publishAt(), HostPort: strconv.Itoa(order.Port)}}}
			}
			host.ShmSize = 256 << 20 // Docker's 64 MB are few for many parallel queries
		}),
		testcontainers.WithNoStart(),
	}
	if order.Volatile {
		// A path of our own: where the data is by default is a volume in some images.
		const data = "/volatile"
		options = append(options, testcontainers.WithTmpfs(map[string]string{data: "rw"}),
			testcontainers.WithEnv(map[string]string{"PGDATA": data}))
	}
	created, err := tcpostgres.Run(ctx, image, options...)
	if created != nil {
		c.id = created.GetContainerID()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a container of %s: %w", image, err), c.remove(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// publishAt is the address of the engine's machine where ports are published:
// if it is this machine, no other one reaches them.
func (e *engine) publishAt() netip.Addr {
	if address, err := netip.ParseAddr(e.host); err == nil && address.IsLoopback() {
		return address
	}
	return netip.IPv4Unspecified()
}

func (c *postgresContainer) start(ctx context.Context) error {
	if _, err := c.engine.client.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start a container: %w", err)
	}
	return nil
}

// ended returns when the container does not run, or ctx ends.
func (c *postgresContainer) ended(ctx context.Context) error {
	wait := c.engine.client.ContainerWait(ctx, c.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-wait.Result:
		return nil
	case err := <-wait.Error:
		return err
	}
}

// log returns the last lines of the server's log.
func (c *postgresContainer) log(ctx context.Context) string {
	lines, err := c.engine.client.ContainerLogs(ctx, c.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "20"})
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
func (c *postgresContainer) signal(ctx context.Context, signal string) error {
	if _, err := c.engine.client.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: signal}); err != nil {
		return err
	}
	return c.ended(ctx)
}

func (c *postgresContainer) pause(ctx context.Context) error {
	_, err := c.engine.client.ContainerPause(ctx, c.id, client.ContainerPauseOptions{})
	return err
}

func (c *postgresContainer) resume(ctx context.Context) error {
	_, err := c.engine.client.ContainerUnpause(ctx, c.id, client.ContainerUnpauseOptions{})
	return err
}

func (c *postgresContainer) remove(ctx context.Context) error {
	if c.id == "" {
		return nil
	}
	_ = c.resume(ctx) // some engines do not remove a paused container
	return c.engine.removeContainer(ctx, c.id)
}
