package httpsuite

import (
	"fmt"
	"strings"
)

// partialCases are about metadata objects given in part (spec section 2, D3).
func partialCases() []demand {
	return []demand{
		{core, "HTTP-META-001", "D3", "any members that leave exactly one object will do", anyUniqueMembersWillDo},
		{extended, "HTTP-META-002", "D3", "all members given have to match", allMembersHaveToMatch},
		{extended, "HTTP-META-003", "D3", "what fits none is metadata-not-found, and names compare exactly", partialWithoutMatch},
		{extended, "HTTP-META-004", "D3", "what fits several is metadata-ambiguous and lists candidates", ambiguousPartialListsCandidates},
		{extended, "HTTP-META-005", "D3", "at most ten candidates are listed", atMostTenCandidates},
		{extended, "HTTP-META-006", "D3", "a member that such objects do not have is unknown-field", unknownMemberOfAPartial},
		{extended, "HTTP-META-007", "D3", "anything but an object is invalid-type, as is a member of another type", wrongTypesInAPartial},
		{extended, "HTTP-META-008", "D3", "an array of objects matches as a set, all on both sides", arraysInAPartialMatchAsSets},
		{extended, "HTTP-META-009", "D3", "beside an identifier only name and email are compared, so an object returned earlier still works", identifierNeedsOnlyNameAndEmail},
		{core, "HTTP-META-010", "D2, D3", "e-mail addresses compare without ASCII letter case", emailIgnoresLetterCase},
		{extended, "HTTP-META-011", "D9", "text in a partial object is trimmed and normalised", textInAPartialIsNormalised},
		{extended, "HTTP-META-012", "D2", "an inactive user resolves but is refused as a new value", inactiveUserIsNoNewValue},
		{extended, "HTTP-META-013", "D9, D18", "a text that no name can have is invalid-value in a partial too", impossibleNameInAPartial},
		{core, "HTTP-META-014", "spec section 2", "a partial object that fits none, or several, is refused and changes nothing", refusedPartialChangesNothing},
		{extended, "HTTP-META-015", "D2", "the identifiers of metadata objects and users are UUIDv7", identifiersAreUUIDv7},
	}
}

func anyUniqueMembersWillDo(s *session) {
	p := s.problem()
	high := s.admin.patch(p.path, `{"priority":{"name":"High"}}`).is(200)
	for _, partial := range []string{
		`{"identifier":` + high.part("/priority/identifier") + `}`,
		`{"name":"High","order":` + high.part("/priority/order") + `}`,
		high.part("/priority"),
	} {
		s.admin.patch(p.path, `{"priority":`+partial+`}`).is(200).has("/revision", 2)
	}
}

