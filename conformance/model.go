package conformance

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// model is a store.Store in its plainest form: maps and lists, all of which are
// copied for every Change. Stores are compared with it under random Changes.
type model struct {
	*kept
	inside sync.WaitGroup
	closed bool
}

// kept is what models that share their data share.
type kept struct {
	mu       sync.Mutex
	now      *world // never changed, but replaced
	reserved problem.ID
	batches  map[ident.ID]settled
}

var _ store.Store = (*model)(nil)

func newModel() *model {
	k := &kept{now: newWorld(), batches: make(map[ident.ID]settled)}
	k.now.of = k
	return &model{kept: k}
}

// peer returns another model with the same data.
func (m *model) peer() *model { return &model{kept: m.kept} }

// settled is a batch that was committed or ruled out.
type settled struct {
	at      time.Time
	receipt store.Receipt
	stored  bool
}

// call begins a call: leave ends it.
func (m *model) call(ctx context.Context) (leave func(), err error) {
	if err := over(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fault.New(fault.Closed, "the model is closed")
	}
	m.inside.Add(1)
	return m.inside.Done, nil
}

func over(ctx context.Context) error {
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, ctx.Err(), "the context is over")
	}
	return nil
}

func (m *model) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := m.call(ctx)
	if err != nil {
		return err
	}
	defer leave()
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	return fn(now)
}

func (m *model) Reserve(ctx context.Context) (problem.ID, error) {
	leave, err := m.call(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved++
	return m.reserved, nil
}

func (m *model) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	leave, err := m.call(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	defer leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.batches[change.Batch]; ok {
		if !known.stored {
			return store.Receipt{}, fault.New(fault.Abandoned, "the batch was ruled out")
		}
		return known.receipt, nil
	}
	for _, e := range change.Expect {
		if err := m.now.expect(e); err != nil {
			return store.Receipt{}, err
		}
	}
	next := m.now.clone()
	if err := next.run(change); err != nil {
		return store.Receipt{}, err
	}
	next.position++
	m.now = next
	for id := range next.problems {
		m.reserved = max(m.reserved, id)
	}
	for _, effect := range change.Effects {
		if e, ok := effect.(store.Expire); ok {
			maps.DeleteFunc(m.batches, func(_ ident.ID, s settled) bool { return s.at.Before(e.Before) })
		}
	}
	receipt := store.Receipt{Batch: change.Batch, Position: next.position}
	m.batches[change.Batch] = settled{at: change.At, receipt: receipt, stored: true}
	return receipt, nil
}

func (m *model) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	leave, err := m.call(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	defer leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.batches[batch]; !ok {
		m.batches[batch] = settled{at: at}
	}
	known := m.batches[batch]
	return known.receipt, known.stored, nil
}

func (m *model) Confirm(ctx context.Context, _ store.History) error {
	leave, err := m.call(ctx)
	if err != nil {
		return err
	}
	leave()
	return nil
}

func (m *model) Versions(ctx context.Context) (v store.Versions, err error) {
	err = m.View(ctx, func(r store.Reader) error {
		v, err = r.Versions(ctx)
		return err
	})
	return v, err
}

func (m *model) Restore(ctx context.Context, archive store.Archive) error {
	leave, err := m.call(ctx)
	if err != nil {
		return err
	}
	defer leave()
	filled := newWorld()
	for dossier, err := range archive.Problems {
		if err != nil {
			return err
		}
		filled.restore(dossier, archive.BatchOf(dossier))
	}
	if err := filled.run(store.Change{Batch: archive.Batch, Effects: putAll(archive.Metadata)}); err != nil {
		return err
	}
	if archive.Catalogue > 0 {
		filled.versions.Catalogue = ident.Version{Number: archive.Catalogue, Batch: archive.Batch}
	}
	for _, t := range archive.Tokens {
		filled.tokens = append(filled.tokens, t)
		filled.versions.Access = ident.Version{Number: 1, Batch: archive.Batch}
	}
	filled.queries, filled.audit = slices.Clone(archive.Queries), slices.Clone(archive.Audit)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := over(ctx); err != nil {
		return err
	}
	if err := m.now.expect(store.StoreEmpty{}); err != nil {
		return err
	}
	filled.of, filled.position, filled.replies = m.kept, m.now.position, m.now.replies
	filled.epochs = stamped(m.now.epochs, archive.Batch)
	m.now = filled
	for id := range filled.problems {
		m.reserved = max(m.reserved, id)
	}
	return nil
}

// stamped returns the epochs of all directed families with the batch of an Archive.
func stamped(epochs map[store.FamilyName]ident.Version, batch ident.ID) map[store.FamilyName]ident.Version {
	all := make(map[store.FamilyName]ident.Version)
	maps.Copy(all, epochs)
	for _, f := range relationship.Families() {
		if f.Directed() {
			all[f.Forward] = ident.Version{Number: epochs[f.Forward].Number, Batch: batch}
		}
	}
	return all
}

func (m *model) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.inside.Wait()
	return nil
}
