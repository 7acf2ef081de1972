package feed

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Held are the cases with a Commit that is held back.
func Held() []bench.Case {
	return []bench.Case{{
		ID:   "FEED-003/held",
		Rule: "A Commit that is held back between its position and its end leaves no gap in the feed, and its entry comes behind those of all Commits that have ended meanwhile.",
		Held: true,
		Run:  feedHeld,
	}}
}

func feedHeld(b *bench.Bench) {
	one, other := b.Create(), b.Create()
	// All these Changes have one size.
	commented := func(id problem.ID) store.Change {
		change := publishing(b, b.Happening(id))
		change.Effects = append(change.Effects, store.AddComment{Problem: id, Comment: b.Comment("same")})
		return change
	}
	var want []event.Entry
	shows := func(when string) {
		b.Helper()
		b.Equal("the feed "+when, want, feed(b))
	}
	ended := func(change store.Change, err error) {
		b.Helper()
		b.Must("Commit", err)
		want = numberedFrom(1, append(want, entryOf(change))...)
	}
	slow := b.Hold()
	for range 2 {
		change := commented(one.ID)
		_, err := slow.Store.Commit(b.Ctx, change)
		ended(change, err)
	}
	shows("before")

	late := commented(one.ID)
	slow.Shut()
	result := make(chan error, 1)
	go func() {
		_, err := slow.Store.Commit(b.Ctx, late)
		result <- err
	}()
	slow.Held()
	for n := range 3 {
		change := commented(other.ID)
		_, err := b.Store.Commit(b.Ctx, change)
		ended(change, err)
		shows(fmt.Sprintf("after %d Commits beside the one that is held back", n+1))
		select {
		case err := <-result:
			b.Failf("the Commit that is held back has ended: %v", err)
		default:
		}
	}
	slow.Release()
	ended(late, <-result)
	shows("after the Commit that was held back")
	change := commented(other.ID)
	_, err := b.Store.Commit(b.Ctx, change)
	ended(change, err)
	shows("at the end")
}
