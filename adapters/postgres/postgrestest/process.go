package postgrestest

import (
	"bytes"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/shirou/gopsutil/v4/process"
)

// postmaster is a running server with all its processes.
type postmaster struct {
	cmd  *exec.Cmd
	log  logTail
	done chan struct{} // closed when the first process is gone
}

// startPostmaster runs cmd. It ends with this process also when this process is killed.
func startPostmaster(cmd *exec.Cmd) (*postmaster, error) {
	p := &postmaster{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	started := make(chan error)
	go func() {
		// The system takes the end of the thread that started the child for the end of
		// its parent: so the thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		endWithParent(cmd.SysProcAttr)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(p.done)
		}
	}()
	return p, <-started
}

// signal sends a signal to the first process, and that process passes it on.
func (p *postmaster) signal(signal syscall.Signal) {
	_ = p.cmd.Process.Signal(signal) // gone is fine
}

// signalAll sends a signal to every process. Each child of a postmaster is a process
// group of its own, so signalAll looks them up.
func (p *postmaster) signalAll(signal syscall.Signal) {
	p.signal(syscall.SIGSTOP) // starts no more children from here on
	sent := make(map[int32]bool)
	for again := true; again; {
		again = false
		parent, err := process.NewProcess(int32(p.cmd.Process.Pid))
		if err != nil {
			break
		}
		children, err := parent.Children()
		if err != nil && !errors.Is(err, process.ErrorNoChildren) {
			break
		}
		for _, child := range children {
			if !sent[child.Pid] {
				sent[child.Pid], again = true, true
				_ = syscall.Kill(int(child.Pid), signal)
			}
		}
	}
	p.signal(signal)
}

// kill ends every process at once.
func (p *postmaster) kill() {
	p.signalAll(syscall.SIGKILL)
	<-p.done
}

// logTail keeps the end of a server's output.
type logTail struct {
	mu   sync.Mutex
	text []byte
}

func (l *logTail) Write(text []byte) (int, error) {
	const limit = 8 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text...)
	if excess := len(l.text) - limit; excess > 0 {
		l.text = bytes.Clone(l.text[excess:])
	}
	return len(text), nil
}

func (l *logTail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.text))
}
