package check

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// measured are the predicates for the benchmarks from a text to a plan: a frequent
// one, one with a function and a fold, and one with a subquery. BenchmarkSplit and
// BenchmarkHolds continue with them.
var measured = []struct{ name, text string }{
	{"open", `assignee.identifier = $ApiUser AND state.resolved = NO`},
	{"recent", `creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND title CONTAINS[cd] 'API löst'`},
	{"blocked", `state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 'BlockedBy' AND $r.child.state.resolved = NO).@count > 0`},
}

func BenchmarkParse(b *testing.B) {
	for _, c := range measured {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := syntax.Parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	env := predicatetest.NewWorld().Env
	for _, c := range measured {
		b.Run(c.name, func(b *testing.B) {
			syntax, err := syntax.Parse(c.text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := planOf(syntax, predicate.Problem, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCompile measures a search before it gets to the store.
func BenchmarkCompile(b *testing.B) {
	env := predicatetest.NewWorld().Env
	for _, c := range measured {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(c.text, predicate.Problem, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
