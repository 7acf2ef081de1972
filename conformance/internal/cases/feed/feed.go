package feed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Cases are about the feed of events.
func Cases() []bench.Case {
	return []bench.Case{{
		ID:   "FEED-001",
		Rule: "Feed returns the entries from a number on, without gaps, and no more than its limit; before the oldest number it begins with the oldest entry.",
		Run:  feedPages,
	}, {
		ID:   "FEED-002",
		Rule: "Each Change that publishes makes one entry with its events in their order, and no other Change makes one.",
		Run:  feedEntries,
	}, {
		ID:   "FEED-002/every-kind",
		Rule: "A Change that publishes makes its entry beside effects of every kind.",
		Run:  feedEveryKind,
	}, {
		ID:   "FEED-002/refused",
		Rule: "A refused Change, a repeated one and one that is ruled out make no entry.",
		Run:  feedRefused,
	}, {
		ID:   "FEED-002/at-once",
		Rule: "Each of many concurrent Changes has exactly one entry, whole, and at once after its Commit.",
		Run:  feedAtOnce,
	}, {
		ID:   "FEED-002/all-members",
		Rule: "An entry is read back as it was published, byte for byte, with and without each member.",
		Run:  feedMembers,
	}, {
		ID:   "FEED-002/large",
		Rule: "An entry can have thousands of events, and long texts.",
		Run:  feedLarge,
	}, {
		ID:   "FEED-003/at-once",
		Rule: "A reader of the feed never sees a gap, and nothing that it has read changes, while others commit.",
		Run:  feedIsSettled,
	}, {
		ID:   "VIEW-001/feed",
		Rule: "A View shows every Change whose entry Feed had returned before, while others commit.",
		Run:  feedBeforeView,
	}, {
		ID:   "COM-001/feed",
		Rule: "A View shows a Change and its entry together, or neither, while others commit.",
		Run:  feedWithinView,
	}, {
		ID:      "FEED-004/reopened",
		Rule:    "The feed is the same when the store is opened again, and its numbers go on.",
		Durable: true,
		Run:     feedReopened,
	}, {
		ID:   "FEED-005",
		Rule: "The numbers are in the order of the Commits, though times and identifiers run backwards.",
		Run:  feedInOrder,
	}, {
		ID:   "FEED-005/at-once",
		Rule: "A Change whose Commit returned before another was called has the smaller number.",
		Run:  feedOrderAtOnce,
	}, {
		ID:   "FEED-005/one-problem",
		Rule: "The Changes of one problem have their numbers in the order of its revisions.",
		Run:  feedOrderOfProblem,
	}, {
		ID:   "FEED-006",
		Rule: "Feed stops after the entry that brings the total size to the budget, and not before.",
		Run:  feedBudget,
	}, {
		ID:   "FEED-007",
		Rule: "Feed and FeedEnds with an ended context fail with Unavailable.",
		Run:  feedCancelled,
	}, {
		ID:   "FEED-007/under-way",
		Rule: "A Feed whose context ends under way ends, and no later Commit waits for it.",
		Run:  feedCancelledUnderWay,
	}, {
		ID:   "FEED-008",
		Rule: "FeedEnds returns the oldest and the newest entry without their events, or none.",
		Run:  feedEnds,
	}, {
		ID:   "FEED-009",
		Rule: "ForgetFeed removes the oldest entries up to a number, but never the newest, and the numbers go on.",
		Run:  feedForgets,
	}, {
		ID:   "FEED-010",
		Rule: "Feed returns while others commit without a pause.",
		Run:  feedUnderLoad,
	}, {
		ID:   "READ-022",
		Rule: "A Reader's feed has exactly the Changes that the Reader shows, whatever is committed meanwhile.",
		Run:  feedOfView,
	}, {
		ID:   "RES-010",
		Rule: "A restored feed keeps its numbers, and the next number follows the last.",
		Run:  feedRestored,
	}, {
		ID:   "RES-010/empty",
		Rule: "A store restored without a feed begins its own with 1.",
		Run:  feedRestoredWithout,
	}, {
		ID:   "ALIAS-001/feed",
		Rule: "Later changes by the caller to published events, and to returned ones, do not show in the feed.",
		Run:  feedCopies,
	}}
}

// feed returns the whole feed.
func feed(b *bench.Bench) []event.Entry {
	b.Helper()
	return feedFrom(b, 1, math.MaxInt32, math.MaxInt64)
}

