package boltstore

import (
	"errors"

	bolt "go.etcd.io/bbolt/errors"

	"github.com/problemtracking/problems/domain/fault"
)

// conflict returns the fault of a Change in conflict with the content.
func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, format, args...)
}

// unsupported returns the fault of a Change with an unknown part.
func unsupported(part any) error {
	return fault.New(fault.Unsupported, "the store does not know %T", part)
}

// failure returns the fault for an error of bbolt, or nil. It is not for Commit:
// nothing is stored.
func failure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolt.ErrMaxSizeReached):
		return fault.Wrap(fault.Unavailable, err, "the file of the store has reached its greatest size: open it with a greater MaxSize")
	}
	return fault.Wrap(fault.Internal, err, "the store failed")
}

// commitFailure returns the fault for an error of bbolt's Commit, or nil. bbolt first
// grows the file: after a failure there, nothing has happened. It does not tell later
// errors apart: the page that makes the transaction valid may be in the file.
func commitFailure(err error) error {
	if err == nil || errors.Is(err, bolt.ErrMaxSizeReached) {
		return failure(err)
	}
	return fault.Wrap(fault.UnknownOutcome, err, "the store could not make the change durable")
}
