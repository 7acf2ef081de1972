package core

import (
	"context"

	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Command is one write: the keys to lock, the state to load, and the function to decide.
type Command[S, R any] struct {
	Locks  []writerlocks.Key
	DryRun bool
	Load   func(context.Context, store.Reader) (S, error)
	Once   bool // Load reads only once, see views.Views.Once
	// Prepare, if not nil, adds the parts of the state for real writes only. It runs
	// outside the View.
	Prepare func(context.Context, *S) error
	Decide  func(S, changes.Moment) (store.Change, R, error)
	// Handoff, if not nil, is for commands with a single lock.
	Handoff *Handoff[S]
}

// Handoff gives a waiting writer the problem as stored by the previous writer, and so
// saves the load. The previous writer may act for another user. Another server may have
// changed the problem since. So the Change has to expect everything taken from the
// handoff.
type Handoff[S any] struct {
	// BeforeWait runs before a writer waits for the lock.
	BeforeWait func(context.Context)
	// Accept returns the state for the decision. It returns false when the problem is
	// not enough for it, and for nil: nothing was handed off.
	Accept func(*snapshot.Snapshot) (S, bool)
	// Pass returns the problem for the next writer, once the Change is stored.
	Pass func(store.Change) *snapshot.Snapshot
}
