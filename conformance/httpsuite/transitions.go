package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// transitionCases are about states and how a problem moves between them (D19).
func transitionCases() []demand {
	return []demand{
		{extended, "HTTP-STATE-001", "D19", "a problem moves to each of its nextStates and to no other", problemMovesToItsNextStates},
		{extended, "HTTP-STATE-002", "D18, D19", "transition-not-allowed lists the states that are allowed", refusedMoveListsTheAllowedStates},
		{extended, "HTTP-STATE-003", "D19", "a problem is created in an initial state only", newProblemHasAnInitialState},
		{extended, "HTTP-STATE-004", "D19", "setting the current state again changes nothing", sameStateChangesNothing},
		{core, "HTTP-STATE-005", "D1", "resolver and resolveDate tell of the latest move into a resolved state, null while not resolved", resolverOfTheLatestMove},
		{core, "HTTP-STATE-006", "D2", "each state of the seed leads where D2 says, among the states of the seed", transitionsOfTheSeed},
	}
}

func problemMovesToItsNextStates(s *session) {
	enter := func(names ...string) problem {
		p := s.problem()
		for _, name := range names {
			s.admin.patch(p.path, `{"state":{"name":`+encode(name)+`}}`).is(200).has("/state/name", name)
		}
		return p
	}
	for _, walk := range [][]string{{}, {"In Progress"}, {"Closed"}} {
		here := enter(walk...).load(s.admin)
		allowed := nextStates(here)
		for _, name := range []string{"Open", "In Progress", "Closed"} {
			p := enter(walk...)
			body := `{"state":{"name":` + encode(name) + `}}`
			if name == here.at("/state/name") || slices.Contains(allowed, name) {
				s.admin.patch(p.path, body).is(200).has("/state/name", name)
			} else {
				s.untouched(p, func() { s.admin.patch(p.path, body).fault(409, "transition-not-allowed") })
			}
		}
	}
}

func refusedMoveListsTheAllowedStates(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	a := s.admin.patch(p.path, `{"state":{"name":"In Progress"}}`).fault(409, "transition-not-allowed")
	if !strings.Contains(a.text("/detail"), "Open") {
		s.Fatalf("%v\ndoes not list Open", a)
	}
}

func newProblemHasAnInitialState(s *session) {
	s.admin.post("/problems", `{"title":"x","state":{"name":"Open"}}`).is(201).has("/state/name", "Open")
	for _, name := range []string{"In Progress", "Closed"} {
		a := s.admin.post("/problems", `{"title":"x","state":{"name":`+encode(name)+`}}`).fault(409, "transition-not-allowed")
		if !strings.Contains(a.text("/detail"), "Open") {
			s.Fatalf("%v\ndoes not list Open", a)
		}
	}
}

func sameStateChangesNothing(s *session) {
	p := s.problem()
	s.untouched(p, func() { s.admin.patch(p.path, `{"state":{"name":"Open"}}`).is(200).has("/revision", 1) })
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	s.untouched(p, func() { s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200).has("/revision", 2) })
}

func resolverOfTheLatestMove(s *session) {
	bob, p := s.user(), s.problem()
	closed := bob.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	closed.has("/resolver", bob.object()).has("/resolveDate", closed.text("/modificationDate")).timed("/resolveDate")
	later := s.admin.patch(p.path, `{"title":"Still closed"}`).is(200)
	later.has("/resolver", bob.object()).has("/resolveDate", closed.text("/resolveDate"))
	bob.patch(p.path, `{"state":{"name":"Open"}}`).is(200).has("/resolver", nil).has("/resolveDate", nil)
	again := s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	again.has("/resolver", again.at("/modifier")).has("/resolveDate", again.text("/modificationDate"))
}

func transitionsOfTheSeed(s *session) {
	p := s.problem()
	want := func(a *answer, resolved, initial bool, states ...string) {
		s.Helper()
		a.has("/state/resolved", resolved).has("/state/initial", initial)
		got := slices.DeleteFunc(nextStates(a), func(name string) bool {
			return !slices.Contains([]string{"Open", "In Progress", "Closed"}, name)
		})
		if !slices.Equal(got, states) {
			s.Fatalf("%v\nleads to %q, want %q", a, got, states)
		}
	}
	want(p.load(s.admin), false, true, "Closed", "In Progress")
	want(s.admin.patch(p.path, `{"state":{"name":"In Progress"}}`).is(200), false, false, "Closed", "Open")
	want(s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200), true, false, "Open")
}

// nextStates returns the names of the states that the problem may move to, sorted.
func nextStates(a *answer) []string {
	a.t.Helper()
	var names []string
	for i := range a.list("/state/nextStates") {
		names = append(names, a.text(fmt.Sprintf("/state/nextStates/%d/name", i)))
	}
	slices.Sort(names)
	return names
}
