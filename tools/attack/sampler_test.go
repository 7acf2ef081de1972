package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/problemtracking/problems/tools/launch"
)

func TestSampler(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		if _, err := newSampler(t.Context(), os.Getpid(), 1, nil); !errors.Is(err, launch.ErrNoProc) {
			t.Errorf("the sampler fails with %v; want %v", err, launch.ErrNoProc)
		}
		return
	}
	s, err := newSampler(t.Context(), os.Getpid(), 1<<50, func() { t.Error("the guard kills below its limit") })
	if err != nil {
		t.Fatal(err)
	}
	filled := make([]byte, 64<<20)
	for i := range filled {
		filled[i] = 1
	}
	s.stop()
	runtime.KeepAlive(filled)
	if s.before <= 0 || s.peak < s.before || s.peak < int64(len(filled)) || s.killed {
		t.Errorf("before %d, peak %d, killed %v; want a peak above %d", s.before, s.peak, s.killed, len(filled))
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // as above
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s, err := newSampler(t.Context(), cmd.Process.Pid, 1, func() { _ = cmd.Process.Kill() })
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended by itself; want it killed")
	}
	s.stop()
	if !s.killed {
		t.Error("the sampler does not say that it killed the process")
	}
}
