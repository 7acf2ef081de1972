package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// bench is a store with a source of identifiers and of time.
type bench struct {
	*testing.T
	*Store
	path string

	mu  sync.Mutex
	ids ident.Sequence
}

var start = time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, path: filepath.Join(t.TempDir(), "problems.db"), ids: ident.NewSequence(start, [10]byte{})}
	b.Store = b.open(Options{})
	return b
}

// open opens the file once more.
func (b *bench) open(o Options) *Store {
	b.Helper()
	return b.openWith(o, forWriting)
}

// openWith opens it with other settings for the connection that writes.
func (b *bench) openWith(o Options, settings string) *Store {
	b.Helper()
	o.Path = b.path
	s, err := open(b.Context(), o, settings)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func (b *bench) id() ident.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids.Next()
}

func (b *bench) change(effects ...store.Effect) store.Change {
	return store.Change{Batch: b.id(), At: start, Author: b.id(), Effects: effects}
}

func (b *bench) create(id problem.ID, title string) store.Change {
	return b.change(store.CreateProblem{Problem: problem.Problem{
		ID: id, Fields: problem.Fields{Title: title, State: b.id()},
		Originator: b.id(), Created: start, Modifier: b.id(), Modified: start, Revision: 1,
	}})
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// check is must for goroutines other than the test's own.
func (b *bench) check(err error) {
	if err != nil {
		b.Error(err)
	}
}

func (b *bench) fails(kind fault.Kind, err error) {
	b.Helper()
	if !fault.Is(err, kind) {
		b.Fatalf("got %v, want a fault of the kind %q", err, kind)
	}
}

// commit commits a change that has to succeed.
func (b *bench) commit(change store.Change) store.Receipt {
	b.Helper()
	receipt, err := b.Commit(b.Context(), change)
	b.must(err)
	return receipt
}

// exists reports whether the store has the problem.
func (b *bench) exists(id problem.ID) bool {
	b.Helper()
	err := b.View(b.Context(), func(r store.Reader) error {
		_, err := r.Problem(b.Context(), id, ident.None, 0)
		return err
	})
	if err != nil {
		b.fails(fault.ProblemNotFound, err)
	}
	return err == nil
}

// occupy keeps the writer busy until the returned function is called.
func (b *bench) occupy() (release func()) {
	begun, end := make(chan struct{}), make(chan struct{})
	go func() {
		b.check(b.hand(b.Context(), task{alone: true, do: func(*transaction) error {
			close(begun)
			<-end
			return nil
		}}))
	}()
	<-begun
	return func() { close(end) }
}

// inBubble runs a test with a store, whose goroutines can be waited for.
func inBubble(t *testing.T, test func(b *bench)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(setup(t)) })
}

func TestViewsLeaveTheWriterAlone(t *testing.T) {
	inBubble(t, func(b *bench) {
		end := make(chan struct{})
		for range Readers {
			go func() {
				err := b.View(b.Context(), func(r store.Reader) error {
					if _, err := r.Versions(b.Context()); err != nil {
						return err
					}
					<-end
					_, err := r.Problem(b.Context(), 1, ident.None, 0)
					return err
				})
				if !fault.Is(err, fault.ProblemNotFound) {
					b.Errorf("a View that has read before the Commit: got %v", err)
				}
			}()
		}
		synctest.Wait()
		b.commit(b.create(1, "meanwhile"))

		ctx, cancel := context.WithCancel(b.Context())
		var err error
		go func() { _, err = b.Versions(ctx) }()
		synctest.Wait()
		if got := b.Stats(); got.Reading != Readers || got.Waited != 1 {
			b.Errorf("got %+v, want %d reading and 1 waiting", got, Readers)
		}
		cancel()
		synctest.Wait()
		b.fails(fault.Unavailable, err)
		close(end)
		synctest.Wait()
		if !b.exists(1) {
			b.Error("a View that began after the Commit does not show it")
		}
	})
}

func TestTwoHandles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.open(Options{})
	last := store.Receipt{}
	var now ident.Version
	for i := range 6 {
		s := []*Store{b.Store, other}[i%2]
		change := b.change(store.PutUser{User: user.User{ID: b.id(), Name: "A", Email: fmt.Sprint(i, "@localhost")}})
		change.Expect = []store.Expectation{store.CatalogueAt{Version: now}}
		receipt, err := s.Commit(t.Context(), change)
		b.must(err)
		if receipt.Position <= last.Position {
			t.Errorf("position %d came after %d", receipt.Position, last.Position)
		}
		last, now = receipt, now.Next(change.Batch)
		for _, s := range []*Store{b.Store, other} {
			v, err := s.Versions(t.Context())
			b.must(err)
			if v.Catalogue != now {
				t.Errorf("the version of the catalogue is %v, want %v", v.Catalogue, now)
			}
		}
	}
}
