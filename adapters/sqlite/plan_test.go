package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	usr "github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// No statement that stays prepared reads a whole table.
func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user, batch, hook := b.id(), b.id(), b.id()
	p := problem.Problem{ID: 1, Fields: problem.Fields{Title: "A"}, Created: start, Modified: start, Revision: 1}
	side := relationship.Relationship{Owner: 1, Type: relationship.ParentOf, Other: 1, Created: start}
	change := b.change(
		store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
		store.AddComment{Problem: 1, Comment: problem.Comment{ID: b.id(), Created: start}},
		store.PutKeyword{Problem: 1}, store.DropKeyword{Problem: 1},
		store.PutRelationship{Relationship: side}, store.DropRelationship{Owner: 1, Type: side.Type, Other: 1},
		store.Watch{Problem: 1, User: user}, store.Unwatch{Problem: 1, User: user},
		store.MarkRead{Problem: 1, User: user, Read: true}, store.MarkRead{Problem: 1, User: user}, store.ForgetReads{Problem: 1},
		store.KeepReply{Reply: store.Reply{User: user, Created: start}}, store.Expire{Before: start.Add(-time.Hour)},
		store.PutQuery{Query: query.Saved{ID: b.id(), Owner: user, Created: start}}, store.DropQuery{ID: batch},
		store.PutSession{Session: access.Session{ID: b.id(), User: user, Created: start, Expires: start}}, store.DropSession{ID: batch},
		store.PutWebhook{Endpoint: webhook.Endpoint{ID: hook, Version: hook}}, store.DropWebhook{ID: batch}, store.PutProgress{Webhook: batch},
		store.PutLease{Lease: lease.Lease{Name: "work", Version: batch}},
		store.AppendAudit{Entry: audit.Entry{ID: b.id(), Created: start, Batch: batch, Object: user}},
	)
	change.Log = []problem.LogEntry{{ID: b.id(), Problem: 1, Batch: change.Batch, Created: start}}
	b.commit(change)
	b.commit(change)
	next := b.change(store.UpdateProblem{Problem: p})
	next.Expect = []store.Expectation{store.ProblemAt{ID: 1, Revision: 1, Batch: change.Batch},
		store.KeyUnused{User: user, Key: "other", Since: start}, store.StateUnused{State: batch},
		store.WebhookAt{ID: hook, Version: hook}, store.LeaseAt{Name: "work", Version: batch}, store.LeaseAt{Name: "other"}}
	b.commit(next)
	_, _, err := b.Outcome(t.Context(), batch, start)
	b.must(err)
	// The connections take turns: whichever it is, it has prepared all statements.
	for range Readers {
		_, err := b.Reserve(t.Context())
		b.must(err)
	}
	for range Readers {
		b.must(b.View(t.Context(), func(r store.Reader) error {
			const everything = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers | snapshot.Savepoints
			_, err := r.Problem(t.Context(), 1, ident.None, everything)
			b.must(err)
			_, err = r.Problems(t.Context(), []problem.ID{1, 2}, ident.None, everything)
			b.must(err)
			_, err = r.Neighbours(t.Context(), side.Type, []problem.ID{1})
			b.must(err)
			_, err = r.SavedQueries(t.Context(), user)
			b.must(err)
			_, _, err = r.SavedQuery(t.Context(), user)
			b.must(err)
			_, err = r.Audit(t.Context(), 1, 1)
			b.must(err)
			_, err = r.Sessions(t.Context(), user)
			b.must(err)
			_, _, err = r.SessionWith(t.Context(), access.Digest{1})
			b.must(err)
			_, _, err = r.Webhook(t.Context(), hook)
			b.must(err)
			_, _, err = r.Lease(t.Context(), "work")
			b.must(err)
			_, _, err = r.Reply(t.Context(), user, "key")
			return err
		}))
	}
	short := []string{"json_each", "CONSTANT ROW", "versions"} // which has one row
	seen := 0
	explain := func(c *conn) error {
		for _, statement := range slices.Collect(maps.Keys(c.prepared)) {
			seen++
			err := c.each(func(scan func(...any) error) error {
				var step string
				if err := scan(new(int), new(int), new(int), &step); err != nil {
					return err
				}
				if strings.HasPrefix(step, "SCAN") && !slices.ContainsFunc(short, func(rows string) bool { return strings.Contains(step, rows) }) {
					t.Errorf("%s\n%s", statement, step)
				}
				return nil
			}, "EXPLAIN QUERY PLAN "+statement, make([]any, 20)...) // more NULLs than any of them has parameters
			if err != nil {
				return err
			}
		}
		return nil
	}
	b.must(b.submit(t.Context(), func(t *transaction) error { return explain(t.conn) }))
	b.must(b.read(t.Context(), explain))
	if seen < 55 {
		t.Errorf("only %d statements were looked at", seen)
	}
}

