package searchlimit

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

var ann, bob = ident.ID{15: 1}, ident.ID{15: 2}

// Turns come in the order of the requests, but nobody waits for more of one other
// user's than can be made at once.
func TestTurnsAreShared(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]int{1: 1, 2: 1, 3: 2, 8: 4} {
		synctest.Test(t, func(t *testing.T) {
			limit := New(n, time.Hour)
			var mu sync.Mutex
			inside := map[ident.ID]int{}
			var order []ident.ID
			enter := func(user ident.ID) {
				release, err := limit.Acquire(t.Context(), user)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, user)
				inside[user]++
				if inside[user] > most || inside[ann]+inside[bob] > n {
					t.Errorf("of %d turns, %v are taken", n, inside)
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				inside[user]--
				mu.Unlock()
				release()
			}
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() { enter(ann) })
			}
			synctest.Wait()
			mu.Lock()
			taken := inside[ann]
			mu.Unlock()
			if taken != most {
				t.Errorf("one user has %d turns, not %d", taken, most)
			}
			group.Go(func() { enter(bob) })
			synctest.Wait()
			began := time.Now()
			group.Wait()
			for i, user := range order {
				if user == bob && i > 2*most {
					t.Errorf("of %d turns, the other user's was the %dth", n, i+1)
				}
			}
			if n > 1 && time.Since(began) > 50*time.Second {
				t.Errorf("all took %v", time.Since(began))
			}
			if left := limit.Locks(); left != 0 {
				t.Errorf("%d locks are left", left)
			}
		})
	}
}
