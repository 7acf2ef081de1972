package queries

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// pagingCases are about the order of results, and about pages (D31, D32).
func pagingCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-PAGE-001", "D31", "sort orders by key paths, - descends, nil comes last in either direction, ties are by identifier", sortOrdersByKeyPaths),
		session.Core("HTTP-PAGE-002", "D31", "with limit and the links to next pages, everything is found once, in order, and a last page links to none", pagesFindEverythingOnce),
		session.Core("HTTP-PAGE-003", "D31", "pages have no gaps and no doubles while others insert, and change what the order does not look at", pagesWhileOthersWrite),
		session.Core("HTTP-PAGE-004", "D31", "without a limit, everything is found: no answer is silently cut", searchWithoutLimitIsWhole),
		session.Core("HTTP-PAGE-005", "D32", "GET /problems lists all problems, 100 at a time unless limit says otherwise, and links to the next ones", allProblemsInPages),
		session.Core("HTTP-PAGE-006", "D31", "searches of metadata and users have sort, with nil last, limit and next pages as well", pagesOfMetadataAndUsers),
		session.Extended("HTTP-PAGE-007", "D31", "a cursor is good for its user, its predicate and its order alone", cursorIsBoundToItsSearch),
		session.Extended("HTTP-PAGE-008", "D31", "a search that was posted goes on with the cursor of its link, or by following that", postedSearchGoesOn),
		session.Extended("HTTP-PAGE-009", "D31", "NOW() is that of the first page on all pages", nowIsThatOfTheFirstPage),
	}
}

func sortOrdersByKeyPaths(s *session.Session) {
	h := newHerd(s)
	c, a, b := h.add(s.Admin, "c", `"priority":{"name":"Low"}`), h.add(s.Admin, "a"), h.add(s.Admin, "b", `"priority":{"name":"High"}`)
	c2, a2 := h.add(s.Admin, "c", `"priority":{"name":"Low"}`), h.add(s.Admin, "a")
	for sort, want := range map[string][]session.Problem{
		"":                       {c, a, b, c2, a2},
		"identifier":             {c, a, b, c2, a2},
		"-identifier":            {a2, c2, b, a, c},
		"title":                  {a, a2, b, c, c2},
		"-title":                 {c, c2, b, a, a2},
		"-title,-identifier":     {c2, c, b, a2, a},
		"priority.order":         {b, c, c2, a, a2},
		"-priority.order":        {c, c2, b, a, a2},
		"-priority.order,-title": {c, c2, b, a, a2},
		"priority.name,-id":      {b, c2, c, a2, a},
	} {
		h.find(s.Admin, "TRUEPREDICATE", "sort", sort).Problems(want...)
	}
}

func pagesFindEverythingOnce(s *session.Session) {
	h := newHerd(s)
	var all []session.Problem
	for i := range 7 {
		all = append(all, h.add(s.Admin, string(rune('g'-i))))
	}
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	for _, c := range []struct {
		sort  string
		limit int
		want  []session.Problem
	}{
		{"identifier", 1, all}, {"identifier", 3, all}, {"identifier", 7, all}, {"identifier", 1000, all},
		{"title", 2, reversed}, {"-title", 3, all}, {"milestone.name,title", 2, reversed}, {"-state.name,-priority.order", 3, all},
	} {
		seen, pages := []int64{}, 0
		for a := range s.Admin.Pages(session.Lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "sort", c.sort, "limit", fmt.Sprint(c.limit))) {
			page := a.Identifiers("")
			if len(page) == 0 || len(page) > c.limit {
				s.Fatalf("%v\nis a page of %d, with the limit %d", a, len(page), c.limit)
			}
			seen = append(seen, page...)
			pages++
		}
		want := []int64{}
		for _, p := range c.want {
			want = append(want, p.ID)
		}
		if !slices.Equal(seen, want) || pages != (7+c.limit-1)/c.limit {
			s.Fatalf("by %s, %d at a time: %d pages with %v, want %v", c.sort, c.limit, pages, seen, want)
		}
	}
}

