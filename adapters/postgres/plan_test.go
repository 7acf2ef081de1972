package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// planned reads how the server would do what it is asked for once.
type planned struct {
	*view
	steps *strings.Builder
}

// ReadOnce implements sqlstore.Session.
func (e planned) ReadOnce(ctx context.Context, q sqlstore.Query) error {
	q.SQL = "EXPLAIN (COSTS OFF) " + q.SQL
	q.Row = func(scan func(...any) error) error {
		var step string
		err := scan(&step)
		e.steps.WriteString(step + "\n")
		return err
	}
	return e.view.ReadOnce(ctx, q)
}

// number returns an identifier as SQL makes it of a number, by uuidOf.
func number(n int) ident.ID {
	return ident.ID{14: byte(n >> 8), 15: byte(n)}
}

func uuidOf(n string) string {
	return "lpad(to_hex(" + n + "), 32, '0')::uuid"
}

func TestSearchesHaveTheirIndexes(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	searchtest.Indexes(t, d.strings(`SELECT c.relname::text || '.' || a.attname::text
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relname IN ('problems', 'savepoints', 'keywords', 'relationships', 'watchers')`))
}

// The queries that have to run as they are use an index for what they begin with.
func TestSearchesUseIndexes(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	s := d.opened(Options{URL: d.url, AutoMigrate: true})
	// Twenty thousand problems, the higher numbers of which are the later ones. One of twenty is open.
	d.exec(`
		INSERT INTO problems (id, title, created, modified, revision, state, assignee, component, milestone)
			SELECT n, 'Problem ' || n, n * 1000000::bigint, n * 1000000::bigint, 1, ` + uuidOf("256 + CASE WHEN n % 20 = 0 THEN n / 20 % 4 ELSE 4 + n % 4 END") + `, ` + uuidOf("n % 100") + `, ` + uuidOf("n % 50") + `, ` + uuidOf("n % 40") + `
			FROM generate_series(1, 20000) n;
		INSERT INTO savepoints (problem, batch, title, created, modified, modifier, revision)
			SELECT n, ` + uuidOf("n") + `, '', 0, n * 1000000::bigint, ` + uuidOf("n % 100") + `, 1 FROM generate_series(1, 20000) n;
		INSERT INTO watchers (problem, user_id) SELECT n, ` + uuidOf("n % 100") + ` FROM generate_series(1, 20000) n;
		INSERT INTO reads (problem, user_id) SELECT n, ` + uuidOf("n % 100") + ` FROM generate_series(1, 20000) n;
		INSERT INTO keywords (problem, name) SELECT n, 'build ' || n % 5000 FROM generate_series(1, 20000) n;
		INSERT INTO relationships (owner, type, other, created) SELECT n, 501, n + 1, 0 FROM generate_series(1, 20000, 10) n;
		INSERT INTO comments (problem, id, created, text) SELECT n, ` + uuidOf("n") + `, 0, 'Problem ' || n FROM generate_series(1, 20000) n;
		ANALYZE problems, savepoints, watchers, reads, keywords, relationships, comments`) // and none of other tests
	if err := s.FillParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	content := metadata.Content{Users: []user.User{{ID: number(7), Name: "Ann", Email: "ann@example.org"}}}
	for i := range 99 {
		content.Users = append(content.Users, user.User{ID: number(100 + i), Email: fmt.Sprint(i)})
	}
	for i := range 8 {
		content.States = append(content.States, metadata.State{ID: number(256 + i), Name: fmt.Sprint(i), Resolved: i > 3})
		content.Priorities = append(content.Priorities, metadata.Priority{ID: number(i), Name: fmt.Sprint(i), Order: i})
		content.Milestones = append(content.Milestones, metadata.Milestone{ID: number(i), Name: fmt.Sprint("Next", i)})
		content.Components = append(content.Components, metadata.Component{ID: number(i), Name: fmt.Sprint(i)})
	}
	catalogue := metadata.NewCatalogue(ident.Version{Number: 1}, content)
	now := time.Unix(20000, 0).UTC()
	for _, c := range []struct{ where, sort, index string }{ // or one index of several
		{"watching = YES", "", "watchers_user"},
		{"read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser", "", "problems_assignee|problems_assignee_modified"},
		{"assignee.identifier = $ApiUser", "", "problems_assignee|problems_assignee_modified"},
		{"creationDate > FUNCTION(NOW(), 'dateByAddingMinutes:', -2)", "", "problems_created"},
		{"resolver.identifier = $ApiUser AND resolveDate > FUNCTION(NOW(), 'dateByAddingMinutes:', -2)", "", "problems_resolved"},
		{"priority = nil AND state.resolved = NO", "", "problems_without_priority"},
		{"modificationDate > FUNCTION(NOW(), 'dateByAddingMinutes:', -2)", "", "problems_modified"},
		{"SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingMinutes:', -60) AND $h.modifier.identifier = $ApiUser).@count > 0", "", "savepoints_modifier"},
		{"identifier IN {1, 2}", "", "problems_pkey"},
		{"milestone.name =[c] 'next3'", "", "problems_milestone_id"},
		{"component.name = '3' AND title LIKE 'a*'", "-identifier", "problems_component_id"},
		{"component.name = '3' AND state.resolved = NO", "-creationDate", "problems_component_id"},
		{"state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0", "", "problems_pkey"},
		{"ANY relationships.childId = 7", "", "relationships_other"},
		{"ANY keywords.name = 'build 7'", "", "keywords_name"},
		{"SUBQUERY(keywords, $k, $k.name = 'build 7' AND $k.value = 'a').@count > 0", "", `AND \(substr\(value,`},
		{"title CONTAINS[c] 'M 1999'", "-modificationDate", "problems_pkey"},
		{"title CONTAINS[c] 'roblem' OR ANY comments.text CONTAINS[c] 'roblem'", "-modificationDate", "comments_problem"},
		{"state.resolved = NO", "-identifier", "problems_state_id"},
		{"state.resolved = NO", "-modificationDate", "problems_modified|problems_state_modified"},
		{"state.resolved = NO AND assignee.identifier = $ApiUser", "-modificationDate", "problems_assignee_modified"},
	} {
		plan, err := check.Compile(c.where, predicate.Problem, predicate.Env{Now: now, User: number(7)})
		if err != nil {
			t.Fatal(err)
		}
		order, err := check.CompileOrder(c.sort, predicate.Problem)
		if err != nil {
			t.Fatal(err)
		}
		var steps strings.Builder
		err = s.View(t.Context(), func(r store.Reader) error {
			session := planned{r.(reader).view, &steps}
			_, err := sqlstore.Reader{Dialect: s.dialect, Session: session}.Search(t.Context(),
				store.Query{Plan: plan, Sort: order, Limit: 101, As: number(7), Catalogue: catalogue})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(" (" + c.index + ")[ \n]").MatchString(steps.String()) {
			t.Errorf("%s\nis done by\n%s; want the index %s", c.where, steps.String(), c.index)
		}
	}
}
