package httpsuite

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/rules"
)

var record = flag.Bool("record", false, "write the cases of each rule into the pages of domain/rules")

// casesOf returns the IDs of the cases that cite the rule in their source, and of an
// operation also those with its tag in their ID.
func casesOf(tag string) (ids []string) {
	for _, c := range Cases() {
		if slices.Contains(rules.Cited(c.Source), tag) || strings.HasPrefix(c.ID, "HTTP-"+tag+"-") {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestRulesNameTheirCases holds the lines "Cases: " of the pages against the cases.
func TestRulesNameTheirCases(t *testing.T) {
	t.Parallel()
	if *record {
		recordCases(t)
		return
	}
	for _, r := range rules.All() {
		if r.Page == "predicates.md" {
			continue // its own tests hold it
		}
		if want := casesOf(r.Tag); !slices.Equal(r.Cases, want) {
			t.Errorf("%s names the cases %q, but these cite it: %q.\nRun go test -run %s -record in this package, after a line \"Cases: \" is there",
				r.Path(), r.Cases, want, t.Name())
		}
	}
}

// recordCases writes these lines.
func recordCases(t *testing.T) {
	t.Helper()
	folder := filepath.Join("..", "..", "domain", "rules")
	pages := map[string]string{}
	for _, r := range rules.All() {
		if pages[r.Page] == "" {
			text, err := os.ReadFile(filepath.Join(folder, r.Page))
			if err != nil {
				t.Fatal(err)
			}
			pages[r.Page] = string(text)
		}
		ids := casesOf(r.Tag)
		text := r.Text
		for line := range strings.Lines(r.Text) {
			if strings.HasPrefix(line, "Cases: ") {
				text = strings.Replace(text, line, "Cases: `"+strings.Join(ids, "`, `")+"`\n", 1)
			}
		}
		// Two rules can have the same text: the heading tells them apart.
		place := strings.Index(pages[r.Page], `<a id="`+r.Anchor+`"></a>`)
		if place < 0 {
			continue
		}
		pages[r.Page] = pages[r.Page][:place] + strings.Replace(pages[r.Page][place:], r.Text, text, 1)
	}
	for page, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, page), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
