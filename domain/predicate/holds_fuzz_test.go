package predicate

import (
	"context"
	"errors"
	"testing"
	"time"
)

// FuzzHolds: every checked predicate can be evaluated, split and simplified, in time.
// It means the same afterwards, and after other objects.
func FuzzHolds(f *testing.F) {
	for _, text := range atoms() {
		f.Add(text)
	}
	w := newWorld()
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := Compile(text, Problem, w.env)
		if err != nil {
			var invalid *Error
			if !errors.As(err, &invalid) {
				t.Fatalf("the error is %T", err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		evaluator := NewEvaluator(ctx)
		for _, problem := range []*fake{w.bare, w.first, w.second} {
			want, err := plan.Holds(ctx, problem)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := evaluator.Holds(plan.Where, problem); got != want || err != nil {
				t.Errorf("it is %t, but %t, %v after others", want, got, err)
			}
			opposite, err := (&Plan{Root: plan.Root, Where: Not{plan.Where}, Slots: plan.Slots}).Holds(ctx, problem)
			if err != nil || opposite == want {
				t.Errorf("NOT of %t is %t, %v", want, opposite, err)
			}
			compiled, residual := plan.Split()
			got := true
			for _, c := range compiled {
				ok, err := Holds(ctx, c, []Value{problem})
				if err != nil {
					t.Errorf("%#v: %v", c, err)
				}
				got = got && ok
			}
			if residual != nil && got {
				if got, err = residual.Holds(ctx, problem); err != nil {
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
	w := newWorld()
	for _, c := range []struct{ name, text string }{
		{"flag", `watching = YES`},
		{"references", `read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`},
		{"fold", `title CONTAINS[cd] 'nichts'`},
		{"subquery", `state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`},
		{"matches", `title MATCHES '.*l(ö|oe)st.*'`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := w.compile(b, c.text, Problem)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := p.Holds(b.Context(), w.first); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	p := newWorld().compile(b, `state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`, Problem)
	b.ReportAllocs()
	for b.Loop() {
		if compiled, residual := p.Split(); len(compiled) != 2 || residual != nil {
			b.Fatal(compiled, residual)
		}
	}
}
