package tracker

import (
	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// What all use cases share: who asks, on which conditions, and what is answered.
type (
	Caller             = core.Caller
	Write              = core.Write
	Match              = core.Match
	Made               = core.Made
	Idempotency[T any] = core.Idempotency[T]
	Answer[T any]      = core.Answer[T]
)

// MadeOf returns the revision of the snapshot. Its batch distinguishes it from the same
// revision in another history.
func MadeOf(s snapshot.Snapshot) Made {
	return Made{Revision: s.Revision, By: [4]byte(s.Batch[len(s.Batch)-4:])}
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
