package records

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// logMembers are the members of an entry of the history log (D8).
var logMembers = []string{
	"identifier", "type", "creationDate", "author", "via", "batchIdentifier", "isSignificant", "field", "from", "to",
}

// newestEntry demands the newest log entry of p, as D8's table has it.
func newestEntry(s *session.Session, p session.Problem, kind string, field, from, to any) *session.Answer {
	s.Helper()
	a := p.Load(s.Admin).Members("/logs/last", logMembers...).Timed("/logs/last/creationDate")
	significant := kind != "WatcherAdded" && kind != "WatcherRemoved" && kind != "CommentEdited" && kind != "CommentDeleted" && kind != "Redacted" && kind != "ClaimTaken" && kind != "ClaimEnded"
	a.Has("/logs/last/type", kind).Has("/logs/last/isSignificant", significant)
	return a.Has("/logs/last/field", field).Has("/logs/last/from", from).Has("/logs/last/to", to)
}

// withValue is the value of a keyword as the log has it.
func withValue(v any) any { return map[string]any{"value": v} }

// otherProblem is the other end of a relationship as the log has it.
func otherProblem(p session.Problem) any { return map[string]any{"problemIdentifier": p.ID} }

// logCases are about the history log (D8).
func logCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-LOG-001", "D8", "creating logs ProblemCreated with the fields set", creationIsLogged),
		session.Core("HTTP-LOG-002", "D8", "each changed field logs FieldChanged: a text, {identifier,name} or null", changedFieldsAreLogged),
		session.Core("HTTP-LOG-003", "D8", "one request is one batch, with one entry per field", oneRequestIsOneBatch),
		session.Core("HTTP-LOG-004", "D8", "a comment logs CommentAdded with the comment's identifier", commentIsLogged),
		session.Core("HTTP-LOG-005", "D8", "keywords log KeywordSet and KeywordDeleted; one without value is {value:null}", keywordsAreLogged),
		session.Core("HTTP-LOG-006", "D8", "a relationship logs on both problems, each with the type as seen from it, in one batch", relationshipIsLoggedOnBothProblems),
		session.Core("HTTP-LOG-007", "D8", "a watcher logs WatcherAdded, which is not significant", watcherIsLogged),
		session.Core("HTTP-LOG-008", "D8", "the log is oldest first and append-only, and its identifiers are unique", logIsAppendOnly),
		session.Core("HTTP-LOG-009", "D8", "the names of what was set stay as they were at that moment", loggedNamesStay),
		session.Extended("HTTP-LOG-010", "D8", "read and refused requests leave no entry", refusalsAreNotLogged),
		session.Core("HTTP-LOG-011", "D8", "an entry's author is who made the change, whatever was changed", logNamesTheAuthor),
		session.Extended("HTTP-LOG-012", "D8", "FieldChanged of a priority or a classification tells both from and to as {identifier,name}", priorityAndClassificationAreLogged),
		session.Extended("HTTP-LOG-013", "D8", "each request is a batch of its own", eachRequestIsItsOwnBatch),
		session.Extended("HTTP-LOG-014", "D8", "a keyword set after it was deleted had no value before: from is null", keywordSetAfterDeletionIsFromNull),
		session.Extended("HTTP-LOG-015", "D8", "ProblemCreated tells all fields that were set", creationLogsAllFields),
		session.Extended("HTTP-LOG-016", "D8, D5, D39", "an entry, a comment and an event name the token of their author", logNamesTheToken),
	}
}

func creationIsLogged(s *session.Session) {
	p := s.Create(s.Admin, `"priority":{"name":"High"}`)
	a := p.Load(s.Admin)
	a.Members("/logs/0", logMembers...).Timed("/logs/0/creationDate")
	a.Has("/logs/0/type", "ProblemCreated").Has("/logs/0/field", nil).Has("/logs/0/from", nil).Has("/logs/0/isSignificant", true)
	a.Has("/logs/0/to/title", a.Text("/title"))
	a.Has("/logs/0/to/state", map[string]any{"identifier": a.Text("/state/identifier"), "name": "Open"})
	a.Has("/logs/0/to/priority", map[string]any{"identifier": a.Text("/priority/identifier"), "name": "High"})
	a.Members("/logs/0/author", "identifier", "name").Has("/logs/0/author/identifier", a.Text("/originator/identifier"))
	a.Has("/logs/0/creationDate", a.Text("/creationDate"))
}

func changedFieldsAreLogged(s *session.Session) {
	bob, p := s.User(), s.Problem()
	before := p.Load(s.Admin)
	s.Admin.Patch(p.Path, `{"title":"New"}`).Is(200)
	newestEntry(s, p, "FieldChanged", "title", before.Text("/title"), "New")
	after := s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	newestEntry(s, p, "FieldChanged", "state",
		map[string]any{"identifier": before.Text("/state/identifier"), "name": "Open"},
		map[string]any{"identifier": after.Text("/state/identifier"), "name": "Closed"})
	s.Admin.Patch(p.Path, `{"assignee":`+bob.Part()+`}`).Is(200)
	newestEntry(s, p, "FieldChanged", "assignee", nil, bob.Ref())
	s.Admin.Patch(p.Path, `{"assignee":null}`).Is(200)
	newestEntry(s, p, "FieldChanged", "assignee", bob.Ref(), nil)
}

