package main

import (
	"archive/tar"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/tools/launch"
)

// container runs the program in containers of an otherwise empty image.
type container struct {
	program launch.Program
	image   string
	memory  int64 // bytes
	n       int   // containers so far
}

// newContainer makes the image.
func newContainer(ctx context.Context, program launch.Program, memory int64) (*container, error) {
	if err := checkStatic(program.Path); err != nil {
		return nil, err
	}
	c := &container{program: program, image: fmt.Sprintf("problems-attack:%d", os.Getpid()), memory: memory}
	cmd := exec.CommandContext(ctx, "docker", "import", "-", c.image)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("-container: %w", err)
	}
	err = errors.Join(writeImage(in, program.Path), in.Close())
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("-container needs a Docker engine, as tools/postgres/provide starts it: docker import: %w\n%s", err, out.String())
	}
	return c, nil
}

// checkStatic fails unless the program needs no libraries: the image has none.
func checkStatic(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return fmt.Errorf("-container: %s is not static: build it with CGO_ENABLED=0 go build -trimpath -o %s ./app/cmd/problems", path, path)
		}
	}
	return nil
}

// writeImage writes the file system of the image: the program, and a place for SQLite's
// temporary files.
func writeImage(to io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	out := tar.NewWriter(to)
	if err := out.WriteHeader(&tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}); err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: "problems", Typeflag: tar.TypeReg, Mode: 0o755, Size: info.Size()}); err != nil {
		return err
	}
	if _, err := io.Copy(out, file); err != nil {
		return err
	}
	return out.Close()
}

// serve starts a server in a container with the network of this machine. It returns the
// number of the server's process and a function to kill it.
func (c *container) serve(ctx context.Context, store string, variables ...string) (s *launch.Server, pid int, kill func(), err error) {
	c.n++
	name := fmt.Sprintf("problems-attack-%d-%d", os.Getpid(), c.n)
	limit := strconv.FormatInt(c.memory, 10)
	args := []string{"run", "--rm", "--name", name, "--network", "host", "--memory", limit, "--memory-swap", limit, "--volume", c.program.Home + ":" + c.program.Home}
	for _, variable := range append(c.program.Environment(store, variables...), "PROBLEMS_LISTEN=127.0.0.1:0") {
		args = append(args, "--env", variable)
	}
	s, err = c.program.Run(ctx, exec.Command("docker", append(args, c.image, "/problems", "serve")...))
	if err != nil {
		return nil, 0, nil, err
	}
	kill = func() { _ = exec.Command("docker", "kill", name).Run() } // it may have ended
	out, err := exec.CommandContext(ctx, "docker", "inspect", "--format", "{{.State.Pid}}", name).Output()
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if err != nil {
		kill()
		return nil, 0, nil, fmt.Errorf("docker inspect: %w", err)
	}
	return s, pid, kill, nil
}

// remove removes the image.
func (c *container) remove(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "docker", "rmi", "--force", c.image).CombinedOutput(); err != nil {
		return fmt.Errorf("docker rmi: %w\n%s", err, out)
	}
	return nil
}