// SetIfChanged names all indexed columns but those in indexes that every update writes to.
func TestIndexedColumnsStandApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var indexed []string
	b.must(b.reading.NewRaw("SELECT DISTINCT c.name FROM pragma_index_list('problems') i, pragma_index_info(i.name) c ORDER BY c.name").Scan(t.Context(), &indexed))
	// An index with the time of the change is written each time, whatever else it has. That on the
	// time of the resolution has resolved problems alone, which seldom change.
	want := slices.Sorted(slices.Values(append(slices.Clone(b.dialect.SetIfChanged), "modified", "priority", "resolved", "resolver", "revision")))
	if !slices.Equal(indexed, want) {
		t.Errorf("there are indexes on %v; %v stand apart", indexed, b.dialect.SetIfChanged)
	}
}

// indexesOfSearches are the indexes of the tables that searches read, without those of keys.
const indexesOfSearches = `FROM sqlite_schema s WHERE s.type = 'index' AND s.sql IS NOT NULL
	AND s.tbl_name IN ('problems', 'savepoints', 'keywords', 'relationships', 'watchers')`

func TestSearchesHaveTheirIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var first []string
	b.must(b.reading.NewRaw("SELECT s.tbl_name || '.' || (SELECT name FROM pragma_index_info(s.name) WHERE seqno = 0) "+indexesOfSearches).Scan(t.Context(), &first))
	searchtest.Indexes(t, first)
}

// Without the statistics of an index, the database guesses how many rows it finds.
func TestIndexesHaveStatistics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var without []string
	b.must(b.reading.NewRaw("SELECT s.name "+indexesOfSearches+" AND s.name NOT IN (SELECT idx FROM sqlite_stat1)").Scan(t.Context(), &without))
	if len(without) > 0 {
		t.Errorf("sqlite_stat1 has no row of %v: their migrations have to add it", without)
	}
}

// explained records the query plan of each one-time statement, and runs it.
type explained struct {
	session
	steps *[]string
}

// ReadOnce implements sqlstore.Session.
func (e explained) ReadOnce(ctx context.Context, q sqlstore.Query) error {
	if err := e.each(func(scan func(...any) error) error {
		var step string
		err := scan(new(int), new(int), new(int), &step)
		*e.steps = append(*e.steps, step)
		return err
	}, "EXPLAIN QUERY PLAN "+q.SQL, q.Args...); err != nil {
		return err
	}
	return e.session.ReadOnce(ctx, q)
}

// steps returns how the one-time statements of a search are done.
func (b *bench) steps(where, sort string, q store.Query) (steps []string) {
	b.Helper()
	var err error
	q.Plan, err = check.Compile(where, predicate.Problem, predicate.Env{Now: start, User: q.As})
	b.must(err)
	q.Sort, err = check.CompileOrder(sort, predicate.Problem)
	b.must(err)
	b.must(b.read(b.Context(), func(c *conn) error {
		_, err := sqlstore.Reader{Dialect: b.dialect, Session: explained{session{c}, &steps}}.Search(b.Context(), q)
		return err
	}))
	return steps
}

