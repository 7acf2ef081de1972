package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestRestartRefusesNobody passes a socket to one server after another, as systemd does.
// Every new connection is answered, also between two servers.
func TestRestartRefusesNobody(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String() + "/healthz"
	if err := listener.Close(); err != nil { // the copy stays open
		t.Fatal(err)
	}
	defer socket.Close()
	store := filepath.Join(t.TempDir(), "problems.db")
	start := func() (stop func()) {
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, program(t))
		log := new(lockedBuffer)
		cmd.Stderr, cmd.ExtraFiles = log, []*os.File{socket}
		cmd.Env = []string{"LISTEN_FDS=1", "PROBLEMS_STORE=sqlite://" + store, "PROBLEMS_LISTEN=192.0.2.1:1"}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err != nil {
				t.Errorf("a server ended with %v\n%s", err, log.end())
			}
		}
	}
	stop := start()
	var answered atomic.Int64
	done, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(failed)
		client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
		for {
			select {
			case <-done:
				return
			default:
			}
			response, err := client.Get(url)
			if err != nil {
				failed <- err
				return
			}
			_ = response.Body.Close()
			answered.Add(1)
		}
	}()
	more := func() {
		t.Helper()
		for before := answered.Load(); answered.Load() < before+20; {
			select {
			case err := <-failed:
				t.Fatalf("after %d answers: %v", answered.Load(), err)
			case <-time.After(time.Millisecond):
			}
		}
	}
	for range 3 {
		more()
		stop()
		stop = start()
	}
	more()
	close(done)
	if err := <-failed; err != nil {
		t.Error(err)
	}
	stop()
}

// TestSocketsOfAnotherKind passes sockets that are none of TCP: the service says so and ends.
func TestSocketsOfAnotherKind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, program(t))
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Env = []string{"LISTEN_FDS=1", "PROBLEMS_STORE=memory:"}
	output, err := cmd.CombinedOutput()
	if want := "systemd has passed the socket " + path + ": the service takes one of TCP"; err == nil || !strings.Contains(string(output), want) {
		t.Errorf("the service ended with %v, and said %s; want %s", err, output, want)
	}
}
