package queries

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// searchCases are about searches: their requests, and the queries of old clients in their
// own form (D31, query language).
func searchCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-SEARCH-001", "D31", "a search finds the problems that the predicate holds for, as R1 has them, by identifier; with their log when includeDetail asks for it", searchFindsWhatHolds),
		session.Core("HTTP-SEARCH-002", "D31", "what was written is found at once, and no longer by what it was before", writeIsFoundAtOnce),
		session.Core("HTTP-SEARCH-003", "query language", "watching, read and readByAssignee are those of whoever asks, who is $ApiUser", flagsAreTheCallers),
		session.Core("HTTP-SEARCH-004", "query language", "dates are compared with those around now", datesAroundNow),
		session.Core("HTTP-SEARCH-005", "query language", "history has a savepoint for each batch that made the problem or changed a field, with who did it", historyHasASavepointPerBatch),
		session.Core("HTTP-SEARCH-006", "query language", "strings are compared exactly, or with [c] and [d] as a reader would", stringsAreComparedExactlyOrFolded),
		session.Core("HTTP-SEARCH-007", "query language", "identifiers are found with = and IN, and keys in any letter case", identifiersAreFound),
		session.Core("HTTP-SEARCH-008", "query language", "open problems that open problems block are found by the types and the ends of relationships", blockedProblemsAreFound),
		session.Core("HTTP-SEARCH-009", "query language", "keywords and comments are found by one of them, by all, by none, or by one with several properties", quantifiersOfKeywordsAndComments),
		session.Core("HTTP-SEARCH-010", "query language section 4", "a comparison is true or false, also with nil, and NOT is its exact complement", notIsTheComplement),
		session.Core("HTTP-SEARCH-011", "query language", "milestones and components are found by name, in any letter case where [c] says so", milestonesAndComponentsByName),
		session.Core("HTTP-SEARCH-012", "D31, query language", "each kind of metadata is searched, and its objects are found as they are listed", eachKindIsSearched),
		session.Core("HTTP-SEARCH-013", "query language", "milestones are found by whether they have begun and ended", milestonesByTheirDates),
		session.Extended("HTTP-SEARCH-014", "D17, D31", "a search can be sent as a JSON object, long predicates too, and is a read: the scope read is enough", postedSearch),
		session.Extended("HTTP-SEARCH-015", "D20, D31", "fields answers the named members alone, nested as in the whole, by R1, searches and lists; another name is refused, and the ETag tells them apart", fieldsAreTheNamedMembers),
		session.Extended("HTTP-SEARCH-016", "D56", "searches and lists are tables for clients that prefer CSV, in the same pages; errors and all else stay as they are", problemsAreTables),
	}
}

func searchFindsWhatHolds(s *session.Session) {
	h := newHerd(s)
	a := h.add(s.Admin, "one", `"priority":{"name":"High"}`)
	h.add(s.Admin, "two", `"priority":{"name":"Low"}`)
	b := h.add(s.Admin, "three", `"priority":{"name":"High"}`)
	s.Admin.Put(a.Keyword("k"), `"v"`).Is(201)
	h.finds(s.Admin, "priority.name = 'High'", a, b)
	h.finds(s.Admin, "FALSEPREDICATE")
	for i, p := range []session.Problem{a, b} {
		whole := p.Load(s.Admin).Value.(map[string]any)
		h.find(s.Admin, "priority.name = 'High'", "includeDetail", "true").Has(fmt.Sprintf("/%d", i), whole)
		delete(whole, "logs")
		h.find(s.Admin, "priority.name = 'High'").Has(fmt.Sprintf("/%d", i), whole)
		h.find(s.Admin, "priority.name = 'High'", "includeDetail", "false").Has(fmt.Sprintf("/%d", i), whole)
	}
}

