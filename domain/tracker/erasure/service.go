// Package erasure holds the use cases of the erasure of users (D46): its beginning, and one
// server's part in its work.
package erasure

import (
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Service runs the use cases of erasures. Its methods may be called from many goroutines at
// once. The returned errors are faults.
type Service struct {
	core *core.Core
}

// New returns a Service on the store of the tracker.
func New(t *tracker.Service) *Service { return &Service{t.Core()} }
