package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// The conditions of a list are chips in people's words. Each can be taken away, and the rest
// stays as it is written.
func TestChips(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.post("/administration/components", "name", "Server").is(200)
	b.post("/administration/users", "name", "Ann", "email", "o'ann@example.org").is(200)
	for _, test := range []struct {
		predicate string
		chips     []string
		without   string // the predicate without the first of them
	}{
		{"state.resolved = NO AND assignee.identifier = $ApiUser", []string{"Open", "Assignee: Me"}, "assignee.identifier = $ApiUser"},
		{"assignee = nil  AND component.fullName IN {'Server'}", []string{"Assignee: None", "Component: Server"}, "component.fullName IN {'Server'}"},
		{`assignee.email = 'o\'ann@example.org' AND read=NO`, []string{"Assignee: Ann", "Unread"}, "read=NO"},
		{"priority.name IN {'High', 'Low'} AND ANY keywords.name = 'x'", []string{"Priority: High, Low", "Keyword: x"}, "ANY keywords.name = 'x'"},
		// What people have no words for is shown as it is.
		{"priority.name = 'No such' AND due = nil", []string{"priority.name = 'No such'", "Due: None"}, "due = nil"},
		{"title = 'a' OR title = 'b'", []string{"title = 'a' OR title = 'b'"}, "TRUEPREDICATE"},
		{"watching = YES AND (title = 'a' OR title = 'b')", []string{"Watched by me", "(title = 'a' OR title = 'b')"}, "(title = 'a' OR title = 'b')"},
		{"TRUEPREDICATE", nil, ""},
		// Links with all conditions but one would make a large page of many.
		{strings.Repeat("read = NO AND ", mostConditions) + "due = nil", []string{strings.Repeat("read = NO AND ", mostConditions) + "due = nil"}, "TRUEPREDICATE"},
	} {
		list := b.get("/problems?columns=state&sort=title&predicate=" + url.QueryEscape(test.predicate)).is(200)
		var shown []string
		var removal string
		for item := range list.root.Descendants() {
			if item.Data != "li" || attribute(item.Parent, "class") != "chips" {
				continue
			}
			shown = append(shown, (&shownPage{root: item.FirstChild}).text())
			if removal == "" {
				removal = attribute(item.LastChild, "href")
			}
		}
		if !slices.Equal(shown, test.chips) {
			t.Errorf("%s has the chips %q; want %q", test.predicate, shown, test.chips)
			continue
		}
		if removal == "" {
			continue
		}
		at, err := url.Parse(removal)
		if err != nil {
			t.Fatal(err)
		}
		if left := at.Query(); left.Get("predicate") != test.without || left.Get("sort") != "title" || left.Get("columns") != "state" {
			t.Errorf("%s: without the first chip, it is %v; want %s", test.predicate, left, test.without)
		}
	}
	// A list that is one of the classic ones again has its name.
	for n := range b.get("/problems?predicate=" + url.QueryEscape("state.resolved = NO AND read = NO")).root.Descendants() {
		if attribute(n, "aria-label") == "Remove: Unread" {
			b.get(attribute(n, "href")).at("/problems?query=open")
		}
	}
	b.get("/problems?predicate=state.name+%3D").is(400).lacks("Remove:")
}

// The form narrows a list without a word of the query language, and keeps what it cannot show.
func TestFilterForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.post("/administration/users", "name", "Ann", "email", "ann@example.org").is(200)
	b.post("/administration/users", "name", "me", "email", "me@example.org").is(200)
	b.post("/administration/states", "name", "resolved", "order", "9").is(200)
	page := b.get("/problems/new")
	ann, high := page.choose("assignee", "Ann"), page.choose("priority", "High")
	for _, test := range []struct{ predicate, values, want string }{
		{"TRUEPREDICATE", "", "TRUEPREDICATE"},
		{"TRUEPREDICATE", "state=open&assignee=me", "state.resolved = NO AND assignee.identifier = $ApiUser"},
		{"state.resolved = NO", "state=open&assignee=" + ann, "state.resolved = NO AND assignee.email = 'ann@example.org'"},
		{"state.resolved=NO AND read = NO", "state=&priority=" + high, "read = NO AND priority.name = 'High'"},
		{"state.resolved=NO AND read = NO", "state=resolved&component=none&keyword=it's", `state.resolved = YES AND read = NO AND component = nil AND ANY keywords.name = 'it\'s'`},
		{"assignee = nil", "assignee=Ann", "assignee.email = 'ann@example.org'"},
		// A condition that the form cannot show stays; "or" stays together.
		{"priority.name IN {'High', 'Low'}", "priority=keep&state=open", "priority.name IN {'High', 'Low'} AND state.resolved = NO"},
		{"priority.name = 'High' AND priority.order > 1", "priority=" + high, "priority.name = 'High' AND priority.order > 1"},
		// An object may be named as a value of the form is.
		{"state.resolved = YES AND assignee.identifier = $ApiUser", "state=resolved&assignee=me&keyword=k", "state.resolved = YES AND assignee.identifier = $ApiUser AND ANY keywords.name = 'k'"},
		{"TRUEPREDICATE", "assignee=019ca8bb-b5c7-7000-8000-000000000007", "assignee.identifier = '019ca8bb-b5c7-7000-8000-000000000007'"},
		{"read = NO OR due = nil", "state=open", "(read = NO OR due = nil) AND state.resolved = NO"},
	} {
		values, err := url.ParseQuery(test.values)
		if err != nil {
			t.Fatal(err)
		}
		values.Set("predicate", test.predicate)
		values.Set("sort", "title")
		list := b.get("/problems/filter?" + values.Encode()).is(200)
		at, err := url.Parse(list.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.Query(); got.Get("predicate") != test.want || got.Get("sort") != "title" {
			t.Errorf("%s with %s leads to %v; want %s", test.predicate, test.values, got, test.want)
		}
	}
	form := b.get("/problems?query=mine").form("/problems/filter")
	if form.Get("state") != "open" || form.Get("assignee") != "me" || form.Get("priority") != "" || form.Get("sort") == "" {
		t.Errorf("the form of my problems has the values %v", form)
	}
	b.get("/problems/filter?predicate=state.name+%3D").is(400).has("Edit the query as text")
}