func writeIsFoundAtOnce(s *session.Session) {
	h := newHerd(s)
	p := h.add(s.Admin, "before")
	h.finds(s.Admin, "title ENDSWITH 'before'", p)
	s.Admin.Patch(p.Path, `{"title":`+session.Encode(h.title("after"))+`,"state":{"name":"Closed"}}`).Is(200)
	h.finds(s.Admin, "title ENDSWITH 'before' OR state.resolved = NO")
	h.finds(s.Admin, "title ENDSWITH 'after' AND state.resolved = YES AND resolver.identifier = originator.identifier", p)
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	h.finds(s.Admin, "ANY keywords.value = 'v'", p)
	s.Admin.Delete(p.Keyword("k"), "").Is(204)
	h.finds(s.Admin, "ANY keywords.value = 'v'")
}

func flagsAreTheCallers(s *session.Session) {
	h, bob := newHerd(s), s.User()
	h.add(bob.Client, "of bob's own", `"assignee":`+bob.Part())
	p := h.add(s.Admin, "for bob", `"assignee":`+bob.Part())
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	const unread = "read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser"
	h.finds(bob.Client, "watching = YES", p)
	h.finds(s.Admin, "watching = YES")
	h.finds(bob.Client, unread, p)
	h.finds(s.Admin, unread)
	h.finds(s.Admin, "readByAssignee = NO", p)
	bob.Patch(p.Path, `{"read":true}`).Is(200)
	h.finds(bob.Client, unread)
	h.finds(s.Admin, "readByAssignee = NO")
	h.finds(bob.Client, "ANY watchers.identifier = $ApiUser", p)
}

func datesAroundNow(s *session.Session) {
	h := newHerd(s)
	p := h.add(s.Admin, "new")
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	for _, key := range []string{"creationDate", "modificationDate", "resolveDate"} {
		h.finds(s.Admin, key+" > FUNCTION(NOW(), 'dateByAddingDays:', -7)", p)
		h.finds(s.Admin, key+" < FUNCTION(NOW(), 'dateByAddingDays:', -7)")
		h.finds(s.Admin, key+" > FUNCTION(NOW(), 'dateByAddingMonths:', 1)")
	}
	h.finds(s.Admin, "creationDate > CAST('2015-11-05', 'NSDate') AND creationDate <= modificationDate", p)
}

func historyHasASavepointPerBatch(s *session.Session) {
	h, bob, eve := newHerd(s), s.User(), s.User()
	p, q := h.add(bob.Client, "p"), h.add(s.Admin, "q")
	bob.Patch(q.Path, `{"title":`+session.Encode(h.title("renamed"))+`,"priority":{"name":"Low"}}`).Is(200)
	eve.Post(p.Path+"/comments", "no field", session.Plain()).Is(201)
	const mine = "SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0"
	h.finds(bob.Client, mine, p, q)
	h.finds(eve.Client, mine)
	h.finds(s.Admin, "history.@count = 1", p)
	h.finds(s.Admin, "history.@count = 2 AND ANY history.title ENDSWITH 'q'", q)
	h.finds(s.Admin, "SUBQUERY(history, $h, $h.title != title).@count = 1", q) // title of the problem
}

func stringsAreComparedExactlyOrFolded(s *session.Session) {
	h := newHerd(s)
	a, b, c := h.add(s.Admin, "The API is slow"), h.add(s.Admin, "the api, CRÈME BRÛLÉE"), h.add(s.Admin, "100% of a_b is 'quoted'")
	h.finds(s.Admin, "title CONTAINS 'API'", a)
	h.finds(s.Admin, "title CONTAINS[c] 'API'", a, b)
	h.finds(s.Admin, "title CONTAINS[c] 'crème'", b)
	h.finds(s.Admin, "title CONTAINS[c] 'creme'")
	h.finds(s.Admin, "title CONTAINS[cd] 'creme brulee'", b)
	h.finds(s.Admin, "title ENDSWITH 'slow'", a)
	h.finds(s.Admin, "title ENDSWITH 'SLOW'")
	h.finds(s.Admin, "title LIKE '*The ???*slow'", a)
	h.finds(s.Admin, "title LIKE 'The*'") // all of it has to fit
	h.finds(s.Admin, "title MATCHES '.*(API|creme) is.*'", a)
	h.finds(s.Admin, "title CONTAINS '0%' AND title CONTAINS '_b' AND title CONTAINS '\\'quoted'", c)
	h.finds(s.Admin, "title CONTAINS 'a%b' OR title CONTAINS 'a?b' OR title CONTAINS 'a_i'")
}

