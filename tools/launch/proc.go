package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ErrNoProc is why CPU and memory are not known on some systems.
var ErrNoProc = errors.New("this system has no /proc: the CPU seconds and the memory of processes are not known")

// tick is the unit of times in /proc. It is 1/100 s on every Linux with Go, regardless of
// the kernel's own clock.
const tick = time.Second / 100

// CPUOf returns the CPU time of processes, including their ended children.
func CPUOf(pids []int) (time.Duration, error) {
	var sum time.Duration
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			// One of the database's may have ended: its parent has the time.
			if _, err := os.Stat("/proc/self/stat"); err != nil {
				return 0, ErrNoProc
			}
			continue
		}
		_, cpu, err := parseStat(stat)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		sum += cpu
	}
	return sum, nil
}

// BusyTime returns the CPU time of the whole machine, including time lost to other guests
// of a hypervisor.
func BusyTime() (time.Duration, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, ErrNoProc
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	busy, err := parseBusy(line)
	if err != nil {
		return 0, fmt.Errorf("/proc/stat: %w", err)
	}
	return busy, nil
}

// parseBusy reads the first line of /proc/stat (proc_stat(5)).
func parseBusy(line []byte) (busy time.Duration, err error) {
	fields := bytes.Fields(line)
	const idle, iowait, steal = 4, 5, 8 // guest times follow, and are counted in user
	if len(fields) <= steal || string(fields[0]) != "cpu" {
		return 0, errors.New("does not begin with the times of all cores")
	}
	for n := 1; n <= steal; n++ {
		ticks, err := strconv.ParseInt(string(fields[n]), 10, 64)
		if err != nil {
			return 0, err
		}
		if n != idle && n != iowait {
			busy += time.Duration(ticks) * tick
		}
	}
	return busy, nil
}

// Children returns a process and its children, in the order of their numbers.
func Children(parent int) []int {
	pids := []int{parent}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		if of, _, err := parseStat(stat); err == nil && of == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parseStat reads /proc/<pid>/stat (proc_pid_stat(5)): the parent, and the CPU time of
// the process and of its awaited children.
func parseStat(stat []byte) (parent int, cpu time.Duration, err error) {
	// The name of the command, in parentheses, can hold both spaces and
	// parentheses; after the last of these is the third field.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, 0, errors.New("has no command in parentheses")
	}
	fields := bytes.Fields(stat[end+1:])
	const first, ppid, utime, cstime = 3, 4, 14, 17
	if len(fields) <= cstime-first {
		return 0, 0, errors.New("has too few fields")
	}
	if parent, err = strconv.Atoi(string(fields[ppid-first])); err != nil {
		return 0, 0, err
	}
	for n := utime; n <= cstime; n++ {
		ticks, err := strconv.ParseInt(string(fields[n-first]), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		cpu += time.Duration(ticks) * tick
	}
	return parent, cpu, nil
}

// Memory is the resident memory of processes, in bytes.
type Memory struct {
	Now  int64 `json:"now"`
	Peak int64 `json:"peak"` // the most since ResetPeak
}

// MemoryOf returns the memory of processes together.
func MemoryOf(pids []int) (Memory, error) {
	var sum Memory
	for _, pid := range pids {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			if _, err := os.Stat("/proc/self/status"); err != nil {
				return Memory{}, ErrNoProc
			}
			return Memory{}, err
		}
		m, err := parseStatus(status)
		if err != nil {
			return Memory{}, fmt.Errorf("/proc/%d/status: %w", pid, err)
		}
		sum.Now += m.Now
		sum.Peak += m.Peak
	}
	return sum, nil
}

// parseStatus reads VmRSS and VmHWM of /proc/<pid>/status.
func parseStatus(status []byte) (m Memory, err error) {
	found := 0
	for line := range bytes.Lines(status) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		var into *int64
		switch string(name) {
		case "VmRSS":
			into = &m.Now
		case "VmHWM":
			into = &m.Peak
		default:
			continue
		}
		number, isKB := bytes.CutSuffix(bytes.TrimSpace(value), []byte(" kB"))
		kb, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || !isKB {
			return Memory{}, fmt.Errorf("%s is %q, which is no number of kB", name, bytes.TrimSpace(value))
		}
		*into = kb << 10
		found++
	}
	if found != 2 {
		return Memory{}, errors.New("has no VmRSS or no VmHWM")
	}
	return m, nil
}

// ResetPeak lets the peak of each process begin at its present memory. It reports whether
// the machine can do that: else the peak is since the start of the process.
func ResetPeak(pids []int) bool {
	for _, pid := range pids {
		// proc_pid_clear_refs(5): 5 resets the peak. Some kernels do not have it.
		if os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) != nil {
			return false
		}
	}
	return true
}
