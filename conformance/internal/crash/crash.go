package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/powercut"
	"github.com/problemtracking/problems/domain/ident"
)

// Enough reports whether it is time to end a child, by its Statements so far.
func Enough(s harness.CrashSpec, said harness.Ledger) bool {
	commits, ruled, sights, restored := 0, 0, 0, false
	pending := make(map[ident.ID]bool) // Changes with a Commit under way
	done := func(early bool) bool {
		return !s.Midway && commits >= s.Commits && ruled >= s.Rulings && (restored || s.Restore == 0) && (early || sights >= s.Sights)
	}
	for _, one := range said {
		switch {
		case one.Action == harness.Restoring && one.Phase == harness.Halfway && s.Midway:
			return true
		case one.Action == harness.Restoring && one.Phase == harness.Acknowledged:
			restored = true
		case one.Action == harness.Committing && one.Phase == harness.Tried:
			pending[one.Batch] = true
		case one.Action == harness.Committing:
			delete(pending, one.Batch)
			if one.Phase == harness.Acknowledged {
				commits++
			}
		case one.Action == harness.Ruling && one.Phase == harness.Acknowledged:
			ruled++
		case one.Sight():
			sights++
			if done(pending[one.Batch]) {
				return true
			}
		}
	}
	return done(false)
}

// KillChild is the Harness.Crash for stores whose data are safe when the process with the
// open store is killed. It runs the calling program once more as the child. The child
// commits, until KillChild ends it with SIGKILL. Unsynced data survive that: with Lose it
// declines.
func KillChild(t harness.T, spec harness.CrashSpec) harness.CrashRun {
	t.Helper()
	if spec.Lose {
		return harness.CrashRun{Declined: "killing a process loses nothing that was not synced: use conformance.CutPower if the store keeps files below Env.Dir, else a Crash of its own"}
	}
	child := StartChild(t, spec)
	early := child.Reached()
	return harness.CrashRun{Ledger: child.Kill(), Early: early}
}

// CutPower is the Harness.Crash for stores with all their data in files below Env.Dir.
// Without Lose it is KillChild. With it, strace records the child's operations on the
// files. When the child is dead, the files get the content of a disk after a power cut:
// the synced one. The moment depends on the Seed: it is the last acknowledgement, or one
// of the next syncs after it.
//
// It needs Linux, strace 5.3 or newer and the right to trace own processes, but
// not to be root.
func CutPower(t harness.T, spec harness.CrashSpec) harness.CrashRun {
	t.Helper()
	if !spec.Lose {
		return KillChild(t, spec)
	}
	strace, err := tracer()
	if err != nil {
		return harness.CrashRun{Unable: err.Error()}
	}
	before, err := powercut.Snapshot(spec.Env.Dir)
	if err != nil {
		t.Fatalf("the directory of the store cannot be read, of which a power cut leaves a part: %v", err)
	}
	// Once in a thousand times strace records less of a call than was written. Such a
	// trace says nothing about the store.
	for attempt := 1; ; attempt++ {
		run, err := cutPower(t, spec, strace)
		if err == nil {
			return run
		}
		if attempt == attempts {
			t.Fatalf("what the power cut leaves cannot be told from the trace that strace was to write: %v", err)
		}
		t.Logf("the power is cut once more, as the trace cannot be read: %v", err)
		if err := before.Restore(); err != nil {
			t.Fatalf("the files as they were before could not be written: %v", err)
		}
	}
}

// attempts is the number of power cuts before giving up on a readable trace.
const attempts = 3

// cutPower cuts the power. It fails when the remains cannot be computed.
func cutPower(t harness.T, spec harness.CrashSpec, strace []string) (harness.CrashRun, error) {
	t.Helper()
	disk, err := powercut.Snapshot(spec.Env.Dir)
	if err != nil {
		return harness.CrashRun{}, err
	}
	path := filepath.Join(t.TempDir(), "trace")
	child, err := start(t, spec, append(strace, "-o", path)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	early := child.Reached()
	if child.Kill(); early != "" {
		return harness.CrashRun{Early: early}, nil
	}
	ledger, err := replay(disk, path, spec)
	if never, ok := errors.AsType[*powercut.Untraceable](err); ok {
		return harness.CrashRun{Unable: never.Error()}, nil
	}
	if err != nil {
		return harness.CrashRun{}, err
	}
	if err := disk.Restore(); err != nil {
		t.Fatalf("the files as they are after a power cut could not be written: %v", err)
	}
	return harness.CrashRun{Ledger: ledger}, nil
}

// moments is the number of moments for a power cut: at an acknowledgement, and after each
// of the next syncs.
const moments = 4

// replay applies the trace to the disk until the power fails, and returns the child's
// Statements up to then.
func replay(disk *powercut.Disk, path string, spec harness.CrashSpec) (ledger harness.Ledger, err error) {
	trace, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = trace.Close() }()
	left := int(spec.Seed % moments)
	reached := false
	err = disk.Replay(trace, func(e powercut.Event) bool {
		if one, ok := harness.ParseStatement(string(e.Said)); ok {
			ledger = append(ledger, one)
			reached = reached || Enough(spec, ledger)
		}
		if reached && e.Synced {
			left--
		}
		return reached && left <= 0
	})
	if err == nil && !reached {
		err = errors.New("the trace of strace ends before the child does")
	}
	return ledger, err
}

// tracer returns the command to run another one under strace.
func tracer() ([]string, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("losing what was not synced takes Linux, which has strace: this is %s", runtime.GOOS)
	}
	path, err := exec.LookPath("strace")
	if err != nil {
		return nil, errors.New("losing what was not synced takes strace, which is missing: on Debian, `apt-get install strace` brings it")
	}
	command := append([]string{path}, powercut.Arguments()...)
	trial := exec.Command(path, append(powercut.Arguments(), "-o", os.DevNull, path, "-V")...)
	if output, err := trial.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("losing what was not synced takes strace 5.3 or newer and the right to trace own processes: strace says %q", output)
	}
	return command, nil
}

// start starts the child, by way of another command if one is given. It fails when
// this program cannot be run again.
func start(t harness.T, spec harness.CrashSpec, by ...string) (*Child, error) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be run again as a child process: %w", err)
	}
	args := os.Args[1:]
	_, isChild := os.LookupEnv(ChildVariable)
	switch {
	case isChild:
		return nil, errors.New("this process is a child itself")
	case spec.Test != "":
		args = []string{"-test.run=" + Pattern(spec.Test), "-test.count=1", "-test.timeout=0"}
	case testing.Testing():
		return nil, errors.New("the child process would not know which test it has to run: call conformance.Run in tests")
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	command := append(append(by, binary), args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), ChildVariable+"="+string(text), "TMPDIR="+t.TempDir())
	return startProcess(t, spec, cmd)
}

// Pattern returns the regular expression of the flag -test.run for one test.
func Pattern(test string) string {
	names := strings.Split(test, "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return strings.Join(names, "/")
}
