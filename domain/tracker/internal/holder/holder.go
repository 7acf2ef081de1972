// Package holder takes, renews and gives back a lease for one server.
package holder

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// Holder is one server's hold of a lease. It is for one goroutine.
type Holder struct {
	name   string // of the lease
	alone  bool
	moment func(context.Context) (changes.Moment, error)
	commit func(context.Context, store.Change) error
	id     ident.ID // of this holder
	held   lease.Lease
	watch  lease.Watch
}

// New returns a Holder without the lease of the given name. alone is true when no other
// server can use the store: then any lease in it belongs to an ended server. moment returns
// the moment of a Change. commit stores a Change, or fails with fault.Conflict.
func New(name string, alone bool, moment func(context.Context) (changes.Moment, error), commit func(context.Context, store.Change) error) Holder {
	return Holder{name: name, alone: alone, moment: moment, commit: commit}
}

// Read reads the lease.
func (h *Holder) Read(ctx context.Context, r store.Reader) (l lease.Lease, ok bool, err error) {
	return r.Lease(ctx, h.name)
}

// Free reports whether the holder may take the lease, as it was read at this time.
func (h *Holder) Free(l lease.Lease, ok bool, now time.Time) bool {
	h.watch.See(l, ok, now)
	return h.alone || h.watch.Free(l, ok, h.id, now)
}

// Take takes the lease as it was read, by one Change with further effects. held is false
// when another server has the lease: nothing is stored then. After an error the holder is
// unknown.
func (h *Holder) Take(ctx context.Context, l lease.Lease, state string, effects ...store.Effect) (held bool, err error) {
	h.held = l
	return h.Renew(ctx, state, effects...)
}

// Renew renews the lease in the same way.
func (h *Holder) Renew(ctx context.Context, state string, effects ...store.Effect) (held bool, err error) {
	return h.put(ctx, state, false, effects)
}

// Release gives the lease back in the same way. It does nothing when another server has the
// lease.
func (h *Holder) Release(ctx context.Context, state string, effects ...store.Effect) error {
	_, err := h.put(ctx, state, true, effects)
	return err
}

func (h *Holder) put(ctx context.Context, state string, last bool, effects []store.Effect) (held bool, err error) {
	m, err := h.moment(ctx)
	if err != nil {
		return false, err
	}
	cb := changes.NewBuilder(m, changes.Author{})
	if h.id.IsNone() {
		h.id = cb.NextID()
	}
	cb.AddExpect(store.LeaseAt{Name: h.name, Version: h.held.Version})
	cb.Effects = append(cb.Effects, effects...)
	next := lease.Lease{Name: h.name, Version: cb.Batch, Holder: h.id, State: state}
	if last {
		next.Holder = ident.None
	}
	cb.AddEffect(store.PutLease{Lease: next})
	switch err := h.commit(ctx, cb.Change); {
	case fault.Is(err, fault.Conflict):
		return false, nil
	case err != nil:
		return false, err
	}
	h.held = next
	return true, nil
}
