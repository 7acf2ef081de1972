package main

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

const (
	// lower is by how much the priority of attackers is lower, in steps of nice(1), and
	// lowest the last of these.
	lower  = 10
	lowest = 19
)

// niceness returns the priority of the calling thread, from -20 to 19, the lowest one.
func niceness() (int, error) {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if runtime.GOOS == "linux" {
		n = 20 - n // as the kernel returns it: getpriority(2), under C library/kernel differences
	}
	return n, err
}

// lowerPriority lowers the priority of this process.
func lowerPriority() error {
	now, err := niceness()
	if err != nil {
		return err
	}
	nice := min(now+lower, lowest)
	// On Linux each thread has a priority of its own, inherited from its creator.
	for done := map[int]bool{}; ; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
		}
		before := len(done)
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				return err
			}
			if done[id] {
				continue
			}
			if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, nice); err != nil && !errors.Is(err, syscall.ESRCH) {
				return os.NewSyscallError("setpriority", err)
			}
			done[id] = true
		}
		if len(done) == before {
			return nil
		}
	}
}
