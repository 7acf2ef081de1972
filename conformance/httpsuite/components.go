package httpsuite

// componentCases are about the tree of components, and about states as they are
// changed (D2, D19, D30).
func componentCases() []demand {
	return []demand{
		{core, "HTTP-COMP-001", "D2", "fullName is the path from the root, and follows when a component above is renamed or moved", fullNameFollowsRenamesAndMoves},
		{extended, "HTTP-COMP-002", "D2, D18", "a component is never below itself", componentIsNeverBelowItself},
		{extended, "HTTP-COMP-003", "D2", "a closed component resolves and stays where it is, but is refused as a new value", closedComponentIsNoNewValue},
		{extended, "HTTP-COMP-004", "D30", "two that move components at once never leave a cycle", movesAtOnceLeaveNoCycle},
		{extended, "HTTP-STATES-001", "D2, D19, D30", "where a state leads can be changed, and holds for the next move", changedTransitionsHold},
		{extended, "HTTP-STATES-002", "D2, D18", "resolved of a state that a problem is in cannot change, else it can", resolvedIsFixedWhileAStateIsUsed},
	}
}

func fullNameFollowsRenamesAndMoves(s *session) {
	root := s.component()
	middle := s.component(`"parent":` + root.part())
	leaf := s.component(`"parent":` + middle.part())
	p := s.create(s.admin, `"component":`+leaf.part())
	full := func(want string) {
		s.Helper()
		s.admin.get(leaf.path).is(200).has("/fullName", want).has("/name", leaf.name)
		p.load(s.admin).has("/component/fullName", want)
		s.admin.search("/components", "fullName = '"+want+"'").has("/0/identifier", leaf.identifier)
	}
	full(root.name + "/" + middle.name + "/" + leaf.name)
	s.admin.get(leaf.path).is(200).has("/parent", map[string]any{
		"identifier": middle.identifier, "name": middle.name, "fullName": root.name + "/" + middle.name,
	})
	renamed := s.unique("renamed")
	s.admin.patch(root.path, `{"name":`+encode(renamed)+`}`).is(200).has("/fullName", renamed)
	full(renamed + "/" + middle.name + "/" + leaf.name)
	s.admin.patch(middle.path, `{"parent":null}`).is(200).has("/fullName", middle.name).has("/parent", nil)
	full(middle.name + "/" + leaf.name)
}

func componentIsNeverBelowItself(s *session) {
	root := s.component()
	middle := s.component(`"parent":` + root.part())
	leaf := s.component(`"parent":` + middle.part())
	for _, o := range []object{root, middle, leaf} {
		s.admin.patch(root.path, `{"parent":`+o.part()+`}`).fault(409, "metadata-cycle")
	}
	s.admin.get(root.path).is(200).has("/parent", nil).has("/fullName", root.name)
	s.admin.patch(leaf.path, `{"parent":`+root.part()+`}`).is(200).has("/fullName", root.name+"/"+leaf.name)
}

func closedComponentIsNoNewValue(s *session) {
	o, successor := s.component(), s.component()
	p, q := s.create(s.admin, `"component":`+o.part()), s.problem()
	a := s.admin.patch(o.path, `{"closed":true,"successor":`+successor.part()+`}`).is(200).has("/closed", true)
	a.has("/successor", map[string]any{"identifier": successor.identifier, "name": successor.name, "fullName": successor.name})
	s.admin.patch(p.path, `{"component":`+o.part()+`}`).is(200).has("/revision", 1).has("/component/closed", true)
	s.admin.patch(q.path, `{"component":`+o.part()+`}`).fault(422, "invalid-value", "/component")
	s.admin.post("/problems", `{"title":"x","component":`+o.part()+`}`).fault(422, "invalid-value", "/component")
	s.admin.patch(o.path, `{"closed":false,"successor":null}`).is(200).has("/successor", nil)
	s.admin.patch(q.path, `{"component":`+o.part()+`}`).is(200)
}

func movesAtOnceLeaveNoCycle(s *session) {
	for range 5 {
		a, b := s.component(), s.component()
		answers := together(2, func(i int) *answer {
			if i == 0 {
				return s.admin.patch(a.path, `{"parent":`+b.part()+`}`)
			}
			return s.admin.patch(b.path, `{"parent":`+a.part()+`}`)
		})
		if count(answers, 200) != 1 || count(answers, 409) != 1 {
			s.Fatalf("of two moves that exclude each other:\n%v\n%v", answers[0], answers[1])
		}
	}
}

func changedTransitionsHold(s *session) {
	end := s.object("/states", "end", `"resolved":true`)
	begin := s.object("/states", "begin", `"initial":true`)
	p := s.create(s.admin, `"state":`+begin.part())
	s.admin.patch(begin.path, `{"initial":false}`).is(200) // nobody else is to begin here
	move := func() *answer { return s.admin.patch(p.path, `{"state":`+end.part()+`}`) }
	move().fault(409, "transition-not-allowed")
	s.admin.patch(begin.path, `{"nextStates":[`+end.part()+`]}`).is(200).
		has("/nextStates", []any{map[string]any{"identifier": end.identifier, "name": end.name}})
	s.admin.patch(begin.path, `{"nextStates":[]}`).is(200).has("/nextStates", []any{})
	move().fault(409, "transition-not-allowed")
	s.admin.patch(begin.path, `{"nextStates":[{"name":`+encode(end.name)+`}]}`).is(200)
	move().is(200).has("/state/identifier", end.identifier).has("/state/nextStates", []any{})
}

func resolvedIsFixedWhileAStateIsUsed(s *session) {
	o := s.object("/states", "state", `"initial":true`)
	s.admin.patch(o.path, `{"resolved":true}`).is(200).has("/resolved", true)
	s.admin.patch(o.path, `{"resolved":false}`).is(200).has("/resolved", false)
	p := s.create(s.admin, `"state":`+o.part())
	s.admin.patch(o.path, `{"initial":false,"nextStates":[{"name":"Open"}]}`).is(200)
	s.admin.patch(o.path, `{"resolved":true}`).fault(409, "in-use")
	s.admin.patch(o.path, `{"resolved":false}`).is(200)
	s.admin.patch(p.path, `{"state":{"name":"Open"}}`).is(200)
	s.admin.patch(o.path, `{"resolved":true}`).is(200).has("/resolved", true)
}
