package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Caller is on whose behalf a request is made.
type Caller struct {
	User    ident.ID
	Token   ident.ID
	Scope   access.Scope
	Expires time.Time // of the token; zero: never
}

// Write is what every write can carry beside its command.
type Write struct {
	// DryRun runs everything but the commit (D24).
	DryRun bool
	// IfMatch, when not nil, names the revisions that the problem may have
	// (D20). Writes that are not about a problem ignore it.
	IfMatch *Match
	// LastAdmin allows a write after which nobody can administer the service. It is
	// for work on the store itself, where another token can be made.
	LastAdmin bool
	// Faults are what the driving adapter found wrong with the body, so
	// that they are reported together with, and in the place of, those that
	// only the domain can find (D11, D18).
	Faults fault.List
}

// Match is a condition on a problem's revision: it has to be one of these.
type Match struct {
	Any       bool    // any revision, as long as the problem exists
	Revisions []int64 // by their numbers alone
	// Made are revisions of one history: the same number in another one, after a
	// fail-over that lost changes, does not match.
	Made []Made
}

// Made is a revision, and the end of the batch that made it (see store.Snapshot.Batch).
type Made struct {
	Revision int64
	By       [4]byte
}

// MadeOf returns what tells the snapshot's revision from the same in another history.
func MadeOf(s store.Snapshot) Made {
	return Made{s.Revision, [4]byte(s.Batch[len(s.Batch)-4:])}
}

// Idempotency makes a request repeatable: the same Key and Fingerprint get the
// first answer again (D21).
type Idempotency[T any] struct {
	Key         string   // 1 to 255 visible ASCII characters
	Fingerprint [32]byte // of method, path, query, media type and body
	// Render turns the answer into the reply that is kept. It has to be
	// pure: it may run more than once.
	Render func(Answer[T]) []byte
}

// Answer is what a use case returns.
type Answer[T any] struct {
	Value T
	// Catalogue is the catalogue at the moment of the answer, to render
	// references with.
	Catalogue *metadata.Catalogue
	// Revision is that of the problem that the request was about, after it;
	// 0 when it was not about a problem.
	Revision int64
	// New is true when the write made something that was not there.
	New bool
	// Ignored names the members that were sent and not stored, though the problem
	// has another value of them, sorted. A null is no value.
	Ignored []string
	// Replay is the kept reply of an earlier, equal request. When it is not
	// nil, all other members are zero.
	Replay []byte
}

// ProblemPatch holds the members of a problem that a client sent (D11).
type ProblemPatch = problem.Patch

// NewKeyword is a keyword of a problem that is to be created.
type NewKeyword struct {
	Name  patch.Field[string]
	Value patch.Field[string] // null or left out: the keyword has no value
}

// CreateProblem is the command of W1.
type CreateProblem struct {
	Write
	ProblemPatch
	// Keywords are set as SetKeyword sets them, by the creation itself. Faults of
	// them are at places such as keywords[0].name.
	Keywords []NewKeyword
	// Service holds the members that only the service writes. They are not stored: see
	// Answer.Ignored. Its Keywords are not used.
	Service     ServiceFields
	Idempotency *Idempotency[store.Snapshot]
}

// UpdateProblem is the command of W2.
type UpdateProblem struct {
	Write
	ProblemPatch
	// Revision, when sent, has to be the current one.
	Revision patch.Field[int64]
	// Service holds the members that only the service writes. Identifier, Created,
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
	// Listed is the identifier in the "problem" member of a relationship
	// that was listed before. When sent, it has to equal Other (D14).
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
}

// IssuedToken is a new token with its secret, which is never to be had again.
type IssuedToken struct {
	access.Token
	Secret access.Secret
}
