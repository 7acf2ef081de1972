// Package store is the driven port of the service: what a storage adapter has to
// do. It is deliberately dumb. All rules about problems are in the domain, which
// hands an adapter finished Changes; the adapter checks their expectations,
// applies their effects, and reads back what it was given.
//
// Every sentence here that says "must" ends in the identifier of the conformance
// case that holds an adapter to it.
package store

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Store keeps everything that the service knows.
//
// Its methods may be called from many goroutines at once. Texts are valid UTF-8
// without U+0000. Every error they
// return must be a fault or wrap one, and must have the kind that the method's
// comment names (ERR-001); where none fits, fault.Unavailable for what may pass
// by itself, and fault.Internal for what will not. Values handed in must not be
// retained in a way that lets the caller's later changes show, and values handed
// out must not let the caller change what is stored (ALIAS-001).
//
// The data of some stores can be open several times, also in several processes.
// The rules must then hold among all these Stores as they do within one
// (SHARE-001), but for what Reserve says of its own Store. Where the data cannot
// be, opening them once more must fail, or give another store, and leave the one
// that is open as it is (SHARE-002).
type Store interface {
	// View calls fn with a Reader that must show one consistent moment,
	// which includes every Change whose Commit returned, or which a View or
	// Versions that returned has shown, before View was called (VIEW-001),
	// however long fn takes and whatever is committed meanwhile, by fn as
	// well: a View blocks no one (VIEW-002). It may also show a Change whose
	// Commit has not returned, or has failed with fault.UnknownOutcome, even
	// one that a crash or a fail-over can still take back: see Confirm. It must return
	// fn's error as it is (VIEW-003). The Reader is not to be used after fn
	// returns, or from several goroutines. When ctx ends, View must return an
	// error soon, with the kind fault.Unavailable (VIEW-004).
	View(ctx context.Context, fn func(Reader) error) error

	// Reserve returns a number for a new problem. It must be greater than
	// that of every problem whose Commit returned before Reserve was called,
	// and than every number that this Store reserved before (ID-001); and a
	// store that is opened again must not return the number of an existing
	// problem (ID-002). Numbers that are not used are lost: gaps are fine.
	Reserve(ctx context.Context) (problem.ID, error)

	// Commit applies a Change. It must be all or nothing (COM-001): when an
	// expectation does not hold, or an effect puts something where its
	// comment says that nothing may be yet, the error must be of kind
	// fault.Conflict and nothing is stored (COM-002). When it returns nil,
	// every later View and every store opened later must show the Change
	// (COM-003). Concurrent Commits must behave as if they came one after
	// the other (COM-004).
	//
	// A Commit whose Batch was committed before must change nothing and
	// return the Receipt of the first (COM-005). One whose Batch Outcome has
	// ruled out must fail with fault.Abandoned (COM-006). An effect or
	// expectation that the store does not know must be refused with
	// fault.Unsupported before anything is stored (COM-007).
	//
	// Log entries, comments and savepoints must be returned by later reads
	// in the order of their Commits, and within one Change in its order;
	// never by time or identifier (COM-008).
	//
	// When ctx is over before the store has begun, Commit must store nothing
	// and fail with fault.Unavailable (COM-009). After that, ctx no longer
	// counts, and Commit must report what became of the Change (COM-010):
	// fault.UnknownOutcome means that it may or may not be stored, and any
	// other error means that it is not and never will be. Only a deadline of
	// ctx still ends the wait: a store that does not know by then what became
	// of the Change fails with fault.UnknownOutcome, and goes on with it (COM-010).
	Commit(ctx context.Context, change Change) (Receipt, error)

	// Outcome settles a Commit whose outcome is not known. It must return
	// the Receipt and true when the batch is stored (OUT-001), and as safe as
	// if Commit had returned (CONF-002). Otherwise it
	// must make sure that the batch never will be, not even by a Commit that
	// is still under way, and return false (OUT-002). The ruling is dated at
	// the given time, by which Expire forgets it.
	Outcome(ctx context.Context, batch ident.ID, at time.Time) (Receipt, bool, error)

	// Confirm returns nil when every Change that was shown by a View that
	// returned before Confirm was called is as safe as one whose Commit has
	// returned. A store may show a Change before it is safe, such as one whose
	// replica has not received it: then Confirm must wait until it is, and
	// otherwise fail with fault.Unavailable (CONF-001). It must not return nil
	// for a Change that a crash or a fail-over can still take back (CONF-002).
	//
	// shown is the History of the View: when Changes of it have been taken back
	// since, Confirm must fail with fault.Conflict (CONF-004). Whoever asks then
	// looks again.
	//
	// An answer that stores nothing rests on what was shown, and so needs it;
	// Commit and Outcome confirm by what they store themselves. When ctx ends,
	// Confirm must return an error soon, with the kind fault.Unavailable
	// (CONF-003). A store that shows only what is safe returns nil at once.
	Confirm(ctx context.Context, shown History) error

	// Versions returns the versions that caches are kept by, at a cost that
	// allows asking every second. It must be as fresh as View (VER-001).
	Versions(ctx context.Context) (Versions, error)

	// Restore fills a store that is empty, as StoreEmpty has it, with an
	// Archive, whose parts agree with each other: the caller has checked
	// that. It must be all or nothing, also for those who read meanwhile,
	// within the iteration of the Problems as well: they do not wait for it
	// (RES-001). Reads must then return what the Archive holds, in the
	// Archive's orders (RES-002). Of the Versions, Catalogue must be that of
	// the Archive, so that what clients keep by it stays valid for as long as
	// it should (D20), but at least 1 when there are metadata or users; and
	// Access must be 1, or 0 when there are no tokens (RES-003). The Batch of
	// the Archive must be that of all directed families' epochs, whose numbers
	// stay, and of the Versions that are not 0 (RES-009). A problem must have the
	// Batch of its log's last entry, which made its revision, and without a log
	// that of the Archive (RES-009).
	// When it returns nil, every store opened later must show all of it
	// (RES-004).
	//
	// When the store is not empty, Restore must fail with fault.Conflict and
	// change nothing (RES-005). An error that the Problems yield must be
	// returned as it is, with nothing stored (RES-006). When ctx ends before
	// Restore is done, it must store nothing and fail with fault.Unavailable
	// (RES-007); fault.UnknownOutcome is for a store that cannot tell. A
	// store that is not in memory itself needs no more memory for more
	// problems.
	Restore(ctx context.Context, archive Archive) error

	// Close releases what the store holds, after the calls under way have
	// ended. Calls after Close must fail with fault.Closed (CLOSE-001), and
	// closing again must do nothing and return nil (CLOSE-002). A store whose
	// data end with it must be empty when it is opened again (CLOSE-003).
	Close() error
}

// Versions tell whether what is cached is current. Each counts its Changes, and
// names the one that raised it last: its Batch must be that of this Change, and
// ident.None before the first one (VER-004). A store that lost its latest Changes,
// or was set back, can thus reach a number again, but not a Version.
type Versions struct {
	// Catalogue must start at 0 and be raised by exactly 1 by every Change
	// that has a PutState, PutPriority, PutClassification, PutComponent,
	// PutMilestone or PutUser effect, however many (VER-002).
	Catalogue ident.Version
	// Access must start at 0 and be raised by exactly 1 by every Change that
	// has a PutToken effect, however many (VER-003).
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

// Receipt is what is known of a Change after it was committed.
type Receipt struct {
	Batch ident.ID
	// Position orders the Changes: it must be at least 1, that of no other
	// Change, and greater than that of every Change whose Commit returned
	// before this one was called, and than that of every Change committed
	// before that names the same problem (COM-011). Others that were
	// committed at the same time may have either order; gaps are fine.
	Position int64
}
