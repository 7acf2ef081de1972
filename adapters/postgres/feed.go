package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// A Commit puts its entry into the table pending. The next reader of the feed numbers the
// visible pending entries, on any server. When Change A precedes Change B, A is visible
// wherever B is, and has the smaller position: so A gets the smaller number. A slow Commit
// delays only its own entry.

// numberedAtOnce limits the entries of one numbering, and numberedBytes their sizes: it
// locks the head, and writes the bodies once more.
const (
	numberedAtOnce = 1000
	numberedBytes  = 16 << 20
)

const (
	lockHead = "SELECT number FROM feed_head WHERE id = 1 FOR UPDATE"

	// giveNumbers begins after the lock, so it sees the result of the numbering before it.
	// It names the one row of feed_head wherever it uses the table: without statistics the
	// server would assume thousands of rows, and compile the statement for a second.
	// It returns whether the limits have left out entries.
	giveNumbers = "WITH taken AS (DELETE FROM pending WHERE position IN (SELECT position FROM (" +
		"SELECT position, sum(size) OVER (ORDER BY position) - size AS before FROM (" +
		"SELECT position, size FROM pending ORDER BY position LIMIT ?) AS sized) AS sums WHERE before < ?) RETURNING *), " +
		"placed AS (INSERT INTO feed (number, batch, size, body) " +
		"SELECT (SELECT number FROM feed_head WHERE id = 1) + row_number() OVER (ORDER BY position), batch, size, body FROM taken RETURNING number) " +
		"UPDATE feed_head SET number = feed_head.number + (SELECT count(*) FROM placed) WHERE id = 1 " +
		"RETURNING EXISTS (SELECT FROM pending WHERE position > (SELECT max(position) FROM taken))"

	wholeFeed = "(SELECT number, batch, size, body FROM feed UNION ALL " +
		"SELECT (SELECT number FROM feed_head WHERE id = 1) + row_number() OVER (ORDER BY position), batch, size, body FROM pending) AS whole"

	anyPending = "SELECT EXISTS (SELECT FROM pending)"
)

// Feed implements store.Store. Without pending entries it is one read.
func (s *Store) Feed(ctx context.Context, from int64, limit int, budget int64) (entries []event.Entry, err error) {
	read := func(r sqlstore.Reader, further sqlstore.Query) (err error) {
		entries, err = r.NumberedFeed(ctx, from, limit, budget, further)
		return err
	}
	if s.published.Swap(false) {
		// There is something to number: doing it first saves a read.
		if _, err := s.numberEntries(ctx); err != nil {
			return nil, err
		}
	}
	shown, pending, err := s.readFeed(ctx, read)
	for more := pending; err == nil && more && !filled(entries, limit, budget); {
		if more, err = s.numberEntries(ctx); err == nil {
			shown, _, err = s.readFeed(ctx, read)
		}
	}
	if err == nil && len(entries) > 0 {
		err = s.Confirm(ctx, shown)
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// filled reports whether no further entry fits.
func filled(entries []event.Entry, limit int, budget int64) bool {
	for _, e := range entries {
		budget -= e.Size()
	}
	return len(entries) > 0 && (len(entries) >= limit || budget <= 0)
}

// FeedEnds implements store.Store. It numbers all visible entries first.
func (s *Store) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	read := func(r sqlstore.Reader, further sqlstore.Query) (err error) {
		oldest, newest, err = r.FeedEnds(ctx, further)
		return err
	}
	shown, pending, err := s.readFeed(ctx, read)
	if err == nil && pending {
		for more := true; err == nil && more; {
			more, err = s.numberEntries(ctx)
		}
		if err == nil {
			shown, _, err = s.readFeed(ctx, read)
		}
	}
	if err == nil && newest.Number > 0 {
		err = s.Confirm(ctx, shown)
	}
	if err != nil {
		return event.Entry{}, event.Entry{}, err
	}
	return oldest, newest, nil
}

// readFeed calls read, together with a query for pending entries.
func (s *Store) readFeed(ctx context.Context, read func(r sqlstore.Reader, further sqlstore.Query) error) (shown store.History, pending bool, err error) {
	look := sqlstore.Query{SQL: anyPending, Row: func(scan func(...any) error) error { return scan(&pending) }}
	err = s.View(ctx, func(r store.Reader) error {
		r.(reader).Last() // all queries travel at once
		err := read(r.(reader).Reader, look)
		shown = r.History()
		return err
	})
	return shown, pending, err
}

// numberEntries numbers the visible pending entries. more is true when the limits have
// left some out. It is safe to repeat, as an entry is either pending or numbered.
func (s *Store) numberEntries(ctx context.Context) (more bool, err error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	type numbering struct {
		more, lost bool
	}
	for attempt := 0; ; attempt++ {
		n, err := write(ctx, s, func(ctx context.Context, conn *pgxpool.Conn) (n numbering, err error) {
			batch := s.promising()
			batch.Queue(s.texts.plainOf(lockHead))
			batch.Queue(s.texts.plainOf(giveNumbers), numberedAtOnce, numberedBytes).QueryRow(func(row pgx.Row) error { return row.Scan(&n.more) })
			err = conn.SendBatch(ctx, batch).Close()
			n.lost = conn.Conn().IsClosed()
			return n, err
		})
		switch {
		case err == nil:
			return n.more, nil
		case ctx.Err() != nil || attempt > s.options.Connections || !n.lost && !retryable(err):
			return false, interrupted(ctx, classify(err))
		}
	}
}

// numberBefore numbers all visible entries if the Change forgets or rewrites entries of the
// feed.
func (s *Store) numberBefore(ctx context.Context, change store.Change) error {
	forgets := slices.ContainsFunc(change.Effects, func(e store.Effect) bool { _, forgets := e.(store.ForgetFeed); return forgets })
	if !forgets && !sqlstore.Rewriting(change) {
		return nil
	}
	for {
		if more, err := s.numberEntries(ctx); err != nil || !more {
			return err
		}
	}
}
