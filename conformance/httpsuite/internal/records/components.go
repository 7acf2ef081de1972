package records

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// componentCases are about the tree of components, and about states as they are
// changed (D2, D19, D30).
func componentCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-COMP-001", "D2", "fullName is the path from the root, and follows when a component above is renamed or moved", fullNameFollowsRenamesAndMoves),
		session.Extended("HTTP-COMP-002", "D2, D18", "a component is never below itself", componentIsNeverBelowItself),
		session.Extended("HTTP-COMP-003", "D2", "a closed component resolves and stays where it is, but is refused as a new value", closedComponentIsNoNewValue),
		session.Extended("HTTP-COMP-004", "D30", "two that move components at once never leave a cycle", movesAtOnceLeaveNoCycle),
		session.Extended("HTTP-COMP-005", "D2", "no full name becomes longer than 4,096 bytes, neither that of a component nor one below it", fullNameHasALimit),
		session.Extended("HTTP-STATES-001", "D2, D19, D30", "where a state leads can be changed, and holds for the next move", changedTransitionsHold),
		session.Extended("HTTP-STATES-002", "D2, D18", "resolved of a state that a problem is in cannot change, else it can", resolvedIsFixedWhileAStateIsUsed),
	}
}

func fullNameFollowsRenamesAndMoves(s *session.Session) {
	root := s.Component()
	middle := s.Component(`"parent":` + root.Part())
	leaf := s.Component(`"parent":` + middle.Part())
	p := s.Create(s.Admin, `"component":`+leaf.Part())
	full := func(want string) {
		s.Helper()
		s.Admin.Get(leaf.Path).Is(200).Has("/fullName", want).Has("/name", leaf.Name)
		p.Load(s.Admin).Has("/component/fullName", want)
		s.Admin.Search("/components", "fullName = '"+want+"'").Has("/0/identifier", leaf.Identifier)
	}
	full(root.Name + "/" + middle.Name + "/" + leaf.Name)
	s.Admin.Get(leaf.Path).Is(200).Has("/parent", map[string]any{
		"identifier": middle.Identifier, "name": middle.Name, "fullName": root.Name + "/" + middle.Name,
	})
	renamed := s.Unique("renamed")
	s.Admin.Patch(root.Path, `{"name":`+session.Encode(renamed)+`}`).Is(200).Has("/fullName", renamed)
	full(renamed + "/" + middle.Name + "/" + leaf.Name)
	s.Admin.Patch(middle.Path, `{"parent":null}`).Is(200).Has("/fullName", middle.Name).Has("/parent", nil)
	full(middle.Name + "/" + leaf.Name)
}

func componentIsNeverBelowItself(s *session.Session) {
	root := s.Component()
	middle := s.Component(`"parent":` + root.Part())
	leaf := s.Component(`"parent":` + middle.Part())
	for _, o := range []session.Object{root, middle, leaf} {
		s.Admin.Patch(root.Path, `{"parent":`+o.Part()+`}`).Fault(409, "metadata-cycle")
	}
	s.Admin.Get(root.Path).Is(200).Has("/parent", nil).Has("/fullName", root.Name)
	s.Admin.Patch(leaf.Path, `{"parent":`+root.Part()+`}`).Is(200).Has("/fullName", root.Name+"/"+leaf.Name)
}

func closedComponentIsNoNewValue(s *session.Session) {
	o, successor := s.Component(), s.Component()
	p, q := s.Create(s.Admin, `"component":`+o.Part()), s.Problem()
	a := s.Admin.Patch(o.Path, `{"closed":true,"successor":`+successor.Part()+`}`).Is(200).Has("/closed", true)
	a.Has("/successor", map[string]any{"identifier": successor.Identifier, "name": successor.Name, "fullName": successor.Name})
	s.Admin.Patch(p.Path, `{"component":`+o.Part()+`}`).Is(200).Has("/revision", 1).Has("/component/closed", true)
	s.Admin.Patch(q.Path, `{"component":`+o.Part()+`}`).Fault(422, "invalid-value", "/component")
	s.Admin.Post("/problems", `{"title":"x","component":`+o.Part()+`}`).Fault(422, "invalid-value", "/component")
	s.Admin.Patch(o.Path, `{"closed":false,"successor":null}`).Is(200).Has("/successor", nil)
	s.Admin.Patch(q.Path, `{"component":`+o.Part()+`}`).Is(200)
}

