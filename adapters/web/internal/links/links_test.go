package links

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

func id(n byte) ident.ID { return ident.ID{15: n} }

// predicateOf returns the predicate in an address below "/base".
func predicateOf(t *testing.T, address string) string {
	t.Helper()
	if address == "" {
		return ""
	}
	query, ok := strings.CutPrefix(address, "/base/problems?")
	values, err := url.ParseQuery(query)
	if !ok || err != nil || len(values) != 1 {
		t.Fatalf("the address is %q (%v)", address, err)
	}
	return values.Get("predicate")
}

// A list is that of the name of an object, unless others share it.
func TestOf(t *testing.T) {
	t.Parallel()
	f := NewFilters("/base", metadata.NewCatalogue(ident.Version{}, metadata.Content{
		Users:      []user.User{{ID: id(1), Name: "Ann", Email: "o'ann@example.org"}},
		Components: []metadata.Component{{ID: id(2), Name: "Server"}, {ID: id(3), Name: "Login", Parent: id(2)}},
		Milestones: []metadata.Milestone{{ID: id(4), Name: "Spring"}, {ID: id(5), Name: "Summer"}, {ID: id(6), Name: "Summer", Component: id(2)}},
	}))
	for _, c := range []struct {
		field string
		id    ident.ID
		want  string
	}{
		{"assignee", ident.None, ""},
		{"assignee", id(1), `assignee.email = 'o\'ann@example.org'`},
		{"component", id(3), "component.fullName = 'Server/Login'"},
		{"milestone", id(4), "milestone.name = 'Spring'"},
		{"milestone", id(5), "milestone.identifier = '" + id(5).String() + "'"},
	} {
		for range 2 { // the second one is kept
			if got := predicateOf(t, f.Of(c.field, c.id)); got != c.want {
				t.Errorf("%s %v has the list %q, want %q", c.field, c.id, got, c.want)
			}
		}
	}
}

// The links of twice as many objects take about twice as much.
func TestOfManyObjects(t *testing.T) { // not in parallel: it counts allocations
	allocs := func(milestones int) float64 {
		content := metadata.Content{Components: []metadata.Component{{ID: id(1), Name: strings.Repeat("Server", 10)}}}
		for i := range milestones {
			content.Milestones = append(content.Milestones, metadata.Milestone{ID: ident.ID{1, byte(i >> 8), byte(i)}, Name: strconv.Itoa(i), Component: id(1)})
		}
		c := metadata.NewCatalogue(ident.Version{}, content)
		return testing.AllocsPerRun(1, func() {
			f := NewFilters("/base", c)
			for _, m := range content.Milestones {
				f.Of("milestone", m.ID)
			}
		})
	}
	if one, twice := allocs(300), allocs(600); twice > 3*one {
		t.Errorf("300 links take %.0f allocations, and 600 take %.0f", one, twice)
	}
}

// Long values of keywords are not in addresses.
func TestKeyword(t *testing.T) {
	t.Parallel()
	f := NewFilters("/base", metadata.NewCatalogue(ident.Version{}, metadata.Content{}))
	for _, c := range []struct {
		keyword problem.Keyword
		want    string
	}{
		{problem.Keyword{Name: "bare"}, "ANY keywords.name = 'bare'"},
		{problem.Keyword{Name: `a\b`, Value: problem.Text("c'd")}, `SUBQUERY(keywords, $k, $k.name = 'a\\b' AND $k.value = 'c\'d').@count > 0`},
		{problem.Keyword{Name: "a", Value: problem.Text(strings.Repeat("x", longestNeedle+1))}, "ANY keywords.name = 'a'"},
		{problem.Keyword{Name: strings.Repeat("x", 2*longestNeedle+1)}, ""},
	} {
		if got := predicateOf(t, f.Keyword(c.keyword)); got != c.want {
			t.Errorf("the keyword %v has the list %q, want %q", c.keyword, got, c.want)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	before := url.Values{"sort": {"title"}, "after": {"x"}}
	if got := Suffix(With(before, "after", "", "query", "all")); got != "?query=all&sort=title" {
		t.Errorf("the suffix is %q", got)
	}
	if got := Suffix(before); got != "?after=x&sort=title" {
		t.Errorf("the parameters have changed: %q", got)
	}
	if got := Suffix(With(before, "after", "", "sort", "")); got != "" {
		t.Errorf("no parameters have the suffix %q", got)
	}
}
