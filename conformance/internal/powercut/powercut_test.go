package powercut

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// found is a directory with one file, old, that is kept.
func found(t *testing.T) (dir string, d *Disk) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	d, err := Snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, d
}

// show writes what is kept in one line, without the file old if it is as it was.
func show(d *Disk) string {
	kept := d.Kept()
	if string(kept["old"]) == "before" {
		delete(kept, "old")
	} else if _, ok := kept["old"]; !ok {
		kept["old is gone"] = nil
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(kept)) {
		all = append(all, fmt.Sprintf("%s=%q", path, kept[path]))
	}
	return strings.Join(all, " ")
}

func TestReplay(t *testing.T) {
	t.Parallel()
	const (
		create = "1 openat(AT_FDCWD</>, \"~/a\", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3<~/a>\n"
		parent = "1 openat(AT_FDCWD</>, \"~\", O_RDONLY|O_CLOEXEC) = 4<~>\n"
		old    = "1 openat(AT_FDCWD</>, \"~/old\", O_RDWR|O_CLOEXEC) = 5<~/old>\n"
		write  = "1 pwrite64(3<~/a>, \"abc\", 3, 0) = 3\n"
		sync   = "1 fsync(3<~/a>) = 0\n"
		folder = "1 fsync(4<~>) = 0\n"
	)
	for _, test := range []struct{ name, trace, kept string }{
		{"nothing", "", ``},
		{"a file that is not synced", create + write, ``},
		{"a file that is synced", create + write + sync, `a="abc"`},
		{"a file of which the data are synced", create + write + "1 fdatasync(3<~/a>) = 0\n", `a="abc"`},
		{"a file whose directory alone is synced", create + write + parent + folder, `a=""`},
		{"a sync that fails", create + write + "1 fsync(3<~/a>) = -1 EIO (Input/output error)\n", ``},
		{"a sync that does not return", create + write + "1 fsync(3<~/a> <unfinished ...>) = ?\n1 +++ killed by SIGKILL +++\n", ``},
		{"a sync that is cut off", create + write + "1 fsync(3<~/a> <unfinished ...>\n", ``},
		{"a sync that nobody sees the end of", create + write + "1 fsync(3<~/a> <detached ...>\n1 +++ killed by SIGKILL +++\n", ``},
		{"half a line", create + write + strings.TrimSuffix(sync, "\n"), ``},
		{"sync_file_range", create + write + "1 sync_file_range(3<~/a>, 0, 3, SYNC_FILE_RANGE_WRITE) = 0\n", ``},
		{"a sync of everything", create + write + "1 sync() = 0\n", `a="abc"`},
		{"a sync of the file system", create + write + "1 syncfs(4<~>) = 0\n", `a="abc"`},
		{"a write after the sync", create + write + sync + "1 pwrite64(3<~/a>, \"x\", 1, 1) = 1\n", `a="abc"`},
		{
			"a write during the sync",
			create + write + "1 fsync(3<~/a> <unfinished ...>\n2 pwrite64(3<~/a>, \"x\", 1, 1) = 1\n1 <... fsync resumed>) = 0\n",
			`a="abc"`,
		}, {
			"a write that ends during the sync",
			create + write + "2 pwrite64(3<~/a>, \"x\", 1, 1 <unfinished ...>\n1 fsync(3<~/a> <unfinished ...>\n2 <... pwrite64 resumed>) = 1\n1 <... fsync resumed>) = 0\n",
			`a="abc"`,
		},
		{"a write of less than was asked for", create + "1 pwrite64(3<~/a>, \"abc\", 3, 0) = 2\n" + sync, `a="ab"`},
		{"a write beyond the end", create + "1 pwrite64(3<~/a>, \"abc\", 3, 2) = 3\n" + sync, `a="\x00\x00abc"`},
		{"a write that fails", create + "1 pwrite64(3<~/a>, \"abc\", 3, 0) = -1 ENOSPC (No space left on device)\n" + sync, `a=""`},
		{"bytes in hexadecimal", create + `1 write(3<~/a>, "\x22\x0a\xff", 3) = 3` + "\n" + sync, `a="\"\n\xff"`},
		{"writes in a row", create + "1 write(3<~/a>, \"ab\", 2) = 2\n1 writev(3<~/a>, [{iov_base=\"c\", iov_len=1}, {iov_base=\"d\", iov_len=1}], 2) = 2\n" + sync, `a="abcd"`},
		{"a read between writes", old + "1 read(5<~/old>, \"be\", 2) = 2\n1 write(5<~/old>, \"F\", 1) = 1\n1 fsync(5<~/old>) = 0\n", `old="beFore"`},
		{"a move between writes", old + "1 lseek(5<~/old>, 0, SEEK_END) = 6\n1 write(5<~/old>, \"!\", 1) = 1\n1 fsync(5<~/old>) = 0\n", `old="before!"`},
		{"a copy of the descriptor", create + "1 fcntl(3<~/a>, F_DUPFD_CLOEXEC, 0) = 7<~/a>\n1 write(3<~/a>, \"a\", 1) = 1\n1 write(7<~/a>, \"b\", 1) = 1\n1 fsync(7<~/a>) = 0\n", `a="ab"`},
		{
			"appending",
			"1 openat(AT_FDCWD</>, \"~/old\", O_WRONLY|O_APPEND) = 5<~/old>\n1 write(5<~/old>, \"!\", 1) = 1\n1 pwrite64(5<~/old>, \"?\", 1, 0) = 1\n1 fsync(5<~/old>) = 0\n",
			`old="before!?"`,
		},
		{"a size that is not synced", old + "1 ftruncate(5<~/old>, 2) = 0\n", ``},
		{"a size that is synced", old + "1 ftruncate(5<~/old>, 2) = 0\n1 fsync(5<~/old>) = 0\n", `old="be"`},
		{"a file that is emptied when it is opened", "1 openat(AT_FDCWD</>, \"~/old\", O_WRONLY|O_TRUNC) = 5<~/old>\n1 fsync(5<~/old>) = 0\n", `old=""`},
		{"a file that grows", create + write + "1 fallocate(3<~/a>, 0, 0, 5) = 0\n" + sync, `a="abc\x00\x00"`},
		{"room for a file", create + write + "1 fallocate(3<~/a>, FALLOC_FL_KEEP_SIZE, 0, 5) = 0\n" + sync, `a="abc"`},
		{"a hole", create + write + "1 fallocate(3<~/a>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 1, 1) = 0\n" + sync, `a="a\x00c"`},
		{
			"a synchronised descriptor",
			"1 openat(AT_FDCWD</>, \"~/a\", O_WRONLY|O_CREAT|O_DSYNC, 0600) = 3<~/a>\n" + write, `a="abc"`,
		}, {
			"a synchronised descriptor beside another",
			old + "1 openat(AT_FDCWD</>, \"~/old\", O_WRONLY|O_SYNC) = 6<~/old>\n1 pwrite64(5<~/old>, \"AB\", 2, 0) = 2\n1 pwrite64(6<~/old>, \"x\", 1, 1) = 1\n",
			`old="bxfore"`,
		},
		{"a name that is removed", parent + "1 unlinkat(AT_FDCWD</>, \"~/old\", 0) = 0\n", ``},
		{"a name that is removed for good", parent + "1 unlinkat(AT_FDCWD</>, \"~/old\", 0) = 0\n" + folder, `old is gone=""`},
		{"a name that is removed after the sync began", parent + "1 fsync(4<~> <unfinished ...>\n2 unlinkat(AT_FDCWD</>, \"~/old\", 0) = 0\n1 <... fsync resumed>) = 0\n", ``},
		{"a new file with an old name", "1 unlink(\"~/old\") = 0\n1 openat(AT_FDCWD</>, \"~/old\", O_WRONLY|O_CREAT) = 5<~/old>\n1 write(5<~/old>, \"new\", 3) = 3\n1 fsync(5<~/old>) = 0\n", `old="new"`},
		{"a rename without a sync of the directory", create + write + sync + "1 renameat(AT_FDCWD</>, \"~/a\", AT_FDCWD</>, \"~/old\") = 0\n", `a="abc"`},
		{"a rename with a sync of the directory", create + write + sync + "1 renameat(AT_FDCWD</>, \"~/a\", AT_FDCWD</>, \"~/old\") = 0\n" + parent + folder, `old="abc"`},
		{"a rename of what was not synced", create + write + "1 rename(\"~/a\", \"~/old\") = 0\n" + parent + folder, `old=""`},
		{"a rename after which the file is synced", create + "1 rename(\"~/a\", \"~/old\") = 0\n" + write + sync, `a="abc"`},
		{
			"a log that is moved away and begun anew",
			"1 rename(\"~/old\", \"~/older\") = 0\n1 openat(AT_FDCWD</>, \"~/old\", O_WRONLY|O_CREAT) = 5<~/old>\n1 fsync(5<~/old>) = 0\n",
			`old="" older="before"`,
		},
		{"an exchange", create + write + sync + "1 renameat2(AT_FDCWD</>, \"~/a\", AT_FDCWD</>, \"~/old\", RENAME_EXCHANGE) = 0\n" + parent + folder, `a="before" old="abc"`},
		{"a second name", "1 link(\"~/old\", \"~/b\") = 0\n" + old + "1 fsync(5<~/old>) = 0\n", ``},
		{"a second name for good", "1 linkat(AT_FDCWD</>, \"~/old\", AT_FDCWD</>, \"~/b\", 0) = 0\n" + parent + folder, `b="before"`},
		{"a directory", "1 mkdirat(AT_FDCWD</>, \"~/sub\", 0700) = 0\n", ``},
		{"a directory for good", "1 mkdir(\"~/sub\", 0700) = 0\n" + parent + folder, `sub/=""`},
		{
			"a file in a new directory",
			"1 mkdirat(AT_FDCWD</>, \"~/sub\", 0700) = 0\n1 openat(AT_FDCWD</>, \"~/sub\", O_RDONLY) = 6<~/sub>\n" +
				"1 openat(6<~/sub>, \"b\", O_WRONLY|O_CREAT) = 7<~/sub/b>\n1 write(7<~/sub/b>, \"b\", 1) = 1\n1 fsync(7<~/sub/b>) = 0\n",
			`sub/="" sub/b="b"`,
		}, {
			"a move between directories of which one is synced",
			create + write + sync + "1 mkdir(\"~/sub\", 0700) = 0\n1 rename(\"~/a\", \"~/sub/a\") = 0\n" + parent + folder, `sub/="" sub/a="abc"`,
		},
		{
			"a number that is another thread's by then",
			create + write + "1 close(3<~/a> <unfinished ...>\n2 openat(AT_FDCWD</>, \"~/b\", O_WRONLY|O_CREAT) = 3<~/b>\n1 <... close resumed>) = 0\n2 write(3<~/b>, \"b\", 1) = 1\n2 fsync(3<~/b>) = 0\n",
			`b="b"`,
		}, {
			"a thread that is seen before it is made",
			create + "1 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES <unfinished ...>\n2 pwrite64(3<~/a>, \"abc\", 3, 0) = 3\n1 <... clone resumed>) = 2\n" + sync,
			`a="abc"`,
		}, {
			"a process of its own",
			create + "1 clone(child_stack=NULL, flags=CLONE_VFORK) = 2\n2 execve(\"/bin/x\", [\"x\"], []) = 0\n2 dup2(0<pipe:[1]>, 3) = 3<pipe:[1]>\n2 write(3<pipe:[1]>, \"x\", 1) = 1\n" + write + sync,
			`a="abc"`,
		},
		{"a mapping that is not synced", create + "1 ftruncate(3<~/a>, 4) = 0\n1 mmap(NULL, 4, PROT_READ|PROT_WRITE, MAP_SHARED, 3<~/a>, 0) = 0x7f00\n" + parent + folder, `a=""`},
		{"what happens elsewhere", "1 openat(AT_FDCWD</>, \"/elsewhere\", O_WRONLY|O_CREAT) = 3</elsewhere>\n1 write(3</elsewhere>, \"x\", 1) = 1\n1 fsync(3</elsewhere>) = 0\n1 unlink(\"/elsewhere\") = 0\n", ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, d := found(t)
			if err := d.Replay(strings.NewReader(strings.ReplaceAll(test.trace, "~", dir)), func(Event) bool { return false }); err != nil {
				t.Fatal(err)
			}
			if got := show(d); got != test.kept {
				t.Errorf("what is kept: %s\nwant: %s", got, test.kept)
			}
		})
	}
}

