package sqlsearch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// plain is a syntax whose arguments can be read.
func plain() *Syntax {
	return &Syntax{
		ID:      func(id ident.ID) any { return id.String() },
		InList:  "AMONG (?)",
		IDs:     func(ids []ident.ID) any { return fmt.Sprintf("%d ids", len(ids)) },
		Texts:   func(texts []string) any { return strings.Join(texts, "|") },
		Numbers: func(numbers []int64) any { return fmt.Sprint(numbers) },
		TextSearch: map[predicate.Op]string{
			predicate.Contains: "{text} HAS {part}", predicate.BeginsWith: "{text} BEGINS {part}", predicate.EndsWith: "{text} ENDS {part}",
		},
		LikeOperator: "LIKE",
		LikePattern:  func(p predicate.Pattern) string { return fmt.Sprintf("%d parts", len(p.Parts)) },
		Sum:          "total({value})",
		Ranks: func(ids []ident.ID, ranks []int64) (string, []any) {
			return "RANKS ?", []any{fmt.Sprint(ranks)}
		},
	}
}

var (
	ann, bo = ident.ID{15: 1}, ident.ID{15: 2}
	noon    = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
)

func catalogue() *metadata.Catalogue {
	return metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{
		States: []metadata.State{{ID: ident.ID{15: 11}, Name: "Open", Order: 2}, {ID: ident.ID{15: 12}, Name: "Closed", Resolved: true, Order: 1}},
		Users:  []user.User{{ID: ann, Name: "Ann"}, {ID: bo, Name: "Bo", Email: "bo@example.org"}},
		Milestones: []metadata.Milestone{
			{ID: ident.ID{15: 21}, Name: "Next"}, {ID: ident.ID{15: 22}, Name: "next"}, {ID: ident.ID{15: 23}, Name: "Later"},
		},
	})
}

func compile(t *testing.T, where string) (fragment, *compiler) {
	t.Helper()
	plan, err := check.Compile(where, predicate.Problem, predicate.Env{Now: noon, User: ann})
	if err != nil {
		t.Fatalf("%.200s: %v", where, err)
	}
	compiled, residual := pushdown.Split(plan)
	if residual != nil {
		t.Fatalf("%s: something is left", where)
	}
	c := newCompiler(context.Background(), plain(), catalogue(), ann)
	conditions, err := c.search(compiled)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return and(conditions...), c
}

