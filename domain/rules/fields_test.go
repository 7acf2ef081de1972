package rules

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
)

// D1 names every field of a problem.
func TestD1NamesAllFields(t *testing.T) {
	t.Parallel()
	page := readSource(t).files["domain/rules/records.md"]
	if page == "" {
		page = readSource(t).files["rules/records.md"] // without the other modules
	}
	_, rest, found := strings.Cut(page, "## D1 Problem\n")
	d1, _, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("the page of records has no D1")
	}
	for _, f := range problem.AllFields() {
		if !strings.Contains(d1, "`"+f.Name+"`") {
			t.Errorf("D1 does not name the field %s", f.Name)
		}
	}
}
