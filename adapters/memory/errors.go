package memory

import (
	"github.com/problemtracking/problems/domain/fault"
)

// conflict returns the fault of a Change that contradicts the stored state.
func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, format, args...)
}

// unsupported returns the fault of a Change with a part unknown here.
func unsupported(part any) error {
	return fault.New(fault.Unsupported, "the store in memory does not know %T", part)
}
