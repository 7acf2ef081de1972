// Package admin holds the use cases of administration: the kinds of metadata, users with their
// preferences, tokens and who has them, the audit log, and the first content of a store.
package admin

import "github.com/problemtracking/problems/domain/tracker/internal/core"

// Service runs the use cases of administration. Its methods may be called from many goroutines
// at once. The returned errors are faults.
type Service struct{ core *core.Core }

// New returns a Service on what it shares with the tracker: see tracker.Service.Core.
func New(c *core.Core) *Service { return &Service{c} }