func allMembersHaveToMatch(s *session) {
	p := s.problem()
	low := s.admin.patch(p.path, `{"priority":{"name":"Low"}}`).is(200)
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"priority":{"name":"High","order":`+low.part("/priority/order")+`}}`).fault(422, "metadata-not-found", "/priority")
		s.admin.patch(p.path, `{"priority":{"name":"High","identifier":`+low.part("/priority/identifier")+`}}`).fault(422, "metadata-not-found", "/priority")
	})
}

func partialWithoutMatch(s *session) {
	for _, partial := range []string{`{"name":"Nope"}`, `{"name":"high"}`, `{"identifier":"01890000-0000-7000-8000-000000000000"}`, `{"order":-987654321}`} {
		s.admin.post("/problems", `{"title":"x","priority":`+partial+`}`).fault(422, "metadata-not-found", "/priority")
	}
	s.admin.post("/problems", `{"title":"x","component":{"name":"Nope"},"milestone":{"name":"Nope"}}`).
		fault(422, "metadata-not-found", "/component", "/milestone")
}

func ambiguousPartialListsCandidates(s *session) {
	s.admin.post("/problems", `{"title":"x","priority":{}}`).fault(422, "metadata-ambiguous", "/priority")
	a := s.admin.post("/problems", `{"title":"x","assignee":{"name":`+encode(s.twins(2))+`}}`).fault(422, "metadata-ambiguous", "/assignee")
	if n := candidates(s, a); n != 2 {
		s.Fatalf("%v\nlists %d candidates, want 2", a, n)
	}
	p := s.problem()
	s.admin.patch(p.path, `{"state":{"resolved":false}}`).fault(422, "metadata-ambiguous", "/state")
	s.admin.patch(p.path, `{"state":{}}`).fault(422, "metadata-ambiguous", "/state")
}

func atMostTenCandidates(s *session) {
	a := s.admin.post("/problems", `{"title":"x","assignee":{"name":`+encode(s.twins(12))+`}}`).fault(422, "metadata-ambiguous", "/assignee")
	if n := candidates(s, a); n != 10 {
		s.Fatalf("%v\nlists %d candidates, want 10", a, n)
	}
}

func unknownMemberOfAPartial(s *session) {
	s.admin.post("/problems", `{"title":"x","priority":{"name":"High","colour":"red"}}`).fault(422, "unknown-field", "/priority/colour")
	s.admin.post("/problems", `{"title":"x","priority":{"Name":"High"}}`).fault(422, "unknown-field", "/priority/Name")
	s.admin.post("/problems", `{"title":"x","classification":{"order":1}}`).fault(422, "unknown-field", "/classification/order")
}

func wrongTypesInAPartial(s *session) {
	for _, value := range []string{`"High"`, `1`, `true`, `[]`, `[{"name":"High"}]`} {
		s.admin.post("/problems", `{"title":"x","priority":`+value+`}`).fault(422, "invalid-type", "/priority")
	}
	s.admin.post("/problems", `{"title":"x","priority":{"order":"1"}}`).fault(422, "invalid-type", "/priority/order")
	s.admin.post("/problems", `{"title":"x","assignee":{"inactive":"no"}}`).fault(422, "invalid-type", "/assignee/inactive")
}

func arraysInAPartialMatchAsSets(s *session) {
	p := s.problem()
	// Another state of the server may lead to the same ones: the name
	// tells them apart.
	partial := func(name, next string) string {
		return fmt.Sprintf(`{"state":{"name":%q,"nextStates":[%s]}}`, name, next)
	}
	next := p.load(s.admin).list("/state/nextStates")
	if len(next) == 0 {
		s.Fatalf("no state follows Open, but D2 has two")
	}
	forth, back := make([]string, len(next)), make([]string, len(next))
	for i, state := range next {
		text := encode(map[string]any{"name": at(state, "/name")})
		forth[i], back[len(next)-1-i] = text, text
	}
	s.admin.patch(p.path, partial("Open", strings.Join(forth, ","))).is(200).has("/revision", 1)
	s.admin.patch(p.path, partial("Open", strings.Join(back, ","))).is(200).has("/revision", 1)
	s.untouched(p, func() {
		s.admin.patch(p.path, partial("Open", strings.Join(forth[1:], ","))).fault(422, "metadata-not-found", "/state")
		s.admin.patch(p.path, partial("Open", "")).fault(422, "metadata-not-found", "/state")
		s.admin.patch(p.path, partial("Open", strings.Join(append(forth, `{"name":"Nope"}`), ","))).fault(422, "metadata-not-found", "/state")
	})
}

func identifierNeedsOnlyNameAndEmail(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.patch(p.path, `{"assignee":`+encode(map[string]any{"identifier": bob.identifier, "inactive": true})+`}`).is(200).has("/assignee/name", bob.name)
	state := s.admin.patch(p.path, `{"state":{"name":"In Progress"}}`).is(200).part("/state/identifier")
	s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"order":4711,"initial":true,"resolved":true,"nextStates":[]}}`).is(200).has("/state/name", "In Progress")
	s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"order":"first"}}`).fault(422, "invalid-type", "/state/order")
	s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"colour":1}}`).fault(422, "unknown-field", "/state/colour")
	s.admin.patch(p.path, `{"assignee":{"identifier":`+encode(bob.identifier)+`,"email":"other@example.org"}}`).fault(422, "metadata-not-found", "/assignee")
}