func feedFrom(b *bench.Bench, from int64, limit int, budget int64) []event.Entry {
	b.Helper()
	entries, err := b.Store.Feed(b.Ctx, from, limit, budget)
	b.Must("Feed", err)
	return entries
}

// publish commits a Change with these events, and returns its entry without a number.
func publish(b *bench.Bench, events ...event.Event) event.Entry {
	b.Helper()
	change := publishing(b, events...)
	b.Commit(change)
	return entryOf(change)
}

// publishing returns a Change with these events alone.
func publishing(b *bench.Bench, events ...event.Event) store.Change {
	change := b.Change()
	for _, e := range events {
		change.Effects = append(change.Effects, store.Publish{Event: e})
	}
	return change
}

// entryOf returns the entry of a Change, without a number.
func entryOf(change store.Change) event.Entry {
	return bench.CloneFeed([]event.Entry{change.Entry()})[0]
}

// numberedFrom gives entries their numbers from one on.
func numberedFrom(first int64, entries ...event.Entry) []event.Entry {
	for i := range entries {
		entries[i].Number = first + int64(i)
	}
	return entries
}

func feedPages(b *bench.Bench) {
	b.Equal("the feed of an empty store", []event.Entry(nil), feed(b))
	var want []event.Entry
	for i := range 7 {
		events := make([]event.Event, i%3+1)
		for j := range events {
			events[j] = b.Happening(problem.ID(j + 1))
		}
		want = append(want, publish(b, events...))
	}
	numberedFrom(1, want...)
	check := func(oldest int64) {
		for _, from := range []int64{math.MinInt64, -1, 0, 1, 2, 5, 7, 8, 9, 1 << 40, math.MaxInt64} {
			rest := want[min(max(from, oldest)-1, int64(len(want))):]
			for _, limit := range []int{1, 2, 6, 7, 8, math.MaxInt32} {
				b.Equal(fmt.Sprintf("the feed from %d with the limit %d", from, limit), rest[:min(limit, len(rest))], feedFrom(b, from, limit, math.MaxInt64))
			}
		}
	}
	check(1)
	b.Do(store.ForgetFeed{Through: 4})
	check(5)
}

func feedEntries(b *bench.Bench) {
	p := b.Create()
	b.Equal("the feed after a Change without events", []event.Entry(nil), feed(b))
	one := publish(b, b.Happening(p.ID))
	b.Do(store.AppendAudit{Entry: b.Audited()}, store.PutToken{Token: b.Token()})
	two := publish(b, b.Administered(), b.Happening(p.ID), b.Administered(), b.Happening(p.ID+1))
	change := b.Change(store.Publish{Event: b.Happening(p.ID)}, store.AppendAudit{Entry: b.Audited()}, store.Publish{Event: b.Administered()})
	change.Log = []problem.LogEntry{b.Entry(p.ID)}
	b.Commit(change)
	unnamed := publishing(b, b.Happening(p.ID))
	unnamed.Author = ident.None
	b.Commit(unnamed)
	b.Equal("the feed", numberedFrom(1, one, two, entryOf(change), entryOf(unnamed)), feed(b))
}

func feedEveryKind(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	kinds := make(map[string]bool)
	want := feed(b)
	for _, effect := range change.Effects {
		if kind := fmt.Sprintf("%T", effect); kinds[kind] {
			continue
		} else {
			kinds[kind] = true
		}
		switch effect.(type) {
		case store.Publish, store.ForgetFeed: // the subject itself
			continue
		}
		alone := b.Change(effect, store.Publish{Event: b.Happening(1)})
		b.Commit(alone)
		want = append(want, entryOf(alone))
	}
	b.Equal("the feed", numberedFrom(1, want...), feed(b))
}

func feedRefused(b *bench.Bench) {
	p := b.Create()
	one := publish(b, b.Happening(p.ID))
	refused := publishing(b, b.Happening(p.ID))
	refused.Expect = []store.Expectation{store.ProblemAt{ID: p.ID, Revision: 99}}
	b.Refuse("a Change that expects another revision", fault.Conflict, refused)
	late := b.Change(store.Publish{Event: b.Happening(p.ID)}, store.CreateProblem{Problem: b.Problem(p.ID)})
	b.Refuse("a Change with an effect that is refused", fault.Conflict, late)
	again := publishing(b, b.Happening(p.ID))
	b.Commit(again)
	b.Commit(again)
	never := publishing(b, b.Happening(p.ID))
	if _, stored, err := b.Store.Outcome(b.Ctx, never.Batch, b.Now()); err != nil || stored {
		b.Failf("Outcome of an unknown batch returned %v, %v", stored, err)
	}
	b.Refuse("a Change that is ruled out", fault.Abandoned, never)
	two := publish(b, b.Administered())
	b.Equal("the feed", numberedFrom(1, one, entryOf(again), two), feed(b))
}

