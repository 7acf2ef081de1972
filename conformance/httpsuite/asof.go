package httpsuite

import (
	"fmt"
	"net/url"
	"time"
)

// past returns the client's look at a part of the problem as it stood.
func past(p problem, c *client, part string, at any) *answer {
	c.t.Helper()
	return c.get(p.path + part + "?asOf=" + url.QueryEscape(fmt.Sprint(at)))
}

// asOfCases are about problems as they stood at a revision or a time (D36).
func asOfCases() []demand {
	return []demand{
		{extended, "HTTP-ASOF-001", "D36", "fields are as they stood at a revision, and so is who changed them, with the log up to then", fieldsAtRevision},
		{extended, "HTTP-ASOF-002", "D36", "keywords are as they stood, also those that were changed or deleted since", keywordsAtRevision},
		{extended, "HTTP-ASOF-003", "D36", "relationships are as they stood, also those that were deleted since, with the other problem as it is today", relationshipsAtRevision},
		{extended, "HTTP-ASOF-004", "D36", "comments and watchers are as they stood", commentsAndWatchersAtRevision},
		{extended, "HTTP-ASOF-005", "D36", "read, watching and readByAssignee are null: nobody knows what they were", flagsAreUnknownInThePast},
		{extended, "HTTP-ASOF-006", "D36", "before it was created, and at revisions that it does not have, the problem is not found", revisionsThatDoNotExist},
		{extended, "HTTP-ASOF-007", "D36", "a time shows what had been written by then, in any notation of RFC 3339", fieldsAtTime},
		{extended, "HTTP-ASOF-008", "D36", "references to users and metadata are rendered as they are today", pastReferencesShowTodaysNames},
	}
}

func fieldsAtRevision(s *session) {
	bob := s.user()
	p := s.create(bob.client, `"priority":{"name":"High"}`)
	seen := []*answer{p.load(bob.client)}
	for _, body := range []string{`{"title":"second","assignee":` + bob.part() + `}`, `{"state":{"name":"Closed"},"priority":null}`, `{"state":{"name":"Open"}}`, `{"title":"last"}`} {
		s.admin.patch(p.path, body).is(200)
		seen = append(seen, p.load(bob.client))
	}
	for i, was := range seen {
		a := past(p, bob.client, "", i+1).is(200).json()
		want := was.value.(map[string]any)
		want["read"], want["watching"], want["readByAssignee"] = nil, nil, nil
		a.has("", want)
		if a.revision() != int64(i+1) {
			s.Fatalf("%v\nsays the revision %d, want %d", a, a.revision(), i+1)
		}
	}
}

func keywordsAtRevision(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("a"), `"1"`).is(201)  // 2
	s.admin.put(p.keyword("b"), `null`).is(201) // 3
	s.admin.put(p.keyword("a"), `"2"`).is(200)  // 4
	s.admin.delete(p.keyword("b"), "").is(204)  // 5
	s.admin.patch(p.path, `{"title":"x"}`).is(200)
	for revision, want := range map[int]string{
		1: `[]`, 2: `[{"name":"a","value":"1"}]`, 3: `[{"name":"a","value":"1"},{"name":"b","value":null}]`,
		4: `[{"name":"a","value":"2"},{"name":"b","value":null}]`, 5: `[{"name":"a","value":"2"}]`, 6: `[{"name":"a","value":"2"}]`,
	} {
		past(p, s.admin, "", revision).is(200).has("/keywords", raw(want)).has("/revision", revision)
	}
}

func relationshipsAtRevision(s *session) {
	p, q, r := s.problem(), s.problem(), s.problem()
	empty := s.admin.get(p.path + "/relationships").is(200).value
	s.relate(p, "ParentOf", q) // 2
	one := s.admin.get(p.path + "/relationships").is(200)
	s.relate(r, "BlockerOf", p) // 3
	two := s.admin.get(p.path + "/relationships").is(200)
	s.admin.delete(q.path+"/relationships", link("ChildOf", p)).is(204) // 4
	rest := s.admin.get(p.path + "/relationships").is(200)
	for revision, want := range map[int]any{1: empty, 2: one.value, 3: two.value, 4: rest.value} {
		past(p, s.admin, "/relationships", revision).is(200).json().has("", want)
	}
	title := s.unique("today")
	s.admin.patch(q.path, `{"title":`+encode(title)+`}`).is(200)
	past(p, s.admin, "/relationships", 2).is(200).has("/0/problem/title", title)
	past(q, s.admin, "/relationships", 2).is(200).has("/0/type", "ChildOf").has("/0/problemIdentifier", p.id)
}