func emailIgnoresLetterCase(s *session) {
	bob := s.user()
	for _, email := range []string{bob.email, strings.ToUpper(bob.email), strings.ToLower(bob.email), " " + bob.email + " "} {
		s.admin.post("/problems", `{"title":"x","assignee":{"email":`+encode(email)+`}}`).is(201).has("/assignee/identifier", bob.identifier)
	}
}

func textInAPartialIsNormalised(s *session) {
	name := s.unique("Ame\u0301lie")
	made := s.admin.post("/users", `{"name":`+encode(name)+`,"email":"`+s.unique("amelie")+`@example.org"}`).is(201)
	composed := strings.Replace(name, "e\u0301", "é", 1)
	made.has("/name", composed)
	for _, text := range []string{name, composed, "\u3000" + name + "\t"} {
		s.admin.post("/problems", `{"title":"x","assignee":{"name":`+encode(text)+`}}`).is(201).has("/assignee/identifier", made.text("/identifier"))
	}
	s.admin.post("/problems", `{"title":"x","priority":{"name":" High\u00a0"}}`).is(201).has("/priority/name", "High")
}

func inactiveUserIsNoNewValue(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200)
	s.deactivate(bob)
	s.admin.post("/problems", `{"title":"x","assignee":{"email":`+encode(bob.email)+`}}`).fault(422, "invalid-value", "/assignee")
	s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200).has("/assignee/inactive", true).has("/revision", 2)
	s.admin.patch(p.path, string(p.load(s.admin).body)).is(200).has("/revision", 2)
	s.admin.patch(p.path, `{"assignee":null}`).is(200)
	s.admin.patch(p.path, `{"assignee":{"identifier":`+encode(bob.identifier)+`}}`).fault(422, "invalid-value", "/assignee")
}

func impossibleNameInAPartial(s *session) {
	bob, p := s.user(), s.problem()
	for _, partial := range []string{`{"name":"\u0000"}`, `{"name":"a\u0007b"}`, `{"identifier":` + encode(bob.identifier) + `,"name":"\u0000"}`, `{"email":"a\tb"}`} {
		s.admin.patch(p.path, `{"assignee":`+partial+`}`).is(422)
		if a := s.admin.patch(p.path, `{"assignee":`+partial+`}`); a.slug() != "invalid-value" {
			s.Fatalf("%v\nis not invalid-value", a)
		}
	}
}

func refusedPartialChangesNothing(s *session) {
	p, name := s.problem(), s.twins(2)
	s.untouched(p, func() {
		for _, body := range []string{
			`{"priority":{"name":"Nope"}}`, `{"priority":{}}`, `{"state":{}}`, `{"state":{"resolved":false}}`,
			`{"assignee":{"name":` + encode(name) + `}}`, `{"title":"x","assignee":{"email":"nobody@example.invalid"}}`,
		} {
			s.admin.patch(p.path, body).refused()
		}
	})
	s.admin.post("/problems", `{"title":"x","priority":{"name":"Nope"}}`).refused()
}

func identifiersAreUUIDv7(s *session) {
	bob := s.user()
	a := s.admin.post("/problems", `{"title":"x","priority":{"name":"High"},"classification":{"name":"Task"},"assignee":`+bob.part()+`}`).is(201)
	for _, pointer := range []string{"/state", "/priority", "/classification", "/assignee", "/state/nextStates/0"} {
		if !uuidForm.MatchString(a.text(pointer + "/identifier")) {
			s.Fatalf("%v\nhas at %s no UUIDv7", a, pointer)
		}
	}
}

// candidates counts the case's users in an error: by identifier, by e-mail address or by
// name.
func candidates(s *session, a *answer) int {
	s.Helper()
	detail := a.text("/errors/0/detail")
	count := 0
	for _, user := range s.made() {
		if strings.Contains(detail, user) {
			count++
		}
	}
	return max(count, strings.Count(detail, "address-"), strings.Count(detail, "twin-"))
}
