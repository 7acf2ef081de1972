package simulate

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// saboteur is a fault that the simulator has to find, and by which rule. Most stand
// between the tracker and the store, and do what a tracker with that fault would do.
type saboteur struct {
	name    string
	rules   []Rule
	options Options
}

// within is how many seeds a saboteur has to be found in.
const within = 1000

// hooks are what a saboteur does otherwise than the store behind it. Those that are
// nil, it does likewise.
type hooks struct {
	commit   func(ctx context.Context, next store.Store, change store.Change) (store.Receipt, error)
	outcome  func(ctx context.Context, next store.Store, batch ident.ID, at time.Time) (store.Receipt, bool, error)
	confirm  func(ctx context.Context, next store.Store) error
	versions func(ctx context.Context, next store.Store) (store.Versions, error)
	view     func(ctx context.Context, next store.Store, fn func(store.Reader) error) error
}

type hooked struct {
	store.Store
	hooks
}

func (h hooked) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	if h.commit == nil {
		return h.Store.Commit(ctx, change)
	}
	return h.commit(ctx, h.Store, change)
}

func (h hooked) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if h.outcome == nil {
		return h.Store.Outcome(ctx, batch, at)
	}
	return h.outcome(ctx, h.Store, batch, at)
}

func (h hooked) Confirm(ctx context.Context, shown store.History) error {
	if h.confirm == nil {
		return h.Store.Confirm(ctx, shown)
	}
	return h.confirm(ctx, h.Store)
}

func (h hooked) Versions(ctx context.Context) (store.Versions, error) {
	if h.versions == nil {
		return h.Store.Versions(ctx)
	}
	return h.versions(ctx, h.Store)
}

func (h hooked) View(ctx context.Context, fn func(store.Reader) error) error {
	if h.view == nil {
		return h.Store.View(ctx, fn)
	}
	return h.view(ctx, h.Store, fn)
}

func with(h hooks) Options {
	return Options{Wrap: func(s store.Store) store.Store { return hooked{s, h} }}
}

// without returns a saboteur that forgets an expectation.
func without[E store.Expectation]() Options {
	return changing(func(change *store.Change) {
		change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { _, ok := e.(E); return ok })
	})
}

// dropping returns a saboteur that forgets the effects for which drop holds.
func dropping(drop func(store.Effect) bool) Options {
	return changing(func(change *store.Change) { change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), drop) })
}

func changing(how func(*store.Change)) Options {
	return with(hooks{commit: func(ctx context.Context, next store.Store, change store.Change) (store.Receipt, error) {
		how(&change)
		return next.Commit(ctx, change)
	}})
}

// mistaking returns a saboteur that takes one kind of fault for something else.
func mistaking(kind fault.Kind, as error) Options {
	return with(hooks{commit: func(ctx context.Context, next store.Store, change store.Change) (store.Receipt, error) {
		receipt, err := next.Commit(ctx, change)
		if fault.Is(err, kind) {
			return store.Receipt{Batch: change.Batch, Position: 1}, as
		}
		return receipt, err
	}})
}

func saboteurs() []saboteur {
	return []saboteur{
		{"what an answer without a write rests on is not confirmed", []Rule{Lost, WrongRefusal, Resurrected}, with(hooks{
			confirm: func(context.Context, store.Store) error { return nil },
		})},
		{"a fail-over is forgotten by what confirms", []Rule{Lost, Resurrected}, Options{Forgetful: true, Survive: true}},
		{"the store confirms before the standby has it", []Rule{Lost, Resurrected, WrongRefusal}, Options{Hasty: true}},
		{"an unknown outcome is taken for success", []Rule{Lost}, mistaking(fault.UnknownOutcome, nil)},
		{"an unknown outcome is taken for none", []Rule{Resurrected}, mistaking(fault.UnknownOutcome, fault.New(fault.Unavailable, "nothing was done"))},
		{"a conflict is taken for success", []Rule{Lost}, mistaking(fault.Conflict, nil)},
		{"an unknown outcome is looked up, and not ruled out", []Rule{Duplicate}, with(hooks{outcome: looked})},
		{"an unknown outcome counts as not stored", []Rule{Duplicate}, with(hooks{
			outcome: func(context.Context, store.Store, ident.ID, time.Time) (store.Receipt, bool, error) {
				return store.Receipt{}, false, nil
			},
		})},
		{"an unknown outcome counts as stored", []Rule{Lost}, with(hooks{
			outcome: func(_ context.Context, _ store.Store, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
				return store.Receipt{Batch: batch, Position: 1}, true, nil
			},
		})},
		{"after an unknown outcome, the Change is committed as another batch", []Rule{Duplicate, Defect}, with(hooks{commit: again})},
		{"nothing tells that a problem was changed", []Rule{Disorder, LostUpdate}, without[store.ProblemAt]()},
		{"nothing tells that a problem beside was changed", []Rule{Cycle}, changing(beside)},
		{"nothing tells that a key was used", []Rule{Duplicate}, without[store.KeyUnused]()},
		{"nothing tells that the catalogue was changed", []Rule{NameTwice}, without[store.CatalogueAt]()},
		{"the versions of caches stand still", []Rule{TokenLives}, Options{Wrap: still}},
		{"replies are not kept", []Rule{Duplicate}, dropping(func(e store.Effect) bool { _, ok := e.(store.KeepReply); return ok })},
		{"a relationship is put on one side", []Rule{OneSided}, dropping(func(e store.Effect) bool {
			put, ok := e.(store.PutRelationship)
			return ok && put.Relationship.Owner > put.Relationship.Other
		})},
		{"a relationship is dropped on one side", []Rule{OneSided}, dropping(func(e store.Effect) bool {
			drop, ok := e.(store.DropRelationship)
			return ok && drop.Owner > drop.Other
		})},
		{"a change of several problems is half done", []Rule{Torn, Disorder, Lost}, changing(half)},
		{"a log entry is left out", []Rule{Disorder}, changing(func(change *store.Change) {
			if n := len(change.Log); n > 0 && change.Log[n-1].From != "" {
				change.Log = change.Log[:n-1]
			}
		})},
		{"a View shows what the one before has shown", []Rule{ReadBack}, Options{Wrap: behind}},
	}
}