func movesAtOnceLeaveNoCycle(s *session.Session) {
	for range 5 {
		a, b := s.Component(), s.Component()
		answers := session.Together(2, func(i int) *session.Answer {
			if i == 0 {
				return s.Admin.Patch(a.Path, `{"parent":`+b.Part()+`}`)
			}
			return s.Admin.Patch(b.Path, `{"parent":`+a.Part()+`}`)
		})
		if session.Count(answers, 200) != 1 || session.Count(answers, 409) != 1 {
			s.Fatalf("of two moves that exclude each other:\n%v\n%v", answers[0], answers[1])
		}
	}
}

func fullNameHasALimit(s *session.Session) {
	name := func(prefix string, bytes int) string {
		prefix = s.Unique(prefix)
		return prefix + strings.Repeat("x", bytes-len(prefix))
	}
	named := func(name, parent string) string {
		return `{"name":` + session.Encode(name) + `,"parent":` + parent + `}`
	}
	root, path, parent := "", "", "null"
	for i := range 16 { // 4,095 bytes, with the slashes
		a := s.Admin.Post("/components", named(name(fmt.Sprint("level", i), 255), parent)).Is(201)
		if path = "/components/" + a.Text("/identifier"); root == "" {
			root = path
		}
		parent = `{"identifier":` + session.Encode(a.Text("/identifier")) + `}`
	}
	full := s.Admin.Get(path).Is(200).Text("/fullName")
	other := s.Component()
	longer := strings.Repeat("é", 255)
	s.Admin.Post("/components", named("d", parent)).Fault(422, "invalid-value", "/name")
	s.Admin.Patch(other.Path, `{"parent":`+parent+`}`).Fault(422, "invalid-value", "/parent")
	s.Admin.Patch(root, `{"parent":`+other.Part()+`}`).Fault(422, "invalid-value", "/parent")
	s.Admin.Patch(root, `{"name":`+session.Encode(longer)+`}`).Fault(422, "invalid-value", "/name")
	s.Admin.Get(path).Is(200).Has("/fullName", full)
	s.Admin.Patch(root, `{"name":`+session.Encode(name("short", 200))+`,"parent":`+other.Part()+`}`).Is(200)
}

func changedTransitionsHold(s *session.Session) {
	end := s.Object("/states", "end", `"resolved":true`)
	begin := s.Object("/states", "begin", `"initial":true`)
	p := s.Create(s.Admin, `"state":`+begin.Part())
	s.Admin.Patch(begin.Path, `{"initial":false}`).Is(200) // nobody else is to begin here
	move := func() *session.Answer { return s.Admin.Patch(p.Path, `{"state":`+end.Part()+`}`) }
	move().Fault(409, "transition-not-allowed")
	s.Admin.Patch(begin.Path, `{"nextStates":[`+end.Part()+`]}`).Is(200).
		Has("/nextStates", []any{map[string]any{"identifier": end.Identifier, "name": end.Name}})
	s.Admin.Patch(begin.Path, `{"nextStates":[]}`).Is(200).Has("/nextStates", []any{})
	move().Fault(409, "transition-not-allowed")
	s.Admin.Patch(begin.Path, `{"nextStates":[{"name":`+session.Encode(end.Name)+`}]}`).Is(200)
	move().Is(200).Has("/state/identifier", end.Identifier).Has("/state/nextStates", []any{})
}

func resolvedIsFixedWhileAStateIsUsed(s *session.Session) {
	o := s.Object("/states", "state", `"initial":true`)
	s.Admin.Patch(o.Path, `{"resolved":true}`).Is(200).Has("/resolved", true)
	s.Admin.Patch(o.Path, `{"resolved":false}`).Is(200).Has("/resolved", false)
	p := s.Create(s.Admin, `"state":`+o.Part())
	s.Admin.Patch(o.Path, `{"initial":false,"nextStates":[{"name":"Open"}]}`).Is(200)
	s.Admin.Patch(o.Path, `{"resolved":true}`).Fault(409, "in-use")
	s.Admin.Patch(o.Path, `{"resolved":false}`).Is(200)
	s.Admin.Patch(p.Path, `{"state":{"name":"Open"}}`).Is(200)
	s.Admin.Patch(o.Path, `{"resolved":true}`).Is(200).Has("/resolved", true)
}
