// Package store is the driven port of the service: the duties of a storage adapter. The
// port is deliberately dumb. The domain holds all rules about problems and hands an
// adapter finished Changes. The adapter checks their expectations, applies their
// effects, and reads the stored values back.
//
// Each sentence with a "must" ends in the tag of its conformance cases.
package store

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Store keeps all data of the service.
//
// Its methods may be called from many goroutines at once. Texts are valid UTF-8 without
// U+0000. Every error must be a fault or wrap one, and must have the kind named in the
// method's comment (ERR-001). Where no named kind fits, the kind is fault.Unavailable
// for a failure that may pass by itself, and fault.Internal for any other. Later
// changes by the caller to the values handed in must not show in the store (ALIAS-001).
// Values handed out must not let the caller change the stored ones (ALIAS-001).
//
// Some stores can open the same data several times, also in several processes. The
// rules must then hold among all these Stores as they do within one, except where
// Reserve limits itself to its own Store (SHARE-001). For other stores, a second
// opening must fail, or give another store, and leave the open one as it is
// (SHARE-002).
type Store interface {
	// View calls fn with a Reader on one consistent moment. The moment must include
	// every Change with a Commit that returned before the call of View (VIEW-001). It
	// must also include every Change shown by an earlier View, Versions or Feed that
	// returned before the call (VIEW-001). This must hold however long fn takes, and despite
	// Commits meanwhile, even by fn (VIEW-002). A View may delay Commits by some seconds,
	// but never until fn returns: fn may itself wait for one (VIEW-002). View may also
	// show a Change with a Commit still under way or failed with fault.UnknownOutcome
	// (VIEW-001). A crash or a fail-over may still take such a Change back: see
	// Confirm.
	//
	// View must return fn's error as it is (VIEW-003). The Reader is valid until fn
	// returns, and for one goroutine. When ctx ends, View must return an error soon,
	// with the kind fault.Unavailable (VIEW-004).
	View(ctx context.Context, fn func(Reader) error) error

	// Reserve returns a number for a new problem. The number must be greater than the
	// numbers of all problems with a Commit that returned before the call (ID-001). It
	// must also be greater than every number reserved by this Store before (ID-001). A
	// reopened store must not return the number of an existing problem (ID-002). Unused
	// numbers are lost: gaps are fine.
	Reserve(ctx context.Context) (problem.ID, error)

	// Commit applies a Change. It must be all or nothing (COM-001). When an expectation
	// does not hold, the error must be of kind fault.Conflict and nothing is stored
	// (COM-002). The same must happen when an effect finds a thing present and its
	// comment requires it to be absent (COM-002). When Commit returns nil, every later
	// View and every store opened later must show the Change (COM-003). Concurrent
	// Commits must behave as if they ran one after the other (COM-004). The order of the
	// Commits alone must decide which value stays, whatever the times of Changes and
	// values (COM-003). Clocks step back.
	//
	// A Commit with a Batch committed before must change nothing and return the first
	// Receipt (COM-005). A Commit with a Batch ruled out by Outcome must fail with
	// fault.Abandoned (COM-006). An effect or expectation unknown to the store must be
	// refused with fault.Unsupported before anything is stored (COM-007). Every Change up to
	// MostSize must be stored (COM-013).
	//
	// Later reads must return log entries, comments, attachments and savepoints in the order of
	// their Commits, and within one Change in its order (COM-008). Times and
	// identifiers do not count for this order.
	//
	// When ctx ends before the store has begun, Commit must store nothing and fail with
	// fault.Unavailable (COM-009). Once the store has begun, a cancelled ctx no longer
	// counts, and Commit must report the outcome of the Change (COM-010). With
	// fault.UnknownOutcome the Change may or may not be stored. With any other error it
	// is not stored and never will be. Only a deadline of ctx still ends the wait. If
	// the store does not know the outcome by then, Commit fails with
	// fault.UnknownOutcome, and the store goes on with the Change (COM-010).
	Commit(ctx context.Context, change Change) (Receipt, error)

	// Outcome settles a Commit with an unknown outcome. When the batch is stored, it
	// must return the Receipt and true (OUT-001). The batch must then be as safe as if
	// Commit had returned (CONF-002). Otherwise Outcome must return false and rule the
	// batch out for good, even for a Commit still under way (OUT-002). The ruling
	// carries the given time for Expire.
	Outcome(ctx context.Context, batch ident.ID, at time.Time) (Receipt, bool, error)

	// Confirm returns nil when every Change shown by an earlier View is as safe as
	// after its Commit returned. An earlier View is one that returned before the call.
	// A store may show a Change before it is safe, for example before a replica has
	// received it. Then Confirm must wait until the Change is safe, and otherwise fail
	// with fault.Unavailable (CONF-001). It must not return nil for a Change that a
	// crash or a fail-over can still take back (CONF-002).
	//
	// The argument shown is the History of the View. When the store has taken Changes
	// of this History back since, Confirm must fail with fault.Conflict (CONF-004). The
	// caller then reads again.
	//
	// An answer without a Change rests on the shown data, and so needs Confirm. Commit
	// and Outcome confirm by storing something themselves. When ctx ends, Confirm must
	// return an error soon, with the kind fault.Unavailable (CONF-003). A store without
	// unsafe Changes in its Views returns nil at once.
	Confirm(ctx context.Context, shown History) error

	// Versions returns the versions for the validation of caches. It is cheap enough to
	// call every second. It must be as fresh as View (VER-001).
	Versions(ctx context.Context) (Versions, error)

	// Feed returns entries of the feed with numbers from the given one on, in ascending
	// order. Every Change with a Publish effect makes one entry, and all entries are
	// numbered in one series: 1, 2, 3 and so on. The result must begin with the given
	// number, or with the oldest entry if that has a greater number (FEED-001). It must
	// have no gaps (FEED-001).
	//
	// The feed must have the entry of every Change with a Commit that returned before the
	// call of Feed (FEED-002). It must have each entry exactly once, whole, as published, or
	// as rewritten since (FEED-002). It may have the entry of a Change with a Commit under
	// way. What Feed has returned is settled: no later Feed may return an entry of another
	// batch, or with other events, at one of these numbers, or none (FEED-003). Only
	// Rewrite changes texts in them. This must also hold after a crash, as for a Change
	// with a Commit that returned (FEED-004). Only ForgetFeed removes entries.
	//
	// A Change with a Commit that returned before another Commit was called must have the
	// smaller number (FEED-005). The Changes of one problem must have their numbers in
	// the order of their Positions (FEED-005). So a store cannot take the numbers from a
	// counter before the Commit: a slow Commit would leave a gap behind the readers.
	//
	// Feed returns at most limit entries; limit is at least 1. It must stop after the
	// entry that brings the total Size to at least budget, in bytes, and not before
	// (FEED-006). It must return while others commit without a pause (FEED-010). When ctx
	// ends, it must fail with fault.Unavailable, and hold up no later Commit (FEED-007).
	Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error)

	// FeedEnds returns the oldest and the newest entry of the feed, as Feed would, but
	// without their events. They must be the same entry when there is one, and zero when
	// there is none (FEED-008).
	FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error)

	// Restore fills an empty store (see StoreEmpty) with an Archive. The caller has
	// checked the parts of the Archive against each other. Restore must be all or
	// nothing, also for concurrent readers, even during the iteration of the Problems and
	// the Feed (RES-001). These readers must not wait for it (RES-001). Reads must then
	// return the content of the Archive, in the Archive's orders (RES-002).
	//
	// The version Catalogue must be as in the Archive, but at least 1 when there are
	// metadata or users (RES-003). So client caches stay valid for as long as they
	// should (D20). The version Access must be 1, or 0 when there are no tokens
	// (RES-003). The Batch of the Archive must become the Batch of every version above
	// 0 (RES-009).
	// A problem must have the Batch of its log's last entry, and without a log the
	// Batch of the Archive (RES-009). The last entry is the one of the problem's
	// revision. The feed must have the entries of the Archive, with their numbers, and the
	// next number must follow the last of them (RES-010). When Restore returns nil, every
	// store opened later must show all of it (RES-004).
	//
	// When the store is not empty, Restore must fail with fault.Conflict and change
	// nothing (RES-005). An error from the Problems or the Feed must be returned as it is,
	// with nothing stored (RES-006). When ctx ends before Restore is done, it must store
	// nothing and fail with fault.Unavailable (RES-007). A store that cannot tell the
	// outcome returns fault.UnknownOutcome. A store outside memory needs no more memory
	// for more problems or entries of the feed.
	Restore(ctx context.Context, archive Archive) error

	// Close releases the resources of the store after the calls under way have ended.
	// Calls after Close must fail with fault.Closed (CLOSE-001). A second Close must do
	// nothing and return nil (CLOSE-002). A store without data after Close must be
	// empty when it is opened again (CLOSE-003).
	Close() error
}

