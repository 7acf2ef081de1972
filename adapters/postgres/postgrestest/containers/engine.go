package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/internal/protocol"
)

// imageVariable is the environment variable with the name of an image.
const imageVariable = "PROBLEMS_TEST_POSTGRES_IMAGE"

// Images to try without PROBLEMS_TEST_POSTGRES_IMAGE: the official one, and the one of
// tools/postgres/image for machines without a registry.
const (
	officialImage = "postgres:17-alpine"
	builtImage    = "problems-postgres:local"
)

// engine is an answering Docker engine.
type engine struct {
	client client.APIClient
	host   string // where ports are reached
	// here is true when containers can share the network of this machine. A published port
	// has a proxy before it, which needs a fifth of the processors in these tests.
	here bool
}

// dockerEngine returns the engine of this machine, or nil when none answers.
func dockerEngine(ctx context.Context) (*engine, error) {
	if err := configureTestcontainers(); err != nil {
		return nil, err
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" && !engineAnswers(ctx, host) {
		return nil, nil // testcontainers would go on to other places
	}
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return nil, nil // it has looked in all places
	}
	if _, err := provider.Client().Ping(ctx, client.PingOptions{}); err != nil {
		return nil, nil
	}
	host, err := provider.DaemonHost(ctx)
	if err != nil {
		return nil, err
	}
	if host == "localhost" {
		host = "127.0.0.1" // where the ports are published; the name may mean ::1
	}
	here, err := isHere(ctx, provider.Client(), host)
	if err != nil {
		return nil, err
	}
	return &engine{client: provider.Client(), host: host, here: here}, nil
}

// isHere reports whether the engine runs on this kernel, in its first network: one in a
// virtual machine or without root has another.
func isHere(ctx context.Context, docker client.APIClient, host string) (bool, error) {
	if address, err := netip.ParseAddr(host); err != nil || !address.IsLoopback() {
		return false, nil
	}
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return false, nil // no Linux
	}
	found, err := docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return false, err
	}
	rootless := slices.Contains(found.Info.SecurityOptions, "name=rootless")
	return found.Info.KernelVersion == strings.TrimSpace(string(kernel)) && !rootless, nil
}

// configureTestcontainers sets environment variables of testcontainers, unless they are
// set. It reads them once, at the first use.
func configureTestcontainers() error {
	defaults := map[string]string{
		// The container for cleaning up needs an image of its own and the engine's
		// socket. This program removes containers at the end of a process, and those of
		// killed processes at the start of the next: see removeOrphans.
		"TESTCONTAINERS_RYUK_DISABLED": "true",
	}
	if _, err := os.Stat("/.dockerenv"); err == nil {
		// An engine beside us in the same container publishes here, and not at the
		// gateway.
		defaults["TESTCONTAINERS_HOST_OVERRIDE"] = "127.0.0.1"
	}
	for name, value := range defaults {
		if _, set := os.LookupEnv(name); !set {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	tclog.SetDefault(tclog.NewNoopLogger())
	return nil
}

func engineAnswers(ctx context.Context, host string) bool {
	docker, err := client.New(client.FromEnv, client.WithHost(host))
	if err != nil {
		return false
	}
	defer func() { _ = docker.Close() }()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = docker.Ping(ctx, client.PingOptions{})
	return err == nil
}

func (e *engine) describe(ctx context.Context) (string, error) {
	image, err := e.image(ctx)
	if err != nil {
		return "", err
	}
	inspected, err := e.client.ImageInspect(ctx, image)
	if err != nil {
		return "", err
	}
	version := "version unknown"
	for _, variable := range inspected.Config.Env {
		if value, ok := strings.CutPrefix(variable, "PG_VERSION="); ok {
			version = value
		}
	}
	return fmt.Sprintf("container %s (%s)", image, version), nil
}

// image returns the image to use. It pulls the image if need be.
func (e *engine) image(ctx context.Context) (string, error) {
	candidates := []string{officialImage, builtImage}
	if name := os.Getenv(imageVariable); name != "" {
		candidates = []string{name}
	}
	for _, name := range candidates {
		_, err := e.client.ImageInspect(ctx, name)
		if err == nil {
			return name, nil
		}
		if !errdefs.IsNotFound(err) {
			return "", fmt.Errorf("the image %s: %w", name, err)
		}
	}
	if err := e.pull(ctx, candidates[0]); err != nil {
		return "", fmt.Errorf("a Docker engine answers, but the image %s is neither there nor can it be pulled: let %s name one "+
			"that is, or run `make postgres-image`, which builds %s, and name that or none: %w", candidates[0], imageVariable, builtImage, err)
	}
	return candidates[0], nil
}

func (e *engine) pull(ctx context.Context, image string) error {
	progress, err := e.client.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	return progress.Wait(ctx)
}

// ownerLabel is on every container: the process of its owner.
const ownerLabel = "problems.owner"

// list returns the containers of tests with their owners.
func (e *engine) list(ctx context.Context) ([]protocol.Container, error) {
	list, err := e.client.ContainerList(ctx, client.ContainerListOptions{
		All:     true,
		Filters: make(client.Filters).Add("label", "org.testcontainers=true", ownerLabel),
	})
	if err != nil {
		return nil, err
	}
	var found []protocol.Container
	for _, item := range list.Items {
		found = append(found, protocol.Container{ID: item.ID, Owner: item.Labels[ownerLabel]})
	}
	return found, nil
}

// removeOrphan removes a container, unless another process is removing it.
func (e *engine) removeOrphan(ctx context.Context, id string) error {
	if err := e.removeContainer(ctx, id); err != nil && !errdefs.IsConflict(err) {
		return err
	}
	return nil
}

// removeContainer removes a container in any state, with its data.
func (e *engine) removeContainer(ctx context.Context, id string) error {
	_, err := e.client.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}
