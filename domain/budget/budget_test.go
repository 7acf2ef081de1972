package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

var ann, bob = ident.ID{15: 1}, ident.ID{15: 2}

func (b *Budget) open(user ident.ID) *Account {
	a := b.Open(nil)
	a.For(user)
	return a
}

// waits checks a reservation with a wait: it must be granted once then is called.
func waits(t *testing.T, a *Account, n int64, then func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- a.Reserve(t.Context(), n) }()
	synctest.Wait()
	select {
	case err := <-done:
		t.Fatalf("%d bytes were granted at once: %v", n, err)
	default:
	}
	then()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func reserve(t *testing.T, a *Account, n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := a.Reserve(ctx, n); err != nil {
		t.Fatalf("%d bytes: %v", n, err)
	}
}

func TestUserHasHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		first, second, other := b.open(ann), b.open(ann), b.open(bob)
		reserve(t, first, 30)
		waits(t, second, 30, func() {
			reserve(t, other, 50) // passes by
			first.Close()
		})
		if held, waiting := b.Held(); held != 80 || waiting != 0 {
			t.Errorf("%d bytes held, %d wait", held, waiting)
		}
	})
}

func TestFirstComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		first, large, small := b.open(ann), b.open(bob), b.open(ident.ID{15: 3})
		first.Add(60)
		waits(t, large, 50, func() {
			waits(t, small, 10, func() { first.Add(-20) })
		})
	})
}

// Two users who take a share each and ask for more at once leave a third his turn.
func TestTurnsGoRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		eve := ident.ID{15: 3}
		var mu sync.Mutex
		var order []ident.ID
		ask := func(user ident.ID) {
			a := b.open(user)
			if err := a.Reserve(t.Context(), 50); err != nil {
				t.Error(err)
			}
			mu.Lock()
			order = append(order, user)
			mu.Unlock()
			time.Sleep(time.Second)
			a.Close()
		}
		for range 10 {
			go ask(ann)
			synctest.Wait()
			go ask(eve)
			synctest.Wait()
		}
		go ask(bob)
		synctest.Wait()
		go ask(bob)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(order) != 22 {
			t.Fatalf("%d requests were served", len(order))
		}
		first, second := slices.Index(order, bob), len(order)-1
		for order[second] != bob {
			second--
		}
		// Two are served at a time, in either order.
		if first/2 > 2 || second/2 > 3 {
			t.Errorf("the requests of the third user came as %d and %d of %d", first, second, len(order))
		}
	})
}

func TestLargerThanAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		a := b.open(ann)
		reserve(t, a, 5000)
		if !a.Full() || a.Free() != 50 {
			t.Errorf("%d bytes reserved", a.Free())
		}
		reserve(t, a, 40) // in use already
		a.Close()
		if held, _ := b.Held(); held != 0 {
			t.Errorf("%d bytes are held by nobody", held)
		}
	})
}

func TestWhoGivesUpLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		first, large, small := b.open(ann), b.open(bob), b.open(ident.ID{15: 3})
		first.Add(60)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		done := make(chan error)
		go func() { done <- large.Reserve(ctx, 50) }()
		synctest.Wait()
		waits(t, small, 10, func() {
			if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the one that gave up: %v", err)
			}
		})
		if held, waiting := b.Held(); held != 70 || waiting != 0 {
			t.Errorf("%d bytes held, %d wait", held, waiting)
		}
	})
}

func TestWhoHasGoneDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		first, gone := b.open(ann), make(chan struct{})
		first.Add(100)
		second := b.Open(gone)
		second.For(bob)
		done := make(chan error)
		go func() { done <- second.Reserve(t.Context(), 10) }()
		synctest.Wait()
		close(gone)
		if err := <-done; err != ErrGone {
			t.Errorf("the error is %v", err)
		}
		if held, waiting := b.Held(); held != 100 || waiting != 0 {
			t.Errorf("%d bytes held, %d wait", held, waiting)
		}
	})
}

func TestOverdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		first, second := b.open(ann), b.open(bob)
		first.Add(500) // in use already
		waits(t, second, 1, func() { first.Add(-450) })
	})
}

// balance returns the check of the free bytes of an account, and of those that the budget holds.
func balance(t *testing.T, b *Budget, a *Account) func(free, held int64) {
	return func(free, held int64) {
		t.Helper()
		if all, _ := b.Held(); a.Free() != free || all != held {
			t.Errorf("%d bytes free and %d held, want %d and %d", a.Free(), all, free, held)
		}
	}
}

// Reuse and Trim leave kept bytes alone. They count for the share of a user.
func TestKeep(t *testing.T) {
	b := New(100)
	a := b.open(ann)
	want := balance(t, b, a)
	reserve(t, a, 20)
	a.Keep(15)
	want(5, 20)
	a.Trim()
	want(0, 15)
	a.Reuse()
	want(0, 15)
	reserve(t, a, 10)
	a.Use(10)
	a.Keep(10) // more than is free
	want(0, 25)
	a.Reuse()
	want(10, 25)
	reserve(t, a, 5000)
	if want(35, 50); !a.Full() {
		t.Error("the share is not full")
	}
	a.Close()
	want(0, 0)
}

// Many reads at once must not refuse the next request of their user: they end by themselves.
func TestReadsDoNotCrowd(t *testing.T) {
	b := New(100)
	next := b.open(ann)
	crowded := func(want bool) {
		t.Helper()
		if got := next.Crowded(); got != want {
			t.Errorf("crowded: %v, want %v", got, want)
		}
	}
	read, kept := b.open(bob), b.open(bob)
	reserve(t, read, 20)
	reserve(t, kept, 30)
	read.For(ann)
	kept.For(ann)
	crowded(false)
	kept.Keep(30)
	read.Use(20)
	crowded(true)
	read.Reuse()
	crowded(false)
	read.Add(20)
	crowded(true)
	read.Trim()
	crowded(true)
	read.Close()
	crowded(false)
}

func TestNoAccount(t *testing.T) {
	var a *Account
	a.For(ann)
	a.Add(1 << 40)
	reserve(t, a, 1<<40)
	a.Keep(1 << 40)
	if a.Free() < 1<<40 || a.Full() || From(t.Context()) != nil {
		t.Error("no account is not as good as any")
	}
	a.Close()
}

// Under any load of requests, no more than the total is reserved, and nothing is held
// at the end.
func TestNeverMoreThanThereIs(t *testing.T) {
	const total = 1000
	b := New(total)
	var group sync.WaitGroup
	for i := range 20 {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		group.Go(func() {
			for range 200 {
				a := b.open(ident.ID{15: byte(random.IntN(5))})
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(2000))*time.Microsecond)
				for range random.IntN(3) {
					_ = a.Reserve(ctx, random.Int64N(700))
					a.Use(random.Int64N(300))
					a.Keep(random.Int64N(300))
					a.Reuse()
				}
				if held, _ := b.Held(); held > total {
					t.Errorf("%d bytes are held", held)
				}
				cancel()
				a.Close()
			}
		})
	}
	group.Wait()
	if held, waiting := b.Held(); held != 0 || waiting != 0 || len(b.users) != 0 || len(b.free) != 0 {
		t.Errorf("%d bytes held, %d wait, users with bytes: %v, with free ones: %v", held, waiting, b.users, b.free)
	}
}
