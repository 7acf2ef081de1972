package conformance

import (
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/problemtracking/problems/conformance/internal/sequence"
	"github.com/problemtracking/problems/domain/store"
)

// having returns what fails sequences that have a step like that, which is given
// with the steps before it.
func having(is func(sequence.Step, sequence.Sequence) bool) func(sequence.Sequence) *sequence.Mishap {
	return func(q sequence.Sequence) *sequence.Mishap {
		for i, s := range q {
			if is(s, q[:i]) {
				return &sequence.Mishap{Step: i}
			}
		}
		return nil
	}
}

// moves reports whether a step commits a PutLease effect.
func moves(s sequence.Step) bool {
	c, ok := s.(sequence.Commits)
	return ok && slices.ContainsFunc(c.Change.Effects, is[store.PutLease])
}

func is[E store.Effect](e store.Effect) bool {
	_, ok := e.(E)
	return ok
}

// longKeyword reports whether an effect puts a keyword whose value has at least
// three characters.
func longKeyword(e store.Effect) bool {
	put, ok := e.(store.PutKeyword)
	return ok && utf8.RuneCountInString(put.Keyword.Value.String) >= 3
}

// TestShrinkFindsTheLeast gives the shrinker something to look for of which the
// least is known.
func TestShrinkFindsTheLeast(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	for _, c := range []struct {
		name  string
		fails func(sequence.Sequence) *sequence.Mishap
		steps int
		least int // steps and parts
		also  func(sequence.Sequence) bool
	}{{
		name:  "an effect",
		fails: having(func(s sequence.Step, _ sequence.Sequence) bool { return moves(s) }),
		steps: 1, least: 2,
	}, {
		name: "an effect after another step",
		fails: having(func(s sequence.Step, before sequence.Sequence) bool {
			return moves(s) && slices.ContainsFunc(before, func(s sequence.Step) bool { _, ok := s.(sequence.Asks); return ok })
		}),
		steps: 2, least: 3,
	}, {
		name: "two steps after each other",
		fails: having(func(s sequence.Step, before sequence.Sequence) bool {
			return moves(s) && slices.ContainsFunc(before, moves)
		}),
		steps: 2, least: 4,
	}, {
		name: "something that needs something else",
		fails: having(func(s sequence.Step, _ sequence.Sequence) bool {
			c, ok := s.(sequence.Commits)
			return ok && len(c.Change.Log) > 0 && len(c.Change.Effects) > 1 && moves(s)
		}),
		// The other effect may be a relationship, which needs two problems,
		// each from a step of its own.
		steps: 3, least: 8,
	}, {
		name: "what two problems have, and one could",
		fails: having(func(s sequence.Step, _ sequence.Sequence) bool {
			c, ok := s.(sequence.Commits)
			return ok && slices.ContainsFunc(c.Change.Effects, is[store.AddComment]) && slices.ContainsFunc(c.Change.Effects, is[store.UpdateProblem])
		}),
		steps: 2, least: 5,
	}, {
		name: "a text",
		fails: having(func(s sequence.Step, _ sequence.Sequence) bool {
			c, ok := s.(sequence.Commits)
			return ok && slices.ContainsFunc(c.Change.Effects, longKeyword)
		}),
		steps: 2, least: 4,
		also: func(q sequence.Sequence) bool {
			effects := q[len(q)-1].(sequence.Commits).Change.Effects
			put := effects[slices.IndexFunc(effects, longKeyword)].(store.PutKeyword)
			return utf8.RuneCountInString(put.Keyword.Value.String) < 6 && len(put.Keyword.Name) < 5
		},
	}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range uint64(40) {
				q := drawn(t, "READ-001/random", seed)
				m := c.fails(q)
				if m == nil {
					continue
				}
				found++
				s := &sequence.Shrinker{Fails: c.fails, Most: 300}
				short := s.Shrink(q[:m.Step+1])
				if len(short) > c.steps || sequence.Weight(short) > c.least || c.also != nil && !c.also(short) {
					t.Errorf("seed %d: %d steps and %d parts are left of %d, want %d and %d at most:\n%v",
						seed, len(short), sequence.Weight(short)-len(short), len(q), c.steps, c.least-c.steps, short)
				}
				if m := c.fails(short); m == nil || m.Step != len(short)-1 {
					t.Errorf("seed %d: what is left does not fail with its last step:\n%v", seed, short)
				}
				if !reflect.DeepEqual(short, short.Sensible()) {
					t.Errorf("seed %d: not all that is left makes sense:\n%v", seed, short)
				}
				again := &sequence.Shrinker{Fails: c.fails, Most: 300}
				if other := again.Shrink(q[:m.Step+1]); !reflect.DeepEqual(short, other) || s.Tried != again.Tried {
					t.Errorf("seed %d: it ended otherwise when it was repeated:\n%v\n%v", seed, short, other)
				}
			}
			if found < 20 {
				t.Errorf("only %d of 40 sequences have what was looked for", found)
			}
		})
	}
}

// TestShrinkKnowsItsBounds checks how often sequences are played, and what is
// left when that is not enough.
func TestShrinkKnowsItsBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	fails := having(func(s sequence.Step, _ sequence.Sequence) bool { return moves(s) })
	for seed := range uint64(4) {
		q := drawn(t, "READ-001/random", seed)
		for _, most := range []int{0, 1, 5} {
			played := 0
			s := &sequence.Shrinker{Most: most, Fails: func(q sequence.Sequence) *sequence.Mishap {
				played++
				return fails(q)
			}}
			left := s.Shrink(q)
			if played > most || fails(q) != nil && fails(left) == nil {
				t.Errorf("seed %d: %d sequences were played where %d were allowed; this is left:\n%v", seed, played, most, left)
			}
		}
		s := &sequence.Shrinker{Most: 300, Fails: func(sequence.Sequence) *sequence.Mishap { return nil }}
		if left := s.Shrink(q); !reflect.DeepEqual(left, q) {
			t.Errorf("seed %d: this is left of a sequence of which nothing else fails:\n%v", seed, left)
		}
	}
}

// TestCut takes every span away from three lists.
func TestCut(t *testing.T) {
	t.Parallel()
	lists := [][]int{{0, 1, 2}, {}, {3, 4}}
	for from := range 6 {
		for to := from; to <= 5; to++ {
			gone := &sequence.Span{From: from, To: to}
			var left []int
			for _, list := range lists {
				left = append(left, sequence.Cut(gone, list)...)
			}
			all := []int{0, 1, 2, 3, 4}
			if want := slices.Delete(all, from, to); !slices.Equal(left, want) {
				t.Errorf("without %d to %d, %v is left, want %v", from, to, left, want)
			}
		}
	}
}
