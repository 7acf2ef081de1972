package serve

import (
	"os"
	"runtime/debug"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/budget"
)

// newMemory returns the memory budget of large bodies, problems and answers: three eighths
// of the setting. Garbage takes about as much again; the rest is for everything else.
func newMemory(o Options, m *metrics.Metrics) *budget.Budget {
	memory := budget.New(int64(o.Settings.Limits.Memory) / 8 * 3)
	m.Memory(memory.Held)
	return memory
}

// LimitMemory sets Go's memory limit to seven eighths of the setting, unless GOMEMLIMIT is
// set. The last eighth is for memory outside of Go's heap: the program itself, and SQLite's
// caches. Below the limit, garbage may take twice the memory in use, unless GOGC is set: with
// Go's own choice, once as much, a request costs a fifteenth more. There is neither with a store
// in memory, as its data may exceed any limit.
func LimitMemory(settings config.Settings) {
	if settings.Storage.Store.Is(backend.Private) {
		return
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(settings.Limits.Memory) / 8 * 7)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
