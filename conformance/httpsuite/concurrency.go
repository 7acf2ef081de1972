package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// concurrencyCases are about requests at the same time (D1, D7, D8, D20).
func concurrencyCases() []demand {
	return []demand{
		{extended, "HTTP-RACE-001", "D1", "N comments at once make N revisions, N comments and N entries, in one order", commentsAtOnceHaveOneOrder},
		{extended, "HTTP-RACE-002", "D20", "of several writes with the same If-Match exactly one passes", oneOfSeveralIfMatchPasses},
		{extended, "HTTP-RACE-003", "D7", "opposing relationships at once never leave both, or a half pair", opposingRelationshipsAtOnce},
		{extended, "HTTP-RACE-004", "D7", "links of a ring at once never close it", ringAtOnceNeverCloses},
		{extended, "HTTP-RACE-005", "D7, D8", "adding and deleting a pair at once leaves both halves or none, and a log that tells the story", addingAndDeletingAPairAtOnce},
		{core, "HTTP-RACE-006", "D1", "problems made at once have different identifiers", problemsAtOnceHaveOwnIdentifiers},
		{core, "HTTP-RACE-007", "D8", "one keyword set at once ends as the log says", keywordAtOnceEndsAsLogged},
		{extended, "HTTP-RACE-008", "D2", "of several users with one e-mail address made at once exactly one is", oneEmailAtOnceMakesOneUser},
		{core, "HTTP-RACE-009", "D8", "a watcher added at once is added once", watcherAtOnceIsAddedOnce},
		{extended, "HTTP-RACE-010", "D11", "updates of different fields at once are all there afterwards: an absent member leaves its field", fieldsAtOnceAreAllKept},
	}
}

func commentsAtOnceHaveOneOrder(s *session) {
	const n = 24
	p := s.problem()
	answers := together(n, func(i int) *answer { return s.admin.post(p.path+"/comments", fmt.Sprint("text ", i), plain()) })
	order := make([]string, n)
	for _, a := range answers {
		revision := a.is(201).revision()
		if revision < 2 || revision > n+1 || order[revision-2] != "" {
			s.Fatalf("%v\nhas the revision %d, which is out of range or taken", a, revision)
		}
		order[revision-2] = a.text("/identifier")
	}
	comments, loaded := s.admin.get(p.path+"/comments").is(200), p.load(s.admin).has("/revision", n+1)
	for i, identifier := range order {
		comments.has(fmt.Sprintf("/%d/identifier", i), identifier)
		loaded.has(fmt.Sprintf("/logs/%d/to", i+1), identifier)
	}
}

func oneOfSeveralIfMatchPasses(s *session) {
	p := s.problem()
	for range 5 {
		etag := p.load(s.admin).etag()
		answers := together(8, func(int) *answer {
			return s.admin.patch(p.path, `{"title":`+encode(s.unique("t"))+`}`, with("If-Match", etag))
		})
		if count(answers, 200) != 1 || count(answers, 412) != 7 {
			s.Fatalf("%d passed and %d were stale, want 1 and 7", count(answers, 200), count(answers, 412))
		}
	}
}

func opposingRelationshipsAtOnce(s *session) {
	for range 10 {
		a, b := s.problem(), s.problem()
		answers := together(8, func(i int) *answer {
			if i%2 == 0 {
				return s.admin.put(a.path+"/relationships", link("ParentOf", b))
			}
			return s.admin.put(b.path+"/relationships", link("ParentOf", a))
		})
		if count(answers, 201) != 1 || count(answers, 200) != 3 || count(answers, 409) != 4 {
			s.Fatalf("%d new, %d there, %d in conflict; want 1, 3, 4", count(answers, 201), count(answers, 200), count(answers, 409))
		}
		forth, back := s.links(a), s.links(b)
		if !(slices.Equal(forth, []string{b.as("ParentOf")}) && slices.Equal(back, []string{a.as("ChildOf")}) ||
			slices.Equal(forth, []string{b.as("ChildOf")}) && slices.Equal(back, []string{a.as("ParentOf")})) {
			s.Fatalf("the pair is %q and %q", forth, back)
		}
	}
}

