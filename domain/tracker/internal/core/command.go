package core

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
)

// Caller identifies the user of a request, with the token or the session behind it.
type Caller struct {
	User  ident.ID
	Token ident.ID // None for a session begun without a token
	Scope access.Scope
	// Preferences are those of the user of a session (D58).
	Preferences user.Preferences
	// Expires is the end of the token, or of the session. Zero means never.
	Expires time.Time
	// Session is the session of the request (D41). None for a request with a token.
	Session ident.ID
}

// Author returns the caller as the author of a change. A session has no token, also one that began
// with a token (D8).
func (c Caller) Author() changes.Author {
	if !c.Session.IsNone() {
		return changes.Author{User: c.User}
	}
	return changes.Author{User: c.User, Via: c.Token}
}

// CallerOf returns the caller with a token.
func CallerOf(t access.Token) Caller {
	return Caller{User: t.User, Token: t.ID, Scope: t.Scope, Expires: t.Expires}
}

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

// Idempotency makes a request repeatable: the same Key and Fingerprint get the
// first answer again (D21).
type Idempotency[T any] struct {
	Key         string   // 1 to 255 visible ASCII characters
	Fingerprint [32]byte // of method, path, query, media type and body
	// Render turns the answer into the stored reply. It has to be pure, because it may
	// run more than once.
	Render func(Answer[T]) []byte
}

// Answer is the result of a use case.
type Answer[T any] struct {
	Value T
	// Catalogue is the catalogue at the moment of the answer, for rendering references.
	Catalogue *metadata.Catalogue
	// Revision is the revision of the problem after the request, or 0 for a request
	// without a problem.
	Revision int64
	// Current is the current revision of a problem shown as of an earlier point.
	Current int64
	// New is true when the write created something.
	New bool
	// Ignored names the members sent with a value different from the problem's and not
	// stored. The names are sorted. A null is no value.
	Ignored []string
	// Replay is the stored reply to an earlier, equal request. When it is not nil, all
	// other members are zero.
	Replay []byte
}

// MostOnPage is the greatest limit of a page: of a search, and of the audit log.
const MostOnPage = 1000
