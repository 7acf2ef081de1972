//go:build unix

package sqlite

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
)

// FuzzSearchEnds: no predicate keeps a store, or the evaluator in the domain, far beyond
// the end of its context. The time that the processor spends is counted, which other
// processes do not change.
func FuzzSearchEnds(f *testing.F) {
	s, err := Open(f.Context(), Options{Path: filepath.Join(f.TempDir(), "problems.db")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	})
	searchtest.Ground(f, s)
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { searchtest.Attack(t, s, seed, spent) })
}

// spent returns the processor time that the process has taken so far.
func spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it is always there
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
