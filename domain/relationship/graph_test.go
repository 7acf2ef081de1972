package relationship

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
)

func TestOccupies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		existing Type
		added    Type
		other    problem.ID
		want     bool
	}{
		{"the same", ParentOf, ParentOf, 2, true},
		{"the mirror of it", ParentOf, ChildOf, 2, true},
		{"the same, backward", ChildOf, ChildOf, 2, true},
		{"the mirror of it, forward", ChildOf, ParentOf, 2, true},
		{"the same, without direction", RelatedTo, RelatedTo, 2, true},
		{"another family", ParentOf, BlockerOf, 2, false},
		{"another problem", ParentOf, ParentOf, 3, false},
		{"the mirror, but another problem", ParentOf, ChildOf, 3, false},
	} {
		r := Relationship{Owner: 1, Type: c.existing, Other: 2}
		if got := r.Occupies(c.added, c.other); got != c.want {
			t.Errorf("%s: %+v occupies the place of %s to %d: %t, want %t", c.name, r, c.added, c.other, got, c.want)
		}
	}
}

// TestSearchDone checks that the search loads nothing without effect on its result.
func TestSearchDone(t *testing.T) {
	t.Parallel()
	edge := func(owner, other problem.ID) Relationship {
		return Relationship{Owner: owner, Type: ParentOf, Other: other}
	}
	for _, c := range []struct {
		name     string
		from, to problem.ID
		typ      Type
		steps    [][]Relationship
		want     bool
	}{
		{"at first", 1, 2, ParentOf, nil, false},
		{"with itself", 1, 1, ParentOf, nil, true},
		{"without direction", 1, 2, RelatedTo, nil, true},
		{"after a cycle is closed", 1, 2, ParentOf, [][]Relationship{{edge(2, 1), edge(2, 3)}}, true},
		{"while there is more", 1, 2, ParentOf, [][]Relationship{{edge(2, 3), edge(2, 4)}}, false},
		{"after there is no more", 1, 2, ParentOf, [][]Relationship{{edge(2, 3)}, {edge(3, 2)}}, true},
		{"after there is nothing behind", 1, 2, ParentOf, [][]Relationship{{edge(2, 3), edge(2, 4)}, {}}, true},
	} {
		s := NewSearch(c.from, c.to, c.typ)
		for _, edges := range c.steps {
			s.Expand(edges)
		}
		if got := s.Done(); got != c.want {
			t.Errorf("%s: Done() = %t", c.name, got)
		}
	}
}

// TestSearchAsksOnce checks that no relationships are loaded twice. So the size of the graph
// bounds the cost to a store. Of one side without an end, nothing is loaded but what is near.
func TestSearchAsksOnce(t *testing.T) {
	t.Parallel()
	const n = 50
	for _, to := range []problem.ID{0, n} { // n blocks some problems, and nothing blocks it
		s := NewSearch(n+1, to, BlockerOf)
		asked := map[Relationship]bool{}
		for !s.Done() {
			var edges []Relationship
			by, frontier := s.Frontier()
			for _, id := range frontier {
				if asked[Relationship{Owner: id, Type: by}] {
					t.Fatalf("problem %d is in the frontier a second time", id)
				}
				asked[Relationship{Owner: id, Type: by}] = true
				for other := range problem.ID(n) {
					if id <= n {
						edges = append(edges, Relationship{Owner: id, Type: by, Other: other})
					}
				}
			}
			s.Expand(edges)
		}
		if len(asked) > 2 || s.Path() != nil || !slices.Equal(s.Seen(), []problem.ID{n + 1}) {
			t.Errorf("it asked for %d problems, and found %v by %v", len(asked), s.Path(), s.Seen())
		}
	}
}