func TestCompile(t *testing.T) {
	t.Parallel()
	const annText = "00000000-0000-0000-0000-000000000001"
	boText, openText, laterText := bo.String(), ident.ID{15: 11}.String(), ident.ID{15: 23}.String()
	micros := fmt.Sprint(noon.UnixMicro())
	for _, c := range []struct{ where, sql, args string }{
		{"TRUEPREDICATE", "TRUE", ""},
		{"FALSEPREDICATE", "FALSE", ""},
		// Strings: the constant is an argument, whatever is in it.
		{`title = '\'; DROP TABLE problems; --'`, "p.title = ?", "'; DROP TABLE problems; --"},
		{"title != 'a'", "(p.title = ?) IS NOT TRUE", "a"},
		{"title = nil", "FALSE", ""},
		{"title CONTAINS 'a'", "p.title HAS ?", "a"},
		{"title CONTAINS nil", "FALSE", ""},
		{"title CONTAINS[c] 'API'", "coalesce(p.title_c, p.title) HAS ?", "api"},
		{"title BEGINSWITH[cd] 'É'", "coalesce(p.title_cd, p.title_c, p.title) BEGINS ?", "e"},
		{"'ab' ENDSWITH title", "? ENDS p.title", "ab"},
		{"title LIKE '*x?'", "p.title LIKE ?", "3 parts"},
		{"title IN {'a', 'b', nil}", "p.title AMONG (?)", "a|b"},
		{"'a' IN {title}", "p.title = ?", "a"},
		{"title IN {}", "FALSE", ""},
		// Constants on both sides, beside a column in the same list.
		{"ANY {title, 'x'} = 'y'", "(p.title = ? OR FALSE)", "y"},
		{"ANY {title, 'X'} =[c] 'x'", "(coalesce(p.title_c, p.title) = ? OR TRUE)", "x"},
		{"{identifier, 5} CONTAINS 1", "(p.id = ? OR FALSE)", "1"},
		{"5 IN {identifier, 5.0}", "(p.id = ? OR TRUE)", "5"},
		{"YES IN {watching, NO}", "((p.id IN (SELECT problem FROM watchers WHERE user_id = ?)) OR FALSE)", annText},
		{"NOW() IN {resolveDate, CAST('2026-01-01', 'NSDate')}", "(p.resolved = ? OR FALSE)", micros},
		{"ANY {identifier, nil} = 16", "(p.id = ? OR FALSE)", "16"},
		// Numbers and times: no constant is out of range.
		{"identifier = 7", "p.id = ?", "7"},
		{"7 < identifier", "p.id > ?", "7"},
		{"identifier = 2.5", "FALSE", ""},
		{"identifier > 2.5", "p.id > ?", "2"},
		{"identifier >= 2.5", "p.id > ?", "2"},
		{"identifier < 2.5", "p.id <= ?", "2"},
		{"identifier <= -2.5", "p.id <= ?", "-3"},
		{"identifier < 1e300", "TRUE", ""},
		{"identifier > 1e300", "FALSE", ""},
		{"identifier > -1e300", "TRUE", ""},
		{"identifier = 9223372036854775808.0", "FALSE", ""},
		{"identifier IN {1, 2.0, 2.5, nil}", "p.id AMONG (?)", "[1 2]"},
		{"creationDate > NOW()", "p.created > ?", micros},
		{"resolveDate = nil", "p.resolved IS NULL", ""},
		{"resolveDate != nil", "(p.resolved IS NULL) IS NOT TRUE", ""},
		{"resolveDate = modificationDate", "(p.resolved) = (p.modified)", ""},
		{"SELF = SELF", "(p.id) = (p.id)", ""},
		// References: tried for every object, and for nil.
		{"assignee.identifier = $ApiUser", "p.assignee = ?", annText},
		{"assignee.identifier != $ApiUser", "(p.assignee = ?) IS NOT TRUE", annText},
		{"assignee = nil", "p.assignee IS NULL", ""},
		{"assignee != nil", "p.assignee IS NOT NULL", ""},
		{"assignee.email = nil", "(p.assignee = ?) IS NOT TRUE", boText},
		{"milestone.name =[c] 'NEXT'", "p.milestone AMONG (?)", "2 ids"},
		{"milestone.name = 'x'", "FALSE", ""},
		{"milestone.name = 'Later' OR milestone = nil", "(p.milestone IS NULL OR p.milestone = ?)", laterText},
		{"assignee = originator", "(p.assignee) IS NOT DISTINCT FROM (p.originator)", ""},
		// Those of the caller.
		{"watching = YES", "(p.id IN (SELECT problem FROM watchers WHERE user_id = ?))", annText},
		{"read = NO", "NOT (EXISTS (SELECT 1 FROM reads WHERE problem = p.id AND user_id = ?))", annText},
		{"readByAssignee = YES", "(EXISTS (SELECT 1 FROM reads WHERE problem = p.id AND user_id = p.assignee))", ""},
		// Collections.
		{"ANY keywords.value = 'x'", "EXISTS (SELECT 1 FROM keywords k1 WHERE k1.problem = p.id AND (k1.value = ? AND substr(k1.value, 1, 64) = ?))", "x, x"},
		{"ANY keywords.value =[c] 'x'", "EXISTS (SELECT 1 FROM keywords k1 WHERE k1.problem = p.id AND coalesce(k1.value_c, k1.value) = ?)", "x"},
		{"ANY keywords.name = 'x'", "p.id IN (SELECT k1.problem FROM keywords k1 WHERE k1.name = ?)", "x"},
		{"ANY keywords.name = 'x' AND assignee.identifier = $ApiUser", // which has fewer
			"(EXISTS (SELECT 1 FROM keywords k1 WHERE k1.problem = p.id AND k1.name = ?) AND p.assignee = ?)", "x, " + annText},
		{"ALL keywords.name = 'x'", "(EXISTS (SELECT 1 FROM keywords k1 WHERE k1.problem = p.id AND (k1.name = ?) IS NOT TRUE)) IS NOT TRUE", "x"},
		{"ANY keywords.name = title", "EXISTS (SELECT 1 FROM keywords k1 WHERE k1.problem = p.id AND (k1.name) = (p.title))", ""},
		{"ANY watchers.name = 'Bo'", "p.id IN (SELECT w1.problem FROM watchers w1 WHERE w1.user_id = ?)", boText},
		{"ANY logs.isSignificant = NO", "EXISTS (SELECT 1 FROM log l1 WHERE l1.problem = p.id AND NOT (l1.type NOT IN (?, ?, ?, ?, ?, ?, ?)))", "WatcherAdded, WatcherRemoved, CommentEdited, CommentDeleted, Redacted, ClaimTaken, ClaimEnded"},
		{"keywords.@count >= 2", "(SELECT count(*) FROM keywords k1 WHERE k1.problem = p.id AND TRUE) >= ?", "2"},
		{"comments.@max.creationDate < NOW()", "(SELECT max(c1.created) FROM (SELECT * FROM comments WHERE NOT deleted) c1 WHERE c1.problem = p.id AND TRUE) < ?", micros},
		{"relationships.@sum.childId = 3", "(SELECT total(r1.other) FROM relationships r1 WHERE r1.owner = p.id AND TRUE) = ?", "3"},
		{"SUBQUERY(history, $h, $h.modificationDate > NOW() AND $h.modifier.identifier = $ApiUser).@count > 0",
			"p.id IN (SELECT s1.problem FROM savepoints s1 WHERE (s1.modified > ? AND s1.modifier = ?))", micros + ", " + annText},
		{"state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0",
			"(p.state = ? AND EXISTS (SELECT 1 FROM relationships r1 LEFT JOIN problems p2 ON p2.id = r1.other " +
				"WHERE r1.owner = p.id AND (r1.type = ? AND ((r1.owner) = (p.id) AND p2.state = ?))))", openText + ", 501, " + openText},
		{"ANY relationships.child.keywords.value = 'x'",
			"EXISTS (SELECT 1 FROM relationships r1 JOIN keywords k1 ON k1.problem = r1.other WHERE r1.owner = p.id AND (k1.value = ? AND substr(k1.value, 1, 64) = ?))", "x, x"},
		{"SUBQUERY(relationships, $r, $r.child.title = 'a' OR $r.child.resolveDate = nil).@count > 1",
			"(SELECT count(*) FROM relationships r1 LEFT JOIN problems p2 ON p2.id = r1.other " +
				"WHERE r1.owner = p.id AND (p2.title = ? OR p2.resolved IS NULL)) > ?", "a, 1"},
		{"ANY relationships.child.read = NO", "EXISTS (SELECT 1 FROM relationships r1 LEFT JOIN problems p2 ON p2.id = r1.other WHERE r1.owner = p.id AND " +
			"NOT (CASE WHEN p2.id IS NOT NULL THEN EXISTS (SELECT 1 FROM reads WHERE problem = r1.other AND user_id = ?) END))", annText},
		{"ANY relationships.parent = SELF", "EXISTS (SELECT 1 FROM relationships r1 WHERE r1.owner = p.id AND (r1.owner) = (p.id))", ""},
	} {
		f, _ := compile(t, c.where)
		var args []string
		for _, arg := range f.args {
			args = append(args, fmt.Sprint(arg))
		}
		if got := strings.Join(args, ", "); f.sql != c.sql || got != c.args {
			t.Errorf("%s\nis  %s\nof  %s; want\n    %s\nof  %s", c.where, f.sql, got, c.sql, c.args)
		}
	}
}