// looked asks whether the batch is stored by committing what does nothing, and rules
// nothing out.
func looked(ctx context.Context, next store.Store, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
	if actorOf(ctx).unsettled {
		return store.Receipt{}, false, fault.New(fault.Unavailable, "the connection broke")
	}
	cluster := next.(*link).cluster
	cluster.mu.Lock()
	defer cluster.mu.Unlock()
	stored := slices.ContainsFunc(cluster.log, func(e entry) bool { return e.change.Batch == batch })
	return store.Receipt{Batch: batch, Position: 1}, stored, nil
}

// again commits a Change a second time, as a batch of its own.
func again(ctx context.Context, next store.Store, change store.Change) (store.Receipt, error) {
	receipt, err := next.Commit(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		change.Batch[15]++
		return next.Commit(ctx, change)
	}
	return receipt, err
}

// still returns a store whose versions are those of its first answer.
func still(next store.Store) store.Store {
	var mu sync.Mutex
	var first *store.Versions
	return hooked{next, hooks{versions: func(ctx context.Context, next store.Store) (store.Versions, error) {
		versions, err := next.Versions(ctx)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && first == nil {
			first = &versions
		}
		if err != nil {
			return versions, err
		}
		return *first, nil
	}}}
}

// half leaves out the last UpdateProblem of several.
func half(change *store.Change) {
	updates := 0
	for i, e := range change.Effects {
		if _, ok := e.(store.UpdateProblem); !ok {
			continue
		}
		if updates++; updates == 2 {
			change.Effects = slices.Delete(slices.Clone(change.Effects), i, i+1)
			return
		}
	}
}

// beside forgets the expectations of problems that the Change does not write.
func beside(change *store.Change) {
	written := map[problem.ID]bool{}
	for _, e := range change.Effects {
		if update, ok := e.(store.UpdateProblem); ok {
			written[update.Problem.ID] = true
		}
	}
	change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool {
		at, ok := e.(store.ProblemAt)
		return ok && !written[at.ID]
	})
}

// behind returns a store whose Views show the moment of the View before.
func behind(next store.Store) store.Store {
	var mu sync.Mutex
	var before store.Reader
	return hooked{next, hooks{view: func(ctx context.Context, next store.Store, fn func(store.Reader) error) error {
		return next.View(ctx, func(r store.Reader) error {
			mu.Lock()
			shown := before
			before = r
			mu.Unlock()
			if shown == nil {
				shown = r
			}
			return fn(shown)
		})
	}}}
}

// Every saboteur is found, and by the rule that it breaks.
func TestSaboteurs(t *testing.T) {
	t.Parallel()
	for _, s := range saboteurs() {
		t.Run(s.name, func(t *testing.T) {
			if s.options.Survive && !*surviveFlag {
				t.Skip("servers do not live on: see -simulate.survive")
			}
			found, broken, _ := search(t, 1, within, s.options, func(v Violation) bool { return slices.Contains(s.rules, v.Rule) })
			if found == 0 {
				t.Fatalf("not found by %d seeds", within)
			}
			t.Logf("found by seed %d: %v", found, broken)
		})
	}
}
