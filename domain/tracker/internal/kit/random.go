package kit

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var seed = flag.Uint64("seed", 0, "seed of the property tests; 0 stands for a new one")

// Rand returns a source of randomness whose seed is printed when the test fails.
func Rand(t *testing.T) *rand.Rand {
	t.Helper()
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("to run this again: go test -run '^%s$' -seed %d", t.Name(), s)
	return rand.New(rand.NewPCG(s, 0))
}
