package records

import (
	"fmt"
	"reflect"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// loadCases are about loading problems (R1).
func loadCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-R1-001", "D10, D20", "loading answers 200 with the problem and the headers of a private, revalidated answer", loadedProblemHasItsHeaders),
		session.Core("HTTP-R1-002", "D1", "a loaded problem is what creating it answered", loadedProblemIsAsCreated),
		session.Core("HTTP-R1-003", "spec section 2", "relationships, comments and watchers are no part of a problem", problemHasNoCollectionsInside),
		session.Core("HTTP-R1-004", "D1", "every valid token sees every problem", everyTokenSeesEveryProblem),
		session.Extended("HTTP-R1-005", "D18", "an identifier that is absent or no number is problem-not-found", badIdentifierIsNotFound),
		session.Extended("HTTP-R1-006", "D1", "comments, keywords and relationships set modifier and modificationDate; watchers raise the revision only", changesSetModifier),
		session.Extended("HTTP-R1-007", "D10, D20", "R2 to R4 have the headers of R1: type, revision, ETag, and that the answer is private and to be revalidated", collectionsHaveTheHeadersOfAProblem),
		session.Core("HTTP-R1-008", "spec section 4", "a write is seen by whoever asks after its answer", writeIsSeenAtOnce),
		session.Core("HTTP-R1-009", "spec sections 1 and 4, D1", "a loaded problem has its full history log and all its keywords, however many there are", wholeLogAndAllKeywordsAreLoaded),
		session.Extended("HTTP-R1-012", "D38", "with a limit, the log comes in pages, each with the whole problem beside it; links lead through all of it, in order and once", logComesInPages),
		session.Core("HTTP-R1-010", "D1", "an update sets modifier and modificationDate, and loading shows them", updateSetsModifier),
		session.Extended("HTTP-R1-011", "D1, D8", "a request that changes nothing leaves read as it was for everybody", emptyRequestLeavesRead),
	}
}

func loadedProblemHasItsHeaders(s *session.Session) {
	p := s.Problem()
	a := p.Load(s.Admin)
	a.JSON().Revalidated()
	a.ETag()
	if a.Revision() != 1 {
		s.Fatalf("%v\nhas another revision than 1", a)
	}
}

func loadedProblemIsAsCreated(s *session.Session) {
	bob := s.User()
	made := s.Admin.Post("/problems", fmt.Sprintf(`{"title":"x","priority":{"name":"Low"},"assignee":{"email":%q}}`, bob.Email)).Is(201)
	loaded := s.Admin.Get(fmt.Sprintf("/problems/%d", made.Number("/identifier"))).Is(200)
	loaded.Members("", session.ProblemMembers...)
	loaded.Has("", made.Value)
}

func problemHasNoCollectionsInside(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	p.Load(s.Admin).Members("", session.ProblemMembers...)
}

func everyTokenSeesEveryProblem(s *session.Session) {
	p := s.Create(s.User().Client)
	p.Load(s.UserWith("read").Client)
}

func badIdentifierIsNotFound(s *session.Session) {
	for _, identifier := range []string{
		"999999999999", "9223372036854775808", "99999999999999999999999", "0", "-1", "+1", "007", "7.0", "1e3", "abc", "0x1", "%201", "1%20", "%D9%A1",
	} {
		for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
			s.Admin.Get("/problems/"+identifier+part).Fault(404, "problem-not-found")
		}
	}
}

func changesSetModifier(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	last := p.Load(s.Admin)
	step := func(what string, a *session.Answer, modifies bool) {
		s.Helper()
		now := p.Load(s.Admin)
		if now.Number("/revision") != last.Number("/revision")+1 || a.Revision() != now.Number("/revision") {
			s.Fatalf("%s: from revision %d to %d, and answered %d", what, last.Number("/revision"), now.Number("/revision"), a.Revision())
		}
		if modifies && (now.Text("/modifier/identifier") != bob.Identifier || now.Text("/modificationDate") < last.Text("/modificationDate")) ||
			!modifies && (now.Part("/modifier") != last.Part("/modifier") || now.Text("/modificationDate") != last.Text("/modificationDate")) {
			s.Fatalf("%s: modified by %s at %s", what, now.Part("/modifier"), now.Text("/modificationDate"))
		}
		last = now
	}
	step("W8", bob.Put(p.Path+"/watchers", session.Encode(bob.Object())).Is(201), false)
	step("W3", bob.Post(p.Path+"/comments", "text", session.Plain()).Is(201), true)
	step("W4", bob.Put(p.Keyword("a"), `"1"`).Is(201), true)
	step("W4", bob.Put(p.Keyword("a"), `"2"`).Is(200), true)
	step("W5", bob.Delete(p.Keyword("a"), "").Is(204), true)
	step("W6", bob.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201), true)
	step("W7", bob.Delete(p.Path+"/relationships", session.Link("ParentOf", q)).Is(204), true)
	other := q.Load(s.Admin).Has("/revision", 3)
	other.Has("/modifier/identifier", bob.Identifier)
}

