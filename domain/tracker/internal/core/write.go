package core

import (
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Write holds the options common to all writes.
type Write struct {
	// DryRun runs everything but the commit (D24).
	DryRun bool
	// IfMatch, when not nil, names the acceptable revisions of the problem (D20).
	// Writes without a problem ignore it.
	IfMatch *Match
	// Claim, when not None, has to be the current claim of the problem (D49). Writes without a
	// problem ignore it.
	Claim ident.ID
	// LastAdmin allows a write that leaves no administrator of the service. It is for
	// work on the store itself, because there another token can be made.
	LastAdmin bool
	// Faults are the faults found in the body by the driving adapter. The service
	// reports them together with its own faults of the body, and at the same point of
	// the checks (D11, D18).
	Faults fault.List
}

// Match is a condition on a problem's revision. One of the members has to match.
type Match struct {
	Any       bool    // any revision, as long as the problem exists
	Revisions []int64 // by their numbers alone
	// Made are revisions of one history. After a fail-over with lost changes, the same
	// number in another history does not match.
	Made []Made
	// Weak are revisions of weak tags. They never match, but the error tells what to send.
	Weak []int64
}

// Made is a revision with the end of the batch that made it (see snapshot.Snapshot.Batch).
type Made struct {
	Revision int64
	By       [4]byte
}
