package postgres

import (
	"context"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// An error about a row that was changed by other means names the table, the problem and the
// column, whatever reads it.
func TestUnreadableRowsAreNamed(t *testing.T) {
	t.Parallel()
	s := openHere(t, Options{})
	for _, statement := range []string{
		"INSERT INTO problems (id, title, created, modified, revision) VALUES (7, '', 0, 0, 1)",
		"INSERT INTO relationships (owner, type, other, created) VALUES (7, 99, 1, 0)",
	} {
		if _, err := s.pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		column string
		read   func(context.Context, store.Reader) error
	}{
		"alone": {"(col: type)", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problem(ctx, 7, ident.None, snapshot.Relationships)
			return err
		}},
		"joined": {"column 2", func(ctx context.Context, r store.Reader) error { // of a record without names
			store.Last(r)
			_, err := r.Problem(ctx, 7, ident.None, snapshot.Relationships|snapshot.IfSmall)
			return err
		}},
		"several": {"(col: type)", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problems(ctx, []problem.ID{7}, ident.None, snapshot.Relationships)
			return err
		}},
		"all": {"(col: type)", func(ctx context.Context, r store.Reader) error {
			_, err := r.Dossiers(ctx, 0, 10)
			return err
		}},
	} {
		err := s.View(t.Context(), func(r store.Reader) error { return c.read(t.Context(), r) })
		if !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(), "table relationships, problem 7: ") || !strings.Contains(err.Error(), c.column) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
