package sqlite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

// refused checks that nobody opens the file, and that the error says why.
func refused(t *testing.T, o Options, want string) {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err == nil {
		_ = s.Close()
		t.Fatalf("%+v is opened; want %q", o, want)
	}
	if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), o.Path) {
		t.Errorf("the error of %s is %q, want one with %q", o.Path, err, want)
	}
}

// Two servers would each have a write-ahead log of their own, and destroy what the
// other has acknowledged. So there is one for each file, whatever became of the file
// that was once its lock.
func TestExclusiveWithoutLockFile(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(lock string) error{
		"removed": os.Remove,
		"replaced": func(lock string) error {
			if err := os.WriteFile(lock+".new", nil, 0o600); err != nil {
				return err
			}
			return os.Rename(lock+".new", lock)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bench{T: t, path: filepath.Join(t.TempDir(), "problems.db")}
			server := b.open(Options{Exclusive: true})
			b.must(spoil(b.path + ".lock"))
			refused(t, Options{Path: b.path, Exclusive: true}, "another `problems serve` uses it")
			b.open(Options{}) // the command line goes on beside it
			b.must(server.Close())
			b.open(Options{Exclusive: true})
		})
	}
}

// A file with two names has two write-ahead logs, of which each user finds one.
func TestHardLink(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, path: filepath.Join(t.TempDir(), "problems.db")}
	server := b.open(Options{Exclusive: true})
	b.Store = server
	b.commit(b.create(1, "before"))
	other := filepath.Join(t.TempDir(), "other.db")
	b.must(os.Link(b.path, other))
	for _, path := range []string{b.path, other} {
		for _, exclusive := range []bool{true, false} {
			refused(t, Options{Path: path, Exclusive: exclusive}, "2 hard links")
		}
		if _, err := Migrate(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), "2 hard links") {
			t.Errorf("%s is migrated: %v", path, err)
		}
		if _, err := Status(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), "2 hard links") {
			t.Errorf("%s has a status: %v", path, err)
		}
	}
	if _, err := os.Stat(other + "-wal"); !os.IsNotExist(err) {
		t.Errorf("there is a second log: %v", err)
	}
	_, err := b.Commit(t.Context(), b.create(2, "while there are two names"))
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "2 hard links") {
		t.Errorf("a write is answered with %v", err)
	}
	if _, err := b.Versions(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Versions, by which the service is ready, is answered with %v", err)
	}
	b.must(os.Remove(other))
	b.commit(b.create(2, "afterwards"))
}

// The lock is on the file itself, and so the same under each of its names.
func TestExclusiveByAnotherName(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, path: filepath.Join(t.TempDir(), "problems.db")}
	b.open(Options{Exclusive: true})
	link := filepath.Join(t.TempDir(), "link.db")
	b.must(os.Symlink(b.path, link))
	_, err := Open(t.Context(), Options{Path: link, Exclusive: true})
	if err == nil || !strings.Contains(err.Error(), "another `problems serve` uses it") {
		t.Errorf("through a symbolic link: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	b.must(os.Link(b.path, other))
	info, err := os.Stat(other)
	b.must(err)
	lock, err := file{path: other, info: info}.lock()
	if err == nil || !strings.Contains(err.Error(), "another `problems serve` uses it") {
		_ = lock.Close()
		t.Errorf("under another name the file is locked once more: %v", err)
	}
}

// The lock for kernels that cannot lock a part of a file is also on the inode, and leaves
// SQLite's locks alone.
func TestLocksOfTheInode(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]func(*os.File) error{"part": lockPart, "whole": lockWhole} {
		b := setup(t)
		other := filepath.Join(t.TempDir(), "other.db")
		b.must(os.Link(b.path, other))
		first, err := os.OpenFile(b.path, os.O_RDWR, 0)
		b.must(err)
		second, err := os.OpenFile(other, os.O_RDWR, 0)
		b.must(err)
		b.must(lock(first))
		if err := lock(second); !errors.Is(err, syscall.EAGAIN) {
			t.Errorf("%s: under another name it is locked once more: %v", name, err)
		}
		b.must(os.Remove(other))
		b.commit(b.create(1, "beside the lock"))
		b.must(first.Close())
		// A child process of another test has the first file too, until its exec.
		for err = lock(second); errors.Is(err, syscall.EAGAIN); err = lock(second) {
			runtime.Gosched()
		}
		b.must(err)
		b.must(second.Close())
	}
}

