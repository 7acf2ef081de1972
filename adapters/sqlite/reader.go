package sqlite

import (
	"context"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/store"
)

// session reads in one transaction. The transaction shows the moment of its first read.
type session struct{ *conn }

// begin starts the transaction.
func (c *conn) begin() (session, error) {
	_, err := c.exec("BEGIN")
	return session{c}, err
}

// end ends the transaction.
func (s session) end() {
	if _, err := s.exec("ROLLBACK"); err != nil {
		s.drop()
	}
}

// Read implements sqlstore.Session. It looks at the context before each row, as the parts
// of some hundred problems can be very many.
func (s session) Read(ctx context.Context, queries ...sqlstore.Query) error {
	if err := store.Ended(ctx); err != nil {
		return err
	}
	for _, q := range queries {
		row := func(scan func(...any) error) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return q.Row(scan)
		}
		if err := s.each(row, q.SQL, q.Args...); err != nil {
			if ended := store.Ended(ctx); ended != nil {
				return ended
			}
			return err
		}
	}
	return nil
}

// ReadOnce implements sqlstore.Session. Here the context is watched: it interrupts
// the statement until it has found its first row.
func (s session) ReadOnce(ctx context.Context, q sqlstore.Query) error {
	if err := store.Ended(ctx); err != nil {
		return err
	}
	err := s.once(ctx, q.Row, q.SQL, q.Args...)
	if err != nil && ctx.Err() != nil {
		return store.Ended(ctx)
	}
	return err
}
