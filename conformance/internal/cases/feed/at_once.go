package feed

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func feedAtOnce(b *bench.Bench) {
	const rounds = 10
	var mu sync.Mutex
	want := make(map[ident.ID]event.Entry)
	b.Together(bench.Writers, func(int) error {
		for range rounds {
			change := publishing(b, b.Happening(1), b.Administered(), b.Happening(2))
			if _, err := b.Store.Commit(b.Ctx, change); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			mu.Lock()
			want[change.Batch] = entryOf(change)
			mu.Unlock()
			entries, err := b.Store.Feed(b.Ctx, 1, math.MaxInt32, math.MaxInt64)
			if err != nil {
				return fmt.Errorf("Feed: %w", err)
			}
			if !slices.ContainsFunc(entries, func(e event.Entry) bool { return e.Batch == change.Batch }) {
				return fmt.Errorf("the feed has no entry of a Change whose Commit had returned")
			}
		}
		return nil
	})
	entries := feed(b)
	b.Equal("the number of entries", bench.Writers*rounds, len(entries))
	for i, e := range entries {
		expected := want[e.Batch]
		expected.Number = int64(i + 1)
		b.Equal(fmt.Sprintf("entry %d", i+1), expected, e)
		delete(want, e.Batch)
	}
}

func feedIsSettled(b *bench.Bench) {
	var whole, pieces []event.Entry
	besideWriters(b, func(who int) (err error) {
		if who == 0 {
			whole, err = readAgain(b, whole)
		} else {
			pieces, err = readOn(b, pieces)
		}
		return err
	})
	entries := feed(b)
	b.Equal("the number of entries", bench.Writers*publications, len(entries))
	for _, seen := range [][]event.Entry{whole, pieces} {
		b.Equal("the entries read before", seen, entries[:min(len(seen), len(entries))])
	}
}

// readAgain reads the whole feed. It returns an error for a gap, and when the entries seen
// before are not its beginning.
func readAgain(b *bench.Bench, seen []event.Entry) ([]event.Entry, error) {
	entries, err := readOn(b, nil)
	if err != nil {
		return nil, err
	}
	if len(entries) < len(seen) {
		return nil, fmt.Errorf("the feed had %d entries, and has %d now", len(seen), len(entries))
	}
	if d := bench.Difference(seen, entries[:len(seen)]); d != "" {
		return nil, fmt.Errorf("the beginning of the feed has changed: %s", d)
	}
	return entries, nil
}

// readOn appends the entries of the feed behind those seen before. It returns an error for a
// gap.
func readOn(b *bench.Bench, seen []event.Entry) ([]event.Entry, error) {
	from := int64(len(seen)) + 1
	entries, err := b.Store.Feed(b.Ctx, from, math.MaxInt32, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("Feed: %w", err)
	}
	for i, e := range entries {
		if e.Number != from+int64(i) {
			return nil, fmt.Errorf("the feed from %d has the number %d at the index %d", from, e.Number, i)
		}
	}
	return append(seen, entries...), nil
}

// publications is how many Changes each writer of besideWriters publishes.
const publications = 12

// besideWriters has writers publish, and beside them two readers, 0 and 1. Each reader calls
// read again and again, for the last time after all writers have returned.
//
// Each Change comments on a problem. The first comment has the text "first", and its
// identifier is the state in the event.
func besideWriters(b *bench.Bench, read func(who int) error) {
	problems := make([]problem.Problem, 3)
	for i := range problems {
		problems[i] = b.Create()
	}
	var busy atomic.Int64
	busy.Store(bench.Writers)
	b.Together(bench.Writers+2, func(who int) error {
		if who < bench.Writers {
			defer busy.Add(-1)
			return publishAll(b, who, problems)
		}
		for ended := false; !ended; {
			if err := b.Going(); err != nil {
				return err
			}
			ended = busy.Load() == 0
			if err := read(who - bench.Writers); err != nil {
				return err
			}
		}
		return nil
	})
}

// publishAll is what one writer of besideWriters does.
func publishAll(b *bench.Bench, who int, problems []problem.Problem) error {
	for round := range publications {
		// Some Changes wait for others, and take longer from their position on.
		at := problems[(who+round)%len(problems)]
		first := b.Comment("first")
		happened := b.Happening(at.ID)
		happened.State = first.ID
		change := publishing(b, happened)
		change.Effects = append(change.Effects, store.AddComment{Problem: at.ID, Comment: first})
		for i := range 40 * (who % 2) {
			change.Effects = append(change.Effects, store.AddComment{Problem: at.ID, Comment: b.Comment(fmt.Sprint(i))})
		}
		if _, err := b.Store.Commit(b.Ctx, change); err != nil {
			return fmt.Errorf("Commit: %w", err)
		}
	}
	return nil
}

func feedBeforeView(b *bench.Bench) {
	from := [2]int64{1, 1} // by reader
	besideWriters(b, func(who int) error {
		entries, err := b.Store.Feed(b.Ctx, from[who], math.MaxInt32, math.MaxInt64)
		if err != nil {
			return fmt.Errorf("Feed: %w", err)
		}
		from[who] += int64(len(entries))
		return b.Store.View(b.Ctx, func(r store.Reader) error {
			commented, err := commentsOf(b, r, entries)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if !commented[e.Events[0].State] {
					return fmt.Errorf("a View lacks the Change of entry %d, which Feed had returned before", e.Number)
				}
			}
			return nil
		})
	})
}

