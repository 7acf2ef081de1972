package store

import (
	"context"
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
	"github.com/problemtracking/problems/domain/webhook"
)

// Reply is a stored answer. A repeated request gets it again (D21).
type Reply struct {
	User ident.ID
	Key  string // 1 to 255 visible ASCII characters; unique for the user
	// Fingerprint is the SHA-256 of the answered request.
	Fingerprint [32]byte
	Created     time.Time
	// About is what the answer shows, for EmptyReplies.
	About About
	Body  []byte // opaque to the domain and to stores
}

// About names a problem, or one of its comments. The zero About: neither.
type About struct {
	Problem problem.ID
	Comment ident.ID
}

// Within reports whether a reply about a is emptied by an EmptyReplies about other.
func (a About) Within(other About) bool {
	return a.Problem == other.Problem && (other.Comment.IsNone() || a.Comment == other.Comment)
}

// History names a series of Changes, none of them taken back. A store begins another
// History when it may have lost shown Changes, for example in a fail-over. All Stores
// open on the same data have the same History. A store without unsafe Changes in its
// Views has just one, 0.
type History uint64

// Reader reads at one moment. The values must equal those given to Commit, byte for
// byte and to the millisecond, in UTC (READ-001). Limits, skips and budgets may be as
// large as their types allow, also together (READ-012, READ-015, READ-020, READ-021,
// READ-025, FIND-003).
type Reader interface {
	// Problem returns the problem with the given parts, as seen by the given user. It
	// must fail with fault.ProblemNotFound when there is none (READ-002). With IfSmall,
	// it must leave out all parts of a problem whose Size is above Small, and of no
	// other (SIZE-003).
	Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error)

	// Log returns entries of a problem's log, oldest first. It skips the first skip
	// entries and returns at most limit, which is at least 1. It must stop after the
	// entry that brings the total size to at least budget, in bytes, and not before
	// (READ-020). So a caller can read a long log in small parts, in one View or in
	// several: a log only grows. A missing problem has no entries.
	Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error)

	// Comments returns comments of a problem in the same way (READ-021).
	Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error)

	// Problems returns the given problems in the given order, each as Problem would
	// return it. It leaves out numbers without a problem. It must return exactly these
	// (READ-014). A number given several times must bring the problem as many times, at
	// each of its places (READ-014).
	Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error)

	// Search returns the problems of a query. It must find exactly the problems that
	// satisfy eval.Holds (FIND-001). They must be in the query's order (FIND-002),
	// with their sort keys, and no more than its Limit (FIND-003). It must fail with
	// fault.QueryTooExpensive if there are more than MostCandidates problems to examine
	// one by one, and only then (FIND-004). The Limit does not count here. When ctx
	// ends, it must return soon, with the kind fault.Unavailable (FIND-005).
	//
	// Package search has a ready-made implementation for stores without an engine for
	// queries.
	Search(ctx context.Context, q Query) ([]Hit, error)

	// Neighbours returns all relationships of the given type from the given problems,
	// in any order. The problems may be missing. It must return each relationship
	// exactly once (READ-006).
	Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error)

	// Catalogue returns all metadata and users. They must agree with its version
	// (READ-008). Callers keep the result for long, so it must not change (ALIAS-001).
	Catalogue(ctx context.Context) (*metadata.Catalogue, error)

	// Versions returns the versions at this moment, by the rules of Store.Versions.
	Versions(ctx context.Context) (Versions, error)

	// Dossiers returns the problems with numbers greater than after, with all their
	// parts. They are in ascending order and at most limit, which is at least 1. It
	// must return fewer only when there are no more (READ-012).
	Dossiers(ctx context.Context, after problem.ID, limit int) ([]Dossier, error)

	// Tokens returns all tokens, including expired and revoked ones, in the order of
	// their first PutToken (READ-009).
	Tokens(ctx context.Context) ([]access.Token, error)

	// Audit returns entries of the audit log, oldest first: at most limit, which is at
	// least 1, of those with a number greater than after. They must be in the order of
	// their Commits, and within one Change in its order (READ-015). In this order, they
	// have the numbers from 1 on, which must be without gaps (READ-015). So after
	// is also how many entries come before. Find it without reading these: the log only
	// grows.
	Audit(ctx context.Context, after, limit int) ([]audit.Entry, error)

	// Feed returns entries of the feed in the way of Store.Feed, for a copy of the store.
	// It must have exactly the entries of the Changes shown by the Reader (READ-022).
	// Entries not yet returned by Store.Feed may get other numbers there.
	Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error)

	// SavedQueries returns the saved queries of a user with all shared ones (READ-016/shared),
	// or those of all users with ident.None. They must be in the order of their first PutQuery (READ-016). A
	// DropQuery takes the place in this order, too. When the query is put again, it must
	// come after all others (READ-016).
	SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error)

	// SavedQuery returns a saved query. ok must be false when there is none (READ-017).
	SavedQuery(ctx context.Context, id ident.ID) (saved query.Saved, ok bool, err error)

	// Sessions returns the sessions of a user, or of all users with ident.None. They must
	// be in the order of their first PutSession, as with SavedQueries (READ-023).
	// Sessions are no part of an Archive.
	Sessions(ctx context.Context, user ident.ID) ([]access.Session, error)

	// SessionWith returns the session with this digest. ok must be false when there is none
	// (READ-024).
	SessionWith(ctx context.Context, digest access.Digest) (session access.Session, ok bool, err error)

	// Webhooks returns webhooks in the order of their first PutWebhook. It skips the first
	// skip webhooks and returns at most limit, which is at least 1 (READ-025). A webhook
	// without Types or Deliveries must have none when it is read (READ-001).
	Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error)

	// Webhook returns a webhook. ok must be false when there is none (READ-026).
	Webhook(ctx context.Context, id ident.ID) (found webhook.Webhook, ok bool, err error)

	// Lease returns the lease with exactly this name. ok must be false when there is none
	// (READ-027). Leases are no part of an Archive.
	Lease(ctx context.Context, name string) (found lease.Lease, ok bool, err error)

	// Reply returns the reply stored for a user's key. ok must be false when there is
	// none (READ-010). The caller judges whether it has expired.
	Reply(ctx context.Context, user ident.ID, key string) (reply Reply, ok bool, err error)

	// History returns the History of the data read so far, for Confirm. Callers read
	// something first.
	History() History

	// Oldest returns the time of the oldest stored batch or reply, as Expire compares
	// it. It may be the oldest at this moment or at a later one. ok must be false when
	// there is none (READ-013).
	Oldest(ctx context.Context) (at time.Time, ok bool, err error)
}
