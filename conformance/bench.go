package conformance

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// bench is what a case works with: a store that was empty when the case began,
// and the means to write to it, read from it and complain about it. Its methods
// end the case when the store does not do what they ask, so that they are not to
// be called from other goroutines than the case's own; those return errors.
type bench struct {
	T
	Env

	ctx    context.Context
	store  store.Store
	author ident.ID
	c      Case
	h      Harness
	// test is the test that calls Run; empty outside of tests.
	test   string
	seed   uint64
	long   bool // whether the case is to go on longer than it has to
	engine *engine.Run
	// pending are the calls of the stores that are under way.
	pending *pending
	seen    *scope // what the Changes so far have named
}

// freshEnv returns an environment with a new directory. Its clock and identifiers are
// the same in every run.
func freshEnv(t T) Env {
	start := time.Date(2026, time.March, 1, 9, 30, 0, 7e6, time.UTC)
	return newEnv(t.TempDir(), start, ident.NewSequence(start, [10]byte{9: 1}))
}

// newBench returns a bench whose store is yet to be opened.
func newBench(r *engine.Run, c Case, h Harness, test string, seed uint64) *bench {
	b := &bench{
		T: r, Env: freshEnv(r), ctx: r.Context(), c: c, h: h, test: test, seed: seed,
		engine: r, pending: new(pending), seen: newScope(),
	}
	b.author = b.ID()
	return b
}

// random returns the source of the case's random choices, which is the same for
// the same case and seed.
func (b *bench) random() *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(b.c.ID)) // never fails
	return rand.New(rand.NewPCG(b.seed, name.Sum64()))
}

// everything are all parts of a problem.
const everything = store.Keywords | store.Log | store.Comments | store.Relationships | store.Watchers | store.Savepoints

// failf ends the case.
func (b *bench) failf(format string, args ...any) {
	b.Helper()
	b.Fatalf(format, args...)
}

// equal ends the case unless what the store showed is what was expected.
func (b *bench) equal(what string, want, got any) {
	b.Helper()
	if d := difference(want, got); d != "" {
		b.failf("%s differs: %s", what, d)
	}
}

// fails ends the case unless err is a fault of the given kind.
func (b *bench) fails(what string, kind fault.Kind, err error) {
	b.Helper()
	if err := failure(what, kind, err); err != nil {
		b.failf("%v", err)
	}
}

