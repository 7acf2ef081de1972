package metadata

import (
	"time"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/user"
)

// StatePatch holds the members of a state sent by a client (D2). A new one without
// order comes last.
type StatePatch struct {
	Name     patch.Field[string]
	Resolved patch.Field[bool]
	Initial  patch.Field[bool]
	Order    patch.Field[int64]
	// Next holds partial states. They are a set: order and repetition make no
	// difference.
	Next patch.Field[[]Partial]
}

// PriorityPatch holds the members of a priority sent by a client (D2). A new one
// without order comes last.
type PriorityPatch struct {
	Name  patch.Field[string]
	Order patch.Field[int64]
}

// ClassificationPatch holds the members of a classification sent by a client (D2).
type ClassificationPatch struct {
	Name patch.Field[string]
}

// MilestonePatch holds the members of a milestone sent by a client (D2).
type MilestonePatch struct {
	Name      patch.Field[string]
	Component patch.Field[Partial]
	Start     patch.Field[time.Time]
	End       patch.Field[time.Time]
}

// ComponentPatch holds the members of a component sent by a client (D2).
//
// A closed component is refused as a new parent or successor, as it is for problems.
// Closing affects no other object: the components below stay open until they are closed
// themselves. Problems stay in the closed component.
type ComponentPatch struct {
	Name      patch.Field[string]
	Closed    patch.Field[bool]
	Successor patch.Field[Partial]
	Parent    patch.Field[Partial]
}

// UserPatch holds the members of a user sent by a client (D2).
type UserPatch struct {
	Name     patch.Field[string]
	Email    patch.Field[string]
	Inactive patch.Field[bool]
	RobotOf  patch.Field[Partial]
	// Mail is the name of a user.Mail. Only the service sends it, for the user.
	Mail patch.Field[string]
	// Preferences are checked by who sends them: the service, for the user.
	Preferences patch.Field[user.Preferences]
}
