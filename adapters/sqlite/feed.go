package sqlite

import (
	"context"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/event"
)

// Feed implements store.Store. The one writer numbers the entries in its transactions, so
// reading is all.
func (s *Store) Feed(ctx context.Context, from int64, limit int, budget int64) (entries []event.Entry, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		entries, err = sqlstore.Reader{Dialect: s.dialect, Session: session{c}}.NumberedFeed(ctx, from, limit, budget)
		return err
	})
	return entries, err
}

// FeedEnds implements store.Store.
func (s *Store) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		oldest, newest, err = sqlstore.Reader{Dialect: s.dialect, Session: session{c}}.FeedEnds(ctx)
		return err
	})
	return oldest, newest, err
}
