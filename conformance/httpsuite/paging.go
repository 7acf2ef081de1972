package httpsuite

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// pagingCases are about the order of results, and about pages (D31, D32).
func pagingCases() []demand {
	return []demand{
		{core, "HTTP-PAGE-001", "D31", "sort orders by key paths, - descends, nil comes first, ties are by identifier", sortOrdersByKeyPaths},
		{core, "HTTP-PAGE-002", "D31", "with limit and the links to next pages, everything is found once, in order, and a last page links to none", pagesFindEverythingOnce},
		{core, "HTTP-PAGE-003", "D31", "pages have no gaps and no doubles while others insert", pagesWhileOthersInsert},
		{core, "HTTP-PAGE-004", "D31", "without a limit, everything is found: no answer is silently cut", searchWithoutLimitIsWhole},
		{core, "HTTP-PAGE-005", "D32", "GET /problems lists all problems, 100 at a time unless limit says otherwise, and links to the next ones", allProblemsInPages},
		{core, "HTTP-PAGE-006", "D31", "searches of metadata and users have sort, limit and next pages as well", pagesOfMetadataAndUsers},
		{extended, "HTTP-PAGE-007", "D31", "a cursor is good for its user, its predicate and its order alone", cursorIsBoundToItsSearch},
		{extended, "HTTP-PAGE-008", "D31", "a search that was posted goes on with the cursor of its link, or by following that", postedSearchGoesOn},
		{extended, "HTTP-PAGE-009", "D31", "NOW() is that of the first page on all pages", nowIsThatOfTheFirstPage},
	}
}

func sortOrdersByKeyPaths(s *session) {
	h := newHerd(s)
	c, a, b := h.add(s.admin, "c", `"priority":{"name":"Low"}`), h.add(s.admin, "a"), h.add(s.admin, "b", `"priority":{"name":"High"}`)
	c2, a2 := h.add(s.admin, "c", `"priority":{"name":"Low"}`), h.add(s.admin, "a")
	for sort, want := range map[string][]problem{
		"":                       {c, a, b, c2, a2},
		"identifier":             {c, a, b, c2, a2},
		"-identifier":            {a2, c2, b, a, c},
		"title":                  {a, a2, b, c, c2},
		"-title":                 {c, c2, b, a, a2},
		"-title,-identifier":     {c2, c, b, a2, a},
		"priority.order":         {a, a2, b, c, c2},
		"-priority.order":        {a, a2, c, c2, b},
		"-priority.order,-title": {a, a2, c, c2, b},
		"priority.name,-id":      {a2, a, b, c2, c},
	} {
		h.find(s.admin, "TRUEPREDICATE", "sort", sort).problems(want...)
	}
}

func pagesFindEverythingOnce(s *session) {
	h := newHerd(s)
	var all []problem
	for i := range 7 {
		all = append(all, h.add(s.admin, string(rune('g'-i))))
	}
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	for _, c := range []struct {
		sort  string
		limit int
		want  []problem
	}{
		{"identifier", 1, all}, {"identifier", 3, all}, {"identifier", 7, all}, {"identifier", 1000, all},
		{"title", 2, reversed}, {"-title", 3, all}, {"milestone.name,title", 2, reversed}, {"-state.name,-priority.order", 3, all},
	} {
		seen, pages := []int64{}, 0
		for a := range s.admin.pages(lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "sort", c.sort, "limit", fmt.Sprint(c.limit))) {
			page := a.identifiers("")
			if len(page) == 0 || len(page) > c.limit {
				s.Fatalf("%v\nis a page of %d, with the limit %d", a, len(page), c.limit)
			}
			seen = append(seen, page...)
			pages++
		}
		want := []int64{}
		for _, p := range c.want {
			want = append(want, p.id)
		}
		if !slices.Equal(seen, want) || pages != (7+c.limit-1)/c.limit {
			s.Fatalf("by %s, %d at a time: %d pages with %v, want %v", c.sort, c.limit, pages, seen, want)
		}
	}
}

func pagesWhileOthersInsert(s *session) {
	for _, sort := range []string{"title", "-title", "-identifier", "priority.order,-title", "-assignee.name,title"} {
		h := newHerd(s)
		missing := map[int64]bool{}
		for i := range 8 {
			var members []string
			if i%2 == 0 {
				members = []string{`"priority":{"name":"High"}`}
			}
			missing[h.add(s.admin, fmt.Sprintf("m%d", i), members...).id] = true
		}
		seen, pages := map[int64]bool{}, 0
		for a := range s.admin.pages(lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "sort", sort, "limit", "3")) {
			for _, id := range a.identifiers("") {
				if seen[id] {
					s.Fatalf("by %s, %v\nshows problem %d for the second time", sort, a, id)
				}
				seen[id] = true
				delete(missing, id)
			}
			if pages++; pages <= 3 {
				h.add(s.admin, fmt.Sprintf("a%d", pages), `"priority":{"name":"Low"}`)
				h.add(s.admin, fmt.Sprintf("z%d", pages))
			}
		}
		if len(missing) > 0 {
			s.Fatalf("by %s, no page shows the problems %v", sort, missing)
		}
	}
}

func searchWithoutLimitIsWhole(s *session) {
	h := newHerd(s)
	var all []problem
	for i := range 130 {
		all = append(all, h.add(s.admin, fmt.Sprint(i)))
	}
	h.finds(s.admin, "TRUEPREDICATE", all...)
}

