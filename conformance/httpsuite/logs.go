package httpsuite

import (
	"fmt"
)

// logMembers are the members of an entry of the history log (D8).
var logMembers = []string{
	"identifier", "type", "creationDate", "author", "batchIdentifier", "isSignificant", "field", "from", "to",
}

// newestEntry demands the newest log entry of p, as D8's table has it.
func newestEntry(s *session, p problem, kind string, field, from, to any) *answer {
	s.Helper()
	a := p.load(s.admin).members("/logs/last", logMembers...).timed("/logs/last/creationDate")
	significant := kind != "WatcherAdded" && kind != "WatcherRemoved"
	a.has("/logs/last/type", kind).has("/logs/last/isSignificant", significant)
	return a.has("/logs/last/field", field).has("/logs/last/from", from).has("/logs/last/to", to)
}

// withValue is the value of a keyword as the log has it.
func withValue(v any) any { return map[string]any{"value": v} }

// otherProblem is the other end of a relationship as the log has it.
func otherProblem(p problem) any { return map[string]any{"problemIdentifier": p.id} }

// logCases are about the history log (D8).
func logCases() []demand {
	return []demand{
		{core, "HTTP-LOG-001", "D8", "creating logs ProblemCreated with the fields set", creationIsLogged},
		{core, "HTTP-LOG-002", "D8", "each changed field logs FieldChanged: a text, {identifier,name} or null", changedFieldsAreLogged},
		{core, "HTTP-LOG-003", "D8", "one request is one batch, with one entry per field", oneRequestIsOneBatch},
		{core, "HTTP-LOG-004", "D8", "a comment logs CommentAdded with the comment's identifier", commentIsLogged},
		{core, "HTTP-LOG-005", "D8", "keywords log KeywordSet and KeywordDeleted; one without value is {value:null}", keywordsAreLogged},
		{core, "HTTP-LOG-006", "D8", "a relationship logs on both problems, each with the type as seen from it, in one batch", relationshipIsLoggedOnBothProblems},
		{core, "HTTP-LOG-007", "D8", "a watcher logs WatcherAdded, which is not significant", watcherIsLogged},
		{core, "HTTP-LOG-008", "D8", "the log is oldest first and append-only, and its identifiers are unique", logIsAppendOnly},
		{core, "HTTP-LOG-009", "D8", "the names of what was set stay as they were at that moment", loggedNamesStay},
		{extended, "HTTP-LOG-010", "D8", "read and refused requests leave no entry", refusalsAreNotLogged},
		{core, "HTTP-LOG-011", "D8", "an entry's author is who made the change, whatever was changed", logNamesTheAuthor},
		{extended, "HTTP-LOG-012", "D8", "FieldChanged of a priority or a classification tells both from and to as {identifier,name}", priorityAndClassificationAreLogged},
		{extended, "HTTP-LOG-013", "D8", "each request is a batch of its own", eachRequestIsItsOwnBatch},
		{extended, "HTTP-LOG-014", "D8", "a keyword set after it was deleted had no value before: from is null", keywordSetAfterDeletionIsFromNull},
		{extended, "HTTP-LOG-015", "D8", "ProblemCreated tells all fields that were set", creationLogsAllFields},
	}
}

func creationIsLogged(s *session) {
	p := s.create(s.admin, `"priority":{"name":"High"}`)
	a := p.load(s.admin)
	a.members("/logs/0", logMembers...).timed("/logs/0/creationDate")
	a.has("/logs/0/type", "ProblemCreated").has("/logs/0/field", nil).has("/logs/0/from", nil).has("/logs/0/isSignificant", true)
	a.has("/logs/0/to/title", a.text("/title"))
	a.has("/logs/0/to/state", map[string]any{"identifier": a.text("/state/identifier"), "name": "Open"})
	a.has("/logs/0/to/priority", map[string]any{"identifier": a.text("/priority/identifier"), "name": "High"})
	a.members("/logs/0/author", "identifier", "name").has("/logs/0/author/identifier", a.text("/originator/identifier"))
	a.has("/logs/0/creationDate", a.text("/creationDate"))
}

