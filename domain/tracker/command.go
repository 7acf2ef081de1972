package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
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

// MadeOf returns the revision of the snapshot. Its batch distinguishes it from the same
// revision in another history.
func MadeOf(s snapshot.Snapshot) Made {
	return Made{s.Revision, [4]byte(s.Batch[len(s.Batch)-4:])}
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

// ProblemPatch holds the members of a problem sent by a client (D11).
type ProblemPatch = problem.Patch

// ServiceFields are the members of a problem written only by the service, as a client sent
// them back.
type ServiceFields = expected.Problem

// NewKeyword is a keyword of a new problem.
type NewKeyword struct {
	Name  patch.Field[string]
	Value patch.Field[string] // null or left out: the keyword has no value
}

// CreateProblem is the command of W1.
type CreateProblem struct {
	Write
	ProblemPatch
	// Keywords are set by the creation itself, with the rules of SetKeyword. Their
	// faults have locations such as keywords[0].name.
	Keywords []NewKeyword
	// Comment, when sent, is the first comment. A fault of it is at comment.
	Comment patch.Field[string]
	// Service holds the members written only by the service. They are not stored: see
	// Answer.Ignored. Its Keywords are not used.
	Service     ServiceFields
	Idempotency *Idempotency[snapshot.Snapshot]
}

// Report is the command of POST /problems/report (D55).
type Report struct {
	Write
	// Keyword is what reports of the same fault have in common. It has a value.
	Keyword NewKeyword
	// Problem is what to create. Its Write, Comment and Idempotency have no effect: the faults
	// of its body are in those of the report, below problem.
	Problem     CreateProblem
	Comment     patch.Field[string]
	Idempotency *Idempotency[snapshot.Snapshot]
}

// UpdateProblem is the command of W2.
type UpdateProblem struct {
	Write
	ProblemPatch
	// Base, when sent, is the revision that the change began with (D52). Fields that others
	// have changed since are no conflict, unless the change sets them to another value.
	Base patch.Field[int64]
	// Comment, when sent, is added by the same batch. A fault of it is at comment.
	Comment     patch.Field[string]
	Idempotency *Idempotency[snapshot.Snapshot]
	// Revision, when sent, has to be the current one.
	Revision patch.Field[int64]
	// Service holds the members written only by the service. Identifier, Created,
	// Originator, Resolved, Resolver and Keywords have to equal the current values. The
	// others are not stored: see Answer.Ignored. Its Revision is not used.
	Service ServiceFields
}

// AddComment is the command of W3.
type AddComment struct {
	Write
	Text        patch.Field[string]
	HTML        patch.Field[string]
	Idempotency *Idempotency[problem.Comment]

	// files are those of a reply by e-mail, whose bytes are stored. With some, a comment is not
	// required (D42).
	files []problem.Attachment
}

// EditComment is the command of PATCH /problems/{n}/comments/{comment} (D44).
type EditComment struct {
	Write
	Comment ident.ID
	Text    patch.Field[string]
	HTML    patch.Field[string] // left out beside a Text: the comment has no HTML any more
}

// DeleteComment is the command of DELETE /problems/{n}/comments/{comment} (D44).
type DeleteComment struct {
	Write
	Comment ident.ID
}

// Redact is the command of POST /problems/{n}/redactions, and with a Comment of POST
// /problems/{n}/comments/{comment}/redactions (D45).
type Redact struct {
	Write
	Comment     ident.ID // None: the whole problem
	Text        patch.Field[string]
	Attachment  patch.Field[string] // instead of the text: the identifier of an attachment
	Replacement patch.Field[string] // left out: problem.DefaultReplacement
}

// SetKeyword is the command of W4.
type SetKeyword struct {
	Write
	Name  string
	Value problem.NullText
}

// DeleteKeyword is the command of W5.
type DeleteKeyword struct {
	Write
	Name string
}

// Relate is the command of W6 and W7.
type Relate struct {
	Write
	Type  patch.Field[string]
	Other patch.Field[problem.ID]
	// Listed is the identifier in the "problem" member of a previously listed
	// relationship. When sent, it has to equal Other (D14).
	Listed patch.Field[problem.ID]
}

// AddWatcher is the command of W8.
type AddWatcher struct {
	Write
	User metadata.Partial
}

// CreateToken is the command of POST /tokens.
type CreateToken struct {
	Write
	User    patch.Field[metadata.Partial]
	Scope   patch.Field[string]
	Expires patch.Field[time.Time]
	// Invitation asks for a token that signs in once.
	Invitation patch.Field[bool]
	Name       patch.Field[string] // null or left out: none
}

// CreateOwnToken is the command of POST /me/tokens (D50).
type CreateOwnToken struct {
	Write
	Scope   patch.Field[string]
	Expires patch.Field[time.Time] // null or left out: the latest
	Name    patch.Field[string]    // null or left out: none
}

// IssuedToken is a new token with its secret. The secret cannot be read again.
type IssuedToken struct {
	access.Token
	Secret access.Secret
}