// serveMounted runs this binary as a server on a path, in a name space of its own, after the
// shell has mounted something. It returns what the process has said; "" where this
// system does not let the test mount anything.
func serveMounted(t *testing.T, mount, path string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	flags := "-m"
	if os.Getuid() != 0 {
		flags = "-rm"
	}
	unshare := func(script string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", flags, "sh", "-ec", script)
		cmd.Env = append(os.Environ(), roleVariable+"=serve", "BINARY="+binary, "FILE="+path)
		return cmd.CombinedOutput()
	}
	if output, err := unshare(mount); err != nil {
		t.Logf("nothing can be mounted here, so that only the lock on the inode is tested: %v %s", err, output)
		return ""
	}
	output, err := unshare(mount + `; exec "$BINARY" "$FILE" </dev/null`)
	if err == nil {
		t.Errorf("%s is served: %s", path, output)
	}
	return string(output)
}

func TestBindMount(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, path: filepath.Join(t.TempDir(), "problems.db")}
	b.Store = b.open(Options{Exclusive: true})
	b.commit(b.create(1, "before"))
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	b.must(os.WriteFile(other, nil, 0o600))
	if said := serveMounted(t, "mount --bind '"+b.path+"' '"+other+"'", other); said != "" && !strings.Contains(said, "mounted by itself") {
		t.Errorf("the file mounted elsewhere is answered with %q", said)
	}
	path := filepath.Join(dir, filepath.Base(b.path))
	if said := serveMounted(t, "mount --bind '"+filepath.Dir(b.path)+"' '"+dir+"'", path); said != "" && !strings.Contains(said, "another `problems serve` uses it") {
		t.Errorf("the directory mounted elsewhere is answered with %q", said)
	}
	b.commit(b.create(2, "after"))
}

func TestReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must(b.Close())
	dir := filepath.Dir(b.path)
	mount := "mount --bind '" + dir + "' '" + dir + "'; mount -o remount,bind,ro '" + dir + "'"
	for _, path := range []string{b.path, filepath.Join(dir, "new.db")} {
		if said := serveMounted(t, mount, path); said != "" && (!strings.Contains(said, "the file system is read-only") || !strings.Contains(said, path)) {
			t.Errorf("%s is answered with %q", path, said)
		}
	}
	if err := readOnly("/problems.db", os.ErrPermission); err != nil {
		t.Errorf("what is forbidden is taken for a read-only file system: %v", err)
	}
}

// What was written while the file lost its name is not acknowledged.
func TestFileIsLostDuringCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "before"))
	err := b.submit(t.Context(), func(tx *transaction) error {
		if err := os.Rename(b.path, b.path+".old"); err != nil {
			return err
		}
		_, err := tx.commit(b.create(2, "after"))
		return err
	})
	if !fault.Is(err, fault.UnknownOutcome) || !strings.Contains(err.Error(), "moved, replaced or deleted") {
		t.Errorf("the write is answered with %v", err)
	}
}

// A log without a name is lost when the process is killed. When it ends in order, all
// that is in the log is moved into the file.
func TestLogIsLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(log string) error{
		"removed":  os.Remove,
		"moved":    func(log string) error { return os.Rename(log, log+".old") },
		"replaced": func(log string) error { return copyOver(log, log) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.commit(b.create(1, "before"))
			b.must(lose(b.path + "-wal"))
			_, err := b.Commit(t.Context(), b.create(2, "after"))
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "write-ahead log") {
				t.Errorf("a write is answered with %v", err)
			}
			if _, err := b.Versions(t.Context()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("Versions, by which the service is ready, is answered with %v", err)
			}
			b.must(b.Close())
			b.Store = b.open(Options{})
			if !b.exists(1) {
				t.Error("what was acknowledged is gone")
			}
		})
	}
}
