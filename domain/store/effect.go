package store

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// Effect is one write of a Change. The set is closed: see the types of this file. Some
// effects require a thing to be absent or present, as their comments say. Otherwise the
// Change is refused with fault.Conflict (COM-002).
type Effect interface{ effect() }

// CreateProblem stores a new problem. Its number must not be in use (COM-002).
type CreateProblem struct {
	Problem problem.Problem
	Size    int64 // see snapshot.Snapshot
}

// UpdateProblem replaces the problem with the same number, its revision and size
// included. Without such a problem, the Change is refused with fault.Conflict
// (COM-002).
type UpdateProblem struct {
	Problem problem.Problem
	Size    int64 // see snapshot.Snapshot
}

// PutSavepoint appends to the savepoints of the named problem. The savepoint has the
// batch of the Change.
type PutSavepoint struct{ Problem problem.Problem }

// AddComment appends a comment to the problem.
type AddComment struct {
	Problem problem.ID
	Comment problem.Comment
}

// PutComment replaces the comment with the same identifier, in its place among the comments
// of the problem. Without such a comment, the Change is refused with fault.Conflict
// (COM-002). A deleted comment must keep its place, and must not satisfy any search
// (FIND-001).
type PutComment struct {
	Problem problem.ID
	Comment problem.Comment
}

// PutAttachment stores the record of an attachment (D48). It replaces the one with the same
// identifier of the same problem, and leaves the order of the attachments as it is.
type PutAttachment struct {
	Problem    problem.ID
	Attachment problem.Attachment
}

// PutClaim replaces the claim of the problem (D49), and leaves all else as it is (READ-001). The
// zero Claim is none. Without such a problem, the Change is refused with fault.Conflict
// (COM-002).
type PutClaim struct {
	Problem problem.ID
	Claim   problem.Claim
}

// PutKeyword sets a keyword of the problem and replaces an earlier value.
type PutKeyword struct {
	Problem problem.ID
	Keyword problem.Keyword
}

// DropKeyword removes a keyword from the problem, if present.
type DropKeyword struct {
	Problem problem.ID
	Name    string
}

// PutRelationship stores one side of a relationship. Owner must not yet have a
// relationship of the same type to Other (COM-002). The domain puts both sides into the
// Change.
type PutRelationship struct{ Relationship relationship.Relationship }

// DropRelationship removes one side of a relationship, if present.
type DropRelationship struct {
	Owner problem.ID
	Type  relationship.Type
	Other problem.ID
}

// Watch makes a user a watcher of the problem, unless the user is one already.
type Watch struct {
	Problem problem.ID
	User    ident.ID
}

// Unwatch removes a user from the watchers of the problem, if present.
type Unwatch struct {
	Problem problem.ID
	User    ident.ID
}

// MarkRead sets or removes the read mark of a user on the problem.
type MarkRead struct {
	Problem problem.ID
	User    ident.ID
	Read    bool
}

// ForgetReads removes the read marks of all users but one from the problem.
type ForgetReads struct {
	Problem problem.ID
	But     ident.ID
}

// PutState stores a state, replacing the one with the same identifier.
type PutState struct{ State metadata.State }

// PutPriority stores a priority, replacing the one with the same identifier.
type PutPriority struct{ Priority metadata.Priority }

// PutClassification stores a classification, replacing the one with the same
// identifier.
type PutClassification struct{ Classification metadata.Classification }

// PutComponent stores a component, replacing the one with the same identifier.
type PutComponent struct{ Component metadata.Component }

// PutMilestone stores a milestone, replacing the one with the same identifier.
type PutMilestone struct{ Milestone metadata.Milestone }

// PutUser stores a user, replacing the one with the same identifier.
type PutUser struct{ User user.User }

// PutToken stores a token, replacing the one with the same identifier.
type PutToken struct{ Token access.Token }

// MarkUsed sets the time of the last use of a token, if present, unless it has a later one. It
// must leave all else as it is, also the Versions (READ-031): each of these would have all servers
// load all tokens.
type MarkUsed struct {
	Token ident.ID
	At    time.Time
}

// AppendAudit appends to the audit log.
type AppendAudit struct{ Entry audit.Entry }

// Publish adds an event to the feed (D39). All events of one Change form one entry, in the
// order of the effects: see Store.Feed.
type Publish struct{ Event event.Event }

// ForgetFeed removes the entries of the feed with numbers up to Through. It must leave the
// newest entry in place, and the numbers must go on behind it (FEED-009).
type ForgetFeed struct{ Through int64 }

