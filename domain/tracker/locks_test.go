package tracker

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// D21: a duplicate in flight waits for the first, and gets its answer.
func TestDuplicateInFlightWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		counted := new(kit.Calls)
		reached, proceed := make(chan bool), make(chan bool)
		s = s.behind(kit.Hooked{Calls: counted, OnCommit: kit.Once(func() { close(reached); <-proceed })})
		cmd := CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)}
		answers := make(chan Answer[snapshot.Snapshot], 2)
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
		kit.Equal(t, "views while the first is in flight", counted.Views, 1)
		close(proceed)
		one, two := <-answers, <-answers
		if two.New { // The two end in any order.
			one, two = two, one
		}
		kit.Equal(t, "the first is new", one.New, true)
		kit.Equal(t, "the second is the first again", string(two.Replay), "revision 1, new true")
		kit.Equal(t, "commits", counted.Commits, 1)
	})
}

// Writers of one problem take turns, so that within one process nobody's snapshot
// is outdated; writers of different problems do not wait for each other.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	const writers = 20
	s := newService(t)
	one, two := s.create(t, "1"), s.create(t, "2")
	counted := new(kit.Calls)
	s = s.behind(kit.Hooked{Calls: counted})
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
	kit.Equal(t, "commits", counted.Commits, writers+1)
	kit.Equal(t, "revisions", s.load(t, one).Revision+s.load(t, two).Revision, int64(2+2+writers))
	kit.Equal(t, "locks left", s.core.Locks.Len(), 0)
}
