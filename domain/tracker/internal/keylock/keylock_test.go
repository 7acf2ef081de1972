package keylock_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/tracker/internal/keylock"
)

type (
	locks = keylock.Locks[int, string]
	lease = keylock.Lease[int, string]
)

func newLocks() *locks { return keylock.New[int, string](cmp.Compare[int]) }

func equal[T comparable](t *testing.T, name string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// One holder at a time has a key. Callers that lock several keys, in whatever order,
// never wait in a circle. In the end no lock is left.
func TestLockExcludes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when all are waiting
		const callers, rounds, keys = 16, 200, 5
		l := newLocks()
		var inside [keys]int // guarded by the locks alone: the race detector watches too
		var all sync.WaitGroup
		for n := range callers {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				for range rounds {
					wanted := rng.Perm(keys)[:1+rng.IntN(3)]
					held, err := l.Lock(t.Context(), append([]int(nil), wanted...)...)
					if err != nil {
						t.Errorf("lock: %v", err)
						return
					}
					for _, key := range wanted {
						if inside[key]++; inside[key] != 1 {
							t.Errorf("key %d has %d holders", key, inside[key])
						}
					}
					runtime.Gosched() // to all that would lock it too
					for _, key := range wanted {
						inside[key]--
					}
					held.Unlock()
				}
			})
		}
		all.Wait()
		equal(t, "locks left", l.Len(), 0)
	})
}

// A key that a caller names twice, as for a relationship of a problem to itself, is
// locked once. Without keys there is nothing to wait for.
func TestLockSameKeyTwice(t *testing.T) {
	t.Parallel()
	l := newLocks()
	held, err := l.Lock(t.Context(), 1, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "locks", l.Len(), 2)
	held.Unlock()
	if held, err = l.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	held.Unlock()
	equal(t, "locks left", l.Len(), 0)
}

// A caller that gives up gives back the keys it had, does not disturb the holder, and
// lets those behind it pass.
func TestLockCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLocks()
		held, err := l.Lock(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() {
			_, err := l.Lock(ctx, 1, 2, 3) // has 1, waits for 2
			gaveUp <- err
		}()
		synctest.Wait()
		first, second := make(chan func(), 1), make(chan func(), 1)
		for key, locked := range map[int]chan func(){1: first, 2: second} {
			go func() {
				held, err := l.Lock(t.Context(), key)
				if err != nil {
					t.Errorf("lock: %v", err)
				}
				locked <- held.Unlock
			}()
		}
		synctest.Wait()
		if len(gaveUp)+len(first)+len(second) != 0 {
			t.Fatal("a caller passed that has to wait")
		}

		cancel()
		synctest.Wait()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that gave up got the error %v", err)
		}
		if len(first) != 1 || len(second) != 0 {
			t.Fatalf("key 1 was given back %d times, key 2 %d times; want 1 and 0", len(first), len(second))
		}
		(<-first)()
		held.Unlock()
		synctest.Wait()
		if len(second) != 1 {
			t.Fatal("key 2 was not passed on")
		}
		(<-second)()
		equal(t, "locks left", l.Len(), 0)
	})
}

// A key that is free is locked also when the context has ended.
func TestLockFreeKeyAfterTheEnd(t *testing.T) {
	t.Parallel()
	l := newLocks()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	held, err := l.Lock(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Lock(ctx, 1)
	equal(t, "the error for a key that is held", err, context.Canceled)
	held.Unlock()
	equal(t, "locks left", l.Len(), 0)
}

// The next waiter for the only key receives the value of its predecessor, once. A caller
// that comes later, or locks several keys, receives nothing.
func TestHandoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLocks()
		lock := func(keys ...int) *lease {
			held, err := l.Lock(t.Context(), keys...)
			if err != nil {
				t.Errorf("lock: %v", err)
			}
			return held
		}
		behind := func(first *lease, keys ...int) *lease {
			next := make(chan *lease)
			go func() { next <- lock(keys...) }()
			synctest.Wait()
			first.Unlock()
			return <-next
		}
		first := lock(1)
		equal(t, "the first receives", first.Received(), "")
		first.HandOff("first")
		second := behind(first, 1)
		equal(t, "the second receives", second.Received(), "first")
		third := behind(second, 1)
		equal(t, "behind a holder without a handoff", third.Received(), "")
		third.HandOff("third")
		both := behind(third, 1, 2)
		equal(t, "with two keys", both.Received(), "")
		both.HandOff("both")
		last := behind(both, 2)
		equal(t, "behind a holder of two keys", last.Received(), "")
		last.HandOff("last")
		last.Unlock()
		later := lock(2)
		equal(t, "when nobody has waited", later.Received(), "")
		later.Unlock()
		equal(t, "locks left", l.Len(), 0)
	})
}

// Waiters come in their order.
func TestLockInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLocks()
		equal(t, "busy", l.Busy(1), false)
		held, err := l.Lock(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "busy", l.Busy(1), true)
		order := make(chan int, 2)
		for n := range 2 {
			go func() {
				held, err := l.Lock(t.Context(), 1)
				if err != nil {
					t.Errorf("lock: %v", err)
					return
				}
				order <- n
				held.Unlock()
			}()
			synctest.Wait()
		}
		equal(t, "callers that passed", len(order), 0)
		held.Unlock()
		for n := range 2 {
			equal(t, "the caller that passed", <-order, n)
		}
	})
}
