package sequence

import (
	"math/bits"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/store"
)

// Shrinker looks for a short sequence with the same failure. It removes steps and their
// parts, and lets one problem stand for another, until nothing more can go. Then it
// shortens texts. Steps without a meaning go, too.
type Shrinker struct {
	// Fails plays a sequence, and returns how it fails; nil if it does not, or
	// not as it should.
	Fails func(Sequence) *Mishap
	// Most is how many sequences are played at most.
	Most  int
	Tried int
	// last is how the shortest sequence so far fails.
	last *Mishap
}

// Shrink returns the shortest sequence it finds.
func (s *Shrinker) Shrink(q Sequence) Sequence {
	for {
		shorter := s.parts(s.steps(q))
		if Weight(shorter) == Weight(q) {
			var merged bool
			if shorter, merged = s.merge(q); !merged {
				break
			}
		}
		q = shorter
	}
	return s.texts(q)
}

// try plays the sensible part of a sequence, and returns it up to its failing step.
func (s *Shrinker) try(q Sequence) (Sequence, bool) {
	if s.Tried == s.Most {
		return nil, false
	}
	return s.play(q.Sensible())
}

// play plays a sequence, and returns it up to its failing step.
func (s *Shrinker) play(q Sequence) (Sequence, bool) {
	if len(q) == 0 || s.Tried == s.Most {
		return nil, false
	}
	s.Tried++
	m := s.Fails(q)
	if m == nil {
		return nil, false
	}
	s.last = m
	return q[:m.Step+1], true
}

// steps takes away steps, the last ones first.
func (s *Shrinker) steps(q Sequence) Sequence {
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
func (s *Shrinker) parts(q Sequence) Sequence {
	for i := len(q) - 1; i >= 0; i-- {
		for size := range halves(PartsOf(q, i)) {
			for end := PartsOf(q, i); end > 0; end -= size {
				end = min(end, PartsOf(q, i))
				whole, ok := q.divisible(i)
				if !ok {
					break
				}
				if shorter, ok := s.try(q.with(i, whole.Without(max(0, end-size), end))); ok {
					q = shorter
				}
			}
		}
	}
	return q
}

// halves yields n, and half of each previous number, down to 1.
func halves(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for shift := range bits.Len(uint(n)) {
			if !yield(n >> shift) {
				return
			}
		}
	}
}

// Divisible is a step with removable parts.
type Divisible interface {
	Step
	// parts is the number of removable parts.
	parts() int
	// Without returns the step without the parts with indices from "from" to "to", exclusive.
	Without(from, to int) Step
}

func (q Sequence) divisible(i int) (Divisible, bool) {
	if i >= len(q) {
		return nil, false
	}
	whole, ok := q[i].(Divisible)
	return whole, ok
}

// PartsOf returns how many parts the step at an index has, if there is one.
func PartsOf(q Sequence, i int) int {
	whole, ok := q.divisible(i)
	if !ok {
		return 0
	}
	return whole.parts()
}

// with returns the sequence with another step at an index.
func (q Sequence) with(i int, s Step) Sequence {
	q = slices.Clone(q)
	q[i] = s
	return q
}

// Weight is how many steps and parts a sequence has.
func Weight(q Sequence) int {
	n := len(q)
	for i := range q {
		n += PartsOf(q, i)
	}
	return n
}

func (s Commits) parts() int {
	return len(s.Change.Expect) + len(s.Change.Effects) + len(s.Change.Log)
}

// Without implements Divisible. The expectations are the first parts, then come the effects, and
// the log entries.
func (s Commits) Without(from, to int) Step {
	c := store.Change{Batch: s.Change.Batch, At: s.Change.At, Author: s.Change.Author, Via: s.Change.Via}
	gone := &Span{From: from, To: to}
	c.Expect, c.Effects, c.Log = Cut(gone, s.Change.Expect), Cut(gone, s.Change.Effects), Cut(gone, s.Change.Log)
	return Commits{c}
}

// An Archive's parts are its problems, and the elements of its lists and of its problems'
// lists.
func (s Restores) parts() int {
	h := s.Holdings
	n := len(h.Dossiers) + len(h.Tokens) + len(h.Queries) + len(h.Webhooks) + len(h.Audit) + len(h.Feed) + len(bench.PutAll(h.Metadata))
	for _, d := range h.Dossiers {
		n += len(d.Keywords) + len(d.Log) + len(d.Comments) + len(d.Relationships) + len(d.Watchers) + len(d.Readers) + len(d.Savepoints) + len(d.Attachments)
	}
	return n
}

// Without implements Divisible. It closes the gaps between the numbers of the feed.
func (s Restores) Without(from, to int) Step {
	h, gone := s.Holdings.Clone(), &Span{From: from, To: to}
	for i := range h.Dossiers {
		d := &h.Dossiers[i]
		d.Keywords, d.Log, d.Comments = Cut(gone, d.Keywords), Cut(gone, d.Log), Cut(gone, d.Comments)
		d.Relationships, d.Watchers = Cut(gone, d.Relationships), Cut(gone, d.Watchers)
		d.Readers, d.Savepoints = Cut(gone, d.Readers), Cut(gone, d.Savepoints)
		d.Attachments = Cut(gone, d.Attachments)
	}
	m := &h.Metadata
	m.States, m.Priorities, m.Classifications = Cut(gone, m.States), Cut(gone, m.Priorities), Cut(gone, m.Classifications)
	m.Components, m.Milestones, m.Users = Cut(gone, m.Components), Cut(gone, m.Milestones), Cut(gone, m.Users)
	h.Tokens, h.Queries, h.Audit, h.Dossiers = Cut(gone, h.Tokens), Cut(gone, h.Queries), Cut(gone, h.Audit), Cut(gone, h.Dossiers)
	h.Webhooks = Cut(gone, h.Webhooks)
	h.Feed = Cut(gone, h.Feed)
	for i := range h.Feed { // without gaps
		h.Feed[i].Number = h.Feed[0].Number + int64(i)
	}
	return Restores{h}
}

// Span is a range of parts across several consecutive lists: its bounds are relative to
// the next list.
type Span struct{ From, To int }

// Cut returns a list without the part in the span, and moves the span on to the next
// list.
func Cut[T any](gone *Span, list []T) []T {
	from, to := min(max(gone.From, 0), len(list)), min(max(gone.To, 0), len(list))
	gone.From, gone.To = gone.From-len(list), gone.To-len(list)
	return slices.Concat(list[:from], list[to:])
}
