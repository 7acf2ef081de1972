package e2e

import (
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestEndWhileStarting tells a server to end that waits for a database which is
// silent.
func TestEndWhileStarting(t *testing.T) {
	t.Parallel()
	const soon = 3 * time.Second // less than any limit of its own
	proxy := postgrestest.NewProxy(t, postgrestest.Schema(t))
	proxy.Stall(true)
	var stdout bytes.Buffer
	stderr := new(lockedBuffer)
	cmd := exec.Command(program(t), "serve")
	cmd.Env = environment(t, "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE="+proxy.URL()+"&connect_timeout=60")
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit code is in ProcessState
		close(ended)
	}()
	limit := time.After(patience)
	for len(proxy.Traffic()) == 0 {
		select {
		case <-ended:
			t.Fatalf("serve ended with %v instead of waiting\n%s", cmd.ProcessState, stderr.end())
		case <-limit:
			_ = cmd.Process.Kill()
			t.Fatalf("serve does not connect\n%s", stderr.end())
		default:
		}
	}
	told := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-limit:
		_ = cmd.Process.Kill()
		t.Fatalf("serve does not end\n%s", stderr.end())
	}
	if took := time.Since(told); took > soon {
		t.Errorf("serve took %s to end", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "stopped before the start was complete") {
		t.Errorf("the exit code is %d, and printed is %q\n%s", code, &stdout, stderr.end())
	}
}
