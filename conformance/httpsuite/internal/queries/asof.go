package queries

import (
	"fmt"
	"net/url"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// past returns the client's look at a part of the problem as it stood.
func past(p session.Problem, c *session.Client, part string, at any) *session.Answer {
	c.T.Helper()
	return c.Get(p.Path + part + "?asOf=" + url.QueryEscape(fmt.Sprint(at)))
}

// asOfCases are about problems as they stood at a revision or a time (D36).
func asOfCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-ASOF-001", "D36", "fields are as they stood at a revision, and so is who changed them, with the log up to then", fieldsAtRevision),
		session.Extended("HTTP-ASOF-002", "D36", "keywords are as they stood, also those that were changed or deleted since", keywordsAtRevision),
		session.Extended("HTTP-ASOF-003", "D36", "relationships are as they stood, also those that were deleted since, with the other problem as it is today", relationshipsAtRevision),
		session.Extended("HTTP-ASOF-004", "D36", "comments and watchers are as they stood", commentsAndWatchersAtRevision),
		session.Extended("HTTP-ASOF-005", "D36", "read, watching and readByAssignee are null: nobody knows what they were", flagsAreUnknownInThePast),
		session.Extended("HTTP-ASOF-006", "D36", "before it was created, and at revisions that it does not have, the problem is not found", revisionsThatDoNotExist),
		session.Extended("HTTP-ASOF-007", "D36", "a time shows what had been written by then, in any notation of RFC 3339", fieldsAtTime),
		session.Extended("HTTP-ASOF-008", "D36", "references to users and metadata are rendered as they are today", pastReferencesShowTodaysNames),
	}
}

func fieldsAtRevision(s *session.Session) {
	bob := s.User()
	p := s.Create(bob.Client, `"priority":{"name":"High"}`)
	seen := []*session.Answer{p.Load(bob.Client)}
	for _, body := range []string{`{"title":"second","assignee":` + bob.Part() + `}`, `{"state":{"name":"Closed"},"priority":null}`, `{"state":{"name":"Open"}}`, `{"title":"last"}`} {
		s.Admin.Patch(p.Path, body).Is(200)
		seen = append(seen, p.Load(bob.Client))
	}
	for i, was := range seen {
		a := past(p, bob.Client, "", i+1).Is(200).JSON()
		want := was.Value.(map[string]any)
		want["read"], want["watching"], want["readByAssignee"] = nil, nil, nil
		a.Has("", want)
		if a.Revision() != int64(i+1) {
			s.Fatalf("%v\nsays the revision %d, want %d", a, a.Revision(), i+1)
		}
	}
}

func keywordsAtRevision(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("a"), `"1"`).Is(201)  // 2
	s.Admin.Put(p.Keyword("b"), `null`).Is(201) // 3
	s.Admin.Put(p.Keyword("a"), `"2"`).Is(200)  // 4
	s.Admin.Delete(p.Keyword("b"), "").Is(204)  // 5
	s.Admin.Patch(p.Path, `{"title":"x"}`).Is(200)
	for revision, want := range map[int]string{
		1: `[]`, 2: `[{"name":"a","value":"1"}]`, 3: `[{"name":"a","value":"1"},{"name":"b","value":null}]`,
		4: `[{"name":"a","value":"2"},{"name":"b","value":null}]`, 5: `[{"name":"a","value":"2"}]`, 6: `[{"name":"a","value":"2"}]`,
	} {
		past(p, s.Admin, "", revision).Is(200).Has("/keywords", session.Raw(want)).Has("/revision", revision)
	}
}

func relationshipsAtRevision(s *session.Session) {
	p, q, r := s.Problem(), s.Problem(), s.Problem()
	empty := s.Admin.Get(p.Path + "/relationships").Is(200).Value
	s.Relate(p, "ParentOf", q) // 2
	one := s.Admin.Get(p.Path + "/relationships").Is(200)
	s.Relate(r, "BlockerOf", p) // 3
	two := s.Admin.Get(p.Path + "/relationships").Is(200)
	s.Admin.Delete(q.Path+"/relationships", session.Link("ChildOf", p)).Is(204) // 4
	rest := s.Admin.Get(p.Path + "/relationships").Is(200)
	for revision, want := range map[int]any{1: empty, 2: one.Value, 3: two.Value, 4: rest.Value} {
		past(p, s.Admin, "/relationships", revision).Is(200).JSON().Has("", want)
	}
	title := s.Unique("today")
	s.Admin.Patch(q.Path, `{"title":`+session.Encode(title)+`}`).Is(200)
	past(p, s.Admin, "/relationships", 2).Is(200).Has("/0/problem/title", title)
	past(q, s.Admin, "/relationships", 2).Is(200).Has("/0/type", "ChildOf").Has("/0/problemIdentifier", p.ID)
}

