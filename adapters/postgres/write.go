package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// A write goes on after its caller has given up. The server may be waiting for a standby.
// A write cut off there becomes visible to everybody although the standby does not have
// it. So the connection stays reserved until the server answers, or is gone.

// writer is a connection for one write.
type writer struct {
	*pgxpool.Conn
	*connection
	store *Store
	batch ident.ID // of a Commit; none for other writes
}

// writers returns the limit of concurrent writes. While no standby confirms, all of them
// wait; the other connections remain for readers.
func (o Options) writers() int {
	if o.Connections == 1 {
		return 1
	}
	return o.Connections - max(1, o.Connections/4)
}

// writer returns a connection to write with, after a limited wait. The caller or perform
// has to release it.
func (s *Store) writer(ctx context.Context) (*writer, error) {
	limited, cancel := context.WithTimeout(ctx, s.options.AcquireTimeout)
	defer cancel()
	before := s.answered.Load()
	select {
	case s.writing <- struct{}{}:
	case <-limited.Done():
		cause := limited.Err()
		if s.answered.Load() != before {
			cause = store.Busy(cause)
		}
		return nil, interrupted(ctx, fault.Wrap(fault.Unavailable, cause,
			"all %d connections for writing wait for the database; nothing was changed", cap(s.writing)))
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		<-s.writing
		return nil, err
	}
	return &writer{Conn: conn, connection: connectionOf(conn), store: s}, nil
}

func (w *writer) release() {
	w.Conn.Release()
	<-w.store.writing
}

// errUndecided is the error of a write without a timely answer. It may be done or not,
// and may still be either later.
var errUndecided = errors.New("the database has not answered yet")

// errUnconfirmed is the error of a write that is done on this server, but possibly on no
// standby.
var errUnconfirmed = errors.New("the database has warned that no standby may have the change")

// answer is the outcome of a write, once done is closed.
type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// start calls do for the write, and releases the writer when do has ended. The error is
// that of do, or errUnconfirmed when the server has stopped waiting for its standby.
func start[T any](w *writer, do func(context.Context) (T, error)) *answer[T] {
	a := &answer[T]{done: make(chan struct{})}
	w.store.hold(w)
	go func() {
		defer close(a.done)
		a.value, a.err = do(context.Background())
		if w.warned.Load() {
			a.err = errUnconfirmed
		}
		w.store.drop(w)
	}()
	return a
}

// perform starts a write and returns its outcome, or errUndecided after the time limit.
// The end of ctx does not end the wait, but its deadline does.
func perform[T any](ctx context.Context, w *writer, do func(context.Context) (T, error)) (T, error) {
	a := start(w, do)
	limited, cancel := context.WithoutCancel(ctx), context.CancelFunc(func() {})
	if deadline, ok := ctx.Deadline(); ok {
		limited, cancel = context.WithDeadline(limited, deadline)
	}
	defer cancel()
	if !w.store.wait(limited, a.done) {
		var none T
		return none, errUndecided
	}
	return a.value, a.err
}

// wait waits until done is closed. It reports false when one of these comes first: the
// end of ctx, the limit of a statement, the end of the store.
func (s *Store) wait(ctx context.Context, done <-chan struct{}) bool {
	limited, cancel := context.WithTimeout(ctx, s.options.bound())
	defer cancel()
	return s.await(limited, done)
}

// await is wait without the limit of a statement. It looks for a new primary again and again.
func (s *Store) await(ctx context.Context, done <-chan struct{}) bool {
	slow := time.NewTicker(min(suspicious, s.options.bound()/2))
	defer slow.Stop()
	for {
		select {
		case <-done:
			return true
		case <-slow.C:
			s.lookAgain()
		case <-ctx.Done():
			return false
		case <-s.ended:
			return false
		}
	}
}

// write is perform with a writer of its own.
func write[T any](ctx context.Context, s *Store, do func(context.Context, *pgxpool.Conn) (T, error)) (T, error) {
	w, err := s.writer(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return perform(ctx, w, func(ctx context.Context) (T, error) { return do(ctx, w.Conn) })
}

// hold registers a write under way.
func (s *Store) hold(w *writer) {
	w.warned.Store(false)
	w.connection.writing.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[w] = struct{}{}
}

// holds reports whether the Commit of a batch is under way here.
func (s *Store) holds(batch ident.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.held {
		if w.batch == batch {
			return true
		}
	}
	return false
}

// drop ends the registration of the write, and releases its writer. A statement on a
// broken connection stays a write, so nobody cancels it.
func (s *Store) drop(w *writer) {
	s.mu.Lock()
	delete(s.held, w)
	s.mu.Unlock()
	if !w.Conn.Conn().IsClosed() {
		w.connection.writing.Store(false)
		s.answered.Add(1)
	}
	w.release()
}

// cut closes the connections of the writes of the given kind. The server goes on with the
// statements it has received.
func (s *Store) cut(of func(*connection) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.held {
		if of(w.connection) {
			_ = w.Conn.Conn().PgConn().Conn().Close() // it is given up in any case
		}
	}
}
