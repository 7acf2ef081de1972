package sqlsearch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
)

// FuzzCompile: what pushdown.Split leaves to databases compiles, to a statement that has
// an argument for each of its marks, and nothing of the predicate's own text.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		`title = '\'; DROP TABLE problems; --' OR NOT title LIKE 'a*?'`,
		`read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`,
		`SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`,
		`ANY relationships.child.keywords.name IN {'a', nil} AND comments.@max.creationDate < NOW()`,
		`identifier BETWEEN {1.5, 2e300} AND ALL watchers.email ENDSWITH[cd] 'é'`,
		`SUBQUERY(history, $h, SUBQUERY(logs, $l, $l.creationDate = $h.modificationDate AND $h.title = title).@count = 2).@count > id`,
		`keywords.@count + 1 = 2 AND title MATCHES 'a'`,
	} {
		f.Add(text)
	}
	const own = "‹›" // nothing else has these
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, strings.NewReplacer("'a", "'"+own, `"a`, `"`+own).Replace(text)} {
			plan, err := check.Compile(text, predicate.Problem, predicate.Env{Now: noon, User: ann})
			if err != nil {
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			compiled, _ := pushdown.Split(plan)
			c := newCompiler(ctx, plain(), catalogue(), ann)
			conditions, err := c.search(compiled)
			if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.QueryTooExpensive {
				return
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			where := and(conditions...)
			if marks := strings.Count(where.sql, "?"); marks != len(where.args) {
				t.Errorf("%q: %d marks and %d arguments in %s", text, marks, len(where.args), where.sql)
			}
			if strings.ContainsAny(where.sql, own) {
				t.Errorf("%q: the statement has a part of it: %s", text, where.sql)
			}
		}
	})
}
