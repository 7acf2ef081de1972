package harness

import "github.com/problemtracking/problems/domain/store"

// Replication is a new store with a synchronous replica, which has whatever the
// store acknowledges. The case calls the functions one after the other. They call
// Fatalf of the T that Harness.Replicate got when they cannot do what they are for.
type Replication struct {
	// Open opens a handle on the store. It is called twice for stores that are
	// declared shared, and once for others. The case closes the handles.
	Open func() store.Store
	// Freeze keeps everything from the replica that is committed after Freeze
	// has returned.
	Freeze func()
	// Thaw lets the replica receive again, also what it has missed. It need not
	// wait until it has.
	Thaw func()
	// CancelWaits ends the wait for the replica of all calls that are under way,
	// as an operator can, and nothing else of them. The case calls it again and
	// again while calls are under way. It is nil if nobody can do that.
	CancelWaits func()
	// TakeOver ends the store without a warning, as a failing host does. It opens
	// the replica in its place, and returns when that takes Commits. What the
	// replica has not received by then is lost, also when it is frozen. The case
	// closes the handle.
	TakeOver func() store.Store
}
