package store

import "errors"

// ErrBusy is in the tree of a fault.Unavailable of a store that answers, but has too
// much to do: all its connections are in use, a lock was not free in time, a statement
// took too long. Without it, the fault says that the store is away.
var ErrBusy = errors.New("the store is busy")

// Busy returns the cause of a fault with the same text, in whose tree is ErrBusy.
func Busy(cause error) error { return busy{cause} }

type busy struct{ cause error }

func (b busy) Error() string   { return b.cause.Error() }
func (b busy) Unwrap() []error { return []error{b.cause, ErrBusy} }