func identifiersAreFound(s *session.Session) {
	h := newHerd(s)
	a, b, c := h.add(s.Admin, "a"), h.add(s.Admin, "b"), h.add(s.Admin, "c")
	search := func(predicate string) *session.Answer {
		return s.Admin.Get(session.Lookup("/problems/search", "predicate", predicate)).Is(200)
	}
	search(fmt.Sprintf("identifier IN {%d, %d}", c.ID, a.ID)).Problems(a, c)
	search(fmt.Sprintf("Id == %d || ID = %d", b.ID, c.ID)).Problems(b, c)
	search(fmt.Sprintf("IDENTIFIER BETWEEN {%d, %d} && TITLE beginswith '%s'", b.ID, c.ID, h.mark)).Problems(b, c)
	search("identifier IN {}").Problems()
}

func blockedProblemsAreFound(s *session.Session) {
	h := newHerd(s)
	blocked, blocker, other := h.add(s.Admin, "blocked"), h.add(s.Admin, "blocker"), h.add(s.Admin, "other")
	s.Relate(blocked, "BlockedBy", blocker)
	s.Relate(other, "ParentOf", blocked)
	const stuck = "state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0"
	h.finds(s.Admin, stuck, blocked)
	h.finds(s.Admin, "SUBQUERY(relationships, $r, $r.type = 'BlockerOf').@count > 0", blocker)
	h.finds(s.Admin, fmt.Sprintf("ANY relationships.problemIdentifier = %d", blocked.ID), blocker, other)
	h.finds(s.Admin, "ANY relationships.child.title ENDSWITH 'blocked'", blocker, other)
	h.finds(s.Admin, "relationships.@count = 2", blocked)
	s.Admin.Patch(blocker.Path, `{"state":{"name":"Closed"}}`).Is(200)
	h.finds(s.Admin, stuck)
}

func quantifiersOfKeywordsAndComments(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b, none := h.add(s.Admin, "a"), h.add(s.Admin, "b"), h.add(s.Admin, "none")
	for _, k := range []struct {
		session.Problem
		name, value string
	}{{a, "os", "linux"}, {a, "arch", "arm"}, {b, "os", "arm"}, {b, "arch", "linux"}} {
		s.Admin.Put(k.Keyword(k.name), session.Encode(k.value)).Is(201)
	}
	s.Admin.Put(b.Keyword("bare"), "null").Is(201)
	bob.Post(a.Path+"/comments", "Seen on Tuesday", session.Plain()).Is(201)
	h.finds(s.Admin, "ANY keywords.name = 'os'", a, b)
	h.finds(s.Admin, "ANY keywords.name IN {'bare', 'x'}", b)
	h.finds(s.Admin, "NONE keywords.name = 'os'", none)
	h.finds(s.Admin, "ALL keywords.name != 'bare'", a, none)
	h.finds(s.Admin, "SUBQUERY(keywords, $k, $k.name = 'os' AND $k.value = 'linux').@count = 1", a)
	h.finds(s.Admin, "ANY keywords.value = nil", b)
	h.finds(s.Admin, "keywords.@count = 0", none)
	h.finds(bob.Client, "ANY comments.text CONTAINS[c] 'tuesday' AND ANY comments.author.identifier = $ApiUser", a)
	h.finds(s.Admin, "SUBQUERY(logs, $l, $l.type = 'CommentAdded' AND $l.isSignificant = YES).@count > 0", a)
}

