// Package sessions holds the use cases of sessions (D41): how a browser signs in and out, and
// whose session a request has.
package sessions

import (
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Service runs the use cases of sessions. Its methods may be called from many goroutines at
// once. The returned errors are faults.
type Service struct {
	core *core.Core
}

// New returns a Service on what it shares with the tracker: see tracker.Service.Core.
func New(c *core.Core) *Service { return &Service{c} }
