package searchlimit

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

var ann, bob = ident.ID{15: 1}, ident.ID{15: 2}

// One user has all turns while nobody else wants one. Another user then has the next one that is
// free, and then the two have as many.
func TestTurnsAreShared(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 8} {
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
				if inside[ann]+inside[bob] > n {
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
			if taken != n {
				t.Errorf("one user has %d turns, not %d", taken, n)
			}
			group.Go(func() { enter(bob) })
			synctest.Wait()
			began := time.Now()
			group.Wait()
			for i, user := range order { // those of one second come in any order
				if user == bob && i/n != 1 {
					t.Errorf("of %d turns, the other user's was the %dth", n, i+1)
				}
			}
			if time.Since(began) > time.Duration((50+n)/n)*time.Second {
				t.Errorf("all took %v", time.Since(began))
			}
			if left := limit.Users(); left != 0 {
				t.Errorf("%d users are left", left)
			}
		})
	}
}
