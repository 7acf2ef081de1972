package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// searchCases are about searches: their requests, and the queries of old clients in their
// own form (D31, query language).
func searchCases() []demand {
	return []demand{
		{core, "HTTP-SEARCH-001", "D31", "a search finds the problems that the predicate holds for, as R1 has them, by identifier; with their log when includeDetail asks for it", searchFindsWhatHolds},
		{core, "HTTP-SEARCH-002", "D31", "what was written is found at once, and no longer by what it was before", writeIsFoundAtOnce},
		{core, "HTTP-SEARCH-003", "query language", "watching, read and readByAssignee are those of whoever asks, who is $ApiUser", flagsAreTheCallers},
		{core, "HTTP-SEARCH-004", "query language", "dates are compared with those around now", datesAroundNow},
		{core, "HTTP-SEARCH-005", "query language", "history has a savepoint for each batch that made the problem or changed a field, with who did it", historyHasASavepointPerBatch},
		{core, "HTTP-SEARCH-006", "query language", "strings are compared exactly, or with [c] and [d] as a reader would", stringsAreComparedExactlyOrFolded},
		{core, "HTTP-SEARCH-007", "query language", "identifiers are found with = and IN, and keys in any letter case", identifiersAreFound},
		{core, "HTTP-SEARCH-008", "query language", "open problems that open problems block are found by the types and the ends of relationships", blockedProblemsAreFound},
		{core, "HTTP-SEARCH-009", "query language", "keywords and comments are found by one of them, by all, by none, or by one with several properties", quantifiersOfKeywordsAndComments},
		{core, "HTTP-SEARCH-010", "query language section 4", "a comparison is true or false, also with nil, and NOT is its exact complement", notIsTheComplement},
		{core, "HTTP-SEARCH-011", "query language", "milestones and components are found by name, in any letter case where [c] says so", milestonesAndComponentsByName},
		{core, "HTTP-SEARCH-012", "D31, query language", "each kind of metadata is searched, and its objects are found as they are listed", eachKindIsSearched},
		{core, "HTTP-SEARCH-013", "query language", "milestones are found by whether they have begun and ended", milestonesByTheirDates},
		{extended, "HTTP-SEARCH-014", "D17, D31", "a search can be sent as a JSON object, long predicates too, and is a read: the scope read is enough", postedSearch},
	}
}

func searchFindsWhatHolds(s *session) {
	h := newHerd(s)
	a := h.add(s.admin, "one", `"priority":{"name":"High"}`)
	h.add(s.admin, "two", `"priority":{"name":"Low"}`)
	b := h.add(s.admin, "three", `"priority":{"name":"High"}`)
	s.admin.put(a.keyword("k"), `"v"`).is(201)
	h.finds(s.admin, "priority.name = 'High'", a, b)
	h.finds(s.admin, "FALSEPREDICATE")
	for i, p := range []problem{a, b} {
		whole := p.load(s.admin).value.(map[string]any)
		h.find(s.admin, "priority.name = 'High'", "includeDetail", "true").has(fmt.Sprintf("/%d", i), whole)
		delete(whole, "logs")
		h.find(s.admin, "priority.name = 'High'").has(fmt.Sprintf("/%d", i), whole)
		h.find(s.admin, "priority.name = 'High'", "includeDetail", "false").has(fmt.Sprintf("/%d", i), whole)
	}
}

func writeIsFoundAtOnce(s *session) {
	h := newHerd(s)
	p := h.add(s.admin, "before")
	h.finds(s.admin, "title ENDSWITH 'before'", p)
	s.admin.patch(p.path, `{"title":`+encode(h.title("after"))+`,"state":{"name":"Closed"}}`).is(200)
	h.finds(s.admin, "title ENDSWITH 'before' OR state.resolved = NO")
	h.finds(s.admin, "title ENDSWITH 'after' AND state.resolved = YES AND resolver.identifier = originator.identifier", p)
	s.admin.put(p.keyword("k"), `"v"`).is(201)
	h.finds(s.admin, "ANY keywords.value = 'v'", p)
	s.admin.delete(p.keyword("k"), "").is(204)
	h.finds(s.admin, "ANY keywords.value = 'v'")
}

