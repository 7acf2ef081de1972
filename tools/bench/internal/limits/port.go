package limits

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// logged is the number of log entries of a loaded problem.
const logged = 10

// StorePort measures the store port of adapters/postgres without HTTP, and pgbench with
// the same SQL on the same server. OpenPort makes it.
type StorePort struct {
	url     string
	clients int
	store   *postgres.Store
	service *tracker.Service // on the store
	db      *pgxpool.Pool    // to check the results
	as      ident.ID
	loaded  []problem.ID // the problems with as many log entries
	patched []*patcher   // one for each client, and at least two

	// Load and phases are the adapter's statements for a load, and for a patch there and
	// back.
	Load   captured
	phases [2]captured
}

// OpenPort prepares a database with a data set. It adds a few problems, and each client
// patches one of them. All clients together use the default number of connections of a
// server.
func OpenPort(ctx context.Context, databaseURL string, clients int) (_ *StorePort, err error) {
	p := &StorePort{url: databaseURL, clients: clients}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if p.store, err = postgres.Open(ctx, postgres.Options{URL: databaseURL}); err != nil {
		return nil, err
	}
	if p.db, err = pgxpool.New(ctx, databaseURL); err != nil {
		return nil, err
	}
	catalogue, err := p.choose(ctx)
	if err != nil {
		return nil, err
	}
	if p.patched, err = newPatchers(ctx, p.store, catalogue, p.as, max(2, clients)); err != nil {
		return nil, err
	}
	p.service = newService(p.store)
	return p, p.learn(ctx)
}

// Close closes the store.
func (p *StorePort) Close() {
	if p.store != nil {
		_ = p.store.Close() // it returns nil
	}
	if p.db != nil {
		p.db.Close()
	}
}

