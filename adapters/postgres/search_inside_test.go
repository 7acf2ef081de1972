package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/bunstore"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// A search that takes long is cancelled on the server, too, when its context ends.
func TestSearchIsCancelled(t *testing.T) {
	t.Parallel()
	watching := newDatabase(t, postgrestest.Schema(t))
	s, err := Open(t.Context(), Options{URL: watching.url + "&application_name=cancelled", AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const running = "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'cancelled' AND state = 'active' AND query LIKE '%pg_sleep%'"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		failed <- s.View(t.Context(), func(r store.Reader) error {
			slow := bunstore.Query{SQL: "SELECT pg_sleep(3600)", Row: func(func(...any) error) error { return errors.New("it has ended") }}
			return r.(reader).ReadOnce(ctx, slow)
		})
	}()
	for len(watching.strings(running)) == 0 {
		select {
		case err := <-failed:
			t.Fatalf("it does not run: %v", err)
		default:
		}
	}
	cancel()
	select {
	case err := <-failed:
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
	case <-time.After(3 * time.Second):
		t.Fatal("it still runs")
	}
	limit := time.Now().Add(3 * time.Second)
	for len(watching.strings(running)) > 0 {
		if time.Now().After(limit) {
			t.Fatal("the server still runs it")
		}
	}
}
