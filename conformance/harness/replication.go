package harness

import "github.com/problemtracking/problems/domain/store"

// Replication is a new store with a synchronous replica. The replica has every
// acknowledged Change. The case calls the functions one after the other. When they fail
// at their purpose, they call Fatalf of the T given to Harness.Replicate.
type Replication struct {
	// Open opens a handle on the store. It is called twice for shared stores, and once
	// for others. The case closes the handles.
	Open func() store.Store
	// Freeze withholds all Commits from the replica once Freeze has returned.
	Freeze func()
	// Thaw lets the replica receive again, including the missed Commits. It need not wait
	// for them.
	Thaw func()
	// CancelWaits ends the wait for the replica of all calls under way, as an operator
	// can, and nothing else of them. The case calls it again and again during calls. It
	// is nil where that is impossible.
	CancelWaits func()
	// TakeOver ends the store without a warning, as a failing host does. It opens the
	// replica in its place, and returns when the replica takes Commits. Everything the
	// replica has not received by then is lost, also when it is frozen. The case closes
	// the handle.
	TakeOver func() store.Store
}
