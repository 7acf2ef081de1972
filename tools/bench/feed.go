package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/tools/bench/internal/load"
	"github.com/problemtracking/problems/tools/launch"
)

// feed has the measurements of the feed of events.
type feed struct {
	CatchUps  []catchUp `json:"catchUps,omitempty"`
	Listening []heard   `json:"listening,omitempty"`
	Idle      []idle    `json:"idle,omitempty"`
}

// catchUp is one reading of a whole feed.
type catchUp struct {
	Contender string `json:"contender"`
	Streamed  bool   `json:"streamed"` // else in pages
	load.CaughtUp
}

// heard has the results of all rounds of writes with a number of listeners.
type heard struct {
	Contender string `json:"contender"`
	// Elsewhere is true when the listeners are at another server of the same database.
	Elsewhere bool `json:"elsewhere,omitempty"`
	Listeners int  `json:"listeners"`
	// Rate is the number of writes per second; 0: as many as possible.
	Rate   int          `json:"rate"`
	P50    *float64     `json:"p50,omitempty"` // milliseconds from answer to arrival
	P99    *float64     `json:"p99,omitempty"`
	Rounds []load.Heard `json:"rounds"`
}

// idle is the cost of idle streams.
type idle struct {
	Contender string `json:"contender"`
	load.Idle
}

// feedRate is the number of writes per second while times are measured, and feedWriters
// the number of writers.
const (
	feedRate    = 100
	feedWriters = 8
)

// measureFeed measures the feed on each store. Durable ones get a store of their own, with
// a history of events.
func (b *bench) measureFeed(ctx context.Context) (err error) {
	path, err := b.writeHistory(ctx)
	if err != nil {
		return err
	}
	for _, store := range b.stores {
		if store == inMemory {
			err = b.measureFeedOn(ctx, b.server(inMemory), nil, nil)
		} else {
			err = b.measureHistory(ctx, store, path)
		}
		if err != nil {
			return fmt.Errorf("%s: the feed: %w", store, err)
		}
	}
	return nil
}

// writeHistory writes the first data set with a history of events.
func (b *bench) writeHistory(ctx context.Context) (path string, err error) {
	b.say("making a history of %d events", b.history)
	path = filepath.Join(b.folder, "history.jsonl")
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	digests := make([]access.Digest, len(b.secrets))
	for i, secret := range b.secrets {
		digests[i] = secret.Digest()
	}
	history, err := newHistory(ctx, dataset.New(problem.ID(b.problems), digests...), b.problems, int64(b.history))
	if err != nil {
		return "", err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	if _, err := archive.Write(ctx, out, history); err != nil {
		return "", err
	}
	return path, out.Flush()
}

// measureHistory loads the history into a store, and measures its feed.
func (b *bench) measureHistory(ctx context.Context, store, path string) (err error) {
	b.say("%s: importing the history", store)
	e := &entrant{Contender: load.Contender{Name: store}, store: store}
	url := fmt.Sprintf("sqlite://%s/history.db", b.folder)
	if store == onPostgres {
		if err := b.startDatabase(ctx); err != nil {
			return err
		}
		e.DatabasePIDs = b.db.PIDs()
		if url, err = b.db.Create(ctx, "problems_bench_history"); err != nil {
			return err
		}
	}
	if err := b.importInto(ctx, store, url, path); err != nil {
		return err
	}
	serve := func() (*launch.Server, error) {
		server, err := b.program.Serve(ctx, url)
		if err == nil {
			e.URL, e.PIDs = server.URL, []int{server.PID()}
		}
		return server, err
	}
	tokens := make([]string, len(b.secrets))
	for i, secret := range b.secrets {
		tokens[i] = secret.Reveal()
	}
	e.scene, e.Token = load.NewScene(b.problems, tokens), tokens[0]
	if err := b.catchUp(ctx, e, serve); err != nil {
		return err
	}
	server, err := serve()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	var other *load.Contender
	var queries func() (float64, error)
	if store == onPostgres {
		second, err := b.program.Serve(ctx, url)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, second.Stop()) }()
		other = &load.Contender{Name: "another server", URL: second.URL, PIDs: []int{second.PID()}}
		queries = func() (float64, error) { return transactions(ctx, url) }
	}
	return b.measureFeedOn(ctx, e, other, queries)
}

// catchUp reads the whole feed in both ways, each from a new server.
func (b *bench) catchUp(ctx context.Context, e *entrant, serve func() (*launch.Server, error)) error {
	for _, streamed := range []bool{false, true} {
		for range b.rounds {
			b.say("%s: reading %d events", e.Name, b.history)
			server, err := serve()
			if err != nil {
				return err
			}
			result, err := load.CatchUp(ctx, e.Contender, b.history, streamed)
			if err := errors.Join(err, server.Stop()); err != nil {
				return err
			}
			b.report.Feed.CatchUps = append(b.report.Feed.CatchUps, catchUp{e.Name, streamed, result})
		}
	}
	return nil
}

// measureFeedOn measures idle streams, and writes with listeners. other is another server
// on the store, and queries counts queries to the database: both may be nil.
func (b *bench) measureFeedOn(ctx context.Context, e *entrant, other *load.Contender, queries func() (float64, error)) error {
	b.say("%s: %d idle streams", e.Name, b.streams)
	quiet, err := load.IdleWith(ctx, e.Contender, e.scene, b.streams, b.idle, queries)
	if err != nil {
		return err
	}
	b.report.Feed.Idle = append(b.report.Feed.Idle, idle{e.Name, quiet})
	// With no rate all numbers of listeners take turns, as they are compared.
	runs := make([]heard, 0, len(b.listeners))
	for _, n := range b.listeners {
		runs = append(runs, heard{Contender: e.Name, Listeners: n})
	}
	for _, n := range b.listeners {
		if n > 0 {
			runs = append(runs, heard{Contender: e.Name, Listeners: n, Rate: feedRate})
			if other != nil {
				runs = append(runs, heard{Contender: e.Name, Listeners: n, Rate: feedRate, Elsewhere: true})
			}
		}
	}
	all := make([][]load.Latencies, len(runs))
	for round := range b.rounds {
		b.say("%s: writes with listeners, round %d", e.Name, round+1)
		for i := range runs {
			run := &runs[i]
			writing := load.Writing{Writers: e.Contender, Scene: e.scene, Connections: feedWriters, Rate: run.Rate, Duration: b.duration}
			l := load.Listening{Writing: writing, Streams: e.Contender, Listeners: run.Listeners}
			if run.Elsewhere {
				l.Streams = *other
			}
			h, err := l.Drive(ctx)
			if err != nil {
				return fmt.Errorf("%d listeners: %w", run.Listeners, err)
			}
			run.Rounds = append(run.Rounds, h)
			all[i] = append(all[i], h.Arrivals)
		}
	}
	for i := range runs {
		if l := load.Gather(all[i]...); len(l) > 0 {
			runs[i].P50, runs[i].P99 = milliseconds(l.At(50)), milliseconds(l.At(99))
		}
	}
	b.report.Feed.Listening = append(b.report.Feed.Listening, runs...)
	return nil
}

// transactions returns the number of transactions of a database so far. Without an
// explicit one, a query or a pipeline is one.
func transactions(ctx context.Context, url string) (n float64, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	err = conn.QueryRow(ctx, "SELECT (xact_commit + xact_rollback)::float8 FROM pg_stat_database WHERE datname = current_database()").Scan(&n)
	return n, err
}
