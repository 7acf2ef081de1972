// Package views reads problems within the memory of a request. A large problem is loaded
// only when the budget of the request, found in its context, has enough memory for it. A
// View of a store holds a connection, so no request waits for memory within one. The View
// ends instead, and starts over once there is memory.
package views

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Views are the views of a store for reads that may need much memory.
type Views struct {
	store         store.Store
	waitFor       time.Duration
	relationships int64
}

// New returns the views of a store. A read waits for memory for the given time at most.
// relationships is the largest number of relationships of a problem.
func New(s store.Store, waitFor time.Duration, relationships int) *Views {
	return &Views{store: s, waitFor: waitFor, relationships: int64(relationships)}
}

// View is a View of the store. fn runs again once there is enough memory for its problems.
// View fails with fault.Unavailable after too long a wait.
func (v *Views) View(ctx context.Context, fn func(store.Reader) error) error {
	for {
		budget.From(ctx).Reuse()
		err := v.store.View(ctx, fn)
		want, ok := errors.AsType[*memoryError](err)
		if !ok {
			budget.From(ctx).Trim()
			return err
		}
		if err := v.Reserve(ctx, want.bytes); err != nil {
			return err
		}
	}
}

// Once is a View with a single read in fn, as long as the cached catalogue is current.
// With an outdated catalogue or a large problem, fn runs a second time.
func (v *Views) Once(ctx context.Context, fn func(store.Reader) error) error {
	err := v.store.View(ctx, func(r store.Reader) error {
		store.Last(r)
		return fn(r)
	})
	if _, large := errors.AsType[*memoryError](err); large || errors.Is(err, store.ErrOver) {
		return v.View(ctx, fn)
	}
	return err
}

// memoryError ends a View. bytes is the memory to reserve before the View starts over.
type memoryError struct{ bytes int64 }

func (e *memoryError) Error() string { return fmt.Sprintf("needs %d bytes of memory", e.bytes) }

var errNoMemory = errors.New("no memory was free in time")

// Reserve waits until the request holds the bytes in its budget. It fails with
// fault.Unavailable after too long a wait.
func (v *Views) Reserve(ctx context.Context, bytes int64) error {
	waiting, cancel := context.WithTimeoutCause(ctx, v.waitFor, errNoMemory)
	defer cancel()
	err := budget.From(ctx).Reserve(waiting, bytes)
	switch {
	case err == nil:
		return nil
	case context.Cause(waiting) == errNoMemory:
		return fault.Wrap(fault.Unavailable, errNoMemory, "too much memory is in use by large answers: this one has waited %v; nothing was done, try again later", v.waitFor)
	}
	return fault.Wrap(fault.Unavailable, err, "the request ended while it waited for memory; nothing was changed")
}

// mostRelated bounds the bytes of a relationship with the title and state of the other
// problem. A title has up to 1,000 characters.
const mostRelated = 4200

// weight estimates the memory for the parts of a problem during a load, in bytes. The
// log has an entry for each relationship that the problem ever had.
func (v *Views) weight(of snapshot.Snapshot, parts snapshot.Parts) (n int64) {
	if parts.Has(snapshot.Relationships) {
		n = mostRelated * min(of.Size/problem.Overhead, v.relationships)
	}
	if parts&(snapshot.Keywords|snapshot.Log|snapshot.Comments|snapshot.Attachments|snapshot.Savepoints) != 0 {
		n += of.Size + of.Size/4
	}
	return n
}

// Problem reads a problem with the given parts. It first reads a large problem without
// them and checks for enough memory. With snapshot.IfSmall, a large problem comes without
// its log and comments. The error of a problem without enough memory ends the View: fn has to
// return it.
func (v *Views) Problem(ctx context.Context, r store.Reader, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	small, err := r.Problem(ctx, id, as, parts|snapshot.IfSmall)
	if err != nil || small.Size <= snapshot.Small {
		return small, err
	}
	if parts.Has(snapshot.IfSmall) {
		parts &^= snapshot.Log | snapshot.Comments | snapshot.IfSmall
	}
	if parts == 0 {
		return small, nil
	}
	account := budget.From(ctx)
	if need := v.weight(small, parts); account.Free() < need && !account.Full() {
		return small, &memoryError{need}
	}
	large, err := r.Problem(ctx, id, as, parts)
	account.Use(loadedWeight(large))
	return large, err
}

// loadedWeight estimates the bytes of a loaded problem.
func loadedWeight(s snapshot.Snapshot) int64 {
	n := problem.Size(s.Fields, s.Keywords, s.Comments, s.Attachments, s.Log)
	for _, saved := range s.Savepoints {
		n += problem.SavedSize(saved.Fields)
	}
	for _, r := range s.Relationships {
		n += problem.Overhead + int64(len(r.OtherTitle))
	}
	return n
}
