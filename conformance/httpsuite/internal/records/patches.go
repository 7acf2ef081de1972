package records

import (
	"fmt"
	"maps"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// patchCases are about updating problems (W2).
func patchCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-W2-001", "D10", "updating answers 200 with the problem, its ETag and revision, and this request's batch as logs", updateAnswersTheProblem),
		session.Core("HTTP-W2-002", "D11", "an absent member leaves a field, null clears it, a value sets it", absentNullAndValue),
		session.Extended("HTTP-W2-003", "D1, D11", "title, state and read cannot be cleared", requiredFieldsCannotBeCleared),
		session.Extended("HTTP-W2-004", "D11", "application/merge-patch+json is taken as well", mergePatchMediaType),
		session.Extended("HTTP-W2-005", "D11", "metadata objects are resolved, not merged", metadataIsResolvedNotMerged),
		session.Extended("HTTP-W2-006", "D8", "an update that changes nothing writes nothing", emptyUpdateWritesNothing),
		session.Core("HTTP-W2-007", "D11", "a problem as R1 returned it can be sent back and changes nothing", loadedProblemCanBeSentBack),
		session.Core("HTTP-W2-008", "D11", "a problem as R1 returned it can be edited and sent back", loadedProblemCanBeEdited),
		session.Extended("HTTP-W2-009", "D11", "a revision in the body that is not the current one is stale-revision", otherRevisionInTheBodyIsStale),
		session.Extended("HTTP-W2-010", "D11", "stale-revision says the current revision", staleRevisionTellsTheCurrentOne),
		session.Extended("HTTP-W2-011", "D11", "watching, readByAssignee, logs, modifier and modificationDate are ignored", computedMembersAreIgnored),
		session.Extended("HTTP-W2-018", "D11", "Ignored-Members names those of them that are other than they were", updateNamesIgnoredMembers),
		session.Extended("HTTP-W2-012", "D11", "any other member that the service writes has to be the current value, else read-only-field", serviceMembersAreReadOnly),
		session.Extended("HTTP-W2-013", "D11", "times are compared as instants and objects by identity", timesCompareAsInstants),
		session.Extended("HTTP-W2-014", "D11, D18", "all faults of the body are reported together and nothing is stored", faultsOfAnUpdateComeTogether),
		session.Extended("HTTP-W2-015", "D18", "a body that is no object is invalid-type", updateThatIsNoObject),
		session.Core("HTTP-W2-016", "D1", "several fields are changed by one revision", severalFieldsAreOneRevision),
		session.Extended("HTTP-W2-017", "D11", "a revision that no problem can have is not the current one", impossibleRevisionIsStale),
		session.Extended("HTTP-W2-019", "D52, D20", "a change with a base counts on top of changes of other fields, and If-Match stays strict", baseOfAChange),
		session.Extended("HTTP-W2-020", "D53, D21", "a comment and the fields beside it are one batch, or nothing; with a key, they are stored once", commentBesideFields),
	}
}

func updateAnswersTheProblem(s *session.Session) {
	p := s.Problem()
	a := s.Admin.Patch(p.Path, `{"title":"New title"}`).Is(200)
	a.Members("", session.ProblemMembers...).Has("/title", "New title").Has("/revision", 2)
	a.JSON()
	a.ETag()
	if a.Revision() != 2 || len(a.List("/logs")) != 1 {
		s.Fatalf("%v\nhas not revision 2 and one log entry", a)
	}
}

func absentNullAndValue(s *session.Session) {
	bob := s.User()
	p := s.Create(s.Admin, `"priority":{"name":"High"}`, `"classification":{"name":"Task"}`, `"assignee":{"email":`+session.Encode(bob.Email)+`}`)
	s.Admin.Patch(p.Path, `{"priority":null,"classification":{"name":"Feature"}}`).Is(200)
	p.Load(s.Admin).Has("/priority", nil).Has("/classification/name", "Feature").Has("/assignee/name", bob.Name)
	s.Admin.Patch(p.Path, `{"assignee":null}`).Is(200).Has("/assignee", nil).Has("/classification/name", "Feature")
}

