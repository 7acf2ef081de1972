package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// The file finds what package search finds, also by its index of parts.
func TestSearchAgainstTheDomain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.writing.ExecContext(t.Context(), "UPDATE versions SET (title_parts, comment_parts) = (1 << 62, 1 << 62)")
	b.must(err)
	searchtest.Run(t, b.Store, rand.Uint64(), 30, 60)
}

// A search that would never end is interrupted when its context ends, and the
// connection can be used again.
func TestSearchIsInterrupted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	b.must(b.View(t.Context(), func(r store.Reader) error {
		endless := sqlstore.Query{SQL: "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n",
			Row: func(func(...any) error) error { return errors.New("it has ended") }}
		b.fails(fault.Unavailable, r.(sqlstore.Reader).ReadOnce(ctx, endless))
		return nil
	}))
	b.commit(b.create(1, "something"))
	for range 2 * Readers {
		if !b.exists(1) {
			t.Error("the problem is not there")
		}
	}
}

// What is read for a search ends with the context, after any row.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := 0
	b.must(b.View(t.Context(), func(r store.Reader) error {
		endless := sqlstore.Query{SQL: "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
			Row: func(func(...any) error) error {
				if read++; read == 3 {
					cancel()
				}
				return nil
			}}
		b.fails(fault.Unavailable, r.(sqlstore.Reader).Read(ctx, endless))
		return nil
	}))
	if read != 3 {
		t.Errorf("%d rows were read", read)
	}
	b.commit(b.create(1, "something"))
}
