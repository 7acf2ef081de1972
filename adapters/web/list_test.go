package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/access"
)

// Each query says what it means that it has no problem, and leads to all problems.
func TestEmptyList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, c := range classics {
		for _, l := range texts.Languages() {
			if !l.Has("empty." + c.Name) {
				t.Errorf("%s: there is no text for an empty %s", l.Tag, c.Name)
			}
		}
	}
	b.get("/problems?query=all").is(200).has("There is no problem yet.").lacks("Show all problems")
	s.problem(t, "The door is open")
	mine := b.get("/problems?query=mine").is(200).has("My open problems · Problem Tracker", "Nothing is assigned to you.")
	b.get(link(mine, "Show all problems")).is(200).has("The door is open", "1 problem")
	b.get("/problems?query=mine&title=door").has("There is no such problem.")
}

// A list says how many problems it has, unless they are many.
func TestCount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for range countTo {
		s.problem(t, "Filler")
	}
	first := b.get("/problems?query=all").is(200).has("500 problems").lacks("more than")
	b.get(link(first, "Next page")).is(200).lacks("500 problems")
	s.problem(t, "Filler")
	b.get("/problems?query=all").is(200).has("more than 500 problems")
}

// A list can be read to its end and back again. From far behind, the way back is not complete:
// then it ends at the first page.
func TestWayBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		title string // of each problem, before its number
		pages int    // of the way back, without the first page
	}{
		"short titles": {"Filler", 4},
		"long titles":  {strings.Repeat("long ", 190), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			b := s.signedIn(t)
			for i := range 5 * rowsOnPage {
				s.problem(t, fmt.Sprint(c.title, " ", i))
			}
			list := b.get("/problems?query=all&sort=title").is(200).lacks("Previous page", "First page")
			var before []string
			for range 4 {
				before = append(before, rowsOf(list))
				list = b.get(link(list, "Next page")).is(200)
				if len(list.path) > 2*mostTrail {
					t.Errorf("the address has %d bytes", len(list.path))
				}
			}
			list.lacks("Next page")
			for i := range c.pages - 1 {
				list = b.get(link(list, "Previous page")).is(200)
				if want := before[len(before)-1-i]; rowsOf(list) != want {
					t.Errorf("%d pages back, the rows are\n%s\nwant\n%s", i+1, rowsOf(list), want)
				}
			}
			list.lacks("Previous page")
			if first := b.get(link(list, "First page")).is(200); rowsOf(first) != before[0] {
				t.Errorf("the first page is\n%s\nwant\n%s", rowsOf(first), before[0])
			}
		})
	}
}

// rowsOf returns the text of the rows of a list.
func rowsOf(p *shownPage) string {
	p.t.Helper()
	body := find(p.root, "tbody")
	if body == nil {
		p.t.Fatalf("%s has no rows:\n%s", p.path, p.text())
	}
	return (&shownPage{root: body}).text()
}

// The list can be ordered by each of its columns, and where there are no heads of columns by
// a choice.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, title := range []string{"Beta", "Alpha", "Gamma"} {
		s.problem(t, title)
	}
	ordered := func(p *shownPage, want string) {
		t.Helper()
		if text := p.is(200).text(); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s has not the order %s:\n%s", p.path, want, text)
		}
	}
	list := b.get("/problems?query=all&columns=state")
	byTitle := b.get(link(list, "Title"))
	ordered(byTitle, "Alpha.*Beta.*Gamma")
	ordered(b.get(link(byTitle, "Title")), "Gamma.*Beta.*Alpha")
	ordered(b.get(link(list, "#")), "Beta.*Alpha.*Gamma")
	form := list.form("/problems")
	if form.Get("columns") != "state" || form.Get("query") != "all" {
		t.Errorf("the form keeps only %v", form)
	}
	for _, c := range sortChoices("") {
		b.get("/problems?query=all&sort=" + url.QueryEscape(c.Value)).is(200)
	}
	if c := sortChoices("priority.order,-modificationDate"); !c[0].Selected || c[0].Value != "priority.order,-modificationDate" {
		t.Errorf("an order of several columns is %+v", c[0])
	}
}

