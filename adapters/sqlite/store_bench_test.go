package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/conformance/storebench"
)

// BenchmarkStore has its file in the directory for temporary ones: what a commit costs
// is also a matter of that disk.
func BenchmarkStore(b *testing.B) {
	s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "problems.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	storebench.Run(b, s)
}
