package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// conditionalCases are about ETag, If-None-Match and If-Match (D20).
func conditionalCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-COND-001", "D20", "If-None-Match with the current ETag is 304 without a body, on R1 to R4", currentETagIs304),
		session.Extended("HTTP-COND-002", "D20, RFC 9110", "If-None-Match compares weakly, takes lists, and tags of compressed answers", ifNoneMatchIsWeakAndTakesLists),
		session.Extended("HTTP-COND-003", "D20", "a 304 never hides a change of the problem, of read, or of a name", notModifiedHidesNoChange),
		session.Extended("HTTP-COND-004", "D20", "If-Match with the current ETag, also of a compressed answer, revision, list or * lets W2 to W8 pass", currentIfMatchPasses),
		session.Extended("HTTP-COND-005", "D20", "If-Match with another revision, or a weak tag, is stale-revision, on W2 to W8", otherIfMatchIsStale),
		session.Extended("HTTP-COND-006", "D20", "If-Match compares the revision alone: neither read nor a rename makes it stale", ifMatchComparesTheRevisionAlone),
		session.Extended("HTTP-COND-007", "D20", "If-Match on W1 is malformed-request", ifMatchOnCreationIsMalformed),
		session.Extended("HTTP-COND-008", "D20", "the ETags that W1 and W2 send are good for If-Match", etagsOfWritesAreGoodForIfMatch),
		session.Extended("HTTP-COND-009", "D18, RFC 9110", "a condition that is neither * nor a list of tags is malformed-request, lest it be overlooked", unreadableIfMatchIsMalformed),
		session.Extended("HTTP-COND-010", "D20", "the answers to writes are private and to be revalidated as well", answersToWritesAreRevalidated),
		session.Extended("HTTP-COND-011", "D20, RFC 9110", "an If-None-Match that cannot be read is as good as none: nothing is lost by sending the answer", unreadableIfNoneMatchIsIgnored),
		session.Extended("HTTP-COND-012", "D20", "a 304 on R2 to R4 never hides that an author or a watcher was renamed", notModifiedHidesNoRename),
	}
}

func currentETagIs304(s *session.Session) {
	p := s.Problem()
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		s.Unchanged(s.Admin, p.Path+part)
		a := s.Admin.Get(p.Path+part, session.With("If-None-Match", "*")).Is(304)
		if len(a.Body) > 0 || a.Revision() != 1 {
			s.Fatalf("%v\nhas a body or no revision", a)
		}
		a.ETag()
		a.Revalidated()
		s.Admin.Get(p.Path+part, session.With("If-None-Match", `"x"`)).Is(200)
		s.Admin.Do("HEAD", p.Path+part, "", session.With("If-None-Match", "*")).Is(304)
	}
}

// compressed is how Apache writes a tag after it has compressed the answer.
const compressed = `%s-gzip"`

func ifNoneMatchIsWeakAndTakesLists(s *session.Session) {
	p := s.Problem()
	for _, form := range []string{`W/%s`, `"x", %s`, `%s,"x"`, `"a,b" , W/%s`, compressed} {
		s.Eventually(func() bool {
			etag := p.Load(s.Admin).ETag()
			if form == compressed {
				etag = strings.TrimSuffix(etag, `"`)
			}
			return s.Admin.Get(p.Path, session.With("If-None-Match", fmt.Sprintf(form, etag))).Status == 304
		}, "If-None-Match: %s is never 304", form)
	}
}

