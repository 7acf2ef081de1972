package transfer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/problemtracking/problems/app/internal/transfer"
)

// files returns the names in a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func write(t *testing.T, path, text string, replace bool) *transfer.File {
	t.Helper()
	f, err := transfer.CreateFile(path, replace)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileAppearsWhenItIsComplete(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	f := write(t, path, "all", false)
	if _, err := os.Lstat(path); err == nil {
		t.Error("the file is there before it is kept")
	}
	if err := f.Keep(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "all" {
		t.Errorf("the file has %q (%v)", content, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("the file has the mode %v (%v), want 0600", info.Mode(), err)
	}
	if got := files(t, filepath.Dir(path)); got != "a.jsonl" {
		t.Errorf("the directory has %s, want a.jsonl alone", got)
	}
}

func TestFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	late := write(t, path, "late", false)
	if err := write(t, path, "first", false).Keep(); err != nil {
		t.Fatal(err)
	}
	if err := late.Keep(); !errors.Is(err, transfer.ErrTaken) || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that has appeared meanwhile: %v", err)
	}
	if _, err := transfer.CreateFile(path, false); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a file that was there before: %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "first" {
		t.Errorf("the file has %q, want what was first", content)
	}
	if err := write(t, path, "forced", true).Keep(); err != nil {
		t.Errorf("with force: %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "forced" {
		t.Errorf("the file has %q, want what was forced", content)
	}
	if got := files(t, filepath.Dir(path)); got != "a.jsonl" {
		t.Errorf("the directory has %s, want a.jsonl alone", got)
	}
}

// What is no regular file stays as it is, with or without force, and is not opened.
func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	link(t, "fifo", at("to-fifo"))
	link(t, "directory", at("to-directory"))
	link(t, "circle", at("circle"))
	before := files(t, dir)
	for _, name := range []string{"fifo", "directory", "to-fifo", "to-directory"} {
		was := mode(t, at(name))
		for _, replace := range []bool{false, true} {
			_, err := transfer.CreateFile(at(name), replace)
			if want := at(name) + " is not a regular file: write to standard output and redirect it"; err == nil || err.Error() != want {
				t.Errorf("%s, with force %v: %v, want %q", name, replace, err, want)
			}
		}
		if now := mode(t, at(name)); now != was {
			t.Errorf("%s has the mode %v, and had %v", name, now, was)
		}
	}
	if _, err := transfer.CreateFile(at("circle"), true); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("a link to itself: %v", err)
	}
	if after := files(t, dir); after != before {
		t.Errorf("the directory has %s, and had %s", after, before)
	}
}

// What has taken the place of a regular file since is not replaced either.
func TestOnlyRegularFilesAreReplacedInTheEnd(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		f := write(t, path, "new", replace)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("with force %v: %v", replace, err)
		}
		if got := mode(t, path); got.Type() != fs.ModeNamedPipe {
			t.Errorf("with force %v the FIFO has become %v", replace, got)
		}
		if got := files(t, filepath.Dir(path)); got != "a.jsonl" {
			t.Errorf("the directory has %s, want a.jsonl alone", got)
		}
	}
}

// A symbolic link stays, and the file that it leads to is written, by way of other
// links and whether or not it is there.
func TestLinksAreFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(at("elsewhere/deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	link(t, "elsewhere/deep", at("shortcut"))
	link(t, at("second"), at("first"))
	link(t, "shortcut/../a.jsonl", at("second"))
	const target = "elsewhere/a.jsonl"

	if err := write(t, at("first"), "dangling", false).Keep(); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(at(target)); string(content) != "dangling" {
		t.Errorf("%s has %q (%v)", target, content, err)
	}
	if _, err := transfer.CreateFile(at("first"), false); !errors.Is(err, transfer.ErrTaken) {
		t.Errorf("a link to a file, without force: %v", err)
	}
	if err := os.Chmod(at(target), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(t, at("first"), "forced", true).Keep(); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(at(target)); string(content) != "forced" {
		t.Errorf("with force, %s has %q (%v)", target, content, err)
	}
	if got := mode(t, at(target)); got != 0o600 {
		t.Errorf("%s has the mode %v, want 0600", target, got)
	}
	for _, name := range []string{"first", "second", "shortcut"} {
		if got := mode(t, at(name)); got.Type() != fs.ModeSymlink {
			t.Errorf("the link %s has become %v", name, got)
		}
	}
	if got := files(t, dir) + ", " + files(t, at("elsewhere")); got != "elsewhere first second shortcut, a.jsonl deep" {
		t.Errorf("the directories have %s", got)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// mode returns the mode of what is at a path, be it a link.
func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestFileIsDiscarded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := write(t, path, "half", false).Discard(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, filepath.Dir(path)); got != "" {
		t.Errorf("the directory has %s, want nothing", got)
	}
	if _, err := transfer.CreateFile(filepath.Join(path, "none", "b.jsonl"), false); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("a file in a directory that is not there: %v", err)
	}
}