// What an index finds few of is not looked for in the order of all problems.
func TestWhatAnIndexFinds(t *testing.T) {
	t.Parallel()
	for where, few := range map[string]bool{
		"TRUEPREDICATE":        false,
		"identifier > 7":       false,
		"title = 'a'":          false,
		"creationDate > NOW()": true,
		"modificationDate >= NOW() AND title = 'a'":     true,
		"creationDate < NOW()":                          false,
		"creationDate > NOW() OR title = 'a'":           false,
		"NOT creationDate > NOW()":                      false,
		"watching = YES":                                false,
		"watching = NO":                                 false,
		"assignee.name = 'Ann'":                         true,
		"originator.name = 'Ann'":                       false,
		"state.resolved = NO":                           false,
		"milestone.name =[c] 'next'":                    false, // two of three
		"ANY keywords.name = 'a'":                       false,
		"ANY keywords.value = 'a'":                      false,
		"NOT ANY keywords.name = 'a'":                   false,
		"ANY relationships.child.creationDate > NOW()":  false,
		"ANY relationships.child.assignee.name = 'Ann'": false,
		"ANY relationships.childId = 7":                 false,
		"ANY relationships.child.watching = YES":        false,
	} {
		if f, _ := compile(t, where); f.few != few {
			t.Errorf("%s: few is %t; want %t: %s", where, f.few, few, f.sql)
		}
	}
}

