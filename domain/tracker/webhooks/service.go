// Package webhooks holds the use cases of webhooks (D40): their administration, and one
// server's part in their delivery.
package webhooks

import (
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/webhook"
)

// Service runs the use cases of webhooks. Its methods may be called from many goroutines at
// once. The returned errors are faults.
type Service struct {
	tracker *tracker.Service
	core    *core.Core
	sender  webhook.Sender
	made    chan struct{} // has an element after a command that makes a webhook or a secret
}

// New returns a Service on the store of the tracker. The worker of another one would not learn at
// once of what this one makes. sender sends messages to the receivers.
// nil: nothing is sent.
func New(t *tracker.Service, sender webhook.Sender) *Service {
	return &Service{tracker: t, core: t.Core(core.Insider{}), sender: sender, made: make(chan struct{}, 1)}
}
