// Package e2e tests the service as its users meet it: the binary, as a process of
// its own, through real sockets, signals and files.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// binary is the path of the program under test, and racing that of the program with
// the race detector, where it is asked for. Both are built once.
var binary, racing string

// programRace is set in full runs. The tests themselves go without the race detector:
// they are mostly requests, one after the other.
var programRace = flag.Bool("program.race", raced, "build the program under test with the race detector for the tests of many clients: a race ends it")

// watched are the tests of many clients, or of several kinds of work at once, and their
// subtests. Only their servers have the race detector: it makes requests four times as expensive, and would see
// nothing in answers to one request after the other.
var watched = []string{
	"TestBulkOnTwoServers", "TestCertificateIsRenewed", "TestClaimsUnderFire", "TestEventsEnd", "TestEventsGoOn", "TestFeed",
	"TestFloodOfTheLog", "TestFloodOfWrongTokens", "TestHTTP/memory", "TestMailOutlivesServers", "TestPasswordIsReread", "TestRate",
	"TestRestartRefusesNobody", "TestServers", "TestSlowClients", "TestSlowConnections", "TestStalled",
	"TestTraces", "TestWebhooks",
}

// program returns the program under test for the servers of a test.
func program(t testing.TB) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	if racing != "" && (slices.Contains(watched, test) || slices.Contains(watched, t.Name())) {
		return racing
	}
	return binary
}

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
	builds := map[string][]string{binary: nil}
	if *programRace {
		racing = filepath.Join(dir, "racing", "problems")
		builds[racing] = []string{"-race", "-gcflags=modernc.org/sqlite/lib=-race=false", "-gcflags=modernc.org/libc/...=-race=false"} // as in the Makefile
	}
	for path, flags := range builds {
		build := exec.Command("go", slices.Concat([]string{"build", "-o", path}, flags, []string{"../cmd/problems"})...)
		if output, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
			return 1
		}
	}
	return postgrestest.Main(m)
}
