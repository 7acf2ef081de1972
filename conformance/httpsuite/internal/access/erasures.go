package access

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// erasureCases are about the erasure of a person (D46).
func erasureCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-ERASE-001", "D46, D8, D24, D39", "an erased name and address are in no user, log and event; texts that people wrote stay, and are listed", nameIsNowhere),
		session.Extended("HTTP-ERASE-002", "D46, D2, D17", "an erased user has no token and no saved query, cannot be changed, and leaves the address to a new user", erasedUsersStayErased),
		session.Extended("HTTP-ERASE-003", "D46, D17, D18", "who must not erase, who cannot be erased, and an erasure that does not exist", erasuresThatAreRefused),
	}
}

func nameIsNowhere(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Patch(p.Path, session.Encode(map[string]any{"assignee": bob.Ref()})).Is(200)
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	bob.Post(p.Path+"/comments", session.Encode(map[string]any{"text": "Write to " + bob.Email})).Is(201)
	s.Admin.Patch(p.Path, `{"assignee":null}`).Is(200)
	path := "/users/" + bob.Identifier
	s.Untouched(p, func() {
		would := s.Admin.Post(path+"/erasure?dryRun=true", "").Is(202).Sends("Dry-Run", "true").Has("/user", bob.Object())
		would.Has("/problems", 1).Has("/log", 3).Has("/watches", 1).Has("/tokens", 1).Has("/texts", []any{p.ID})
		would.Members("", "user", "done", "through", "problems", "log", "watches", "audit", "tokens", "sessions", "savedQueries", "texts", "queries", "webhooks")
	})
	stream := s.Admin.OpenStream(fmt.Sprintf("/events?after=now&problem=%d", p.ID))
	defer stream.Close()
	s.Admin.Post(path+"/erasure", "").Is(202)
	stream.Events(1)
	erased := s.Admin.Get(path).Is(200).Has("/inactive", true)
	loaded := p.Load(s.Admin)
	for _, a := range []*session.Answer{erased, loaded, s.Admin.Get(p.Path + "?asOf=1"), s.Admin.Get(p.Path + "/watchers"), s.Admin.Get(fmt.Sprintf("/events?limit=1000&problem=%d", p.ID))} {
		if text := string(a.Is(200).Body); strings.Contains(text, bob.Name) {
			s.Fatalf("%v\nhas the erased name %q", a, bob.Name)
		}
	}
	loaded.Has("/logs/last/type", "Redacted").Has("/logs/last/to", map[string]any{"places": 3})
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/author/identifier", bob.Identifier).Has("/0/author/name", erased.At("/name")).Has("/0/text", "Write to "+bob.Email)
	s.Admin.Get(path+"/erasure").Is(200).Has("/user", erased.Value).Has("/problems", 1).Has("/texts", []any{p.ID})
}

func erasedUsersStayErased(s *session.Session) {
	bob := s.User()
	path := "/users/" + bob.Identifier
	saved := bob.Post("/queries", `{"name":"Mine","predicate":"TRUEPREDICATE"}`).Is(201).Text("/identifier")
	s.Admin.Post(path+"/erasure", `{"dryRun":true}`).Fault(400, "malformed-request")
	s.Admin.Post(path+"/erasure", "").Is(202).Has("/savedQueries", 1)
	s.Admin.Get("/queries/"+saved).Fault(404, "not-found")
	bob.Get("/me").Fault(401, "unauthenticated")
	for _, patch := range []string{`{"name":"Bob"}`, `{"inactive":false}`, session.Encode(map[string]any{"email": bob.Email})} {
		s.Admin.Patch(path, patch).Fault(409, "in-use")
	}
	email := s.Admin.Get(path).Is(200).Text("/email")
	s.Admin.Post("/users", session.Encode(map[string]any{"name": "x", "email": "x." + email})).Fault(422, "invalid-value", "/email")
	made := s.Admin.Post("/users", session.Encode(map[string]any{"name": bob.Name, "email": bob.Email})).Is(201)
	if made.Text("/identifier") == bob.Identifier {
		s.Fatalf("%v\nis the erased user", made)
	}
	s.Admin.Post(path+"/erasure", "").Is(202).Has("/user/email", email)
}

func erasuresThatAreRefused(s *session.Session) {
	bob := s.User()
	path := "/users/" + bob.Identifier + "/erasure"
	bob.Post(path, "").Fault(403, "forbidden")
	bob.Get(path).Fault(403, "forbidden")
	s.Admin.Get(path).Fault(404, "not-found")
	s.Admin.Post("/users/01a1f944-5774-70d8-991b-c1b684ce177d/erasure", "").Fault(404, "not-found")
	s.Admin.Post("/users/x/erasure", "").Fault(404, "not-found")
	bob.Get("/me").Is(200)
}