func flagsAreTheCallers(s *session) {
	h, bob := newHerd(s), s.user()
	h.add(bob.client, "of bob's own", `"assignee":`+bob.part())
	p := h.add(s.admin, "for bob", `"assignee":`+bob.part())
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	const unread = "read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser"
	h.finds(bob.client, "watching = YES", p)
	h.finds(s.admin, "watching = YES")
	h.finds(bob.client, unread, p)
	h.finds(s.admin, unread)
	h.finds(s.admin, "readByAssignee = NO", p)
	bob.patch(p.path, `{"read":true}`).is(200)
	h.finds(bob.client, unread)
	h.finds(s.admin, "readByAssignee = NO")
	h.finds(bob.client, "ANY watchers.identifier = $ApiUser", p)
}

func datesAroundNow(s *session) {
	h := newHerd(s)
	p := h.add(s.admin, "new")
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	for _, key := range []string{"creationDate", "modificationDate", "resolveDate"} {
		h.finds(s.admin, key+" > FUNCTION(NOW(), 'dateByAddingDays:', -7)", p)
		h.finds(s.admin, key+" < FUNCTION(NOW(), 'dateByAddingDays:', -7)")
		h.finds(s.admin, key+" > FUNCTION(NOW(), 'dateByAddingMonths:', 1)")
	}
	h.finds(s.admin, "creationDate > CAST('2015-11-05', 'NSDate') AND creationDate <= modificationDate", p)
}

func historyHasASavepointPerBatch(s *session) {
	h, bob, eve := newHerd(s), s.user(), s.user()
	p, q := h.add(bob.client, "p"), h.add(s.admin, "q")
	bob.patch(q.path, `{"title":`+encode(h.title("renamed"))+`,"priority":{"name":"Low"}}`).is(200)
	eve.post(p.path+"/comments", "no field", plain()).is(201)
	const mine = "SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0"
	h.finds(bob.client, mine, p, q)
	h.finds(eve.client, mine)
	h.finds(s.admin, "history.@count = 1", p)
	h.finds(s.admin, "history.@count = 2 AND ANY history.title ENDSWITH 'q'", q)
	h.finds(s.admin, "SUBQUERY(history, $h, $h.title != title).@count = 1", q) // title of the problem
}

func stringsAreComparedExactlyOrFolded(s *session) {
	h := newHerd(s)
	a, b, c := h.add(s.admin, "The API is slow"), h.add(s.admin, "the api, CRÈME BRÛLÉE"), h.add(s.admin, "100% of a_b is 'quoted'")
	h.finds(s.admin, "title CONTAINS 'API'", a)
	h.finds(s.admin, "title CONTAINS[c] 'API'", a, b)
	h.finds(s.admin, "title CONTAINS[c] 'crème'", b)
	h.finds(s.admin, "title CONTAINS[c] 'creme'")
	h.finds(s.admin, "title CONTAINS[cd] 'creme brulee'", b)
	h.finds(s.admin, "title ENDSWITH 'slow'", a)
	h.finds(s.admin, "title ENDSWITH 'SLOW'")
	h.finds(s.admin, "title LIKE '*The ???*slow'", a)
	h.finds(s.admin, "title LIKE 'The*'") // all of it has to fit
	h.finds(s.admin, "title MATCHES '.*(API|creme) is.*'", a)
	h.finds(s.admin, "title CONTAINS '0%' AND title CONTAINS '_b' AND title CONTAINS '\\'quoted'", c)
	h.finds(s.admin, "title CONTAINS 'a%b' OR title CONTAINS 'a?b' OR title CONTAINS 'a_i'")
}

func identifiersAreFound(s *session) {
	h := newHerd(s)
	a, b, c := h.add(s.admin, "a"), h.add(s.admin, "b"), h.add(s.admin, "c")
	search := func(predicate string) *answer {
		return s.admin.get(lookup("/problems/search", "predicate", predicate)).is(200)
	}
	search(fmt.Sprintf("identifier IN {%d, %d}", c.id, a.id)).problems(a, c)
	search(fmt.Sprintf("Id == %d || ID = %d", b.id, c.id)).problems(b, c)
	search(fmt.Sprintf("IDENTIFIER BETWEEN {%d, %d} && TITLE beginswith '%s'", b.id, c.id, h.mark)).problems(b, c)
	search("identifier IN {}").problems()
}

