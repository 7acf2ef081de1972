package launch

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 7 42 42 0 -1 4194560 1 2 3 4 150 25 1000 300 20 0 1 0 999 1 2 3\n"
	for _, stat := range []string{"42 (postgres)" + rest, "42 (a) S 1 (b c)" + rest} {
		parent, cpu, err := parseStat([]byte(stat))
		if want := 14750 * time.Millisecond; err != nil || parent != 7 || cpu != want {
			t.Errorf("%q: parent %d, %v, %v; want 7, %v", stat, parent, cpu, err, want)
		}
	}
	for _, stat := range []string{"", "42 postgres S 7", "42 (postgres) S 7 42", "42 (postgres)" + strings.Replace(rest, "150", "x", 1)} {
		if _, _, err := parseStat([]byte(stat)); err == nil {
			t.Errorf("%q is accepted", stat)
		}
	}
}

func TestParseBusy(t *testing.T) {
	t.Parallel()
	busy, err := parseBusy([]byte("cpu  100 20 30 9000 500 4 5 6 70 80"))
	if want := 1650 * time.Millisecond; err != nil || busy != want {
		t.Errorf("%v, %v; want %v", busy, err, want)
	}
	for _, line := range []string{"", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3", "cpu 1 2 3 4 5 6 x 8"} {
		if busy, err := parseBusy([]byte(line)); err == nil {
			t.Errorf("%q is %v", line, busy)
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	got, err := parseStatus([]byte("Name:\tproblems\nVmPeak:\t 9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\nThreads:\t3\n"))
	if want := (Memory{Now: 1 << 20, Peak: 2 << 20}); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, status := range []string{"", "VmRSS:\t1 kB\n", "VmHWM:\t1 kB\nVmRSS:\t1 MB\n", "VmHWM:\tx kB\nVmRSS:\t1 kB\n"} {
		if got, err := parseStatus([]byte(status)); err == nil {
			t.Errorf("%q is %v", status, got)
		}
	}
}

// What /proc says of this process has to grow when it works.
func TestOwnProcess(t *testing.T) {
	t.Parallel()
	self := []int{os.Getpid()}
	if runtime.GOOS != "linux" {
		if _, err := CPUOf(self); err != ErrNoProc {
			t.Errorf("CPUOf fails with %v; want %v", err, ErrNoProc)
		}
		return
	}
	before, err := CPUOf(self)
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		after, err := CPUOf(self)
		if err != nil {
			t.Fatal(err)
		}
		if after > before {
			break
		}
		if time.Since(began) > Patience {
			t.Fatal("this process has worked without using the CPU")
		}
	}
	m, err := MemoryOf(self)
	if err != nil || m.Now < 1<<20 || m.Peak < m.Now {
		t.Errorf("memory %v, %v", m, err)
	}
	if pids := Children(os.Getppid()); !slices.Contains(pids, os.Getpid()) || pids[0] != os.Getppid() {
		t.Errorf("the children of this process's parent %d are %v; want it first, and %d among them", os.Getppid(), pids, os.Getpid())
	}
}
