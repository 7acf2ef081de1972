// Package metadata holds the objects around problems: states, priorities,
// classifications, components, milestones. It also holds the catalogue of all of them
// and of the users, and the rule for resolving a partial object to exactly one (D3).
package metadata

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// State is a stage in the life of a problem (D2, D19).
type State struct {
	ID       ident.ID
	Name     string     // unique, 1 to 255 characters
	Resolved bool       // problems in it count as done; cannot change while a problem is in it
	Initial  bool       // problems can be created in it
	Order    int        // lists are sorted by it: MinOrder to MaxOrder, not unique
	Next     []ident.ID // the possible next states; empty for a terminal state
}

// Priority is the urgency of a problem.
type Priority struct {
	ID    ident.ID
	Name  string // unique, 1 to 255 characters
	Order int    // lists are sorted by it: MinOrder to MaxOrder, not unique
}

// Classification is the category of a problem.
type Classification struct {
	ID   ident.ID
	Name string // unique, 1 to 255 characters
}

// Component is a part of the tracked product. Components form trees.
type Component struct {
	ID        ident.ID
	Name      string // unique within its parent, 1 to 255 characters, without "/"
	Closed    bool   // keeps its problems, but takes no new ones
	Successor ident.ID
	Parent    ident.ID // None at the root
}

// Milestone is a point in time for planning problems.
type Milestone struct {
	ID        ident.ID
	Name      string   // unique within its component (None counts as one), 1 to 255 characters
	Component ident.ID // None: for all
	Created   time.Time
	Start     time.Time // zero: null
	End       time.Time // zero: null
}

// Kind is the kind of a metadata object.
type Kind string

// The kinds of metadata objects. Users resolve like the others, so they are a kind too.
const (
	States          Kind = "state"
	Priorities      Kind = "priority"
	Classifications Kind = "classification"
	Components      Kind = "component"
	Milestones      Kind = "milestone"
	Users           Kind = "user"
)
