package httpsuite

import (
	"fmt"
	"regexp"
	"slices"
)

var digits = regexp.MustCompile(`\d+`)

// cycleCases are about cycles: no directed family has one (D7).
func cycleCases() []demand {
	return []demand{
		{extended, "HTTP-CYCLE-001", "D7", "no directed family has a cycle, whichever side a link is added from", directedFamiliesHaveNoCycle},
		{extended, "HTTP-CYCLE-002", "D7", "the error names the shortest path, smallest identifiers first", cycleErrorNamesTheShortestPath},
		{extended, "HTTP-CYCLE-003", "D7", "RelatedTo knows no cycles, and families do not mix", familiesDoNotMix},
		{extended, "HTTP-CYCLE-004", "D7", "a long chain is followed to its end, and a deleted link opens it", longChainIsFollowed},
		{extended, "HTTP-CYCLE-005", "D7", "between two problems of one family the answer is conflict, not cycle", twoOfOneFamilyConflict},
	}
}

func directedFamiliesHaveNoCycle(s *session) {
	for i := 1; i < len(relationshipTypes); i++ {
		kind := relationshipTypes[i]
		a, b, c := s.problem(), s.problem(), s.problem()
		s.relate(a, kind.name, b)
		s.relate(c, kind.mirror, b)
		s.untouched(a, func() {
			s.untouched(c, func() {
				s.admin.put(c.path+"/relationships", link(kind.name, a)).fault(409, "relationship-cycle")
				s.admin.put(a.path+"/relationships", link(kind.mirror, c)).fault(409, "relationship-cycle")
			})
		})
		s.relate(a, kind.name, c)
	}
}

func cycleErrorNamesTheShortestPath(s *session) {
	// Three ways from a to e: a long one, and two of the same length. The way
	// through b has the smaller identifier.
	a, b, c, d, e := s.problem(), s.problem(), s.problem(), s.problem(), s.problem()
	s.relate(a, "ParentOf", d)
	s.relate(d, "ParentOf", c)
	s.relate(c, "ParentOf", e)
	s.relate(b, "ParentOf", e)
	s.relate(d, "ParentOf", e)
	s.relate(a, "ParentOf", b)
	answer := s.admin.put(e.path+"/relationships", link("ParentOf", a)).fault(409, "relationship-cycle")
	numbers := digits.FindAllString(answer.text("/detail"), -1)
	want := []string{fmt.Sprint(a.id), fmt.Sprint(b.id), fmt.Sprint(e.id)}
	if len(numbers) == 4 && numbers[0] == want[2] {
		numbers = numbers[1:] // the new link may be named first
	}
	if len(numbers) < 3 || !slices.Equal(numbers[:3], want) {
		s.Fatalf("%v\nnames the path %v, want %v", answer, numbers, want)
	}
}

func familiesDoNotMix(s *session) {
	a, b, c := s.problem(), s.problem(), s.problem()
	s.relate(a, "RelatedTo", b)
	s.relate(b, "RelatedTo", c)
	s.relate(c, "RelatedTo", a)
	s.relate(a, "ParentOf", b)
	s.relate(b, "BlockerOf", c)
	s.relate(c, "CauseOf", a)
	s.relate(a, "ParentOf", c)
	s.relate(b, "ParentOf", c)
}

func longChainIsFollowed(s *session) {
	chain := []problem{s.problem()}
	for range 30 {
		next := s.problem()
		s.relate(chain[len(chain)-1], "BlockerOf", next)
		chain = append(chain, next)
	}
	first, last := chain[0], chain[len(chain)-1]
	s.admin.put(last.path+"/relationships", link("BlockerOf", first)).fault(409, "relationship-cycle")
	s.admin.delete(chain[15].path+"/relationships", link("BlockerOf", chain[16])).is(204)
	s.relate(last, "BlockerOf", first)
}

func twoOfOneFamilyConflict(s *session) {
	for _, kind := range relationshipTypes[1:] {
		a, b := s.problem(), s.problem()
		s.relate(a, kind.name, b)
		s.admin.put(b.path+"/relationships", link(kind.name, a)).fault(409, "relationship-conflict")
		s.admin.put(a.path+"/relationships", link(kind.mirror, b)).fault(409, "relationship-conflict")
	}
}
