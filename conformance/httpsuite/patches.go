package httpsuite

import (
	"fmt"
	"maps"
	"strings"
)

// patchCases are about updating problems (W2).
func patchCases() []demand {
	return []demand{
		{extended, "HTTP-W2-001", "D10", "updating answers 200 with the problem, its ETag and revision, and this request's batch as logs", updateAnswersTheProblem},
		{core, "HTTP-W2-002", "D11", "an absent member leaves a field, null clears it, a value sets it", absentNullAndValue},
		{extended, "HTTP-W2-003", "D1, D11", "title, state and read cannot be cleared", requiredFieldsCannotBeCleared},
		{extended, "HTTP-W2-004", "D11", "application/merge-patch+json is taken as well", mergePatchMediaType},
		{extended, "HTTP-W2-005", "D11", "metadata objects are resolved, not merged", metadataIsResolvedNotMerged},
		{extended, "HTTP-W2-006", "D8", "an update that changes nothing writes nothing", emptyUpdateWritesNothing},
		{core, "HTTP-W2-007", "D11", "a problem as R1 returned it can be sent back and changes nothing", loadedProblemCanBeSentBack},
		{core, "HTTP-W2-008", "D11", "a problem as R1 returned it can be edited and sent back", loadedProblemCanBeEdited},
		{extended, "HTTP-W2-009", "D11", "a revision in the body that is not the current one is stale-revision", otherRevisionInTheBodyIsStale},
		{extended, "HTTP-W2-010", "D11", "stale-revision says the current revision", staleRevisionTellsTheCurrentOne},
		{extended, "HTTP-W2-011", "D11", "watching, readByAssignee, logs, modifier and modificationDate are ignored", computedMembersAreIgnored},
		{extended, "HTTP-W2-018", "D11", "Ignored-Members names those of them that are other than they were", updateNamesIgnoredMembers},
		{extended, "HTTP-W2-012", "D11", "any other member that the service writes has to be the current value, else read-only-field", serviceMembersAreReadOnly},
		{extended, "HTTP-W2-013", "D11", "times are compared as instants and objects by identity", timesCompareAsInstants},
		{extended, "HTTP-W2-014", "D11, D18", "all faults of the body are reported together and nothing is stored", faultsOfAnUpdateComeTogether},
		{extended, "HTTP-W2-015", "D18", "a body that is no object is invalid-type", updateThatIsNoObject},
		{core, "HTTP-W2-016", "D1", "several fields are changed by one revision", severalFieldsAreOneRevision},
		{extended, "HTTP-W2-017", "D11", "a revision that no problem can have is not the current one", impossibleRevisionIsStale},
	}
}

func updateAnswersTheProblem(s *session) {
	p := s.problem()
	a := s.admin.patch(p.path, `{"title":"New title"}`).is(200)
	a.members("", problemMembers...).has("/title", "New title").has("/revision", 2)
	a.json()
	a.etag()
	if a.revision() != 2 || len(a.list("/logs")) != 1 {
		s.Fatalf("%v\nhas not revision 2 and one log entry", a)
	}
}

func absentNullAndValue(s *session) {
	bob := s.user()
	p := s.create(s.admin, `"priority":{"name":"High"}`, `"classification":{"name":"Task"}`, `"assignee":{"email":`+encode(bob.email)+`}`)
	s.admin.patch(p.path, `{"priority":null,"classification":{"name":"Feature"}}`).is(200)
	p.load(s.admin).has("/priority", nil).has("/classification/name", "Feature").has("/assignee/name", bob.name)
	s.admin.patch(p.path, `{"assignee":null}`).is(200).has("/assignee", nil).has("/classification/name", "Feature")
}

func requiredFieldsCannotBeCleared(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"title":null,"state":null,"read":null}`).fault(422, "invalid-value", "/title", "/state", "/read")
	})
}

func mergePatchMediaType(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"title":"Merged"}`, typed("application/merge-patch+json")).is(200).has("/title", "Merged")
	s.admin.post("/problems", `{"title":"x"}`, typed("application/merge-patch+json")).fault(415, "unsupported-media-type")
}