func requiredFieldsCannotBeCleared(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"title":null,"state":null,"read":null}`).Fault(422, "invalid-value", "/title", "/state", "/read")
	})
}

func mergePatchMediaType(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"Merged"}`, session.Typed("application/merge-patch+json")).Is(200).Has("/title", "Merged")
	s.Admin.Post("/problems", `{"title":"x"}`, session.Typed("application/merge-patch+json")).Fault(415, "unsupported-media-type")
}

func metadataIsResolvedNotMerged(s *session.Session) {
	p := s.Create(s.Admin, `"priority":{"name":"High"}`)
	s.Admin.Patch(p.Path, `{"priority":{}}`, session.Typed("application/merge-patch+json")).Fault(422, "metadata-ambiguous", "/priority")
	s.Admin.Patch(p.Path, `{"priority":{"name":null}}`).Is(422)
	p.Load(s.Admin).Has("/priority/name", "High")
}

func emptyUpdateWritesNothing(s *session.Session) {
	p := s.Create(s.Admin, `"priority":{"name":"High"}`)
	title := p.Load(s.Admin).Part("/title")
	s.Untouched(p, func() {
		for _, body := range []string{
			`{}`, `{"title":` + title + `}`, `{"priority":{"name":"High"}}`, `{"state":{"name":"Open"}}`, `{"assignee":null}`, `{"read":true}`,
		} {
			a := s.Admin.Patch(p.Path, body).Is(200).Has("/revision", 1).Has("/logs", session.Raw(`[]`))
			if a.Revision() != 1 {
				s.Fatalf("%v\nhas a new revision", a)
			}
		}
	})
}

func loadedProblemCanBeSentBack(s *session.Session) {
	bob := s.User()
	p := s.Create(s.Admin, `"priority":{"name":"High"}`, `"assignee":{"email":`+session.Encode(bob.Email)+`}`)
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Admin.Put(p.Keyword("empty"), `null`).Is(201)
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	s.Untouched(p, func() {
		loaded := p.Load(s.Admin)
		s.Admin.Patch(p.Path, string(loaded.Body)).Is(200).Has("/revision", loaded.Number("/revision")).Has("/logs", session.Raw(`[]`))
		bob.Patch(p.Path, string(p.Load(bob.Client).Body)).Is(200).Has("/logs", session.Raw(`[]`))
	})
}

func loadedProblemCanBeEdited(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	loaded := p.Load(s.Admin)
	if loaded.Text("/title") == "" {
		s.Fatalf("%v\nhas an empty title", loaded)
	}
	edited := maps.Clone(loaded.Value.(map[string]any)) // an object, since it has a title
	edited["title"] = "Edited"
	a := s.Admin.Patch(p.Path, session.Encode(edited)).Is(200).Has("/title", "Edited").Has("/keywords", loaded.At("/keywords"))
	a.Has("/logs/last/field", "title")
	if len(a.List("/logs")) != 1 {
		s.Fatalf("%v\nchanged more than the title", a)
	}
}

func otherRevisionInTheBodyIsStale(s *session.Session) {
	p := s.Problem()
	old := string(p.Load(s.Admin).Body)
	s.Admin.Patch(p.Path, `{"title":"Second"}`).Is(200)
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, old).Fault(412, "stale-revision")
		s.Admin.Patch(p.Path, `{"title":"x","revision":1}`).Fault(412, "stale-revision")
		s.Admin.Patch(p.Path, `{"title":"x","revision":99}`).Fault(412, "stale-revision")
	})
	s.Admin.Patch(p.Path, `{"title":"Third","revision":2}`).Is(200).Has("/revision", 3)
}

