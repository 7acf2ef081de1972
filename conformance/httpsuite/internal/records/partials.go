package records

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// partialCases are about metadata objects given in part (spec section 2, D3).
func partialCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-META-001", "D3", "any members that leave exactly one object will do", anyUniqueMembersWillDo),
		session.Extended("HTTP-META-002", "D3", "all members given have to match", allMembersHaveToMatch),
		session.Extended("HTTP-META-003", "D3", "what fits none is metadata-not-found, and names compare exactly", partialWithoutMatch),
		session.Extended("HTTP-META-004", "D3", "what fits several is metadata-ambiguous and lists candidates", ambiguousPartialListsCandidates),
		session.Extended("HTTP-META-005", "D3", "at most ten candidates are listed", atMostTenCandidates),
		session.Extended("HTTP-META-006", "D3", "a member that such objects do not have is unknown-field", unknownMemberOfAPartial),
		session.Extended("HTTP-META-007", "D3", "anything but an object is invalid-type, as is a member of another type", wrongTypesInAPartial),
		session.Extended("HTTP-META-008", "D3", "an array of objects matches as a set, all on both sides", arraysInAPartialMatchAsSets),
		session.Extended("HTTP-META-009", "D3", "beside an identifier only name and email are compared, so an object returned earlier still works", identifierNeedsOnlyNameAndEmail),
		session.Core("HTTP-META-010", "D2, D3", "e-mail addresses compare without ASCII letter case", emailIgnoresLetterCase),
		session.Extended("HTTP-META-011", "D9", "text in a partial object is trimmed and normalised", textInAPartialIsNormalised),
		session.Extended("HTTP-META-012", "D2", "an inactive user resolves but is refused as a new value", inactiveUserIsNoNewValue),
		session.Extended("HTTP-META-013", "D9, D18", "a text that no name can have is invalid-value in a partial too", impossibleNameInAPartial),
		session.Core("HTTP-META-014", "spec section 2", "a partial object that fits none, or several, is refused and changes nothing", refusedPartialChangesNothing),
		session.Extended("HTTP-META-015", "D2", "the identifiers of metadata objects and users are UUIDv7", identifiersAreUUIDv7),
	}
}

func anyUniqueMembersWillDo(s *session.Session) {
	p := s.Problem()
	high := s.Admin.Patch(p.Path, `{"priority":{"name":"High"}}`).Is(200)
	for _, partial := range []string{
		`{"identifier":` + high.Part("/priority/identifier") + `}`,
		`{"name":"High","order":` + high.Part("/priority/order") + `}`,
		high.Part("/priority"),
	} {
		s.Admin.Patch(p.Path, `{"priority":`+partial+`}`).Is(200).Has("/revision", 2)
	}
}

func allMembersHaveToMatch(s *session.Session) {
	p := s.Problem()
	low := s.Admin.Patch(p.Path, `{"priority":{"name":"Low"}}`).Is(200)
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"priority":{"name":"High","order":`+low.Part("/priority/order")+`}}`).Fault(422, "metadata-not-found", "/priority")
		s.Admin.Patch(p.Path, `{"priority":{"name":"High","identifier":`+low.Part("/priority/identifier")+`}}`).Fault(422, "metadata-not-found", "/priority")
	})
}

func partialWithoutMatch(s *session.Session) {
	for _, partial := range []string{`{"name":"Nope"}`, `{"name":"high"}`, `{"identifier":"01890000-0000-7000-8000-000000000000"}`, `{"order":-987654321}`} {
		s.Admin.Post("/problems", `{"title":"x","priority":`+partial+`}`).Fault(422, "metadata-not-found", "/priority")
	}
	s.Admin.Post("/problems", `{"title":"x","component":{"name":"Nope"},"milestone":{"name":"Nope"}}`).
		Fault(422, "metadata-not-found", "/component", "/milestone")
}

func ambiguousPartialListsCandidates(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"x","priority":{}}`).Fault(422, "metadata-ambiguous", "/priority")
	a := s.Admin.Post("/problems", `{"title":"x","assignee":{"name":`+session.Encode(s.Twins(2))+`}}`).Fault(422, "metadata-ambiguous", "/assignee")
	if n := candidates(s, a); n != 2 {
		s.Fatalf("%v\nlists %d candidates, want 2", a, n)
	}
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"state":{"resolved":false}}`).Fault(422, "metadata-ambiguous", "/state")
	s.Admin.Patch(p.Path, `{"state":{}}`).Fault(422, "metadata-ambiguous", "/state")
}

func atMostTenCandidates(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"x","assignee":{"name":`+session.Encode(s.Twins(12))+`}}`).Fault(422, "metadata-ambiguous", "/assignee")
	if n := candidates(s, a); n != 10 {
		s.Fatalf("%v\nlists %d candidates, want 10", a, n)
	}
}

