package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// step is a block of commands of the guide, with the lines of their output that are shown.
type step struct {
	command string
	shown   []string
}

// fails reports whether the guide shows that the last command fails.
func (s step) fails() bool {
	for _, line := range s.shown {
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") {
			return true
		}
	}
	return false
}

// TestGuide runs the blocks of commands with an output directly below, one after the other
// in one shell. Their new directory has this clone as "problems". The shown lines have to be
// in the output; "…" stands for any lines.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	guide, err := os.ReadFile("../../GUIDE.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOf(string(guide))
	if len(steps) < 5 {
		t.Fatalf("the guide has %d blocks of commands with an output; want those from nothing to the first case", len(steps))
	}
	for i, out := range play(t, steps) {
		s := steps[i]
		if out.failed != s.fails() {
			t.Errorf("$ %s\nfails: %v; the guide says %v. It printed:\n%s", s.command, out.failed, s.fails(), out.text)
		}
		rest := out.text
		for _, line := range s.shown {
			_, after, found := strings.Cut(rest, line)
			if !found {
				t.Errorf("$ %s\ndoes not print %q there, as the guide says, but:\n%s", s.command, line, out.text)
				break
			}
			rest = after
		}
	}
}

// stepsOf returns the blocks "sh" with a block "text" directly below.
func stepsOf(guide string) (steps []step) {
	var current step
	inside, ended := "", -1
	for n, line := range strings.Split(guide, "\n") {
		switch {
		case inside == "" && strings.HasPrefix(line, "```"):
			inside = line
			if line == "```sh" {
				current = step{}
			} else if line == "```text" && ended != n-1 {
				inside = "another block"
			}
		case line == "```":
			if inside == "```sh" {
				ended = n
			} else if inside == "```text" {
				steps = append(steps, current)
			}
			inside = ""
		case inside == "```sh":
			current.command += line + "\n"
		case inside == "```text" && line != "" && line != "…":
			current.shown = append(current.shown, strings.TrimSpace(line))
		}
	}
	return steps
}

type outcome struct {
	text   string
	failed bool
}

// play runs the blocks, as on a machine with only Go and a clone.
func play(t *testing.T, steps []step) []outcome {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(home, "problems")); err != nil {
		t.Fatal(err)
	}
	const mark = "@@ step"
	var script strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&script, "%secho \"%s %d $?\"\n", s.command, mark, i)
	}
	cmd := exec.Command("bash")
	cmd.Dir = home
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "GOBIN="+bin, "PWD="+home,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the shell failed: %v\n%s", err, out)
	}
	rest := string(out)
	outcomes := make([]outcome, len(steps))
	for i := range outcomes {
		text, after, found := strings.Cut(rest, fmt.Sprintf("%s %d ", mark, i))
		if !found {
			t.Fatalf("the command %q did not end:\n%s", steps[i].command, rest)
		}
		status, after, _ := strings.Cut(after, "\n")
		outcomes[i], rest = outcome{text, status != "0"}, after
	}
	return outcomes
}
