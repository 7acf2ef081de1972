package check

import (
	"errors"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestHostile checks that harmful predicates are refused as early as possible, with
// little memory. It counts allocations instead of time, because time depends on the
// machine. BenchmarkHostile shows the time.
func TestHostile(t *testing.T) { // not in parallel: it counts allocations
	for _, a := range predicatetest.Hostile() {
		if a.Kind != "" {
			_, err := Compile(a.Text, predicate.Problem, checkEnv)
			var e *predicate.Error
			if !errors.As(err, &e) || e.Kind != a.Kind || e.Column != a.Column || e.Line != 1 {
				t.Errorf("%s: %v, want %s at 1:%d", a.Name, err, a.Kind, a.Column)
			}
		} else if _, err := Compile(a.Text, predicate.Problem, checkEnv); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		const most = 20_000
		if n := testing.AllocsPerRun(1, func() { _, _ = Compile(a.Text, predicate.Problem, checkEnv) }); n > most {
			t.Errorf("%s: %.0f allocations, want %d at most", a.Name, n, most)
		}
	}
}

// BenchmarkHostile shows that each of them takes less than 10 ms.
func BenchmarkHostile(b *testing.B) {
	for _, a := range predicatetest.Hostile() {
		b.Run(a.Name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Compile(a.Text, predicate.Problem, checkEnv)
			}
		})
	}
}
