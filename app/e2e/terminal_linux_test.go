package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// TestTerminalCloses ends a server in order whose terminal was closed.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, failure := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value))); failure != 0 {
			t.Fatal(failure)
		}
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(lockedBuffer)
	cmd := exec.Command(program(t), "serve")
	cmd.Env = environment(t, "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE=memory:")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit code is in ProcessState
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	logged := func(text string) {
		t.Helper()
		await(t, func() bool { return strings.Contains(stderr.String(), text) }, func() string {
			return fmt.Sprintf("the log lacks %q\n%s", text, stderr.end())
		})
	}
	logged(`"msg":"started"`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil { // the terminal is there
		t.Fatal(err)
	}
	logged("told to read files again")
	if err := master.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatalf("serve goes on without its terminal\n%s", stderr.end())
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(stderr.String(), `"msg":"stopped"`) {
		t.Errorf("serve ended with %v\n%s", cmd.ProcessState, stderr.end())
	}
}