// Versions validate caches. Each version counts its Changes and names the latest of
// them: its Batch must be the Batch of this Change, and ident.None before the first one
// (VER-004). After a loss of its latest Changes, a store can thus reach a number again,
// but never the same Version.
type Versions struct {
	// Catalogue must start at 0 (VER-002). A Change with PutState, PutPriority,
	// PutClassification, PutComponent, PutMilestone or PutUser effects must raise it by
	// exactly 1, however many they are (VER-002).
	Catalogue ident.Version
	// Access must start at 0, and every Change with a PutToken effect must raise it by
	// exactly 1, however many such effects it has (VER-003).
	Access ident.Version
}

// After returns the Versions after the Change (VER-002, VER-003, VER-004).
func (v Versions) After(change Change) Versions {
	catalogue, access := change.Raises()
	if catalogue {
		v.Catalogue = v.Catalogue.Next(change.Batch)
	}
	if access {
		v.Access = v.Access.Next(change.Batch)
	}
	return v
}

// Receipt describes a committed Change. The service does not read it. The suite does: it takes
// the Position for the order of Changes at once, and of those with an unknown outcome in a
// crash, and holds every read against it.
type Receipt struct {
	Batch ident.ID
	// Position orders the Changes. It must be at least 1 and unique (COM-011). It must
	// be greater than the Position of every Change with a Commit that returned before
	// the call (COM-011). It must also be greater than the Position of every earlier
	// Change of the same problem (COM-011). Other Changes committed at the same time
	// may have either order. Gaps are fine.
	Position int64
}
