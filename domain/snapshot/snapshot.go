// Package snapshot has problems with their parts at one moment. Stores read them, and the
// service returns them.
//
// Each sentence with a "must" is a duty of a storage adapter, and ends in the tag of its
// conformance cases.
package snapshot

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// Parts selects the optional parts loaded with a problem.
type Parts uint8

// These parts of a Snapshot are loaded only on request.
const (
	Keywords Parts = 1 << iota
	Log
	Comments
	Relationships
	Watchers
	Savepoints
	Attachments
	// IfSmall is no part. With it, a problem with a Size above Small comes without any
	// of the other parts.
	IfSmall
)

// Small is the largest Size of a problem for loading it with its parts at once, with no
// regard to memory: 64 KiB. Most problems are many times smaller.
const Small = 64 << 10

// Has reports whether p includes all of the given parts.
func (p Parts) Has(parts Parts) bool { return p&parts == parts }

// Snapshot is a problem with its parts at one moment. Parts without a request are nil.
type Snapshot struct {
	problem.Problem
	// Batch must be the Batch of the last Change with a CreateProblem or UpdateProblem
	// of this problem (READ-018). It distinguishes revisions with the same number in
	// different histories.
	Batch ident.ID
	// Size is the size of the problem in bytes (see problem.Size). It must be the Size
	// in the last CreateProblem or UpdateProblem of this problem (SIZE-001), and for a
	// restored problem the Size of its Dossier (SIZE-002).
	Size int64
	// Claim must be that of the last PutClaim of this problem (READ-001). Claims are no part of an
	// Archive: a restored problem has none.
	Claim problem.Claim
	// Catalogue is the catalogue's version at this moment.
	Catalogue ident.Version
	// Watching and Read concern the user named in the call. ReadByAssignee is false
	// when there is no assignee.
	Watching       bool
	Read           bool
	ReadByAssignee bool

	Keywords      []problem.Keyword  // must be sorted by name, by code point (READ-003)
	Log           []problem.LogEntry // oldest first (COM-008)
	Comments      []problem.Comment  // oldest first (COM-008)
	Relationships []Related          // must be sorted by Relationship.Compare (READ-004)
	Watchers      []ident.ID         // in any order
	Savepoints    []Savepoint        // oldest first (COM-008)
	// Attachments are in the order of their first put (COM-008). Deleted ones are among them.
	Attachments []problem.Attachment
}

// Related is a relationship with the title and state of the other problem, for display.
// Both must be from the moment of the Snapshot (READ-005).
type Related struct {
	relationship.Relationship
	OtherTitle string
	OtherState ident.ID
}

// Savepoint is a copy of a problem. Each batch that creates the problem or changes one
// of its fields leaves one (D8).
type Savepoint struct {
	Batch ident.ID
	problem.Problem
}