func blockedProblemsAreFound(s *session) {
	h := newHerd(s)
	blocked, blocker, other := h.add(s.admin, "blocked"), h.add(s.admin, "blocker"), h.add(s.admin, "other")
	s.relate(blocked, "BlockedBy", blocker)
	s.relate(other, "ParentOf", blocked)
	const stuck = "state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0"
	h.finds(s.admin, stuck, blocked)
	h.finds(s.admin, "SUBQUERY(relationships, $r, $r.type = 'BlockerOf').@count > 0", blocker)
	h.finds(s.admin, fmt.Sprintf("ANY relationships.problemIdentifier = %d", blocked.id), blocker, other)
	h.finds(s.admin, "ANY relationships.child.title ENDSWITH 'blocked'", blocker, other)
	h.finds(s.admin, "relationships.@count = 2", blocked)
	s.admin.patch(blocker.path, `{"state":{"name":"Closed"}}`).is(200)
	h.finds(s.admin, stuck)
}

func quantifiersOfKeywordsAndComments(s *session) {
	h, bob := newHerd(s), s.user()
	a, b, none := h.add(s.admin, "a"), h.add(s.admin, "b"), h.add(s.admin, "none")
	for _, k := range []struct {
		problem
		name, value string
	}{{a, "os", "linux"}, {a, "arch", "arm"}, {b, "os", "arm"}, {b, "arch", "linux"}} {
		s.admin.put(k.keyword(k.name), encode(k.value)).is(201)
	}
	s.admin.put(b.keyword("bare"), "null").is(201)
	bob.post(a.path+"/comments", "Seen on Tuesday", plain()).is(201)
	h.finds(s.admin, "ANY keywords.name = 'os'", a, b)
	h.finds(s.admin, "ANY keywords.name IN {'bare', 'x'}", b)
	h.finds(s.admin, "NONE keywords.name = 'os'", none)
	h.finds(s.admin, "ALL keywords.name != 'bare'", a, none)
	h.finds(s.admin, "SUBQUERY(keywords, $k, $k.name = 'os' AND $k.value = 'linux').@count = 1", a)
	h.finds(s.admin, "ANY keywords.value = nil", b)
	h.finds(s.admin, "keywords.@count = 0", none)
	h.finds(bob.client, "ANY comments.text CONTAINS[c] 'tuesday' AND ANY comments.author.identifier = $ApiUser", a)
	h.finds(s.admin, "SUBQUERY(logs, $l, $l.type = 'CommentAdded' AND $l.isSignificant = YES).@count > 0", a)
}

func notIsTheComplement(s *session) {
	h := newHerd(s)
	high, low, none := h.add(s.admin, "high", `"priority":{"name":"High"}`), h.add(s.admin, "low", `"priority":{"name":"Low"}`), h.add(s.admin, "none")
	h.finds(s.admin, "priority = nil", none)
	h.finds(s.admin, "priority.name = NULL", none)
	h.finds(s.admin, "priority != nil", high, low)
	h.finds(s.admin, "priority.name != 'High'", low, none)
	h.finds(s.admin, "NOT priority.name = 'High'", low, none)
	h.finds(s.admin, "NOT (priority.order >= -2000000000)", none)
	h.finds(s.admin, "priority.order < 2000000000", high, low)
	h.finds(s.admin, "NOT (priority.name BEGINSWITH 'H' OR assignee.email CONTAINS '@')", low, none)
	h.finds(s.admin, "priority.name IN {'Low', nil}", low, none)
	h.finds(s.admin, "NOT priority.name IN {'Low'} AND NOT resolveDate < NOW()", high, none)
	h.finds(s.admin, "NOT (NOT (assignee.name > 'a'))")
}

func milestonesAndComponentsByName(s *session) {
	h, milestone, parent := newHerd(s), s.milestone(), s.component()
	child := s.component(`"parent":` + parent.part())
	a, b := h.add(s.admin, "a", `"milestone":`+milestone.part()), h.add(s.admin, "b", `"component":`+child.part())
	h.finds(s.admin, "milestone.name =[c] '"+strings.ToUpper(milestone.name)+"'", a)
	h.finds(s.admin, "milestone.name = '"+strings.ToUpper(milestone.name)+"'")
	h.finds(s.admin, "milestone.name !=[c] '"+strings.ToUpper(milestone.name)+"'", b)
	h.finds(s.admin, "component.fullName BEGINSWITH '"+parent.name+"/'", b)
	h.finds(s.admin, "component.parent.identifier = '"+parent.identifier+"'", b)
	s.admin.patch(milestone.path, `{"name":`+encode(s.unique("renamed"))+`}`).is(200)
	h.finds(s.admin, "milestone.name BEGINSWITH 'renamed-'", a)
	h.finds(s.admin, "milestone.name = '"+milestone.name+"'")
}

