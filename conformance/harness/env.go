package harness

import (
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Env is the environment of one store: its directory, and the clock and the identifiers
// of its case. Clock and identifiers are the same in every run. Its methods may be called
// from many goroutines at once.
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

// NewEnv returns an environment. Its clock begins at the given time. The suite calls it;
// authors of adapters need not.
func NewEnv(dir string, start time.Time, ids ident.Sequence) Env {
	return Env{Dir: dir, source: &source{now: start, ids: ids}}
}

// Now returns the time of the case. Each call returns a time one millisecond later.
func (e Env) Now() time.Time {
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	e.source.now = e.source.now.Add(time.Millisecond)
	return e.source.now
}

// ID returns a new identifier.
func (e Env) ID() ident.ID {
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	return e.source.ids.Next()
}