func staleRevisionTellsTheCurrentOne(s *session.Session) {
	p := s.Problem()
	for range 41 {
		s.Admin.Put(p.Keyword("n"), session.Encode(s.Unique("v")))
	}
	a := s.Admin.Patch(p.Path, `{"revision":1}`).Fault(412, "stale-revision")
	if !strings.Contains(a.Text("/detail"), "42") {
		s.Fatalf("%v\ndoes not say that the revision is 42", a)
	}
}

func computedMembersAreIgnored(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"watching":true,"readByAssignee":true,"logs":[],"modifier":null,"modificationDate":"2001-01-01T00:00:00.000Z"}`).
			Is(200).Has("/revision", 1).Has("/watching", false)
	})
}

func updateNamesIgnoredMembers(s *session.Session) {
	bob, p := s.User(), s.Problem()
	was := p.Load(s.Admin)
	s.Admin.Patch(p.Path, string(was.Body)).Is(200).Ignores()
	edited := s.Admin.Patch(p.Path, strings.Replace(string(was.Body), `"title":"`, `"title":"Now `, 1)).Is(200).Ignores()
	s.Admin.Patch(p.Path, string(edited.Body)).Is(200).Ignores()
	for _, query := range []string{"?dryRun=true", ""} {
		s.Admin.Patch(p.Path+query, `{"watching":true,"readByAssignee":"yes","modifier":`+session.Encode(bob.Object())+`,"modificationDate":"2001-02-03T04:05:06.000Z","logs":[{}]}`).Is(200).
			Ignores("logs", "modificationDate", "modifier", "readByAssignee", "watching")
		s.Admin.Patch(p.Path+query, `{"watching":null,"logs":[],"modifier":null}`).Is(200).Ignores()
		forged := strings.Replace(string(edited.Body), `"Now `, `"Never `, -1)
		s.Admin.Patch(p.Path+query, `{"logs":`+session.Encode(session.At(session.Normal(session.Raw(forged)), "/logs"))+`}`).Is(200).Ignores("logs")
	}
}

func serviceMembersAreReadOnly(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Untouched(p, func() {
		for name, value := range map[string]string{
			"identifier":   fmt.Sprint(p.ID + 1),
			"originator":   bob.Part(),
			"resolver":     bob.Part(),
			"resolveDate":  `"2001-01-01T00:00:00.000Z"`,
			"creationDate": `"2001-01-01T00:00:00.000Z"`,
			"keywords":     `[]`,
		} {
			s.Admin.Patch(p.Path, fmt.Sprintf(`{%q:%s}`, name, value)).Fault(422, "read-only-field", "/"+name)
		}
		for _, keywords := range []string{
			`[{"name":"color","value":"blue"}]`, `[{"name":"Color","value":"red"}]`, `[{"name":"color","value":null}]`, `[{"name":"color"}]`,
			`[{"name":"color","value":"red","more":1}]`, `[{"name":"color","value":"red"},{"name":"color","value":"red"}]`, `["color"]`, `{}`, `null`,
		} {
			s.Admin.Patch(p.Path, `{"keywords":`+keywords+`}`).Fault(422, "read-only-field", "/keywords")
		}
	})
}

func timesCompareAsInstants(s *session.Session) {
	p := s.Problem()
	loaded := p.Load(s.Admin)
	shifted := strings.Replace(loaded.Text("/creationDate"), "Z", "+00:00", 1)
	body := fmt.Sprintf(`{"creationDate":%q,"originator":{"identifier":%s}}`, shifted, loaded.Part("/originator/identifier"))
	s.Untouched(p, func() { s.Admin.Patch(p.Path, body).Is(200) })
}

func faultsOfAnUpdateComeTogether(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		a := s.Admin.Patch(p.Path, `{"title":"","read":1,"identifier":0,"colour":1,"milestone":{"name":"Nope"}}`)
		a.Fault(422, "validation-failed", "/title", "/read", "/identifier", "/colour", "/milestone")
	})
}

func updateThatIsNoObject(s *session.Session) {
	p := s.Problem()
	for _, body := range []string{`[]`, `"x"`, `null`, `1`} {
		s.Admin.Patch(p.Path, body).Fault(422, "invalid-type", "")
	}
}

func severalFieldsAreOneRevision(s *session.Session) {
	bob, p := s.User(), s.Problem()
	a := bob.Patch(p.Path, `{"title":"x","state":{"name":"In Progress"},"priority":{"name":"Urgent"},"assignee":{"email":"`+strings.ToUpper(bob.Email)+`"}}`)
	a.Is(200).Has("/revision", 2).Has("/state/name", "In Progress").Has("/priority/name", "Urgent").Has("/assignee", bob.Object())
	a.Has("/modifier", bob.Object()).Timed("/modificationDate")
	if len(a.List("/logs")) != 4 {
		s.Fatalf("%v\nhas not four log entries", a)
	}
}

func baseOfAChange(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"Theirs","priority":{"name":"High"}}`).Is(200)
	s.Admin.Patch(p.Path+"?base=1", `{"state":{"name":"In Progress"},"priority":{"name":"High"}}`).Is(200).Has("/title", "Theirs").Has("/revision", 3)
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path+"?base=1", `{"title":"Mine","priority":{"name":"Low"},"assignee":null}`).Fault(412, "stale-revision", "/title", "/priority")
		s.Admin.Patch(p.Path+"?base=2", `{"title":"Mine"}`, session.With("If-Match", `"2"`)).Fault(412, "stale-revision")
		for _, base := range []string{"0", "4", "x", ""} {
			s.Admin.Patch(p.Path+"?base="+base, `{"title":"Mine"}`).Fault(400, "malformed-request")
		}
	})
}

