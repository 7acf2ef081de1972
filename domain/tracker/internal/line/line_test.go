package line

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/ident"
)

// Whoever came first tries first, in each round.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const places, rounds = 5, 3
		var l Line
		var tried []int
		for i := range places {
			p := l.Join(ident.ID{})
			go func() {
				for range rounds {
					round, err := p.Turn(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					tried = append(tried, i)
					p.Tried(round)
					for over, changed := p.Over(round); !over && round < rounds-1; over, changed = p.Over(round) {
						<-changed
					}
				}
				p.Leave()
			}()
		}
		synctest.Wait()
		for range rounds - 1 {
			first := l.places[0]
			first.Begin(l.round)
			synctest.Wait()
		}
		want := slices.Repeat([]int{0, 1, 2, 3, 4}, rounds)
		if !slices.Equal(tried, want) {
			t.Errorf("tried in the order %v, not %v", tried, want)
		}
	})
}

// A user with many requests delays the first one of another user by one of them, the second by two.
func TestUsers(t *testing.T) {
	t.Parallel()
	var l Line
	many, few := ident.ID{1}, ident.ID{2}
	var places []*Place
	for _, user := range []ident.ID{many, many, many, few, few} {
		places = append(places, l.Join(user))
	}
	for _, c := range []struct {
		tried int // after it
		want  []int
	}{{0, []int{0}}, {1, []int{0, 1, 3}}, {3, []int{0, 1, 2, 3}}, {4, []int{0, 1, 2, 3, 4}}} {
		var free []int
		for i, p := range places {
			if !l.waits(p) {
				free = append(free, i)
			}
		}
		if !slices.Equal(free, c.want) {
			t.Errorf("before place %d tries, it is the turn of %v, not of %v", c.tried, free, c.want)
		}
		places[c.tried].Tried(0)
	}
}

// Somebody who leaves is waited for no more, and an ended context ends the wait.
func TestLeave(t *testing.T) {
	t.Parallel()
	var l Line
	first, second := l.Join(ident.ID{}), l.Join(ident.ID{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := second.Turn(ended); err == nil {
		t.Error("the second one had its turn before the first one tried")
	}
	first.Leave()
	if _, err := second.Turn(t.Context()); err != nil {
		t.Error(err)
	}
	round, _ := second.Turn(t.Context())
	second.Begin(round)
	second.Begin(round) // the next round has begun already
	if next, _ := second.Turn(t.Context()); next != round+1 {
		t.Errorf("round %d follows round %d", next, round)
	}
}
