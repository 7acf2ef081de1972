package store

import "github.com/problemtracking/problems/domain/fault"

// LastReader is a Reader that can end its View together with the last read. This saves
// a database a round trip. A store decides by itself whether its Readers are
// LastReaders. Callers announce the last read to every Reader, by the function Last.
//
// A wrapper of another store's Reader has to forward the method, or the saving is lost.
// With LastReads in Harness.Caps, the conformance suite reports a wrapper without the
// method.
type LastReader interface {
	Reader

	// Last announces one more call before the end of the View. The call may be to any
	// method but Search and Dossiers: these may need several reads. The last read must
	// return the same as without the announcement (LAST-001). It must show the moment
	// of all earlier reads of the View, or one moment if it is the only one (LAST-002).
	// Each read after it must fail with ErrOver, and View returns it as any error of
	// its function (LAST-003). History must answer as before: it is no read (LAST-004).
	// A failed read does not need to count as the last one.
	Last()
}

// Last announces the last read of a View to a LastReader. For every other Reader it
// does nothing: the View reads on as before (LAST-003).
func Last(r Reader) {
	if r, ok := r.(LastReader); ok {
		r.Last()
	}
}

// ErrOver is the fault of a read after the last one, of kind fault.Internal. The caller
// has announced a last read and reads on; the store has not failed.
var ErrOver = fault.New(fault.Internal, "a read after the last announced read of a view")