func notIsTheComplement(s *session.Session) {
	h := newHerd(s)
	high, low, none := h.add(s.Admin, "high", `"priority":{"name":"High"}`), h.add(s.Admin, "low", `"priority":{"name":"Low"}`), h.add(s.Admin, "none")
	h.finds(s.Admin, "priority = nil", none)
	h.finds(s.Admin, "priority.name = NULL", none)
	h.finds(s.Admin, "priority != nil", high, low)
	h.finds(s.Admin, "priority.name != 'High'", low, none)
	h.finds(s.Admin, "NOT priority.name = 'High'", low, none)
	h.finds(s.Admin, "NOT (priority.order >= -2000000000)", none)
	h.finds(s.Admin, "priority.order < 2000000000", high, low)
	h.finds(s.Admin, "NOT (priority.name BEGINSWITH 'H' OR assignee.email CONTAINS '@')", low, none)
	h.finds(s.Admin, "priority.name IN {'Low', nil}", low, none)
	h.finds(s.Admin, "NOT priority.name IN {'Low'} AND NOT resolveDate < NOW()", high, none)
	h.finds(s.Admin, "NOT (NOT (assignee.name > 'a'))")
}

func milestonesAndComponentsByName(s *session.Session) {
	h, milestone, parent := newHerd(s), s.Milestone(), s.Component()
	child := s.Component(`"parent":` + parent.Part())
	a, b := h.add(s.Admin, "a", `"milestone":`+milestone.Part()), h.add(s.Admin, "b", `"component":`+child.Part())
	h.finds(s.Admin, "milestone.name =[c] '"+strings.ToUpper(milestone.Name)+"'", a)
	h.finds(s.Admin, "milestone.name = '"+strings.ToUpper(milestone.Name)+"'")
	h.finds(s.Admin, "milestone.name !=[c] '"+strings.ToUpper(milestone.Name)+"'", b)
	h.finds(s.Admin, "component.fullName BEGINSWITH '"+parent.Name+"/'", b)
	h.finds(s.Admin, "component.parent.identifier = '"+parent.Identifier+"'", b)
	s.Admin.Patch(milestone.Path, `{"name":`+session.Encode(s.Unique("renamed"))+`}`).Is(200)
	h.finds(s.Admin, "milestone.name BEGINSWITH 'renamed-'", a)
	h.finds(s.Admin, "milestone.name = '"+milestone.Name+"'")
}

func eachKindIsSearched(s *session.Session) {
	bob := s.User()
	bob.Search("/users", "identifier == $ApiUser").Has("", []any{bob.Object()})
	bob.Search("/users", "inactive == NO AND name = '"+bob.Name+"'").Has("", []any{bob.Object()})
	parent := s.Component()
	child := s.Component(`"parent":` + parent.Part())
	bob.Search("/components", "ANY children.identifier = '"+child.Identifier+"'").Has("", []any{s.Listed("/components", parent.Name)})
	bob.Search("/components", "closed = NO AND fullName = '"+parent.Name+"/"+child.Name+"'").Has("/0/identifier", child.Identifier)
	bob.Search("/components", "parent.name = '"+parent.Name+"' AND successor = nil").Has("", []any{s.Listed("/components", child.Name)})
	for _, kind := range session.Kinds[:3] {
		a := bob.Search(kind.List, "name = '"+kind.Known+"'")
		a.Has("", []any{s.Listed(kind.List, kind.Known)})
		bob.Search(kind.List, "identifier = '"+strings.ToUpper(a.Text("/0/identifier"))+"'").Has("", a.Value)
	}
	for _, predicate := range []string{"Initial = YES", "resolved = NO", "ANY nextStates.name = 'Closed'"} {
		if bob.Search("/states", predicate).Named("", "Open") == nil {
			s.Fatalf("of the states, %s does not find Open", predicate)
		}
	}
	for name, want := range map[string][]string{"Open": {"Closed", "In Progress"}, "Closed": {"Open"}} {
		before := session.Encode(s.Listed("/states", name)["identifier"])
		found := bob.Search("/states", "ANY PreviousStates.identifier = "+before+" AND name IN {'Open', 'In Progress', 'Closed'}").Names("")
		if slices.Sort(found); !slices.Equal(found, want) {
			s.Fatalf("after %s come %q, want %q (%s)", name, found, want, session.See("D2"))
		}
	}
}

