// Package mailing holds the use cases of e-mail about changes (D43): the choice of each user,
// and one server's part in sending it.
package mailing

import (
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Service runs the use cases of e-mail. Its methods may be called from many goroutines at
// once. The returned errors are faults.
type Service struct {
	tracker *tracker.Service
	admin   *admin.Service
	core    *core.Core
}

// New returns a Service on the store of the tracker.
func New(t *tracker.Service, a *admin.Service) *Service {
	return &Service{t, a, t.Core(core.Insider{})}
}