func oneRequestIsOneBatch(s *session.Session) {
	bob, p := s.User(), s.Problem()
	a := bob.Patch(p.Path, `{"title":"x","priority":{"name":"Low"},"classification":{"name":"Task"}}`).Is(200)
	fields := map[string]bool{}
	for i := range a.List("/logs") {
		pointer := fmt.Sprintf("/logs/%d", i)
		a.Has(pointer+"/batchIdentifier", a.Text("/logs/0/batchIdentifier")).Has(pointer+"/author", bob.Ref())
		a.Has(pointer+"/type", "FieldChanged").Has(pointer+"/creationDate", a.Text("/modificationDate"))
		fields[a.Text(pointer+"/field")] = true
	}
	if len(fields) != 3 || !fields["title"] || !fields["priority"] || !fields["classification"] {
		s.Fatalf("%v\nlogs %v", a, fields)
	}
	all := p.Load(s.Admin)
	if first := all.Text("/logs/0/batchIdentifier"); first == a.Text("/logs/0/batchIdentifier") {
		s.Fatalf("%v\nhas one batch for two requests", all)
	}
}

func commentIsLogged(s *session.Session) {
	p := s.Problem()
	comment := s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	newestEntry(s, p, "CommentAdded", "comments", nil, comment.Text("/identifier"))
}

func keywordsAreLogged(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("a%2Fb"), `"1"`).Is(201)
	newestEntry(s, p, "KeywordSet", "a/b", nil, "1")
	s.Admin.Put(p.Keyword("a%2Fb"), `"2"`).Is(200)
	newestEntry(s, p, "KeywordSet", "a/b", "1", "2")
	s.Admin.Put(p.Keyword("a%2Fb"), `null`).Is(200)
	newestEntry(s, p, "KeywordSet", "a/b", "2", withValue(nil))
	s.Admin.Put(p.Keyword("a%2Fb"), `"3"`).Is(200)
	newestEntry(s, p, "KeywordSet", "a/b", withValue(nil), "3")
	s.Admin.Delete(p.Keyword("a%2Fb"), "").Is(204)
	newestEntry(s, p, "KeywordDeleted", "a/b", "3", nil)
	s.Admin.Put(p.Keyword("n"), `null`).Is(201)
	newestEntry(s, p, "KeywordSet", "n", nil, withValue(nil))
	s.Admin.Delete(p.Keyword("n"), "").Is(204)
	newestEntry(s, p, "KeywordDeleted", "n", withValue(nil), nil)
}

func relationshipIsLoggedOnBothProblems(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	here := newestEntry(s, p, "RelationshipAdded", "ParentOf", nil, otherProblem(q))
	newestEntry(s, q, "RelationshipAdded", "ChildOf", nil, otherProblem(p)).
		Has("/logs/last/batchIdentifier", here.Text("/logs/last/batchIdentifier")).
		Has("/logs/last/creationDate", here.Text("/logs/last/creationDate"))
	s.Admin.Delete(q.Path+"/relationships", session.Link("ChildOf", p)).Is(204)
	newestEntry(s, p, "RelationshipDeleted", "ParentOf", otherProblem(q), nil)
	newestEntry(s, q, "RelationshipDeleted", "ChildOf", otherProblem(p), nil)
}

func watcherIsLogged(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	newestEntry(s, p, "WatcherAdded", "watchers", nil, bob.Ref())
}

func logIsAppendOnly(s *session.Session) {
	p := s.Problem()
	seen := []any{p.Load(s.Admin).List("/logs")[0]}
	for i := range 5 {
		s.Admin.Put(p.Keyword("k"), fmt.Sprintf(`"%d"`, i))
		a := p.Load(s.Admin)
		if now := a.List("/logs"); session.Encode(now[:len(now)-1]) != session.Encode(seen) {
			s.Fatalf("%v\ndoes not begin with\n%s", a, session.Encode(seen))
		}
		a.Has("/logs/last/to", fmt.Sprint(i))
		seen = a.List("/logs")
	}
	identifiers := map[any]bool{}
	for _, e := range seen {
		identifiers[session.At(e, "/identifier")] = true
	}
	if len(identifiers) != 6 {
		s.Fatalf("6 entries have %d identifiers", len(identifiers))
	}
}

func loggedNamesStay(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	bob.Patch(p.Path, `{"assignee":`+bob.Part()+`}`).Is(200)
	s.Admin.Patch("/users/"+bob.Identifier, `{"name":`+session.Encode(s.Unique("renamed"))+`}`).Is(200)
	newestEntry(s, p, "FieldChanged", "assignee", nil, bob.Ref()).Has("/logs/last/author/identifier", bob.Identifier)
	p.Load(s.Admin).Has("/logs/1/type", "WatcherAdded").Has("/logs/1/to", bob.Ref())
}