func allProblemsInPages(s *session) {
	p := newHerd(s)
	mine := []int64{p.add(s.admin, "a").id, p.add(s.admin, "b").id, p.add(s.admin, "c").id}
	a := s.admin.get("/problems").offered("D32").is(200).json()
	if n := len(a.list("")); n > 100 || n < 100 && nextLink.MatchString(strings.Join(a.header.Values("Link"), ",")) {
		s.Fatalf("GET /problems lists %d problems, want 100, or all that there are", n)
	}
	ids := a.identifiers("")
	if !slices.IsSorted(ids) {
		s.Fatalf("%v\nis not by identifier", a)
	}
	// The latest are read first, until the first one older than this case: the
	// number of others is unknown.
	last, seen := int64(1<<62), []int64{}
	for a := range s.admin.pages("/problems?sort=-identifier&limit=20") {
		if n := len(a.list("")); n > 20 {
			s.Fatalf("%v\nis a page of %d, with the limit 20", a, n)
		}
		for _, id := range a.identifiers("") {
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
	whole := s.create(s.admin).load(s.admin)
	for a := range s.admin.pages("/problems?sort=-identifier&limit=20&includeDetail=true") {
		if i := slices.Index(a.identifiers(""), whole.number("/identifier")); i >= 0 {
			a.has(fmt.Sprintf("/%d", i), whole.value)
			return
		}
	}
	s.Fatalf("no page lists the problem %d", whole.number("/identifier"))
}

func pagesOfMetadataAndUsers(s *session) {
	component, bob := s.component(), s.user()
	var want []string
	for range 5 {
		want = append(want, s.milestone(`"component":`+component.part()).name)
	}
	slices.Sort(want)
	slices.Reverse(want)
	seen := []string{}
	for a := range bob.pages(lookup("/milestones/search", "predicate", "component.identifier = '"+component.identifier+"'", "sort", "-name", "limit", "2")) {
		if len(a.list("")) > 2 {
			s.Fatalf("%v\nis longer than the limit", a)
		}
		seen = append(seen, a.names("")...)
	}
	if !slices.Equal(seen, want) {
		s.Fatalf("the pages of milestones have %q, want %q", seen, want)
	}
	twins, name := []string{}, s.twins(3)
	for a := range bob.pages(lookup("/users/search", "predicate", "name = '"+name+"'", "sort", "name,-email", "limit", "1")) {
		twins = append(twins, a.text("/0/email"))
	}
	if len(twins) != 3 || !slices.IsSortedFunc(twins, func(a, b string) int { return strings.Compare(b, a) }) {
		s.Fatalf("the pages of users have %q, want three, the last first", twins)
	}
}

func cursorIsBoundToItsSearch(s *session) {
	h, bob := newHerd(s), s.user()
	a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
	first := h.find(s.admin, "TRUEPREDICATE", "limit", "1", "sort", "title").problems(a)
	cursor := cursorOf(first)
	h.find(s.admin, "TRUEPREDICATE", "limit", "1", "sort", "title", "cursor", cursor).problems(b)
	for _, parameters := range [][]string{
		{"predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "-title", "cursor", cursor},
		{"predicate", h.where("FALSEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor},
		{"predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor + "x"},
	} {
		s.admin.get(lookup("/problems/search", parameters...)).fault(400, "malformed-request")
	}
	bob.get(lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "limit", "1", "sort", "title", "cursor", cursor)).fault(400, "malformed-request")
}

func postedSearchGoesOn(s *session) {
	h := newHerd(s)
	a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
	body := map[string]any{"predicate": h.where("TRUEPREDICATE"), "limit": 1}
	first := s.admin.post("/problems/search", encode(body)).offered("D31").is(200).problems(a)
	body["cursor"] = cursorOf(first)
	last := s.admin.post("/problems/search", encode(body)).is(200).problems(b)
	if link := last.header.Get("Link"); nextLink.MatchString(link) {
		s.Fatalf("%v\nis the last page, and has the link %s", last, link)
	}
	h.find(s.admin, "TRUEPREDICATE", "limit", "1", "cursor", body["cursor"].(string)).problems(b)
}

func nowIsThatOfTheFirstPage(s *session) {
	h := newHerd(s)
	first := h.add(s.admin, "0")
	var past []problem
	for i := range 3 {
		past = append(past, h.add(s.admin, fmt.Sprint(i+1)))
	}
	seen := []int64{}
	for a := range s.admin.pages(lookup("/problems/search", "predicate", h.where("creationDate <= NOW()"), "sort", "title", "limit", "1")) {
		seen = append(seen, a.identifiers("")...)
		h.add(s.admin, fmt.Sprintf("later %d", len(seen)))
		if len(seen) > 20 {
			break
		}
	}
	// Objects from the millisecond of the first page may be found or not. Later
	// ones never are.
	if !slices.Equal(seen[:min(4, len(seen))], []int64{first.id, past[0].id, past[1].id, past[2].id}) || len(seen) > 6 {
		s.Fatalf("the pages have %v, want %d, %v and nothing that was made after the first", seen, first.id, past)
	}
}

// cursorOf returns the cursor of the link to the next page.
func cursorOf(a *answer) string {
	a.t.Helper()
	match := nextLink.FindStringSubmatch(strings.Join(a.header.Values("Link"), ","))
	if match == nil {
		a.t.Fatalf("%v\nlinks to no next page", a)
	}
	next, err := url.Parse(match[1])
	if err != nil || next.Query().Get("cursor") == "" {
		a.t.Fatalf("%v\nlinks to %s, which has no cursor", a, match[1])
	}
	return next.Query().Get("cursor")
}