func notModifiedHidesNoChange(s *session.Session) {
	bob, eve := s.User(), s.User()
	p := s.Create(s.Admin, `"assignee":`+eve.Part())
	for name, change := range map[string]func(){
		"title":   func() { s.Admin.Patch(p.Path, `{"title":`+session.Encode(s.Unique("t"))+`}`).Is(200) },
		"comment": func() { s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201) },
		"watcher": func() { s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201) },
		"read":    func() { bob.Patch(p.Path, `{"read":true}`).Is(200) },
		"unread":  func() { bob.Patch(p.Path, `{"read":true}`).Is(200); bob.Patch(p.Path, `{"read":false}`).Is(200) },
		"rename": func() {
			s.Admin.Patch("/users/"+eve.Identifier, `{"name":`+session.Encode(s.Unique("eve"))+`}`).Is(200)
		},
		"assignee": func() { eve.Patch(p.Path, `{"read":true}`).Is(200) },
	} {
		if name == "unread" {
			bob.Patch(p.Path, `{"read":true}`).Is(200)
		} else {
			bob.Patch(p.Path, `{"read":false}`).Is(200)
		}
		eve.Patch(p.Path, `{"read":false}`).Is(200)
		etag := p.Load(bob.Client).ETag()
		change()
		if a := bob.Get(p.Path, session.With("If-None-Match", etag)); a.Status != 200 {
			s.Fatalf("after the change of %s: %v\nwant 200", name, a)
		}
	}
}

func currentIfMatchPasses(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	conditions := []func() string{
		func() string { return p.Load(s.Admin).ETag() },
		func() string { return fmt.Sprintf(`"%d"`, p.Load(s.Admin).Revision()) },
		func() string { return "*" },
		func() string { return fmt.Sprintf(compressed, strings.TrimSuffix(p.Load(s.Admin).ETag(), `"`)) },
		func() string { return fmt.Sprintf(`"0", "%d"`, p.Load(s.Admin).Revision()) },
		func() string { return fmt.Sprintf(`W/"x",%s`, p.Load(s.Admin).ETag()) },
		func() string { return s.Admin.Get(p.Path + "/comments").Is(200).ETag() },
		func() string { return s.Admin.Get(p.Path + "/relationships").Is(200).ETag() },
		func() string { return s.Admin.Get(p.Path + "/watchers").Is(200).ETag() },
		func() string { return p.Load(s.User().Client).ETag() },
	}
	for _, condition := range conditions {
		match := func() session.Option { return session.With("If-Match", condition()) }
		s.Admin.Patch(p.Path, `{"title":`+session.Encode(s.Unique("t"))+`}`, match()).Is(200)
		s.Admin.Post(p.Path+"/comments", "text", session.Plain(), match()).Is(201)
		s.Admin.Put(p.Keyword("k"), `"v"`, match()).Is(201)
		s.Admin.Patch(p.Keyword("k"), `"w"`, match()).Is(200)
		s.Admin.Delete(p.Keyword("k"), "", match()).Is(204)
		s.Admin.Put(p.Path+"/relationships", session.Link("ParentOf", q), match()).Is(201)
		s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", q), match()).Is(204)
		s.Admin.Put(p.Path+"/watchers", s.User().Part(), match()).Is(201)
	}
}

func otherIfMatchIsStale(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	old := p.Load(s.Admin).ETag()
	s.Admin.Patch(p.Path, `{"title":"x"}`).Is(200)
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	s.Relate(p, "ParentOf", q)
	current := p.Load(s.Admin)
	s.Untouched(p, func() {
		for _, value := range []string{old, `"1"`, `"99"`, `W/"` + fmt.Sprint(current.Revision()) + `"`, "W/" + current.ETag(), `"1", "2"`, `"x"`, `""`} {
			match := session.With("If-Match", value)
			for _, a := range []*session.Answer{
				s.Admin.Patch(p.Path, `{"title":"y"}`, match),
				s.Admin.Patch(p.Path, `{}`, match),
				s.Admin.Post(p.Path+"/comments", "text", session.Plain(), match),
				s.Admin.Put(p.Keyword("k"), `"w"`, match),
				s.Admin.Patch(p.Keyword("k"), `"v"`, match),
				s.Admin.Delete(p.Keyword("k"), "", match),
				s.Admin.Put(p.Path+"/relationships", session.Link("RelatedTo", q), match),
				s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", q), match),
				s.Admin.Put(p.Path+"/watchers", bob.Part(), match),
			} {
				if a.Fault(412, "stale-revision").Revision() != current.Revision() {
					s.Fatalf("%v\nsays the revision %d, want %d", a, a.Revision(), current.Revision())
				}
			}
		}
	})
}

