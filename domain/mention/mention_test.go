package mention

import (
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// D54: whom a text names.
func TestUsers(t *testing.T) {
	t.Parallel()
	team := []user.User{
		{ID: ident.ID{1}, Name: "Anna", Email: "Anna@example.org"},
		{ID: ident.ID{2}, Name: "Bob", Email: "bob@example.org"},
		{ID: ident.ID{3}, Name: "Bob", Email: "bob@example.com"},
		{ID: ident.ID{4}, Name: "Cat", Email: "cat@example.org", Inactive: true},
		{ID: ident.ID{5}, Name: "Cat", Email: "cat@example.com"},
		{ID: ident.ID{6}, Name: "Dän", Email: "d.a-n+x@bücher.example"},
	}
	for text, want := range map[string]string{
		"":                                     "",
		"@anna, look.":                         "Anna",
		"Look, @anna.":                         "Anna",
		"(@ANNA)":                              "Anna",
		"@anna@example.org and @anna":          "Anna",
		"@bob":                                 "", // two
		"@bob@example.com":                     "Bob",
		"@cat":                                 "Cat", // one of them is active
		"@cat@example.org":                     "",
		"@d.a-n+x@xn--bcher-kva.example":       "Dän",
		"@nobody @anna":                        "Anna",
		"anna@example.org":                     "", // an address
		"https://example.org/@anna":            "",
		`\@anna`:                               "",
		"`@anna`":                              "",
		"``a ` @anna``":                        "",
		"a ` b @anna":                          "Anna",
		"`a\n@anna`":                           "",
		"`a\n\n@anna`":                         "Anna", // a span ends with its paragraph
		"```\n@anna\n```":                      "",
		"```go\n@anna\n\n@anna\n````\n@cat":    "Cat",
		"~~~\n```\n@anna":                      "", // to the end of the text
		"a\n\n    @anna":                       "",
		"\t@anna":                              "",
		"a\n    @anna":                         "Anna", // goes on in the paragraph
		"> @anna":                              "",
		"> a\n@anna":                           "", // the paragraph of the quote goes on
		"> @anna\n\n@cat":                      "Cat",
		"@cat\n> @anna":                        "Cat",
		"- @anna\n- @cat":                      "Anna Cat",
		"@" + strings.Repeat("a", 2000):        "",
		strings.Repeat("> ", 1000) + "@anna":   "",
		"mail bob@example.org or @cat, @anna?": "Cat Anna",
	} {
		var got []string
		for _, u := range Users(text, team) {
			got = append(got, u.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.80q names %q, want %q", text, got, want)
		}
	}
}

// At most Most names of a text count.
func TestMost(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range Most + 5 {
		fmt.Fprintf(&text, "@u%d @u%d ", i, i)
	}
	if names := Names(text.String()); len(names) != Most || names[Most-1] != fmt.Sprint("u", Most-1) {
		t.Errorf("the names are %q", names)
	}
}

// D54: a short name names its user alone, and each active user that a name can have has one.
func TestShortNames(t *testing.T) {
	t.Parallel()
	team := []user.User{
		{ID: ident.ID{1}, Email: "Anna@example.org"},
		{ID: ident.ID{2}, Email: "bob@example.org"},
		{ID: ident.ID{3}, Email: "bob@example.com"},
		{ID: ident.ID{4}, Email: "cat@example.org", Inactive: true},
		{ID: ident.ID{5}, Email: "o'neil@example.org"},
	}
	short := ShortNames(team)
	if got := fmt.Sprintln(len(short), short[team[0].ID], short[team[1].ID], short[team[2].ID]); got != "3 anna bob@example.org bob@example.com\n" {
		t.Errorf("the names are %s: %v", got, short)
	}
	for id, name := range short {
		if named := Users("@"+name, team); len(named) != 1 || named[0].ID != id {
			t.Errorf("@%s names %v, want %v", name, named, id)
		}
	}
}
