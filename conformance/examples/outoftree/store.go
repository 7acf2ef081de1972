package boltstore

import (
	"context"
	"encoding/binary"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Options are the settings of a Store.
type Options struct {
	// Path is the file. It is created, readable for its owner alone, when it
	// does not exist; its directory has to.
	Path string
	// MaxSize is the greatest size of the file in bytes. Commits beyond it fail. As many
	// addresses are reserved; on Windows, the file has that size from the start. 0 stands
	// for 64 GiB, or 1 GiB where addresses have 32 bits.
	MaxSize int
}

// Store is a store.Store in a file of bbolt. It is made by [Open].
type Store struct {
	calls  store.Gate
	db     *bbolt.DB
	writer chan struct{} // has an element while somebody writes

	highest  sync.Mutex
	reserved problem.ID // the highest number reserved here
}

var _ store.Store = (*Store)(nil)

// Open opens the file. It fails with fault.Unavailable when the file is still
// open elsewhere after a second.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	db, err := openFile(o)
	if err != nil {
		return nil, err
	}
	return &Store{db: db, writer: make(chan struct{}, 1)}, nil
}

// View implements store.Store. During a View, the file retains all replaced and removed
// pages, and grows.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.read(ctx, func(c contents) error {
		if err := fn(reader{c}); err != nil {
			return err
		}
		return store.Ended(ctx)
	})
}

// read calls fn with the present content of the file. bbolt never lets a reader wait, so
// the context is of no use to it.
func (s *Store) read(ctx context.Context, fn func(contents) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	tx, err := s.db.Begin(false)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = tx.Rollback() }() // ends a read-only transaction, and cannot fail
	return fn(contents{tx})
}

// Reserve implements store.Store. A reserved but unused number is not in the file: the
// store may reserve it again after it is reopened.
func (s *Store) Reserve(ctx context.Context) (id problem.ID, err error) {
	err = s.read(ctx, func(c contents) error {
		if last, _ := c.in(problems).Cursor().Last(); last != nil {
			id = problem.ID(binary.BigEndian.Uint64(last))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.highest.Lock()
	defer s.highest.Unlock()
	s.reserved = max(s.reserved, id) + 1
	return s.reserved, nil
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context) (v store.Versions, err error) {
	err = s.read(ctx, func(c contents) error {
		v = c.versions()
		return nil
	})
	return v, err
}

// versions returns the versions at this moment.
func (c contents) versions() store.Versions {
	return store.Versions{Catalogue: c.counter(catalogueVersion), Access: c.counter(accessVersion)}
}

// Close implements store.Store. It waits for the calls under way, so it must not be
// called within a View.
func (s *Store) Close() error {
	if !s.calls.Close() {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return fault.Wrap(fault.Internal, err, "the store could not be closed in order; nothing is lost")
	}
	return nil
}