func feedWithinView(b *bench.Bench) {
	besideWriters(b, func(who int) error {
		err := b.Store.View(b.Ctx, func(r store.Reader) error { return feedMatchesComments(b, r) })
		if err != nil || who > 0 {
			return err
		}
		// Some stores number the entries for this call.
		if _, err := b.Store.Feed(b.Ctx, 1, 1, 1); err != nil {
			return fmt.Errorf("Feed: %w", err)
		}
		return nil
	})
}

// feedMatchesComments returns an error unless a Reader shows the first comments of exactly
// the Changes in its feed.
func feedMatchesComments(b *bench.Bench, r store.Reader) error {
	entries, err := r.Feed(b.Ctx, 1, math.MaxInt32, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("Reader.Feed: %w", err)
	}
	commented, err := commentsOf(b, r, entries)
	if err != nil {
		return err
	}
	for i, e := range entries {
		switch {
		case e.Number != int64(i)+1:
			return fmt.Errorf("a Reader's feed has the number %d at the index %d", e.Number, i)
		case !commented[e.Events[0].State]:
			return fmt.Errorf("a View has entry %d without the comment of its Change", e.Number)
		}
		delete(commented, e.Events[0].State)
	}
	if len(commented) > 0 {
		return fmt.Errorf("a View has %d comments without the entries of their Changes", len(commented))
	}
	return nil
}

// commentsOf returns the identifiers of the first comments that the writers of
// besideWriters have made on the problems of entries.
func commentsOf(b *bench.Bench, r store.Reader, entries []event.Entry) (map[ident.ID]bool, error) {
	commented := make(map[ident.ID]bool)
	read := make(map[problem.ID]bool)
	for _, e := range entries {
		id := e.Events[0].Problem
		if read[id] {
			continue
		}
		read[id] = true
		s, err := r.Problem(b.Ctx, id, ident.None, snapshot.Comments)
		if err != nil {
			return nil, fmt.Errorf("Problem: %w", err)
		}
		for _, c := range s.Comments {
			if c.Text == "first" {
				commented[c.ID] = true
			}
		}
	}
	return commented, nil
}

func feedOrderAtOnce(b *bench.Bench) {
	stop := make(chan struct{})
	reading := make(chan error, 1)
	go func() { // a reader, because some stores number entries for one
		for {
			select {
			case <-stop:
				reading <- nil
				return
			default:
			}
			if _, err := b.Store.Feed(b.Ctx, math.MaxInt64, 1, 1); err != nil {
				reading <- err
				return
			}
		}
	}()
	steps.AtOnce(b, func(id ident.ID) store.Effect {
		e := b.Happening(1)
		e.State = id
		return store.Publish{Event: e}
	}, func() (ids []ident.ID) {
		close(stop)
		b.Must("reading meanwhile", <-reading)
		for _, e := range feed(b) {
			ids = append(ids, e.Events[0].State)
		}
		return ids
	})
}

func feedOrderOfProblem(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	b.Together(bench.Writers, func(who int) error {
		for range rounds {
			for stored := false; !stored; {
				if err := b.Going(); err != nil {
					return err
				}
				var err error
				if stored, err = stepPublished(b, p.ID); err != nil {
					return err
				}
			}
			if who == 0 {
				if _, err := b.Store.Feed(b.Ctx, 1, 1, 1); err != nil {
					return err
				}
			}
		}
		return nil
	})
	entries := feed(b)
	b.Equal("the number of entries", bench.Writers*rounds, len(entries))
	for i, e := range entries {
		b.Equal(fmt.Sprintf("the revision of entry %d", i+1), int64(i+2), e.Events[0].Revision)
	}
}

// stepPublished brings a problem to its next revision and publishes it. stored is false
// when somebody else was first.
func stepPublished(b *bench.Bench, id problem.ID) (stored bool, err error) {
	var now snapshot.Snapshot
	err = b.Store.View(b.Ctx, func(r store.Reader) (err error) {
		now, err = r.Problem(b.Ctx, id, ident.None, 0)
		return err
	})
	if err != nil {
		return false, err
	}
	next := now.Problem
	next.Revision++
	e := b.Happening(id)
	e.Revision = next.Revision
	change := b.Change(store.UpdateProblem{Problem: next}, store.Publish{Event: e})
	change.Expect = []store.Expectation{store.ProblemAt{ID: id, Revision: now.Revision, Batch: now.Batch}}
	_, err = b.Store.Commit(b.Ctx, change)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// feedCancelledUnderWay ends Feeds after various times. Each has an entry that nobody has read.
func feedCancelledUnderWay(b *bench.Bench) {
	const rounds = 20
	for round := range rounds {
		publish(b, b.Happening(1), b.Administered())
		ctx, cancel := context.WithCancel(b.Ctx)
		b.Alongside(1, func(int) error {
			if _, err := b.Store.Feed(ctx, 1, math.MaxInt32, math.MaxInt64); err != nil && !fault.Is(err, fault.Unavailable) {
				return fmt.Errorf("Feed: %w", err)
			}
			return nil
		}, func(<-chan struct{}) {
			time.Sleep(time.Duration(round) * 100 * time.Microsecond)
			cancel()
		})
		publish(b, b.Happening(1))
	}
	b.Equal("the number of entries", 2*rounds, len(feed(b)))
}

// feedUnderLoad has writers that publish until a reader has called Feed some times.
func feedUnderLoad(b *bench.Bench) {
	var over atomic.Bool
	b.Together(bench.Writers+1, func(who int) error {
		if who == 0 {
			defer over.Store(true)
			var seen []event.Entry
			for range 10 {
				var err error
				if seen, err = readOn(b, seen); err != nil {
					return err
				}
			}
			return nil
		}
		for !over.Load() {
			if err := b.Going(); err != nil {
				return err
			}
			if _, err := b.Store.Commit(b.Ctx, publishing(b, b.Happening(1))); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	})
}
