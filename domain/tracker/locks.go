package tracker

import (
	"cmp"
	"context"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/keylock"
)

// writerLocks admit one writer at a time to an object. So within this process no other
// writer outdates the snapshot behind a decision. A writer can hand off the stored
// problem: see handoff.
type writerLocks = keylock.Locks[lockKey, *store.Snapshot]

func newWriterLocks() *writerLocks {
	return keylock.New[lockKey, *store.Snapshot](compareLockKeys, nil)
}

// lockKey names an object locked by writers. Only the members for its kind are set.
type lockKey struct {
	kind lockKind
	name string
	user ident.ID
	id   problem.ID
}

// lockKind is a kind of keys. Writers lock the keys of several kinds in the order of these
// constants.
type lockKind int

const (
	lockReply     lockKind = iota // an idempotency key of a user
	lockFamily                    // a directed family, for additions to it
	lockProblem                   // a problem
	lockCatalogue                 // metadata, users and tokens
	lockQueries                   // the saved queries of a user
	lockSessions                  // the sessions of a user
)

func problemLock(id problem.ID) lockKey { return lockKey{kind: lockProblem, id: id} }

func compareLockKeys(a, b lockKey) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), a.user.Compare(b.user), cmp.Compare(a.id, b.id))
}

// lock locks the keys. When ctx ends first, the error is of kind fault.Unavailable.
func (s *Service) lock(ctx context.Context, keys []lockKey) (*keylock.Lease[lockKey, *store.Snapshot], error) {
	lease, err := s.locks.Lock(ctx, keys...)
	if err != nil {
		return nil, keylock.Ended(err)
	}
	return lease, nil
}
