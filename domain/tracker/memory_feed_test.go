package tracker

import (
	"context"
	"fmt"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// enter adds the entry of a Change to the feed. Every log and audit entry has to be in an
// event, with the problem as it is after the Change.
func (s *state) enter(c store.Change) {
	entry := c.Entry()
	if entry.Number = 1; len(s.feed) > 0 {
		entry.Number = s.feed[len(s.feed)-1].Number + 1
	}
	lines, audited := 0, 0
	for _, effect := range c.Effects {
		switch e := effect.(type) {
		case store.Publish:
			lines += len(e.Event.Lines)
			if r := s.problems[e.Event.Problem]; e.Event.Problem != 0 && (r.problem.Title != e.Event.Title || r.problem.State != e.Event.State || r.problem.Revision != e.Event.Revision) {
				panic(fmt.Sprintf("the event %+v differs from its problem %+v", e.Event, r.problem))
			}
		case store.AppendAudit:
			audited++
		}
	}
	if lines != audited+len(c.Log) {
		panic(fmt.Sprintf("%d audit and %d log entries became %d lines of events", audited, len(c.Log), lines))
	}
	if len(entry.Events) > 0 {
		s.feed = append(s.feed, entry)
	}
}

func (s *state) forgetFeed(through int64) {
	for len(s.feed) > 1 && s.feed[0].Number <= through {
		s.feed = s.feed[1:]
	}
}

func (m *memory) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	return reader{m.current()}.Feed(ctx, from, limit, budget)
}

func (m *memory) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if feed := m.current().feed; len(feed) > 0 {
		oldest, newest = feed[0], feed[len(feed)-1]
	}
	return oldest, newest, store.Ended(ctx)
}

func (r reader) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	for _, e := range r.feed {
		if e.Number >= from && len(page) < limit && (len(page) == 0 || budget > 0) {
			page = append(page, e)
			budget -= e.Size()
		}
	}
	return page, store.Ended(ctx)
}
