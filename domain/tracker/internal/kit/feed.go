package kit

import (
	"context"
	"fmt"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// enter adds the entry of a Change to the feed. Every log and audit entry has to be in an
// event, with the problem as it is after the Change.
func (s *State) enter(c store.Change) {
	entry := c.Entry()
	if entry.Number = 1; len(s.Feed) > 0 {
		entry.Number = s.Feed[len(s.Feed)-1].Number + 1
	}
	lines, audited := 0, 0
	for _, effect := range c.Effects {
		switch e := effect.(type) {
		case store.Publish:
			lines += len(e.Event.Lines)
			if r := s.Problems[e.Event.Problem]; e.Event.Problem != 0 && (r.Problem.Title != e.Event.Title || r.Problem.State != e.Event.State || r.Problem.Revision != e.Event.Revision) {
				panic(fmt.Sprintf("the event %+v differs from its problem %+v", e.Event, r.Problem))
			}
		case store.AppendAudit:
			audited++
		}
	}
	if lines != audited+len(c.Log) {
		panic(fmt.Sprintf("%d audit and %d log entries became %d lines of events", audited, len(c.Log), lines))
	}
	if len(entry.Events) > 0 {
		s.Feed = append(s.Feed, entry)
	}
}

func (s *State) forgetFeed(through int64) {
	for len(s.Feed) > 1 && s.Feed[0].Number <= through {
		s.Feed = s.Feed[1:]
	}
}

// Feed implements store.Store.
func (m *Memory) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	return reader{m.Current()}.Feed(ctx, from, limit, budget)
}

// FeedEnds implements store.Store.
func (m *Memory) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if feed := m.Current().Feed; len(feed) > 0 {
		oldest, newest = feed[0], feed[len(feed)-1]
	}
	return oldest, newest, store.Ended(ctx)
}

func (r reader) Feed(ctx context.Context, from int64, limit int, budget int64) (page []event.Entry, err error) {
	for _, e := range r.of.Feed {
		if e.Number >= from && len(page) < limit && (len(page) == 0 || budget > 0) {
			page = append(page, e)
			budget -= e.Size()
		}
	}
	return page, store.Ended(ctx)
}