func pagesWhileOthersWrite(s *session.Session) {
	for _, sort := range []string{"title", "-title", "-identifier", "creationDate", "-creationDate,title", "priority.order,-title", "-assignee.name,title"} {
		h := newHerd(s)
		missing := map[int64]bool{}
		var all []session.Problem
		for i := range 8 {
			var members []string
			if i%2 == 0 {
				members = []string{`"priority":{"name":"High"}`}
			}
			p := h.add(s.Admin, fmt.Sprintf("m%d", i), members...)
			missing[p.ID], all = true, append(all, p)
		}
		seen, pages := map[int64]bool{}, 0
		for a := range s.Admin.Pages(session.Lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "sort", sort, "limit", "3")) {
			for _, id := range a.Identifiers("") {
				if seen[id] {
					s.Fatalf("by %s, %v\nshows problem %d for the second time", sort, a, id)
				}
				seen[id] = true
				delete(missing, id)
			}
			if pages++; pages <= 3 {
				h.add(s.Admin, fmt.Sprintf("a%d", pages), `"priority":{"name":"Low"}`)
				h.add(s.Admin, fmt.Sprintf("z%d", pages))
				for _, p := range all {
					s.Admin.Post(p.Path+"/comments", "a change of the modificationDate", session.Plain()).Is(201)
				}
			}
		}
		if len(missing) > 0 {
			s.Fatalf("by %s, no page shows the problems %v", sort, missing)
		}
	}
}

func searchWithoutLimitIsWhole(s *session.Session) {
	h := newHerd(s)
	var all []session.Problem
	for i := range 130 {
		all = append(all, h.add(s.Admin, fmt.Sprint(i)))
	}
	h.finds(s.Admin, "TRUEPREDICATE", all...)
}

func allProblemsInPages(s *session.Session) {
	p := newHerd(s)
	mine := []int64{p.add(s.Admin, "a").ID, p.add(s.Admin, "b").ID, p.add(s.Admin, "c").ID}
	a := s.Admin.Get("/problems").Offered("D32").Is(200).JSON()
	if n := len(a.List("")); n > 100 || n < 100 && session.NextLink.MatchString(strings.Join(a.Header.Values("Link"), ",")) {
		s.Fatalf("GET /problems lists %d problems, want 100, or all that there are", n)
	}
	ids := a.Identifiers("")
	if !slices.IsSorted(ids) {
		s.Fatalf("%v\nis not by identifier", a)
	}
	// The latest are read first, until the first one older than this case: the
	// number of others is unknown.
	last, seen := int64(1<<62), []int64{}
	for a := range s.Admin.Pages("/problems?sort=-identifier&limit=20") {
		if n := len(a.List("")); n > 20 {
			s.Fatalf("%v\nis a page of %d, with the limit 20", a, n)
		}
		for _, id := range a.Identifiers("") {
			if id >= last {
				s.Fatalf("%v\nlists %d after %d", a, id, last)
			}
			last = id
			if slices.Contains(mine, id) {
				seen = append(seen, id)
			}
		}
		if last < mine[0] {
			break
		}
	}
	if slices.Reverse(seen); !slices.Equal(seen, mine) {
		s.Fatalf("of the problems %v, the pages list %v", mine, seen)
	}
	whole := s.Create(s.Admin).Load(s.Admin)
	for a := range s.Admin.Pages("/problems?sort=-identifier&limit=20&includeDetail=true") {
		if i := slices.Index(a.Identifiers(""), whole.Number("/identifier")); i >= 0 {
			a.Has(fmt.Sprintf("/%d", i), whole.Value)
			return
		}
	}
	s.Fatalf("no page lists the problem %d", whole.Number("/identifier"))
}