func collectionsHaveTheHeadersOfAProblem(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"Second"}`).Is(200)
	for _, part := range []string{"/comments", "/relationships", "/watchers"} {
		a := s.Admin.Get(p.Path + part).Is(200).JSON().Revalidated()
		a.ETag()
		if a.Revision() != 2 {
			s.Fatalf("%v\nhas the revision %d, want 2", a, a.Revision())
		}
	}
}

func writeIsSeenAtOnce(s *session.Session) {
	bob, p := s.User(), s.Problem()
	for i := range 5 {
		p.Load(bob.Client)
		title := s.Unique("title")
		s.Admin.Patch(p.Path, `{"title":`+session.Encode(title)+`}`).Is(200).Has("/title", title)
		p.Load(bob.Client).Has("/title", title)
		p.Load(s.Admin).Has("/title", title)
		s.Admin.Get(p.Path + "/comments").Is(200)
		comment := s.Admin.Post(p.Path+"/comments", title, session.Plain()).Is(201)
		s.Admin.Get(p.Path+"/comments").Is(200).Has(fmt.Sprintf("/%d", i), comment.Value)
	}
}

func wholeLogAndAllKeywordsAreLoaded(s *session.Session) {
	const n = 110
	p := s.Problem()
	s.Many(n, func(i int) *session.Answer {
		return s.Admin.Put(p.Keyword(fmt.Sprintf("k%03d", i)), session.Encode(fmt.Sprint("v", i)))
	})
	a := p.Load(s.Admin).Counts("/keywords", n).Counts("/logs", n+1).Has("/logs/0/type", "ProblemCreated")
	logged := map[any]any{}
	for _, e := range a.List("/logs") {
		logged[session.At(e, "/field")] = session.At(e, "/to")
	}
	for i := range n {
		name, value := fmt.Sprintf("k%03d", i), fmt.Sprint("v", i)
		a.Has(fmt.Sprintf("/keywords/%d", i), map[string]any{"name": name, "value": value})
		if logged[name] != value {
			s.Fatalf("the log of %s lacks that %s was set to %s", p.Path, name, value)
		}
	}
}

func logComesInPages(s *session.Session) {
	p := s.Problem()
	s.Many(30, func(i int) *session.Answer {
		return s.Admin.Put(p.Keyword(fmt.Sprintf("k%03d", i)), session.Encode(fmt.Sprint("v", i)))
	})
	all := p.Load(s.Admin)
	for _, limit := range []int{1000, 31, 30, 7} {
		var log []any
		for page := range s.Admin.Pages(fmt.Sprintf("%s?limit=%d", p.Path, limit)) {
			log = append(log, page.List("/logs")...)
			page.Has("/keywords", all.At("/keywords")).Has("/revision", all.At("/revision"))
			if n := len(page.List("/logs")); n == 0 || n > limit {
				s.Fatalf("%v\nhas %d entries, of at most %d", page, n, limit)
			}
		}
		if !reflect.DeepEqual(log, all.List("/logs")) {
			s.Fatalf("with limit=%d, the pages have other entries than the whole log", limit)
		}
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "cursor=x"} {
		s.Admin.Get(p.Path+"?"+query).Fault(400, "malformed-request")
	}
}

func updateSetsModifier(s *session.Session) {
	bob, p := s.User(), s.Problem()
	created := p.Load(s.Admin).Text("/creationDate")
	// Two requests can fall into one millisecond.
	s.Eventually(func() bool {
		a := bob.Patch(p.Path, `{"title":`+session.Encode(s.Unique("t"))+`}`).Is(200).Has("/modifier", bob.Object())
		p.Load(s.Admin).Has("/modifier", bob.Object()).Has("/modificationDate", a.Text("/modificationDate")).
			Has("/creationDate", created)
		return a.Text("/modificationDate") > created
	}, "%s was changed again and again, and modificationDate is still %s", p.Path, created)
}

func emptyRequestLeavesRead(s *session.Session) {
	bob, p := s.User(), s.Problem()
	title := p.Load(s.Admin).Part("/title")
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	bob.Patch(p.Path, `{"read":true}`).Is(200)
	for _, body := range []string{`{}`, `{"title":` + title + `}`, `{"priority":null}`} {
		s.Admin.Patch(p.Path, body).Is(200)
		p.Load(bob.Client).Has("/read", true)
	}
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(200)
	p.Load(bob.Client).Has("/read", true)
}
