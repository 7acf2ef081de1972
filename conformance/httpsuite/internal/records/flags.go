package records

import "github.com/problemtracking/problems/conformance/httpsuite/internal/session"

// flagCases are about the caller's view of a problem (D1): read, watching and
// readByAssignee.
func flagCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-FLAG-001", "D1", "the author of a problem has read it, others have not, and reading does not set it", authorHasReadTheProblem),
		session.Extended("HTTP-FLAG-002", "D1", "setting read makes no revision and no log entry, and is each user's own", readIsEachUsersOwn),
		session.Core("HTTP-FLAG-003", "D1", "read can be given on creation", readOnCreation),
		session.Core("HTTP-FLAG-004", "D1", "read turns false when somebody else makes a significant change; who makes it has read it", significantChangeTurnsReadFalse),
		session.Core("HTTP-FLAG-005", "D1, D8", "a new watcher is no significant change and leaves read as it was", newWatcherLeavesRead),
		session.Core("HTTP-FLAG-006", "D1", "watching tells whether the token's user watches", watchingIsTheTokensUser),
		session.Core("HTTP-FLAG-007", "D1", "readByAssignee tells whether the assignee has read it, and is false without one", readByAssigneeFollowsTheAssignee),
		session.Extended("HTTP-FLAG-008", "D17", "setting read needs the scope write", settingReadNeedsWrite),
		session.Extended("HTTP-FLAG-009", "D1", "read can be set together with a field", readTogetherWithAField),
	}
}

func authorHasReadTheProblem(s *session.Session) {
	bob, p := s.User(), s.Problem()
	p.Load(s.Admin).Has("/read", true)
	p.Load(bob.Client).Has("/read", false)
	p.Load(bob.Client).Has("/read", false)
}

func readIsEachUsersOwn(s *session.Session) {
	bob, eve, p := s.User(), s.User(), s.Problem()
	s.Untouched(p, func() {
		a := bob.Patch(p.Path, `{"read":true}`).Is(200).Has("/read", true).Has("/revision", 1).Has("/logs", session.Raw(`[]`))
		if a.Revision() != 1 {
			s.Fatalf("%v\nmade a revision", a)
		}
	})
	p.Load(bob.Client).Has("/read", true)
	p.Load(eve.Client).Has("/read", false)
	bob.Patch(p.Path, `{"read":false}`).Is(200).Has("/read", false)
	p.Load(bob.Client).Has("/read", false)
}

func readOnCreation(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"x","read":false}`).Is(201).Has("/read", false)
	s.Admin.Get("/problems/"+a.Part("/identifier")).Is(200).Has("/read", false)
	s.Admin.Post("/problems", `{"title":"x","read":true}`).Is(201).Has("/read", true)
}

func significantChangeTurnsReadFalse(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	changes := map[string]func(){
		"field":     func() { s.Admin.Patch(p.Path, `{"title":`+session.Encode(s.Unique("t"))+`}`).Is(200) },
		"comment":   func() { s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201) },
		"keyword":   func() { s.Admin.Put(p.Keyword("k"), session.Encode(s.Unique("v"))) },
		"mirror":    func() { s.Admin.Put(q.Path+"/relationships", session.Link("RelatedTo", p)).Is(201) },
		"unrelated": func() { s.Admin.Delete(q.Path+"/relationships", session.Link("RelatedTo", p)).Is(204) },
	}
	for _, name := range []string{"field", "comment", "keyword", "mirror", "unrelated"} {
		bob.Patch(p.Path, `{"read":true}`).Is(200).Has("/read", true)
		changes[name]()
		if p.Load(bob.Client).At("/read") != false {
			s.Fatalf("after the change of a %s by somebody else, the problem is still read", name)
		}
		p.Load(s.Admin).Has("/read", true)
	}
	bob.Post(p.Path+"/comments", "mine", session.Plain()).Is(201)
	p.Load(bob.Client).Has("/read", true)
	p.Load(s.Admin).Has("/read", false)
}

func newWatcherLeavesRead(s *session.Session) {
	bob, p := s.User(), s.Problem()
	bob.Patch(p.Path, `{"read":true}`).Is(200)
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	p.Load(bob.Client).Has("/read", true)
}

func watchingIsTheTokensUser(s *session.Session) {
	bob, p := s.User(), s.Problem()
	p.Load(bob.Client).Has("/watching", false)
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	p.Load(bob.Client).Has("/watching", true)
	p.Load(s.Admin).Has("/watching", false)
}

func readByAssigneeFollowsTheAssignee(s *session.Session) {
	bob, p := s.User(), s.Problem()
	p.Load(s.Admin).Has("/readByAssignee", false)
	s.Admin.Patch(p.Path, `{"assignee":`+bob.Part()+`}`).Is(200).Has("/readByAssignee", false)
	bob.Patch(p.Path, `{"read":true}`).Is(200).Has("/readByAssignee", true)
	p.Load(s.Admin).Has("/readByAssignee", true)
	s.Admin.Post(p.Path+"/comments", "news", session.Plain()).Is(201)
	p.Load(s.Admin).Has("/readByAssignee", false)
	bob.Post(p.Path+"/comments", "seen", session.Plain()).Is(201)
	p.Load(s.Admin).Has("/readByAssignee", true)
	s.Admin.Patch(p.Path, `{"assignee":null}`).Is(200).Has("/readByAssignee", false)
}

func settingReadNeedsWrite(s *session.Session) {
	p := s.Problem()
	s.UserWith("read").Patch(p.Path, `{"read":true}`).Fault(403, "forbidden")
}

func readTogetherWithAField(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"x","read":true}`).Is(200).Has("/read", true).Has("/revision", 2)
	a := s.Admin.Patch(p.Path, `{"title":"x","read":false}`).Is(200).Has("/read", false).Has("/revision", 2)
	a.Has("/logs", session.Raw(`[]`))
	s.Admin.Patch(p.Path, `{"title":"x","read":true}`).Is(200).Has("/read", true).Has("/revision", 2)
}