func milestonesByTheirDates(s *session.Session) {
	const past, future = `"2015-01-01T00:00:00.000Z"`, `"2999-01-01T00:00:00.000Z"`
	component := s.Component()
	add := func(members ...string) session.Object {
		return s.Milestone(append(members, `"component":`+component.Part())...)
	}
	want := []string{add().Name, add(`"startDate":` + past).Name, add(`"endDate":` + future).Name, add(`"startDate":`+past, `"endDate":`+future).Name}
	add(`"startDate":` + future)
	add(`"endDate":` + past)
	got := s.Admin.Search("/milestones", "component.identifier = '"+component.Identifier+"' AND (StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())").Names("")
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		s.Fatalf("found the milestones %q, want %q", got, want)
	}
}

func postedSearch(s *session.Session) {
	h, reader := newHerd(s), s.UserWith("read")
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	ask := func(members map[string]any) *session.Answer {
		s.Helper()
		return reader.Post("/problems/search", session.Encode(members)).Offered("D31")
	}
	ask(map[string]any{"predicate": h.where("TRUEPREDICATE")}).Is(200).JSON().Problems(a, b)
	ask(map[string]any{"predicate": h.where("TRUEPREDICATE"), "sort": "-title", "limit": 1, "includeDetail": true}).Is(200).
		Problems(b).Has("/0/logs/0/type", "ProblemCreated")
	var members []string
	for i := range 60 { // in a text impossible in a URL
		members = append(members, fmt.Sprintf("'no title %03d %s'", i, strings.Repeat("so long ", 28)))
	}
	ask(map[string]any{"predicate": "title IN {" + strings.Join(members, ",") + "," + session.Encode(h.title("b")) + "}"}).Is(200).Problems(b)
	ask(map[string]any{}).Fault(400, "malformed-request")
	ask(map[string]any{"predicate": 7}).Fault(422, "invalid-type", "/predicate")
	ask(map[string]any{"predicate": "TRUEPREDICATE", "colour": 1}).Fault(422, "unknown-field", "/colour")
	ask(map[string]any{"predicate": "TRUEPREDICATE", "limit": 0}).Fault(422, "invalid-value", "/limit")
	reader.Post("/states/search", `{"predicate":"name = 'Open'"}`).Is(200).Has("/0/name", "Open")
}

