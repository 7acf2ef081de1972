package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/tools/bench/internal/load"
	"github.com/problemtracking/problems/tools/launch"
)

// entrant is a contender with its resources.
type entrant struct {
	load.Contender
	store    string // the store, or the limit
	large    bool   // has the large data set
	traced   string // the part of the requests with a trace; "": none
	other    bool   // runs the other build
	scene    *load.Scene
	metrics  string // host:port; empty: there are none
	database string // its URL, of Postgres

	program   launch.Program
	address   string   // URL of the store
	variables []string // of the program
	server    *launch.Server
}

// bench is a benchmark and its preparation.
type bench struct {
	options
	program  launch.Program
	other    launch.Program // the other build, with -versus
	folder   string         // of its own
	archives map[int64]string
	secrets  []access.Secret // the tokens of the users
	report   *report
	db       *launch.Database
	entrants []*entrant // the servers
	bare     []*entrant // the limits
	spans    *collector // nil: nothing is traced
	undo     []func(context.Context) error
}

// starts is the number of measured starts of a server.
const starts = 5

// setUp makes all contenders.
func (b *bench) setUp(ctx context.Context) (err error) {
	if b.folder, err = os.MkdirTemp(b.dir, "problems-bench-"); err != nil {
		return err
	}
	b.undo = append(b.undo, func(context.Context) error { return os.RemoveAll(b.folder) })
	// Another user may run PostgreSQL, and has to reach its data below.
	if err := os.Chmod(b.folder, 0o711); err != nil {
		return err
	}
	binary, err := filepath.Abs(b.binary)
	if err != nil {
		return err
	}
	b.program = launch.Program{Path: binary, Home: b.folder, Logs: b.serverLog}
	if b.other = b.program; b.versus != "" {
		if b.other.Path, err = filepath.Abs(b.versus); err != nil {
			return err
		}
	}
	for range dataset.Users {
		var random [32]byte
		_, _ = rand.Read(random[:]) // never fails
		b.secrets = append(b.secrets, access.NewSecret(random))
	}
	b.archives = map[int64]string{}
	sizes := []int64{b.problems}
	if b.large > 0 {
		sizes = append(sizes, b.large)
	}
	for _, size := range sizes {
		if err := b.writeArchive(ctx, size); err != nil {
			return err
		}
		for _, store := range b.stores {
			if store == inMemory && size != b.problems {
				continue // it has to be replayed, and no target is about it
			}
			if b.versus != "" {
				if err := b.addServer(ctx, &entrant{store: store, other: true}, size); err != nil {
					return fmt.Errorf("%s, the other build: %w", store, err)
				}
			}
			if err := b.addServer(ctx, &entrant{store: store, large: size != b.problems}, size); err != nil {
				return fmt.Errorf("%s: %w", store, err)
			}
			for _, ratio := range b.traces {
				if size != b.problems {
					continue
				}
				if err := b.addServer(ctx, &entrant{store: store, traced: ratio}, size); err != nil {
					return fmt.Errorf("%s with traces: %w", store, err)
				}
			}
		}
	}
	return nil
}

// tearDown undoes the preparation, the latest first.
func (b *bench) tearDown(ctx context.Context) error {
	var errs []error
	for i := len(b.undo) - 1; i >= 0; i-- {
		errs = append(errs, b.undo[i](ctx))
	}
	return errors.Join(errs...)
}

// writeArchive writes a data set to a file.
func (b *bench) writeArchive(ctx context.Context, size int64) (err error) {
	b.say("making a data set of %d problems", size)
	path := filepath.Join(b.folder, fmt.Sprintf("problems-%d.jsonl", size))
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	digests := make([]access.Digest, len(b.secrets))
	for i, secret := range b.secrets {
		digests[i] = secret.Digest()
	}
	out := bufio.NewWriterSize(file, 1<<20)
	if _, err := archive.Write(ctx, out, dataset.New(problem.ID(size), digests...)); err != nil {
		return err
	}
	b.archives[size] = path
	return out.Flush()
}

// kind is what a contender is compared by.
func (e *entrant) kind() string {
	switch {
	case e.traced != "":
		return tracedKind(e.store, e.traced)
	case e.other:
		return otherKind(e.store)
	}
	return e.store
}