func refusalsAreNotLogged(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"read":false}`).Is(200)
		s.Admin.Patch(p.Path, `{"read":true}`).Is(200)
		s.Admin.Patch(p.Path, `{"title":""}`).Is(422)
		s.Admin.Delete(p.Keyword("none"), "").Is(404)
	})
}

func logNamesTheAuthor(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	change := func(kind string, sides ...session.Problem) {
		s.Helper()
		for _, side := range sides {
			side.Load(s.Admin).Has("/logs/last/type", kind).Has("/logs/last/author", bob.Ref())
		}
	}
	bob.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	change("CommentAdded", p)
	bob.Put(p.Keyword("k"), `"v"`).Is(201)
	change("KeywordSet", p)
	bob.Delete(p.Keyword("k"), "").Is(204)
	change("KeywordDeleted", p)
	bob.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201)
	change("RelationshipAdded", p, q)
	bob.Delete(p.Path+"/relationships", session.Link("ParentOf", q)).Is(204)
	change("RelationshipDeleted", p, q)
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	change("WatcherAdded", p)
	p.Load(s.Admin).Has("/logs/0/author/identifier", p.Load(s.Admin).Text("/originator/identifier"))
}

func logNamesTheToken(s *session.Session) {
	bob, p := s.User(), s.Problem()
	issued := bob.Post("/me/tokens", `{"scope":"comment","name":"CI of the web"}`).Is(201)
	via := map[string]any{"identifier": issued.Text("/identifier"), "name": "CI of the web"}
	added := s.As(issued.Text("/token")).Post(p.Path+"/comments", `{"text":"The build failed."}`).Is(201).Has("/via", via)
	p.Load(s.Admin).Has("/logs/last/author", bob.Ref()).Has("/logs/last/via", via)
	bob.Patch(p.Path+"/comments/"+added.Text("/identifier"), `{"text":"It passes."}`).Is(200).Has("/via", via)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/last/via", via)
	unnamed := p.Load(s.Admin).Has("/logs/last/via/name", nil).At("/logs/last/via")
	events := s.Admin.Get(fmt.Sprintf("/events?problem=%d", p.ID)).Is(200).Has("/1/via", via).Has("/1/logs/0/via", via)
	events.Has("/2/via", unnamed).Has("/2/logs/0/via", unnamed)
}

func priorityAndClassificationAreLogged(s *session.Session) {
	p := s.Problem()
	for field, names := range map[string][2]string{"priority": {"High", "Low"}, "classification": {"Task", "Feature"}} {
		var last any
		for _, name := range names {
			a := s.Admin.Patch(p.Path, session.Encode(map[string]any{field: map[string]any{"name": name}})).Is(200)
			now := map[string]any{"identifier": a.Text("/" + field + "/identifier"), "name": name}
			newestEntry(s, p, "FieldChanged", field, last, now)
			last = now
		}
		s.Admin.Patch(p.Path, session.Encode(map[string]any{field: nil})).Is(200)
		newestEntry(s, p, "FieldChanged", field, last, nil)
	}
}

func eachRequestIsItsOwnBatch(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Admin.Patch(p.Path, `{"title":"x"}`).Is(200)
	s.Admin.Post(p.Path+"/comments", "one", session.Plain()).Is(201)
	s.Admin.Post(p.Path+"/comments", "two", session.Plain()).Is(201)
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	s.Admin.Put(p.Keyword("k"), `"w"`).Is(200)
	s.Admin.Delete(p.Keyword("k"), "").Is(204)
	s.Relate(p, "ParentOf", q)
	s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", q)).Is(204)
	s.Admin.Put(p.Path+"/watchers", s.User().Part()).Is(201)
	const n = 10
	a, batches := p.Load(s.Admin).Counts("/logs", n), map[string]bool{}
	for i := range n {
		batches[a.Text(fmt.Sprintf("/logs/%d/batchIdentifier", i))] = true
	}
	if len(batches) != n {
		s.Fatalf("%v\nhas %d batches for %d requests", a, len(batches), n)
	}
}

func keywordSetAfterDeletionIsFromNull(s *session.Session) {
	p := s.Problem()
	for _, value := range []string{"old", "new"} {
		s.Admin.Put(p.Keyword("k"), session.Encode(value)).Is(201)
		newestEntry(s, p, "KeywordSet", "k", nil, value)
		s.Admin.Delete(p.Keyword("k"), "").Is(204)
		newestEntry(s, p, "KeywordDeleted", "k", value, nil)
	}
}

func creationLogsAllFields(s *session.Session) {
	bob := s.User()
	p := s.Create(s.Admin, `"priority":{"name":"High"}`, `"classification":{"name":"Task"}`, `"assignee":`+bob.Part())
	a := p.Load(s.Admin).Has("/logs/0/to/assignee", bob.Ref())
	for _, field := range []string{"state", "priority", "classification"} {
		a.Has("/logs/0/to/"+field, map[string]any{"identifier": a.Text("/" + field + "/identifier"), "name": a.Text("/" + field + "/name")})
	}
}
