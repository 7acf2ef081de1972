package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// watcherCases are about watchers (W8, R4).
func watcherCases() []demand {
	return []demand{
		{core, "HTTP-W8-001", "D10, D15", "a new watcher is answered with 201 and the whole user", watcherIsAdded},
		{core, "HTTP-W8-002", "spec section 2, D3", "any subset of a user that fits exactly one will do", watcherByAnyUniqueMembers},
		{core, "HTTP-W8-003", "D15", "adding a watcher who watches already is answered with 200 and changes nothing", sameWatcherChangesNothing},
		{extended, "HTTP-W8-004", "D3", "what fits no user, or several, or is no partial user, is refused", faultsOfAWatcher},
		{extended, "HTTP-W8-005", "D2", "an inactive user is refused as a new watcher, and stays one", inactiveUserIsNoNewWatcher},
		{core, "HTTP-W8-006", "D15", "a user as R4 returned it can be sent to W8", listedWatcherCanBeSent},
		{core, "HTTP-W8-007", "D16", "there is no endpoint that removes a watcher", watchersAreNotRemoved},
		{core, "HTTP-R4-001", "D10", "watchers are whole users by name, then identifier", watchersAreOrdered},
		{core, "HTTP-R4-002", "spec section 4, D22", "all watchers are taken and listed, however many there are below the limit", manyWatchersAreListed},
	}
}

func watcherIsAdded(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.path+"/watchers", `{"email":`+encode(bob.email)+`}`).is(201).json().has("", bob.object())
	s.admin.get(p.path+"/watchers").is(200).json().has("", []any{bob.object()})
}

func watcherByAnyUniqueMembers(s *session) {
	bob := s.user()
	for _, partial := range []string{
		`{"email":` + encode(bob.email) + `}`,
		`{"email":` + encode(strings.ToUpper(bob.email)) + `}`,
		`{"identifier":` + encode(bob.identifier) + `}`,
		`{"name":` + encode(bob.name) + `}`,
		`{"name":` + encode(bob.name) + `,"inactive":false}`,
		bob.part(),
	} {
		p := s.problem()
		s.admin.put(p.path+"/watchers", partial).is(201).has("", bob.object())
	}
}

func sameWatcherChangesNothing(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	s.untouched(p, func() {
		s.user().put(p.path+"/watchers", `{"email":`+encode(bob.email)+`}`).is(200).has("", bob.object())
	})
}

func faultsOfAWatcher(s *session) {
	p := s.problem()
	path := p.path + "/watchers"
	s.untouched(p, func() {
		s.admin.put(path, `{"email":"nobody@example.invalid"}`).fault(422, "metadata-not-found", "")
		s.admin.put(path, `{"identifier":"x"}`).fault(422, "metadata-not-found", "")
		s.user() // with the administrator there are two
		s.admin.put(path, `{}`).fault(422, "metadata-ambiguous", "")
		s.admin.put(path, `{"inactive":false}`).fault(422, "metadata-ambiguous", "")
		s.admin.put(path, `{"mail":"x"}`).fault(422, "unknown-field", "/mail")
		s.admin.put(path, `{"Email":"x"}`).fault(422, "unknown-field", "/Email")
		s.admin.put(path, `{"email":7}`).fault(422, "invalid-type", "/email")
		s.admin.put(path, `"x@example.org"`).fault(422, "invalid-type", "")
		s.admin.put(path, `[]`).fault(422, "invalid-type", "")
		s.admin.put(path, ``).fault(400, "malformed-json")
		s.admin.put(path, `{}`, plain()).fault(415, "unsupported-media-type")
	})
}

func inactiveUserIsNoNewWatcher(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	s.deactivate(bob)
	s.untouched(q, func() {
		s.admin.put(q.path+"/watchers", `{"email":`+encode(bob.email)+`}`).fault(422, "invalid-value", "")
	})
	s.untouched(p, func() {
		read := s.admin.get(p.path+"/watchers").is(200).has("/0/inactive", true)
		s.admin.put(p.path+"/watchers", read.part("/0")).is(200)
	})
}

func listedWatcherCanBeSent(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	read := s.admin.get(p.path + "/watchers").is(200).part("/0")
	s.untouched(p, func() { s.admin.put(p.path+"/watchers", read).is(200) })
	s.admin.put(q.path+"/watchers", read).is(201)
}

func watchersAreNotRemoved(s *session) {
	bob, p := s.user(), s.problem()
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	s.admin.delete(p.path+"/watchers", bob.part()).refused()
	s.admin.get(p.path+"/watchers").is(200).has("", []any{bob.object()})
}

func watchersAreOrdered(s *session) {
	p := s.problem()
	s.admin.get(p.path+"/watchers").is(200).has("", raw(`[]`))
	var want []string
	name := s.unique("watcher")
	for i, suffix := range []string{"b", "a", "a", "B"} {
		made := s.admin.post("/users", fmt.Sprintf(`{"name":"%s-%s","email":"%s%d@example.org"}`, name, suffix, name, i)).is(201)
		s.admin.put(p.path+"/watchers", string(made.body)).is(201)
		want = append(want, made.text("/name")+" "+made.text("/identifier"))
	}
	slices.Sort(want)
	a := s.admin.get(p.path + "/watchers").is(200)
	for i := range want {
		pointer := fmt.Sprintf("/%d", i)
		a.members(pointer, "identifier", "name", "email", "inactive")
		if got := a.text(pointer+"/name") + " " + a.text(pointer+"/identifier"); got != want[i] {
			s.Fatalf("%v\nhas %s at %d, want %s", a, got, i, want[i])
		}
	}
}

func manyWatchersAreListed(s *session) {
	const n = 60
	p, name := s.problem(), s.unique("watcher")
	users := make([]any, n)
	s.many(n, func(i int) *answer {
		a := s.admin.post("/users", fmt.Sprintf(`{"name":"%s-%02d","email":"%s-%02d@example.org"}`, name, i, name, i))
		users[i] = a.value
		return a
	})
	s.many(n, func(i int) *answer { return s.admin.put(p.path+"/watchers", encode(users[i])) })
	s.admin.get(p.path+"/watchers").is(200).counts("", n).has("", users)
}
