// Package pagetest reads the page of the query language, for tests that compare it with
// the code.
package pagetest

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	pages "github.com/problemtracking/problems/domain/rules"
)

// Page is the page of the query language.
type Page struct {
	*testing.T
	Text string
}

// Read returns the page.
func Read(t *testing.T) Page {
	t.Helper()
	text, err := fs.ReadFile(pages.Pages(), "predicates.md")
	if err != nil {
		t.Fatal(err)
	}
	return Page{t, string(text)}
}

// Table returns the rows of the table with this header, with trimmed cells.
func (p Page) Table(header string) (rows [][]string) {
	p.Helper()
	_, rest, found := strings.Cut(p.Text, "\n"+header+"\n")
	if !found {
		p.Fatalf("the page has no table %q", header)
	}
	for _, line := range strings.Split(rest, "\n")[1:] { // without the line below the header
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

var code = regexp.MustCompile("`([^`]+)`")

var fences = regexp.MustCompile("(?s)```.*?```")

// Codes returns the texts between backticks, without examples.
func Codes(text string) (all []string) {
	for _, match := range code.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		all = append(all, match[1])
	}
	return all
}

// Has reports an error for each wanted name missing from the names of a part of the
// page, and for each other name there.
func (p Page) Has(part string, got, want []string) {
	p.Helper()
	for _, name := range want {
		if !slices.Contains(got, name) {
			p.Errorf("%s: the page lacks %s", part, name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			p.Errorf("%s: the page has %s, unknown to the code", part, name)
		}
	}
}
