package transfer

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// MaxInteger is the greatest integer of a Record, and -MaxInteger the least. Every JSON
// reader represents the integers between them exactly (RFC 8785).
const MaxInteger = 1<<53 - 1

// Record is one item of a store, or the start or end of the stream. The set is closed:
// see the types of this file.
type Record interface {
	kind() Kind
}

// KindOf returns the kind of a record.
func KindOf(r Record) Kind { return r.kind() }

// Kind is the sort of a Record.
type Kind uint8

// The kinds are in the order of their records. The parts of a problem follow it, before
// the next problem.
const (
	KindStart Kind = iota
	KindState
	KindPriority
	KindClassification
	KindComponent
	KindMilestone
	KindUser
	KindToken
	KindSavedQuery
	KindWebhook
	KindAuditEntry
	KindProblem
	KindSavepoint
	KindLogEntry
	KindComment
	KindKeyword
	KindRelationship
	KindWatcher
	KindReadMark
	KindAttachment
	KindEvent
	KindEnd

	// Kinds is the number of kinds.
	Kinds
)

// String returns the kind in words: "log entry".
func (k Kind) String() string {
	return [Kinds]string{
		"start", "state", "priority", "classification", "component", "milestone", "user", "token", "saved query", "webhook", "record of the audit log",
		"problem", "savepoint", "log entry", "comment", "keyword", "relationship", "watcher", "read mark", "attachment", "feed event", "end",
	}[k]
}

// The records of metadata and users are in ascending order of their identifiers. Tokens,
// saved queries and webhooks are in the order of their first put, and audit entries oldest
// first. Problems are in ascending order of their numbers, and their parts in the
// orders of store.Dossier. The events of the feed are in its order.
type (
	// Start is the first record.
	Start struct {
		// Catalogue is the version of the catalogue formed by the next records: 1 to
		// MaxInteger, or 0 without metadata and users.
		Catalogue int64
	}
	// State is a state.
	State struct{ metadata.State }
	// Priority is a priority.
	Priority struct{ metadata.Priority }
	// Classification is a classification.
	Classification struct{ metadata.Classification }
	// Component is a component.
	Component struct{ metadata.Component }
	// Milestone is a milestone.
	Milestone struct{ metadata.Milestone }
	// User is a user.
	User struct{ user.User }
	// Token is a token without its secret.
	Token struct{ access.Token }
	// SavedQuery is a saved query of a user.
	SavedQuery struct{ query.Saved }
	// Webhook is a webhook with its progress, without its latest deliveries. It has no
	// secret.
	Webhook struct{ webhook.Webhook }
	// AuditEntry is an entry of the audit log. The members of its values can be
	// in any order.
	AuditEntry struct{ audit.Entry }
	// Problem is a problem without its parts.
	Problem struct{ problem.Problem }
	// Savepoint is a savepoint of the problem. Its Originator and Created come from the
	// problem and need not be set.
	Savepoint struct{ snapshot.Savepoint }
	// LogEntry is an entry of the problem's log. The members of its values can
	// be in any order.
	LogEntry struct{ problem.LogEntry }
	// Comment is a comment on the problem.
	Comment struct {
		Problem problem.ID
		problem.Comment
	}
	// Keyword is a keyword of the problem.
	Keyword struct {
		Problem problem.ID
		problem.Keyword
	}
	// Relationship is a relationship of the problem. Its mirror is another record.
	Relationship struct{ relationship.Relationship }
	// Watcher is a watcher of the problem.
	Watcher struct {
		Problem problem.ID
		User    ident.ID
	}
	// ReadMark is the read mark of a user on the problem.
	ReadMark struct {
		Problem problem.ID
		User    ident.ID
	}
	// Attachment is the record of an attachment of the problem.
	Attachment struct {
		Problem problem.ID
		problem.Attachment
	}
	// Event is an event of the feed, with the members of its entry. The events of one
	// entry follow each other.
	Event struct {
		Number int64
		Batch  ident.ID
		At     time.Time
		Author ident.ID
		Via    ident.ID
		event.Event
	}
	// End is the last record: without it, records are missing.
	End struct {
		// Next is the smallest number for the next problem: one above the last, or 1.
		Next problem.ID
	}
)

func (Start) kind() Kind          { return KindStart }
func (State) kind() Kind          { return KindState }
func (Priority) kind() Kind       { return KindPriority }
func (Classification) kind() Kind { return KindClassification }
func (Component) kind() Kind      { return KindComponent }
func (Milestone) kind() Kind      { return KindMilestone }
func (User) kind() Kind           { return KindUser }
func (Token) kind() Kind          { return KindToken }
func (SavedQuery) kind() Kind     { return KindSavedQuery }
func (Webhook) kind() Kind        { return KindWebhook }
func (AuditEntry) kind() Kind     { return KindAuditEntry }
func (Problem) kind() Kind        { return KindProblem }
func (Savepoint) kind() Kind      { return KindSavepoint }
func (LogEntry) kind() Kind       { return KindLogEntry }
func (Comment) kind() Kind        { return KindComment }
func (Keyword) kind() Kind        { return KindKeyword }
func (Relationship) kind() Kind   { return KindRelationship }
func (Watcher) kind() Kind        { return KindWatcher }
func (ReadMark) kind() Kind       { return KindReadMark }
func (Attachment) kind() Kind     { return KindAttachment }
func (Event) kind() Kind          { return KindEvent }
func (End) kind() Kind            { return KindEnd }
