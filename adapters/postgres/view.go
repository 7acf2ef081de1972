package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// view is a sqlstore.Session in one transaction, or one statement. It connects when it
// is first read from.
type view struct {
	store *Store
	leave func() // the gate, once the view has ended
	conn  *pgxpool.Conn
	// begun is true once the transaction has begun. It is true from the start in a view
	// for one read: that needs no transaction.
	begun bool
	// last is true when the next read is the only one left: the transaction ends with it.
	last, over bool
}

// reader is the Reader of a View.
type reader struct {
	sqlstore.Reader
	view *view
}

var _ store.LastReader = reader{}

// Last implements store.LastReader.
func (r reader) Last() { r.view.last = true }

// History implements store.Reader. It is the timeline of the server behind the read:
// every fail-over begins another one.
func (r reader) History() store.History {
	if r.view.conn == nil {
		return 0
	}
	return store.History(connectionOf(r.view.conn).timeline)
}

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Read implements sqlstore.Session. All queries travel at once.
func (v *view) Read(ctx context.Context, queries ...sqlstore.Query) error {
	return v.try(ctx, func(ctx context.Context) (rows int, err error) { return v.read(ctx, queries) })
}

// ReadOnce implements sqlstore.Session. When ctx ends, the driver has the server
// cancel the statement.
func (v *view) ReadOnce(ctx context.Context, query sqlstore.Query) error {
	return v.try(ctx, func(ctx context.Context) (rows int, err error) { return v.readOnce(ctx, query) })
}

// try calls read with a connection, and takes one first if there is none. read returns
// the number of rows read, also when it fails.
func (v *view) try(ctx context.Context, read func(context.Context) (rows int, err error)) error {
	if err := store.Ended(ctx); err != nil {
		return err
	}
	if v.over {
		return store.ErrOver
	}
	for attempt := 0; ; attempt++ {
		fresh := v.conn == nil
		if fresh {
			var err error
			if v.conn, err = v.store.acquire(ctx); err != nil {
				return err
			}
		}
		limited, cancel := context.WithTimeout(ctx, v.store.options.bound())
		rows, err := read(limited)
		cancel()
		if err == nil {
			v.begun, v.over = true, v.last
			return nil
		}
		// A lost idle connection shows only now. The pool has at most one for each of its
		// connections.
		lost := v.conn.Conn().IsClosed() && !timedOut(err)
		if fresh && rows == 0 && (lost || outdated(err)) && ctx.Err() == nil && attempt <= v.store.options.Connections {
			v.conn.Release()
			v.conn = nil
			continue
		}
		return interrupted(ctx, classify(err))
	}
}

// readOnce sends a query. The server plans it for its arguments and keeps no plan.
// Compiling a plan takes longer than most searches.
func (v *view) readOnce(ctx context.Context, q sqlstore.Query) (rows int, err error) {
	setting := "SET LOCAL jit = off"
	if !v.begun {
		setting = begin + "; " + setting
	}
	if _, err := v.conn.Exec(ctx, setting); err != nil {
		return 0, err
	}
	found, err := v.conn.Query(ctx, numbered(q.SQL), append([]any{pgx.QueryExecModeExec}, q.Args...)...)
	if err != nil {
		return 0, err
	}
	defer found.Close()
	for found.Next() {
		rows++
		if err := q.Row(found.Scan); err != nil {
			return rows, err
		}
	}
	return rows, found.Err()
}

// read sends the queries and reads the answers. It returns how many rows it has
// read, also when it fails.
func (v *view) read(ctx context.Context, queries []sqlstore.Query) (rows int, err error) {
	only := v.last && !v.begun
	alone := only && len(queries) == 1 // a statement shows one moment by itself
	if only && !alone && v.joins(queries) {
		rows, all, err := v.readJoined(ctx, queries)
		if all || err != nil {
			return rows, err
		}
	}
	begins, ends := !v.begun && !alone, v.last && !alone
	batch := &pgx.Batch{}
	if begins {
		batch.Queue(begin)
	}
	for _, q := range queries {
		batch.Queue(v.store.texts.plainOf(q.SQL), q.Args...)
	}
	if ends {
		batch.Queue("COMMIT")
	}
	results := v.conn.SendBatch(ctx, batch)
	defer func() {
		if closing := results.Close(); err == nil {
			err = closing
		}
	}()
	if begins {
		if _, err := results.Exec(); err != nil {
			return 0, err
		}
	}
	for _, q := range queries {
		found, err := results.Query()
		if err != nil {
			return rows, err
		}
		for found.Next() {
			rows++
			if err := q.Row(found.Scan); err != nil {
				found.Close()
				return rows, err
			}
		}
		found.Close()
		if err := found.Err(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// endTimeout limits the end of a transaction that nobody waits for.
const endTimeout = 5 * time.Second

// end ends the transaction. No caller needs to wait for it.
func (v *view) end() {
	if v.conn == nil {
		v.leave()
		return
	}
	if v.conn.Conn().PgConn().TxStatus() == 'I' {
		v.conn.Release()
		v.leave()
		return
	}
	go func() {
		defer v.leave()
		defer v.conn.Release() // closes the connection, if it is still in the transaction
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		_, _ = v.conn.Exec(ctx, "ROLLBACK")
	}()
}

// acquire returns a connection, after a limited wait. When the server has no more, an
// existing one of the pool will do.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, s.options.AcquireTimeout)
	defer cancel()
	for {
		conn, err := s.pool.Acquire(limited)
		switch {
		case err == nil:
			return conn, nil
		case crowded(err):
			select {
			case <-time.After(crowdedPause):
				continue
			case <-limited.Done():
			}
		case timedOut(err) && ctx.Err() == nil && s.pool.Stat().AcquiredConns() == s.pool.Stat().MaxConns():
			return nil, fault.Wrap(fault.Unavailable, store.Busy(err), "all %d connections to the database are in use", s.pool.Stat().MaxConns())
		}
		return nil, interrupted(ctx, classify(err))
	}
}

// crowdedPause is the pause before the next attempt to connect to a full server.
const crowdedPause = 20 * time.Millisecond

// interrupted returns the fault of the context, if the context is over: it is the reason
// for the other failure.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && fault.Is(err, fault.Unavailable) {
		return store.Ended(ctx)
	}
	return err
}
