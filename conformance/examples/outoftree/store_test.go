package boltstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"example.org/boltstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// These tests are about what only this adapter has. All else is in the suite.

func open(t *testing.T, o boltstore.Options) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("the store cannot be opened: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the store cannot be closed: %v", err)
		}
	})
	return s
}

var created = time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)

// keeping returns a Change that keeps a reply of the given length.
func keeping(ids *ident.Sequence, length int) store.Change {
	return store.Change{Batch: ids.Next(), At: created, Effects: []store.Effect{
		store.KeepReply{Reply: store.Reply{User: ids.Next(), Key: "key", Created: created, Body: make([]byte, length)}},
	}}
}

func TestLockedFile(t *testing.T) {
	t.Parallel()
	o := boltstore.Options{Path: filepath.Join(t.TempDir(), "problems.db")}
	s := open(t, o)
	second, err := boltstore.Open(t.Context(), o)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), o.Path) {
		t.Errorf("a file that is open was opened again as %v, with the error %v", second, err)
	}
	ids := ident.NewSequence(created, [10]byte{})
	if _, err := s.Commit(t.Context(), keeping(&ids, 10)); err != nil {
		t.Errorf("the first store no longer works: %v", err)
	}
}

func TestFileOfSomethingElse(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(path string) error{
		"another program's": func(path string) error { return write(path, "accounts", "version", "1") },
		"another version's": func(path string) error { return write(path, "boltstore", "version", "999") },
		"no database":       func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("text\n", 10_000)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "some.db")
			if err := create(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := boltstore.Open(t.Context(), boltstore.Options{Path: path}); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("opening it gave the error %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// write makes a file of bbolt that has one key.
func write(path, bucket, key, value string) error {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte(bucket))
		if err != nil {
			return err
		}
		return b.Put([]byte(key), []byte(value))
	})
}

func TestFullFile(t *testing.T) {
	t.Parallel()
	s := open(t, boltstore.Options{Path: filepath.Join(t.TempDir(), "problems.db"), MaxSize: 1 << 20})
	ids := ident.NewSequence(created, [10]byte{})
	large := keeping(&ids, 2<<20)
	if _, err := s.Commit(t.Context(), large); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a Change that does not fit gave the error %v", err)
	}
	if _, err := s.Commit(t.Context(), keeping(&ids, 10)); err != nil {
		t.Errorf("a Change that fits fails after that: %v", err)
	}
	if _, stored, err := s.Outcome(t.Context(), large.Batch, created); stored || err != nil {
		t.Errorf("Outcome of the Change that did not fit: %t, %v", stored, err)
	}
}
