package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Bench is the workbench of a case: a store, empty when the case begins, and the means to
// write to it, read from it and complain about it. Its methods end the case when the
// store does otherwise. Call them from the case's own goroutine alone; others return
// errors.
type Bench struct {
	harness.T
	harness.Env

	Ctx    context.Context
	Store  store.Store
	Author ident.ID
	C      Case
	H      harness.Harness
	// Test is the test of this Run; empty outside of tests.
	Test   string
	Seed   uint64
	Long   bool // whether the case is to go on longer than it has to
	Engine *engine.Run
	// Pending are the unfinished calls of the stores.
	Pending *pending
	Seen    *Scope // everything named by the Changes so far
}

// FreshEnv returns an environment with a new directory. Its clock and identifiers are
// the same in every run.
func FreshEnv(t harness.T) harness.Env {
	start := time.Date(2026, time.March, 1, 9, 30, 0, 7e6, time.UTC)
	return harness.NewEnv(t.TempDir(), start, ident.NewSequence(start, [10]byte{9: 1}))
}

// NewBench returns a bench without an open store.
func NewBench(r *engine.Run, c Case, h harness.Harness, test string, seed uint64) *Bench {
	b := &Bench{
		T: r, Env: FreshEnv(r), Ctx: r.Context(), C: c, H: h, Test: test, Seed: seed,
		Engine: r, Pending: new(pending), Seen: NewScope(),
	}
	b.Author = b.ID()
	return b
}

// Random returns the source of the case's random choices, the same for the same case and
// seed.
func (b *Bench) Random() *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(b.C.ID)) // never fails
	return rand.New(rand.NewPCG(b.Seed, name.Sum64()))
}

// Everything are all parts of a problem.
const Everything = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers | snapshot.Savepoints | snapshot.Attachments

// Failf ends the case.
func (b *Bench) Failf(format string, args ...any) {
	b.Helper()
	b.Fatalf(format, args...)
}

// Equal ends the case unless the store shows the expected value.
func (b *Bench) Equal(what string, want, got any) {
	b.Helper()
	if d := Difference(want, got); d != "" {
		b.Failf("%s differs: %s", what, d)
	}
}

// Fails ends the case unless err is a fault of the given kind.
func (b *Bench) Fails(what string, kind fault.Kind, err error) {
	b.Helper()
	if err := Failure(what, kind, err); err != nil {
		b.Failf("%v", err)
	}
}

// Failure returns nil if err is a fault of the given kind. A bare context error
// is none: KindOf would be too kind here.
func Failure(what string, kind fault.Kind, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return fmt.Errorf("%s succeeded where a fault of the kind %q was expected", what, kind)
	case !ok:
		return fmt.Errorf("%s failed with an error that is no fault where the kind %q was expected: %v", what, kind, err)
	case f.Kind != kind:
		return fmt.Errorf("%s failed with the kind %q where %q was expected: %v", what, f.Kind, kind, err)
	}
	return nil
}

// Must ends the case when there is an error.
func (b *Bench) Must(what string, err error) {
	b.Helper()
	if err != nil {
		b.Failf("%s failed: %v", what, err)
	}
}

// Change returns a Change of its own batch and time with the given effects.
func (b *Bench) Change(effects ...store.Effect) store.Change {
	return store.Change{Batch: b.ID(), At: b.Now(), Author: b.Author, Via: b.ID(), Effects: effects}
}

// Commit commits a change without a reason to refuse it.
func (b *Bench) Commit(change store.Change) store.Receipt {
	b.Helper()
	b.Seen.Add(change)
	receipt, err := b.Store.Commit(b.Ctx, change)
	b.Must("Commit", err)
	if receipt.Batch != change.Batch {
		b.Failf("the receipt names the batch %s where %s was committed", receipt.Batch, change.Batch)
	}
	return receipt
}

// Do commits a change of the given effects.
func (b *Bench) Do(effects ...store.Effect) store.Receipt {
	b.Helper()
	return b.Commit(b.Change(effects...))
}

// Refuse commits a change with a reason to refuse it, of the given kind, and ends the
// case if any part of the change is stored.
func (b *Bench) Refuse(what string, kind fault.Kind, change store.Change) {
	b.Helper()
	b.Seen.Add(change)
	before := b.Image()
	_, err := b.Store.Commit(b.Ctx, change)
	b.Fails("the Commit of "+what, kind, err)
	b.Equal("what is stored after "+what+" was refused", before, b.Image())
}

// Reserve returns a number for a new problem.
func (b *Bench) Reserve() problem.ID {
	b.Helper()
	id, err := b.Store.Reserve(b.Ctx)
	b.Must("Reserve", err)
	return id
}

// Problem returns a new problem with all fields set. It is not stored yet.
func (b *Bench) Problem(id problem.ID) problem.Problem {
	p := problem.Problem{ID: id, Revision: 1}
	for _, f := range problem.AllFields() {
		problem.Value(f, &p, filling{b, id})
	}
	p.Title = fmt.Sprintf("Problem %d", id)
	return p
}

// filling gives a field of a problem a value of its own.
type filling struct {
	b  *Bench
	of problem.ID
}

// Text implements problem.Kinds, as do the methods below.
func (v filling) Text(f *problem.Field, text *string) (none struct{}) {
	*text = fmt.Sprintf("The %s of %d", f.Name, v.of)
	return none
}

// Reference sets a new identifier.
func (v filling) Reference(_ *problem.Field, id *ident.ID) (none struct{}) {
	*id = v.b.ID()
	return none
}

// Date sets a date of its own for each problem.
func (v filling) Date(_ *problem.Field, d *date.Date) (none struct{}) {
	*d = date.Of(v.b.Now()) + date.Date(v.of%1000)
	return none
}

