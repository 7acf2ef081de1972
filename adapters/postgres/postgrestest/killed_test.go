package postgrestest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// childVariable makes the test binary a process that starts a server, prints its
// URL and waits.
const childVariable = "POSTGRESTEST_CHILD"

// childTest is the test of such a process; it never ends.
type childTest struct{ postgrestest.T }

func (childTest) Helper()                           {}
func (childTest) Cleanup(func())                    {}
func (childTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func waitToBeKilled() {
	fmt.Println(postgrestest.New(childTest{}).URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// The server of a process that was killed ends with it, or when the next process
// makes one; that of a process that lives stays.
func TestServersOfKilledProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	killed, killedURL := startChild(t)
	_, livingURL := startChild(t)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	postgrestest.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for answers(ctx, killedURL) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the server of the process that was killed still answers")
		}
	}
	if !answers(t.Context(), livingURL) {
		t.Error("the server of the process that lives does not answer")
	}
}

func answers(ctx context.Context, url string) bool {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return ctx.Err() != nil // that it has ended is not known
	}
	defer conn.Close(ctx)
	return true
}

// startChild returns a process and the URL of its server.
func startChild(t *testing.T) (*exec.Cmd, string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	if _, err := child.StdinPipe(); err != nil { // so that it does not read the end of ours
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the child has not said where its server is: %v", err)
	}
	return child, strings.TrimSpace(line)
}