func commentBesideFields(s *session.Session) {
	key := session.With("Idempotency-Key", s.Unique("key"))
	id := s.Admin.Post("/problems", `{"title":"Dark","comment":"Since noon."}`, key).Is(201).Has("/revision", 1).Number("/identifier")
	s.Admin.Post("/problems", `{"title":"Dark","comment":"Since noon."}`, key).Is(201).Has("/identifier", id)
	p := session.Problem{ID: id, Path: fmt.Sprintf("/problems/%d", id)}
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/text", "Since noon.").Counts("", 1)

	key = session.With("Idempotency-Key", s.Unique("key"))
	const closed = `{"state":{"name":"Closed"},"comment":"It was the fuse."}`
	now := s.Admin.Patch(p.Path, closed, key).Is(200).Has("/revision", 2).Has("/logs/0/type", "CommentAdded").Has("/logs/1/field", "state")
	now.Has("/logs/1/batchIdentifier", now.At("/logs/0/batchIdentifier"))
	s.Admin.Patch(p.Path, `{"state":{"name":"Open"}}`).Is(200)
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, closed, key).Is(200).Sends("Idempotency-Replayed", "true").Has("/revision", 2)
		s.Admin.Patch(p.Path, `{"comment":"Another."}`, key).Fault(409, "idempotency-conflict")
		s.Admin.Patch(p.Path, `{"title":"","comment":"Not this."}`).Fault(422, "", "/title")
		s.Admin.Patch(p.Path, `{"title":"Not this","comment":" "}`).Fault(422, "", "/comment")
		s.Admin.Post("/problems", `{"title":"Not this","comment":null}`).Fault(422, "", "/comment")
	})
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/1/text", "It was the fuse.").Counts("", 2)
}

func impossibleRevisionIsStale(s *session.Session) {
	p := s.Problem()
	for _, revision := range []string{"0", "-1", "99", "99999999999999999999"} {
		s.Admin.Patch(p.Path, `{"title":"x","revision":`+revision+`}`).Fault(412, "stale-revision")
	}
}
