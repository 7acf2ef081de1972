package postgrestest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a server for one test alone, to stop it and kill it. Any goroutine may call
// its methods, one after the other. They return when the named thing has happened, and
// otherwise fail the test.
type Server struct {
	t    T
	mu   sync.Mutex
	node node
}

// New starts a server with these settings of postgresql.conf, each as name=value,
// on top of PostgreSQL's own defaults. It needs a container or local binaries,
// also where PROBLEMS_TEST_POSTGRES names a server. The server is removed at the
// end of the test.
func New(t T, settings ...string) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	source, err := chooseOwn(ctx)
	if err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	return newServer(ctx, t, source, settings)
}

// NewLocal is New without a container: the server shares the files of this machine with
// the test, and runs as a user of its own when the test is root's.
func NewLocal(t T, settings ...string) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	source, err := localBinaries()
	if err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	return newServer(ctx, t, source, settings)
}

func newServer(ctx context.Context, t T, source source, settings []string) *Server {
	t.Helper()
	node, err := source.node(ctx, slices.Concat([]string{"shared_buffers=64MB"}, settings), false)
	if err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	s := &Server{t: t, node: node}
	t.Cleanup(func() { s.do("remove the server", stopLimit, node.remove) })
	if err := node.start(ctx); err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	return s
}

// NewIn starts a server on a copy of the data of a server from [NewLocal], and returns
// when it takes writes. It moves the copy away.
func NewIn(t T, data string, of *Server) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	node, err := of.node.(*localNode).onCopy(data)
	if err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	s := &Server{t: t, node: node}
	t.Cleanup(func() { s.do("remove the server", stopLimit, node.remove) })
	if err := node.start(ctx); err != nil {
		t.Fatalf("no Postgres for tests: %v", err)
	}
	if err := node.takesWrites(ctx); err != nil {
		t.Fatalf("no Postgres for tests: %v\n%s", err, node.running.log.String())
	}
	return s
}

// URL is for a superuser, to the database postgres. The database is empty at first. The
// URL stays valid when the server starts again.
func (s *Server) URL() string { return s.node.url() }

// Ask returns the text from a query of a superuser, or "" from a command without rows.
func (s *Server) Ask(query string) (answer string) {
	s.t.Helper()
	s.do(query, commandLimit, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, s.URL())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		if err := conn.QueryRow(ctx, query).Scan(&answer); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	return answer
}

// Start runs the server again with its data, and returns when it answers.
func (s *Server) Start() {
	s.t.Helper()
	s.do("start", startLimit, s.node.start)
}

// Kill ends every process of the server at once, like the loss of its machine. Data not
// yet written to the system are lost.
func (s *Server) Kill() {
	s.t.Helper()
	s.do("kill", stopLimit, s.node.kill)
}

// Immediate shuts the server down without ending its work; the next Start recovers from
// the log of the database.
func (s *Server) Immediate() {
	s.t.Helper()
	s.do("shut down at once", stopLimit, func(ctx context.Context) error { return s.node.stop(ctx, immediate) })
}

// Restart shuts the server down, disconnecting everybody in order, and starts it.
func (s *Server) Restart() {
	s.t.Helper()
	s.do("shut down", stopLimit, func(ctx context.Context) error { return s.node.stop(ctx, fast) })
	s.do("start", startLimit, s.node.start)
}

// Pause halts every process of the server: connections stay open, and nothing is
// answered until Resume.
func (s *Server) Pause() {
	s.t.Helper()
	s.do("pause", stopLimit, s.node.pause)
}

// Resume lets a paused server go on.
func (s *Server) Resume() {
	s.t.Helper()
	s.do("resume", stopLimit, s.node.resume)
}

// do is Errorf and not Fatalf in a failure, since it may be in any goroutine.
func (s *Server) do(what string, limit time.Duration, action func(context.Context) error) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := action(ctx); err != nil {
		s.t.Errorf("postgres for tests: %s: %v", what, err)
	}
}
