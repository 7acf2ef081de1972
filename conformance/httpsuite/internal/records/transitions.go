package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// transitionCases are about states and how a problem moves between them (D19).
func transitionCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-STATE-001", "D19", "a problem moves to each of its nextStates and to no other", problemMovesToItsNextStates),
		session.Extended("HTTP-STATE-002", "D18, D19", "transition-not-allowed lists the states that are allowed", refusedMoveListsTheAllowedStates),
		session.Extended("HTTP-STATE-003", "D19", "a problem is created in an initial state only", newProblemHasAnInitialState),
		session.Extended("HTTP-STATE-004", "D19", "setting the current state again changes nothing", sameStateChangesNothing),
		session.Core("HTTP-STATE-005", "D1", "resolver and resolveDate tell of the latest move into a resolved state, null while not resolved", resolverOfTheLatestMove),
		session.Core("HTTP-STATE-006", "D2", "each state of the seed leads where D2 says, among the states of the seed", transitionsOfTheSeed),
	}
}

func problemMovesToItsNextStates(s *session.Session) {
	enter := func(names ...string) session.Problem {
		p := s.Problem()
		for _, name := range names {
			s.Admin.Patch(p.Path, `{"state":{"name":`+session.Encode(name)+`}}`).Is(200).Has("/state/name", name)
		}
		return p
	}
	for _, walk := range [][]string{{}, {"In Progress"}, {"Closed"}} {
		here := enter(walk...).Load(s.Admin)
		allowed := nextStates(here)
		for _, name := range []string{"Open", "In Progress", "Closed"} {
			p := enter(walk...)
			body := `{"state":{"name":` + session.Encode(name) + `}}`
			if name == here.At("/state/name") || slices.Contains(allowed, name) {
				s.Admin.Patch(p.Path, body).Is(200).Has("/state/name", name)
			} else {
				s.Untouched(p, func() { s.Admin.Patch(p.Path, body).Fault(409, "transition-not-allowed") })
			}
		}
	}
}

func refusedMoveListsTheAllowedStates(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	a := s.Admin.Patch(p.Path, `{"state":{"name":"In Progress"}}`).Fault(409, "transition-not-allowed")
	if !strings.Contains(a.Text("/detail"), "Open") {
		s.Fatalf("%v\ndoes not list Open", a)
	}
}

func newProblemHasAnInitialState(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"x","state":{"name":"Open"}}`).Is(201).Has("/state/name", "Open")
	for _, name := range []string{"In Progress", "Closed"} {
		a := s.Admin.Post("/problems", `{"title":"x","state":{"name":`+session.Encode(name)+`}}`).Fault(409, "transition-not-allowed")
		if !strings.Contains(a.Text("/detail"), "Open") {
			s.Fatalf("%v\ndoes not list Open", a)
		}
	}
}

func sameStateChangesNothing(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() { s.Admin.Patch(p.Path, `{"state":{"name":"Open"}}`).Is(200).Has("/revision", 1) })
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	s.Untouched(p, func() { s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200).Has("/revision", 2) })
}

func resolverOfTheLatestMove(s *session.Session) {
	bob, p := s.User(), s.Problem()
	closed := bob.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	closed.Has("/resolver", bob.Object()).Has("/resolveDate", closed.Text("/modificationDate")).Timed("/resolveDate")
	later := s.Admin.Patch(p.Path, `{"title":"Still closed"}`).Is(200)
	later.Has("/resolver", bob.Object()).Has("/resolveDate", closed.Text("/resolveDate"))
	bob.Patch(p.Path, `{"state":{"name":"Open"}}`).Is(200).Has("/resolver", nil).Has("/resolveDate", nil)
	again := s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	again.Has("/resolver", again.At("/modifier")).Has("/resolveDate", again.Text("/modificationDate"))
}

func transitionsOfTheSeed(s *session.Session) {
	p := s.Problem()
	want := func(a *session.Answer, resolved, initial bool, states ...string) {
		s.Helper()
		a.Has("/state/resolved", resolved).Has("/state/initial", initial)
		got := slices.DeleteFunc(nextStates(a), func(name string) bool {
			return !slices.Contains([]string{"Open", "In Progress", "Closed"}, name)
		})
		if !slices.Equal(got, states) {
			s.Fatalf("%v\nleads to %q, want %q", a, got, states)
		}
	}
	want(p.Load(s.Admin), false, true, "Closed", "In Progress")
	want(s.Admin.Patch(p.Path, `{"state":{"name":"In Progress"}}`).Is(200), false, false, "Closed", "Open")
	want(s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200), true, false, "Open")
}

// nextStates returns the names of the states that the problem may move to, sorted.
func nextStates(a *session.Answer) []string {
	a.T.Helper()
	var names []string
	for i := range a.List("/state/nextStates") {
		names = append(names, a.Text(fmt.Sprintf("/state/nextStates/%d/name", i)))
	}
	slices.Sort(names)
	return names
}