func metadataIsResolvedNotMerged(s *session) {
	p := s.create(s.admin, `"priority":{"name":"High"}`)
	s.admin.patch(p.path, `{"priority":{}}`, typed("application/merge-patch+json")).fault(422, "metadata-ambiguous", "/priority")
	s.admin.patch(p.path, `{"priority":{"name":null}}`).is(422)
	p.load(s.admin).has("/priority/name", "High")
}

func emptyUpdateWritesNothing(s *session) {
	p := s.create(s.admin, `"priority":{"name":"High"}`)
	title := p.load(s.admin).part("/title")
	s.untouched(p, func() {
		for _, body := range []string{
			`{}`, `{"title":` + title + `}`, `{"priority":{"name":"High"}}`, `{"state":{"name":"Open"}}`, `{"assignee":null}`, `{"read":true}`,
		} {
			a := s.admin.patch(p.path, body).is(200).has("/revision", 1).has("/logs", raw(`[]`))
			if a.revision() != 1 {
				s.Fatalf("%v\nhas a new revision", a)
			}
		}
	})
}

func loadedProblemCanBeSentBack(s *session) {
	bob := s.user()
	p := s.create(s.admin, `"priority":{"name":"High"}`, `"assignee":{"email":`+encode(bob.email)+`}`)
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	s.admin.put(p.keyword("empty"), `null`).is(201)
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	s.untouched(p, func() {
		loaded := p.load(s.admin)
		s.admin.patch(p.path, string(loaded.body)).is(200).has("/revision", loaded.number("/revision")).has("/logs", raw(`[]`))
		bob.patch(p.path, string(p.load(bob.client).body)).is(200).has("/logs", raw(`[]`))
	})
}

func loadedProblemCanBeEdited(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	loaded := p.load(s.admin)
	if loaded.text("/title") == "" {
		s.Fatalf("%v\nhas an empty title", loaded)
	}
	edited := maps.Clone(loaded.value.(map[string]any)) // an object, since it has a title
	edited["title"] = "Edited"
	a := s.admin.patch(p.path, encode(edited)).is(200).has("/title", "Edited").has("/keywords", loaded.at("/keywords"))
	a.has("/logs/last/field", "title")
	if len(a.list("/logs")) != 1 {
		s.Fatalf("%v\nchanged more than the title", a)
	}
}

func otherRevisionInTheBodyIsStale(s *session) {
	p := s.problem()
	old := string(p.load(s.admin).body)
	s.admin.patch(p.path, `{"title":"Second"}`).is(200)
	s.untouched(p, func() {
		s.admin.patch(p.path, old).fault(412, "stale-revision")
		s.admin.patch(p.path, `{"title":"x","revision":1}`).fault(412, "stale-revision")
		s.admin.patch(p.path, `{"title":"x","revision":99}`).fault(412, "stale-revision")
	})
	s.admin.patch(p.path, `{"title":"Third","revision":2}`).is(200).has("/revision", 3)
}

func staleRevisionTellsTheCurrentOne(s *session) {
	p := s.problem()
	for range 41 {
		s.admin.put(p.keyword("n"), encode(s.unique("v")))
	}
	a := s.admin.patch(p.path, `{"revision":1}`).fault(412, "stale-revision")
	if !strings.Contains(a.text("/detail"), "42") {
		s.Fatalf("%v\ndoes not say that the revision is 42", a)
	}
}

