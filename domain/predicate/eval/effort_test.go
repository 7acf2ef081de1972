package eval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// impatient is a context with an end after so many looks at it.
type impatient struct {
	context.Context
	asked, most int
}

func (i *impatient) Err() error {
	if i.asked++; i.asked > i.most {
		return context.Canceled
	}
	return nil
}

// costly are predicates with few conditions, but much work on a long text.
var costly = map[string]string{
	"folding":                predicatetest.Repeat(2, "title CONTAINS[cd] 'x'", " OR "),
	"comparing":              predicatetest.Repeat(2, "title CONTAINS 'x'", " OR "),
	"a function":             "lowercase(title) = 'x'",
	"a function to a number": "length(title) = 1",
	"lists":                  "title IN[cd] {'x', 'y'}",
	"LIKE":                   "title LIKE '*a?b*'",
	"LIKE[cd]":               "title LIKE[cd] 'a'",
	"LIKE of one run":        "title LIKE '*" + strings.Repeat("?", 100) + "b*'",
	"MATCHES":                "title MATCHES '(.*.?){100}b'",
	"MATCHES in a list":      "ANY keywords.name MATCHES '(.|..)*b'",
}

func long(text string) *predicatetest.Fake {
	return &predicatetest.Fake{ID: int64(1), Values: map[string]predicate.Value{
		"title":    text,
		"keywords": []predicate.Value{&predicatetest.Fake{ID: "k", Values: map[string]predicate.Value{"name": text}}},
	}}
}

// TestCostlyConditionsStop: one condition on a long text is enough for a look at the
// context.
func TestCostlyConditionsStop(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	about := long(strings.Repeat("aé", 32<<10))
	for name, text := range costly {
		ctx := &impatient{Context: context.Background()}
		if ok, err := eval.Matches(ctx, compile(t, w, text, predicate.Problem), about); ok || err != context.Canceled || ctx.asked != 1 {
			t.Errorf("%s: %t, %v, after asking %d times", name, ok, err, ctx.asked)
		}
	}
}

// TestMatchingStops: a regular expression stops in the middle of a text.
func TestMatchingStops(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	about := long(strings.Repeat("a", 32<<10))
	e := eval.New(&impatient{Context: context.Background(), most: 10})
	ok, err := e.Holds(compile(t, w, "title MATCHES '(.*.?){100}b'", predicate.Problem).Where, about)
	if most := 12 * (eval.CheckInterval + eval.MatchWork); ok || err != context.Canceled || e.Spent() > most {
		t.Errorf("%t, %v, after %d units of work, want %d at most", ok, err, e.Spent(), most)
	}
}

// TestMatchesLongTexts: the way of reading a text makes no difference to the answer.
func TestMatchesLongTexts(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, n := range []int{eval.ShortText - 1, eval.ShortText, eval.ShortText + 1, 10 * eval.ShortText} {
		for text, want := range map[string]bool{
			"title MATCHES 'a*'":                true,
			"title MATCHES 'a*b'":               false,
			"title MATCHES 'a{200}'":            false,
			"title MATCHES[c] '(A|AA)+'":        true,
			"title MATCHES '^a+$'":              true,
			"title MATCHES '\\\\Aa+\\\\z'":      true,
			"title MATCHES 'b|a.*a'":            true,
			"ANY keywords.name MATCHES 'a*?a'":  true,
			"title MATCHES '\\\\ba+\\\\b'":      true,
			"NOT title MATCHES '(?s).*\\\\n.*'": true,
		} {
			if got := holds(t, w, text, predicate.Problem, long(strings.Repeat("a", n))); got != want {
				t.Errorf("%d times a, %s: %t", n, text, got)
			}
		}
	}
}

// TestFoldsOnce: a text is folded once for each folding, however often it is compared.
// Constants of the predicate are never folded.
func TestFoldsOnce(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	const length = 10_000
	spent := func(text string) int {
		e := eval.New(context.Background())
		if ok, err := e.Holds(compile(t, w, text, predicate.Problem).Where, long(strings.Repeat("a", length))); ok || err != nil {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
		return e.Spent()
	}
	const once = length / eval.BytesPerWork // to fold, or to compare
	for text, want := range map[string]int{
		"title LIKE[cd] 'b'": once,
		predicatetest.Repeat(100, "title LIKE[cd] 'b'", " OR "):                      once,
		predicatetest.Repeat(10, "(title LIKE[c] 'b' OR title LIKE[d] 'b')", " OR "): 2 * once,
		"title IN[c] {'b', 'c', 'd'}":                                                once,
		predicatetest.Repeat(3, "title CONTAINS[cd] 'b'", " OR "):                    once + 3*once,
		"title CONTAINS[cd] '" + strings.Repeat("b", length) + "'":                   3 * once,
	} {
		if got := spent(text); got < want || got > want+200 {
			t.Errorf("%.60s: %d units of work, want %d", text, got, want)
		}
	}
}

// TestMembersOfMetadata: metadata makes its members at each Get. Their number counts, even if
// the first one decides. A problem keeps its members.
func TestMembersOfMetadata(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	const n = 1000
	children, keywords := make([]predicate.Value, n), make([]predicate.Value, n)
	for i := range n {
		children[i] = &predicatetest.Fake{ID: i, Values: map[string]predicate.Value{"closed": false}}
		keywords[i] = &predicatetest.Fake{ID: i, Values: map[string]predicate.Value{"name": "x"}}
	}
	about := &predicatetest.Fake{ID: int64(1), Values: map[string]predicate.Value{
		"component": &predicatetest.Fake{ID: "c", Values: map[string]predicate.Value{"children": children}},
		"keywords":  keywords,
	}}
	for text, want := range map[string]int{
		"ANY component.children.closed = NO": n / 2,
		"ANY keywords.name = 'x'":            0,
	} {
		e := eval.New(context.Background())
		ok, err := e.Holds(compile(t, w, text, predicate.Problem).Where, about)
		if got := e.Spent(); !ok || err != nil || got < want || got > want+10 {
			t.Errorf("%s: %t, %v, %d units of work, want %d", text, ok, err, got, want)
		}
	}
}

// TestListsOfLongTexts: a list counts the comparisons with texts of the same length.
func TestListsOfLongTexts(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	const length = 1 << 20
	about := long(strings.Repeat("a", length))
	about.Values["keywords"] = []predicate.Value{
		&predicatetest.Fake{ID: "same", Values: map[string]predicate.Value{"name": strings.Repeat("a", length-1) + "b"}},
		&predicatetest.Fake{ID: "short", Values: map[string]predicate.Value{"name": "b"}},
	}
	e := eval.New(context.Background())
	plan := compile(t, w, "SUBQUERY(keywords, $k, title IN {"+predicatetest.Repeat(100, "$k.name", ", ")+"}).@count > 0", predicate.Problem)
	ok, err := e.Holds(plan.Where, about)
	if want := 100 * length / eval.BytesPerWork / 64; ok || err != nil || e.Spent() < want || e.Spent() > want+500 {
		t.Errorf("%t, %v, %d units of work, want %d", ok, err, e.Spent(), want)
	}
}