// addServer loads a data set into a store, measures the starts of a server on it, and
// starts the measured one. Two builds may read archives and stores of different formats, so
// both are filled over HTTP.
func (b *bench) addServer(ctx context.Context, e *entrant, size int64) error {
	store := e.store
	if e.program = b.program; e.other {
		e.program = b.other
	}
	e.Name = e.kind()
	if e.large {
		e.Name = fmt.Sprintf("%s, %d problems", store, size)
	}
	url, err := b.newStore(ctx, e, size)
	if err != nil {
		return err
	}
	tokens := make([]string, len(b.secrets))
	for i, secret := range b.secrets {
		tokens[i] = secret.Reveal()
	}
	e.scene, e.Token = load.NewScene(size, tokens), tokens[0]
	began := time.Now()
	loaded := loaded{Contender: e.Name, Problems: size}
	variables, err := b.webhookSettings()
	if err != nil {
		return err
	}
	if e.traced != "" {
		settings, err := b.traceSettings(e.traced)
		if err != nil {
			return err
		}
		variables = append(variables, settings...)
	}
	replayed := store == inMemory || b.versus != ""
	path := "/problems/1"
	if replayed {
		path, variables = "/me", append(variables, "PROBLEMS_BOOTSTRAP_TOKEN="+e.Token)
	} else {
		b.say("%s: importing %d problems", store, size)
		if err := b.importInto(ctx, store, url, b.archives[size]); err != nil {
			return err
		}
		loaded.Seconds = time.Since(began).Seconds()
	}
	measured := starts
	if e.traced != "" || b.versus != "" {
		measured = 0 // traces have no part in a start, and an empty store begins faster
	}
	for range measured {
		begin, err := load.BeginOn(ctx, e.program, url, path, e.Token, variables...)
		if err != nil {
			return err
		}
		loaded.Begins = append(loaded.Begins, begin)
	}
	e.address, e.variables = url, variables
	if err := e.serve(ctx); err != nil {
		return err
	}
	b.undo = append(b.undo, func(context.Context) error { return e.server.Stop() })
	if replayed {
		b.say("%s: replaying %d problems over HTTP", e.Name, size)
		began = time.Now()
		if err := b.replay(ctx, e, size); err != nil {
			return err
		}
		loaded.Seconds = time.Since(began).Seconds()
	}
	b.say("%s: making %d problems with 10 log entries", e.Name, b.prepared)
	if err := load.Prepare(ctx, e.Contender, e.scene, b.prepared); err != nil {
		return err
	}
	if replayed && store == onPostgres {
		if err := launch.Settle(ctx, e.database); err != nil {
			return err
		}
	}
	if measured > 0 {
		b.report.Loaded = append(b.report.Loaded, loaded)
	}
	b.entrants = append(b.entrants, e)
	return nil
}

// serve starts the server of a contender.
func (e *entrant) serve(ctx context.Context) error {
	server, err := e.program.Serve(ctx, e.address, e.variables...)
	if err != nil {
		return err
	}
	e.server, e.URL, e.metrics, e.PIDs = server, server.URL, server.Metrics, []int{server.PID()}
	return nil
}

// again starts all servers once more, the last one first: where the memory of a process lies
// can make it slower than another one of the same program. One that keeps its problems in
// memory stays.
func (b *bench) again(ctx context.Context) error {
	for _, e := range slices.Backward(b.entrants) {
		if e.store == inMemory {
			continue
		}
		if err := e.server.Stop(); err != nil {
			return err
		}
		if err := e.serve(ctx); err != nil {
			return err
		}
	}
	return nil
}

// importInto imports an archive into an empty store.
func (b *bench) importInto(ctx context.Context, store, url, archive string) error {
	if err := b.program.Load(ctx, archive, url); err != nil || store != onPostgres {
		return err
	}
	return launch.Settle(ctx, url)
}

func (b *bench) replay(ctx context.Context, e *entrant, size int64) error {
	file, err := os.Open(b.archives[size])
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return load.Replay(ctx, e.Contender, e.scene, file)
}

// newStore returns the URL of an empty store, and starts its database.
func (b *bench) newStore(ctx context.Context, e *entrant, size int64) (string, error) {
	name := fmt.Sprintf("%d", size)
	if e.other {
		name += "_other"
	}
	if e.traced != "" {
		name += "_traced_" + strings.ReplaceAll(e.traced, ".", "_")
	}
	switch e.store {
	case onSQLite:
		return fmt.Sprintf("sqlite://%s/problems-%s.db", b.folder, name), nil
	case onPostgres:
		if err := b.startDatabase(ctx); err != nil {
			return "", err
		}
		var err error
		e.DatabasePIDs = b.db.PIDs()
		e.database, err = b.db.Create(ctx, "problems_bench_"+name)
		return e.database, err
	default:
		return "memory:", nil
	}
}

// startDatabase starts PostgreSQL, unless it runs.
func (b *bench) startDatabase(ctx context.Context) (err error) {
	if b.db != nil {
		return nil
	}
	if b.postgres != "" {
		b.db = launch.GivenDatabase(b.postgres)
	} else if b.db, err = launch.StartDatabase(ctx, filepath.Join(b.folder, "postgres")); err != nil {
		return err
	}
	b.undo = append(b.undo, b.db.Stop)
	b.report.Machine.Postgres, err = b.db.Version(ctx)
	return err
}

// server returns the server on a store with the first data set; nil: there is none.
func (b *bench) server(store string) *entrant {
	for _, e := range b.entrants {
		if e.kind() == store && !e.large {
			return e
		}
	}
	return nil
}

// say prints the progress.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}
