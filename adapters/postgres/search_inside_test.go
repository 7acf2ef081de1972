package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
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
			slow := sqlstore.Query{SQL: "SELECT pg_sleep(3600)", Row: func(func(...any) error) error { return errors.New("it has ended") }}
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

// A search of long texts ends on the server soon after its context, although PostgreSQL
// looks for a cancellation neither within LIKE and strpos nor between the conditions on
// one row.
func TestSearchOfLongTextsIsCancelled(t *testing.T) {
	t.Parallel()
	watching := newDatabase(t, postgrestest.Schema(t))
	s, err := Open(t.Context(), Options{URL: watching.url + "&application_name=long", AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	searchtest.Ground(t, s)
	word := strings.Repeat("a", 15_000)
	for _, text := range []string{
		"ANY comments.text LIKE '*" + word + "b?*'",
		"ANY comments.text CONTAINS 'b" + word + "'",
		"SUBQUERY(comments, $c, ANY comments.text IN $c.text).@count = 99",
		"SUBQUERY(comments, $c, ANY keywords.value IN $c.text).@count = 99",
		"SUBQUERY(comments, $c, " + strings.Repeat("$c.text LIKE '*"+word[:100]+"bb*' OR ", 100) + "FALSEPREDICATE).@count > 0",
		"SUBQUERY(relationships.child.relationships.child, $p, ANY $p.comments.text LIKE '*" + word[:50] + "bb*').@count = 99",
	} {
		plan, err := check.Compile(text, predicate.Problem, predicate.Env{User: ident.None})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		err = s.View(t.Context(), func(r store.Reader) error {
			catalogue, err := r.Catalogue(t.Context())
			if err != nil {
				return err
			}
			_, err = r.Search(ctx, store.Query{Plan: plan, Limit: 100, Catalogue: catalogue})
			return err
		})
		cancel()
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("%.100s: %v", text, err)
		}
		const running = "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'long' AND state = 'active'"
		for limit := time.Now().Add(10 * time.Second); len(watching.strings(running)) > 0; {
			if time.Now().After(limit) {
				t.Fatalf("the server still runs %.100s", text)
			}
		}
	}
}
