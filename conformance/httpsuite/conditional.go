package httpsuite

import (
	"fmt"
)

// conditionalCases are about ETag, If-None-Match and If-Match (D20).
func conditionalCases() []demand {
	return []demand{
		{extended, "HTTP-COND-001", "D20", "If-None-Match with the current ETag is 304 without a body, on R1 to R4", currentETagIs304},
		{extended, "HTTP-COND-002", "D20, RFC 9110", "If-None-Match compares weakly and takes lists", ifNoneMatchIsWeakAndTakesLists},
		{extended, "HTTP-COND-003", "D20", "a 304 never hides a change of the problem, of read, or of a name", notModifiedHidesNoChange},
		{extended, "HTTP-COND-004", "D20", "If-Match with the current ETag, revision, list or * lets W2 to W8 pass", currentIfMatchPasses},
		{extended, "HTTP-COND-005", "D20", "If-Match with another revision, or a weak tag, is stale-revision, on W2 to W8", otherIfMatchIsStale},
		{extended, "HTTP-COND-006", "D20", "If-Match compares the revision alone: neither read nor a rename makes it stale", ifMatchComparesTheRevisionAlone},
		{extended, "HTTP-COND-007", "D20", "If-Match on W1 is malformed-request", ifMatchOnCreationIsMalformed},
		{extended, "HTTP-COND-008", "D20", "the ETags that W1 and W2 send are good for If-Match", etagsOfWritesAreGoodForIfMatch},
		{extended, "HTTP-COND-009", "D18, RFC 9110", "a condition that is neither * nor a list of tags is malformed-request, lest it be overlooked", unreadableIfMatchIsMalformed},
		{extended, "HTTP-COND-010", "D20", "the answers to writes are private and to be revalidated as well", answersToWritesAreRevalidated},
		{extended, "HTTP-COND-011", "D20, RFC 9110", "an If-None-Match that cannot be read is as good as none: nothing is lost by sending the answer", unreadableIfNoneMatchIsIgnored},
		{extended, "HTTP-COND-012", "D20", "a 304 on R2 to R4 never hides that an author or a watcher was renamed", notModifiedHidesNoRename},
	}
}

func currentETagIs304(s *session) {
	p := s.problem()
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		s.unchanged(s.admin, p.path+part)
		a := s.admin.get(p.path+part, with("If-None-Match", "*")).is(304)
		if len(a.body) > 0 || a.revision() != 1 {
			s.Fatalf("%v\nhas a body or no revision", a)
		}
		a.etag()
		a.revalidated()
		s.admin.get(p.path+part, with("If-None-Match", `"x"`)).is(200)
		s.admin.do("HEAD", p.path+part, "", with("If-None-Match", "*")).is(304)
	}
}

func ifNoneMatchIsWeakAndTakesLists(s *session) {
	p := s.problem()
	for _, form := range []string{`W/%s`, `"x", %s`, `%s,"x"`, `"a,b" , W/%s`} {
		s.eventually(func() bool {
			etag := p.load(s.admin).etag()
			return s.admin.get(p.path, with("If-None-Match", fmt.Sprintf(form, etag))).status == 304
		}, "If-None-Match: %s is never 304", form)
	}
}

func notModifiedHidesNoChange(s *session) {
	bob, eve := s.user(), s.user()
	p := s.create(s.admin, `"assignee":`+eve.part())
	for name, change := range map[string]func(){
		"title":    func() { s.admin.patch(p.path, `{"title":`+encode(s.unique("t"))+`}`).is(200) },
		"comment":  func() { s.admin.post(p.path+"/comments", "text", plain()).is(201) },
		"watcher":  func() { s.admin.put(p.path+"/watchers", bob.part()).is(201) },
		"read":     func() { bob.patch(p.path, `{"read":true}`).is(200) },
		"unread":   func() { bob.patch(p.path, `{"read":true}`).is(200); bob.patch(p.path, `{"read":false}`).is(200) },
		"rename":   func() { s.admin.patch("/users/"+eve.identifier, `{"name":`+encode(s.unique("eve"))+`}`).is(200) },
		"assignee": func() { eve.patch(p.path, `{"read":true}`).is(200) },
	} {
		if name == "unread" {
			bob.patch(p.path, `{"read":true}`).is(200)
		} else {
			bob.patch(p.path, `{"read":false}`).is(200)
		}
		eve.patch(p.path, `{"read":false}`).is(200)
		etag := p.load(bob.client).etag()
		change()
		if a := bob.get(p.path, with("If-None-Match", etag)); a.status != 200 {
			s.Fatalf("after the change of %s: %v\nwant 200", name, a)
		}
	}
}

func currentIfMatchPasses(s *session) {
	p, q := s.problem(), s.problem()
	conditions := []func() string{
		func() string { return p.load(s.admin).etag() },
		func() string { return fmt.Sprintf(`"%d"`, p.load(s.admin).revision()) },
		func() string { return "*" },
		func() string { return fmt.Sprintf(`"0", "%d"`, p.load(s.admin).revision()) },
		func() string { return fmt.Sprintf(`W/"x",%s`, p.load(s.admin).etag()) },
		func() string { return s.admin.get(p.path + "/comments").is(200).etag() },
		func() string { return s.admin.get(p.path + "/relationships").is(200).etag() },
		func() string { return s.admin.get(p.path + "/watchers").is(200).etag() },
		func() string { return p.load(s.user().client).etag() },
	}
	for _, condition := range conditions {
		match := func() option { return with("If-Match", condition()) }
		s.admin.patch(p.path, `{"title":`+encode(s.unique("t"))+`}`, match()).is(200)
		s.admin.post(p.path+"/comments", "text", plain(), match()).is(201)
		s.admin.put(p.keyword("k"), `"v"`, match()).is(201)
		s.admin.patch(p.keyword("k"), `"w"`, match()).is(200)
		s.admin.delete(p.keyword("k"), "", match()).is(204)
		s.admin.put(p.path+"/relationships", link("ParentOf", q), match()).is(201)
		s.admin.delete(p.path+"/relationships", link("ParentOf", q), match()).is(204)
		s.admin.put(p.path+"/watchers", s.user().part(), match()).is(201)
	}
}

