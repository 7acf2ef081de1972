package conformance

import (
	"math/bits"
	"slices"

	"github.com/problemtracking/problems/domain/store"
)

// shrinker looks for a short sequence that fails as a long one does. It takes
// away steps and parts of those that are left, and lets one problem stand for
// another, until nothing more can go; then it makes texts shorter. What has lost
// its meaning goes, too.
type shrinker struct {
	// fails plays a sequence, and returns how it fails; nil if it does not, or
	// not as it should.
	fails func(sequence) *mishap
	// most is how many sequences are played at most.
	most  int
	tried int
	// last is how the shortest sequence so far fails.
	last *mishap
}

// shrink returns the shortest sequence it finds.
func (s *shrinker) shrink(q sequence) sequence {
	for {
		shorter := s.parts(s.steps(q))
		if weight(shorter) == weight(q) {
			var merged bool
			if shorter, merged = s.merge(q); !merged {
				break
			}
		}
		q = shorter
	}
	return s.texts(q)
}

// try plays what is sensible of a sequence, and returns it up to the step at
// which it fails.
func (s *shrinker) try(q sequence) (sequence, bool) {
	if s.tried == s.most {
		return nil, false
	}
	return s.play(q.sensible())
}

// play plays a sequence, and returns it up to the step at which it fails.
func (s *shrinker) play(q sequence) (sequence, bool) {
	if len(q) == 0 || s.tried == s.most {
		return nil, false
	}
	s.tried++
	m := s.fails(q)
	if m == nil {
		return nil, false
	}
	s.last = m
	return q[:m.step+1], true
}

// steps takes away steps, the last ones first.
func (s *shrinker) steps(q sequence) sequence {
	for size := range halves(len(q)) {
		for end := len(q); end > 0; end -= size {
			end = min(end, len(q))
			if shorter, ok := s.try(slices.Concat(q[:max(0, end-size)], q[end:])); ok {
				q = shorter
			}
		}
	}
	return q
}

// parts takes away parts of steps, of the last ones first.
func (s *shrinker) parts(q sequence) sequence {
	for i := len(q) - 1; i >= 0; i-- {
		for size := range halves(partsOf(q, i)) {
			for end := partsOf(q, i); end > 0; end -= size {
				end = min(end, partsOf(q, i))
				whole, ok := q.divisible(i)
				if !ok {
					break
				}
				if shorter, ok := s.try(q.with(i, whole.without(max(0, end-size), end))); ok {
					q = shorter
				}
			}
		}
	}
	return q
}

// halves yields n, and half of what it yielded before, down to 1.
func halves(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for shift := range bits.Len(uint(n)) {
			if !yield(n >> shift) {
				return
			}
		}
	}
}

// divisible is a step that can lose some of its parts.
type divisible interface {
	step
	parts() int
	without(from, to int) step
}

func (q sequence) divisible(i int) (divisible, bool) {
	if i >= len(q) {
		return nil, false
	}
	whole, ok := q[i].(divisible)
	return whole, ok
}

// partsOf returns how many parts the step at an index has, if there is one.
func partsOf(q sequence, i int) int {
	whole, ok := q.divisible(i)
	if !ok {
		return 0
	}
	return whole.parts()
}

// with returns the sequence with another step at an index.
func (q sequence) with(i int, s step) sequence {
	q = slices.Clone(q)
	q[i] = s
	return q
}

// weight is how many steps and parts a sequence has.
func weight(q sequence) int {
	n := len(q)
	for i := range q {
		n += partsOf(q, i)
	}
	return n
}

func (s commits) parts() int {
	return len(s.change.Expect) + len(s.change.Effects) + len(s.change.Log)
}

func (s commits) without(from, to int) step {
	c := store.Change{Batch: s.change.Batch, At: s.change.At, Author: s.change.Author}
	gone := &span{from, to}
	c.Expect, c.Effects, c.Log = cut(gone, s.change.Expect), cut(gone, s.change.Effects), cut(gone, s.change.Log)
	return commits{c}
}

// An Archive's parts are its problems, the objects of its lists, and those of its
// problems' lists.
func (s restores) parts() int {
	h := s.holdings
	n := len(h.Dossiers) + len(h.Tokens) + len(h.Queries) + len(h.Audit) + len(putAll(h.Metadata))
	for _, d := range h.Dossiers {
		n += len(d.Keywords) + len(d.Log) + len(d.Comments) + len(d.Relationships) + len(d.Watchers) + len(d.Readers) + len(d.Savepoints)
	}
	return n
}

func (s restores) without(from, to int) step {
	h, gone := s.holdings.clone(), &span{from, to}
	for i := range h.Dossiers {
		d := &h.Dossiers[i]
		d.Keywords, d.Log, d.Comments = cut(gone, d.Keywords), cut(gone, d.Log), cut(gone, d.Comments)
		d.Relationships, d.Watchers = cut(gone, d.Relationships), cut(gone, d.Watchers)
		d.Readers, d.Savepoints = cut(gone, d.Readers), cut(gone, d.Savepoints)
	}
	m := &h.Metadata
	m.States, m.Priorities, m.Classifications = cut(gone, m.States), cut(gone, m.Priorities), cut(gone, m.Classifications)
	m.Components, m.Milestones, m.Users = cut(gone, m.Components), cut(gone, m.Milestones), cut(gone, m.Users)
	h.Tokens, h.Queries, h.Audit, h.Dossiers = cut(gone, h.Tokens), cut(gone, h.Queries), cut(gone, h.Audit), cut(gone, h.Dossiers)
	return restores{h}
}

// span is a range of parts, which are in several lists one after the other: its
// bounds are relative to the next list.
type span struct{ from, to int }

// cut returns a list without what of it is in the span, which it moves on to the
// next list.
func cut[T any](gone *span, list []T) []T {
	from, to := min(max(gone.from, 0), len(list)), min(max(gone.to, 0), len(list))
	gone.from, gone.to = gone.from-len(list), gone.to-len(list)
	return slices.Concat(list[:from], list[to:])
}