func ifMatchComparesTheRevisionAlone(s *session.Session) {
	bob, p := s.User(), s.Problem()
	etag := p.Load(s.Admin).ETag()
	s.Admin.Patch(p.Path, `{"read":false}`).Is(200)
	s.Admin.Patch("/users/"+bob.Identifier, `{"name":"Bob"}`).Is(200)
	s.Admin.Patch(p.Path, `{"title":"x"}`, session.With("If-Match", etag)).Is(200)
}

func ifMatchOnCreationIsMalformed(s *session.Session) {
	for _, value := range []string{"*", `"1"`} {
		s.Admin.Post("/problems", `{"title":"x"}`, session.With("If-Match", value)).Fault(400, "malformed-request")
	}
}

func etagsOfWritesAreGoodForIfMatch(s *session.Session) {
	made := s.Admin.Post("/problems", `{"title":"x"}`).Is(201)
	path := fmt.Sprintf("/problems/%d", made.Number("/identifier"))
	second := s.Admin.Patch(path, `{"title":"y"}`, session.With("If-Match", made.ETag())).Is(200)
	s.Admin.Patch(path, `{"title":"z"}`, session.With("If-Match", second.ETag())).Is(200)
	s.Admin.Patch(path, `{"title":"z"}`, session.With("If-Match", second.ETag())).Fault(412, "stale-revision")
	// A later look at the same revision has the ETag of the write, so a client
	// can revalidate it.
	s.Eventually(func() bool {
		a := s.Admin.Patch(path, `{"title":`+session.Encode(s.Unique("t"))+`}`).Is(200)
		return s.Admin.Get(path, session.With("If-None-Match", a.ETag())).Status == 304
	}, "the ETag of W2 is never that of R1")
}

func unreadableIfMatchIsMalformed(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, value := range []string{"1", "abc", `"1`, `1"`, `"1" "2"`, `"1",x`, `* , "1"`, `w/"1"`} {
			s.Admin.Patch(p.Path, `{"title":"x"}`, session.With("If-Match", value)).Fault(400, "malformed-request")
			s.Admin.Delete(p.Keyword("k"), "", session.With("If-Match", value)).Fault(400, "malformed-request")
		}
	})
	etag := p.Load(s.Admin).ETag()
	s.Admin.Patch(p.Path, `{"title":"x"}`, session.With("If-Match", `"0"`), session.More("If-Match", etag)).Is(200)
}

func answersToWritesAreRevalidated(s *session.Session) {
	made := s.Admin.Post("/problems", `{"title":"x"}`).Is(201)
	made.Revalidated()
	s.Admin.Patch(fmt.Sprintf("/problems/%d", made.Number("/identifier")), `{"title":"y"}`).Is(200).
		Revalidated()
}

func unreadableIfNoneMatchIsIgnored(s *session.Session) {
	p := s.Problem()
	for _, value := range []string{"", "1.2.3", `"1`, `w/"1"`} {
		s.Admin.Get(p.Path, session.With("If-None-Match", value)).Is(200)
	}
}

func notModifiedHidesNoRename(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	bob.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	bob.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201)
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	for part, pointer := range map[string]string{"/comments": "/0/author/name", "/relationships": "/0/author/name", "/watchers": "/0/name"} {
		etag, name := s.Admin.Get(p.Path+part).Is(200).ETag(), s.Unique("renamed")
		s.Admin.Patch("/users/"+bob.Identifier, `{"name":`+session.Encode(name)+`}`).Is(200)
		s.Admin.Get(p.Path+part, session.With("If-None-Match", etag)).Is(200).Has(pointer, name)
	}
}
