// Package keylock locks by key. Each key has a lock of its own. A caller locks the keys
// of the objects to change, and callers with other keys do not wait for it.
//
// Waiters get a lock in the order of their calls. A wait ends with its context. A
// holder can pass a value to the next waiter of the same key: the handoff.
package keylock

import (
	"context"
	"slices"
	"sync"

	"github.com/problemtracking/problems/domain/fault"
)

// Locks is a set of locks, one for each key of type K. A lock exists only while a
// caller holds it or waits for it. V is the type of the handed-off values. The methods
// may be called from many goroutines at once.
type Locks[K comparable, V any] struct {
	compare func(a, b K) int

	mu    sync.Mutex
	locks map[K]*lock[V]
}

// lock is the lock of one key.
type lock[V any] struct {
	// free has an element while the key is free: the value handed off by the previous
	// holder. A channel serves its waiters in order.
	free chan V
	// users counts the holders and the waiters. At 0 the lock is dropped, and a value
	// handed off with it.
	users int
}

// New returns locks for keys of the given order. Each caller locks its keys in this
// order, so callers never wait for each other in a circle.
func New[K comparable, V any](compare func(a, b K) int) *Locks[K, V] {
	return &Locks[K, V]{compare: compare, locks: make(map[K]*lock[V])}
}

// Lease is the right to hold keys until Unlock.
type Lease[K comparable, V any] struct {
	locks    *Locks[K, V]
	keys     []K
	received V
	handoff  V
}

// Lock waits until the caller holds all the keys. A repeated key is locked once. Lock sorts
// the given slice. When ctx ends first, Lock holds nothing and returns ctx.Err(). A free
// key is locked even after the end of ctx.
func (l *Locks[K, V]) Lock(ctx context.Context, keys ...K) (*Lease[K, V], error) {
	slices.SortFunc(keys, l.compare)
	lease := &Lease[K, V]{locks: l, keys: slices.Compact(keys)}
	for i, key := range lease.keys {
		received, err := l.lock(ctx, key)
		if err != nil {
			var nothing V
			l.unlock(lease.keys[:i], nothing)
			return nil, err
		}
		if len(lease.keys) == 1 {
			lease.received = received
		}
	}
	return lease, nil
}

// Received returns the value handed off by the previous holder of the only key. It is
// the zero value without such a value: when the previous holder left before this one
// came, or handed off nothing. It is also the zero value for a lease of several keys.
func (l *Lease[K, V]) Received() V { return l.received }

// HandOff sets the value for the next holder, if it waits already when Unlock is called. A
// lease of several keys hands off nothing.
func (l *Lease[K, V]) HandOff(value V) {
	if len(l.keys) == 1 {
		l.handoff = value
	}
}

// Unlock releases the keys. It has to be called exactly once.
func (l *Lease[K, V]) Unlock() { l.locks.unlock(l.keys, l.handoff) }

// Busy reports whether a caller would have to wait for the key at this moment.
func (l *Locks[K, V]) Busy(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.locks[key]
	return k != nil && len(k.free) == 0
}

// Len returns the number of keys with a holder or a waiter at this moment.
func (l *Locks[K, V]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.locks)
}

func (l *Locks[K, V]) lock(ctx context.Context, key K) (received V, err error) {
	l.mu.Lock()
	k := l.locks[key]
	if k == nil {
		k = newLock[V]()
		l.locks[key] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case received = <-k.free: // no wait, even after the end of ctx
		return received, nil
	default:
	}
	select {
	case received = <-k.free:
		return received, nil
	case <-ctx.Done():
		l.mu.Lock()
		l.leave(key, k)
		l.mu.Unlock()
		return received, ctx.Err()
	}
}

func newLock[V any]() *lock[V] {
	k := &lock[V]{free: make(chan V, 1)}
	var nothing V
	k.free <- nothing
	return k
}

func (l *Locks[K, V]) unlock(keys []K, handoff V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		k := l.locks[key]
		k.free <- handoff
		l.leave(key, k)
	}
}

// leave counts one user less. The caller holds mu.
func (l *Locks[K, V]) leave(key K, k *lock[V]) {
	if k.users--; k.users == 0 {
		delete(l.locks, key)
	}
}

// Ended returns the fault of a request that ended during its wait for a lock, of kind
// fault.Unavailable.
func Ended(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "the request ended while it waited for a lock; nothing was changed")
}
