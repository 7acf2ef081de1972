package model

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// Enter adds the entry of a Change to the feed, if it publishes anything.
func (w *World) Enter(change store.Change) {
	entry := change.Entry()
	if len(entry.Events) == 0 {
		return
	}
	if entry.Number = 1; len(w.Events) > 0 {
		entry.Number = w.Events[len(w.Events)-1].Number + 1
	}
	w.Events = append(w.Events, CloneEntry(entry))
}

// CloneEntry returns a copy that shares no memory with the entry.
func CloneEntry(e event.Entry) event.Entry {
	e.Events = slices.Clone(e.Events)
	for i := range e.Events {
		e.Events[i].Lines = slices.Clone(e.Events[i].Lines)
	}
	return e
}

// Feed implements store.Reader.
func (w *World) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	for _, e := range w.Events {
		if e.Number >= from && len(page) < limit && (len(page) == 0 || budget > 0) {
			page = append(page, CloneEntry(e))
			budget -= e.Size()
		}
	}
	return page, Over(ctx)
}

// Feed implements store.Store.
func (m *Model) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	err = m.View(ctx, func(r store.Reader) error {
		page, err = r.Feed(ctx, from, limit, budget)
		return err
	})
	return page, err
}

// FeedEnds implements store.Store.
func (m *Model) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	err = m.View(ctx, func(r store.Reader) error {
		if all := r.(*World).Events; len(all) > 0 {
			oldest, newest = all[0], all[len(all)-1]
			oldest.Events, newest.Events = nil, nil
		}
		return nil
	})
	return oldest, newest, err
}
