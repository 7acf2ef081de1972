package searchtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// hostileTime is how long a hostile search may take.
	hostileTime = 50 * time.Millisecond
	// hostileCost is the processor time of a search that counts as impossible to stop. A
	// search within hostileTime normally takes a tenth of it, even with one more read or
	// scan of a megabyte.
	hostileCost = 5 * time.Second
)

// hostileProblems is the number of problems. Each has a relationship to each.
const hostileProblems = 25

// Ground fills an empty store with content that makes searches expensive: long texts
// without variety, and relationships between all problems.
func Ground(t testing.TB, s store.Store) {
	t.Helper()
	w := newWorld(1, hostileProblems)
	for i := range w.dossiers {
		d := &w.dossiers[i]
		d.Problem.Title = strings.Repeat("a", 999) + "b"
		d.Relationships = nil
		for _, other := range w.dossiers {
			if other.ID != d.ID {
				d.Relationships = append(d.Relationships, relationship.Relationship{
					Owner: d.ID, Type: relationship.RelatedTo, Other: other.ID, Created: start, Author: w.user(),
				})
			}
		}
		for range 20 {
			d.Log = append(d.Log, problem.LogEntry{ID: w.ids.Next(), Problem: d.ID, Type: problem.CommentAdded, Created: start, Author: w.user(), Batch: w.ids.Next(), Revision: 1})
			d.Savepoints = append(d.Savepoints, snapshot.Savepoint{Batch: w.ids.Next(), Problem: w.problem(d.ID)})
		}
	}
	first, second := &w.dossiers[0], &w.dossiers[1]
	for _, text := range []string{
		strings.Repeat("a", 1<<20), strings.Repeat("ab", 1<<18) + "b", strings.Repeat("\u00e9", 1<<17), "e" + strings.Repeat("\u0316\u0323", 1<<15),
		strings.Repeat("\n", 1<<16), strings.Repeat("aA", 1<<10) + "b",
	} {
		second.Comments = append(second.Comments, problem.Comment{ID: w.ids.Next(), Author: w.user(), Created: start, Text: text})
		first.Comments = append(first.Comments, problem.Comment{ID: w.ids.Next(), Author: w.user(), Created: start, Text: strings.ToValidUTF8(text[:len(text)/2], "") + "."})
	}
	first.Keywords = []problem.Keyword{{Name: "ab", Value: problem.Text(strings.Repeat("a", 60_000) + "b")}, {Name: "ba", Value: problem.Text("b" + strings.Repeat("a", 60_000))}}
	if err := s.Restore(t.Context(), w.archive()); err != nil {
		t.Fatal(err)
	}
}

// Attack sends expensive queries to the store, and to package search on the same content.
// A seed selects the queries. It fails the test when either takes far more processor time
// than its context allows. cost is the processor time of the process so far, so nothing
// else should run.
func Attack(t testing.TB, s store.Store, seed uint64, cost func() time.Duration) {
	t.Helper()
	g := &attacker{rand.New(rand.NewPCG(seed, 7))}
	text, drawn := g.cond(2), true
	if known := attacks(); seed < uint64(len(known)) {
		text, drawn = known[seed], false
	}
	plan, err := check.Compile(text, predicate.Problem, predicate.Env{Now: now})
	switch {
	case err != nil && drawn:
		return // it is too long, say
	case err != nil:
		t.Fatalf("%.200s: %v", text, err)
	}
	err = s.View(t.Context(), func(r store.Reader) error {
		catalogue, err := r.Catalogue(t.Context())
		if err != nil {
			return err
		}
		q := store.Query{Plan: plan, Limit: hostileProblems, Catalogue: catalogue}
		var answers [][]store.Hit
		for name, ask := range map[string]func(context.Context) ([]store.Hit, error){
			"the store":      func(ctx context.Context) ([]store.Hit, error) { return r.Search(ctx, q) },
			"package search": func(ctx context.Context) ([]store.Hit, error) { return search.Scan(ctx, r, q) },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
			before := cost()
			hits, err := ask(ctx)
			took := cost() - before
			cancel()
			if took > hostileCost {
				t.Errorf("%s spends %v on %d bytes: %.600s", name, took, len(text), text)
			}
			switch {
			case err == nil:
				answers = append(answers, hits)
			case !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.QueryTooExpensive):
				t.Errorf("%s fails with %v: %.600s", name, err, text)
			}
		}
		if len(answers) == 2 && len(answers[0])+len(answers[1]) > 0 && !reflect.DeepEqual(answers[0], answers[1]) {
			t.Errorf("%.600s finds %v and %v", text, answers[0], answers[1])
		}
		return nil
	})
	if err != nil && !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
}

