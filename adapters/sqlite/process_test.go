//go:build unix

package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// roleVariable names what this binary does when a test has started it as another
// process.
const roleVariable = "SQLITE_TEST_ROLE"

func TestMain(m *testing.M) {
	role, ok := map[string]func(path string) error{
		"create": createSome,
		"fail":   failToCommit,
		"serve":  serveUntilKilled,
		"churn":  func(path string) error { return openAndClose(path, Options{Exclusive: true}, math.MaxInt) },
		"keep":   func(path string) error { return openAndClose(path, Options{Exclusive: true}, visits) },
		"visit":  func(path string) error { return openAndClose(path, Options{}, visits) },
	}[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process returns this binary, to be run in a role on the file.
func process(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, path)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}

func TestProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	const processes = 4
	path := filepath.Join(t.TempDir(), "problems.db")
	var group sync.WaitGroup
	for range processes {
		group.Go(func() {
			if output, err := process(t, "create", path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, output)
			}
		})
	}
	group.Wait()
	b := &bench{T: t, path: path}
	b.Store = b.open(Options{})
	var problems, migrations int
	b.must(b.reading.NewRaw("SELECT (SELECT count(*) FROM problems), (SELECT count(*) FROM bun_migrations)").Scan(t.Context(), &problems, &migrations))
	if known, err := builtin.Compare(nil, 0); err != nil || problems != processes*some || migrations != len(known) {
		t.Errorf("there are %d problems and %d migrations (%v)", problems, migrations, err)
	}
}

const some = 20

func createSome(path string) error {
	s, err := Open(context.Background(), Options{Path: path})
	if err != nil {
		return err
	}
	ids := ident.NewSequence(start, [10]byte{1: byte(os.Getpid() >> 16), 2: byte(os.Getpid() >> 8), 3: byte(os.Getpid())})
	for created := 0; created < some; {
		id, err := s.Reserve(context.Background())
		if err != nil {
			return err
		}
		_, err = s.Commit(context.Background(), creation(id, &ids, "one of some"))
		switch {
		case err == nil:
			created++
		case !fault.Is(err, fault.Conflict): // another process was quicker
			return err
		}
	}
	return s.Close()
}

func creation(id problem.ID, ids *ident.Sequence, title string) store.Change {
	return store.Change{Batch: ids.Next(), At: start, Effects: []store.Effect{store.CreateProblem{Problem: problem.Problem{
		ID: id, Fields: problem.Fields{Title: title, State: ids.Next()},
		Originator: ids.Next(), Created: start, Modifier: ids.Next(), Modified: start, Revision: 1,
	}}}}
}

// A limit on the size of files makes the write of a COMMIT fail.
func TestCommitThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	if output, err := process(t, "fail", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

func failToCommit(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}
	ids := ident.NewSequence(start, [10]byte{})
	if _, err := s.Commit(ctx, creation(1, &ids, "before")); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	wal, err := os.Stat(path + "-wal")
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := limit
	small.Cur = uint64(wal.Size()) + 5000 // one page and a part of the next
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	lost := creation(2, &ids, strings.Repeat("x", 100000))
	if _, err := s.Commit(ctx, lost); !fault.Is(err, fault.UnknownOutcome) {
		return fmt.Errorf("the Commit: got %v, want a fault of the kind %q", err, fault.UnknownOutcome)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, stored, err := s.Outcome(ctx, lost.Batch, start); err != nil || stored {
		return fmt.Errorf("Outcome says %t, %w", stored, err)
	}
	if _, err := s.Commit(ctx, lost); !fault.Is(err, fault.Abandoned) {
		return fmt.Errorf("the Commit after Outcome: got %v, want a fault of the kind %q", err, fault.Abandoned)
	}
	if _, err := s.Commit(ctx, creation(2, &ids, "after")); err != nil {
		return fmt.Errorf("the Commit after the failure: %w", err)
	}
	return s.Close()
}

func TestLockOfAKilledProcessIsFree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	server := process(t, "serve", path)
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 1)); err != nil { // until it has the lock
		t.Fatal(err)
	}
	o := Options{Path: path, Exclusive: true}
	if s, err := Open(t.Context(), o); err == nil {
		_ = s.Close()
		t.Error("two processes have the lock")
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*exec.ExitError](server.Wait()); !ok {
		t.Error("the process was not killed")
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func serveUntilKilled(path string) error {
	if _, err := Open(context.Background(), Options{Path: path, Exclusive: true}); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err := os.Stdin.Read(make([]byte, 1)) // for ever
	return err
}

// A process that is killed at any moment, also while it makes the store or closes it,
// leaves a store that opens, with all that it has acknowledged.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const steps = 40
	path := filepath.Join(t.TempDir(), "problems.db")
	acknowledged := 0
	for step := range steps {
		churn := process(t, "churn", path)
		output, err := churn.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := churn.Start(); err != nil {
			t.Fatal(err)
		}
		// The kill comes somewhere in what follows the last of these.
		said := make([]byte, step%8)
		if _, err := io.ReadFull(output, said); err != nil {
			t.Fatal(err)
		}
		if err := churn.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(output)
		if err != nil {
			t.Fatal(err)
		}
		_ = churn.Wait() // killed
		acknowledged += bytes.Count(append(said, rest...), []byte("c"))
		if step%3 == 0 {
			continue // the next process finds what this one has left
		}
		s, err := Open(t.Context(), Options{Path: path, Exclusive: true})
		if err != nil {
			t.Fatalf("step %d, after %q: %v", step, said, err)
		}
		next, err := s.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if stored := int(next) - 1; stored < acknowledged || stored > acknowledged+step+1 {
			t.Errorf("step %d: %d problems are stored, and %d acknowledged", step, stored, acknowledged)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// visits is how often a process opens and closes a store that others use as well.
const visits = 25

// Processes that open and close the store all the time do not take it for one without
// its log, and leave it complete.
func TestProcessesComeAndGo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const processes = 4
	path := filepath.Join(t.TempDir(), "problems.db")
	var group sync.WaitGroup
	for i := range processes {
		role := "visit"
		if i == 0 {
			role = "keep"
		}
		group.Go(func() {
			if output, err := process(t, role, path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, output)
			}
		})
	}
	group.Wait()
	b := &bench{T: t, path: path}
	b.must(opened(t, Options{Path: path, Existing: true}))
	b.Store = b.duplicate("").open(Options{Existing: true})
	if next, err := b.Reserve(t.Context()); err != nil || next != processes*visits+1 {
		t.Errorf("the next problem is %d (%v), want %d", next, err, processes*visits+1)
	}
}

// openAndClose says when it has opened the store, stored a problem and closed the
// store, again and again.
func openAndClose(path string, o Options, times int) error {
	o.Path = path
	ctx := context.Background()
	ids := ident.NewSequence(time.Now(), [10]byte{1: byte(os.Getpid() >> 16), 2: byte(os.Getpid() >> 8), 3: byte(os.Getpid())})
	for range times {
		s, err := Open(ctx, o)
		if err != nil {
			return err
		}
		fmt.Print("o")
		for stored := false; !stored; {
			id, err := s.Reserve(ctx)
			if err != nil {
				return err
			}
			_, err = s.Commit(ctx, creation(id, &ids, "again"))
			if stored = err == nil; !stored && !fault.Is(err, fault.Conflict) { // another process was quicker
				return err
			}
		}
		fmt.Print("c")
		if err := s.Close(); err != nil {
			return err
		}
		fmt.Print("x")
	}
	return nil
}
