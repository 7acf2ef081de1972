package moving

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// Restore are about the success of Restore, and the visibility of its data.
func Restore() []bench.Case {
	return []bench.Case{{
		ID:   "RES-001",
		Rule: "Nobody sees anything of an Archive before it is restored; then all of it is there.",
		Run:  archiveAppearsWhole,
	}, {
		ID:   "RES-001/view",
		Rule: "A View from before Restore shows nothing of the Archive, however long it takes.",
		Run:  viewBeforeRestore,
	}, {
		ID:   "RES-001/at-once",
		Rule: "Reads during Restore show nothing of the Archive or all of it, and all once Restore has returned.",
		Run:  readersDuringRestore,
	}, {
		ID:   "RES-005",
		Rule: "When there is a problem, metadata, a user or a token, Restore fails with Conflict and changes nothing.",
		Run:  restoreIntoUsedStore,
	}, {
		ID:   "RES-005/query",
		Rule: "When there is nothing but a saved query, Restore fails with Conflict and changes nothing.",
		Run:  func(b *bench.Bench) { refuseOver(b, store.PutQuery{Query: b.Query(b.ID())}) },
	}, {
		ID:   "RES-005/session",
		Rule: "When there is nothing but a session, Restore fails with Conflict and changes nothing.",
		Run:  func(b *bench.Bench) { refuseOver(b, store.PutSession{Session: b.Session(b.ID())}) },
	}, {
		ID:   "RES-005/webhook",
		Rule: "When there is nothing but a webhook, Restore fails with Conflict and changes nothing.",
		Run:  func(b *bench.Bench) { refuseOver(b, store.PutWebhook{Endpoint: b.Endpoint()}) },
	}, {
		ID:   "RES-005/audit",
		Rule: "When there is nothing but an entry of the audit log, Restore fails with Conflict and changes nothing.",
		Run:  func(b *bench.Bench) { refuseOver(b, store.AppendAudit{Entry: b.Audited()}) },
	}, {
		ID:   "RES-005/event",
		Rule: "When there is nothing but an entry of the feed, Restore fails with Conflict and changes nothing.",
		Run:  func(b *bench.Bench) { refuseOver(b, store.Publish{Event: b.Administered()}) },
	}, {
		ID:   "RES-005/again",
		Rule: "When an Archive was restored, Restore fails with Conflict and changes nothing, unless the Archive was empty.",
		Run:  restoreTwice,
	}, {
		ID:   "RES-005/at-once",
		Rule: "Of several concurrent calls of Restore one fills the store, and the others fail with Conflict.",
		Run:  restoreAtOnce,
	}, {
		ID:   "RES-005/commit",
		Rule: "When Restore meets a Commit expecting an empty store, one of them fills the store, and the other fails with Conflict.",
		Run:  restoreMeetsFirstCommit,
	}, {
		ID:   "RES-005/meanwhile",
		Rule: "A Commit during Restore is stored; Restore either comes before it, or fails with Conflict.",
		Run:  commitDuringRestore,
	}, {
		ID:   "RES-006",
		Rule: "Restore returns an error from the problems' iterator as it is, with nothing stored, and the next Restore succeeds.",
		Run:  problemsFail,
	}, {
		ID:   "RES-006/feed",
		Rule: "Restore returns an error from the feed's iterator as it is, with nothing stored, and the next Restore succeeds.",
		Run:  feedFails,
	}, {
		ID:   "RES-007",
		Rule: "When the context ends before Restore is done, it fails with Unavailable, with nothing stored, and the next Restore succeeds.",
		Run:  restoreCancelled,
	}, {
		ID:   "RES-008",
		Rule: "Restore ranges over the problems no more than once, whether or not it succeeds.",
		Run:  problemsRangedOnce,
	}, {
		ID:   "RES-008/feed",
		Rule: "Restore ranges over the feed no more than once, and after the problems.",
		Run:  feedRangedOnce,
	}}
}

