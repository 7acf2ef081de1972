package sqlite

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func TestGroupCommit(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		const writers = 64
		errs := make([]error, writers)
		for i := range writers {
			go func() { _, errs[i] = b.Commit(b.Context(), b.create(problem.ID(i+1), "one of many")) }()
		}
		synctest.Wait() // until all are in the queue
		release()
		synctest.Wait()
		for _, err := range errs {
			b.must(err)
		}
		if got, want := b.Stats(), (Stats{Commits: 1, Changes: writers}); got != want {
			b.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestLaterTaskJoinsTheGroup(t *testing.T) {
	inBubble(t, func(b *bench) {
		begun, end := make(chan struct{}), make(chan struct{})
		go func() {
			b.check(b.submit(b.Context(), func(t *transaction) error {
				close(begun)
				<-end
				_, err := t.commit(b.create(1, "first"))
				return err
			}))
		}()
		<-begun
		go func() { _, err := b.Commit(b.Context(), b.create(2, "later")); b.check(err) }()
		synctest.Wait() // until it is in the queue
		close(end)
		synctest.Wait()
		if got, want := b.Stats(), (Stats{Commits: 1, Changes: 2}); got != want {
			b.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestGroupIsNoBound(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		for i := range groupSize + 1 {
			go func() {
				_, err := b.Commit(b.Context(), b.create(problem.ID(i+1), "one of very many"))
				b.check(err)
			}()
		}
		synctest.Wait()
		release()
		synctest.Wait()
		if got, want := b.Stats(), (Stats{Commits: 2, Changes: groupSize + 1}); got != want {
			b.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// What a Change expects is looked at before it writes: the others of its transaction
// need not be done again.
func TestRefusalLeavesTheGroupAsItIs(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		const writers = 9
		errs := make([]error, writers)
		for i := range writers {
			change := b.create(problem.ID(i+1), "one of some")
			if i%3 == 1 {
				change.Expect = []store.Expectation{store.ProblemAt{ID: 100, Revision: 1}}
			}
			go func() { _, errs[i] = b.Commit(b.Context(), change) }()
			synctest.Wait() // so that they are done in this order
		}
		release()
		synctest.Wait()
		for i, err := range errs {
			if i%3 == 1 {
				b.fails(fault.Conflict, err)
			} else {
				b.must(err)
			}
			if stored := b.exists(problem.ID(i + 1)); stored != (err == nil) {
				b.Errorf("whether problem %d exists: %t", i+1, stored)
			}
		}
		if got, want := b.Stats(), (Stats{Commits: 1, Changes: 6}); got != want {
			b.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestConflictConcernsOneChangeOfAGroup(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		const writers = 8
		errs := make([]error, writers)
		for i := range writers {
			go func() { _, errs[i] = b.Commit(b.Context(), b.create(7, "the same number")) }()
		}
		synctest.Wait()
		release()
		synctest.Wait()
		stored := 0
		for _, err := range errs {
			if err == nil {
				stored++
			} else {
				b.fails(fault.Conflict, err)
			}
		}
		if got := b.Stats(); stored != 1 || got.Commits != 1 || got.Changes != 1 {
			b.Errorf("%d Changes were answered as stored, and the store has %+v: want one", stored, got)
		}
	})
}

func TestFullDisk(t *testing.T) {
	inBubble(t, func(b *bench) {
		roomy := b.Store
		b.Store = b.openWith(Options{}, forWriting+"&_pragma=max_page_count(150)")
		big := b.create(2, strings.Repeat("x", 1<<20))
		for _, changes := range [][]store.Change{
			{b.create(1, "alone")},
			{b.create(3, "before"), big, b.create(4, "after")},
			{big},
		} {
			release := b.occupy()
			errs := make([]error, len(changes))
			for i, change := range changes {
				go func() { _, errs[i] = b.Commit(b.Context(), change) }()
			}
			synctest.Wait()
			release()
			synctest.Wait()
			for i, change := range changes {
				if change.Batch == big.Batch {
					b.fails(fault.Unavailable, errs[i])
				} else {
					b.must(errs[i])
				}
			}
		}
		for id, want := range map[problem.ID]bool{1: true, 2: false, 3: true, 4: true} {
			if got := b.exists(id); got != want {
				b.Errorf("whether problem %d exists: got %t, want %t", id, got, want)
			}
		}
		b.Store = roomy
		b.commit(big)
		if !b.exists(2) {
			b.Error("there was room, but the problem is not stored")
		}
	})
}

// The problems of a Restore can be ranged over once, so that it cannot be done
// again as other tasks are.
func TestRestoreIsDoneOnce(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.Store = b.openWith(Options{}, forWriting+"&_pragma=max_page_count(150)")
		release := b.occupy()
		go func() {
			_, err := b.Commit(b.Context(), b.change(store.Expire{Before: start}))
			b.check(err)
		}()
		synctest.Wait()
		ranged := 0
		var err error
		go func() {
			err = b.Restore(b.Context(), store.Archive{Problems: func(yield func(store.Dossier, error) bool) {
				if ranged++; ranged == 1 {
					p := b.create(1, strings.Repeat("x", 1<<20)).Effects[0].(store.CreateProblem).Problem
					yield(store.Dossier{Problem: p}, nil)
				}
			}})
		}()
		synctest.Wait()
		release()
		synctest.Wait()
		b.fails(fault.Unavailable, err)
		if ranged != 1 {
			b.Errorf("the problems were ranged over %d times, want once", ranged)
		}
	})
}

func TestCancelledWhileWaitingForTheWriter(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		ctx, cancel := context.WithCancel(b.Context())
		var err error
		go func() { _, err = b.Commit(ctx, b.create(1, "too late")) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		b.fails(fault.Unavailable, err)
		release()
		synctest.Wait()
		if b.exists(1) {
			b.Error("the Change is stored, though Commit said that it is not")
		}
	})
}

// Once the writer has begun, a client that goes away ends nothing. A deadline ends the
// wait, but not the work.
func TestDeadlineOfAChangeThatHasBegun(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		end := make(chan struct{})
		go func() { // is in a transaction with those that follow it
			b.check(b.submit(b.Context(), func(*transaction) error { <-end; return nil }))
		}()
		synctest.Wait()
		began := time.Now()
		overdue, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		gone, leave := context.WithTimeout(b.Context(), time.Minute)
		both, part := context.WithTimeout(b.Context(), 2*time.Second)
		defer part()
		changes := map[context.Context]store.Change{overdue: b.create(1, "overdue"), gone: b.create(2, "gone"), both: b.create(3, "both")}
		type result struct {
			err  error
			took time.Duration
		}
		results := map[context.Context]chan result{}
		for ctx, change := range changes {
			results[ctx] = make(chan result, 1)
			go func() {
				_, err := b.Commit(ctx, change)
				results[ctx] <- result{err, time.Since(began)}
			}()
		}
		synctest.Wait()
		release()
		synctest.Wait()
		leave()
		part()
		for ctx, after := range map[context.Context]time.Duration{overdue: time.Second, both: 2 * time.Second} {
			r := <-results[ctx]
			b.fails(fault.UnknownOutcome, r.err)
			if r.took != after {
				b.Errorf("Commit has returned after %v, not at its deadline of %v", r.took, after)
			}
			// The ruling has to wait for the writer, too.
			if _, _, err := b.Outcome(ctx, changes[ctx].Batch, start); !fault.Is(err, fault.Unavailable) {
				b.Errorf("Outcome after the deadline: %v", err)
			}
		}
		asking, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		_, _, err := b.Outcome(asking, changes[overdue].Batch, start)
		b.fails(fault.Unavailable, err)
		close(end)
		b.must((<-results[gone]).err)
		for _, change := range changes {
			if _, stored, err := b.Outcome(b.Context(), change.Batch, start); err != nil || !stored {
				b.Errorf("the Change is stored %t, %v", stored, err)
			}
		}
	})
}

func TestContextOfAChangeThatHasBegunDoesNotCount(t *testing.T) {
	inBubble(t, func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		b.must(b.submit(ctx, func(t *transaction) error {
			cancel() // the writer has received the task by now
			_, err := t.commit(b.create(1, "in time"))
			return err
		}))
		if !b.exists(1) {
			b.Error("the Change is not stored")
		}
	})
}