// TestReplayOfWhatIsNotUnderstood shows that nothing is guessed.
func TestReplayOfWhatIsNotUnderstood(t *testing.T) {
	t.Parallel()
	const open = "1 openat(AT_FDCWD</>, \"~/old\", O_RDWR) = 3<~/old>\n"
	for _, test := range []struct {
		name, trace, want string
		never             bool // whether no other trace would do either
	}{
		{"a mapping", open + "1 mmap(NULL, 4, PROT_READ|PROT_WRITE, MAP_SHARED, 3<~/old>, 0) = 0x7f00\n1 fsync(3<~/old>) = 0\n", "mapping", true},
		{"a mapping by msync", open + "1 mmap(NULL, 4, PROT_READ|PROT_WRITE, MAP_SHARED, 3<~/old>, 0) = 0x7f00\n1 msync(0x7f00, 4, MS_SYNC) = 0\n", "mapping", true},
		{"io_uring", "1 io_uring_setup(8, {flags=0}) = 4<anon_inode:[io_uring]>\n", "io_uring_setup", true},
		{"a symbolic link", "1 symlinkat(\"old\", AT_FDCWD</>, \"~/b\") = 0\n", "symlinkat", false},
		{"a copy by the system", open + "1 copy_file_range(9</x>, NULL, 3<~/old>, NULL, 5, 0) = 5\n", "copy_file_range", true},
		{"a file without a name", "1 openat(AT_FDCWD</>, \"~\", O_RDWR|O_TMPFILE, 0600) = 3<~/#1>\n", "openat", false},
		{"a move out of the directory", "1 rename(\"~/old\", \"/elsewhere\") = 0\n", "across the edge", false},
		{"a file from nowhere", "1 openat(AT_FDCWD</>, \"~/b\", O_RDONLY) = 3<~/b>\n", "no earlier call", false},
		{"a text that is cut off", open + "1 write(3<~/old>, \"a\"..., 100) = 100\n", "not in the trace", false},
		{"no trace at all", "strace: command not found\n", "no line of a trace", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, d := found(t)
			err := d.Replay(strings.NewReader(strings.ReplaceAll(test.trace, "~", dir)), func(Event) bool { return false })
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Replay: %v, want an error with %q", err, test.want)
			}
			if _, never := errors.AsType[*Untraceable](err); never != test.never {
				t.Errorf("Replay: %v; whether no trace would do: %v, want %v", err, never, test.never)
			}
		})
	}
}