func commentsAndWatchersAtRevision(s *session.Session) {
	bob, eve, p := s.User(), s.User(), s.Problem()
	bob.Post(p.Path+"/comments", "first", session.Plain()).Is(201) // 2
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)            // 3
	eve.Post(p.Path+"/comments", "second", session.Plain()).Is(201)
	s.Admin.Put(p.Path+"/watchers", eve.Part()).Is(201)
	comments := s.Admin.Get(p.Path + "/comments").Is(200).List("")
	watchers := s.Admin.Get(p.Path + "/watchers").Is(200).List("")
	if len(comments) != 2 || len(watchers) != 2 {
		s.Fatalf("of two comments and two watchers, %d and %d are read", len(comments), len(watchers))
	}
	for revision, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 2} {
		past(p, s.Admin, "/comments", revision).Is(200).Has("", comments[:want])
	}
	for revision, want := range map[int]any{1: []any{}, 2: []any{}, 3: []any{bob.Object()}, 4: []any{bob.Object()}, 5: watchers} {
		past(p, s.Admin, "/watchers", revision).Is(200).Has("", want)
	}
}

func flagsAreUnknownInThePast(s *session.Session) {
	bob := s.User()
	p := s.Create(bob.Client, `"assignee":`+bob.Part())
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	p.Load(bob.Client).Has("/read", true).Has("/watching", true).Has("/readByAssignee", true)
	for revision := 1; revision <= 2; revision++ {
		past(p, bob.Client, "", revision).Is(200).Has("/read", nil).Has("/watching", nil).Has("/readByAssignee", nil).Members("", session.ProblemMembers...)
	}
}

func revisionsThatDoNotExist(s *session.Session) {
	p := s.Problem()
	created, err := time.Parse(time.RFC3339, p.Load(s.Admin).Text("/creationDate"))
	if err != nil {
		s.Fatalf("the creation date: %v", err)
	}
	early := created.Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		for _, at := range []any{0, -1, 2, 999999, early, "2015-11-05T00:00:00Z"} {
			past(p, s.Admin, part, at).Fault(404, "problem-not-found")
		}
		past(p, s.Admin, part, 1).Is(200)
		s.Admin.Get("/problems/999999999999"+part+"?asOf=1").Fault(404, "problem-not-found")
	}
}

func fieldsAtTime(s *session.Session) {
	p := s.Problem()
	var dates [2]string
	s.Eventually(func() bool { // until the two are of different milliseconds
		for i := range dates {
			dates[i] = s.Admin.Patch(p.Path, fmt.Sprintf(`{"title":"%d %s"}`, i, s.Unique("t"))).Is(200).Text("/modificationDate")
		}
		return dates[0] < dates[1]
	}, "two changes always have the same modificationDate")
	now := p.Load(s.Admin)
	then := past(p, s.Admin, "", dates[0]).Is(200).Has("/modificationDate", dates[0]).Has("/revision", now.Number("/revision")-1)
	if title := then.Text("/title"); title[0] != '0' {
		s.Fatalf("%v\nhas the title %q, want the one before", then, title)
	}
	at, err := time.Parse(time.RFC3339, dates[0])
	if err != nil {
		s.Fatalf("the modification date: %v", err)
	}
	past(p, s.Admin, "", at.In(time.FixedZone("", 3600)).Format("2006-01-02T15:04:05.000Z07:00")).Is(200).Has("/revision", then.Number("/revision"))
	past(p, s.Admin, "", dates[1]).Is(200).Has("/title", now.Text("/title")).Has("/revision", now.Number("/revision"))
	past(p, s.Admin, "", "2999-01-01T00:00:00Z").Is(200).Has("/revision", now.Number("/revision"))
	for _, wrong := range []string{"", "yesterday", "1.0", "2015-11-05", "01", "2015-13-01T00:00:00Z"} {
		past(p, s.Admin, "", wrong).Fault(400, "malformed-request")
	}
}

func pastReferencesShowTodaysNames(s *session.Session) {
	bob, milestone := s.User(), s.Milestone()
	p := s.Create(bob.Client, `"milestone":`+milestone.Part())
	bob.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	s.Admin.Patch(p.Path, `{"milestone":null}`).Is(200)
	user, name := s.Unique("renamed"), s.Unique("renamed")
	s.Admin.Patch("/users/"+bob.Identifier, `{"name":`+session.Encode(user)+`}`).Is(200)
	s.Admin.Patch(milestone.Path, `{"name":`+session.Encode(name)+`}`).Is(200)
	past(p, s.Admin, "", 2).Is(200).Has("/originator/name", user).Has("/milestone/name", name)
	past(p, s.Admin, "/comments", 2).Is(200).Has("/0/author/name", user)
}
