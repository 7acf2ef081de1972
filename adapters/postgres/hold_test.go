package postgres_test

import (
	"context"
	"os"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

// holdBack returns a handle behind a valve. A Commit is held back when the database has three
// quarters of its statements: it has drawn the position then, and nothing is committed.
func holdBack(t conformance.T, env conformance.Env) conformance.Holding {
	kept, err := os.ReadFile(place(env))
	if err != nil {
		t.Fatalf("the environment has no store: %v", err)
	}
	url := strings.Replace(string(kept), "schema=", "search_path=", 1)
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("the database cannot be reached: %v", err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) }) // it may be gone
	position := func() (last int64) {
		if err := admin.QueryRow(t.Context(), "SELECT last_value FROM positions").Scan(&last); err != nil {
			t.Fatalf("the last position cannot be read: %v", err)
		}
		return last
	}
	valve := newValve(t, url)
	s, err := postgres.Open(t.Context(), postgres.Options{URL: valve.url, Connections: 1, Timeout: patience})
	if err != nil {
		t.Fatalf("the store cannot be opened: %v", err)
	}
	counted := &countedStore{Store: s, valve: valve}
	var drawn int64
	return conformance.Holding{
		Store: counted,
		Shut: func() {
			drawn = position()
			valve.shutAfter(counted.sent.Load() * 3 / 4)
		},
		Held:    func() { eventually(t, "the held Commit has a position", func() bool { return position() > drawn }) },
		Release: valve.open,
	}
}

// countedStore knows how many bytes its last Commit has sent.
type countedStore struct {
	store.Store
	valve *valve
	sent  atomic.Int64
}

func (s *countedStore) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	before := s.valve.passed()
	receipt, err := s.Store.Commit(ctx, change)
	s.sent.Store(s.valve.passed() - before)
	return receipt, err
}