// Long chains become trees that are not deep.
func TestCompileIsBalanced(t *testing.T) {
	t.Parallel()
	for _, operator := range []string{" AND ", " OR "} {
		f, _ := compile(t, strings.Repeat("title>'a'"+operator, 490)+"title>'b'")
		depth, deepest := 0, 0
		for _, r := range f.sql {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			deepest = max(deepest, depth)
		}
		if len(f.args) != 491 || deepest > 11 {
			t.Errorf("with%sthere are %d arguments, %d deep", operator, len(f.args), deepest)
		}
	}
}

// A database that does not know how many rows a search begins at is asked to count them, and walks
// the problems where there are many.
func TestBegin(t *testing.T) {
	t.Parallel()
	blind := *plain()
	blind.Blind = true
	const begin, walk = "SELECT count(*) FROM (SELECT 1 FROM keywords k1 WHERE k1.name = ? LIMIT ?)", "EXISTS (SELECT 1 FROM keywords k1"
	for _, c := range []struct {
		where  string
		syntax *Syntax
		known  Known
		begin  string
		walks  bool
	}{
		{"ANY keywords.name = 'a'", &blind, Known{}, begin, false},
		{"ANY keywords.name = 'a'", &blind, Known{Many: true}, begin, false},
		{"ANY keywords.name = 'a'", &blind, Known{Walk: true}, "", true},
		{"ANY keywords.name = 'a'", &blind, Known{Few: &Few{Problems: []any{"[1]"}}}, "", true},
		{"ANY keywords.name = 'a'", plain(), Known{}, "", false},
		{"ANY keywords.name = 'a' AND milestone.name = 'Later'", &blind, Known{}, "", true},
		{"title = 'a'", &blind, Known{}, "", false},
	} {
		plan, err := check.Compile(c.where, predicate.Problem, predicate.Env{Now: noon, User: ann})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Prepare(t.Context(), c.syntax, store.Query{Plan: plan, Limit: 9, Catalogue: catalogue(), As: ann}, c.known)
		if err != nil || found.Begin != c.begin || strings.Contains(found.SQL, walk) != c.walks {
			t.Errorf("%s, knowing %+v, begins with %q and is %s, %v; want %q", c.where, c.known, found.Begin, found.SQL, err, c.begin)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	const found = "found AS MATERIALIZED (SELECT p.id AS id, p.revision AS revision"
	const ranked = "SELECT p.id AS id, p.revision AS revision, ranks_k0.rank AS k0 FROM problems p LEFT JOIN ranks_k0 ON ranks_k0.id = p.state "
	for _, c := range []struct {
		sort  string
		after *store.Hit
		sql   string
		args  string
	}{
		{"", nil, "WITH " + found + " FROM problems p WHERE TRUE ORDER BY p.id LIMIT ?) SELECT id, revision FROM found ORDER BY id", "[9]"},
		{"", &store.Hit{ID: 4}, "WITH " + found + " FROM problems p WHERE (TRUE AND p.id > ?) ORDER BY p.id LIMIT ?) SELECT id, revision FROM found ORDER BY id", "[4 9]"},
		{"-creationDate", &store.Hit{ID: 4, Keys: []predicate.Value{noon}},
			"WITH " + found + ", p.created AS k0 FROM problems p WHERE (TRUE AND (p.created <= ? AND (p.created < ? OR (p.created = ? AND p.id > ?)))) " +
				"ORDER BY k0 DESC, p.id LIMIT ?) SELECT id, revision, k0 FROM found ORDER BY k0 DESC, id",
			fmt.Sprint([]any{noon.UnixMicro(), noon.UnixMicro(), noon.UnixMicro(), 4, 9})},
		{"resolveDate", &store.Hit{ID: 4, Keys: []predicate.Value{nil}},
			"WITH " + found + ", p.resolved AS k0 FROM problems p WHERE (TRUE AND (p.resolved IS NULL AND p.id > ?)) " +
				"ORDER BY p.id LIMIT ?) SELECT id, revision, k0 FROM found ORDER BY k0 NULLS LAST, id", "[4 9]"},
		{"title,-due", &store.Hit{ID: 4, Keys: []predicate.Value{"a", noon}},
			"WITH " + found + ", p.title AS k0, p.due AS k1 FROM problems p WHERE (TRUE AND (p.title >= ? AND " +
				"(p.title > ? OR ((p.title = ? AND (p.due < ? OR p.due IS NULL)) OR (p.title = ? AND (p.due = ? AND p.id > ?)))))) " +
				"ORDER BY k0, k1 DESC NULLS LAST, p.id LIMIT ?) SELECT id, revision, k0, k1 FROM found ORDER BY k0, k1 DESC NULLS LAST, id",
			fmt.Sprint([]any{"a", "a", "a", noon.UnixMicro(), "a", noon.UnixMicro(), 4, 9})},
		// Open is behind Closed; between them is the place of what is called neither.
		{"state.name", &store.Hit{ID: 4, Keys: []predicate.Value{"D"}},
			"WITH ranks_k0 AS MATERIALIZED (RANKS ?), valued AS MATERIALIZED (" + ranked + "WHERE (TRUE AND (ranks_k0.rank >= ? AND (ranks_k0.rank > ? OR (ranks_k0.rank = ? AND p.id > ?)))) " +
				"ORDER BY k0 NULLS LAST, p.id LIMIT ?), found AS MATERIALIZED (SELECT * FROM valued UNION ALL " +
				"SELECT * FROM (" + ranked + "WHERE (TRUE AND ranks_k0.rank IS NULL) ORDER BY p.id LIMIT ? - (SELECT count(*) FROM valued)) AS lacking) " +
				"SELECT id, revision, k0 FROM found ORDER BY k0 NULLS LAST, id", "[[1 3] 2 2 2 4 9 9]"},
	} {
		order, err := check.CompileOrder(c.sort, predicate.Problem)
		if err != nil {
			t.Fatal(err)
		}
		compiler := newCompiler(t.Context(), plain(), catalogue(), ann)
		f, _, err := compiler.hits([]fragment{constant(true)}, store.Query{Sort: order, After: c.after, Limit: 9, Catalogue: catalogue(), As: ann})
		if got := fmt.Sprint(f.args); err != nil || f.sql != c.sql || got != c.args {
			t.Errorf("%q is\n%s\nof %s, %v; want\n%s\nof %s", c.sort, f.sql, got, err, c.sql, c.args)
		}
	}
}

// Microseconds are compared with times between them.
func TestTimesBetweenMicroseconds(t *testing.T) {
	t.Parallel()
	between := time.UnixMicro(-5).Add(time.Nanosecond)
	n, at, ok := whole(between)
	if n != -5 || at != above || !ok {
		t.Fatalf("it is %d, %d, %t", n, at, ok)
	}
	for op, want := range map[predicate.Op]predicate.Op{
		predicate.Less: predicate.LessOrEqual, predicate.LessOrEqual: predicate.LessOrEqual,
		predicate.Greater: predicate.Greater, predicate.GreaterOrEqual: predicate.Greater,
	} {
		if got, n, holds := bound(op, n, at); got != want || n != -5 || holds != depends {
			t.Errorf("%s becomes %s %d, %d", op, got, n, holds)
		}
	}
	if _, _, holds := bound(predicate.Equal, n, at); holds != never {
		t.Error("it can be equal")
	}
}

// A place that does not fit the order is refused.
func TestPlaceOfAnotherOrder(t *testing.T) {
	t.Parallel()
	order, err := check.CompileOrder("title", predicate.Problem)
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]predicate.Value{nil, {int64(1)}, {"a", "b"}} {
		compiler := newCompiler(t.Context(), plain(), catalogue(), ann)
		after := &store.Hit{ID: 1, Keys: keys}
		if f, _, err := compiler.hits([]fragment{constant(true)}, store.Query{Sort: order, After: after, Limit: 1}); err == nil {
			t.Errorf("with %v it is %s", keys, f.sql)
		}
	}
}
