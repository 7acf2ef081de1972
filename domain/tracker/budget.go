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

// What is large is loaded only once there is memory for it in the budget of the request,
// which is found in its context. It is not waited for within a View, which holds a
// connection: the View ends with a roomError, and begins again once there is room.

// roomError says how many bytes have to be reserved before what it ended is tried again.
type roomError struct{ bytes int64 }

func (e *roomError) Error() string { return fmt.Sprintf("needs %d bytes of memory", e.bytes) }

// withRoom calls try, and again when it fails for want of room, once there is some.
func (s *Service) withRoom(ctx context.Context, try func() error) error {
	for {
		budget.From(ctx).Reuse()
		err := try()
		want, ok := errors.AsType[*roomError](err)
		if !ok {
			budget.From(ctx).Trim()
			return err
		}
		if err := s.reserve(ctx, want.bytes); err != nil {
			return err
		}
	}
}

var errNoRoom = errors.New("no memory was free in time")

// reserve waits until the request has so many bytes of the budget. It fails with
// fault.Unavailable when that takes too long.
func (s *Service) reserve(ctx context.Context, bytes int64) error {
	waiting, cancel := context.WithTimeoutCause(ctx, s.waitFor, errNoRoom)
	defer cancel()
	err := budget.From(ctx).Reserve(waiting, bytes)
	switch {
	case err == nil:
		return nil
	case context.Cause(waiting) == errNoRoom:
		return fault.Wrap(fault.Unavailable, errNoRoom, "too much memory is in use by large answers: this one has waited %v; nothing was done, try again later", s.waitFor)
	}
	return fault.Wrap(fault.Unavailable, err, "the request ended while it waited for memory; nothing was changed")
}

// mostRelated is how many bytes a relationship takes at most with what is shown of the
// other problem, whose title has up to 1,000 characters.
const mostRelated = 4200

// weight returns about how many bytes the parts of a problem take in memory while they
// are loaded. Its log has an entry for each relationship that it ever had.
func (s *Service) weight(snapshot store.Snapshot, parts store.Parts) (n int64) {
	if parts.Has(store.Relationships) {
		n = mostRelated * min(snapshot.Size/problem.Overhead, int64(s.limits.Relationships))
	}
	if parts&(store.Keywords|store.Log|store.Comments|store.Savepoints) != 0 {
		n += snapshot.Size + snapshot.Size/4
	}
	return n
}

// snapshot reads a problem with the given parts. A large one is read without them first,
// to see that there is room. With store.IfSmall, a large one comes without its log and
// its comments.
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
	room := budget.From(ctx)
	if need := s.weight(small, parts); room.Free() < need && !room.Full() {
		return small, &roomError{need}
	}
	large, err := r.Problem(ctx, id, as, parts)
	room.Use(loadedWeight(large))
	return large, err
}

// loadedWeight returns about how many bytes a problem takes as it was loaded.
func loadedWeight(s store.Snapshot) int64 {
	n := problem.Size(s.Title, s.Keywords, s.Comments, s.Log)
	for _, saved := range s.Savepoints {
		n += problem.SavedSize(saved.Title)
	}
	for _, r := range s.Relationships {
		n += problem.Overhead + int64(len(r.OtherTitle))
	}
	return n
}