// Values lead to the list of all problems that have them, also values with quotes.
// A row has the urgency, the first keywords, and why it is found; the caller comes first among users.
func TestRow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	s.as(t, "Aaron", access.Write)
	form := b.get("/problems/new")
	me := form.choose("assignee", "Me")
	path := form.submit("/problems/new", "title", "The lamp", "priority", form.choose("priority", "Urgent"), "assignee", me, "comment", "It buzzes.").is(200).path
	for _, name := range []string{"ui", "acme", "late"} {
		b.post(path+"/keywords", "name", name, "value", "x").is(200)
	}
	list := b.get("/problems?predicate=state.resolved+%3D+NO&title=buzz").is(200)
	list.has("Urgent 1 The lamp in a comment acme late +1").find(`class="urgency u4" title="Urgent"`)
	list.find(strings.ReplaceAll(url.QueryEscape("state.resolved = NO AND ANY keywords.name = 'acme'"), "+", "&#43;"))
	b.get("/problems?title=lamp").is(200).lacks("in a comment")
	if page := b.get(path); !regexp.MustCompile(`(?s)>Me</option>.*>Aaron</option>`).MatchString(page.body) {
		t.Errorf("the caller is not first among the assignees:\n%s", page.body)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.post("/administration/components", "name", "Server").is(200)
	b.post("/administration/users", "name", "Ann", "email", "o'ann@example.org").is(200)
	b.post("/administration/milestones", "name", "It's \\spring").is(200)
	form := b.get("/problems/new")
	b.post("/problems/new", "title", "The lamp is dark", "priority", form.choose("priority", "High"), "assignee", form.choose("assignee", "Ann"),
		"component", form.choose("component", "Server"), "milestone", form.choose("milestone", "It's \\spring")).is(200)
	b.post("/problems/1/keywords", "name", "customer's", "value", "ACME's").is(200)
	b.post("/problems/1/keywords", "name", "bare").is(200)
	s.problem(t, "The other")
	list := b.get("/problems?query=all&columns=priority&columns=assignee&columns=component&columns=milestone&columns=originator&columns=state")
	shown := b.get("/problems/1").is(200)
	for _, value := range []string{"High", "Ann", "Server", "It's \\spring"} {
		b.get(link(list, value)).is(200).has("The lamp is dark", "1 problem").lacks("The other")
	}
	for _, value := range []string{"customer's: ACME's", "bare"} {
		b.get(link(shown, value)).is(200).has("The lamp is dark", "1 problem").lacks("The other")
	}
	b.get(link(list, "Administrator")).is(200).has("2 problems")
	b.get(link(shown, "Open")).is(200).has("2 problems")
	// Of two milestones with one name, each has its own list.
	b.post("/administration/components", "name", "Client").is(200)
	other := b.get("/administration/milestones")
	b.post("/administration/milestones", "name", "It's \\spring", "component", other.choose("component", "Client")).is(200)
	b.get(link(b.get("/problems?query=all&columns=milestone"), "It's \\spring")).is(200).has("milestone.identifier", "1 problem")
}

// A fault is beside its own field, and a suggestion is a link.
func TestFaultsOfQueries(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	s.problem(t, "x")
	faulty := b.get("/problems?query=all&predicate=" + url.QueryEscape("state.resolved = NO\nAND titel = 'x'")).is(400).has("Line 2, column 5:")
	b.get(link(faulty, "Search with “title” instead")).is(200).has("AND title = 'x'", "1 problem")
	if strings.Contains(faulty.body, "sort-fault") {
		t.Error("the fault is of the order as well")
	}
	order := b.get("/problems?query=all&sort=-titel").is(400)
	if !strings.Contains(order.body, `aria-describedby="sort-help sort-fault"`) || strings.Contains(order.body, "predicate-fault") {
		t.Errorf("the order is not marked:\n%s", order.body)
	}
	b.get(link(order, "Search with “title” instead")).is(200).has("1 problem")
	b.get("/problems?predicate=" + url.QueryEscape("nonsense = 1")).is(400).lacks("instead")
	for _, e := range examples {
		b.get("/problems?predicate=" + url.QueryEscape(e.Predicate)).is(200)
	}
}
