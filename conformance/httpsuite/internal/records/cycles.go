package records

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

var digits = regexp.MustCompile(`\d+`)

// cycleCases are about cycles: no directed family has one (D7).
func cycleCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-CYCLE-001", "D7", "no directed family has a cycle, whichever side a link is added from", directedFamiliesHaveNoCycle),
		session.Extended("HTTP-CYCLE-002", "D7", "the error names the shortest path, smallest identifiers first", cycleErrorNamesTheShortestPath),
		session.Extended("HTTP-CYCLE-003", "D7", "RelatedTo knows no cycles, and families do not mix", familiesDoNotMix),
		session.Extended("HTTP-CYCLE-004", "D7", "a long chain is followed to its end, and a deleted link opens it", longChainIsFollowed),
		session.Extended("HTTP-CYCLE-005", "D7", "between two problems of one family the answer is conflict, not cycle", twoOfOneFamilyConflict),
	}
}

func directedFamiliesHaveNoCycle(s *session.Session) {
	for i := 1; i < len(session.RelationshipTypes); i++ {
		kind := session.RelationshipTypes[i]
		a, b, c := s.Problem(), s.Problem(), s.Problem()
		s.Relate(a, kind.Name, b)
		s.Relate(c, kind.Mirror, b)
		s.Untouched(a, func() {
			s.Untouched(c, func() {
				s.Admin.Put(c.Path+"/relationships", session.Link(kind.Name, a)).Fault(409, "relationship-cycle")
				s.Admin.Put(a.Path+"/relationships", session.Link(kind.Mirror, c)).Fault(409, "relationship-cycle")
			})
		})
		s.Relate(a, kind.Name, c)
	}
}

func cycleErrorNamesTheShortestPath(s *session.Session) {
	// Three ways from a to e: a long one, and two of the same length. The way
	// through b has the smaller identifier.
	a, b, c, d, e := s.Problem(), s.Problem(), s.Problem(), s.Problem(), s.Problem()
	s.Relate(a, "ParentOf", d)
	s.Relate(d, "ParentOf", c)
	s.Relate(c, "ParentOf", e)
	s.Relate(b, "ParentOf", e)
	s.Relate(d, "ParentOf", e)
	s.Relate(a, "ParentOf", b)
	answer := s.Admin.Put(e.Path+"/relationships", session.Link("ParentOf", a)).Fault(409, "relationship-cycle")
	numbers := digits.FindAllString(answer.Text("/detail"), -1)
	want := []string{fmt.Sprint(a.ID), fmt.Sprint(b.ID), fmt.Sprint(e.ID)}
	if len(numbers) == 4 && numbers[0] == want[2] {
		numbers = numbers[1:] // the new link may be named first
	}
	if len(numbers) < 3 || !slices.Equal(numbers[:3], want) {
		s.Fatalf("%v\nnames the path %v, want %v", answer, numbers, want)
	}
}

func familiesDoNotMix(s *session.Session) {
	a, b, c := s.Problem(), s.Problem(), s.Problem()
	s.Relate(a, "RelatedTo", b)
	s.Relate(b, "RelatedTo", c)
	s.Relate(c, "RelatedTo", a)
	s.Relate(a, "ParentOf", b)
	s.Relate(b, "BlockerOf", c)
	s.Relate(c, "CauseOf", a)
	s.Relate(a, "ParentOf", c)
	s.Relate(b, "ParentOf", c)
}

func longChainIsFollowed(s *session.Session) {
	chain := []session.Problem{s.Problem()}
	for range 30 {
		next := s.Problem()
		s.Relate(chain[len(chain)-1], "BlockerOf", next)
		chain = append(chain, next)
	}
	first, last := chain[0], chain[len(chain)-1]
	s.Admin.Put(last.Path+"/relationships", session.Link("BlockerOf", first)).Fault(409, "relationship-cycle")
	s.Admin.Delete(chain[15].Path+"/relationships", session.Link("BlockerOf", chain[16])).Is(204)
	s.Relate(last, "BlockerOf", first)
}

func twoOfOneFamilyConflict(s *session.Session) {
	for _, kind := range session.RelationshipTypes[1:] {
		a, b := s.Problem(), s.Problem()
		s.Relate(a, kind.Name, b)
		s.Admin.Put(b.Path+"/relationships", session.Link(kind.Name, a)).Fault(409, "relationship-conflict")
		s.Admin.Put(a.Path+"/relationships", session.Link(kind.Mirror, b)).Fault(409, "relationship-conflict")
	}
}
