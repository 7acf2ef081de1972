// Package metadata holds the objects that problems refer to: states, priorities,
// classifications, components, milestones; the catalogue of all of them and of
// the users; and the rule by which a partial object stands for exactly one (D3).
package metadata

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// State is a step in the life of a problem (D2, D19).
type State struct {
	ID       ident.ID
	Name     string // unique, 1 to 255 characters
	Resolved bool   // problems in it count as done; cannot change while a problem is in it
	Initial  bool   // problems can be created in it
	Order    int
	Next     []ident.ID // where a problem can go from here; empty for a terminal state
}

// Priority says how urgent a problem is.
type Priority struct {
	ID    ident.ID
	Name  string // unique, 1 to 255 characters
	Order int
}

// Classification says what sort of problem it is.
type Classification struct {
	ID   ident.ID
	Name string // unique, 1 to 255 characters
}

// Component is a part of what is tracked. Components form trees.
type Component struct {
	ID        ident.ID
	Name      string // unique within its parent, 1 to 255 characters, without "/"
	Closed    bool   // keeps its problems, but takes no new ones
	Successor ident.ID
	Parent    ident.ID // None at the root
}

// Milestone is a point in time that problems are planned for.
type Milestone struct {
	ID        ident.ID
	Name      string   // unique within its component (None counts as one), 1 to 255 characters
	Component ident.ID // None: for all
	Created   time.Time
	Start     time.Time // zero: null
	End       time.Time // zero: null
}

// Kind names a sort of metadata object.
type Kind string

// The kinds of metadata objects. Users are resolved like the others, so they are
// one of them here.
const (
	States          Kind = "state"
	Priorities      Kind = "priority"
	Classifications Kind = "classification"
	Components      Kind = "component"
	Milestones      Kind = "milestone"
	Users           Kind = "user"
)