// The queries that have to run as they are begin with an index that finds few, or with
// the problems in the order in which they are wanted. All are materialised, so that
// they can be interrupted.
func TestSearchesUseIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user := b.id()
	content := metadata.Content{Users: []usr.User{{ID: user, Name: "Ann", Email: "ann@example.org"}}}
	for i := range 8 {
		content.Users = append(content.Users, usr.User{ID: b.id(), Email: fmt.Sprint(i)})
		content.States = append(content.States, metadata.State{ID: b.id(), Name: fmt.Sprint(i), Resolved: i > 3})
		content.Priorities = append(content.Priorities, metadata.Priority{ID: b.id(), Name: fmt.Sprint(i), Order: i})
		content.Milestones = append(content.Milestones, metadata.Milestone{ID: b.id(), Name: fmt.Sprint("Next", i)})
		content.Components = append(content.Components, metadata.Component{ID: b.id(), Name: fmt.Sprint(i)})
	}
	catalogue := metadata.NewCatalogue(ident.Version{Number: 1}, content)
	// Pages by name come after a value. What has none is read behind it, and bounds no index.
	positions := map[string]*store.Hit{"assignee.name": {ID: 1, Keys: []predicate.Value{"Ann"}}}
	for _, c := range []struct{ where, sort, step string }{
		{"TRUEPREDICATE", "-modificationDate", "SCAN p USING INDEX problems_modified"},
		{"TRUEPREDICATE", "-creationDate", "SCAN p USING INDEX problems_created"},
		{"TRUEPREDICATE", "assignee.name", "SEARCH p USING COVERING INDEX problems_assignee_modified (assignee=?)"},
		{"watching = YES", "", "SEARCH watchers USING COVERING INDEX watchers_user (user_id=?)"},
		{"read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser", "", "SEARCH p USING INDEX problems_assignee (assignee=? AND state=?)"},
		{"assignee.identifier = $ApiUser", "", "SEARCH p USING INDEX problems_assignee (assignee=? AND state=?)"},
		{"state.resolved = NO AND assignee.identifier = $ApiUser", "-identifier", "SEARCH p USING INDEX problems_assignee (assignee=? AND state=?)"},
		{"assignee.identifier = $ApiUser", "-modificationDate", "SEARCH p USING COVERING INDEX problems_assignee_modified (assignee=? AND state=?)"},
		{"state.resolved = NO AND assignee.identifier = $ApiUser", "priority.order,-modificationDate", "SEARCH p USING COVERING INDEX problems_assignee_modified (assignee=? AND state=?)"},
		{"creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)", "", "SEARCH p USING INDEX problems_created (created>?)"},
		{"resolver.identifier = $ApiUser AND resolveDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)", "", "SEARCH p USING INDEX problems_resolved (resolved>?)"},
		{"priority = nil AND state.resolved = NO", "", "SEARCH p USING INDEX problems_without_priority (priority=?)"},
		{"modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)", "", "SEARCH p USING INDEX problems_modified (modified>?)"},
		{"SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0", "",
			"SEARCH s1 USING COVERING INDEX savepoints_modifier (modifier=? AND modified>?)"},
		{"identifier IN {1, 2}", "", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
		{"milestone.name =[c] 'next3'", "", "SEARCH p USING INDEX problems_milestone (milestone>? AND milestone<?)"},
		{"component.name = '3' AND title LIKE 'a*'", "-identifier", "SEARCH p USING INDEX problems_component (component>? AND component<?)"},
		{"component.name = '3' AND state.resolved = NO", "-creationDate", "SEARCH p USING INDEX problems_component (component=?)"},
		{"state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0", "",
			"SEARCH r1 USING PRIMARY KEY (owner=? AND type=?)"},
		{"ANY relationships.childId = 7", "", "SEARCH r1 USING COVERING INDEX relationships_other (other=?)"},
		{"ANY keywords.name = 'build'", "", "SEARCH k1 USING COVERING INDEX keywords_name (name=?)"},
		{"SUBQUERY(keywords, $k, $k.name = 'alert' AND $k.value = 'a').@count > 0 AND state.resolved = NO", "", "SEARCH k1 USING INDEX keywords_name (name=? AND <expr>=?)"},
		{"state.resolved = NO", "-identifier", "SEARCH p USING INDEX problems_state (state=?)"},
		{"state.resolved = NO", "-modificationDate", "SEARCH p USING INDEX problems_state_modified (state=?)"},
		{"title CONTAINS[c] 'API'", "-modificationDate", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
		{"state.resolved = NO AND (title CONTAINS[cd] 'API' OR ANY comments.text CONTAINS[cd] 'API')", "", "SCAN comment_parts VIRTUAL TABLE INDEX 0:M1"},
		{"title CONTAINS[c] 'AP'", "", "SCAN p"}, // no index finds so small a part of a text
	} {
		steps := b.steps(c.where, c.sort, store.Query{After: positions[c.sort], Limit: 1, As: user, Catalogue: catalogue})
		if !slices.Contains(steps, c.step) || !slices.Contains(steps, "MATERIALIZE found") {
			t.Errorf("%s\nis done by\n%s; want %s", c.where, strings.Join(steps, "\n"), c.step)
		}
		// The indexes have the problems of an assignee and a state, and those of a component, in the
		// order of their numbers: only what has been found of several is sorted.
		const sorted = "USE TEMP B-TREE FOR ORDER BY"
		for i, step := range steps[:len(steps)-1] {
			if (strings.HasSuffix(step, "AND state=?)") || strings.HasSuffix(step, "component<?)")) && steps[i+1] == sorted {
				t.Errorf("%s\nis sorted in\n%s", c.where, strings.Join(steps, "\n"))
			}
		}
	}
}

// A search that would begin at more problems than a walk looks at walks them in their order.
func TestSearchesWalkMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rare, common := metadata.Component{ID: b.id(), Name: "rare"}, metadata.Component{ID: b.id(), Name: "common"}
	catalogue := metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{Components: []metadata.Component{rare, common}})
	for i := range 200 {
		p := problem.Problem{ID: problem.ID(i + 1), Fields: problem.Fields{Title: "A", Component: common.ID}, Created: start, Modified: start, Resolved: start, Revision: 1}
		keyword := problem.Keyword{Name: "common"}
		if i == 0 {
			p.Component, keyword.Name = rare.ID, "rare"
		}
		b.commit(b.change(store.CreateProblem{Problem: p}, store.PutKeyword{Problem: p.ID, Keyword: keyword}))
	}
	const latest = "-modificationDate"
	for _, c := range []struct{ where, sort, step string }{
		{"component.name = 'rare'", latest, "SEARCH p USING INDEX problems_component (component=?)"},
		{"component.name = 'common'", latest, "SCAN p USING INDEX problems_modified"},
		{"component.name = 'common' AND title LIKE 'b*'", latest, "SEARCH p USING INDEX problems_component (component=?)"},
		{"ANY keywords.name = 'rare'", latest, "SEARCH k1 USING COVERING INDEX keywords_name (name=?)"},
		{"ANY keywords.name = 'common'", latest, "SCAN p USING INDEX problems_modified"},
		{"creationDate > CAST('2000-01-01', 'NSDate')", latest, "SCAN p USING INDEX problems_modified"},
		{"resolveDate > CAST('2000-01-01', 'NSDate')", "", "SCAN p"},
		// A walk would look at all problems: no index has the order, the latest come last in it, or few
		// satisfy the rest.
		{"creationDate > CAST('2000-01-01', 'NSDate')", "", "SEARCH p USING INDEX problems_created (created>?)"},
		{"ANY keywords.name = 'common'", "title", "SEARCH k1 USING COVERING INDEX keywords_name (name=?)"},
		{"ANY keywords.name = 'common' AND title LIKE 'b*'", latest, "SEARCH k1 USING COVERING INDEX keywords_name (name=?)"},
	} {
		steps := b.steps(c.where, c.sort, store.Query{Limit: 9, Catalogue: catalogue})
		// The first steps are those of the count.
		if last := steps[slices.Index(steps, "MATERIALIZE found"):]; !slices.Contains(last, c.step) {
			t.Errorf("%s\nis done by\n%s; want %s", c.where, strings.Join(steps, "\n"), c.step)
		}
	}
}
