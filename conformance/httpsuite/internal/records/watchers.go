package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// watcherCases are about watchers (W8, R4).
func watcherCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-W8-001", "D10, D15", "a new watcher is answered with 201 and the whole user", watcherIsAdded),
		session.Core("HTTP-W8-002", "spec section 2, D3", "any subset of a user that fits exactly one will do", watcherByAnyUniqueMembers),
		session.Core("HTTP-W8-003", "D15", "adding a watcher who watches already is answered with 200 and changes nothing", sameWatcherChangesNothing),
		session.Extended("HTTP-W8-004", "D3", "what fits no user, or several, or is no partial user, is refused", faultsOfAWatcher),
		session.Extended("HTTP-W8-005", "D2", "an inactive user is refused as a new watcher, and stays one", inactiveUserIsNoNewWatcher),
		session.Core("HTTP-W8-006", "D15", "a user as R4 returned it can be sent to W8", listedWatcherCanBeSent),
		session.Core("HTTP-W8-007", "D16", "there is no endpoint that removes a watcher", watchersAreNotRemoved),
		session.Core("HTTP-R4-001", "D10", "watchers are whole users by name, then identifier", watchersAreOrdered),
		session.Core("HTTP-R4-002", "spec section 4, D22", "all watchers are taken and listed, however many there are below the limit", manyWatchersAreListed),
	}
}

func watcherIsAdded(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", `{"email":`+session.Encode(bob.Email)+`}`).Is(201).JSON().Has("", bob.Object())
	s.Admin.Get(p.Path+"/watchers").Is(200).JSON().Has("", []any{bob.Object()})
}

func watcherByAnyUniqueMembers(s *session.Session) {
	bob := s.User()
	for _, partial := range []string{
		`{"email":` + session.Encode(bob.Email) + `}`,
		`{"email":` + session.Encode(strings.ToUpper(bob.Email)) + `}`,
		`{"identifier":` + session.Encode(bob.Identifier) + `}`,
		`{"name":` + session.Encode(bob.Name) + `}`,
		`{"name":` + session.Encode(bob.Name) + `,"inactive":false}`,
		bob.Part(),
	} {
		p := s.Problem()
		s.Admin.Put(p.Path+"/watchers", partial).Is(201).Has("", bob.Object())
	}
}

func sameWatcherChangesNothing(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	s.Untouched(p, func() {
		s.User().Put(p.Path+"/watchers", `{"email":`+session.Encode(bob.Email)+`}`).Is(200).Has("", bob.Object())
	})
}

func faultsOfAWatcher(s *session.Session) {
	p := s.Problem()
	path := p.Path + "/watchers"
	s.Untouched(p, func() {
		s.Admin.Put(path, `{"email":"nobody@example.invalid"}`).Fault(422, "metadata-not-found", "")
		s.Admin.Put(path, `{"identifier":"x"}`).Fault(422, "metadata-not-found", "")
		s.User() // with the administrator there are two
		s.Admin.Put(path, `{}`).Fault(422, "metadata-ambiguous", "")
		s.Admin.Put(path, `{"inactive":false}`).Fault(422, "metadata-ambiguous", "")
		s.Admin.Put(path, `{"mail":"x"}`).Fault(422, "unknown-field", "/mail")
		s.Admin.Put(path, `{"Email":"x"}`).Fault(422, "unknown-field", "/Email")
		s.Admin.Put(path, `{"email":7}`).Fault(422, "invalid-type", "/email")
		s.Admin.Put(path, `"x@example.org"`).Fault(422, "invalid-type", "")
		s.Admin.Put(path, `[]`).Fault(422, "invalid-type", "")
		s.Admin.Put(path, ``).Fault(400, "malformed-json")
		s.Admin.Put(path, `{}`, session.Plain()).Fault(415, "unsupported-media-type")
	})
}

func inactiveUserIsNoNewWatcher(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	s.Deactivate(bob)
	s.Untouched(q, func() {
		s.Admin.Put(q.Path+"/watchers", `{"email":`+session.Encode(bob.Email)+`}`).Fault(422, "invalid-value", "")
	})
	s.Untouched(p, func() {
		read := s.Admin.Get(p.Path+"/watchers").Is(200).Has("/0/inactive", true)
		s.Admin.Put(p.Path+"/watchers", read.Part("/0")).Is(200)
	})
}

func listedWatcherCanBeSent(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	read := s.Admin.Get(p.Path + "/watchers").Is(200).Part("/0")
	s.Untouched(p, func() { s.Admin.Put(p.Path+"/watchers", read).Is(200) })
	s.Admin.Put(q.Path+"/watchers", read).Is(201)
}

func watchersAreNotRemoved(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	s.Admin.Delete(p.Path+"/watchers", bob.Part()).Refused()
	s.Admin.Get(p.Path+"/watchers").Is(200).Has("", []any{bob.Object()})
}

func watchersAreOrdered(s *session.Session) {
	p := s.Problem()
	s.Admin.Get(p.Path+"/watchers").Is(200).Has("", session.Raw(`[]`))
	var want []string
	name := s.Unique("watcher")
	for i, suffix := range []string{"b", "a", "a", "B"} {
		made := s.Admin.Post("/users", fmt.Sprintf(`{"name":"%s-%s","email":"%s%d@example.org"}`, name, suffix, name, i)).Is(201)
		s.Admin.Put(p.Path+"/watchers", string(made.Body)).Is(201)
		want = append(want, made.Text("/name")+" "+made.Text("/identifier"))
	}
	slices.Sort(want)
	a := s.Admin.Get(p.Path + "/watchers").Is(200)
	for i := range want {
		pointer := fmt.Sprintf("/%d", i)
		a.Members(pointer, "identifier", "name", "email", "inactive", "robotOf")
		if got := a.Text(pointer+"/name") + " " + a.Text(pointer+"/identifier"); got != want[i] {
			s.Fatalf("%v\nhas %s at %d, want %s", a, got, i, want[i])
		}
	}
}

func manyWatchersAreListed(s *session.Session) {
	const n = 60
	p, name := s.Problem(), s.Unique("watcher")
	users := make([]any, n)
	s.Many(n, func(i int) *session.Answer {
		a := s.Admin.Post("/users", fmt.Sprintf(`{"name":"%s-%02d","email":"%s-%02d@example.org"}`, name, i, name, i))
		users[i] = a.Value
		return a
	})
	s.Many(n, func(i int) *session.Answer { return s.Admin.Put(p.Path+"/watchers", session.Encode(users[i])) })
	s.Admin.Get(p.Path+"/watchers").Is(200).Counts("", n).Has("", users)
}
