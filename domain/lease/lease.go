// Package lease holds the rules of leases. A lease lets one of several servers do a kind of
// work. Its holder renews it. After the death of the holder, another server takes it.
//
// No rule compares the clocks of two servers. Each one measures by its own clock for how
// long a lease has had the same version.
package lease

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Lease names the server for a kind of work.
type Lease struct {
	Name string // of the work
	// Version is the batch of the latest Change of the lease. Every renewal changes it.
	Version ident.ID
	// Holder is the server with the lease; None: it was given back.
	Holder ident.ID
	// State is what a holder hands on to the next one, in a form of the work's own: at
	// most some hundred KB of text.
	State string
}

// The times of a lease. A holder stops before another server may take the lease, however
// late it learns of a failed renewal.
const (
	// Renewal is the time between two renewals.
	Renewal = 2 * time.Second
	// Hold is the time after the begin of a successful renewal in which the holder may
	// work.
	Hold = 5 * time.Second
	// Patience is the time after which others may take a lease that is not renewed.
	Patience = 7 * time.Second
)

// Watch is one server's view of a lease. The zero Watch has seen nothing.
type Watch struct {
	version ident.ID
	since   time.Time
	seen    bool
}

// See takes note of the lease at a time of the server's own clock. The time has to be from
// a clock that nobody sets. ok is false when there is no lease.
func (w *Watch) See(l Lease, ok bool, now time.Time) {
	if !ok {
		l = Lease{}
	}
	if !w.seen || w.version != l.Version {
		w.version, w.since, w.seen = l.Version, now, true
	}
}

// Free reports whether the server may take the lease. me is its identifier as a holder, or
// None before its first lease. A lease of its own is free: the server lost sight of it in a
// failure of the store.
func (w *Watch) Free(l Lease, ok bool, me ident.ID, now time.Time) bool {
	return !ok || l.Holder.IsNone() || l.Holder == me || w.seen && w.version == l.Version && now.Sub(w.since) >= Patience
}