func otherIfMatchIsStale(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	old := p.load(s.admin).etag()
	s.admin.patch(p.path, `{"title":"x"}`).is(200)
	s.admin.put(p.keyword("k"), `"v"`).is(201)
	s.relate(p, "ParentOf", q)
	current := p.load(s.admin)
	s.untouched(p, func() {
		for _, value := range []string{old, `"1"`, `"99"`, `W/"` + fmt.Sprint(current.revision()) + `"`, "W/" + current.etag(), `"1", "2"`, `"x"`, `""`} {
			match := with("If-Match", value)
			for _, a := range []*answer{
				s.admin.patch(p.path, `{"title":"y"}`, match),
				s.admin.patch(p.path, `{}`, match),
				s.admin.post(p.path+"/comments", "text", plain(), match),
				s.admin.put(p.keyword("k"), `"w"`, match),
				s.admin.patch(p.keyword("k"), `"v"`, match),
				s.admin.delete(p.keyword("k"), "", match),
				s.admin.put(p.path+"/relationships", link("RelatedTo", q), match),
				s.admin.delete(p.path+"/relationships", link("ParentOf", q), match),
				s.admin.put(p.path+"/watchers", bob.part(), match),
			} {
				if a.fault(412, "stale-revision").revision() != current.revision() {
					s.Fatalf("%v\nsays the revision %d, want %d", a, a.revision(), current.revision())
				}
			}
		}
	})
}

func ifMatchComparesTheRevisionAlone(s *session) {
	bob, p := s.user(), s.problem()
	etag := p.load(s.admin).etag()
	s.admin.patch(p.path, `{"read":false}`).is(200)
	s.admin.patch("/users/"+bob.identifier, `{"name":"Bob"}`).is(200)
	s.admin.patch(p.path, `{"title":"x"}`, with("If-Match", etag)).is(200)
}

func ifMatchOnCreationIsMalformed(s *session) {
	for _, value := range []string{"*", `"1"`} {
		s.admin.post("/problems", `{"title":"x"}`, with("If-Match", value)).fault(400, "malformed-request")
	}
}

func etagsOfWritesAreGoodForIfMatch(s *session) {
	made := s.admin.post("/problems", `{"title":"x"}`).is(201)
	path := fmt.Sprintf("/problems/%d", made.number("/identifier"))
	second := s.admin.patch(path, `{"title":"y"}`, with("If-Match", made.etag())).is(200)
	s.admin.patch(path, `{"title":"z"}`, with("If-Match", second.etag())).is(200)
	s.admin.patch(path, `{"title":"z"}`, with("If-Match", second.etag())).fault(412, "stale-revision")
	// A later look at the same revision has the ETag of the write, so a client
	// can revalidate it.
	s.eventually(func() bool {
		a := s.admin.patch(path, `{"title":`+encode(s.unique("t"))+`}`).is(200)
		return s.admin.get(path, with("If-None-Match", a.etag())).status == 304
	}, "the ETag of W2 is never that of R1")
}

func unreadableIfMatchIsMalformed(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, value := range []string{"1", "abc", `"1`, `1"`, `"1" "2"`, `"1",x`, `* , "1"`, `w/"1"`} {
			s.admin.patch(p.path, `{"title":"x"}`, with("If-Match", value)).fault(400, "malformed-request")
			s.admin.delete(p.keyword("k"), "", with("If-Match", value)).fault(400, "malformed-request")
		}
	})
	etag := p.load(s.admin).etag()
	s.admin.patch(p.path, `{"title":"x"}`, with("If-Match", `"0"`), more("If-Match", etag)).is(200)
}

func answersToWritesAreRevalidated(s *session) {
	made := s.admin.post("/problems", `{"title":"x"}`).is(201)
	made.revalidated()
	s.admin.patch(fmt.Sprintf("/problems/%d", made.number("/identifier")), `{"title":"y"}`).is(200).
		revalidated()
}

func unreadableIfNoneMatchIsIgnored(s *session) {
	p := s.problem()
	for _, value := range []string{"", "1.2.3", `"1`, `w/"1"`} {
		s.admin.get(p.path, with("If-None-Match", value)).is(200)
	}
}

func notModifiedHidesNoRename(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	bob.post(p.path+"/comments", "text", plain()).is(201)
	bob.put(p.path+"/relationships", link("ParentOf", q)).is(201)
	bob.put(p.path+"/watchers", bob.part()).is(201)
	for part, pointer := range map[string]string{"/comments": "/0/author/name", "/relationships": "/0/author/name", "/watchers": "/0/name"} {
		etag, name := s.admin.get(p.path+part).is(200).etag(), s.unique("renamed")
		s.admin.patch("/users/"+bob.identifier, `{"name":`+encode(name)+`}`).is(200)
		s.admin.get(p.path+part, with("If-None-Match", etag)).is(200).has(pointer, name)
	}
}
