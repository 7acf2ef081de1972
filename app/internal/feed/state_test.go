package feed_test

import (
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
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want+"\n" {
		t.Errorf("the file has %q, %v", text, err)
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
	}
	if _, position, err := feed.OpenState(write("empty", "")); position != "" || err != nil {
		t.Errorf("an empty file has the position %q, %v", position, err)
	}
}