// failure returns nil if err is a fault of the given kind. A bare context error
// is none: KindOf would be too kind here.
func failure(what string, kind fault.Kind, err error) error {
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

// must ends the case when there is an error.
func (b *bench) must(what string, err error) {
	b.Helper()
	if err != nil {
		b.failf("%s failed: %v", what, err)
	}
}

// change returns a Change of its own batch and time with the given effects.
func (b *bench) change(effects ...store.Effect) store.Change {
	return store.Change{Batch: b.ID(), At: b.Now(), Author: b.author, Effects: effects}
}

// commit commits a change that the store has no reason to refuse.
func (b *bench) commit(change store.Change) store.Receipt {
	b.Helper()
	b.seen.add(change)
	receipt, err := b.store.Commit(b.ctx, change)
	b.must("Commit", err)
	if receipt.Batch != change.Batch {
		b.failf("the receipt names the batch %s where %s was committed", receipt.Batch, change.Batch)
	}
	return receipt
}

// do commits a change of the given effects.
func (b *bench) do(effects ...store.Effect) store.Receipt {
	b.Helper()
	return b.commit(b.change(effects...))
}

// refuse commits a change that the store has to refuse with the given kind, and
// looks whether anything of it is stored.
func (b *bench) refuse(what string, kind fault.Kind, change store.Change) {
	b.Helper()
	b.seen.add(change)
	before := b.image()
	_, err := b.store.Commit(b.ctx, change)
	b.fails("the Commit of "+what, kind, err)
	b.equal("what is stored after "+what+" was refused", before, b.image())
}

// reserve returns a number for a new problem.
func (b *bench) reserve() problem.ID {
	b.Helper()
	id, err := b.store.Reserve(b.ctx)
	b.must("Reserve", err)
	return id
}

// problem returns a problem that is yet to be stored, with all fields set.
func (b *bench) problem(id problem.ID) problem.Problem {
	return problem.Problem{
		ID: id,
		Fields: problem.Fields{
			Title: fmt.Sprintf("Problem %d", id), State: b.ID(), Priority: b.ID(), Classification: b.ID(),
			Component: b.ID(), Milestone: b.ID(), Assignee: b.ID(),
		},
		Originator: b.ID(), Created: b.Now(),
		Modifier: b.ID(), Modified: b.Now(),
		Resolver: b.ID(), Resolved: b.Now(),
		Revision: 1,
	}
}

// create stores a problem.
func (b *bench) create() problem.Problem {
	b.Helper()
	p := b.problem(b.reserve())
	b.do(store.CreateProblem{Problem: p})
	return p
}

// entry returns a log entry that is yet to be stored, with all fields set.
func (b *bench) entry(id problem.ID) problem.LogEntry {
	return problem.LogEntry{
		ID: b.ID(), Problem: id, Type: problem.FieldChanged, Created: b.Now(), Author: b.author, Batch: b.ID(),
		Field: "title", From: problem.LogText("before"), To: problem.LogText("after"), Revision: 1,
	}
}

// comment returns a comment that is yet to be stored, with all fields set.
func (b *bench) comment(text string) problem.Comment {
	return problem.Comment{ID: b.ID(), Author: b.author, Created: b.Now(), Text: text, HTML: problem.Text("<p>" + text + "</p>")}
}

// pair returns the effects that store both sides of a relationship.
func (b *bench) pair(owner problem.ID, t relationship.Type, other problem.ID) []store.Effect {
	side := relationship.Relationship{Owner: owner, Type: t, Other: other, Created: b.Now(), Author: b.author}
	return []store.Effect{store.PutRelationship{Relationship: side}, store.PutRelationship{Relationship: side.Mirror()}}
}

// view looks at the store, which has no reason to refuse.
func (b *bench) view(fn func(store.Reader) error) {
	b.Helper()
	b.must("View", b.store.View(b.ctx, fn))
}

// load reads a problem with the given parts, as nobody in particular.
func (b *bench) load(id problem.ID, parts store.Parts) store.Snapshot {
	b.Helper()
	return b.loadAs(id, ident.None, parts)
}

// loadAs reads a problem as a user.
func (b *bench) loadAs(id problem.ID, as ident.ID, parts store.Parts) (s store.Snapshot) {
	b.Helper()
	b.view(func(r store.Reader) (err error) {
		s, err = r.Problem(b.ctx, id, as, parts)
		return err
	})
	return s
}

// image reads everything that the Changes so far have named.
func (b *bench) image() (seen image) {
	b.Helper()
	b.view(func(r store.Reader) (err error) {
		seen, err = read(b.ctx, r, b.seen)
		return err
	})
	return seen
}

// versions asks the store for its versions.
func (b *bench) versions() store.Versions {
	b.Helper()
	v, err := b.store.Versions(b.ctx)
	b.must("Versions", err)
	return v
}

// counting returns versions of the given numbers, whose batches are not known.
func counting(catalogue, access int64) store.Versions {
	return store.Versions{Catalogue: ident.Version{Number: catalogue}, Access: ident.Version{Number: access}}
}

// counts returns versions without their batches.
func counts(v store.Versions) store.Versions { return counting(v.Catalogue.Number, v.Access.Number) }

// at returns the expectation that the problem is as it is now.
func (b *bench) at(id problem.ID) store.ProblemAt {
	b.Helper()
	s := b.load(id, 0)
	return store.ProblemAt{ID: id, Revision: s.Revision, Batch: s.Batch}
}

// epoch returns the epoch of a family.
func (b *bench) epoch(family store.FamilyName) (epoch ident.Version, err error) {
	err = b.store.View(b.ctx, func(r store.Reader) (err error) {
		epoch, err = r.Epoch(b.ctx, family)
		return err
	})
	return epoch, err
}

// open opens the store, which is closed after the case.
func (b *bench) open() {
	b.Helper()
	b.store = b.traced("", b.opened("Open", b.engine.Harness(), b.h.Open))
	b.Cleanup(func() {
		if err := b.store.Close(); err != nil {
			b.Errorf("after the case, Close failed: %v", err)
		}
	})
	b.share()
}

// opened returns the store that a function of the harness opens.
func (b *bench) opened(name string, t T, open func(T, Env) store.Store) store.Store {
	defer b.pending.begin(name)()
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

// fresh returns a bench with another store, which is empty.
func (b *bench) fresh() *bench {
	b.Helper()
	other := *b
	other.Dir, other.seen = b.TempDir(), newScope()
	other.open()
	return &other
}

// reopen closes the store and opens it again.
func (b *bench) reopen() {
	b.Helper()
	b.must("Close", b.store.Close())
	b.store = b.traced("", b.opened("Reopen", b.engine.Assistant("Reopen"), b.h.Reopen))
	b.share()
}

// together calls fn n times at once, and ends the case with the first error.
func (b *bench) together(n int, fn func(i int) error) {
	b.Helper()
	b.alongside(n, fn, func(<-chan struct{}) {})
}

// alongside calls fn n times at once, as together does. Meanwhile the case does
// something else, and is told by a channel when all of them have returned.
func (b *bench) alongside(n int, fn func(i int) error, meanwhile func(done <-chan struct{})) {
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
			b.failf("%v", err)
		}
	}
}

// backwards returns identifiers of which each is smaller than the one before.
func (b *bench) backwards(n int) []ident.ID {
	ids := make([]ident.ID, n)
	for i := range ids {
		ids[n-1-i] = b.ID()
	}
	return ids
}
