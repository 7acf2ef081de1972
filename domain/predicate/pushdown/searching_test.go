package pushdown

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestSearchingIsBounded: a database gets only conditions to decide about one long
// text in about a second. Of the rest it gets the necessary and cheap part.
func TestSearchingIsBounded(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	word := strings.Repeat("a", 15_000) + "b"
	start := strings.Repeat("a", excerpt)
	var many []string
	for n := range 100 {
		many = append(many, "$c.text CONTAINS 'aaaaaaaaaaaaaaaaaaa"+strconv.Itoa(n)+"'")
	}
	for text, want := range map[string]struct {
		residual bool
		compiled string // also a predicate; empty for none
	}{
		"ANY comments.text LIKE '*aaab*'":                                                      {false, "ANY comments.text LIKE '*aaab*'"},
		"ANY comments.text LIKE '*" + word + "*'":                                              {true, "ANY comments.text CONTAINS '" + start + "'"},
		"ANY comments.text LIKE '" + word + "*'":                                               {false, "ANY comments.text LIKE '" + word + "*'"},
		"ANY comments.text LIKE '*" + predicatetest.Repeat(90, "?", "") + "'":                  {true, "SUBQUERY(comments, $c, TRUEPREDICATE).@count > 0"},
		"ANY comments.text CONTAINS '" + word + "'":                                            {true, "ANY comments.text CONTAINS '" + start + "'"},
		"ANY comments.text CONTAINS[cd] '" + word + "'":                                        {true, "ANY comments.text CONTAINS[cd] '" + start + "'"},
		"NONE comments.text CONTAINS '" + word + "'":                                           {true, ""},
		"ALL comments.text CONTAINS '" + word + "'":                                            {true, ""},
		"ANY comments.text CONTAINS '" + word[:250] + "'":                                      {false, "ANY comments.text CONTAINS '" + word[:250] + "'"},
		"ANY comments.text ENDSWITH '" + word + "'":                                            {false, "ANY comments.text ENDSWITH '" + word + "'"},
		"ANY comments.text = '" + word + "'":                                                   {false, "ANY comments.text = '" + word + "'"},
		"title LIKE '*" + word + "*'":                                                          {false, "title LIKE '*" + word + "*'"},
		"title CONTAINS '" + word + "' OR watching = YES":                                      {false, "title CONTAINS '" + word + "' OR watching = YES"},
		"SUBQUERY(comments, $c, title CONTAINS $c.text).@count > 0":                            {false, "SUBQUERY(comments, $c, title CONTAINS $c.text).@count > 0"},
		"SUBQUERY(comments, $c, $c.text CONTAINS title).@count > 0":                            {false, "SUBQUERY(comments, $c, $c.text CONTAINS title).@count > 0"},
		"SUBQUERY(comments, $c, ANY keywords.value IN $c.text).@count > 0":                     {true, "SUBQUERY(comments, $c, SUBQUERY(keywords, $k, TRUEPREDICATE).@count > 0).@count > 0"},
		"SUBQUERY(comments, $c, " + strings.Join(many, " OR ") + ").@count > 0":                {true, ""},
		"ANY comments.text CONTAINS '" + word + "' AND title = 'x'":                            {true, "ANY comments.text CONTAINS '" + start + "' AND title = 'x'"},
		"ANY comments.text CONTAINS '" + word + "' OR title = 'x'":                             {true, "ANY comments.text CONTAINS '" + start + "' OR title = 'x'"},
		"ANY comments.text CONTAINS '" + word + "' OR read = YES AND title LIKE[d] 'x'":        {true, ""},
		"SUBQUERY(comments, $c, $c.text CONTAINS '" + word + "' AND $c.text < 'b').@count > 1": {true, ""},
	} {
		compiled, residual := Split(compile(t, w, text, predicate.Problem))
		if (residual != nil) != want.residual {
			t.Errorf("%.90s: the residual is %v", text, residual)
		}
		work := 0
		for _, c := range compiled {
			work += searching(c)
		}
		if work > maxSearching {
			t.Errorf("%.90s: a database compares %d characters", text, work)
		}
		var wanted []predicate.Cond
		if want.compiled != "" {
			wanted, _ = Split(compile(t, w, want.compiled, predicate.Problem))
		}
		if got, want := predicatetest.PlanForm(predicate.And{Conds: compiled}), predicatetest.PlanForm(predicate.And{Conds: wanted}); got != want {
			t.Errorf("%.90s: compiled is\n%.300s, want\n%.300s", text, got, want)
		}
	}
}

// TestWeakened: a weakened condition holds wherever the condition does.
func TestWeakened(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	holding, weaker := 0, 0
	long := strings.Repeat("Line one\nline TWO. ", 10)
	w.First.Values["comments"].([]predicate.Value)[1].(*predicatetest.Fake).Values["text"] = long
	for _, text := range append(predicatetest.Atoms(),
		"ANY comments.text CONTAINS '"+long[:60]+"'", "ANY comments.text LIKE '?ine*"+long[20:100]+"*'", "ANY comments.text LIKE[c] '*LINE one?line*'",
		"SUBQUERY(comments, $c, $c.text CONTAINS 'two' AND $c.text ENDSWITH 'x').@count > 0", "ANY comments.text CONTAINS[cd] '"+strings.ToUpper(long[:60])+"'",
		"NOT (ANY comments.text CONTAINS 'line' AND title = 'x')", "ALL comments.text CONTAINS 'one' OR ANY comments.text CONTAINS 'TWO'") {
		cond := simplify(compile(t, w, text, predicate.Problem).Where)
		weak := weakened(cond)
		for _, about := range []*predicatetest.Fake{w.Bare, w.First, w.Second} {
			is, err := eval.Holds(context.Background(), cond, []predicate.Value{about})
			if err != nil {
				t.Fatal(err)
			}
			also, err := eval.Holds(context.Background(), weak, []predicate.Value{about})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case is && !also:
				t.Errorf("%s holds of %v, but not %#v", text, about.ID, weak)
			case is:
				holding++
			case also:
				weaker++
			}
		}
	}
	if holding == 0 || weaker == 0 {
		t.Errorf("%d hold, %d hold only when weakened", holding, weaker)
	}
}
