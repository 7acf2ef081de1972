// Package e2e tests the service as its users meet it: the binary, as a process of
// its own, through real sockets, signals and files.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// binary is the path of the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "problems-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "problems")
	// Under the race detector the program has it too: a race that it sees
	// ends the program with an exit code that no test expects.
	build := exec.Command("go", "build", fmt.Sprintf("-race=%t", raced), "-o", binary, "../cmd/problems")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	return postgrestest.Main(m)
}
