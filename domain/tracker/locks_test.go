package tracker

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// At each place one at a time; whoever takes several of them, in whatever order,
// never waits in a circle; and in the end no place is left.
func TestQueueExcludes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when all are waiting
		const writers, turns, places = 16, 200, 5
		q := newQueue()
		var inside [places]int // guarded by the places alone: the race detector watches too
		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				for range turns {
					taken := rng.Perm(places)[:1+rng.IntN(3)]
					slots := make([]slot, len(taken))
					for i, p := range taken {
						slots[i] = problemSlot(problem.ID(p))
					}
					turn, err := q.enter(t.Context(), slots...)
					if err != nil {
						t.Errorf("enter: %v", err)
						return
					}
					for _, p := range taken {
						if inside[p]++; inside[p] != 1 {
							t.Errorf("%d writers at place %d", inside[p], p)
						}
					}
					runtime.Gosched() // to whoever would come in
					for _, p := range taken {
						inside[p]--
					}
					turn.leave()
				}
			})
		}
		all.Wait()
		equal(t, "places left", len(q.places), 0)
	})
}

// A place that a writer names twice, as for a relationship to itself, is taken
// once; without places there is nothing to wait for.
func TestQueueSamePlaceTwice(t *testing.T) {
	t.Parallel()
	q := newQueue()
	turn, err := q.enter(t.Context(), problemSlot(1), problemSlot(2), problemSlot(1))
	noError(t, err)
	equal(t, "places", len(q.places), 2)
	turn.leave()
	turn, err = q.enter(t.Context())
	noError(t, err)
	turn.leave()
	equal(t, "places left", len(q.places), 0)
}

// Places differ by every part of their name.
func TestQueuePlacesDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when all are waiting
		q := newQueue()
		for _, s := range []slot{
			problemSlot(1), problemSlot(2),
			{kind: slotKey, user: ann, name: "k"}, {kind: slotKey, user: bob, name: "k"}, {kind: slotKey, user: ann, name: "l"},
			{kind: slotFamily, name: "ParentOf"}, {kind: slotFamily, name: "CauseOf"},
			{kind: slotCatalogue},
		} {
			if _, err := q.enter(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "places", len(q.places), 8)
	})
}

// Who gives up waiting gives back what he had, does not disturb who is there, and
// lets those behind him pass.
func TestQueueCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		turn, err := q.enter(t.Context(), problemSlot(2))
		noError(t, err)

		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() {
			_, err := q.enter(ctx, problemSlot(1), problemSlot(2), problemSlot(3)) // has 1, waits for 2
			gaveUp <- err
		}()
		synctest.Wait()
		first, second := make(chan func(), 1), make(chan func(), 1)
		for place, entered := range map[problem.ID]chan func(){1: first, 2: second} {
			go func() {
				turn, err := q.enter(t.Context(), problemSlot(place))
				if err != nil {
					t.Errorf("enter: %v", err)
				}
				entered <- turn.leave
			}()
		}
		synctest.Wait()
		if len(gaveUp)+len(first)+len(second) != 0 {
			t.Fatal("somebody passed who has to wait")
		}

		cancel()
		synctest.Wait()
		err = <-gaveUp
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up got the error %v", err)
		}
		if len(first) != 1 || len(second) != 0 {
			t.Fatalf("place 1 was given back %d times, place 2 %d times; want 1 and 0", len(first), len(second))
		}
		(<-first)()
		turn.leave()
		synctest.Wait()
		if len(second) != 1 {
			t.Fatal("place 2 was not passed on")
		}
		(<-second)()
		equal(t, "places left", len(q.places), 0)
	})
}

// D21: a duplicate in flight waits for the first, and gets its answer.
func TestDuplicateInFlightWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		counted := new(calls)
		reached, proceed := make(chan bool), make(chan bool)
		s = s.behind(hooked{calls: counted, commit: once(func() { close(reached); <-proceed })})
		cmd := CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[store.Snapshot](1)}
		answers := make(chan Answer[store.Snapshot], 2)
		create := func() {
			a, err := s.CreateProblem(t.Context(), s.admin, cmd)
			if err != nil {
				t.Errorf("create: %v", err)
			}
			answers <- a
		}
		go create()
		<-reached
		go create()
		synctest.Wait()
		equal(t, "views while the first is in flight", counted.views, 1)
		close(proceed)
		one, two := <-answers, <-answers
		equal(t, "the first is new", one.New, true)
		equal(t, "the second is the first again", string(two.Replay), "revision 1, new true")
		equal(t, "commits", counted.commits, 1)
	})
}

// Writers of one problem take turns, so that within one process nobody's snapshot
// is outdated; writers of different problems do not wait for each other.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	const writers = 20
	s := newService(t)
	one, two := s.create(t, "1"), s.create(t, "2")
	counted := new(calls)
	s = s.behind(hooked{calls: counted})
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			from, to := one, two
			if n%2 == 0 {
				from, to = two, one
			}
			_, err := s.AddRelationship(t.Context(), s.admin, from, relate("RelatedTo", to))
			if err == nil {
				_, err = s.SetKeyword(t.Context(), s.admin, to, SetKeyword{Name: string(rune('a' + n))})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "commits", counted.commits, writers+1)
	equal(t, "revisions", s.load(t, one).Revision+s.load(t, two).Revision, int64(2+2+writers))
	equal(t, "places left", len(s.queue.places), 0)
}

// Who waits for the only place finds what the one before has left, once; who comes later,
// or takes several places, finds nothing.
func TestQueueLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		enter := func(slots ...slot) *turn {
			turn, err := q.enter(t.Context(), slots...)
			if err != nil {
				t.Errorf("enter: %v", err)
			}
			return turn
		}
		behind := func(first *turn, slots ...slot) *turn {
			next := make(chan *turn)
			go func() { next <- enter(slots...) }()
			synctest.Wait()
			first.leave()
			return <-next
		}
		first := enter(problemSlot(1))
		equal(t, "the first finds", first.found, nil)
		first.left = "first"
		second := behind(first, problemSlot(1))
		equal(t, "the second finds", second.found, "first")
		third := behind(second, problemSlot(1))
		equal(t, "behind one who left nothing", third.found, nil)
		third.left = "third"
		both := behind(third, problemSlot(1), problemSlot(2))
		equal(t, "at two places", both.found, nil)
		both.left = "both"
		last := behind(both, problemSlot(2))
		equal(t, "behind one at two places", last.found, nil)
		last.left = "last"
		last.leave()
		later := enter(problemSlot(2))
		equal(t, "when nobody has waited", later.found, nil)
		later.leave()
		equal(t, "places left", len(q.places), 0)
	})
}
