package relationship

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
)

// In random graphs, the search finds what a plain closure finds, each problem once and
// never more than allowed, whatever the order of the relationships.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var sides []Relationship
		for range random.IntN(40) {
			side := Relationship{Owner: problem.ID(1 + random.IntN(20)), Type: Types()[random.IntN(11)], Other: problem.ID(1 + random.IntN(20))}
			if side.Owner != side.Other {
				sides = append(sides, side, side.Mirror())
			}
		}
		limit := 1 + random.IntN(25)
		run := func() *Surroundings {
			n := NewSurroundings(1, limit)
			for frontier := []problem.ID{1}; len(frontier) > 0; {
				var some []Relationship
				for _, side := range sides {
					if slices.Contains(frontier, side.Owner) {
						some = append(some, side)
					}
				}
				frontier = n.Expand(some)
			}
			return n
		}
		first := run()
		random.Shuffle(len(sides), func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
		second := run()
		if !slices.Equal(first.Problems(), second.Problems()) || !slices.Equal(first.Links(), second.Links()) {
			t.Fatalf("seed %d: the order of the relationships makes a difference", seed)
		}
		reached := map[problem.ID]bool{1: true}
		for grown := true; grown; {
			grown = false
			for _, side := range sides {
				if reached[side.Owner] && !reached[side.Other] {
					reached[side.Other], grown = true, true
				}
			}
		}
		if want := min(limit, len(reached)); len(first.Problems()) != want || first.More() != (len(reached) > limit) {
			t.Fatalf("seed %d: %d problems of %d with the limit %d, more %v", seed, len(first.Problems()), len(reached), limit, first.More())
		}
	}
}
