package sqlite

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// An error about a row that was changed by other means names the table, the column, and the
// problem if there is one, whatever reads the row.
func TestUnreadableRowsAreNamed(t *testing.T) {
	t.Parallel()
	const parts = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers | snapshot.Savepoints
	reads := []struct {
		name string
		read func(*bench, store.Reader) error
	}{
		{"one", func(b *bench, r store.Reader) error {
			_, err := r.Problem(b.Context(), 7, ident.None, parts)
			return err
		}},
		{"several", func(b *bench, r store.Reader) error {
			_, err := r.Problems(b.Context(), []problem.ID{1, 7}, ident.None, parts)
			return err
		}},
		{"all", func(b *bench, r store.Reader) error {
			_, err := r.Dossiers(b.Context(), 0, 2)
			return err
		}},
		{"comments", func(b *bench, r store.Reader) error {
			_, err := r.Comments(b.Context(), 7, 0, 10, 1<<20)
			return err
		}},
		{"catalogue", func(b *bench, r store.Reader) error {
			_, err := r.Catalogue(b.Context())
			return err
		}},
		{"log", func(b *bench, r store.Reader) error {
			_, err := r.Log(b.Context(), 7, 0, 10, 1<<20)
			return err
		}},
	}
	const id = "01234567-89ab-7cde-8f01-23456789abcd"
	whole := []string{"one", "several", "all"}
	for _, c := range []struct {
		plant string
		want  string
		by    []string // the reads that need the row
	}{
		{"INSERT INTO priorities (id, name, rank) VALUES ('x', 'High', 1)", "table priorities: column id: ", []string{"catalogue"}},
		{"UPDATE problems SET originator = 'x' WHERE id = 7", "table problems, problem 7: column originator: ", whole},
		{"INSERT INTO keywords (problem, name, value) VALUES (7, 'a', 'b')", "", nil},
		{"INSERT INTO comments (position, problem, id, created, text) VALUES (9, 7, 'x', 0, '')", "table comments, problem 7: column id: ", append(whole, "comments")},
		{"INSERT INTO log (problem, position, id, type, created, author, batch, field, old_value, new_value, revision) VALUES (7, 9, '" + id + "', '', 0, 'x', '" + id + "', '', '', '', 1)",
			"table log, problem 7: column author: ", append(whole, "log")},
		{"INSERT INTO relationships (owner, type, other, created) VALUES (7, 99, 1, 0)", "table relationships, problem 7: column type: ", whole},
		{fmt.Sprintf("INSERT INTO relationships (owner, type, other, created) VALUES (7, %d, 8, 0); UPDATE problems SET state = 'x' WHERE id = 8", relationship.RelatedTo.Code()),
			"table relationships, problem 7: column state_of_other: ", []string{"one", "several"}},
		{"INSERT INTO watchers (problem, user_id) VALUES (7, 'x')", "table watchers, problem 7: column user_id: ", whole},
		{"INSERT INTO reads (problem, user_id) VALUES (7, 'x')", "table reads, problem 7: column user_id: ", []string{"all"}},
		{"INSERT INTO savepoints (problem, position, batch, title, created, modified, revision) VALUES (7, 9, 'x', '', 0, 0, 1)", "table savepoints, problem 7: column batch: ", whole},
	} {
		b := setup(t)
		b.commit(b.create(1, "one"))
		b.commit(b.create(7, "seven"))
		b.commit(b.create(8, "read only as the other side of a relationship"))
		db, err := sql.Open("sqlite", b.path)
		b.must(err)
		_, err = db.ExecContext(t.Context(), c.plant)
		b.must(err)
		b.must(db.Close())
		for _, way := range reads {
			err := b.View(t.Context(), func(r store.Reader) error { return way.read(b, r) })
			switch {
			case !slices.Contains(c.by, way.name):
				if err != nil {
					t.Errorf("%s: %s: %v", c.plant, way.name, err)
				}
			case !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s: %s: %v; want %q", c.plant, way.name, err, c.want)
			}
		}
	}
}