func feedMembers(b *bench.Bench) {
	var want []event.Entry
	for i, specimen := range bench.Texts() {
		e := b.Happening(problem.ID(i + 1))
		e.Title, e.Lines[0].Field = specimen.Text, specimen.Text
		e.Lines[0].From, e.Lines[0].To = problem.LogValue(specimen.Text), problem.LogText(specimen.Text)
		a := b.Administered()
		a.Name = specimen.Text
		want = append(want, publish(b, e, a))
	}
	for _, at := range bench.Times() {
		change := publishing(b, b.Happening(1))
		change.At = at
		b.Commit(change)
		want = append(want, entryOf(change))
	}
	bare := event.Event{Type: event.ProblemCreated, Problem: 1, Lines: []event.Line{{}}}
	huge := event.Event{Type: "token.changed", Problem: math.MaxInt64, Revision: math.MaxInt64, Lines: []event.Line{{ID: b.ID(), To: "0"}}}
	want = append(want, publish(b, bare, huge))
	b.Equal("the feed", numberedFrom(1, want...), feed(b))
}

func feedLarge(b *bench.Bench) {
	var events []event.Event
	for i := range 2000 {
		events = append(events, b.Happening(problem.ID(i+1)))
	}
	long := b.Happening(1)
	long.Lines[0].From = problem.LogText(strings.Repeat("long \u00e9 ", 1<<17))
	want := numberedFrom(1, publish(b, events...), publish(b, long), publish(b, b.Happening(1)))
	b.Equal("the feed", want, feed(b))
	b.Equal("the first entry by the smallest budget", want[:1], feedFrom(b, 1, 10, 1))
}

func feedReopened(b *bench.Bench) {
	want := []event.Entry{publish(b, b.Happening(1)), publish(b, b.Administered(), b.Happening(2))}
	b.Equal("the feed", numberedFrom(1, want...), feed(b))
	want = append(want, publish(b, b.Happening(3))) // nobody has read this one
	b.Reopen()
	b.Equal("the feed of the opened store", numberedFrom(1, want...), feed(b))
	b.Do(store.ForgetFeed{Through: 100})
	b.Reopen()
	b.Equal("the feed after ForgetFeed", want[2:], feed(b))
	want = append(want, publish(b, b.Happening(4)))
	b.Reopen()
	b.Equal("the feed that goes on", numberedFrom(1, want...)[2:], feed(b))
}

func feedInOrder(b *bench.Bench) {
	var want []event.Entry
	for i, batch := range b.Backwards(9) {
		change := publishing(b, b.Happening(problem.ID(9-i)))
		change.Batch, change.At = batch, change.At.Add(-time.Duration(i)*time.Hour)
		b.Commit(change)
		want = append(want, entryOf(change))
		if i%3 == 1 {
			feed(b)
		}
	}
	b.Equal("the feed", numberedFrom(1, want...), feed(b))
}

func feedBudget(b *bench.Bench) {
	var want []event.Entry
	for i := range 6 {
		e := b.Happening(1)
		e.Title = strings.Repeat("x", 100*i)
		want = append(want, publish(b, e))
	}
	numberedFrom(1, want...)
	for from := range want {
		total := int64(0)
		for n := from; n < len(want); n++ {
			for _, budget := range []int64{total + 1, total + want[n].Size()} {
				b.Equal(fmt.Sprintf("the feed from %d within %d bytes", from+1, budget), want[from:n+1], feedFrom(b, int64(from)+1, 100, budget))
			}
			total += want[n].Size()
		}
	}
}

func feedCancelled(b *bench.Bench) {
	publish(b, b.Happening(1))
	ctx, cancel := context.WithCancel(b.Ctx)
	cancel()
	_, err := b.Store.Feed(ctx, 1, 1, 1)
	b.Fails("Feed", fault.Unavailable, err)
	_, _, err = b.Store.FeedEnds(ctx)
	b.Fails("FeedEnds", fault.Unavailable, err)
	b.View(func(r store.Reader) error {
		_, err := r.Feed(ctx, 1, 1, 1)
		b.Fails("Reader.Feed", fault.Unavailable, err)
		return nil
	})
}

