package serve

import (
	"runtime/debug"
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
)

// TestGarbage checks how much garbage may gather, and who decides. The percentage is the
// process's.
func TestGarbage(t *testing.T) {
	const own = 100
	before := debug.SetGCPercent(own)
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetGCPercent(before); debug.SetMemoryLimit(limit) })
	for name, c := range map[string]struct {
		store, variable string
		want            int
	}{
		"a limit bounds it":              {"sqlite:never-opened.db", "", 200},
		"the variable counts":            {"sqlite:never-opened.db", "50", own},
		"a store in memory has no limit": {"memory:", "", own},
	} {
		t.Setenv("GOGC", c.variable)
		settings := config.Settings{Storage: config.Storage{Store: builtIn(t, c.store)}}
		settings.Limits.Memory = 256 << 20
		LimitMemory(settings)
		if got := debug.SetGCPercent(own); got != c.want {
			t.Errorf("%s: garbage may take %d %% of the memory in use; want %d", name, got, c.want)
		}
	}
}
