package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Store is a store.Store in a PostgreSQL database. It is made by [Open].
type Store struct {
	options Options
	pool    *pgxpool.Pool
	dialect *sqlstore.Dialect
	texts   texts
	calls   store.Gate

	ended         chan struct{} // closed by end
	end           func()
	writing       chan struct{} // has an element for each write under way
	answered      atomic.Uint64 // how many writes the server has answered
	confirmations confirmations
	mu            sync.Mutex
	held          map[*writer]struct{} // those of the writes under way

	hosts    []host
	primary  atomic.Pointer[host] // the one to try first; nil: as the URL has them
	looking  atomic.Bool
	timeline atomic.Uint32          // of the server that was connected to last
	host     atomic.Pointer[string] // its address
}

var _ store.Store = (*Store)(nil)

// Open connects to the database, brings its schema up to date if the options say
// so, and fails when the database is not fit to be written to.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	o, err = o.complete()
	if err != nil {
		return nil, err
	}
	config, err := o.poolConfig()
	if err != nil {
		return nil, err
	}
	s := &Store{
		options: o, dialect: newDialect(),
		writing: make(chan struct{}, o.writers()), held: make(map[*writer]struct{}),
		hosts: hostsOf(config.ConnConfig),
	}
	s.ended = make(chan struct{})
	s.end = sync.OnceFunc(func() { close(s.ended) })
	config.BeforeConnect, config.AfterConnect = s.connecting, s.connected
	if s.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, o.failure(err)
	}
	if err := prepare(ctx, o, s.pool); err != nil {
		go s.pool.Close() // for which it may wait for a server that is silent
		return nil, err
	}
	return s, nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	v := &view{store: s, leave: leave}
	defer v.end()
	if err := fn(reader{sqlstore.Reader{Dialect: s.dialect, Session: v}, v}); err != nil {
		return err
	}
	return store.Ended(ctx)
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context) (v store.Versions, err error) {
	err = s.single(ctx, func(r sqlstore.Reader) error {
		v, err = r.Versions(ctx)
		return err
	})
	return v, err
}

// single calls fn with a Reader for one read, which is its own transaction.
func (s *Store) single(ctx context.Context, fn func(sqlstore.Reader) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	v := &view{store: s, leave: leave, begun: true}
	defer v.end()
	return fn(sqlstore.Reader{Dialect: s.dialect, Session: v})
}

// Reserve implements store.Store. The numbers come from a sequence, which all
// servers share. To take one is a write, for which a standby may be waited for.
func (s *Store) Reserve(ctx context.Context) (problem.ID, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	// A number may be taken in vain: so this may be done once for each connection of
	// the pool that may have been lost.
	for attempt := 0; ; attempt++ {
		type reserved struct {
			id   problem.ID
			lost bool
		}
		r, err := write(ctx, s, func(ctx context.Context, conn *pgxpool.Conn) (r reserved, err error) {
			r.id, err = s.reserve(ctx, conn)
			r.lost = conn.Conn().IsClosed()
			return r, err
		})
		if err == nil || !r.lost || ctx.Err() != nil || attempt > s.options.Connections {
			return r.id, interrupted(ctx, classify(err))
		}
	}
}

func (s *Store) reserve(ctx context.Context, conn *pgxpool.Conn) (problem.ID, error) {
	for {
		var id, highest problem.ID
		err := conn.QueryRow(ctx, s.texts.plainOf(nextNumber)).Scan((*int64)(&id), (*int64)(&highest))
		if err != nil || id > highest {
			return id, err
		}
		// Somebody has stored a problem with a number that was not
		// reserved. One at a time moves the sequence behind it, so that
		// nobody moves it back behind whoever was quicker.
		batch := &pgx.Batch{}
		batch.Queue(lockNumbers)
		batch.Queue(skipNumbers)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return 0, err
		}
	}
}

const (
	nextNumber  = "SELECT nextval('problem_ids'), coalesce((SELECT max(id) FROM problems), 0)"
	lockNumbers = "SELECT pg_advisory_xact_lock(hashtextextended('problems: numbers of ' || current_schema(), 0))"
	skipNumbers = "SELECT setval('problem_ids', highest) FROM problem_ids, (SELECT max(id) AS highest FROM problems) p WHERE last_value < highest"
)

// Close implements store.Store. It waits for the calls under way, so that it
// must not be called within a View. Writes that no caller waits for any more are left
// to the server.
func (s *Store) Close() error {
	// Whoever still waits for a write after that learns that its outcome is not known.
	defer time.AfterFunc(grace, s.end).Stop()
	if s.calls.Close() {
		s.cut(func(*connection) bool { return true })
		s.pool.Close()
	}
	return nil
}

// Stats tell how busy the connections of a Store are, and have been since it was
// opened.
type Stats struct {
	// Connected is the number of connections, InUse of those in use at this
	// moment, Most of those that there can be.
	Connected, InUse, Most int
	// Waited counts the calls that had to wait for a connection, WaitedFor
	// is for how long they did, all together.
	Waited    uint64
	WaitedFor time.Duration
}

// Stats returns the figures of this moment.
func (s *Store) Stats() Stats {
	now := s.pool.Stat()
	return Stats{
		Connected: int(now.TotalConns()), InUse: int(now.AcquiredConns()), Most: int(now.MaxConns()),
		Waited: uint64(now.EmptyAcquireCount()), WaitedFor: now.EmptyAcquireWaitTime(),
	}
}
