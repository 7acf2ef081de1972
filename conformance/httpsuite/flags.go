package httpsuite

// flagCases are about the caller's view of a problem (D1): read, watching and
// readByAssignee.
func flagCases() []demand {
	return []demand{
		{core, "HTTP-FLAG-001", "D1", "the author of a problem has read it, others have not, and reading does not set it", authorHasReadTheProblem},
		{extended, "HTTP-FLAG-002", "D1", "setting read makes no revision and no log entry, and is each user's own", readIsEachUsersOwn},
		{core, "HTTP-FLAG-003", "D1", "read can be given on creation", readOnCreation},
		{core, "HTTP-FLAG-004", "D1", "read turns false when somebody else makes a significant change; who makes it has read it", significantChangeTurnsReadFalse},
		{core, "HTTP-FLAG-005", "D1, D8", "a new watcher is no significant change and leaves read as it was", newWatcherLeavesRead},
		{core, "HTTP-FLAG-006", "D1", "watching tells whether the token's user watches", watchingIsTheTokensUser},
		{core, "HTTP-FLAG-007", "D1", "readByAssignee tells whether the assignee has read it, and is false without one", readByAssigneeFollowsTheAssignee},
		{extended, "HTTP-FLAG-008", "D17", "setting read needs the scope write", settingReadNeedsWrite},
		{extended, "HTTP-FLAG-009", "D1", "read can be set together with a field", readTogetherWithAField},
	}
}

func authorHasReadTheProblem(s *session) {
	bob, p := s.user(), s.problem()
	p.load(s.admin).has("/read", true)
	p.load(bob.client).has("/read", false)
	p.load(bob.client).has("/read", false)
}

func readIsEachUsersOwn(s *session) {
	bob, eve, p := s.user(), s.user(), s.problem()
	s.untouched(p, func() {
		a := bob.patch(p.path, `{"read":true}`).is(200).has("/read", true).has("/revision", 1).has("/logs", raw(`[]`))
		if a.revision() != 1 {
			s.Fatalf("%v\nmade a revision", a)
		}
	})
	p.load(bob.client).has("/read", true)
	p.load(eve.client).has("/read", false)
	bob.patch(p.path, `{"read":false}`).is(200).has("/read", false)
	p.load(bob.client).has("/read", false)
}

func readOnCreation(s *session) {
	a := s.admin.post("/problems", `{"title":"x","read":false}`).is(201).has("/read", false)
	s.admin.get("/problems/"+a.part("/identifier")).is(200).has("/read", false)
	s.admin.post("/problems", `{"title":"x","read":true}`).is(201).has("/read", true)
}

func significantChangeTurnsReadFalse(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	changes := map[string]func(){
		"field":     func() { s.admin.patch(p.path, `{"title":`+encode(s.unique("t"))+`}`).is(200) },
		"comment":   func() { s.admin.post(p.path+"/comments", "text", plain()).is(201) },
		"keyword":   func() { s.admin.put(p.keyword("k"), encode(s.unique("v"))) },
		"mirror":    func() { s.admin.put(q.path+"/relationships", link("RelatedTo", p)).is(201) },
		"unrelated": func() { s.admin.delete(q.path+"/relationships", link("RelatedTo", p)).is(204) },
	}
	for _, name := range []string{"field", "comment", "keyword", "mirror", "unrelated"} {
		bob.patch(p.path, `{"read":true}`).is(200).has("/read", true)
		changes[name]()
		if p.load(bob.client).at("/read") != false {
			s.Fatalf("after the change of a %s by somebody else, the problem is still read", name)
		}
		p.load(s.admin).has("/read", true)
	}
	bob.post(p.path+"/comments", "mine", plain()).is(201)
	p.load(bob.client).has("/read", true)
	p.load(s.admin).has("/read", false)
}

func newWatcherLeavesRead(s *session) {
	bob, p := s.user(), s.problem()
	bob.patch(p.path, `{"read":true}`).is(200)
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	p.load(bob.client).has("/read", true)
}

func watchingIsTheTokensUser(s *session) {
	bob, p := s.user(), s.problem()
	p.load(bob.client).has("/watching", false)
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	p.load(bob.client).has("/watching", true)
	p.load(s.admin).has("/watching", false)
}

func readByAssigneeFollowsTheAssignee(s *session) {
	bob, p := s.user(), s.problem()
	p.load(s.admin).has("/readByAssignee", false)
	s.admin.patch(p.path, `{"assignee":`+bob.part()+`}`).is(200).has("/readByAssignee", false)
	bob.patch(p.path, `{"read":true}`).is(200).has("/readByAssignee", true)
	p.load(s.admin).has("/readByAssignee", true)
	s.admin.post(p.path+"/comments", "news", plain()).is(201)
	p.load(s.admin).has("/readByAssignee", false)
	bob.post(p.path+"/comments", "seen", plain()).is(201)
	p.load(s.admin).has("/readByAssignee", true)
	s.admin.patch(p.path, `{"assignee":null}`).is(200).has("/readByAssignee", false)
}

func settingReadNeedsWrite(s *session) {
	p := s.problem()
	s.userWith("read").patch(p.path, `{"read":true}`).fault(403, "forbidden")
}

func readTogetherWithAField(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"title":"x","read":true}`).is(200).has("/read", true).has("/revision", 2)
	a := s.admin.patch(p.path, `{"title":"x","read":false}`).is(200).has("/read", false).has("/revision", 2)
	a.has("/logs", raw(`[]`))
	s.admin.patch(p.path, `{"title":"x","read":true}`).is(200).has("/read", true).has("/revision", 2)
}