// Time sets the current time.
func (v filling) Time(_ *problem.Field, at *time.Time) (none struct{}) {
	*at = v.b.Now()
	return none
}

// Create stores a problem.
func (b *Bench) Create() problem.Problem {
	b.Helper()
	p := b.Problem(b.Reserve())
	b.Do(store.CreateProblem{Problem: p})
	return p
}

// Entry returns a new log entry with all fields set. It is not stored yet.
func (b *Bench) Entry(id problem.ID) problem.LogEntry {
	return problem.LogEntry{
		ID: b.ID(), Problem: id, Type: problem.FieldChanged, Created: b.Now(), Author: b.Author, Via: b.ID(), Batch: b.ID(),
		Field: "title", From: problem.LogText("before"), To: problem.LogText("after"), Revision: 1,
	}
}

// Comment returns a new comment with all fields set. It is not stored yet.
func (b *Bench) Comment(text string) problem.Comment {
	return problem.Comment{ID: b.ID(), Author: b.Author, Via: b.ID(), Created: b.Now(), Text: text, HTML: problem.Text("<p>" + text + "</p>")}
}

// Pair returns the effects for both sides of a relationship.
func (b *Bench) Pair(owner problem.ID, t relationship.Type, other problem.ID) []store.Effect {
	side := relationship.Relationship{Owner: owner, Type: t, Other: other, Created: b.Now(), Author: b.Author}
	return []store.Effect{store.PutRelationship{Relationship: side}, store.PutRelationship{Relationship: side.Mirror()}}
}

// View looks at the store and ends the case on an error.
func (b *Bench) View(fn func(store.Reader) error) {
	b.Helper()
	b.Must("View", b.Store.View(b.Ctx, fn))
}

// Load reads a problem with the given parts, as nobody in particular.
func (b *Bench) Load(id problem.ID, parts snapshot.Parts) snapshot.Snapshot {
	b.Helper()
	return b.LoadAs(id, ident.None, parts)
}

// LoadAs reads a problem as a user.
func (b *Bench) LoadAs(id problem.ID, as ident.ID, parts snapshot.Parts) (s snapshot.Snapshot) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		s, err = r.Problem(b.Ctx, id, as, parts)
		return err
	})
	return s
}

// Image reads everything named by the Changes so far.
func (b *Bench) Image() (seen Image) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		seen, err = Read(b.Ctx, r, b.Seen)
		return err
	})
	return seen
}

// Versions asks the store for its versions.
func (b *Bench) Versions() store.Versions {
	b.Helper()
	v, err := b.Store.Versions(b.Ctx)
	b.Must("Versions", err)
	return v
}

// Counting returns versions of the given numbers, with unknown batches.
func Counting(catalogue, access int64) store.Versions {
	return store.Versions{Catalogue: ident.Version{Number: catalogue}, Access: ident.Version{Number: access}}
}

// Counts returns versions without their batches.
func Counts(v store.Versions) store.Versions { return Counting(v.Catalogue.Number, v.Access.Number) }

// At returns the expectation of the problem's present revision.
func (b *Bench) At(id problem.ID) store.ProblemAt {
	b.Helper()
	s := b.Load(id, 0)
	return store.ProblemAt{ID: id, Revision: s.Revision, Batch: s.Batch}
}

// Open opens the store, and closes it after the case.
func (b *Bench) Open() {
	b.Helper()
	b.Store = b.Traced("", b.Opened("Open", b.Engine.Harness(), b.H.Open))
	b.Cleanup(func() {
		if err := b.Store.Close(); err != nil {
			b.Errorf("after the case, Close failed: %v", err)
		}
	})
	b.Share()
}

// Opened opens a store with a function of the harness.
func (b *Bench) Opened(name string, t harness.T, open func(harness.T, harness.Env) store.Store) store.Store {
	defer b.Pending.begin(name)()
	defer func() {
		if problem := recover(); problem != nil {
			t.Fatalf("it panicked: %v\n%s", problem, debug.Stack())
		}
	}()
	s := open(t, b.Env)
	if s == nil {
		t.Fatalf("it returned no store")
	}
	return s
}

// Fresh returns a bench with another, empty store.
func (b *Bench) Fresh() *Bench {
	b.Helper()
	other := *b
	other.Dir, other.Seen = b.TempDir(), NewScope()
	other.Open()
	return &other
}

// Reopen closes the store and opens it again.
func (b *Bench) Reopen() {
	b.Helper()
	b.Must("Close", b.Store.Close())
	b.Store = b.Traced("", b.Opened("Reopen", b.Engine.Assistant("Reopen"), b.H.Reopen))
	b.Share()
}

// Together calls fn n times at once, and ends the case with the first error.
func (b *Bench) Together(n int, fn func(i int) error) {
	b.Helper()
	b.Alongside(n, fn, func(<-chan struct{}) {})
}

// Alongside calls fn n times at once, as Together does. Meanwhile it calls another
// function, with a channel that is closed when all of them have returned.
func (b *Bench) Alongside(n int, fn func(i int) error, meanwhile func(done <-chan struct{})) {
	b.Helper()
	var all sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, n)
	for i := range n {
		all.Go(func() {
			defer func() {
				if problem := recover(); problem != nil {
					errs[i] = fmt.Errorf("the store, or what was done with its answer, panicked: %v\n%s", problem, debug.Stack())
				}
			}()
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	meanwhile(done)
	<-done
	for _, err := range errs {
		if err != nil {
			b.Failf("%v", err)
		}
	}
}

// Backwards returns identifiers, each smaller than the one before.
func (b *Bench) Backwards(n int) []ident.ID {
	ids := make([]ident.ID, n)
	for i := range ids {
		ids[n-1-i] = b.ID()
	}
	return ids
}
