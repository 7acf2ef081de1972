package serve

import (
	"os"
	"runtime/debug"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/budget"
)

// newMemory returns the budget of requests for large things: three eighths of the memory
// setting. About as much becomes garbage meanwhile, and the rest is for everything else.
func newMemory(o Options, m *metrics.Metrics) *budget.Budget {
	memory := budget.New(int64(o.Settings.Limits.Memory) / 8 * 3)
	m.Memory(memory.Held)
	return memory
}

// LimitMemory has Go collect garbage within the memory setting, unless the environment
// has a limit of its own (GOMEMLIMIT). An eighth is for memory outside of Go's count: the
// program itself, and SQLite's caches. A store in memory can be larger than any limit, so
// there is none.
func LimitMemory(settings config.Settings) {
	if os.Getenv("GOMEMLIMIT") == "" && !settings.Storage.Store.Is(backend.Private) {
		debug.SetMemoryLimit(int64(settings.Limits.Memory) / 8 * 7)
	}
}