func archiveAppearsWhole(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(40)...)
	h.Feed = b.Feed(41, 12)
	archive := h.Interrupted(func(yielded int) error { return showsNothing(b, fmt.Sprintf("%d problems", yielded)) })
	archive.Feed = h.FeedInterrupted(func(yielded int) error { return showsNothing(b, fmt.Sprintf("%d entries of the feed", yielded)) }).Feed
	b.Must("Restore", b.Store.Restore(b.Ctx, archive))
	b.Shows("what is stored", h)
}

// showsNothing returns an error unless the store still looks empty during a Restore.
func showsNothing(b *bench.Bench, after string) error {
	seen, err := b.Held()
	if err != nil {
		return fmt.Errorf("a View after %s: %w", after, err)
	}
	if d := bench.Difference(bench.Holdings{}.Shown(), seen); d != "" {
		return fmt.Errorf("a View shows something after %s: %s", after, d)
	}
	v, err := b.Store.Versions(b.Ctx)
	if err == nil && v != (store.Versions{}) {
		err = fmt.Errorf("the Versions are %+v after %s", v, after)
	}
	if err != nil {
		return err
	}
	entries, err := b.Store.Feed(b.Ctx, 1, 1, 1)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the feed begins with the number %d after %s", entries[0].Number, after)
	}
	return err
}

func viewBeforeRestore(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(3)...)
	b.View(func(r store.Reader) error {
		for _, moment := range []string{"before", "after"} {
			seen, err := bench.Hold(b.Ctx, r)
			if err != nil {
				return err
			}
			b.Equal("what the View shows "+moment+" Restore", bench.Holdings{}.Shown(), seen)
			if moment == "before" {
				b.Restore(h)
			}
		}
		return nil
	})
	b.Shows("what is stored", h)
}

func readersDuringRestore(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(60)...)
	none, all := bench.Holdings{}.Shown(), h.Shown()
	var restored atomic.Bool
	b.Together(4, func(who int) error {
		if who == 0 {
			defer restored.Store(true)
			if err := b.Store.Restore(b.Ctx, h.Archive()); err != nil {
				return fmt.Errorf("Restore: %w", err)
			}
			return nil
		}
		for {
			if err := b.Going(); err != nil {
				return err
			}
			after := restored.Load()
			seen, err := b.Held()
			if err != nil {
				return fmt.Errorf("View: %w", err)
			}
			missing := bench.Difference(all, seen)
			if missing != "" && (after || bench.Difference(none, seen) != "") {
				return fmt.Errorf("a View shows neither nothing, as before Restore, nor all of the Archive: %s", missing)
			}
			if after {
				return nil
			}
		}
	})
}

func restoreIntoUsedStore(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(3)...)
	effects := append(bench.PutAll(b.Objects()), store.PutToken{Token: b.Token()}, store.CreateProblem{Problem: b.Problem(900)})
	for _, effect := range effects {
		fresh := b.Fresh()
		fresh.Do(effect)
		refuseArchive(fresh, b.Ctx, fmt.Sprintf("Restore after %T", effect), fault.Conflict, h.Archive())
		fresh.Do(store.AddComment{Problem: fresh.Create().ID, Comment: b.Comment("as ever")})
	}
}

func restoreTwice(b *bench.Bench) {
	b.Restore(bench.Holdings{})
	h := b.Holdings(bench.UpTo(3)...)
	b.Restore(h)
	refuseArchive(b, b.Ctx, "a second Restore", fault.Conflict, h.Archive())
	refuseArchive(b, b.Ctx, "another Restore", fault.Conflict, b.Holdings(7).Archive())
	refuseArchive(b, b.Ctx, "the Restore of nothing", fault.Conflict, bench.Holdings{}.Archive())
}

func restoreAtOnce(b *bench.Bench) {
	for range 4 {
		fresh := b.Fresh()
		archives := []bench.Holdings{b.Holdings(bench.UpTo(20)...), b.Holdings(bench.UpTo(25)...), b.Holdings(7, 8, 50)}
		var won atomic.Int64
		var winner atomic.Int64
		fresh.Together(len(archives), func(who int) error {
			err := fresh.Store.Restore(b.Ctx, archives[who].Archive())
			if err == nil {
				won.Add(1)
				winner.Store(int64(who))
				return nil
			}
			return bench.Failure("a Restore that lost", fault.Conflict, err)
		})
		b.Equal("the number of Archives restored", int64(1), won.Load())
		fresh.Shows("what is stored", archives[winner.Load()])
	}
}

