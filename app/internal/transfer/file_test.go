package transfer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	if err := late.Keep(); err == nil || !strings.Contains(err.Error(), "is there already: take another name, or --force") {
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