func eachKindIsSearched(s *session) {
	bob := s.user()
	bob.search("/users", "identifier == $ApiUser").has("", []any{bob.object()})
	bob.search("/users", "inactive == NO AND name = '"+bob.name+"'").has("", []any{bob.object()})
	parent := s.component()
	child := s.component(`"parent":` + parent.part())
	bob.search("/components", "ANY children.identifier = '"+child.identifier+"'").has("", []any{s.listed("/components", parent.name)})
	bob.search("/components", "closed = NO AND fullName = '"+parent.name+"/"+child.name+"'").has("/0/identifier", child.identifier)
	bob.search("/components", "parent.name = '"+parent.name+"' AND successor = nil").has("", []any{s.listed("/components", child.name)})
	for _, kind := range kinds[:3] {
		a := bob.search(kind.list, "name = '"+kind.known+"'")
		a.has("", []any{s.listed(kind.list, kind.known)})
		bob.search(kind.list, "identifier = '"+strings.ToUpper(a.text("/0/identifier"))+"'").has("", a.value)
	}
	for _, predicate := range []string{"Initial = YES", "resolved = NO", "ANY nextStates.name = 'Closed'"} {
		if bob.search("/states", predicate).named("", "Open") == nil {
			s.Fatalf("of the states, %s does not find Open", predicate)
		}
	}
	for name, want := range map[string][]string{"Open": {"Closed", "In Progress"}, "Closed": {"Open"}} {
		before := encode(s.listed("/states", name)["identifier"])
		found := bob.search("/states", "ANY PreviousStates.identifier = "+before+" AND name IN {'Open', 'In Progress', 'Closed'}").names("")
		if slices.Sort(found); !slices.Equal(found, want) {
			s.Fatalf("after %s come %q, want %q (%s)", name, found, want, see("D2"))
		}
	}
}

func milestonesByTheirDates(s *session) {
	const past, future = `"2015-01-01T00:00:00.000Z"`, `"2999-01-01T00:00:00.000Z"`
	component := s.component()
	add := func(members ...string) object {
		return s.milestone(append(members, `"component":`+component.part())...)
	}
	want := []string{add().name, add(`"startDate":` + past).name, add(`"endDate":` + future).name, add(`"startDate":`+past, `"endDate":`+future).name}
	add(`"startDate":` + future)
	add(`"endDate":` + past)
	got := s.admin.search("/milestones", "component.identifier = '"+component.identifier+"' AND (StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())").names("")
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		s.Fatalf("found the milestones %q, want %q", got, want)
	}
}

func postedSearch(s *session) {
	h, reader := newHerd(s), s.userWith("read")
	a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
	ask := func(members map[string]any) *answer {
		s.Helper()
		return reader.post("/problems/search", encode(members)).offered("D31")
	}
	ask(map[string]any{"predicate": h.where("TRUEPREDICATE")}).is(200).json().problems(a, b)
	ask(map[string]any{"predicate": h.where("TRUEPREDICATE"), "sort": "-title", "limit": 1, "includeDetail": true}).is(200).
		problems(b).has("/0/logs/0/type", "ProblemCreated")
	var members []string
	for i := range 60 { // in a text impossible in a URL
		members = append(members, fmt.Sprintf("'no title %03d %s'", i, strings.Repeat("so long ", 28)))
	}
	ask(map[string]any{"predicate": "title IN {" + strings.Join(members, ",") + "," + encode(h.title("b")) + "}"}).is(200).problems(b)
	ask(map[string]any{}).fault(400, "malformed-request")
	ask(map[string]any{"predicate": 7}).fault(422, "invalid-type", "/predicate")
	ask(map[string]any{"predicate": "TRUEPREDICATE", "colour": 1}).fault(422, "unknown-field", "/colour")
	ask(map[string]any{"predicate": "TRUEPREDICATE", "limit": 0}).fault(422, "invalid-value", "/limit")
	reader.post("/states/search", `{"predicate":"name = 'Open'"}`).is(200).has("/0/name", "Open")
}
