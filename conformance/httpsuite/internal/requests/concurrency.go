package requests

import (
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// concurrencyCases are about requests at the same time (D1, D7, D8, D20).
func concurrencyCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-RACE-001", "D1", "N comments at once make N revisions, N comments and N entries, in one order", commentsAtOnceHaveOneOrder),
		session.Extended("HTTP-RACE-002", "D20", "of several writes with the same If-Match exactly one passes", oneOfSeveralIfMatchPasses),
		session.Extended("HTTP-RACE-003", "D7", "opposing relationships at once never leave both, or a half pair", opposingRelationshipsAtOnce),
		session.Extended("HTTP-RACE-004", "D7", "links of a ring at once never close it", ringAtOnceNeverCloses),
		session.Extended("HTTP-RACE-005", "D7, D8", "adding and deleting a pair at once leaves both halves or none, and a log that tells the story", addingAndDeletingAPairAtOnce),
		session.Core("HTTP-RACE-006", "D1", "problems made at once have different identifiers", problemsAtOnceHaveOwnIdentifiers),
		session.Core("HTTP-RACE-007", "D8", "one keyword set at once ends as the log says", keywordAtOnceEndsAsLogged),
		session.Extended("HTTP-RACE-008", "D2", "of several users with one e-mail address made at once exactly one is", oneEmailAtOnceMakesOneUser),
		session.Core("HTTP-RACE-009", "D8", "a watcher added at once is added once", watcherAtOnceIsAddedOnce),
		session.Extended("HTTP-RACE-010", "D11", "updates of different fields at once are all there afterwards: an absent member leaves its field", fieldsAtOnceAreAllKept),
	}
}

func commentsAtOnceHaveOneOrder(s *session.Session) {
	const n = 24
	p := s.Problem()
	answers := session.Together(n, func(i int) *session.Answer {
		return s.Admin.Post(p.Path+"/comments", fmt.Sprint("text ", i), session.Plain())
	})
	order := make([]string, n)
	for _, a := range answers {
		revision := a.Is(201).Revision()
		if revision < 2 || revision > n+1 || order[revision-2] != "" {
			s.Fatalf("%v\nhas the revision %d, which is out of range or taken", a, revision)
		}
		order[revision-2] = a.Text("/identifier")
	}
	comments, loaded := s.Admin.Get(p.Path+"/comments").Is(200), p.Load(s.Admin).Has("/revision", n+1)
	for i, identifier := range order {
		comments.Has(fmt.Sprintf("/%d/identifier", i), identifier)
		loaded.Has(fmt.Sprintf("/logs/%d/to", i+1), identifier)
	}
}

func oneOfSeveralIfMatchPasses(s *session.Session) {
	p := s.Problem()
	for range 5 {
		etag := p.Load(s.Admin).ETag()
		answers := session.Together(8, func(int) *session.Answer {
			return s.Admin.Patch(p.Path, `{"title":`+session.Encode(s.Unique("t"))+`}`, session.With("If-Match", etag))
		})
		if session.Count(answers, 200) != 1 || session.Count(answers, 412) != 7 {
			s.Fatalf("%d passed and %d were stale, want 1 and 7", session.Count(answers, 200), session.Count(answers, 412))
		}
	}
}

func opposingRelationshipsAtOnce(s *session.Session) {
	for range 10 {
		a, b := s.Problem(), s.Problem()
		answers := session.Together(8, func(i int) *session.Answer {
			if i%2 == 0 {
				return s.Admin.Put(a.Path+"/relationships", session.Link("ParentOf", b))
			}
			return s.Admin.Put(b.Path+"/relationships", session.Link("ParentOf", a))
		})
		if session.Count(answers, 201) != 1 || session.Count(answers, 200) != 3 || session.Count(answers, 409) != 4 {
			s.Fatalf("%d new, %d there, %d in conflict; want 1, 3, 4", session.Count(answers, 201), session.Count(answers, 200), session.Count(answers, 409))
		}
		forth, back := s.Links(a), s.Links(b)
		if !(slices.Equal(forth, []string{b.As("ParentOf")}) && slices.Equal(back, []string{a.As("ChildOf")}) ||
			slices.Equal(forth, []string{b.As("ChildOf")}) && slices.Equal(back, []string{a.As("ParentOf")})) {
			s.Fatalf("the pair is %q and %q", forth, back)
		}
	}
}

