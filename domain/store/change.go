package store

import (
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Change is the unit of atomic writes: either all of it happens or nothing does. It
// holds all effects of one request, so an adapter applies it without knowing the
// reason.
type Change struct {
	// Batch identifies the Change. The store remembers it until an Expire effect
	// forgets it, so a second Commit of the same Change has no effect (COM-005).
	Batch ident.ID
	// At is the time of the request: UTC, whole milliseconds.
	At time.Time
	// Author is the user behind the request, or None for the service itself.
	Author ident.ID
	// Via is the token of the request, or None.
	Via ident.ID
	// Expect holds the conditions of the decision behind the Change.
	Expect []Expectation
	// Effects are applied in their order.
	Effects []Effect
	// Log holds entries for the logs of the problems named in them.
	Log []problem.LogEntry
}

// Empty reports whether the Change does nothing and needs no Commit.
func (c Change) Empty() bool { return len(c.Effects) == 0 && len(c.Log) == 0 }

// Entry returns the entry of the feed with the events that the Change publishes, without a number.
// It has no events if the Change publishes none.
func (c Change) Entry() event.Entry {
	entry := event.Entry{Batch: c.Batch, At: c.At, Author: c.Author, Via: c.Via}
	for _, effect := range c.Effects {
		if p, ok := effect.(Publish); ok {
			entry.Events = append(entry.Events, p.Event)
		}
	}
	return entry
}

// Raises reports the Versions raised by the Change (VER-002, VER-003).
func (c Change) Raises() (catalogue, access bool) {
	for _, effect := range c.Effects {
		switch effect.(type) {
		case PutState, PutPriority, PutClassification, PutComponent, PutMilestone, PutUser:
			catalogue = true
		case PutToken:
			access = true
		}
	}
	return catalogue, access
}

// MostSize is the greatest Size of a Change, in bytes. A store must take every Change up to it
// (COM-013). The service refuses a larger one with fault.TooLarge before the Commit (D22). A
// store that still gets one may refuse it with the same kind, and has then stored nothing.
const MostSize = 128 << 20

// Size returns the size of the Change in bytes, counted as the size of a problem is: its texts,
// and problem.Overhead for each effect, log entry and entry of a Rewrite. Neither the texts of
// administration count, nor the Titles of a Rewrite, which repeat one title.
func (c Change) Size() int64 {
	size := int64(len(c.Effects)) * problem.Overhead
	for _, effect := range c.Effects {
		switch e := effect.(type) {
		case CreateProblem:
			size += e.Problem.TextSize()
		case UpdateProblem:
			size += e.Problem.TextSize()
		case PutSavepoint:
			size += e.Problem.TextSize()
		case AddComment:
			size += int64(len(e.Comment.Text) + len(e.Comment.HTML.String))
		case PutComment:
			size += int64(len(e.Comment.Text) + len(e.Comment.HTML.String))
		case PutKeyword:
			size += int64(len(e.Keyword.Name) + len(e.Keyword.Value.String))
		case Publish:
			size += e.Event.Size()
		case KeepReply:
			size += int64(len(e.Reply.Body))
		case Rewrite:
			size += logSize(e.Log)
			for _, s := range e.Savepoints {
				size += problem.SavedSize(s.Fields)
			}
		}
	}
	return size + logSize(c.Log)
}

func logSize(log []problem.LogEntry) (size int64) {
	for _, e := range log {
		size += e.Size()
	}
	return size
}

// Expectation is a condition that must hold at the moment of the Commit, or the Change
// is refused with fault.Conflict (COM-002). The set is closed: see the types of this
// file.
type Expectation interface{ expectation() }

// ProblemAt expects the problem to exist with this revision and this Batch (see
// snapshot.Snapshot). A problem with the same revision of another Batch must be refused:
// it comes from another history (COM-012).
type ProblemAt struct {
	ID       problem.ID
	Revision int64
	Batch    ident.ID
}

// ClaimAt expects the problem to exist, and its claim to have this ID and this time of expiry:
// two writers may extend a claim. ident.None expects that there is no claim.
type ClaimAt struct {
	Problem problem.ID
	Claim   ident.ID
	Expires time.Time // zero without a claim
}

// CatalogueAt expects the catalogue to have this version. One with the same number and
// another Batch must be refused (COM-012).
type CatalogueAt struct{ Version ident.Version }

// AccessAt expects Versions.Access to have this value. One with the same number and
// another Batch must be refused (COM-012).
type AccessAt struct{ Version ident.Version }

// KeyUnused expects no reply for this key of the user, or only an expired one, created
// before Since.
type KeyUnused struct {
	User  ident.ID
	Key   string
	Since time.Time
}

// StateUnused expects no problem in the state (D2).
type StateUnused struct{ State ident.ID }

// WebhookAt expects the webhook to exist with these settings: Version is the Version of its
// Endpoint.
type WebhookAt struct {
	ID      ident.ID
	Version ident.ID
}

// LeaseAt expects the lease to have this Version. ident.None expects that there is no lease
// of this name.
type LeaseAt struct {
	Name    string
	Version ident.ID
}

// StoreEmpty expects the store to have no problem, no metadata, no user, no token, no
// saved query, no session, no webhook, no audit log and no feed.
type StoreEmpty struct{}

func (ProblemAt) expectation()   {}
func (ClaimAt) expectation()     {}
func (CatalogueAt) expectation() {}
func (AccessAt) expectation()    {}
func (KeyUnused) expectation()   {}
func (StateUnused) expectation() {}
func (WebhookAt) expectation()   {}
func (LeaseAt) expectation()     {}
func (StoreEmpty) expectation()  {}