func pagesOfMetadataAndUsers(s *session.Session) {
	component, bob := s.Component(), s.User()
	var want []string
	for range 4 {
		want = append(want, s.Milestone(`"component":`+component.Part()).Name)
	}
	slices.Sort(want)
	slices.Reverse(want)
	want = append([]string{s.Milestone(`"component":`+component.Part(), `"endDate":"2030-01-02T03:04:05.678Z"`).Name}, want...)
	seen := []string{}
	for a := range bob.Pages(session.Lookup("/milestones/search", "predicate", "component.identifier = '"+component.Identifier+"'", "sort", "-endDate,-name", "limit", "2")) {
		if len(a.List("")) > 2 {
			s.Fatalf("%v\nis longer than the limit", a)
		}
		seen = append(seen, a.Names("")...)
	}
	if !slices.Equal(seen, want) {
		s.Fatalf("the pages of milestones have %q, want %q", seen, want)
	}
	twins, name := []string{}, s.Twins(3)
	for a := range bob.Pages(session.Lookup("/users/search", "predicate", "name = '"+name+"'", "sort", "name,-email", "limit", "1")) {
		twins = append(twins, a.Text("/0/email"))
	}
	if len(twins) != 3 || !slices.IsSortedFunc(twins, func(a, b string) int { return strings.Compare(b, a) }) {
		s.Fatalf("the pages of users have %q, want three, the last first", twins)
	}
}

func cursorIsBoundToItsSearch(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	first := h.find(s.Admin, "TRUEPREDICATE", "limit", "1", "sort", "title").Problems(a)
	cursor := cursorOf(first)
	h.find(s.Admin, "TRUEPREDICATE", "limit", "1", "sort", "title", "cursor", cursor).Problems(b)
	for _, parameters := range [][]string{
		{"predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "-title", "cursor", cursor},
		{"predicate", h.where("FALSEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor},
		{"predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor + "x"},
	} {
		s.Admin.Get(session.Lookup("/problems/search", parameters...)).Fault(400, "malformed-request")
	}
	bob.Get(session.Lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor)).Fault(400, "malformed-request")
}

func postedSearchGoesOn(s *session.Session) {
	h := newHerd(s)
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	body := map[string]any{"predicate": h.where("TRUEPREDICATE"), "limit": 1}
	first := s.Admin.Post("/problems/search", session.Encode(body)).Offered("D31").Is(200).Problems(a)
	body["cursor"] = cursorOf(first)
	last := s.Admin.Post("/problems/search", session.Encode(body)).Is(200).Problems(b)
	if link := last.Header.Get("Link"); session.NextLink.MatchString(link) {
		s.Fatalf("%v\nis the last page, and has the link %s", last, link)
	}
	h.find(s.Admin, "TRUEPREDICATE", "limit", "1", "cursor", body["cursor"].(string)).Problems(b)
}

func nowIsThatOfTheFirstPage(s *session.Session) {
	h := newHerd(s)
	first := h.add(s.Admin, "0")
	var past []session.Problem
	for i := range 3 {
		past = append(past, h.add(s.Admin, fmt.Sprint(i+1)))
	}
	seen := []int64{}
	for a := range s.Admin.Pages(session.Lookup("/problems/search", "predicate", h.where("creationDate <= NOW()"), "sort", "title", "limit", "1")) {
		seen = append(seen, a.Identifiers("")...)
		h.add(s.Admin, fmt.Sprintf("later %d", len(seen)))
		if len(seen) > 20 {
			break
		}
	}
	// Objects from the millisecond of the first page may be found or not. Later
	// ones never are.
	if !slices.Equal(seen[:min(4, len(seen))], []int64{first.ID, past[0].ID, past[1].ID, past[2].ID}) || len(seen) > 6 {
		s.Fatalf("the pages have %v, want %d, %v and nothing that was made after the first", seen, first.ID, past)
	}
}

// cursorOf returns the cursor of the link to the next page.
func cursorOf(a *session.Answer) string {
	a.T.Helper()
	match := session.NextLink.FindStringSubmatch(strings.Join(a.Header.Values("Link"), ","))
	if match == nil {
		a.T.Fatalf("%v\nlinks to no next page", a)
	}
	next, err := url.Parse(match[1])
	if err != nil || next.Query().Get("cursor") == "" {
		a.T.Fatalf("%v\nlinks to %s, which has no cursor", a, match[1])
	}
	return next.Query().Get("cursor")
}
