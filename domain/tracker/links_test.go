package tracker

import (
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// links is the model of the relationships between a few problems: the forward
// edges of each family.
type links map[relationship.Type]map[[2]problem.ID]bool

// edge is the relationship in forward direction.
func edge(t relationship.Type, from, to problem.ID) (family relationship.Family, e [2]problem.ID) {
	family, _ = t.Family()
	if t != family.Forward || !family.Directed() && from > to {
		from, to = to, from
	}
	return family, [2]problem.ID{from, to}
}

// add says what has to come of adding the relationship, and adds it.
func (m links) add(t relationship.Type, from, to problem.ID) (fault.Kind, bool) {
	family, e := edge(t, from, to)
	edges := m[family.Forward]
	switch {
	case from == to:
		return fault.InvalidValue, false
	case edges[e]:
		return "", false
	case edges[[2]problem.ID{e[1], e[0]}]:
		return fault.RelationshipConflict, false
	case family.Directed() && reaches(edges, e[1], e[0]):
		return fault.RelationshipCycle, false
	}
	edges[e] = true
	return "", true
}

// remove says what has to come of removing the relationship, and removes it.
func (m links) remove(t relationship.Type, from, to problem.ID) fault.Kind {
	family, e := edge(t, from, to)
	if !m[family.Forward][e] {
		return fault.RelationshipNotFound
	}
	delete(m[family.Forward], e)
	return ""
}

// reaches reports whether a path leads from one problem to another.
func reaches(edges map[[2]problem.ID]bool, from, to problem.ID) bool {
	reached := []problem.ID{from}
	for i := 0; i < len(reached); i++ {
		for e := range edges {
			if e[0] == reached[i] && !slices.Contains(reached, e[1]) {
				reached = append(reached, e[1])
			}
		}
	}
	return slices.Contains(reached, to)
}

// D7: no sequence of adding and removing leaves a half pair or a cycle; and what
// is refused is refused for the right reason.
func TestRelateSequences(t *testing.T) {
	t.Parallel()
	const problems, steps = 8, 1500
	rng := kit.Rand(t)
	s := newStocked()
	for range problems {
		s.create(t, "T")
	}
	model := links{}
	for _, family := range relationship.Families() {
		model[family.Forward] = map[[2]problem.ID]bool{}
	}
	// Few types at first, so that they crowd; then all.
	types := relationship.Types()[:3]
	for step := range steps {
		if step == steps/2 {
			types = relationship.Types()
		}
		typ := pick(rng, types...)
		from, to := problem.ID(1+rng.IntN(problems)), problem.ID(1+rng.IntN(problems))
		if rng.IntN(3) > 0 {
			want, isNew := model.add(typ, from, to)
			a, err := s.AddRelationship(t.Context(), s.admin, from, relate(typ, to))
			if kind := kindOf(err); kind != want || a.New != isNew {
				t.Fatalf("step %d: adding %d %s %d: got %q, new %t; want %q, new %t", step, from, typ, to, kind, a.New, want, isNew)
			}
		} else {
			want := model.remove(typ, from, to)
			_, err := s.DeleteRelationship(t.Context(), s.admin, from, relate(typ, to))
			if kind := kindOf(err); kind != want {
				t.Fatalf("step %d: removing %d %s %d: got %q, want %q", step, from, typ, to, kind, want)
			}
		}
	}
	for _, c := range s.memory.Commits {
		checkCommit(t, c)
		checkPairs(t, c.After)
	}
	stored := links{}
	for _, family := range relationship.Families() {
		stored[family.Forward] = map[[2]problem.ID]bool{}
	}
	for _, rec := range s.memory.Current().Problems {
		for _, r := range rec.Relationships {
			family, e := edge(r.Type, r.Owner, r.Other)
			stored[family.Forward][e] = true
		}
	}
	kit.Equal(t, "relationships", stored, model)
}

// checkPairs checks that no relationship is without its mirror, that no two
// problems have two in one family, and that no directed family has a cycle (D7).
func checkPairs(t *testing.T, s *kit.State) {
	t.Helper()
	forward := map[relationship.Type]map[[2]problem.ID]bool{}
	for id, rec := range s.Problems {
		for _, r := range rec.Relationships {
			if r.Owner != id || r.Owner == r.Other || !slices.Contains(s.Problems[r.Other].Relationships, r.Mirror()) {
				t.Errorf("%+v is without its mirror", r)
			}
			family, e := edge(r.Type, r.Owner, r.Other)
			if forward[family.Forward] == nil {
				forward[family.Forward] = map[[2]problem.ID]bool{}
			}
			forward[family.Forward][e] = true
		}
	}
	for family, edges := range forward {
		for e := range edges {
			if family != relationship.RelatedTo && reaches(edges, e[1], e[0]) {
				t.Errorf("%s has a cycle through %d and %d", family, e[0], e[1])
			}
		}
	}
}