// PutQuery stores a saved query. It replaces the query with the same identifier and
// leaves the order of the queries as it is.
type PutQuery struct{ Query query.Saved }

// DropQuery removes a saved query, if present.
type DropQuery struct{ ID ident.ID }

// PutSession stores a session (D41). It replaces the session with the same identifier and
// leaves the order of the sessions as it is. Callers never put two sessions with one
// digest, nor a session that was dropped.
type PutSession struct{ Session access.Session }

// DropSession removes a session, if present.
type DropSession struct{ ID ident.ID }

// PutWebhook stores the settings of a webhook. It replaces those with the same identifier,
// and leaves the progress of the webhook and the order of the webhooks as they are. A new
// webhook has the zero Progress.
type PutWebhook struct{ Endpoint webhook.Endpoint }

// DropWebhook removes a webhook with its progress, if present. Callers never put it again.
type DropWebhook struct{ ID ident.ID }

// PutProgress replaces the progress of a webhook, if present. The effects of one Change are
// in ascending order of their webhooks.
type PutProgress struct {
	Webhook  ident.ID
	Progress webhook.Progress
}

// PutLease stores a lease, replacing the one with the same name.
type PutLease struct{ Lease lease.Lease }

// Rewrite replaces the texts of log entries and savepoints of the problem (D45): Field, From
// and To of the entries with these identifiers, and the fields of the savepoints with these
// batches. They are of earlier Changes. Without such an entry or savepoint, the Change is
// refused with fault.Conflict (COM-002). The store must replace exactly these texts, and leave
// numbers, order, batches and types as they are (READ-028). It must replace them in each copy,
// too: [Rewrite.Feed] says how the feed is afterwards (FEED-002). An entry of the feed may be
// missing.
type Rewrite struct {
	Problem    problem.ID
	Log        []problem.LogEntry
	Savepoints []snapshot.Savepoint
	// Titles are the titles of events about the problem, by batch.
	Titles []BatchTitle
}

// RewriteAudit replaces Name, From and To of the entries of the audit log with these identifiers
// (D46). They are of earlier Changes. Without such an entry, the Change is refused with
// fault.Conflict (COM-002). The store must replace exactly these, and leave all else as it is
// (READ-030). It must replace them in the feed, too: see [RewriteAudit.Feed] (FEED-002). An entry
// of the feed may be missing.
type RewriteAudit struct{ Entries []audit.Entry }

// BatchTitle is the title in the event of a batch.
type BatchTitle struct {
	Batch ident.ID
	Title string
}

// EmptyReplies empties the bodies of replies (D45). It must empty those about the problem,
// and with a Comment only those about this comment, and no others (READ-029). The zero About
// stands for the replies about no problem.
type EmptyReplies struct{ About About }

// KeepReply stores a reply and replaces an expired one of the same user and key.
type KeepReply struct{ Reply Reply }

// Expire forgets the batches committed or ruled out, and the replies stored, before a
// time. The time is at most Change.At. Callers bound the number of forgotten entries
// with Reader.Oldest.
type Expire struct{ Before time.Time }

func (CreateProblem) effect()     {}
func (UpdateProblem) effect()     {}
func (PutSavepoint) effect()      {}
func (AddComment) effect()        {}
func (PutComment) effect()        {}
func (PutAttachment) effect()     {}
func (PutClaim) effect()          {}
func (PutKeyword) effect()        {}
func (DropKeyword) effect()       {}
func (PutRelationship) effect()   {}
func (DropRelationship) effect()  {}
func (Watch) effect()             {}
func (Unwatch) effect()           {}
func (MarkRead) effect()          {}
func (ForgetReads) effect()       {}
func (PutState) effect()          {}
func (PutPriority) effect()       {}
func (PutClassification) effect() {}
func (PutComponent) effect()      {}
func (PutMilestone) effect()      {}
func (PutUser) effect()           {}
func (PutToken) effect()          {}
func (MarkUsed) effect()          {}
func (AppendAudit) effect()       {}
func (Publish) effect()           {}
func (ForgetFeed) effect()        {}
func (PutQuery) effect()          {}
func (DropQuery) effect()         {}
func (PutSession) effect()        {}
func (DropSession) effect()       {}
func (PutWebhook) effect()        {}
func (DropWebhook) effect()       {}
func (PutProgress) effect()       {}
func (PutLease) effect()          {}
func (Rewrite) effect()           {}
func (RewriteAudit) effect()      {}
func (EmptyReplies) effect()      {}
func (KeepReply) effect()         {}
func (Expire) effect()            {}
