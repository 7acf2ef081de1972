package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// concurrencyCases are about requests at the same time (D1, D7, D8, D20).
func concurrencyCases() []Demand {
	return []Demand{
		{Extended, "HTTP-RACE-001", "D1", "N comments at once make N revisions, N comments and N entries, in one order", commentsAtOnceHaveOneOrder},
		{Extended, "HTTP-RACE-002", "D20", "of several writes with the same If-Match exactly one passes", oneOfSeveralIfMatchPasses},
		{Extended, "HTTP-RACE-003", "D7", "opposing relationships at once never leave both, or a half pair", opposingRelationshipsAtOnce},
		{Extended, "HTTP-RACE-004", "D7", "links of a ring at once never close it", ringAtOnceNeverCloses},
		{Extended, "HTTP-RACE-005", "D7, D8", "adding and deleting a pair at once leaves both halves or none, and a log that tells the story", addingAndDeletingAPairAtOnce},
		{Core, "HTTP-RACE-006", "D1", "problems made at once have different identifiers", problemsAtOnceHaveOwnIdentifiers},
		{Core, "HTTP-RACE-007", "D8", "one keyword set at once ends as the log says", keywordAtOnceEndsAsLogged},
		{Extended, "HTTP-RACE-008", "D2", "of several users with one e-mail address made at once exactly one is", oneEmailAtOnceMakesOneUser},
		{Core, "HTTP-RACE-009", "D8", "a watcher added at once is added once", watcherAtOnceIsAddedOnce},
		{Extended, "HTTP-RACE-010", "D11", "updates of different fields at once are all there afterwards: an absent member leaves its field", fieldsAtOnceAreAllKept},
	}
}

func commentsAtOnceHaveOneOrder(s *Session) {
	const n = 24
	p := s.Problem()
	answers := Together(n, func(i int) *Answer { return s.Admin.Post(p.Path+"/comments", fmt.Sprint("text ", i), Plain()) })
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

func oneOfSeveralIfMatchPasses(s *Session) {
	p := s.Problem()
	for range 5 {
		etag := p.Load(s.Admin).ETag()
		answers := Together(8, func(int) *Answer {
			return s.Admin.Patch(p.Path, `{"title":`+Encode(s.Unique("t"))+`}`, With("If-Match", etag))
		})
		if Count(answers, 200) != 1 || Count(answers, 412) != 7 {
			s.Fatalf("%d passed and %d were stale, want 1 and 7", Count(answers, 200), Count(answers, 412))
		}
	}
}

func opposingRelationshipsAtOnce(s *Session) {
	for range 10 {
		a, b := s.Problem(), s.Problem()
		answers := Together(8, func(i int) *Answer {
			if i%2 == 0 {
				return s.Admin.Put(a.Path+"/relationships", Link("ParentOf", b))
			}
			return s.Admin.Put(b.Path+"/relationships", Link("ParentOf", a))
		})
		if Count(answers, 201) != 1 || Count(answers, 200) != 3 || Count(answers, 409) != 4 {
			s.Fatalf("%d new, %d there, %d in conflict; want 1, 3, 4", Count(answers, 201), Count(answers, 200), Count(answers, 409))
		}
		forth, back := s.Links(a), s.Links(b)
		if !(slices.Equal(forth, []string{b.As("ParentOf")}) && slices.Equal(back, []string{a.As("ChildOf")}) ||
			slices.Equal(forth, []string{b.As("ChildOf")}) && slices.Equal(back, []string{a.As("ParentOf")})) {
			s.Fatalf("the pair is %q and %q", forth, back)
		}
	}
}

func ringAtOnceNeverCloses(s *Session) {
	for range 5 {
		ring := make([]Problem, 6)
		for i := range ring {
			ring[i] = s.Problem()
		}
		answers := Together(len(ring), func(i int) *Answer {
			return s.Admin.Put(ring[i].Path+"/relationships", Link("BlockerOf", ring[(i+1)%len(ring)]))
		})
		if Count(answers, 201) != len(ring)-1 || Count(answers, 409) != 1 {
			s.Fatalf("%d of %d links were added and %d refused", Count(answers, 201), len(ring), Count(answers, 409))
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

func addingAndDeletingAPairAtOnce(s *Session) {
	a, b := s.Problem(), s.Problem()
	Together(12, func(i int) *Answer {
		if i%2 == 0 {
			return s.Admin.Put(a.Path+"/relationships", Link("CauseOf", b))
		}
		return s.Admin.Delete(b.Path+"/relationships", Link("CausedBy", a))
	})
	forth, back := s.Links(a), s.Links(b)
	if len(forth) != len(back) {
		s.Fatalf("the pair is %q and %q", forth, back)
	}
	for _, p := range []Problem{a, b} {
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

func problemsAtOnceHaveOwnIdentifiers(s *Session) {
	seen := map[int64]bool{}
	for _, a := range Together(24, func(int) *Answer { return s.Admin.Post("/problems", `{"title":"x"}`) }) {
		seen[a.Is(201).Number("/identifier")] = true
	}
	if len(seen) != 24 {
		s.Fatalf("24 problems have %d identifiers", len(seen))
	}
}

func keywordAtOnceEndsAsLogged(s *Session) {
	p := s.Problem()
	for _, a := range Together(16, func(i int) *Answer { return s.Admin.Put(p.Keyword("k"), fmt.Sprintf(`"%d"`, i)) }) {
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

func oneEmailAtOnceMakesOneUser(s *Session) {
	email := s.Unique("race") + "@example.org"
	answers := Together(8, func(i int) *Answer {
		address := email
		if i%2 == 0 {
			address = strings.ToUpper(email)
		}
		return s.Admin.Post("/users", Encode(map[string]any{"name": "x", "email": address}))
	})
	if Count(answers, 201) != 1 || Count(answers, 409) != 7 {
		s.Fatalf("%d were made and %d refused, want 1 and 7", Count(answers, 201), Count(answers, 409))
	}
}

func watcherAtOnceIsAddedOnce(s *Session) {
	bob, p := s.User(), s.Problem()
	answers := Together(8, func(int) *Answer { return s.Admin.Put(p.Path+"/watchers", bob.Part()) })
	if Count(answers, 201) != 1 || Count(answers, 200) != 7 {
		s.Fatalf("%d were new and %d there, want 1 and 7", Count(answers, 201), Count(answers, 200))
	}
	p.Load(s.Admin).Has("/revision", 2)
}

func fieldsAtOnceAreAllKept(s *Session) {
	bob := s.User()
	for range 5 {
		p := s.Problem()
		bodies := []string{`{"title":"New"}`, `{"priority":{"name":"High"}}`, `{"classification":{"name":"Task"}}`, `{"assignee":` + bob.Part() + `}`}
		for _, a := range Together(len(bodies), func(i int) *Answer { return s.Admin.Patch(p.Path, bodies[i]) }) {
			a.Is(200)
		}
		p.Load(s.Admin).Has("/title", "New").Has("/priority/name", "High").Has("/classification/name", "Task").
			Has("/assignee", bob.Object()).Has("/revision", len(bodies)+1)
	}
}
