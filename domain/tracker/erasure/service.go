// Package erasure holds the use cases of the erasure of users (D46): its beginning, and one
// server's part in its work.
package erasure

import (
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Service runs the use cases of erasures. Its methods may be called from many goroutines at
// once. The returned errors are faults.
type Service struct {
	core *core.Core
}

// New returns a Service on what it shares with the tracker: see tracker.Service.Core.
func New(c *core.Core) *Service { return &Service{c} }
