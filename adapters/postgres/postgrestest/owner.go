package postgrestest

import (
	"fmt"
	"hash/fnv"
	"os"

	"github.com/shirou/gopsutil/v4/process"
)

// thisProcess names this process uniquely among all processes, past ones too, of the
// machines that share an engine or a directory.
func thisProcess() string {
	pid := os.Getpid()
	return fmt.Sprintf("%08x-%d-%d", machine(), pid, startOf(int32(pid)))
}

// orphaned reports whether a thing with this owner, as named by thisProcess, has outlived
// it. Only the owner's own machine can tell.
func orphaned(owner string) bool {
	var (
		home  uint32
		pid   int32
		start int64
	)
	if _, err := fmt.Sscanf(owner, "%08x-%d-%d", &home, &pid, &start); err != nil || home != machine() {
		return false
	}
	const sameProcess = 5000 // milliseconds by which two looks at one process may differ
	now := startOf(pid)
	return now == 0 || now-start > sameProcess || start-now > sameProcess
}

// machine is the scope of process identifiers: this host, or our container.
func machine() uint32 {
	name, _ := os.Hostname()
	namespace, _ := os.Readlink("/proc/self/ns/pid") // Linux alone has it
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%s/%d", name, namespace, os.Getuid())
	return h.Sum32()
}

// startOf returns when a process started in milliseconds since 1970, or 0 when
// there is none.
func startOf(pid int32) int64 {
	p, err := process.NewProcess(pid)
	if err != nil {
		return 0
	}
	created, err := p.CreateTime()
	if err != nil {
		return 0
	}
	return created
}