func changedFieldsAreLogged(s *session) {
	bob, p := s.user(), s.problem()
	before := p.load(s.admin)
	s.admin.patch(p.path, `{"title":"New"}`).is(200)
	newestEntry(s, p, "FieldChanged", "title", before.text("/title"), "New")
	after := s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	newestEntry(s, p, "FieldChanged", "state",
		map[string]any{"identifier": before.text("/state/identifier"), "name": "Open"},
		map[string]any{"identifier": after.text("/state/identifier"), "name": "Closed"})
	s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200)
	newestEntry(s, p, "FieldChanged", "assignee", nil, bob.ref())
	s.admin.patch(p.path, `{"assignee":null}`).is(200)
	newestEntry(s, p, "FieldChanged", "assignee", bob.ref(), nil)
}

func oneRequestIsOneBatch(s *session) {
	bob, p := s.user(), s.problem()
	a := bob.patch(p.path, `{"title":"x","priority":{"name":"Low"},"classification":{"name":"Task"}}`).is(200)
	fields := map[string]bool{}
	for i := range a.list("/logs") {
		pointer := fmt.Sprintf("/logs/%d", i)
		a.has(pointer+"/batchIdentifier", a.text("/logs/0/batchIdentifier")).has(pointer+"/author", bob.ref())
		a.has(pointer+"/type", "FieldChanged").has(pointer+"/creationDate", a.text("/modificationDate"))
		fields[a.text(pointer+"/field")] = true
	}
	if len(fields) != 3 || !fields["title"] || !fields["priority"] || !fields["classification"] {
		s.Fatalf("%v\nlogs %v", a, fields)
	}
	all := p.load(s.admin)
	if first := all.text("/logs/0/batchIdentifier"); first == a.text("/logs/0/batchIdentifier") {
		s.Fatalf("%v\nhas one batch for two requests", all)
	}
}

func commentIsLogged(s *session) {
	p := s.problem()
	comment := s.admin.post(p.path+"/comments", "text", plain()).is(201)
	newestEntry(s, p, "CommentAdded", "comments", nil, comment.text("/identifier"))
}

func keywordsAreLogged(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("a%2Fb"), `"1"`).is(201)
	newestEntry(s, p, "KeywordSet", "a/b", nil, "1")
	s.admin.put(p.keyword("a%2Fb"), `"2"`).is(200)
	newestEntry(s, p, "KeywordSet", "a/b", "1", "2")
	s.admin.put(p.keyword("a%2Fb"), `null`).is(200)
	newestEntry(s, p, "KeywordSet", "a/b", "2", withValue(nil))
	s.admin.put(p.keyword("a%2Fb"), `"3"`).is(200)
	newestEntry(s, p, "KeywordSet", "a/b", withValue(nil), "3")
	s.admin.delete(p.keyword("a%2Fb"), "").is(204)
	newestEntry(s, p, "KeywordDeleted", "a/b", "3", nil)
	s.admin.put(p.keyword("n"), `null`).is(201)
	newestEntry(s, p, "KeywordSet", "n", nil, withValue(nil))
	s.admin.delete(p.keyword("n"), "").is(204)
	newestEntry(s, p, "KeywordDeleted", "n", withValue(nil), nil)
}

func relationshipIsLoggedOnBothProblems(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	here := newestEntry(s, p, "RelationshipAdded", "ParentOf", nil, otherProblem(q))
	newestEntry(s, q, "RelationshipAdded", "ChildOf", nil, otherProblem(p)).
		has("/logs/last/batchIdentifier", here.text("/logs/last/batchIdentifier")).
		has("/logs/last/creationDate", here.text("/logs/last/creationDate"))
	s.admin.delete(q.path+"/relationships", link("ChildOf", p)).is(204)
	newestEntry(s, p, "RelationshipDeleted", "ParentOf", otherProblem(q), nil)
	newestEntry(s, q, "RelationshipDeleted", "ChildOf", otherProblem(p), nil)
}

func watcherIsLogged(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	newestEntry(s, p, "WatcherAdded", "watchers", nil, bob.ref())
}

func logIsAppendOnly(s *session) {
	p := s.problem()
	seen := []any{p.load(s.admin).list("/logs")[0]}
	for i := range 5 {
		s.admin.put(p.keyword("k"), fmt.Sprintf(`"%d"`, i))
		a := p.load(s.admin)
		if now := a.list("/logs"); encode(now[:len(now)-1]) != encode(seen) {
			s.Fatalf("%v\ndoes not begin with\n%s", a, encode(seen))
		}
		a.has("/logs/last/to", fmt.Sprint(i))
		seen = a.list("/logs")
	}
	identifiers := map[any]bool{}
	for _, e := range seen {
		identifiers[at(e, "/identifier")] = true
	}
	if len(identifiers) != 6 {
		s.Fatalf("6 entries have %d identifiers", len(identifiers))
	}
}