func feedEnds(b *bench.Bench) {
	check := func(oldest, newest event.Entry) {
		b.Helper()
		oldest.Events, newest.Events = nil, nil
		gotOldest, gotNewest, err := b.Store.FeedEnds(b.Ctx)
		b.Must("FeedEnds", err)
		b.Equal("the oldest entry", oldest, gotOldest)
		b.Equal("the newest entry", newest, gotNewest)
	}
	check(event.Entry{}, event.Entry{})
	all := numberedFrom(1, publish(b, b.Happening(1)))
	check(all[0], all[0])
	all = append(all, publish(b, b.Happening(1)), publish(b, b.Administered()))
	numberedFrom(1, all...)
	check(all[0], all[2])
	b.Do(store.ForgetFeed{Through: 1})
	check(all[1], all[2])
	b.Do(store.ForgetFeed{Through: 3})
	check(all[2], all[2])
}

func feedForgets(b *bench.Bench) {
	b.Do(store.ForgetFeed{Through: 3}) // there is nothing
	var all []event.Entry
	for range 5 {
		all = append(all, publish(b, b.Happening(1)))
	}
	numberedFrom(1, all...)
	b.Equal("the feed", all, feed(b))
	for _, step := range []struct {
		through int64
		oldest  int
	}{{math.MinInt64, 0}, {0, 0}, {1, 1}, {1, 1}, {3, 3}, {2, 3}, {5, 4}, {math.MaxInt64, 4}} {
		b.Do(store.ForgetFeed{Through: step.through})
		b.Equal(fmt.Sprintf("the feed after the entries up to %d were forgotten", step.through), all[step.oldest:], feed(b))
	}
	all = numberedFrom(1, append(all, publish(b, b.Happening(1)))...)
	b.Equal("the feed that goes on", all[4:], feed(b))
}

func feedOfView(b *bench.Bench) {
	want := numberedFrom(1, publish(b, b.Happening(1)), publish(b, b.Administered()))
	b.View(func(r store.Reader) error {
		for range 3 {
			got, err := r.Feed(b.Ctx, 1, 100, math.MaxInt64)
			if err != nil {
				return err
			}
			b.Equal("the feed of a Reader", want, got)
			if _, err := b.Store.Commit(b.Ctx, publishing(b, b.Happening(2))); err != nil {
				return err
			}
			if _, err := b.Store.Feed(b.Ctx, 1, 100, math.MaxInt64); err != nil {
				return err
			}
		}
		page, err := r.Feed(b.Ctx, 2, 1, 1)
		b.Equal("a page of a Reader's feed", want[1:], page)
		return err
	})
	b.Equal("the number of entries", 5, len(feed(b)))
	publish(b, b.Happening(3)) // no call of Store.Feed has returned it
	b.View(func(r store.Reader) error {
		got, err := r.Feed(b.Ctx, 1, 100, math.MaxInt64)
		b.Equal("the number of entries of a Reader", 6, len(got))
		return err
	})
}

func feedRestored(b *bench.Bench) {
	h := b.Holdings(1, 2)
	h.Feed = b.Feed(41, 5)
	b.Restore(h)
	b.Equal("the restored feed", h.Feed, feed(b))
	b.Shows("what was restored", h)
	next := publish(b, b.Happening(1))
	next.Number = 46
	b.Equal("the feed that goes on", append(bench.CloneFeed(h.Feed), next), feed(b))
}

func feedRestoredWithout(b *bench.Bench) {
	h := b.Holdings(1)
	h.Feed = nil
	b.Restore(h)
	b.Equal("the feed", []event.Entry(nil), feed(b))
	b.Equal("the feed that begins", numberedFrom(1, publish(b, b.Happening(1))), feed(b))
}

func feedCopies(b *bench.Bench) {
	change := publishing(b, b.Happening(1), b.Administered())
	want := numberedFrom(1, entryOf(change))
	b.Commit(change)
	spoil := func(events ...event.Event) {
		for i := range events {
			clear(events[i].Lines)
			events[i] = event.Event{}
		}
	}
	for _, effect := range change.Effects {
		spoil(effect.(store.Publish).Event)
	}
	got := feed(b)
	b.Equal("the feed after the caller changed its events", want, got)
	spoil(got[0].Events...)
	b.Equal("the feed after the caller changed the returned events", want, feed(b))
	b.View(func(r store.Reader) error {
		got, err := r.Feed(b.Ctx, 1, 1, 1)
		spoil(got[0].Events...)
		return err
	})
	b.Equal("the feed after the caller changed a Reader's events", want, feed(b))
}