func computedMembersAreIgnored(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"watching":true,"readByAssignee":true,"logs":[],"modifier":null,"modificationDate":"2001-01-01T00:00:00.000Z"}`).
			is(200).has("/revision", 1).has("/watching", false)
	})
}

func updateNamesIgnoredMembers(s *session) {
	bob, p := s.user(), s.problem()
	was := p.load(s.admin)
	s.admin.patch(p.path, string(was.body)).is(200).ignores()
	edited := s.admin.patch(p.path, strings.Replace(string(was.body), `"title":"`, `"title":"Now `, 1)).is(200).ignores()
	s.admin.patch(p.path, string(edited.body)).is(200).ignores()
	for _, query := range []string{"?dryRun=true", ""} {
		s.admin.patch(p.path+query, `{"watching":true,"readByAssignee":"yes","modifier":`+encode(bob.object())+`,"modificationDate":"2001-02-03T04:05:06.000Z","logs":[{}]}`).is(200).
			ignores("logs", "modificationDate", "modifier", "readByAssignee", "watching")
		s.admin.patch(p.path+query, `{"watching":null,"logs":[],"modifier":null}`).is(200).ignores()
		forged := strings.Replace(string(edited.body), `"Now `, `"Never `, -1)
		s.admin.patch(p.path+query, `{"logs":`+encode(at(normal(raw(forged)), "/logs"))+`}`).is(200).ignores("logs")
	}
}

func serviceMembersAreReadOnly(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	s.untouched(p, func() {
		for name, value := range map[string]string{
			"identifier":   fmt.Sprint(p.id + 1),
			"originator":   bob.part(),
			"resolver":     bob.part(),
			"resolveDate":  `"2001-01-01T00:00:00.000Z"`,
			"creationDate": `"2001-01-01T00:00:00.000Z"`,
			"keywords":     `[]`,
		} {
			s.admin.patch(p.path, fmt.Sprintf(`{%q:%s}`, name, value)).fault(422, "read-only-field", "/"+name)
		}
		for _, keywords := range []string{
			`[{"name":"color","value":"blue"}]`, `[{"name":"Color","value":"red"}]`, `[{"name":"color","value":null}]`, `[{"name":"color"}]`,
			`[{"name":"color","value":"red","more":1}]`, `[{"name":"color","value":"red"},{"name":"color","value":"red"}]`, `["color"]`, `{}`, `null`,
		} {
			s.admin.patch(p.path, `{"keywords":`+keywords+`}`).fault(422, "read-only-field", "/keywords")
		}
	})
}

func timesCompareAsInstants(s *session) {
	p := s.problem()
	loaded := p.load(s.admin)
	shifted := strings.Replace(loaded.text("/creationDate"), "Z", "+00:00", 1)
	body := fmt.Sprintf(`{"creationDate":%q,"originator":{"identifier":%s}}`, shifted, loaded.part("/originator/identifier"))
	s.untouched(p, func() { s.admin.patch(p.path, body).is(200) })
}

func faultsOfAnUpdateComeTogether(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		a := s.admin.patch(p.path, `{"title":"","read":1,"identifier":0,"colour":1,"milestone":{"name":"Nope"}}`)
		a.fault(422, "validation-failed", "/title", "/read", "/identifier", "/colour", "/milestone")
	})
}

func updateThatIsNoObject(s *session) {
	p := s.problem()
	for _, body := range []string{`[]`, `"x"`, `null`, `1`} {
		s.admin.patch(p.path, body).fault(422, "invalid-type", "")
	}
}

func severalFieldsAreOneRevision(s *session) {
	bob, p := s.user(), s.problem()
	a := bob.patch(p.path, `{"title":"x","state":{"name":"In Progress"},"priority":{"name":"Urgent"},"assignee":{"email":"`+strings.ToUpper(bob.email)+`"}}`)
	a.is(200).has("/revision", 2).has("/state/name", "In Progress").has("/priority/name", "Urgent").has("/assignee", bob.object())
	a.has("/modifier", bob.object()).timed("/modificationDate")
	if len(a.list("/logs")) != 4 {
		s.Fatalf("%v\nhas not four log entries", a)
	}
}

func impossibleRevisionIsStale(s *session) {
	p := s.problem()
	for _, revision := range []string{"0", "-1", "99", "99999999999999999999"} {
		s.admin.patch(p.path, `{"title":"x","revision":`+revision+`}`).fault(412, "stale-revision")
	}
}
