package conformance

import (
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tag      = regexp.MustCompile(`\(([A-Z]+-[0-9]{3})\)`)
	must     = regexp.MustCompile(`\bmust\b[^"]`)
	sentence = regexp.MustCompile(`[.]\s`)
)

// TestEveryRuleHasACase holds the cases against the comments of package store.
func TestEveryRuleHasACase(t *testing.T) {
	t.Parallel()
	rules := make(map[string]bool)
	for _, comment := range contract(t) {
		for _, said := range sentence.Split(comment, -1) {
			tags := tag.FindAllStringSubmatch(said, -1)
			if must.MatchString(said) && len(tags) == 0 {
				t.Errorf("package store says %q without the tag of a case", said)
			}
			for _, found := range tags {
				rules[found[1]] = true
			}
		}
	}
	cases := make(map[string]bool)
	seen := make(map[string]bool)
	for _, c := range Cases() {
		if seen[c.ID] {
			t.Errorf("two cases have the ID %s", c.ID)
		}
		seen[c.ID] = true
		cases[c.Tag()] = true
		if !rules[c.Tag()] {
			t.Errorf("the case %s cites a tag that package store does not have", c.ID)
		}
		if !strings.HasSuffix(c.Rule, ".") {
			t.Errorf("the rule of the case %s is not a sentence: %q", c.ID, c.Rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		if !cases[rule] {
			t.Errorf("package store demands %s, of which there is no case", rule)
		}
	}
}

// contract returns the comments of package store, each on one line.
func contract(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f",
		`{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, "github.com/problemtracking/problems/domain/store").Output()
	if err != nil {
		t.Fatalf("go list, which finds the sources of package store: %v", err)
	}
	var comments []string
	for _, file := range strings.Fields(string(out)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range parsed.Comments {
			comments = append(comments, strings.Join(strings.Fields(group.Text()), " ")+" ")
		}
	}
	return comments
}
