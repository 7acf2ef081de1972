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
	behind  behind
	calls   store.Gate
	citus   bool // the database has this extension
	step    int  // the number of this version's last migration
	opened  atomic.Bool

	ended         chan struct{} // closed by end
	end           func()
	writing       chan struct{} // an element for each write under way
	answered      atomic.Uint64 // how many writes the server has answered
	published     atomic.Bool   // there was a Commit since the last numbering for Feed
	confirmations confirmations
	mu            sync.Mutex
	held          map[*writer]struct{} // of the writes under way

	hosts    []host
	primary  atomic.Pointer[host] // the one to try first; nil: as the URL has them
	looking  atomic.Bool
	timeline atomic.Uint32          // of the last connected server
	host     atomic.Pointer[string] // its address
}

var _ store.Store = (*Store)(nil)

// Open connects to the database, and migrates its schema if the options say so. It fails
// for a database without the needed guarantees.
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
	if s.step, err = o.steps.Last(); err != nil {
		return nil, err
	}
	s.ended = make(chan struct{})
	s.end = sync.OnceFunc(func() { close(s.ended) })
	config.BeforeConnect, config.AfterConnect = s.connecting, s.connected
	if s.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, o.failure(err)
	}
	found, err := prepare(ctx, o, s.pool)
	if err != nil {
		go s.pool.Close() // limits the wait for a silent server
		return nil, err
	}
	if s.citus = found.Citus; s.citus {
		s.dialect.Parts, s.dialect.Unnumbered = nil, true // Citus takes no triggers
	}
	s.opened.Store(true)
	if found.missing() || found.Appeared {
		s.pool.Reset() // connections from before the schema do not show
	}
	s.tend(ctx, found)
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
	if err := fn(reader{sqlstore.Reader{Dialect: s.searching(), Session: v}, v}); err != nil {
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

// single calls fn with a Reader for one read: the read is its own transaction.
func (s *Store) single(ctx context.Context, fn func(sqlstore.Reader) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	v := &view{store: s, leave: leave, begun: true}
	defer v.end()
	return fn(sqlstore.Reader{Dialect: s.dialect, Session: v})
}

// Reserve implements store.Store. The numbers come from a sequence common to all servers.
// To take one is a write, and the write may wait for a standby.
func (s *Store) Reserve(ctx context.Context) (problem.ID, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	// A wasted number is harmless, so this is safe to repeat. All connections of the pool
	// may be lost: there is an attempt for each.
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
		// Two statements: Citus sends one with both to a server without the sequence. They
		// travel together. The highest number comes first: every reserved number is above
		// it, even if others store problems meanwhile.
		numbers := s.promising()
		numbers.Queue(highestNumber).QueryRow(func(row pgx.Row) error { return row.Scan((*int64)(&highest)) })
		numbers.Queue(nextNumber).QueryRow(func(row pgx.Row) error { return row.Scan((*int64)(&id)) })
		if err := conn.SendBatch(ctx, numbers).Close(); err != nil || id > highest {
			return id, err
		}
		// Somebody has stored a problem with an unreserved number. One session at a time
		// moves the sequence past it: so a slow session cannot move it back.
		batch := s.promising()
		batch.Queue(lockNumbers)
		batch.Queue(skipNumbers)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return 0, err
		}
	}
}

const (
	nextNumber    = "SELECT nextval('problem_ids')"
	highestNumber = "SELECT coalesce(max(id), 0) FROM problems"
	lockNumbers   = "SELECT pg_advisory_xact_lock(hashtextextended('problems: numbers of ' || current_schema(), 0))"
	skipNumbers   = "SELECT setval('problem_ids', highest) FROM problem_ids, (SELECT max(id) AS highest FROM problems) p WHERE last_value < highest"
)

// Close implements store.Store. It waits for the calls under way, so a View must not call
// it. Writes without a waiting caller are left to the server.
func (s *Store) Close() error {
	// Then callers still waiting for a write get an error: its outcome is unknown.
	defer time.AfterFunc(grace, s.end).Stop()
	if s.calls.Close() {
		s.behind.close()
		s.cut(func(*connection) bool { return true })
		s.pool.Close()
	}
	return nil
}

// Stats are figures about the connections of a Store: now, and since it was opened.
type Stats struct {
	// Connected is the number of connections, InUse the number in use now, Most the
	// limit.
	Connected, InUse, Most int
	// Waited counts the waits for a connection. WaitedFor is their total time.
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
