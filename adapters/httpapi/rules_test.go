package httpapi

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/rules"
)

var (
	listedError = regexp.MustCompile(`<h2 id="([a-z-]+)">.*</h2>\n<p class="help">([0-9]{3}) `)
	errorRow    = regexp.MustCompile("(?m)^\\| ([0-9]{3}) \\| (`.*) \\|$")
	code        = regexp.MustCompile("`([^`]+)`")
)

// TestErrorsAreThoseOfTheRules holds the list of errors against the table of D18.
func TestErrorsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	d18, ok := rules.Find("D18")
	if !ok {
		t.Fatal("the rules have no D18")
	}
	inRules := map[string]string{}
	for _, row := range errorRow.FindAllStringSubmatch(d18.Text, -1) {
		for _, slug := range code.FindAllStringSubmatch(row[2], -1) {
			inRules[slug[1]] = row[1]
		}
	}
	served := listedError.FindAllStringSubmatch(setup(t).send(t, request("GET", "/errors", "", "Authorization", ""), 200, "").Body.String(), -1)
	for _, e := range served {
		if inRules[e[1]] != e[2] {
			t.Errorf("%s has the status %s, and in %s %q", e[1], e[2], d18.Path(), inRules[e[1]])
		}
	}
	if len(served) == 0 || len(served) != len(inRules) {
		t.Errorf("%d errors are served, and %s has %d", len(served), d18.Path(), len(inRules))
	}
}

// TestOperationsAreInTheRules checks that the pages name each path of the API.
func TestOperationsAreInTheRules(t *testing.T) {
	t.Parallel()
	var document struct{ Paths map[string]json.RawMessage }
	body := setup(t).send(t, request("GET", "/openapi.json", "", "Authorization", ""), 200, "").Body
	if err := json.Unmarshal(body.Bytes(), &document); err != nil || len(document.Paths) == 0 {
		t.Fatalf("the document has %d paths, or %v", len(document.Paths), err)
	}
	var text strings.Builder
	for _, page := range []string{"api.md", "requests.md", "operations.md"} {
		content, err := fs.ReadFile(rules.Pages(), page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	for path := range document.Paths {
		path = strings.TrimPrefix(path, prefix)
		if many, found := strings.CutSuffix(path, "/search"); found && many != "/problems" {
			path = many // D31 has them all
		}
		if many, found := strings.CutSuffix(path, "/{identifier}"); found && many != "/problems" {
			path = many // as D30 says of all kinds
		}
		if form := regexp.MustCompile(regexp.QuoteMeta(path) + "[`?]"); !form.MatchString(text.String()) {
			t.Errorf("no page of domain/rules has the path %s", path)
		}
	}
}