// TestLinking links and unlinks at random, as far as the rules allow. After every step
// no half pair, no two relationships of a family between two problems, and no cycle is
// left. Every refusal names the cycle found by trying all paths.
func TestLinking(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		n := 3 + random.IntN(6)
		g := graph{}
		for range 120 {
			r := Relationship{
				Owner: problem.ID(1 + random.IntN(n)),
				Type:  Types()[random.IntN(5)], // three families are enough
				Other: problem.ID(1 + random.IntN(n)),
			}
			if r.Owner == r.Other {
				continue
			}
			if random.IntN(4) == 0 {
				g.drop(r)
				g.drop(r.Mirror())
				continue
			}
			if slices.ContainsFunc(g[r.Owner], func(e Relationship) bool { return e.Occupies(r.Type, r.Other) }) {
				continue
			}
			got, want := g.search(r.Owner, r.Other, r.Type).Path(), g.cycle(r)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %+v closes %v, but trying all paths finds %v, in %v", seed, r, got, want, g)
			}
			if got == nil {
				g.checkSeen(t, random, n, r)
				g.put(r)
				g.put(r.Mirror())
			}
			g.check(t, seed)
		}
	}
}

// graph holds the relationships by owner.
type graph map[problem.ID][]Relationship

func (g graph) put(r Relationship) { g[r.Owner] = append(g[r.Owner], r) }

func (g graph) drop(r Relationship) {
	g[r.Owner] = slices.DeleteFunc(g[r.Owner], func(x Relationship) bool { return x == r })
}

// search runs a search to its end.
func (g graph) search(from, to problem.ID, t Type) *Search {
	s := NewSearch(from, to, t)
	for !s.Done() {
		var edges []Relationship
		_, frontier := s.Frontier()
		for _, id := range frontier {
			edges = append(edges, g[id]...)
		}
		s.Expand(edges)
	}
	return s
}

// checkSeen relates problems that a search has not seen. The relationship closes no cycle then
// either.
func (g graph) checkSeen(t *testing.T, random *rand.Rand, n int, r Relationship) {
	t.Helper()
	seen := g.search(r.Owner, r.Other, r.Type).Seen()
	grown := maps.Clone(g)
	for range 10 {
		more := Relationship{Owner: problem.ID(1 + random.IntN(n)), Type: r.Type, Other: problem.ID(1 + random.IntN(n))}
		if !slices.Contains(seen, more.Owner) && !slices.Contains(seen, more.Other) {
			for _, side := range []Relationship{more, more.Mirror()} {
				grown[side.Owner] = append(slices.Clip(grown[side.Owner]), side)
			}
		}
	}
	if cycle := grown.cycle(r); cycle != nil {
		t.Fatalf("%+v closes %v in %v, without a new relationship of %v", r, cycle, grown, seen)
	}
}

// cycle tries all paths.
func (g graph) cycle(r Relationship) (best []problem.ID) {
	family, _ := r.Type.Family()
	if !family.Directed() {
		return nil
	}
	if r.Type == family.Backward {
		r = r.Mirror()
	}
	var walk func(path []problem.ID)
	walk = func(path []problem.ID) {
		last := path[len(path)-1]
		if last == r.Owner {
			if best == nil || len(path) < len(best) || len(path) == len(best) && slices.Compare(path, best) < 0 {
				best = slices.Clone(path)
			}
			return
		}
		for _, next := range g[last] {
			if next.Type == r.Type && !slices.Contains(path[1:], next.Other) {
				walk(append(path, next.Other))
			}
		}
	}
	walk([]problem.ID{r.Owner, r.Other})
	return best
}

func (g graph) check(t *testing.T, seed uint64) {
	t.Helper()
	type pair struct {
		a, b problem.ID
		code int
	}
	seen := map[pair]bool{}
	for _, relationships := range g {
		for _, r := range relationships {
			if !slices.Contains(g[r.Other], r.Mirror()) {
				t.Fatalf("seed %d: %+v has no mirror in %v", seed, r, g)
			}
			family, _ := r.Type.Family()
			p := pair{r.Owner, r.Other, family.code}
			if seen[p] {
				t.Fatalf("seed %d: two relationships like %+v in %v", seed, r, g)
			}
			seen[p] = true
			if r.Type == family.Forward && g.cycle(r) != nil {
				t.Fatalf("seed %d: %v is a cycle in %v", seed, g.cycle(r), g)
			}
		}
	}
}