func ringAtOnceNeverCloses(s *session) {
	for range 5 {
		ring := make([]problem, 6)
		for i := range ring {
			ring[i] = s.problem()
		}
		answers := together(len(ring), func(i int) *answer {
			return s.admin.put(ring[i].path+"/relationships", link("BlockerOf", ring[(i+1)%len(ring)]))
		})
		if count(answers, 201) != len(ring)-1 || count(answers, 409) != 1 {
			s.Fatalf("%d of %d links were added and %d refused", count(answers, 201), len(ring), count(answers, 409))
		}
		for i, a := range answers {
			next := ring[(i+1)%len(ring)]
			added := a.status == 201
			if slices.Contains(s.links(ring[i]), next.as("BlockerOf")) != added || slices.Contains(s.links(next), ring[i].as("BlockedBy")) != added {
				s.Fatalf("%v\nbut the pair is %q and %q", a, s.links(ring[i]), s.links(next))
			}
			if !added {
				a.fault(409, "relationship-cycle")
			}
		}
	}
}

func addingAndDeletingAPairAtOnce(s *session) {
	a, b := s.problem(), s.problem()
	together(12, func(i int) *answer {
		if i%2 == 0 {
			return s.admin.put(a.path+"/relationships", link("CauseOf", b))
		}
		return s.admin.delete(b.path+"/relationships", link("CausedBy", a))
	})
	forth, back := s.links(a), s.links(b)
	if len(forth) != len(back) {
		s.Fatalf("the pair is %q and %q", forth, back)
	}
	for _, p := range []problem{a, b} {
		loaded := p.load(s.admin)
		there := 0
		for i := range loaded.list("/logs") {
			switch loaded.text(fmt.Sprintf("/logs/%d/type", i)) {
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

func problemsAtOnceHaveOwnIdentifiers(s *session) {
	seen := map[int64]bool{}
	for _, a := range together(24, func(int) *answer { return s.admin.post("/problems", `{"title":"x"}`) }) {
		seen[a.is(201).number("/identifier")] = true
	}
	if len(seen) != 24 {
		s.Fatalf("24 problems have %d identifiers", len(seen))
	}
}

func keywordAtOnceEndsAsLogged(s *session) {
	p := s.problem()
	for _, a := range together(16, func(i int) *answer { return s.admin.put(p.keyword("k"), fmt.Sprintf(`"%d"`, i)) }) {
		if a.status != 200 && a.status != 201 {
			s.Fatalf("%v", a)
		}
	}
	loaded := p.load(s.admin).has("/revision", 17)
	loaded.has("/logs/last/to", loaded.text("/keywords/0/value"))
	for i := 2; i < 17; i++ {
		loaded.has(fmt.Sprintf("/logs/%d/from", i), loaded.at(fmt.Sprintf("/logs/%d/to", i-1)))
	}
}

func oneEmailAtOnceMakesOneUser(s *session) {
	email := s.unique("race") + "@example.org"
	answers := together(8, func(i int) *answer {
		address := email
		if i%2 == 0 {
			address = strings.ToUpper(email)
		}
		return s.admin.post("/users", encode(map[string]any{"name": "x", "email": address}))
	})
	if count(answers, 201) != 1 || count(answers, 409) != 7 {
		s.Fatalf("%d were made and %d refused, want 1 and 7", count(answers, 201), count(answers, 409))
	}
}

func watcherAtOnceIsAddedOnce(s *session) {
	bob, p := s.user(), s.problem()
	answers := together(8, func(int) *answer { return s.admin.put(p.path+"/watchers", bob.part()) })
	if count(answers, 201) != 1 || count(answers, 200) != 7 {
		s.Fatalf("%d were new and %d there, want 1 and 7", count(answers, 201), count(answers, 200))
	}
	p.load(s.admin).has("/revision", 2)
}

func fieldsAtOnceAreAllKept(s *session) {
	bob := s.user()
	for range 5 {
		p := s.problem()
		bodies := []string{`{"title":"New"}`, `{"priority":{"name":"High"}}`, `{"classification":{"name":"Task"}}`, `{"assignee":` + bob.part() + `}`}
		for _, a := range together(len(bodies), func(i int) *answer { return s.admin.patch(p.path, bodies[i]) }) {
			a.is(200)
		}
		p.load(s.admin).has("/title", "New").has("/priority/name", "High").has("/classification/name", "Task").
			has("/assignee", bob.object()).has("/revision", len(bodies)+1)
	}
}
