package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// step is a command of the guide, with the lines of its output that are shown.
type step struct {
	command string
	shown   []string
}

// fails reports whether the guide shows that the command fails.
func (s step) fails() bool {
	for _, line := range s.shown {
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") {
			return true
		}
	}
	return false
}

// TestGuide does what the guide says in blocks marked "console", one after the
// other in one shell, in a new directory that has this clone as "problems". What
// the guide shows of a command's output has to be there; "…" stands for any lines.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	guide, err := os.ReadFile("../../GUIDE.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := stepsOf(string(guide))
	if len(steps) < 5 {
		t.Fatalf("the guide has %d commands in blocks marked console; want those from nothing to the first case", len(steps))
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

// stepsOf returns the commands of all blocks marked "console".
func stepsOf(guide string) (steps []step) {
	inside := false
	for line := range strings.Lines(guide) {
		line = strings.TrimSpace(line)
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside || line == "" || line == "…":
		case isCommand:
			steps = append(steps, step{command: command})
		case len(steps) > 0:
			last := &steps[len(steps)-1]
			last.shown = append(last.shown, line)
		}
	}
	return steps
}

type outcome struct {
	text   string
	failed bool
}

// play runs the commands, as on a machine that has nothing but Go and a clone.
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
		fmt.Fprintf(&script, "%s\necho \"%s %d $?\"\n", s.command, mark, i)
	}
	cmd := exec.Command("bash")
	cmd.Dir = home
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOBIN="+bin, "PWD="+home,
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
