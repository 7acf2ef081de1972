package tracker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// holder is one server's hold of a lease. It is for one goroutine.
type holder struct {
	service *Service
	name    string // of the lease
	// alone is true when no other server can use the store: then any lease in it belongs
	// to an ended server.
	alone bool
	id    ident.ID // of this holder
	held  lease.Lease
	watch lease.Watch
}

// read reads the lease.
func (h *holder) read(ctx context.Context, r store.Reader) (l lease.Lease, ok bool, err error) {
	return r.Lease(ctx, h.name)
}

// free reports whether the holder may take the lease, as it was read at this time.
func (h *holder) free(l lease.Lease, ok bool, now time.Time) bool {
	h.watch.See(l, ok, now)
	return h.alone || h.watch.Free(l, ok, h.id, now)
}

// put takes, renews or gives back a lease by one Change, with further effects. held is false
// when another server has the lease: nothing is stored then. After an error the
// holder is unknown.
func (h *holder) put(ctx context.Context, state string, last bool, effects ...store.Effect) (held bool, err error) {
	m, err := h.service.moment(ctx)
	if err != nil {
		return false, err
	}
	cb := changes.NewBuilder(m, ident.None)
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
	switch err := h.service.commit(ctx, cb.Change); {
	case fault.Is(err, fault.Conflict):
		return false, nil
	case err != nil:
		return false, err
	}
	h.held = next
	return true, nil
}
