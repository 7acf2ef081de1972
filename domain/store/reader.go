package store

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
)

// Parts selects what is loaded with a problem.
type Parts uint8

// The parts of a Snapshot that are loaded only when asked for.
const (
	Keywords Parts = 1 << iota
	Log
	Comments
	Relationships
	Watchers
	Savepoints
	// IfSmall is no part: with it, a problem whose Size is above Small comes without
	// any of the other parts.
	IfSmall
)

// Small is the Size up to which a problem is loaded with its parts at once, without
// thought for memory: 64 KiB, many times that of most.
const Small = 64 << 10

// Has reports whether p includes all of the given parts.
func (p Parts) Has(parts Parts) bool { return p&parts == parts }

// Snapshot is a problem with what belongs to it, at one moment. Parts that were
// not asked for are nil.
type Snapshot struct {
	problem.Problem
	// Batch must be that of the Change whose CreateProblem or UpdateProblem
	// stored the problem last (READ-018). It tells revisions apart that have the
	// same number in different histories.
	Batch ident.ID
	// Size is how many bytes the problem counts for (see problem.Size). It must be
	// that of the CreateProblem or UpdateProblem that stored the problem last
	// (SIZE-001), and of a restored problem that of its Dossier (SIZE-002).
	Size int64
	// Catalogue is the catalogue's version at that moment.
	Catalogue ident.Version
	// Watching and Read are those of the user who was named;
	// ReadByAssignee is false when there is no assignee.
	Watching       bool
	Read           bool
	ReadByAssignee bool

	Keywords      []problem.Keyword  // must be sorted by name, by code point (READ-003)
	Log           []problem.LogEntry // oldest first (COM-008)
	Comments      []problem.Comment  // oldest first (COM-008)
	Relationships []Related          // must be sorted by Relationship.Compare (READ-004)
	Watchers      []ident.ID         // in any order
	Savepoints    []Savepoint        // oldest first (COM-008)
}

// Related is a relationship with what readers show of the other problem. The
// other problem's title and state must be those of the Snapshot's moment
// (READ-005).
type Related struct {
	relationship.Relationship
	OtherTitle string
	OtherState ident.ID
}

// Savepoint is a problem as it stood after a batch that created it or changed
// one of its fields (D8).
type Savepoint struct {
	Batch ident.ID
	problem.Problem
}

// Reply is an answer that is kept so that a repeated request gets it again
// (D21).
type Reply struct {
	User ident.ID
	Key  string // 1 to 255 visible ASCII characters; unique for the user
	// Fingerprint is the SHA-256 of the request that was answered.
	Fingerprint [32]byte
	Created     time.Time
	Body        []byte // opaque to the domain and to stores
}

// History names a series of Changes of which none was taken back. A store begins
// another one when it may have lost Changes that it has shown, as a fail-over may. The
// data have the same History through every Store that is open on them. A store that
// never shows what it can lose has but one, 0.
type History uint64

// Reader reads at one moment. What it returns must equal what Commit was given,
// byte for byte and to the millisecond, in UTC (READ-001).
type Reader interface {
	// Problem returns the problem with the given parts, as seen by the given
	// user. It must fail with fault.ProblemNotFound when there is none
	// (READ-002). With IfSmall, it must leave out all parts of a problem whose
	// Size is above Small, and of no other (SIZE-003).
	Problem(ctx context.Context, id problem.ID, as ident.ID, parts Parts) (Snapshot, error)

	// Log returns entries of a problem's log, oldest first: those after the first
	// skip ones, and at most limit of them, which is at least 1. It must stop
	// after the entry with which their sizes reach room, in bytes, and not before
	// (READ-020). So a long log can be read in parts that fit into memory, in one
	// View or in several: a log only grows. A problem that does not exist has none.
	Log(ctx context.Context, id problem.ID, skip, limit int, room int64) ([]problem.LogEntry, error)

	// Comments returns comments of a problem in the same way (READ-021).
	Comments(ctx context.Context, id problem.ID, skip, limit int, room int64) ([]problem.Comment, error)

	// Problems returns those of the given problems that exist, each as Problem
	// would return it, in the order in which they are given. It must
	// return exactly these (READ-014).
	Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts Parts) ([]Snapshot, error)

	// Search returns the problems that the query asks for. It must find
	// exactly those that satisfy the predicate, as predicate.Holds evaluates
	// it (FIND-001), in the query's order (FIND-002), with what they are sorted
	// by, and no more than its Limit (FIND-003). It must fail with
	// fault.QueryTooExpensive when there are more than MostCandidates to look
	// at one by one, however many are wanted, and only then (FIND-004). When
	// ctx ends, it must return soon, with the kind fault.Unavailable
	// (FIND-005).
	//
	// Package search has one that is ready made for stores that can only
	// iterate.
	Search(ctx context.Context, q Query) ([]Hit, error)

	// Neighbours returns, for problems that exist or not, all relationships
	// of the given type that they have, in any order. It must return each
	// one exactly once (READ-006).
	Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error)

	// Epoch returns the epoch of a directed family. It must start at 0 and
	// be raised by 1 by every MoveFamily effect (READ-007). Its Batch must be
	// that of the Change that raised it last, and ident.None before (READ-019).
	Epoch(ctx context.Context, family FamilyName) (ident.Version, error)

	// Catalogue returns all metadata and users, which must agree with its
	// version (READ-008). Callers keep it for long: it must not change
	// (ALIAS-001).
	Catalogue(ctx context.Context) (*metadata.Catalogue, error)

	// Versions returns the versions at this moment, by the rules of
	// Store.Versions.
	Versions(ctx context.Context) (Versions, error)

	// Dossiers returns the problems whose numbers are greater than after, with
	// all that belongs to them, in ascending order and at most limit of them,
	// which is at least 1.
	// It must return fewer only when there are no more (READ-012).
	Dossiers(ctx context.Context, after problem.ID, limit int) ([]Dossier, error)

	// Tokens returns all tokens, expired and revoked ones included, in the
	// order in which they were first put (READ-009).
	Tokens(ctx context.Context) ([]access.Token, error)

	// Audit returns entries of the audit log, oldest first: those after the
	// first skip ones, and at most limit of them, which is at least 1. Their
	// order must be that of their Commits, and within one Change its order
	// (READ-015).
	Audit(ctx context.Context, skip, limit int) ([]audit.Entry, error)

	// SavedQueries returns the saved queries of a user, or with ident.None
	// those of all. They must be in the order in which they were first put
	// (READ-016).
	SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error)

	// SavedQuery returns a saved query. ok must be false when there is none
	// (READ-017).
	SavedQuery(ctx context.Context, id ident.ID) (saved query.Saved, ok bool, err error)

	// Reply returns the reply kept for a user's key. ok must be false when
	// none is (READ-010). Whether it has expired is the caller's to judge.
	Reply(ctx context.Context, user ident.ID, key string) (reply Reply, ok bool, err error)

	// History returns that of what was read with this Reader, for Confirm. It is
	// to be called after something was.
	History() History

	// Oldest returns the time by which Expire forgets the oldest batch or
	// reply that is kept, at this moment or a later one. ok must be false
	// when none is (READ-013).
	Oldest(ctx context.Context) (at time.Time, ok bool, err error)
}
