package memory

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
)

// ended returns the fault of a context that is over, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, context.Cause(ctx), "the request ended before the store could answer")
}

// conflict returns the fault of a Change that does not fit what is stored.
func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, format, args...)
}

// unsupported returns the fault of a Change with a part that is not known here.
func unsupported(part any) error {
	return fault.New(fault.Unsupported, "the store in memory does not know %T", part)
}
