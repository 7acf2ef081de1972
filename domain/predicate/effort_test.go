package predicate

import (
	"context"
	"strings"
	"testing"
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
	"folding":                repeat(2, "title CONTAINS[cd] 'x'", " OR "),
	"comparing":              repeat(2, "title CONTAINS 'x'", " OR "),
	"a function":             "lowercase(title) = 'x'",
	"a function to a number": "length(title) = 1",
	"lists":                  "title IN[cd] {'x', 'y'}",
	"LIKE":                   "title LIKE '*a?b*'",
	"LIKE[cd]":               "title LIKE[cd] 'a'",
	"LIKE of one run":        "title LIKE '*" + strings.Repeat("?", 100) + "b*'",
	"MATCHES":                "title MATCHES '(.*.?){100}b'",
	"MATCHES in a list":      "ANY keywords.name MATCHES '(.|..)*b'",
}

func long(text string) *fake {
	return &fake{int64(1), map[string]Value{
		"title":    text,
		"keywords": []Value{&fake{"k", map[string]Value{"name": text}}},
	}}
}

// TestCostlyConditionsStop: one condition on a long text is enough for a look at the
// context.
func TestCostlyConditionsStop(t *testing.T) {
	t.Parallel()
	w := newWorld()
	about := long(strings.Repeat("aé", 32<<10))
	for name, text := range costly {
		ctx := &impatient{Context: context.Background()}
		if ok, err := w.compile(t, text, Problem).Holds(ctx, about); ok || err != context.Canceled || ctx.asked != 1 {
			t.Errorf("%s: %t, %v, after asking %d times", name, ok, err, ctx.asked)
		}
	}
}

// TestMatchingStops: a regular expression stops in the middle of a text.
func TestMatchingStops(t *testing.T) {
	t.Parallel()
	w := newWorld()
	about := long(strings.Repeat("a", 32<<10))
	e := evaluation{ctx: &impatient{Context: context.Background(), most: 10}, vars: []Value{about}}
	ok, err := e.holds(w.compile(t, "title MATCHES '(.*.?){100}b'", Problem).Where)
	if most := 12 * (checkInterval + matchWork); ok || err != context.Canceled || e.spent > most {
		t.Errorf("%t, %v, after %d units of work, want %d at most", ok, err, e.spent, most)
	}
}

// TestMatchesLongTexts: the way of reading a text makes no difference to the answer.
func TestMatchesLongTexts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for _, n := range []int{shortText - 1, shortText, shortText + 1, 10 * shortText} {
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
			if got := w.holds(t, text, Problem, long(strings.Repeat("a", n))); got != want {
				t.Errorf("%d times a, %s: %t", n, text, got)
			}
		}
	}
}

// TestFoldsOnce: a text is folded once for each folding, however often it is compared.
// Constants of the predicate are never folded.
func TestFoldsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	const length = 10_000
	spent := func(text string) int {
		e := evaluation{ctx: context.Background(), vars: []Value{long(strings.Repeat("a", length))}}
		if ok, err := e.holds(w.compile(t, text, Problem).Where); ok || err != nil {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
		return e.spent
	}
	const once = length / bytesPerWork // to fold, or to compare
	for text, want := range map[string]int{
		"title LIKE[cd] 'b'":                                           once,
		repeat(100, "title LIKE[cd] 'b'", " OR "):                      once,
		repeat(10, "(title LIKE[c] 'b' OR title LIKE[d] 'b')", " OR "): 2 * once,
		"title IN[c] {'b', 'c', 'd'}":                                  once,
		repeat(3, "title CONTAINS[cd] 'b'", " OR "):                    once + 3*once,
		"title CONTAINS[cd] '" + strings.Repeat("b", length) + "'":     3 * once,
	} {
		if got := spent(text); got < want || got > want+200 {
			t.Errorf("%.60s: %d units of work, want %d", text, got, want)
		}
	}
}

// TestSplitIsBounded: Split decides constant conditions only when this takes little
// work. The rest is residual and can be stopped.
func TestSplitIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for _, n := range []int{50, 1000, 8000} {
		text := "'" + strings.Repeat("a", n) + "' MATCHES '(a|aa)*b'"
		compiled, residual := w.compile(t, text, Problem).Split()
		if decided := n <= 100; decided != (residual == nil) || decided != (len(compiled) == 1) {
			t.Errorf("%d characters: %v and %v", n, compiled, residual)
		}
		both := text + " AND watching = YES"
		if compiled, residual := w.compile(t, both, Problem).Split(); (residual == nil) != (n <= 100) || len(compiled) == 0 {
			t.Errorf("%d characters, and more: %v and %v", n, compiled, residual)
		}
	}
}