func commentsAndWatchersAtRevision(s *session) {
	bob, eve, p := s.user(), s.user(), s.problem()
	bob.post(p.path+"/comments", "first", plain()).is(201) // 2
	s.admin.put(p.path+"/watchers", bob.part()).is(201)    // 3
	eve.post(p.path+"/comments", "second", plain()).is(201)
	s.admin.put(p.path+"/watchers", eve.part()).is(201)
	comments := s.admin.get(p.path + "/comments").is(200).list("")
	watchers := s.admin.get(p.path + "/watchers").is(200).list("")
	if len(comments) != 2 || len(watchers) != 2 {
		s.Fatalf("of two comments and two watchers, %d and %d are read", len(comments), len(watchers))
	}
	for revision, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 2} {
		past(p, s.admin, "/comments", revision).is(200).has("", comments[:want])
	}
	for revision, want := range map[int]any{1: []any{}, 2: []any{}, 3: []any{bob.object()}, 4: []any{bob.object()}, 5: watchers} {
		past(p, s.admin, "/watchers", revision).is(200).has("", want)
	}
}

func flagsAreUnknownInThePast(s *session) {
	bob := s.user()
	p := s.create(bob.client, `"assignee":`+bob.part())
	bob.put(p.path+"/watchers", bob.part()).is(201)
	p.load(bob.client).has("/read", true).has("/watching", true).has("/readByAssignee", true)
	for revision := 1; revision <= 2; revision++ {
		past(p, bob.client, "", revision).is(200).has("/read", nil).has("/watching", nil).has("/readByAssignee", nil).members("", problemMembers...)
	}
}

func revisionsThatDoNotExist(s *session) {
	p := s.problem()
	created, err := time.Parse(time.RFC3339, p.load(s.admin).text("/creationDate"))
	if err != nil {
		s.Fatalf("the creation date: %v", err)
	}
	early := created.Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		for _, at := range []any{0, -1, 2, 999999, early, "2015-11-05T00:00:00Z"} {
			past(p, s.admin, part, at).fault(404, "problem-not-found")
		}
		past(p, s.admin, part, 1).is(200)
		s.admin.get("/problems/999999999999"+part+"?asOf=1").fault(404, "problem-not-found")
	}
}

func fieldsAtTime(s *session) {
	p := s.problem()
	var dates [2]string
	s.eventually(func() bool { // until the two are of different milliseconds
		for i := range dates {
			dates[i] = s.admin.patch(p.path, fmt.Sprintf(`{"title":"%d %s"}`, i, s.unique("t"))).is(200).text("/modificationDate")
		}
		return dates[0] < dates[1]
	}, "two changes always have the same modificationDate")
	now := p.load(s.admin)
	then := past(p, s.admin, "", dates[0]).is(200).has("/modificationDate", dates[0]).has("/revision", now.number("/revision")-1)
	if title := then.text("/title"); title[0] != '0' {
		s.Fatalf("%v\nhas the title %q, want the one before", then, title)
	}
	at, err := time.Parse(time.RFC3339, dates[0])
	if err != nil {
		s.Fatalf("the modification date: %v", err)
	}
	past(p, s.admin, "", at.In(time.FixedZone("", 3600)).Format("2006-01-02T15:04:05.000Z07:00")).is(200).has("/revision", then.number("/revision"))
	past(p, s.admin, "", dates[1]).is(200).has("/title", now.text("/title")).has("/revision", now.number("/revision"))
	past(p, s.admin, "", "2999-01-01T00:00:00Z").is(200).has("/revision", now.number("/revision"))
	for _, wrong := range []string{"", "yesterday", "1.0", "2015-11-05", "01", "2015-13-01T00:00:00Z"} {
		past(p, s.admin, "", wrong).fault(400, "malformed-request")
	}
}

func pastReferencesShowTodaysNames(s *session) {
	bob, milestone := s.user(), s.milestone()
	p := s.create(bob.client, `"milestone":`+milestone.part())
	bob.post(p.path+"/comments", "text", plain()).is(201)
	s.admin.patch(p.path, `{"milestone":null}`).is(200)
	user, name := s.unique("renamed"), s.unique("renamed")
	s.admin.patch("/users/"+bob.identifier, `{"name":`+encode(user)+`}`).is(200)
	s.admin.patch(milestone.path, `{"name":`+encode(name)+`}`).is(200)
	past(p, s.admin, "", 2).is(200).has("/originator/name", user).has("/milestone/name", name)
	past(p, s.admin, "/comments", 2).is(200).has("/0/author/name", user)
}
