package e2e

import (
	"bytes"
	"fmt"
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

// clone returns a directory with the parts of a clone that the pages use: the
// program in bin, and the scripts beside the pages.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	for path, target := range map[string]string{"bin/problems": binary, "app/docs": docs} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