func ringAtOnceNeverCloses(s *session.Session) {
	for range 5 {
		ring := make([]session.Problem, 6)
		for i := range ring {
			ring[i] = s.Problem()
		}
		answers := session.Together(len(ring), func(i int) *session.Answer {
			return s.Admin.Put(ring[i].Path+"/relationships", session.Link("BlockerOf", ring[(i+1)%len(ring)]))
		})
		if session.Count(answers, 201) != len(ring)-1 || session.Count(answers, 409) != 1 {
			s.Fatalf("%d of %d links were added and %d refused", session.Count(answers, 201), len(ring), session.Count(answers, 409))
		}
		for i, a := range answers {
			next := ring[(i+1)%len(ring)]
			added := a.Status == 201
			if slices.Contains(s.Links(ring[i]), next.As("BlockerOf")) != added || slices.Contains(s.Links(next), ring[i].As("BlockedBy")) != added {
				s.Fatalf("%v\nbut the pair is %q and %q", a, s.Links(ring[i]), s.Links(next))
			}
			if !added {
				a.Fault(409, "relationship-cycle")
			}
		}
	}
}

func addingAndDeletingAPairAtOnce(s *session.Session) {
	a, b := s.Problem(), s.Problem()
	session.Together(12, func(i int) *session.Answer {
		if i%2 == 0 {
			return s.Admin.Put(a.Path+"/relationships", session.Link("CauseOf", b))
		}
		return s.Admin.Delete(b.Path+"/relationships", session.Link("CausedBy", a))
	})
	forth, back := s.Links(a), s.Links(b)
	if len(forth) != len(back) {
		s.Fatalf("the pair is %q and %q", forth, back)
	}
	for _, p := range []session.Problem{a, b} {
		loaded := p.Load(s.Admin)
		there := 0
		for i := range loaded.List("/logs") {
			switch loaded.Text(fmt.Sprintf("/logs/%d/type", i)) {
			case "RelationshipAdded":
				there++
			case "RelationshipDeleted":
				there--
			}
			if there != 0 && there != 1 {
				s.Fatalf("%v\nadds or deletes twice", loaded)
			}
		}
		if there != len(forth) {
			s.Fatalf("%v\nends with %d relationships, but there are %d", loaded, there, len(forth))
		}
	}
}

func problemsAtOnceHaveOwnIdentifiers(s *session.Session) {
	seen := map[int64]bool{}
	for _, a := range session.Together(24, func(int) *session.Answer { return s.Admin.Post("/problems", `{"title":"x"}`) }) {
		seen[a.Is(201).Number("/identifier")] = true
	}
	if len(seen) != 24 {
		s.Fatalf("24 problems have %d identifiers", len(seen))
	}
}

func keywordAtOnceEndsAsLogged(s *session.Session) {
	p := s.Problem()
	for _, a := range session.Together(16, func(i int) *session.Answer { return s.Admin.Put(p.Keyword("k"), fmt.Sprintf(`"%d"`, i)) }) {
		if a.Status != 200 && a.Status != 201 {
			s.Fatalf("%v", a)
		}
	}
	loaded := p.Load(s.Admin).Has("/revision", 17)
	loaded.Has("/logs/last/to", loaded.Text("/keywords/0/value"))
	for i := 2; i < 17; i++ {
		loaded.Has(fmt.Sprintf("/logs/%d/from", i), loaded.At(fmt.Sprintf("/logs/%d/to", i-1)))
	}
}

func oneEmailAtOnceMakesOneUser(s *session.Session) {
	email := s.Unique("race") + "@example.org"
	answers := session.Together(8, func(i int) *session.Answer {
		address := email
		if i%2 == 0 {
			address = strings.ToUpper(email)
		}
		return s.Admin.Post("/users", session.Encode(map[string]any{"name": "x", "email": address}))
	})
	if session.Count(answers, 201) != 1 || session.Count(answers, 409) != 7 {
		s.Fatalf("%d were made and %d refused, want 1 and 7", session.Count(answers, 201), session.Count(answers, 409))
	}
}

func watcherAtOnceIsAddedOnce(s *session.Session) {
	bob, p := s.User(), s.Problem()
	answers := session.Together(8, func(int) *session.Answer { return s.Admin.Put(p.Path+"/watchers", bob.Part()) })
	if session.Count(answers, 201) != 1 || session.Count(answers, 200) != 7 {
		s.Fatalf("%d were new and %d there, want 1 and 7", session.Count(answers, 201), session.Count(answers, 200))
	}
	p.Load(s.Admin).Has("/revision", 2)
}

func fieldsAtOnceAreAllKept(s *session.Session) {
	bob := s.User()
	for range 5 {
		p := s.Problem()
		bodies := []string{`{"title":"New"}`, `{"priority":{"name":"High"}}`, `{"classification":{"name":"Task"}}`, `{"assignee":` + bob.Part() + `}`}
		for _, a := range session.Together(len(bodies), func(i int) *session.Answer { return s.Admin.Patch(p.Path, bodies[i]) }) {
			a.Is(200)
		}
		p.Load(s.Admin).Has("/title", "New").Has("/priority/name", "High").Has("/classification/name", "Task").
			Has("/assignee", bob.Object()).Has("/revision", len(bodies)+1)
	}
}