func loggedNamesStay(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	bob.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200)
	s.admin.patch("/users/"+bob.identifier, `{"name":`+encode(s.unique("renamed"))+`}`).is(200)
	newestEntry(s, p, "FieldChanged", "assignee", nil, bob.ref()).has("/logs/last/author/identifier", bob.identifier)
	p.load(s.admin).has("/logs/1/type", "WatcherAdded").has("/logs/1/to", bob.ref())
}

func refusalsAreNotLogged(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"read":false}`).is(200)
		s.admin.patch(p.path, `{"read":true}`).is(200)
		s.admin.patch(p.path, `{"title":""}`).is(422)
		s.admin.delete(p.keyword("none"), "").is(404)
	})
}

func logNamesTheAuthor(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	change := func(kind string, sides ...problem) {
		s.Helper()
		for _, side := range sides {
			side.load(s.admin).has("/logs/last/type", kind).has("/logs/last/author", bob.ref())
		}
	}
	bob.post(p.path+"/comments", "text", plain()).is(201)
	change("CommentAdded", p)
	bob.put(p.keyword("k"), `"v"`).is(201)
	change("KeywordSet", p)
	bob.delete(p.keyword("k"), "").is(204)
	change("KeywordDeleted", p)
	bob.put(p.path+"/relationships", link("ParentOf", q)).is(201)
	change("RelationshipAdded", p, q)
	bob.delete(p.path+"/relationships", link("ParentOf", q)).is(204)
	change("RelationshipDeleted", p, q)
	bob.put(p.path+"/watchers", bob.part()).is(201)
	change("WatcherAdded", p)
	p.load(s.admin).has("/logs/0/author/identifier", p.load(s.admin).text("/originator/identifier"))
}

func priorityAndClassificationAreLogged(s *session) {
	p := s.problem()
	for field, names := range map[string][2]string{"priority": {"High", "Low"}, "classification": {"Task", "Feature"}} {
		var last any
		for _, name := range names {
			a := s.admin.patch(p.path, encode(map[string]any{field: map[string]any{"name": name}})).is(200)
			now := map[string]any{"identifier": a.text("/" + field + "/identifier"), "name": name}
			newestEntry(s, p, "FieldChanged", field, last, now)
			last = now
		}
		s.admin.patch(p.path, encode(map[string]any{field: nil})).is(200)
		newestEntry(s, p, "FieldChanged", field, last, nil)
	}
}

func eachRequestIsItsOwnBatch(s *session) {
	p, q := s.problem(), s.problem()
	s.admin.patch(p.path, `{"title":"x"}`).is(200)
	s.admin.post(p.path+"/comments", "one", plain()).is(201)
	s.admin.post(p.path+"/comments", "two", plain()).is(201)
	s.admin.put(p.keyword("k"), `"v"`).is(201)
	s.admin.put(p.keyword("k"), `"w"`).is(200)
	s.admin.delete(p.keyword("k"), "").is(204)
	s.relate(p, "ParentOf", q)
	s.admin.delete(p.path+"/relationships", link("ParentOf", q)).is(204)
	s.admin.put(p.path+"/watchers", s.user().part()).is(201)
	const n = 10
	a, batches := p.load(s.admin).counts("/logs", n), map[string]bool{}
	for i := range n {
		batches[a.text(fmt.Sprintf("/logs/%d/batchIdentifier", i))] = true
	}
	if len(batches) != n {
		s.Fatalf("%v\nhas %d batches for %d requests", a, len(batches), n)
	}
}

func keywordSetAfterDeletionIsFromNull(s *session) {
	p := s.problem()
	for _, value := range []string{"old", "new"} {
		s.admin.put(p.keyword("k"), encode(value)).is(201)
		newestEntry(s, p, "KeywordSet", "k", nil, value)
		s.admin.delete(p.keyword("k"), "").is(204)
		newestEntry(s, p, "KeywordDeleted", "k", value, nil)
	}
}

func creationLogsAllFields(s *session) {
	bob := s.user()
	p := s.create(s.admin, `"priority":{"name":"High"}`, `"classification":{"name":"Task"}`, `"assignee":`+bob.part())
	a := p.load(s.admin).has("/logs/0/to/assignee", bob.ref())
	for _, field := range []string{"state", "priority", "classification"} {
		a.has("/logs/0/to/"+field, map[string]any{"identifier": a.text("/" + field + "/identifier"), "name": a.text("/" + field + "/name")})
	}
}
