package store

import "errors"

// ErrBusy is in the tree of a fault.Unavailable from an overloaded store: all its
// connections are in use, a lock was not free in time, or a statement took too long.
// Without ErrBusy, the fault means an unreachable store.
var ErrBusy = errors.New("the store is busy")

// Busy returns a cause of a fault with the text of the given cause and with ErrBusy in
// its tree.
func Busy(cause error) error { return busy{cause} }

type busy struct{ cause error }

func (b busy) Error() string   { return b.cause.Error() }
func (b busy) Unwrap() []error { return []error{b.cause, ErrBusy} }
