package tracker

import (
	"context"
	"errors"
	"fmt"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// A large problem is loaded only when the budget of the request, found in its context,
// has enough memory for it. A View holds a connection, so no request waits for memory
// within one. The View ends with a memoryError, and starts over once there is memory.

// memoryError ends a View. bytes is the memory to reserve before the View starts over.
type memoryError struct{ bytes int64 }

func (e *memoryError) Error() string { return fmt.Sprintf("needs %d bytes of memory", e.bytes) }

// withMemory calls try. When try fails with a memoryError, it reserves the memory and
// calls try again.
func (s *Service) withMemory(ctx context.Context, try func() error) error {
	for {
		budget.From(ctx).Reuse()
		err := try()
		want, ok := errors.AsType[*memoryError](err)
		if !ok {
			budget.From(ctx).Trim()
			return err
		}
		if err := s.reserve(ctx, want.bytes); err != nil {
			return err
		}
	}
}

var errNoMemory = errors.New("no memory was free in time")

// reserve waits until the request holds the bytes in its budget. It fails with
// fault.Unavailable after too long a wait.
func (s *Service) reserve(ctx context.Context, bytes int64) error {
	waiting, cancel := context.WithTimeoutCause(ctx, s.waitFor, errNoMemory)
	defer cancel()
	err := budget.From(ctx).Reserve(waiting, bytes)
	switch {
	case err == nil:
		return nil
	case context.Cause(waiting) == errNoMemory:
		return fault.Wrap(fault.Unavailable, errNoMemory, "too much memory is in use by large answers: this one has waited %v; nothing was done, try again later", s.waitFor)
	}
	return fault.Wrap(fault.Unavailable, err, "the request ended while it waited for memory; nothing was changed")
}

// mostRelated bounds the bytes of a relationship with the title and state of the other
// problem. A title has up to 1,000 characters.
const mostRelated = 4200

// weight estimates the memory for the parts of a problem during a load, in bytes. The
// log has an entry for each relationship that the problem ever had.
func (s *Service) weight(snapshot store.Snapshot, parts store.Parts) (n int64) {
	if parts.Has(store.Relationships) {
		n = mostRelated * min(snapshot.Size/problem.Overhead, int64(s.limits.Relationships))
	}
	if parts&(store.Keywords|store.Log|store.Comments|store.Savepoints) != 0 {
		n += snapshot.Size + snapshot.Size/4
	}
	return n
}

// snapshot reads a problem with the given parts. It first reads a large problem without
// them and checks for enough memory. With store.IfSmall, a large problem comes without
// its log and comments.
func (s *Service) snapshot(ctx context.Context, r store.Reader, as ident.ID, id problem.ID, parts store.Parts) (store.Snapshot, error) {
	small, err := r.Problem(ctx, id, as, parts|store.IfSmall)
	if err != nil || small.Size <= store.Small {
		return small, err
	}
	if parts.Has(store.IfSmall) {
		parts &^= store.Log | store.Comments | store.IfSmall
	}
	if parts == 0 {
		return small, nil
	}
	account := budget.From(ctx)
	if need := s.weight(small, parts); account.Free() < need && !account.Full() {
		return small, &memoryError{need}
	}
	large, err := r.Problem(ctx, id, as, parts)
	account.Use(loadedWeight(large))
	return large, err
}

// loadedWeight estimates the bytes of a loaded problem.
func loadedWeight(s store.Snapshot) int64 {
	n := problem.Size(s.Fields, s.Keywords, s.Comments, s.Log)
	for _, saved := range s.Savepoints {
		n += problem.SavedSize(saved.Fields)
	}
	for _, r := range s.Relationships {
		n += problem.Overhead + int64(len(r.OtherTitle))
	}
	return n
}
