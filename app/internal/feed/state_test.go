package feed_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/problemtracking/problems/app/internal/feed"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
)

func TestState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "position")
	want := ""
	for number := range int64(3) {
		state, got, err := feed.OpenState(path)
		if err != nil || got != want {
			t.Fatalf("the position is %q with %v, want %q", got, err, want)
		}
		for index := range 2 {
			want = event.Cursor{Number: number + 1, Index: index + 1, Batch: ident.ID{1}}.String()
			if err := state.Save(want); err != nil {
				t.Fatal(err)
			}
		}
		if err := state.Close(); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[1].Name() != "position.lock" {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want+"\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// Two readers with one file would take each other's position. The second one is refused, also
// under another name of the file, and also before there is a file.
func TestStateIsForOneReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "position"), filepath.Join(dir, "other")
	if err := os.Symlink("position", other); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, name := range []string{path, other} {
		first, _, err := feed.OpenState(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, second := range []string{path, other} {
			if _, _, err := feed.OpenState(second); err == nil || !strings.Contains(err.Error(), second+" is in use by another `problems events`") {
				t.Errorf("beside a reader with %s, one with %s gets %v", name, second, err)
			}
		}
		want = event.Cursor{Number: int64(len(want)) + 1, Index: 1, Batch: ident.ID{1}}.String()
		if err := errors.Join(first.Save(want), first.Close()); err != nil {
			t.Fatal(err)
		}
	}
	next, position, err := feed.OpenState(path)
	if err != nil || position != want {
		t.Fatalf("the next reader has the position %q, %v; want %q", position, err, want)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// content returns what is in a file, and "" for anything else.
func content(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

func TestStateRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cursor := event.Cursor{Number: 1, Index: 1, Batch: ident.ID{1}}.String()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		write("other", "#!/bin/sh\n"):                                  "is not a file of this command",
		write("two", cursor+"\n"+cursor):                               "is not a file of this command",
		write("large", strings.Repeat("x", 10_000)):                    "is not a file of this command",
		write("far too large", cursor+strings.Repeat("\n", 2_000)+"x"): "is not a file of this command",
		pipe:                                "is not a regular file: the position needs one",
		"/dev/null":                         "is not a regular file: the position needs one",
		dir:                                 "cannot be read",
		filepath.Join(dir, "none", "state"): "cannot be written",
	} {
		before := content(path)
		if _, _, err := feed.OpenState(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("the error of %s is %v, want %q", path, err, want)
		}
		if content(path) != before {
			t.Errorf("%s has changed", path)
		}
		if _, err := os.Stat(path + ".lock"); err == nil {
			t.Errorf("%s has a lock", path)
		}
	}
	if _, position, err := feed.OpenState(write("empty", "")); position != "" || err != nil {
		t.Errorf("an empty file has the position %q, %v", position, err)
	}
}
