package harness

import "github.com/problemtracking/problems/domain/store"

// Holding is a further handle on a store. One of its Commits can be held back. The case
// calls the functions one after the other. When they fail at their purpose, they call
// Fatalf of the T given to Harness.Hold.
type Holding struct {
	// Store is the handle. The case closes it.
	Store store.Store
	// Shut makes the next Commit stop in the middle: the store has given the Change its
	// Position, and nobody can see the Change yet. Before, the case has committed two
	// Changes of the same size through the handle, so a harness can count what one sends.
	Shut func()
	// Held returns when that Commit has stopped.
	Held func()
	// Release lets it go on. It does nothing for a Commit that is not held.
	Release func()
}