func restoreMeetsFirstCommit(b *bench.Bench) {
	for range 6 {
		fresh := b.Fresh()
		h := b.Holdings(bench.UpTo(20)...)
		objects := b.Objects()
		seed := b.Change(bench.PutAll(objects)...)
		seed.Expect = []store.Expectation{store.StoreEmpty{}}
		var errs [2]error
		fresh.Together(2, func(who int) error {
			if who == 0 {
				errs[0] = fresh.Store.Restore(b.Ctx, h.Archive())
			} else {
				_, errs[1] = fresh.Store.Commit(b.Ctx, seed)
			}
			return nil
		})
		if errs[0] == nil {
			b.Fails("the Commit that lost", fault.Conflict, errs[1])
			fresh.Shows("what is stored", h)
		} else {
			b.Must("the Commit that won", errs[1])
			b.Fails("the Restore that lost", fault.Conflict, errs[0])
			fresh.Shows("what is stored", bench.Holdings{Batch: seed.Batch, Metadata: objects})
		}
	}
}

func commitDuringRestore(b *bench.Bench) {
	for at := range 4 {
		fresh := b.Fresh()
		h := b.Holdings(bench.UpTo(3)...)
		person := b.Objects().Users
		change := b.Change(store.PutUser{User: person[0]})
		var committed <-chan error
		err := fresh.Store.Restore(b.Ctx, h.Interrupted(func(yielded int) error {
			if yielded == at {
				committed = aside(func() error {
					_, err := fresh.Store.Commit(b.Ctx, change)
					return err
				})
			}
			return nil
		}))
		if committed == nil {
			b.Failf("Restore ended before it had asked for %d problems: %v", at, err)
		}
		b.Must("the Commit", <-committed)
		if err != nil {
			b.Fails("the Restore that lost", fault.Conflict, err)
			fresh.Shows("what is stored", bench.Holdings{Batch: change.Batch, Metadata: metadata.Content{Users: person}})
			continue
		}
		want := h.Shown()
		want.Metadata.Users = append(person, want.Metadata.Users...)
		want.Metadata = bench.Ordered(want.Metadata)
		want.Versions = want.Versions.After(change)
		seen, err := fresh.Held()
		b.Must("View", err)
		b.Equal("what is stored", want, seen)
	}
}

func problemsFail(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(30)...)
	for _, want := range errorsOfCallers() {
		for _, at := range []int{0, 1, 17, 30} {
			got := b.Store.Restore(b.Ctx, h.Interrupted(func(yielded int) error {
				if yielded == at {
					return want
				}
				return nil
			}))
			if got != want {
				b.Failf("the problems yielded the error %v after %d, and Restore returned %v", want, at, got)
			}
			b.Shows("what is stored after that", bench.Holdings{})
		}
	}
	b.Restore(h)
	b.Shows("what is stored", h)
}

// errorsOfCallers returns errors of several kinds.
func errorsOfCallers() []error {
	plain := errors.New("the caller's own")
	return []error{plain, fmt.Errorf("around: %w", plain), fault.New(fault.StaleRevision, "a fault"), context.Canceled}
}

func feedFails(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(3)...)
	h.Feed = b.Feed(41, 7)
	for _, want := range errorsOfCallers() {
		for _, at := range []int{0, 1, 7} {
			got := b.Store.Restore(b.Ctx, h.FeedInterrupted(func(yielded int) error {
				if yielded == at {
					return want
				}
				return nil
			}))
			if got != want {
				b.Failf("the feed yielded the error %v after %d entries, and Restore returned %v", want, at, got)
			}
			b.Shows("what is stored after that", bench.Holdings{})
		}
	}
	b.Restore(h)
	b.Shows("what is stored", h)
}

