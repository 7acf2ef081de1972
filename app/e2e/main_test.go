// Package e2e tests the service as its users meet it: the binary, as a process of
// its own, through real sockets, signals and files.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// binary is the path of the program under test, built once.
var binary string

// programRace is set where the program has the race detector and the tests have not:
// those are mostly requests, one after the other, which it would only slow down.
var programRace = flag.Bool("program.race", raced, "build the program under test with the race detector: a race that it sees ends it")

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "problems-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "problems")
	flag.Parse()
	build := exec.Command("go", "build", "-o", binary)
	if *programRace {
		build.Args = append(build.Args, "-race", "-gcflags=modernc.org/sqlite/lib=-race=false", "-gcflags=modernc.org/libc/...=-race=false") // as in the Makefile
	}
	build.Args = append(build.Args, "../cmd/problems")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	return postgrestest.Main(m)
}
