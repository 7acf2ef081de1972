package conformance

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/report"
)

var rewrite = flag.Bool("record", false, "write the cases and their numbers into the pages")

// TestPages compares the pages about the suite with its cases. With -record it corrects them.
func TestPages(t *testing.T) {
	t.Parallel()
	for page, correct := range map[string]func(string) string{
		"../domain/rules/store.md": withTable,
		"GUIDE.md":                 withFigures,
	} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		switch want := correct(string(text)); {
		case string(text) == want:
		case *rewrite:
			if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s has not the cases of today: go test -run TestPages ./conformance -record", page)
		}
	}
}

// withTable returns the page on the port with the table of today at its end.
func withTable(page string) string {
	const header = "| tag | cases |\n"
	before, _, _ := strings.Cut(page, header)
	return before + header + caseTable(append(Cases(), casesOfBlobs()...))
}

// caseTable returns the rows of the table: the cases of each tag, without those through two
// handles.
func caseTable(all []bench.Case) string {
	byTag := make(map[string][]string)
	for _, c := range all {
		if !strings.HasSuffix(c.ID, "/peers") {
			byTag[c.Tag()] = append(byTag[c.Tag()], c.ID)
		}
	}
	var rows strings.Builder
	rows.WriteString("|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(byTag)) {
		fmt.Fprintf(&rows, "| %s | %s |\n", name, strings.Join(byTag[name], ", "))
	}
	return rows.String()
}

// figures are the numbers of cases for the guide.
type figures struct{ all, core, shared int }

func figuresOf(all []bench.Case) (f figures) {
	file := harness.Harness{Caps: harness.Capabilities{Durable: harness.Yes, Shared: harness.No}}
	for _, c := range all {
		switch {
		case waives(file, c) == "":
			f.all++
			if c.Level() == report.Core {
				f.core++
			}
		case c.Shared && !c.Replicated:
			f.shared++
		}
	}
	return f
}

var (
	guideSentence = regexp.MustCompile(`A durable store for one process has [0-9]+ cases: [0-9]+ are core, the others are for durability\. [0-9]+ more`)
	guideOutput   = regexp.MustCompile(`\(core 3/[0-9]+,`)
)

// withFigures returns the guide with the numbers of today.
func withFigures(page string) string {
	f := figuresOf(Cases())
	page = guideSentence.ReplaceAllLiteralString(page, fmt.Sprintf("A durable store for one process has %d cases: %d are core, the others are for durability. %d more", f.all, f.core, f.shared))
	return guideOutput.ReplaceAllLiteralString(page, fmt.Sprintf("(core 3/%d,", f.core))
}

// TestPagesAreCorrected shows that the pages have places for the cases, and their form.
func TestPagesAreCorrected(t *testing.T) {
	t.Parallel()
	got := caseTable([]bench.Case{{ID: "COM-002/b"}, {ID: "COM-001"}, {ID: "COM-001/peers"}, {ID: "COM-002"}})
	if want := "|---|---|\n| COM-001 | COM-001 |\n| COM-002 | COM-002/b, COM-002 |\n"; got != want {
		t.Errorf("the table is %q, want %q", got, want)
	}
	got2 := figuresOf([]bench.Case{{}, {Durable: true}, {Shared: true}, {Fleeting: true}, {Alone: true}, {Replicated: true}, {Durable: true, Shared: true}})
	if want := (figures{all: 3, core: 2, shared: 2}); got2 != want {
		t.Errorf("the numbers are %+v, want %+v", got2, want)
	}
	guide, err := os.ReadFile("GUIDE.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(guideSentence.FindAll(guide, -1)) != 1 || len(guideOutput.FindAll(guide, -1)) != 1 {
		t.Error("GUIDE.md has no places for the numbers of cases")
	}
}