func problemsAreTables(s *session.Session) {
	h := newHerd(s)
	one := h.add(s.Admin, "\"east\", door\n", `"priority":{"name":"High"}`)
	two := h.add(s.Admin, "=2+3")
	s.Admin.Put(two.Keyword("k"), `"v"`).Is(201)
	csv := session.With("Accept", "application/json;q=0.1, text/csv")
	const fields = "identifier,priority.name,title,watching,keywords,assignee.name"
	search := func(more ...string) string {
		return session.Lookup("/problems/search", append([]string{"predicate", h.where("TRUEPREDICATE"), "fields", fields}, more...)...)
	}
	is := func(a *session.Answer, lines ...string) {
		s.Helper()
		a.Is(200).Sends("Content-Type", "text/csv; charset=utf-8; header=present")
		if want := fields + "\n" + strings.Join(lines, ""); string(a.Body) != want {
			s.Fatalf("%v\nis another table than\n%s", a, want)
		}
	}
	first := fmt.Sprintf("%d,High,\"%s \"\"east\"\", door\",false,[],\n", one.ID, h.mark)
	second := fmt.Sprintf("%d,,%s =2+3,false,\"[{\"\"name\"\":\"\"k\"\",\"\"value\"\":\"\"v\"\"}]\",\n", two.ID, h.mark)
	is(s.Admin.Get(search(), csv), first, second)
	is(s.Admin.Post("/problems/search", session.Encode(map[string]any{"predicate": h.where("TRUEPREDICATE"), "fields": fields}), csv), first, second)
	page := s.Admin.Get(search("limit", "1"), csv)
	is(page, first)
	link := session.NextLink.FindStringSubmatch(page.Header.Get("Link"))
	if link == nil {
		s.Fatalf("%v\nhas no link to the next page", page)
	}
	next, err := url.Parse(link[1])
	if err != nil {
		s.Fatalf("%v\nlinks to %s: %v", page, link[1], err)
	}
	is(s.Admin.Get(search("limit", "1", "cursor", next.Query().Get("cursor")), csv), second)
	if a := s.Admin.Get(session.Lookup("/problems/search", "predicate", h.where("TRUEPREDICATE"), "fields", "priority.name"), csv).Is(200); string(a.Body) != "priority.name\nHigh\n\"\"\n" {
		s.Fatalf("%v\nhas an empty line, which readers take for none", a)
	}
	if a := s.Admin.Get("/problems?limit=1", csv).Is(200); !strings.HasPrefix(string(a.Body), "identifier,title,state.name,") {
		s.Fatalf("%v\nhas no usual columns", a)
	}
	s.Admin.Get("/problems?includeDetail=true", csv).Fault(400, "malformed-request")
	s.Admin.Get("/problems?fields=colour", csv).Fault(400, "malformed-request")
	s.Admin.Get(one.Path, csv).Is(200).Has("/identifier", one.ID)
}

func fieldsAreTheNamedMembers(s *session.Session) {
	h := newHerd(s)
	p := h.add(s.Admin, "one", `"priority":{"name":"High"}`)
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	whole := p.Load(s.Admin)
	const fields = "identifier,title,state.name,keywords.value,assignee.name"
	want := session.Encode(map[string]any{
		"identifier": p.ID, "title": whole.Text("/title"), "state": map[string]any{"name": whole.Text("/state/name")},
		"keywords": []any{map[string]any{"value": "v"}}, "assignee": nil,
	})
	is := func(a *session.Answer, want string) *session.Answer {
		s.Helper()
		if got := session.Encode(a.Is(200).Value); got != want {
			s.Fatalf("%v\nhas other members than %s", a, want)
		}
		return a
	}
	is(h.find(s.Admin, "TRUEPREDICATE", "fields", fields), "["+want+"]")
	is(s.Admin.Post("/problems/search", session.Encode(map[string]any{"predicate": h.where("TRUEPREDICATE"), "fields": fields})), "["+want+"]")
	s.Admin.Get("/problems?limit=1&fields=revision").Is(200).Members("/0", "revision") // of any problem
	one := is(s.Admin.Get(session.Lookup(p.Path, "fields", fields)), want)
	if one.ETag() == whole.ETag() || one.ETag() == s.Admin.Get(p.Path+"?fields=title").ETag() {
		s.Fatalf("%v\nhas the ETag of another representation", one)
	}
	s.Unchanged(s.Admin, session.Lookup(p.Path, "fields", fields))
	s.Admin.Get(session.Lookup(p.Path, "fields", fields), session.With("If-None-Match", whole.ETag())).Is(200)
	for _, other := range []string{"", "titel", "title,", "title.name", "state.title"} {
		s.Admin.Get(session.Lookup(p.Path, "fields", other)).Fault(400, "malformed-request")
		s.Admin.Get(session.Lookup("/problems/search", "predicate", "FALSEPREDICATE", "fields", other)).Fault(400, "malformed-request")
	}
}
