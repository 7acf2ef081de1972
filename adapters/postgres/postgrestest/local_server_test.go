package postgrestest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

func TestLocalServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	open(t, filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir))
	server, err := postgrestest.StartLocal(t.Context(), dir, "max_connections=7")
	if err != nil {
		t.Fatal(err)
	}
	removed := false
	t.Cleanup(func() {
		if !removed {
			_ = server.Remove(context.Background()) // the test has failed already
		}
	})
	conn := connect(t, server.URL())
	if got := ask[string](t, conn, "SHOW max_connections"); got != "7" {
		t.Errorf("max_connections is %s; want 7", got)
	}
	if got := ask[string](t, conn, "SHOW fsync"); got != "on" {
		t.Errorf("fsync is %s; want on", got)
	}
	if err := syscall.Kill(server.PID(), 0); err != nil {
		t.Errorf("there is no process %d: %v", server.PID(), err)
	}
	if _, err := postgrestest.StartLocal(t.Context(), dir); !os.IsExist(err) {
		t.Errorf("a second server in the same folder: %v", err)
	}
	if err := server.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	removed = true
	expectGone(t, conn)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestLocalServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	open(t, filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir))
	if server, err := postgrestest.StartLocal(t.Context(), dir, "no_such_setting=1"); err == nil {
		t.Errorf("it has started: %v", server.Remove(t.Context()))
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// open lets everybody get to what is in the folders: root runs PostgreSQL as another
// user.
func open(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		if err := os.Chmod(folder, 0o711); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProgramsOfAVersion starts a server of named programs, or says what they lack.
func TestProgramsOfAVersion(t *testing.T) {
	const variable = "PROBLEMS_TEST_POSTGRES_PROGRAMS"
	dir := filepath.Join(t.TempDir(), "postgres")
	open(t, filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir))
	t.Setenv(variable, "/nowhere")
	if _, err := postgrestest.StartLocal(t.Context(), dir); err == nil || !strings.Contains(err.Error(), variable+" names /nowhere, which lacks postgres or initdb") {
		t.Errorf("without programs: %v", err)
	}
	t.Setenv(variable, "")
	programs, err := postgrestest.Folder("postgres", "initdb")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, programs)
	server, err := postgrestest.StartLocal(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}
