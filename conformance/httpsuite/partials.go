package httpsuite

import (
	"fmt"
	"strings"
)

// partialCases are about metadata objects given in part (spec section 2, D3).
func partialCases() []Case {
	return []Case{
		{"HTTP-META-001", "D3", "any members that leave exactly one object will do", func(s *session) {
			p := s.problem()
			high := s.admin.patch(p.path, `{"priority":{"name":"High"}}`).is(200)
			for _, partial := range []string{
				`{"identifier":` + high.part("/priority/identifier") + `}`,
				`{"order":` + high.part("/priority/order") + `}`,
				`{"name":"High","order":` + high.part("/priority/order") + `}`,
				high.part("/priority"),
			} {
				s.admin.patch(p.path, `{"priority":`+partial+`}`).is(200).has("/revision", 2)
			}
		}},
		{"HTTP-META-002", "D3", "all members given have to match", func(s *session) {
			p := s.problem()
			low := s.admin.patch(p.path, `{"priority":{"name":"Low"}}`).is(200)
			s.untouched(p, func() {
				s.admin.patch(p.path, `{"priority":{"name":"High","order":`+low.part("/priority/order")+`}}`).fault(422, "metadata-not-found", "/priority")
				s.admin.patch(p.path, `{"priority":{"name":"High","identifier":`+low.part("/priority/identifier")+`}}`).fault(422, "metadata-not-found", "/priority")
			})
		}},
		{"HTTP-META-003", "D3", "what fits none is metadata-not-found, and names compare exactly", func(s *session) {
			for _, partial := range []string{`{"name":"Nope"}`, `{"name":"high"}`, `{"identifier":"01890000-0000-7000-8000-000000000000"}`, `{"order":-99}`} {
				s.admin.post("/problems", `{"title":"x","priority":`+partial+`}`).fault(422, "metadata-not-found", "/priority")
			}
			s.admin.post("/problems", `{"title":"x","component":{"name":"Nope"},"milestone":{"name":"Nope"}}`).
				fault(422, "metadata-not-found", "/component", "/milestone")
		}},
		{"HTTP-META-004", "D3", "what fits several is metadata-ambiguous and lists candidates", func(s *session) {
			a := s.admin.post("/problems", `{"title":"x","priority":{}}`).fault(422, "metadata-ambiguous", "/priority")
			for _, name := range []string{"Urgent", "High", "Normal", "Low"} {
				if !strings.Contains(string(a.body), name) {
					s.Fatalf("%v\ndoes not list %s", a, name)
				}
			}
			p := s.problem()
			s.admin.patch(p.path, `{"state":{"resolved":false}}`).fault(422, "metadata-ambiguous", "/state")
			s.admin.patch(p.path, `{"state":{}}`).fault(422, "metadata-ambiguous", "/state")
		}},
		{"HTTP-META-005", "D3", "at most ten candidates are listed", func(s *session) {
			name := s.unique("twin")
			for i := range 12 {
				s.admin.post("/users", fmt.Sprintf(`{"name":%q,"email":"%s%d@example.org"}`, name, name, i)).is(201)
			}
			a := s.admin.post("/problems", `{"title":"x","assignee":{"name":`+encode(name)+`}}`).fault(422, "metadata-ambiguous", "/assignee")
			if n := strings.Count(a.text("/errors/0/detail"), name); n != 10 {
				s.Fatalf("%v\nlists %d candidates, want 10", a, n)
			}
		}},
		{"HTTP-META-006", "D3", "a member that such objects do not have is unknown-field", func(s *session) {
			s.admin.post("/problems", `{"title":"x","priority":{"name":"High","colour":"red"}}`).fault(422, "unknown-field", "/priority/colour")
			s.admin.post("/problems", `{"title":"x","priority":{"Name":"High"}}`).fault(422, "unknown-field", "/priority/Name")
			s.admin.post("/problems", `{"title":"x","classification":{"order":1}}`).fault(422, "unknown-field", "/classification/order")
		}},
		{"HTTP-META-007", "D3", "anything but an object is invalid-type, as is a member of another type", func(s *session) {
			for _, value := range []string{`"High"`, `1`, `true`, `[]`, `[{"name":"High"}]`} {
				s.admin.post("/problems", `{"title":"x","priority":`+value+`}`).fault(422, "invalid-type", "/priority")
			}
			s.admin.post("/problems", `{"title":"x","priority":{"order":"1"}}`).fault(422, "invalid-type", "/priority/order")
			s.admin.post("/problems", `{"title":"x","assignee":{"inactive":"no"}}`).fault(422, "invalid-type", "/assignee/inactive")
		}},
		{"HTTP-META-008", "D3", "an array of objects matches as a set, all on both sides", func(s *session) {
			p := s.problem()
			s.admin.patch(p.path, `{"state":{"nextStates":[{"name":"Closed"},{"name":"Open"}]}}`).is(200).has("/state/name", "In Progress")
			s.admin.patch(p.path, `{"state":{"nextStates":[{"name":"Open"},{"name":"Closed"}]}}`).is(200).has("/revision", 2)
			s.admin.patch(p.path, `{"state":{"nextStates":[{"name":"Open"}]}}`).is(200).has("/state/name", "Closed")
			s.admin.patch(p.path, `{"state":{"nextStates":[]}}`).fault(422, "metadata-not-found", "/state")
		}},
		{"HTTP-META-009", "D3", "beside an identifier only name and email are compared, so an object returned earlier still works", func(s *session) {
			bob, p := s.user(), s.problem()
			s.admin.patch(p.path, `{"assignee":`+encode(map[string]any{"identifier": bob.identifier, "inactive": true})+`}`).is(200).has("/assignee/name", bob.name)
			state := s.admin.patch(p.path, `{"state":{"name":"In Progress"}}`).is(200).part("/state/identifier")
			s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"order":4711,"initial":true,"resolved":true,"nextStates":[]}}`).is(200).has("/state/name", "In Progress")
			s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"order":"first"}}`).fault(422, "invalid-type", "/state/order")
			s.admin.patch(p.path, `{"state":{"identifier":`+state+`,"colour":1}}`).fault(422, "unknown-field", "/state/colour")
			s.admin.patch(p.path, `{"assignee":{"identifier":`+encode(bob.identifier)+`,"email":"other@example.org"}}`).fault(422, "metadata-not-found", "/assignee")
		}},
		{"HTTP-META-010", "D2, D3", "e-mail addresses compare without ASCII letter case", func(s *session) {
			bob := s.user()
			for _, email := range []string{bob.email, strings.ToUpper(bob.email), strings.ToLower(bob.email), " " + bob.email + " "} {
				s.admin.post("/problems", `{"title":"x","assignee":{"email":`+encode(email)+`}}`).is(201).has("/assignee/identifier", bob.identifier)
			}
		}},
		{"HTTP-META-011", "D9", "text in a partial object is trimmed and normalised", func(s *session) {
			name := s.unique("Ame\u0301lie")
			made := s.admin.post("/users", `{"name":`+encode(name)+`,"email":"`+s.unique("amelie")+`@example.org"}`).is(201)
			composed := strings.Replace(name, "e\u0301", "é", 1)
			made.has("/name", composed)
			for _, text := range []string{name, composed, "\u3000" + name + "\t"} {
				s.admin.post("/problems", `{"title":"x","assignee":{"name":`+encode(text)+`}}`).is(201).has("/assignee/identifier", made.text("/identifier"))
			}
			s.admin.post("/problems", `{"title":"x","priority":{"name":" High\u00a0"}}`).is(201).has("/priority/name", "High")
		}},
		{"HTTP-META-012", "D2", "an inactive user resolves but is refused as a new value", func(s *session) {
			bob, p := s.user(), s.problem()
			s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200)
			s.deactivate(bob)
			s.admin.post("/problems", `{"title":"x","assignee":{"email":`+encode(bob.email)+`}}`).fault(422, "invalid-value", "/assignee")
			s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200).has("/assignee/inactive", true).has("/revision", 2)
			s.admin.patch(p.path, string(p.load(s.admin).body)).is(200).has("/revision", 2)
			s.admin.patch(p.path, `{"assignee":null}`).is(200)
			s.admin.patch(p.path, `{"assignee":{"identifier":`+encode(bob.identifier)+`}}`).fault(422, "invalid-value", "/assignee")
		}},
		{"HTTP-META-013", "D9, D18", "a text that no name can have is invalid-value in a partial too", func(s *session) {
			bob, p := s.user(), s.problem()
			for _, partial := range []string{`{"name":"\u0000"}`, `{"name":"a\u0007b"}`, `{"identifier":` + encode(bob.identifier) + `,"name":"\u0000"}`, `{"email":"a\tb"}`} {
				s.admin.patch(p.path, `{"assignee":`+partial+`}`).is(422)
				if a := s.admin.patch(p.path, `{"assignee":`+partial+`}`); a.slug() != "invalid-value" {
					s.Fatalf("%v\nis not invalid-value", a)
				}
			}
		}},
	}
}
