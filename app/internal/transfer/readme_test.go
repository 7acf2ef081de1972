package transfer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/app/internal/transfer"
)

// The example of the guide is an archive, and in the form in which export writes
// it.
func TestExampleOfTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../adapters/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(guide), "\n```jsonl\n")
	example, _, closed := strings.Cut(example, "```")
	if !found || !closed {
		t.Fatal("adapters/README.md has no example")
	}
	s := open(t, 0)
	summary, err := transfer.Import(t.Context(), strings.NewReader(example), s, filled)
	if err != nil {
		t.Fatal(err)
	}
	if want := (archive.Summary{Problems: 1, Records: 9}); summary != want {
		t.Errorf("imported %+v, want %+v", summary, want)
	}
	if again := export(t, s); again != example {
		t.Errorf("exported again, it differs: %s", difference(again, example))
	}
	goesOn(t, s, example)
}
