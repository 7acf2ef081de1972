package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// A write goes on after its caller has given it up. The server may be waiting for a
// standby, and a write that is cut off there becomes visible to everybody although the
// standby does not have it. So the connection is kept until the server answers, or is
// gone.

// writer is a connection for one write.
type writer struct {
	*pgxpool.Conn
	*connection
	store *Store
}

// writers returns how many writes there can be at the same time. While no standby
// confirms, all of them wait; the other connections are for those who read.
func (o Options) writers() int {
	if o.Connections == 1 {
		return 1
	}
	return o.Connections - max(1, o.Connections/4)
}

// writer returns a connection to write with, for which it waits a limited time. It has
// to be released, by the caller or by finish.
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
	return &writer{conn, connectionOf(conn), s}, nil
}

func (w *writer) release() {
	w.Conn.Release()
	<-w.store.writing
}

// errUndecided is the error of a write that the server has not answered in time. It
// may be done or not, and may still be either later.
var errUndecided = errors.New("the database has not answered yet")

// errUnconfirmed is the error of a write that is done on this server, but that no
// standby may have.
var errUnconfirmed = errors.New("the database has warned that no standby may have the change")

// answer is what a write has come to, once done is closed.
type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// start calls do, which writes, and releases the writer when do has ended. The error
// is that of do, or errUnconfirmed when the server has stopped waiting for its standby.
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

// finish starts a write and returns what it comes to, or errUndecided when the time for
// that is over. The end of ctx does not end the wait, but its deadline does.
func finish[T any](ctx context.Context, w *writer, do func(context.Context) (T, error)) (T, error) {
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

// wait waits until done is closed, and reports whether that happened before ctx ended,
// the time that a statement may take was over, or the store is closed.
func (s *Store) wait(ctx context.Context, done <-chan struct{}) bool {
	limited, cancel := context.WithTimeout(ctx, s.options.bound())
	defer cancel()
	slow := time.NewTimer(min(suspicious, s.options.bound()/2))
	defer slow.Stop()
	for {
		select {
		case <-done:
			return true
		case <-slow.C:
			s.lookAgain()
		case <-limited.Done():
			return false
		case <-s.ended:
			return false
		}
	}
}

// write is finish with a writer of its own.
func write[T any](ctx context.Context, s *Store, do func(context.Context, *pgxpool.Conn) (T, error)) (T, error) {
	w, err := s.writer(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return finish(ctx, w, func(ctx context.Context) (T, error) { return do(ctx, w.Conn) })
}

// hold notes that a write is under way.
func (s *Store) hold(w *writer) {
	w.warned.Store(false)
	w.connection.writing.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[w] = struct{}{}
}

// drop notes that the write has ended, and releases its writer. What is sent on a
// connection that broke stays a write, so that nobody cancels it.
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

// cut closes the connections of the writes under way that are of the given kind. The
// server goes on with what it has received.
func (s *Store) cut(of func(*connection) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.held {
		if of(w.connection) {
			_ = w.Conn.Conn().PgConn().Conn().Close() // it is given up in any case
		}
	}
}