func unknownMemberOfAPartial(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"x","priority":{"name":"High","colour":"red"}}`).Fault(422, "unknown-field", "/priority/colour")
	s.Admin.Post("/problems", `{"title":"x","priority":{"Name":"High"}}`).Fault(422, "unknown-field", "/priority/Name")
	s.Admin.Post("/problems", `{"title":"x","classification":{"order":1}}`).Fault(422, "unknown-field", "/classification/order")
}

func wrongTypesInAPartial(s *session.Session) {
	for _, value := range []string{`"High"`, `1`, `true`, `[]`, `[{"name":"High"}]`} {
		s.Admin.Post("/problems", `{"title":"x","priority":`+value+`}`).Fault(422, "invalid-type", "/priority")
	}
	s.Admin.Post("/problems", `{"title":"x","priority":{"order":"1"}}`).Fault(422, "invalid-type", "/priority/order")
	s.Admin.Post("/problems", `{"title":"x","assignee":{"inactive":"no"}}`).Fault(422, "invalid-type", "/assignee/inactive")
}

func arraysInAPartialMatchAsSets(s *session.Session) {
	p := s.Problem()
	// Another state of the server may lead to the same ones: the name
	// tells them apart.
	partial := func(name, next string) string {
		return fmt.Sprintf(`{"state":{"name":%q,"nextStates":[%s]}}`, name, next)
	}
	next := p.Load(s.Admin).List("/state/nextStates")
	if len(next) == 0 {
		s.Fatalf("no state follows Open, but D2 has two")
	}
	forth, back := make([]string, len(next)), make([]string, len(next))
	for i, state := range next {
		text := session.Encode(map[string]any{"name": session.At(state, "/name")})
		forth[i], back[len(next)-1-i] = text, text
	}
	s.Admin.Patch(p.Path, partial("Open", strings.Join(forth, ","))).Is(200).Has("/revision", 1)
	s.Admin.Patch(p.Path, partial("Open", strings.Join(back, ","))).Is(200).Has("/revision", 1)
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, partial("Open", strings.Join(forth[1:], ","))).Fault(422, "metadata-not-found", "/state")
		s.Admin.Patch(p.Path, partial("Open", "")).Fault(422, "metadata-not-found", "/state")
		s.Admin.Patch(p.Path, partial("Open", strings.Join(append(forth, `{"name":"Nope"}`), ","))).Fault(422, "metadata-not-found", "/state")
	})
}

func identifierNeedsOnlyNameAndEmail(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Patch(p.Path, `{"assignee":`+session.Encode(map[string]any{"identifier": bob.Identifier, "inactive": true})+`}`).Is(200).Has("/assignee/name", bob.Name)
	state := s.Admin.Patch(p.Path, `{"state":{"name":"In Progress"}}`).Is(200).Part("/state/identifier")
	s.Admin.Patch(p.Path, `{"state":{"identifier":`+state+`,"order":4711,"initial":true,"resolved":true,"nextStates":[]}}`).Is(200).Has("/state/name", "In Progress")
	s.Admin.Patch(p.Path, `{"state":{"identifier":`+state+`,"order":"first"}}`).Fault(422, "invalid-type", "/state/order")
	s.Admin.Patch(p.Path, `{"state":{"identifier":`+state+`,"colour":1}}`).Fault(422, "unknown-field", "/state/colour")
	s.Admin.Patch(p.Path, `{"assignee":{"identifier":`+session.Encode(bob.Identifier)+`,"email":"other@example.org"}}`).Fault(422, "metadata-not-found", "/assignee")
}

func emailIgnoresLetterCase(s *session.Session) {
	bob := s.User()
	for _, email := range []string{bob.Email, strings.ToUpper(bob.Email), strings.ToLower(bob.Email), " " + bob.Email + " "} {
		s.Admin.Post("/problems", `{"title":"x","assignee":{"email":`+session.Encode(email)+`}}`).Is(201).Has("/assignee/identifier", bob.Identifier)
	}
}

func textInAPartialIsNormalised(s *session.Session) {
	name := s.Unique("Ame\u0301lie")
	made := s.Admin.Post("/users", `{"name":`+session.Encode(name)+`,"email":"`+s.Unique("amelie")+`@example.org"}`).Is(201)
	composed := strings.Replace(name, "e\u0301", "é", 1)
	made.Has("/name", composed)
	for _, text := range []string{name, composed, "\u3000" + name + "\t"} {
		s.Admin.Post("/problems", `{"title":"x","assignee":{"name":`+session.Encode(text)+`}}`).Is(201).Has("/assignee/identifier", made.Text("/identifier"))
	}
	s.Admin.Post("/problems", `{"title":"x","priority":{"name":" High\u00a0"}}`).Is(201).Has("/priority/name", "High")
}

func inactiveUserIsNoNewValue(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Patch(p.Path, `{"assignee":`+bob.Part()+`}`).Is(200)
	s.Deactivate(bob)
	s.Admin.Post("/problems", `{"title":"x","assignee":{"email":`+session.Encode(bob.Email)+`}}`).Fault(422, "invalid-value", "/assignee")
	s.Admin.Patch(p.Path, `{"assignee":`+bob.Part()+`}`).Is(200).Has("/assignee/inactive", true).Has("/revision", 2)
	s.Admin.Patch(p.Path, string(p.Load(s.Admin).Body)).Is(200).Has("/revision", 2)
	s.Admin.Patch(p.Path, `{"assignee":null}`).Is(200)
	s.Admin.Patch(p.Path, `{"assignee":{"identifier":`+session.Encode(bob.Identifier)+`}}`).Fault(422, "invalid-value", "/assignee")
}

func impossibleNameInAPartial(s *session.Session) {
	bob, p := s.User(), s.Problem()
	for _, partial := range []string{`{"name":"\u0000"}`, `{"name":"a\u0007b"}`, `{"identifier":` + session.Encode(bob.Identifier) + `,"name":"\u0000"}`, `{"email":"a\tb"}`} {
		s.Admin.Patch(p.Path, `{"assignee":`+partial+`}`).Is(422)
		if a := s.Admin.Patch(p.Path, `{"assignee":`+partial+`}`); a.Slug() != "invalid-value" {
			s.Fatalf("%v\nis not invalid-value", a)
		}
	}
}

func refusedPartialChangesNothing(s *session.Session) {
	p, name := s.Problem(), s.Twins(2)
	s.Untouched(p, func() {
		for _, body := range []string{
			`{"priority":{"name":"Nope"}}`, `{"priority":{}}`, `{"state":{}}`, `{"state":{"resolved":false}}`,
			`{"assignee":{"name":` + session.Encode(name) + `}}`, `{"title":"x","assignee":{"email":"nobody@example.invalid"}}`,
		} {
			s.Admin.Patch(p.Path, body).Refused()
		}
	})
	s.Admin.Post("/problems", `{"title":"x","priority":{"name":"Nope"}}`).Refused()
}

func identifiersAreUUIDv7(s *session.Session) {
	bob := s.User()
	a := s.Admin.Post("/problems", `{"title":"x","priority":{"name":"High"},"classification":{"name":"Task"},"assignee":`+bob.Part()+`}`).Is(201)
	for _, pointer := range []string{"/state", "/priority", "/classification", "/assignee", "/state/nextStates/0"} {
		if !session.UUIDForm.MatchString(a.Text(pointer + "/identifier")) {
			s.Fatalf("%v\nhas at %s no UUIDv7", a, pointer)
		}
	}
}

// candidates counts the case's users in an error: by identifier, by e-mail address or by
// name.
func candidates(s *session.Session, a *session.Answer) int {
	s.Helper()
	detail := a.Text("/errors/0/detail")
	count := 0
	for _, user := range s.Made() {
		if strings.Contains(detail, user) {
			count++
		}
	}
	return max(count, strings.Count(detail, "address-"), strings.Count(detail, "twin-"))
}
