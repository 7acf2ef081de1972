package conformance

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// T is what a case needs of a test. *testing.T is one.
type T interface {
	Helper()
	Name() string
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Harness says how the stores under test are opened, and what they can do.
type Harness struct {
	// Open opens the store of an environment that is new, so that the store
	// is empty. It calls t.Fatalf when it cannot. The case closes the store.
	Open func(t T, env Env) store.Store
	// Reopen opens the store of an environment again, after the case has
	// closed it. It is nil for stores that are not durable.
	Reopen func(t T, env Env) store.Store
	// Peer opens a second handle on the data of an environment whose store
	// is open, as another process would. The case closes it. It is nil for
	// stores that are not shared.
	Peer func(t T, env Env) store.Store
	// Caps declares what the stores can do. Nothing is taken for granted: a
	// capability that is not declared fails the run.
	Caps Capabilities
}

// Capabilities are the abilities that stores may lack.
type Capabilities struct {
	// Durable stores show the same data when they are opened again.
	Durable Support
	// Shared stores can be open several times on the same data.
	Shared Support
}

// Support says whether a store has a capability.
type Support int

// The values of Support. The zero value declares nothing.
const (
	Undeclared Support = iota
	Yes
	No
)

// check returns what is wrong with the harness itself.
func (h Harness) check() error {
	switch {
	case h.Open == nil:
		return fmt.Errorf("the harness has no Open")
	case h.Caps.Durable != Yes && h.Caps.Durable != No:
		return fmt.Errorf("the harness does not declare Caps.Durable: say conformance.Yes or conformance.No")
	case h.Caps.Durable == Yes && h.Reopen == nil:
		return fmt.Errorf("the harness declares Caps.Durable, but has no Reopen to show it with")
	case h.Caps.Durable == No && h.Reopen != nil:
		return fmt.Errorf("the harness has a Reopen, but declares that nothing survives it")
	case h.Caps.Shared != Yes && h.Caps.Shared != No:
		return fmt.Errorf("the harness does not declare Caps.Shared: say conformance.Yes or conformance.No")
	case h.Caps.Shared == Yes && h.Peer == nil:
		return fmt.Errorf("the harness declares Caps.Shared, but has no Peer to show it with")
	case h.Caps.Shared == No && h.Peer != nil:
		return fmt.Errorf("the harness has a Peer, but declares that its stores share nothing")
	}
	return nil
}

// has reports whether the stores can do what the case needs.
func (h Harness) has(c Case) bool {
	return (!c.Durable || h.Caps.Durable == Yes) && (!c.Shared || h.Caps.Shared == Yes)
}

// Run holds the stores of the harness against every case that their capabilities
// allow, each case in a parallel subtest named by its ID.
func Run(t *testing.T, h Harness) {
	if err := h.check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range Cases() {
		if h.has(c) {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				c.check(t, h)
			})
		}
	}
}

// Env is the environment of one store: where it is kept, and the clock and the
// identifiers of the case that uses it. Clock and identifiers are the same in
// every run. Its methods may be called from many goroutines at once.
type Env struct {
	// Dir is a directory for this store alone, removed after the case.
	Dir string

	source *source
}

type source struct {
	mu  sync.Mutex
	now time.Time
	ids ident.Sequence
}

func newEnv(t T) Env {
	start := time.Date(2026, time.March, 1, 9, 30, 0, 7e6, time.UTC)
	return Env{Dir: t.TempDir(), source: &source{now: start, ids: ident.NewSequence(start, [10]byte{9: 1})}}
}

// Now returns the time of the case, which is one millisecond later each time it
// is asked for.
func (e Env) Now() time.Time {
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	e.source.now = e.source.now.Add(time.Millisecond)
	return e.source.now
}

// ID returns an identifier that was not returned before.
func (e Env) ID() ident.ID {
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	return e.source.ids.Next()
}
