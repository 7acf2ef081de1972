package sqlsearch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/store"
)

// parts are what a query over a catalogue with states is divided into.
func parts(t *testing.T, where, sort string, states int) []fragment {
	t.Helper()
	plan, err := check.Compile(where, predicate.Problem, predicate.Env{Now: noon, User: ann})
	if err != nil {
		t.Fatal(err)
	}
	content := catalogue().Content()
	for i := len(content.States); i < states; i++ {
		content.States = append(content.States, metadata.State{ID: ident.ID{14: 1, 15: byte(i)}, Name: fmt.Sprint("State ", i)})
	}
	conds, _ := pushdown.Split(plan)
	c := newCompiler(context.Background(), plain(), metadata.NewCatalogue(ident.Version{Number: 2}, content), ann)
	conditions, err := c.search(conds)
	if err != nil {
		t.Fatal(err)
	}
	order, err := check.CompileOrder(sort, predicate.Problem)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := c.sortKeys(order)
	if err != nil {
		t.Fatal(err)
	}
	if parts := c.byState(conditions, keys); parts != nil {
		return parts
	}
	parts, _ := c.byPlace(conditions, keys)
	return parts
}

// The problems of one assignee are looked for state by state; where that cannot help,
// and where it would make a statement too long, they are not.
func TestByState(t *testing.T) {
	t.Parallel()
	const mine = "assignee.identifier = $ApiUser"
	for _, c := range []struct {
		where  string
		states int
		parts  int
	}{
		{mine, 2, 3}, // or none
		{mine + " AND state != nil", 2, 2},
		{mine + " AND state = nil", 2, 1},
		{mine + " AND state.resolved = NO", 2, 1},
		{mine + " AND NOT state.resolved = YES", 2, 2},
		{"title = 'a' AND state.resolved = NO AND " + mine, 15, 14},
		{mine, 15, 16},
		{mine, 16, 0},
		{mine + " AND state.name BEGINSWITH 'State'", 18, 16},
		{mine + " AND state.name BEGINSWITH 'State'", 19, 0},
		{"state.resolved = NO", 2, 1},
		{"assignee != nil", 2, 0},
		{"assignee = nil OR " + mine, 2, 0},
		{"NOT " + mine, 2, 0},
		{"title = 'a' OR " + mine, 2, 0},
		{"ANY relationships.child.assignee.identifier = $ApiUser", 2, 0},
		{"originator.identifier = $ApiUser", 2, 0},
		{mine + " AND identifier IN {" + strings.Repeat("1,", 300) + "1}", 2, 3},
		{mine + " AND (" + strings.Repeat("title = 'a' OR ", 60) + "title = 'b')", 15, 16},
		{mine + " AND (" + strings.Repeat("title = 'a' OR ", 80) + "title = 'b')", 15, 0}, // 81 × 16 arguments
	} {
		if got := parts(t, c.where, "", c.states); len(got) != c.parts {
			t.Errorf("%.100s, with %d states, is searched in %d parts, want %d: %.200v", c.where, c.states, len(got), c.parts, got)
		}
	}
	got := fmt.Sprint(parts(t, mine+" AND title = 'a' AND state.resolved = NO", "", 2))
	for _, want := range []string{"p.assignee", "p.title = ?", "p.state = ?", ident.ID{15: 11}.String()} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, ident.ID{15: 12}.String()) {
		t.Errorf("it is looked for a state that is ruled out: %s", got)
	}
}

// By the latest change, the problems of some states are looked for state by state, also
// those of one assignee; unless another condition has an index with fewer problems. Those
// of one assignee are by their number, too, in either direction, and those of some states
// without another condition.
func TestByStateAndKey(t *testing.T) {
	t.Parallel()
	const open, latest = "state.resolved = NO", "-modificationDate"
	for _, c := range []struct {
		where, sort string
		parts       int
	}{
		{open, latest, 1},
		{open, "modificationDate", 1},
		{"NOT state.resolved = YES", latest, 2},
		{open + " AND read = NO AND title CONTAINS 'a'", latest, 1},
		{open + " AND assignee.identifier = $ApiUser", latest, 1},
		{"assignee.identifier = $ApiUser", latest, 3},
		{open + " AND watching = YES", latest, 0},
		{open + " AND ANY keywords.name = 'a'", latest, 0},
		{open, "", 1},
		{open, "-creationDate", 0},
		{"assignee.identifier = $ApiUser", "-identifier", 3},
		{"assignee.identifier = $ApiUser", "-identifier,title", 3},
		{open, "-identifier", 1},
		{open + " AND title = 'a'", "-identifier", 0},
		{"NOT state.name = 'No such state'", "-identifier", 0},
		{open, "-modificationDate,title", 0},
		{"title = 'a'", latest, 0},
	} {
		if got := parts(t, c.where, c.sort, 2); len(got) != c.parts {
			t.Errorf("%s by %q is searched in %d parts, want %d: %.200v", c.where, c.sort, len(got), c.parts, got)
		}
	}
}

// Those of some components, or of some milestones, are looked for one by one, by their number alone.
func TestByPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		where, sort string
		parts       int
	}{
		{"milestone.name = 'Later'", "", 1},
		{"milestone.name = 'Later' AND title = 'a'", "-identifier", 1},
		{"milestone.name = 'Later'", "-modificationDate", 0},
		{"milestone.name = 'Later' OR milestone = nil", "", 0},
		{"milestone.name = 'Later' AND ANY keywords.name = 'a'", "", 1},
		{"milestone.name = 'Later' AND creationDate > NOW()", "", 0}, // which may have fewer problems
		{"originator.identifier = $ApiUser", "", 0},                  // without an index
	} {
		if got := parts(t, c.where, c.sort, 2); len(got) != c.parts {
			t.Errorf("%s by %q is searched in %d parts, want %d: %.200v", c.where, c.sort, len(got), c.parts, got)
		}
	}
}

// A statement in parts asks for the first of each, and for the first of these.
func TestSelectionInParts(t *testing.T) {
	t.Parallel()
	plan, err := check.Compile("assignee.identifier = $ApiUser", predicate.Problem, predicate.Env{Now: noon, User: ann})
	if err != nil {
		t.Fatal(err)
	}
	conds, _ := pushdown.Split(plan)
	c := newCompiler(t.Context(), plain(), catalogue(), ann)
	conditions, err := c.search(conds)
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := c.hits(conditions, store.Query{After: &store.Hit{ID: 4}, Limit: 9, Catalogue: catalogue(), As: ann})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(f.sql, "?"); n != len(f.args) {
		t.Errorf("%d marks for %d arguments", n, len(f.args))
	}
	if branches, limits, places := strings.Count(f.sql, " UNION ALL "), strings.Count(f.sql, " LIMIT "), strings.Count(f.sql, "p.id > ?"); branches != 2 || limits != 4 || places != 3 {
		t.Errorf("%d unions, %d limits, %d places: %s", branches, limits, places, f.sql)
	}
}