func restoreCancelled(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(30)...)
	for _, end := range steps.Ends(b) {
		refuseArchive(b, end.Ctx, "Restore with a context that is "+end.How, fault.Unavailable, h.Archive())
	}
	for _, at := range []int{0, 1, 17, 30} {
		ctx, cancel := context.WithCancel(b.Ctx)
		refuseArchive(b, ctx, fmt.Sprintf("Restore with a context that ends after %d problems", at), fault.Unavailable,
			h.Interrupted(func(yielded int) error {
				if yielded == at {
					cancel()
				}
				return nil
			}))
		cancel()
	}
	for at := range len(h.Feed) + 1 {
		ctx, cancel := context.WithCancel(b.Ctx)
		refuseArchive(b, ctx, fmt.Sprintf("Restore with a context that ends after %d entries of the feed", at), fault.Unavailable,
			h.FeedInterrupted(func(yielded int) error {
				if yielded == at {
					cancel()
				}
				return nil
			}))
		cancel()
	}
	b.Restore(h)
	b.Shows("what is stored", h)
}

func problemsRangedOnce(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(5)...)
	ranges := 0
	counted := h.Interrupted(func(yielded int) error {
		if yielded == 0 {
			ranges++
		}
		return nil
	})
	b.Must("Restore", b.Store.Restore(b.Ctx, counted))
	b.Equal("how often a Restore that succeeded ranged over the problems", 1, ranges)
	ranges = 0
	refuseArchive(b, b.Ctx, "a second Restore", fault.Conflict, counted)
	if ranges > 1 {
		b.Failf("a Restore that failed ranged over the problems %d times", ranges)
	}
}

func feedRangedOnce(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(5)...)
	problems, ranges := 0, 0
	counted := h.Interrupted(func(yielded int) error {
		problems = yielded
		return nil
	})
	counted.Feed = h.FeedInterrupted(func(yielded int) error {
		if yielded == 0 {
			ranges++
		}
		if problems < len(h.Dossiers) {
			return fmt.Errorf("the feed was ranged over after %d of %d problems", problems, len(h.Dossiers))
		}
		return nil
	}).Feed
	b.Must("Restore", b.Store.Restore(b.Ctx, counted))
	b.Equal("how often a Restore that succeeded ranged over the feed", 1, ranges)
	problems, ranges = 0, 0
	refuseArchive(b, b.Ctx, "a second Restore", fault.Conflict, counted)
	if ranges > 1 {
		b.Failf("a Restore that failed ranged over the feed %d times", ranges)
	}
}

// refuseOver ends the case unless Restore is refused after the effect, both for an Archive
// with everything and for one with problems alone.
func refuseOver(b *bench.Bench, effect store.Effect) {
	b.Helper()
	b.Do(effect)
	h := b.Holdings(bench.UpTo(3)...)
	refuseArchive(b, b.Ctx, fmt.Sprintf("Restore after %T", effect), fault.Conflict, h.Archive())
	problems := bench.Holdings{Batch: b.ID(), Dossiers: h.Dossiers}
	refuseArchive(b, b.Ctx, fmt.Sprintf("Restore of problems after %T", effect), fault.Conflict, problems.Archive())
}

// refuseArchive restores an Archive with a reason to refuse it, of the given kind, and
// ends the case if any part of it is stored.
func refuseArchive(b *bench.Bench, ctx context.Context, what string, kind fault.Kind, archive store.Archive) {
	b.Helper()
	before, err := b.Held()
	b.Must("reading what is stored", err)
	b.Fails(what, kind, b.Store.Restore(ctx, archive))
	after, err := b.Held()
	b.Must("reading what is stored", err)
	b.Equal("what is stored after "+what+" was refused", before, after)
}

// aside calls fn in a goroutine of its own, and returns a channel for its error. A panic
// of the store is an error: it must not end the process.
func aside(fn func() error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				ended <- fmt.Errorf("it panicked: %v\n%s", problem, debug.Stack())
			}
		}()
		ended <- fn()
	}()
	return ended
}
