package e2e

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDay runs the scripted day on every adapter: each step gets the status and
// the error that it wants, and the transcripts are the same to the byte, but for
// identifiers and times.
func TestDay(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	memory := day(t, "memory:")
	for name, open := range durables() {
		if other := day(t, open(t)); memory != other {
			t.Errorf("memory and %s answer differently:\n%s", name, difference(memory, other))
		}
	}
	for _, slug := range []string{
		"malformed-json", "malformed-request", "unauthenticated", "forbidden",
		"problem-not-found", "keyword-not-found", "relationship-not-found", "not-found", "method-not-allowed",
		"transition-not-allowed", "relationship-cycle", "relationship-conflict", "idempotency-conflict", "already-exists", "in-use", "metadata-cycle",
		"invalid-predicate", "preview-required",
		"stale-revision", "too-large", "unsupported-media-type",
		"required-field", "invalid-value", "invalid-type", "unknown-field", "read-only-field", "metadata-not-found", "metadata-ambiguous", "validation-failed",
	} {
		if !strings.Contains(memory, `"/errors/`+slug+`"`) {
			t.Errorf("nothing in the day ends in %s", slug)
		}
	}
}

// day runs the script on a new server and returns the normalised transcript.
func day(t *testing.T, store string) string {
	t.Helper()
	admin := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+admin)
	var stdout, stderr bytes.Buffer
	script := exec.CommandContext(t.Context(), "bash", "testdata/day.sh", s.url, admin)
	script.Stdout, script.Stderr = &stdout, &stderr
	if err := script.Run(); err != nil {
		end := stdout.String()
		t.Fatalf("%s: %v\n%s%s", store, err, end[max(0, len(end)-3000):], stderr.String())
	}
	return normalise(stdout.String(), s.url)
}

// difference returns the lines that two texts do not share.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("one has %d lines, the other %d", len(x), len(y))
}

// TestTour runs what the README shows on every durable adapter and compares the
// answers.
func TestTour(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	eachDurable(t, tour)
}

func tour(t *testing.T, store string) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	token := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	const printed = "http://127.0.0.1:8080"
	local := strings.NewReplacer(printed, s.url, "TOKEN=pts_…", "TOKEN="+token)
	var script, want strings.Builder
	for _, line := range console(string(text)) {
		if command, found := strings.CutPrefix(line, "$ "); found {
			// Most answers do not end their line.
			fmt.Fprintf(&script, "printf '\\n%%s\\n' %s\n%s\n", quote("$ "+command), local.Replace(command))
		}
		fmt.Fprintln(&want, line)
	}
	bash := exec.CommandContext(t.Context(), "bash")
	bash.Dir = clone(t)
	bash.Env = environment(t, "PROBLEMS_STORE="+store)
	bash.Stdin = strings.NewReader(script.String())
	output, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	tidy := strings.NewReplacer("\r", "", "\n\n", "\n", token, "pts_…", s.url, printed)
	got := normalise(strings.TrimSpace(tidy.Replace(string(output))), printed)
	if want := normalise(strings.TrimSpace(want.String()), printed); got != want {
		t.Errorf("the README shows something else: %s\nthe tour is\n%s", difference(want, got), output)
	}
}

// clone returns a directory that has what the tour finds where it starts: the
// program in bin.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(dir, "bin", "problems")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// console returns the lines of the console blocks of a Markdown text.
func console(markdown string) []string {
	var lines []string
	inside := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```console":
			inside = true
		case line == "```":
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	return lines
}

// quote returns text as a word of bash.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// TestPredicates asks all the predicates that the README shows.
func TestPredicates(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Searching\n")
	section, _, found := strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("the README has no section on searching, or nothing after it")
	}
	token := newToken(t)
	c := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token).as(token)
	asked := 0
	for line := range strings.Lines(section) {
		if predicate, shown := strings.CutPrefix(strings.TrimRight(line, "\n"), "    "); shown {
			asked++
			if status, body := c.do("GET", "/problems/search?predicate="+url.QueryEscape(predicate), ""); status != 200 {
				t.Errorf("%s: %d %s", predicate, status, body)
			}
		}
	}
	if asked < 5 {
		t.Errorf("%d predicates in the README; did its form change?", asked)
	}
}
