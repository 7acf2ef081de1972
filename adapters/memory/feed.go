package memory

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// published is an event.Entry in less memory. Its place in the feed is its number.
type published struct {
	batch  ident.ID
	at     int64   // Unix milliseconds
	author *author // interned: entries of one author share it
	events []happening
}

// happening is an event.Event in less memory. Its lines share their contents with log
// entries.
type happening struct {
	event.Event // without lines
	lines       []line
}

type line struct {
	id ident.ID
	*content
}

// publish adds an event to the entry of the Change.
func (d *draft) publish(e event.Event) {
	lines := make([]line, len(e.Lines))
	for i, l := range e.Lines {
		lines[i] = line{l.ID, d.interned.content(content{problem.LogType(l.Type), l.Field, l.From, l.To})}
	}
	e.Type, e.Lines = event.Type(d.interned.name(string(e.Type))), nil
	d.events = append(d.events, happening{e, lines})
}

// enter adds the entry of a Change to the feed, if it has published anything.
func (s *state) enter(batch ident.ID, at time.Time, author *author, events []happening) {
	if len(events) > 0 {
		s.feed = append(s.feed, published{batch, at.UnixMilli(), author, slices.Clip(events)})
	}
}

// forgetFeed removes the entries up to a number, but not the last one.
func (s *state) forgetFeed(through int64) {
	if n := min(max(through, 0)-s.forgotten, int64(len(s.feed))-1); n > 0 {
		s.feed = slices.Clone(s.feed[n:])
		s.forgotten += n
	}
}

// feedOf returns the feed of an Archive, and the number of entries before it.
func feedOf(ctx context.Context, archive store.Archive, known interned) (feed []published, forgotten int64, err error) {
	if archive.Feed == nil {
		return nil, 0, nil
	}
	for e, err := range archive.Feed {
		if err != nil {
			return nil, 0, err
		}
		if err := store.Ended(ctx); err != nil {
			return nil, 0, err
		}
		if len(feed) == 0 {
			forgotten = e.Number - 1
		}
		d := draft{interned: known}
		feed = append(feed, published{e.Batch, e.At.UnixMilli(), known.author(e.Author, e.Via), d.happenings(e.Events)})
	}
	return feed, forgotten, nil
}

// head returns the entry at an index of the feed without its events.
func (s *state) head(i int) event.Entry {
	p := &s.feed[i]
	return event.Entry{Number: s.forgotten + int64(i) + 1, Batch: p.batch, At: timeOf(p.at), Author: p.author.user, Via: p.author.via}
}

// entry returns the entry at an index of the feed in its full form.
func (s *state) entry(i int) event.Entry {
	p, e := &s.feed[i], s.head(i)
	e.Events = make([]event.Event, len(p.events))
	for j, h := range p.events {
		e.Events[j] = h.Event
		for _, l := range h.lines {
			e.Events[j].Lines = append(e.Events[j].Lines, event.Line{ID: l.id, Type: string(l.kind), Field: l.field, From: l.from, To: l.to})
		}
	}
	return e
}

// entries returns entries from a number on: at most limit, and none after the entry that uses
// up the budget, in bytes.
func (s *state) entries(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	var found []event.Entry
	for i := max(max(from, 1)-s.forgotten-1, 0); i < int64(len(s.feed)) && len(found) < limit; i++ {
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		e := s.entry(int(i))
		found = append(found, e)
		if budget -= e.Size(); budget <= 0 {
			break
		}
	}
	return found, store.Ended(ctx)
}

// Feed implements store.Reader.
func (r reader) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	return r.entries(ctx, from, limit, budget)
}

// Feed implements store.Store. The order of the Commits is the order of the feed.
func (s *Store) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.current.Load().entries(ctx, from, limit, budget)
}

// FeedEnds implements store.Store.
func (s *Store) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return event.Entry{}, event.Entry{}, err
	}
	defer leave()
	now := s.current.Load()
	if len(now.feed) == 0 {
		return event.Entry{}, event.Entry{}, store.Ended(ctx)
	}
	return now.head(0), now.head(len(now.feed) - 1), store.Ended(ctx)
}