// choose chooses the problems to load, and the caller, and returns the catalogue.
func (p *StorePort) choose(ctx context.Context) (catalogue *metadata.Catalogue, err error) {
	const most = 1000
	rows, err := p.db.Query(ctx, "SELECT problem FROM log GROUP BY problem HAVING count(*) = $1 ORDER BY problem LIMIT $2", logged, most)
	if err != nil {
		return nil, err
	}
	if p.loaded, err = pgx.CollectRows(rows, pgx.RowTo[problem.ID]); err != nil {
		return nil, err
	}
	if len(p.loaded) < 2 {
		return nil, fmt.Errorf("the data set needs at least two problems with %d log entries", logged)
	}
	if err := p.store.View(ctx, func(r store.Reader) (err error) {
		catalogue, err = r.Catalogue(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	for _, u := range catalogue.Content().Users {
		if !u.Inactive {
			p.as = u.ID
			return catalogue, nil
		}
	}
	return nil, errors.New("the data set needs an active user")
}

// read loads a problem as GET does: with its keywords and its log. It goes through the
// tracker, at next to no cost.
func (p *StorePort) read(ctx context.Context, service *tracker.Service, id problem.ID) error {
	answer, err := service.LoadProblem(ctx, tracker.Caller{User: p.as, Scope: access.Read}, id, store.Keywords|store.Log)
	if err == nil && len(answer.Value.Log) < logged { // there can be more by now
		err = fmt.Errorf("problem %d has %d log entries, of at least %d", id, len(answer.Value.Log), logged)
	}
	return err
}

func newService(s store.Store) *tracker.Service {
	return tracker.New(tracker.Options{Store: s, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()})
}

// Reads returns how many loads per second the adapter does.
func (p *StorePort) Reads(ctx context.Context, duration time.Duration) (perSecond float64, err error) {
	var turn atomic.Int64
	return p.each(ctx, duration, func(int) error {
		return p.read(ctx, p.service, p.loaded[turn.Add(7919)%int64(len(p.loaded))]) // a prime, to read all of them, here and there
	})
}

// Commits returns the adapter's rate of patches per second, and checks the stored
// results.
func (p *StorePort) Commits(ctx context.Context, duration time.Duration) (perSecond float64, err error) {
	return p.commits(ctx, p.store, duration)
}

// SilentCommits is Commits of patches that publish no events.
func (p *StorePort) SilentCommits(ctx context.Context, duration time.Duration) (perSecond float64, err error) {
	return p.commits(ctx, silent{p.store}, duration)
}

// silent is a store that drops events.
type silent struct{ store.Store }

func (s silent) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool {
		_, event := e.(store.Publish)
		return event
	})
	return s.Store.Commit(ctx, change)
}

func (p *StorePort) commits(ctx context.Context, s store.Store, duration time.Duration) (perSecond float64, err error) {
	for _, w := range p.patched {
		if err := w.refresh(ctx, p.store); err != nil {
			return 0, err
		}
	}
	var done atomic.Int64
	err = p.stored(ctx, func() (int64, error) {
		perSecond, err = p.each(ctx, duration, func(client int) error {
			err := p.patched[client].patch(ctx, s, time.Now())
			if err == nil {
				done.Add(1)
			}
			return err
		})
		return done.Load(), err
	})
	return perSecond, err
}

// each lets every client do something over and over, and returns how often per second
// they did it, all together.
func (p *StorePort) each(ctx context.Context, duration time.Duration, do func(client int) error) (perSecond float64, err error) {
	var done atomic.Int64
	var clients sync.WaitGroup
	failures := make([]error, p.clients)
	began := time.Now()
	for client := range p.clients {
		clients.Go(func() {
			for time.Since(began) < duration && ctx.Err() == nil {
				if failures[client] = do(client); failures[client] != nil {
					return
				}
				done.Add(1)
			}
		})
	}
	clients.Wait()
	took := time.Since(began)
	return float64(done.Load()) / took.Seconds(), errors.Join(append(failures, ctx.Err())...)
}

// times lets the clients do something so many times, all together.
func (p *StorePort) times(n int64, do func(client int) error) error {
	var begun atomic.Int64
	var clients sync.WaitGroup
	failures := make([]error, p.clients)
	for client := range p.clients {
		clients.Go(func() {
			for begun.Add(1) <= n && failures[client] == nil {
				failures[client] = do(client)
			}
		})
	}
	clients.Wait()
	return errors.Join(failures...)
}

// stored checks the database for the given number of new batches of the patched problems,
// and as many new revisions. The server on the same database commits batches of its own,
// such as those of housekeeping.
func (p *StorePort) stored(ctx context.Context, write func() (int64, error)) error {
	var before, after, revisionsBefore, revisionsAfter int64
	if err := p.count(ctx, &before, &revisionsBefore); err != nil {
		return err
	}
	said, err := write()
	if err != nil {
		return err
	}
	if err := p.count(ctx, &after, &revisionsAfter); err != nil {
		return err
	}
	if after-before != said || revisionsAfter-revisionsBefore != said {
		return fmt.Errorf("%d patches were done, but the database has %d more batches of these problems and %d more revisions", said, after-before, revisionsAfter-revisionsBefore)
	}
	return nil
}

func (p *StorePort) count(ctx context.Context, batches, revisions *int64) error {
	// Each patch has one log entry.
	return p.db.QueryRow(ctx, "SELECT (SELECT count(*) FROM log JOIN batches ON batches.id = log.batch WHERE problem = ANY($1)), (SELECT sum(revision)::bigint FROM problems WHERE id = ANY($1))",
		p.patchedProblems()).Scan(batches, revisions)
}

func (p *StorePort) patchedProblems() []int64 {
	ids := make([]int64, p.clients)
	for i := range ids {
		ids[i] = int64(p.patched[i].current.ID)
	}
	return ids
}

// PgbenchReads returns how many loads per second pgbench does.
func (p *StorePort) PgbenchReads(ctx context.Context, duration time.Duration) (perSecond float64, err error) {
	ids := make([]int64, len(p.loaded))
	for i, id := range p.loaded {
		ids[i] = int64(id)
	}
	script, err := loadScript(p.Load, ids)
	if err != nil {
		return 0, err
	}
	result, err := pgbench(ctx, p.url, script, p.clients, duration)
	return result.perSecond, err
}

// PgbenchCommits returns pgbench's rate of patches per second, and checks the stored
// results.
func (p *StorePort) PgbenchCommits(ctx context.Context, duration time.Duration) (perSecond float64, err error) {
	now := time.Now()
	const places = 16 // bits for the transactions of one millisecond
	script, err := patchScript(p.phases, beginning{
		problems: p.patchedProblems(),
		second:   p.patched[0].states[1].String(),
		serial:   now.UnixMilli() << places,
		at:       now.UnixMicro(),
	})
	if err != nil {
		return 0, err
	}
	err = p.stored(ctx, func() (int64, error) {
		result, err := pgbench(ctx, p.url, script, p.clients, duration)
		perSecond = result.perSecond
		return result.transactions, err
	})
	return perSecond, err
}
