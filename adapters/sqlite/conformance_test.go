package sqlite_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

// casePatience is the time limit of a case, for a machine that is busy with other tests.
const casePatience = 5 * time.Minute

func TestConformance(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil && runtime.GOOS == "linux" {
		t.Error("without strace nobody sees what is lost when the power fails: install it, as make deps does")
	}
	open := func(t conformance.T, env conformance.Env) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(env.Dir, "problems.db")})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	conformance.RunWith(t, conformance.Harness{
		Name:   "sqlite",
		Open:   open,
		Reopen: open,
		Peer:   open,
		Crash:  conformance.CutPower,
		Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes, LastReads: conformance.No},
	}, conformance.Options{Patience: casePatience})
}