// TestMoment cuts the power when something is said, and when something is synced.
func TestMoment(t *testing.T) {
	t.Parallel()
	const trace = "1 openat(AT_FDCWD</>, \"~/a\", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3<~/a>\n" +
		"1 pwrite64(3<~/a>, \"abc\", 3, 0) = 3\n" +
		"1 write(1<pipe:[7]>, \"said \", 5) = 5\n" +
		"1 write(1<pipe:[7]>, \"so\", 2) = 2\n" +
		"1 fsync(3<~/a>) = 0\n"
	for _, test := range []struct {
		name, kept string
		cut        func(Event) bool
	}{
		{"said", ``, func(e Event) bool { return string(e.Said) == "so" }},
		{"synced", `a="abc"`, func(e Event) bool { return e.Synced }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, d := found(t)
			happened := false
			// What comes after the moment is not even read.
			err := d.Replay(strings.NewReader(strings.ReplaceAll(trace, "~", dir)+"no trace\n"), func(e Event) bool {
				happened = test.cut(e)
				return happened
			})
			if err != nil || !happened {
				t.Fatalf("Replay: %v; whether the moment came: %v", err, happened)
			}
			if got := show(d); got != test.kept {
				t.Errorf("what is kept: %s\nwant: %s", got, test.kept)
			}
		})
	}
}

// TestRestore makes a directory what it was, and keeps who may read it.
func TestRestore(t *testing.T) {
	t.Parallel()
	dir, d := found(t)
	path := filepath.Join(dir, "old")
	for name, content := range map[string]string{"old": "changed", "new": "new"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Restore(); err != nil {
		t.Fatal(err)
	}
	again, err := Snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(again); got != "" {
		t.Errorf("the directory has %s where nothing but the old file was expected", got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file is %v where 0640 was expected", info.Mode())
	}
}
