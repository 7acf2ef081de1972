package holder

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

var noon = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)

// world is a store with one lease.
type world struct {
	lease   lease.Lease
	stored  bool
	effects []store.Effect // of the latest Change
	moments byte
	away    error
}

// server returns a Holder of another server.
func (w *world) server(alone bool) *Holder {
	h := New("work", alone, func(context.Context) (changes.Moment, error) {
		w.moments++
		return changes.Moment{At: noon, IDs: ident.NewSequence(noon, [10]byte{w.moments})}, w.away
	}, w.commit)
	return &h
}

func (w *world) commit(_ context.Context, c store.Change) error {
	if w.away != nil {
		return w.away
	}
	if !slices.Equal(c.Expect, []store.Expectation{store.LeaseAt{Name: "work", Version: w.lease.Version}}) {
		return fault.New(fault.Conflict, "the lease has another version")
	}
	w.effects = c.Effects
	w.lease, w.stored = c.Effects[len(c.Effects)-1].(store.PutLease).Lease, true
	return nil
}

// A lease goes from one server to the next, with its state.
func TestHolder(t *testing.T) {
	t.Parallel()
	w := new(world)
	first, second := w.server(false), w.server(false)
	step := func(what string, held bool, err error, want bool) {
		t.Helper()
		if err != nil || held != want {
			t.Fatalf("%s: %v, %v, want %v", what, held, err, want)
		}
	}
	step("no lease is free", first.Free(w.lease, w.stored, noon), nil, true)
	held, err := first.Take(t.Context(), w.lease, "one", store.DropWebhook{})
	step("the first takes it", held, err, true)
	if w.lease.State != "one" || len(w.effects) != 2 || w.effects[0] != (store.DropWebhook{}) {
		t.Errorf("stored are %+v", w.effects)
	}
	step("free for the second at once", second.Free(w.lease, w.stored, noon), nil, false)
	step("free for a server without others", w.server(true).Free(w.lease, w.stored, noon), nil, true)

	seen := w.lease
	held, err = first.Renew(t.Context(), "two")
	step("the first renews it", held, err, true)
	held, err = second.Take(t.Context(), seen, "")
	step("the second takes what was renewed", held, err, false)
	step("free after a renewal", second.Free(w.lease, w.stored, noon.Add(lease.Patience)), nil, false)
	step("free without a renewal", second.Free(w.lease, w.stored, noon.Add(2*lease.Patience)), nil, true)
	step("free for its own holder", first.Free(w.lease, w.stored, noon), nil, true)
	if err := first.Release(t.Context(), "three"); err != nil || w.lease.State != "three" {
		t.Errorf("released as %+v, %v", w.lease, err)
	}
	step("free once it was given back", second.Free(w.lease, w.stored, noon), nil, true)
	held, err = second.Take(t.Context(), w.lease, w.lease.State)
	step("the second takes it", held, err, true)
	held, err = first.Renew(t.Context(), "late")
	step("the first renews it too late", held, err, false)
	if err := first.Release(t.Context(), "late"); err != nil || w.lease.State != "three" {
		t.Errorf("released too late as %+v, %v", w.lease, err)
	}
}

// A failure of the store is no answer.
func TestHolderWithoutStore(t *testing.T) {
	t.Parallel()
	w := &world{away: fault.New(fault.Unavailable, "away")}
	h := w.server(false)
	if held, err := h.Renew(t.Context(), ""); held || !errors.Is(err, w.away) {
		t.Errorf("renewed: %v, %v", held, err)
	}
	if err := h.Release(t.Context(), ""); !errors.Is(err, w.away) {
		t.Errorf("released: %v", err)
	}
}
