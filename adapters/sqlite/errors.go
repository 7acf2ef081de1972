package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// busy reports whether another process stands in the way.
func busy(err error) bool {
	failure, ok := errors.AsType[*driver.Error](err)
	return ok && failure.Code()&0xff == lib.SQLITE_BUSY
}

// classify returns the fault for an error of the driver. The failed statement stored
// nothing, but see classifyCommit.
func classify(err error) error {
	failure, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return fault.Wrap(fault.Internal, err, "the store failed")
	}
	if failure.Code() == lib.SQLITE_IOERR_SHMSIZE { // the index of the log does not grow
		return fault.Wrap(fault.Unavailable, err, "the disk of the store is full, or fails")
	}
	switch failure.Code() & 0xff { // the primary code
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return fault.Wrap(fault.Unavailable, store.Busy(err), "another process keeps the store busy")
	case lib.SQLITE_FULL:
		return fault.Wrap(fault.Unavailable, err, "the disk of the store is full")
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return fault.Wrap(fault.Unavailable, err, "the store may not write its file")
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT:
		return fault.Wrap(fault.Unavailable, err, "the store cannot use its file")
	}
	return fault.Wrap(fault.Internal, err, "the store failed")
}

// classifyCommit returns the fault for the error of a COMMIT. After a
// failure before SQLite writes the commit frame, the transaction has certainly not
// happened. After any other failure the frame may be on the disk, and a restart finds it.
func classifyCommit(err error) error {
	if failure, ok := errors.AsType[*driver.Error](err); ok {
		switch failure.Code() & 0xff {
		case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL, lib.SQLITE_FULL,
			lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CONSTRAINT:
			return classify(err)
		}
	}
	return fault.Wrap(fault.UnknownOutcome, err, "the store could not make the change durable")
}
