package boltstore

import (
	"context"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// enter adds the entry of a Change to the feed, if it publishes anything. bbolt has one
// writer at a time: so the order of the numbers is the order of the Commits.
func (c contents) enter(change store.Change) error {
	entry := change.Entry()
	if len(entry.Events) == 0 {
		return nil
	}
	newest, err := c.newest()
	if err != nil {
		return err
	}
	entry.Number = newest.Number + 1
	return c.put(feed, number(entry.Number), entry)
}

// newest returns the last entry of the feed; zero when there is none.
func (c contents) newest() (event.Entry, error) {
	_, data := c.in(feed).Cursor().Last()
	if data == nil {
		return event.Entry{}, nil
	}
	return decode[event.Entry](data)
}

// forgetFeed removes the entries up to a number, but not the last one.
func (c contents) forgetFeed(through int64) error {
	newest, err := c.newest()
	if err != nil {
		return err
	}
	cursor := c.in(feed).Cursor()
	for key, data := cursor.First(); key != nil; key, data = cursor.Next() {
		e, err := decode[event.Entry](data)
		if err != nil {
			return err
		}
		if e.Number > through || e.Number == newest.Number {
			return nil
		}
		if err := failure(cursor.Delete()); err != nil {
			return err
		}
	}
	return nil
}

// Feed implements store.Reader.
func (r reader) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	cursor := r.in(feed).Cursor()
	for key, data := cursor.Seek(number(max(from, 1))); key != nil && len(page) < limit; key, data = cursor.Next() {
		e, err := decode[event.Entry](data)
		if err != nil {
			return nil, err
		}
		page = append(page, e)
		if budget -= e.Size(); budget <= 0 {
			break
		}
	}
	return page, store.Ended(ctx)
}

// Feed implements store.Store. bbolt shows entries a moment before syncing them, and a
// returned entry has to survive a crash: so Confirm comes first.
func (s *Store) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	err = s.read(ctx, func(c contents) error {
		page, err = reader{c}.Feed(ctx, from, limit, budget)
		return err
	})
	if err == nil && len(page) > 0 {
		err = s.Confirm(ctx, 0)
	}
	if err != nil {
		return nil, err
	}
	return page, nil
}

// FeedEnds implements store.Store.
func (s *Store) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	err = s.read(ctx, func(c contents) (err error) {
		if _, data := c.in(feed).Cursor().First(); data != nil {
			if oldest, err = decode[event.Entry](data); err != nil {
				return err
			}
		}
		newest, err = c.newest()
		return err
	})
	if err == nil && newest.Number > 0 {
		err = s.Confirm(ctx, 0)
	}
	if err != nil {
		return event.Entry{}, event.Entry{}, err
	}
	oldest.Events, newest.Events = nil, nil
	return oldest, newest, nil
}