// attacks are predicates known or suspected to run on after cancellation.
func attacks() []string {
	long := strings.Repeat("a", 15_000)
	return []string{
		"ANY comments.text LIKE '*" + long + "b*'",
		"ANY comments.text CONTAINS 'b" + long + "'",
		"ANY comments.text CONTAINS[cd] '" + long + "b'",
		"ANY comments.text LIKE '" + strings.Repeat("*"+long[:900], 15) + "*bb'",
		"ANY comments.text LIKE '*" + strings.Repeat("a?", 7_000) + "b*'",
		"SUBQUERY(comments, $c, ANY comments.text IN $c.text).@count = 99",
		strings.Repeat("ANY relationships.child.relationships.child.relationships.child.keywords.name = 'x' OR ", 180) + "FALSEPREDICATE",
		strings.Repeat("relationships.child.relationships.child.relationships.child.@count = 7 OR ", 200) + "FALSEPREDICATE",
		strings.Repeat("ALL comments.text ENDSWITH 'x' AND ", 400) + "TRUEPREDICATE",
		"SUBQUERY(comments, $c, " + strings.Repeat("$c.text <= 'b' AND ", 490) + "TRUEPREDICATE).@count > 7",
		"SUBQUERY({" + strings.Repeat("1,", 900) + "1}, $a, SUBQUERY({" + strings.Repeat("1,", 900) + "1}, $b, $a + $b < identifier).@count = 7).@count = 7",
		"relationships.child.relationships.child.relationships.child.relationships.child.keywords.@count = 7",
		"SUBQUERY(comments, $c, " + strings.Repeat("$c.text LIKE '*"+long[:100]+"bb*' OR ", 100) + "FALSEPREDICATE).@count > 0",
	}
}

// attacker writes expensive predicates.
type attacker struct{ *rand.Rand }

func (g *attacker) of(words ...string) string { return words[g.IntN(len(words))] }

// cond returns a condition with others in it, so deep.
func (g *attacker) cond(depth int) string {
	if depth > 0 {
		switch g.IntN(5) {
		case 0:
			return "NOT (" + g.cond(depth-1) + ")"
		case 1:
			return "(" + g.cond(depth-1) + ")" + g.of(" AND ", " OR ") + "(" + g.cond(depth-1) + ")"
		case 2:
			v := fmt.Sprintf("$v%d", depth)
			return "SUBQUERY(" + g.far() + ", " + v + ", " + v + ".identifier > 0 AND (" + g.cond(depth-1) + ")).@count" + g.of(" > 0", " = 7", " > 99999999")
		}
	}
	switch g.IntN(8) {
	case 0:
		return g.far() + g.of(".@count = 7", ".keywords.@count > 99999999", ".@sum.identifier < 0", ".comments.@max.creationDate > NOW()", ".history.@min.priority.order = 99")
	case 1: // many conditions about the same text
		var all []string
		one := g.compared()
		for range min(g.IntN(300), 15_000/len(one)) {
			all = append(all, "$c.text"+one)
		}
		if len(all) == 0 {
			return "FALSEPREDICATE"
		}
		return "SUBQUERY(comments, $c, " + strings.Join(all, g.of(" OR ", " AND ")) + ").@count > 2"
	case 2:
		return "SUBQUERY(comments, $c, " + g.of("ANY keywords.value IN $c.text", "ANY comments.text IN $c.text", "$c.text CONTAINS title", "title IN[cd] $c.text",
			"ANY history.title IN $c.text", "ANY comments.text = $c.text", "ALL comments.text <= $c.text", "comments.text CONTAINS $c.text") + ").@count = 99"
	case 3:
		return "SUBQUERY(comments, $c, " + g.of("length", "lowercase", "uppercase") + "(" + g.of("$c.text", "uppercase(lowercase($c.text))") + ")" + g.of(" = nil", " IN {nil}") + ").@count = 99"
	}
	return g.of("ANY ", "ALL ", "NONE ") + g.of("comments.text", "comments.text", "keywords.value", "history.title", "relationships.child.comments.text", g.far()+".title", "comments.author.name") + g.compared()
}

// far returns problems with many paths to them.
func (g *attacker) far() string {
	return strings.TrimSuffix(strings.Repeat("relationships.child.", 1+g.IntN(4)), ".")
}

// compared returns the operator and the right side of a comparison of texts.
func (g *attacker) compared() string {
	if g.IntN(8) == 0 {
		return " MATCHES" + g.of("", "[c]") + " '" + g.of("(.*.?){100}b", "(a?){200}b", "(a|aa)*b", ".*a{250}b", "(?s).*.*.*x", `(?i)(a|\\pL)*x`) + "'"
	}
	modifier := g.of("", "", "", "[c]", "[cd]", "[d]")
	if g.IntN(2) == 0 {
		var b strings.Builder
		for range 1 + g.IntN(16) {
			b.WriteString(g.of("*", "*", "?") + g.text())
		}
		return " LIKE" + modifier + " '" + b.String() + g.of("*", "", "b*") + "'"
	}
	return g.of(" CONTAINS", " CONTAINS", " CONTAINS", " BEGINSWITH", " ENDSWITH", " =", " <", " >=") + modifier + " '" + g.text() + "'"
}

// text returns a near match of the content's texts.
func (g *attacker) text() string {
	n := []int{0, 1, 5, 30, 60, 250, 1000, 4000, 7000, 15_000}[g.IntN(10)]
	text := strings.Repeat(g.of("a", "a", "ab", "a?", "?", "\u00e9", "\u0316\u0323"), n)
	if len(text) > 15_000 {
		text = text[:15_000]
	}
	return strings.ToValidUTF8(g.of("", "", "b")+text+g.of("", "b", "b", "x"), "")
}
