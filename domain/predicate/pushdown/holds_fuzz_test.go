package pushdown

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// FuzzHolds: every checked predicate can be evaluated, split and simplified, in time.
// It means the same afterwards, and after other objects.
func FuzzHolds(f *testing.F) {
	for _, text := range predicatetest.Atoms() {
		f.Add(text)
	}
	w := predicatetest.NewWorld()
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := check.Compile(text, predicate.Problem, w.Env)
		if err != nil {
			var invalid *predicate.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("the error is %T", err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		evaluator := eval.New(ctx)
		for _, problem := range []*predicatetest.Fake{w.Bare, w.First, w.Second} {
			want, err := eval.Matches(ctx, plan, problem)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := evaluator.Holds(plan.Where, problem); got != want || err != nil {
				t.Errorf("it is %t, but %t, %v after others", want, got, err)
			}
			opposite, err := eval.Matches(ctx, (&predicate.Plan{Root: plan.Root, Where: predicate.Not{Cond: plan.Where}, Slots: plan.Slots}), problem)
			if err != nil || opposite == want {
				t.Errorf("NOT of %t is %t, %v", want, opposite, err)
			}
			compiled, residual := Split(plan)
			got := true
			for _, c := range compiled {
				ok, err := eval.Holds(ctx, c, []predicate.Value{problem})
				if err != nil {
					t.Errorf("%#v: %v", c, err)
				}
				got = got && ok
			}
			if residual != nil && got {
				if got, err = eval.Matches(ctx, residual, problem); err != nil {
					t.Errorf("the residual: %v", err)
				}
			}
			if got != want {
				t.Errorf("it is %t, but %t when it is split", want, got)
			}
		}
	})
}

func BenchmarkHolds(b *testing.B) {
	w := predicatetest.NewWorld()
	for _, c := range []struct{ name, text string }{
		{"flag", `watching = YES`},
		{"references", `read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`},
		{"fold", `title CONTAINS[cd] 'nichts'`},
		{"subquery", `state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`},
		{"matches", `title MATCHES '.*l(ö|oe)st.*'`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := compile(b, w, c.text, predicate.Problem)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := eval.Matches(b.Context(), p, w.First); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	p := compile(b, predicatetest.NewWorld(), `state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`, predicate.Problem)
	b.ReportAllocs()
	for b.Loop() {
		if compiled, residual := Split(p); len(compiled) != 2 || residual != nil {
			b.Fatal(compiled, residual)
		}
	}
}
