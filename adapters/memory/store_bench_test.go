package memory_test

import (
	"testing"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/conformance/storebench"
)

func BenchmarkStore(b *testing.B) {
	s, err := memory.Open(b.Context(), memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	storebench.Run(b, s)
}
