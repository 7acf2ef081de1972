package serve

import (
	"os"
	"runtime/debug"

	"github.com/problemtracking/problems/app/internal/config"
)

// rareCollection is the GOGC, in percent, of a server whose data are elsewhere: of its
// heap some 12 MB last, and it is collected when it has 60 MB, not 24. That is about a
// fifth of the CPU time of a search.
const rareCollection = 400

// settleGarbage is called once the server is started. A server whose data are in memory
// collects its garbage as Go does: it would have several times as much.
func settleGarbage(url config.StoreURL) {
	debug.FreeOSMemory() // a start leaves some 4 MB that nothing needs any more
	if url.Scheme != config.Memory && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(rareCollection)
	}
}
