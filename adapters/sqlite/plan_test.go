package sqlite

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// No statement that stays prepared reads a whole table.
func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user, batch := b.id(), b.id()
	p := problem.Problem{ID: 1, Fields: problem.Fields{Title: "A"}, Created: start, Modified: start, Revision: 1}
	side := relationship.Relationship{Owner: 1, Type: relationship.ParentOf, Other: 1, Created: start}
	change := b.change(
		store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
		store.AddComment{Problem: 1, Comment: problem.Comment{ID: b.id(), Created: start}},
		store.PutKeyword{Problem: 1}, store.DropKeyword{Problem: 1},
		store.PutRelationship{Relationship: side}, store.DropRelationship{Owner: 1, Type: side.Type, Other: 1},
		store.MoveFamily{Family: relationship.ParentOf},
		store.Watch{Problem: 1, User: user}, store.Unwatch{Problem: 1, User: user},
		store.MarkRead{Problem: 1, User: user, Read: true}, store.MarkRead{Problem: 1, User: user}, store.ForgetReads{Problem: 1},
		store.KeepReply{Reply: store.Reply{User: user, Created: start}}, store.Expire{Before: start.Add(-time.Hour)},
	)
	change.Log = []problem.LogEntry{{ID: b.id(), Problem: 1, Batch: change.Batch, Created: start}}
	b.commit(change)
	b.commit(change)
	next := b.change(store.UpdateProblem{Problem: p})
	next.Expect = []store.Expectation{store.ProblemAt{ID: 1, Revision: 1}, store.FamilyAt{Family: side.Type, Epoch: 1},
		store.KeyUnused{User: user, Key: "other", Since: start}}
	b.commit(next)
	_, _, err := b.Outcome(t.Context(), batch, start)
	b.must(err)
	for range readers { // whichever connection it is, it has prepared all statements
		_, err := b.Reserve(t.Context())
		b.must(err)
		b.must(b.View(t.Context(), func(r store.Reader) error {
			const everything = store.Keywords | store.Log | store.Comments | store.Relationships | store.Watchers | store.Savepoints
			_, err := r.Problem(t.Context(), 1, ident.None, everything)
			b.must(err)
			_, err = r.Neighbours(t.Context(), side.Type, []problem.ID{1})
			b.must(err)
			_, _, err = r.Reply(t.Context(), user, "key")
			return err
		}))
	}
	short := []string{"json_each", "CONSTANT ROW", "versions"} // which has one row
	seen := 0
	explain := func(c *conn) error {
		for _, query := range slices.Collect(maps.Keys(c.prepared)) {
			seen++
			err := c.each(func(rows *sql.Rows) error {
				var step string
				if err := rows.Scan(new(int), new(int), new(int), &step); err != nil {
					return err
				}
				if strings.HasPrefix(step, "SCAN") && !slices.ContainsFunc(short, func(rows string) bool { return strings.Contains(step, rows) }) {
					t.Errorf("%s\n%s", query, step)
				}
				return nil
			}, "EXPLAIN QUERY PLAN "+query, make([]any, 20)...) // more NULLs than any of them has parameters
			if err != nil {
				return err
			}
		}
		return nil
	}
	b.must(b.submit(t.Context(), func(t *transaction) error { return explain(t.conn) }))
	b.must(b.read(t.Context(), explain))
	if seen < 28 {
		t.Errorf("only %d statements were looked at", seen)
	}
}
