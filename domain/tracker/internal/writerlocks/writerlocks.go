// Package writerlocks admits one writer at a time to an object. So within this process no
// other writer outdates the snapshot behind a decision.
package writerlocks

import (
	"cmp"
	"context"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/keylock"
)

// Locks are the locks of a process. A writer of a problem can hand it off, as stored, to
// the next writer. The methods may be called from many goroutines at once.
type Locks struct {
	*keylock.Locks[Key, *snapshot.Snapshot]
}

// Lease is the right to write the locked objects until Unlock.
type Lease = keylock.Lease[Key, *snapshot.Snapshot]

// New returns locks that nobody holds.
func New() Locks {
	return Locks{keylock.New[Key, *snapshot.Snapshot](compare)}
}

// Lock locks the keys. When ctx ends first, the error is of kind fault.Unavailable.
func (l Locks) Lock(ctx context.Context, keys ...Key) (*Lease, error) {
	lease, err := l.Locks.Lock(ctx, keys...)
	if err != nil {
		return nil, keylock.Ended(err)
	}
	return lease, nil
}

// Key names an object locked by writers. Only the members for its kind are set.
type Key struct {
	kind kind
	name string
	user ident.ID
	id   problem.ID
}

// kind is a kind of keys. Writers lock the keys of several kinds in the order of these
// constants.
type kind int

const (
	ofReply kind = iota
	ofReports
	ofProblem
	ofCatalogue
	ofQueries
	ofSessions
	ofWebhooks
)

// Reply is the key of an idempotency key of a user.
func Reply(user ident.ID, key string) Key { return Key{kind: ofReply, user: user, name: key} }

// Reports is the key of the reports with one lease (D55).
func Reports(lease string) Key { return Key{kind: ofReports, name: lease} }

// Problem is the key of a problem.
func Problem(id problem.ID) Key { return Key{kind: ofProblem, id: id} }

// Catalogue is the key of metadata, users and tokens.
func Catalogue() Key { return Key{kind: ofCatalogue} }

// Queries is the key of the saved queries of a user.
func Queries(user ident.ID) Key { return Key{kind: ofQueries, user: user} }

// Sessions is the key of the sessions of a user.
func Sessions(user ident.ID) Key { return Key{kind: ofSessions, user: user} }

// Webhooks is the key of all webhooks, for additions.
func Webhooks() Key { return Key{kind: ofWebhooks} }

func compare(a, b Key) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), a.user.Compare(b.user), cmp.Compare(a.id, b.id))
}
