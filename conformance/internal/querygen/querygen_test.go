package querygen

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
)

// env is what predicates mean in these tests.
var env = predicate.Env{Now: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), User: ident.ID{6: 0x70, 8: 0x80, 15: 1}}

// some are values of every kind, for every key.
func some() map[*predicate.Key][]predicate.Value {
	values := make(map[*predicate.Key][]predicate.Value)
	for _, e := range []predicate.Entity{
		predicate.Problem, predicate.Savepoint, predicate.User, predicate.Component, predicate.Milestone, predicate.Priority,
		predicate.Classification, predicate.State, predicate.Keyword, predicate.Comment, predicate.Attachment, predicate.Log, predicate.Relationship,
	} {
		for _, key := range predicate.Keys(e) {
			switch key.Type.Kind {
			case predicate.String:
				for _, text := range Hostile() {
					values[key] = append(values[key], text)
				}
			case predicate.Int:
				values[key] = []predicate.Value{int64(-7), int64(0), int64(7), int64(501)}
			case predicate.UUID:
				values[key] = []predicate.Value{env.User}
			case predicate.Date:
				values[key] = []predicate.Value{env.Now, env.Now.AddDate(-100, 0, 0)}
			}
		}
	}
	return values
}

// TestPredicatesCompile shows that what is drawn is right, and has everything there is.
func TestPredicatesCompile(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := New(rand.New(rand.NewPCG(seed, 0)), some())
	var all strings.Builder
	for range 5000 {
		p := g.Predicate()
		if _, err := check.Compile(p.Text, predicate.Problem, env); err != nil {
			t.Fatalf("%s\nis no predicate: %v", p.Text, err)
		}
		for _, part := range p.Parts {
			if _, err := check.Compile(part.Text, predicate.Problem, env); err != nil {
				t.Fatalf("%s\ncannot stand alone: %v", part.Text, err)
			}
		}
		order := g.Order()
		if _, err := check.CompileOrder(order, predicate.Problem); err != nil {
			t.Fatalf("%s\nis no order: %v", order, err)
		}
		all.WriteString(p.Text)
	}
	for _, want := range []string{
		"ANY ", "ALL ", "NONE ", "SOME ", "SUBQUERY", "BETWEEN", "LIKE", "MATCHES", "BEGINSWITH", "ENDSWITH", "CONTAINS", "[cd]", "[d]", " IN ", "nil",
		"@count", "@sum", "@avg", "@min", "@max", "[SIZE]", "$ApiUser", "NOW()", "CAST", "dateByAddingMonths", "modulus:by:", "length", "**",
		"NOT", "!", "TRUEPREDICATE", "#", "'BlockedBy'", "$v2.", "ANY {", "ALL {", "}.@count", "sum({", "SUBQUERY({", "}.name",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q does not come up", want)
		}
	}
}

// TestSameSeedSamePredicates shows that a seed says what is drawn.
func TestSameSeedSamePredicates(t *testing.T) {
	t.Parallel()
	one, other := New(rand.New(rand.NewPCG(1, 2)), some()), New(rand.New(rand.NewPCG(1, 2)), some())
	for range 200 {
		if a, b := one.Predicate(), other.Predicate(); a.Text != b.Text {
			t.Fatalf("one draws %s\nthe other %s", a.Text, b.Text)
		}
		if a, b := one.Order(), other.Order(); a != b {
			t.Fatalf("one draws the order %s, the other %s", a, b)
		}
	}
}

// TestConstantsHaveNoKey shows that a constant needs no value of a problem, and leaves the
// regular expressions to other conditions.
func TestConstantsHaveNoKey(t *testing.T) {
	t.Parallel()
	g := New(rand.New(rand.NewPCG(1, 2)), some())
	for range 500 {
		text := g.constant(scope{{"", predicate.Problem}})
		plan, err := check.Compile(text, predicate.Problem, env)
		if err != nil {
			t.Fatal(err)
		}
		if keys := plan.Keys(); len(keys) > 0 {
			t.Fatalf("the constant %s has the keys %v", text, keys)
		}
	}
	if g.patterns > 0 {
		t.Errorf("constants have drawn %d regular expressions", g.patterns)
	}
}
