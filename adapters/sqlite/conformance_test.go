package sqlite_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
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
	path := func(env conformance.Env) string { return filepath.Join(env.Dir, "problems.db") }
	reopen := func(t conformance.T, env conformance.Env) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path(env)})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	open := func(t conformance.T, env conformance.Env) store.Store {
		content, err := migrated()
		if err == nil {
			err = os.WriteFile(path(env), content, 0o600)
		}
		if err != nil {
			t.Fatalf("the store cannot be made: %v", err)
		}
		return reopen(t, env)
	}
	conformance.RunWith(t, conformance.Harness{
		Name:   "sqlite",
		Open:   open,
		Reopen: reopen,
		Peer:   reopen,
		Crash:  conformance.CutPower,
		Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes, LastReads: conformance.No},
	}, conformance.Options{Patience: casePatience})
}

// migrated returns the file of an empty store. A store of a case begins with it: the schema
// takes longer than most cases. Its index of parts has every row from the beginning on.
var migrated = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "problems-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "problems.db")
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path})
	if err != nil {
		return nil, err
	}
	_, err = s.Pools()["writer"].Exec("UPDATE versions SET (title_parts, comment_parts) = (1 << 62, 1 << 62)")
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
