package model

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Model is a store.Store in its plainest form: maps and lists, copied for every Change.
// Random Changes compare stores with it.
type Model struct {
	*Kept
	inside sync.WaitGroup
	Closed bool
}

// Kept is the data shared by several models.
type Kept struct {
	Mu       sync.Mutex
	Now      *World // never changed, but replaced
	Reserved problem.ID
	Batches  map[ident.ID]Settled
}

var _ store.Store = (*Model)(nil)

// NewModel returns a model without content.
func NewModel() *Model {
	k := &Kept{Now: NewWorld(), Batches: make(map[ident.ID]Settled)}
	k.Now.Of = k
	return &Model{Kept: k}
}

// Peer returns another model with the same data.
func (m *Model) Peer() *Model { return &Model{Kept: m.Kept} }

// Settled is a batch, committed or ruled out.
type Settled struct {
	At      time.Time
	Receipt store.Receipt
	Stored  bool
}

// Call begins a call: leave ends it.
func (m *Model) Call(ctx context.Context) (leave func(), err error) {
	if err := Over(ctx); err != nil {
		return nil, err
	}
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if m.Closed {
		return nil, fault.New(fault.Closed, "the model is closed")
	}
	m.inside.Add(1)
	return m.inside.Done, nil
}

// Over fails with fault.Unavailable when the context is over.
func Over(ctx context.Context) error {
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, ctx.Err(), "the context is over")
	}
	return nil
}

// View implements store.Store, as do the methods below. fn reads the World of this moment: a
// Change replaces it.
func (m *Model) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := m.Call(ctx)
	if err != nil {
		return err
	}
	defer leave()
	m.Mu.Lock()
	now := m.Now
	m.Mu.Unlock()
	return fn(now)
}

// Reserve returns the next number. It leaves no gaps, as a store may.
func (m *Model) Reserve(ctx context.Context) (problem.ID, error) {
	leave, err := m.Call(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.Reserved++
	return m.Reserved, nil
}

// Commit applies all of the Change, or nothing. A known batch gets its earlier Receipt, or
// fault.Abandoned when it was ruled out.
func (m *Model) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	leave, err := m.Call(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	defer leave()
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if known, ok := m.Batches[change.Batch]; ok {
		if !known.Stored {
			return store.Receipt{}, fault.New(fault.Abandoned, "the batch was ruled out")
		}
		return known.Receipt, nil
	}
	for _, e := range change.Expect {
		if err := m.Now.Expect(e); err != nil {
			return store.Receipt{}, err
		}
	}
	next := m.Now.Clone()
	if err := next.Run(change); err != nil {
		return store.Receipt{}, err
	}
	next.Position++
	next.Enter(change)
	m.Now = next
	for id := range next.AllProblems {
		m.Reserved = max(m.Reserved, id)
	}
	for _, effect := range change.Effects {
		if e, ok := effect.(store.Expire); ok {
			maps.DeleteFunc(m.Batches, func(_ ident.ID, s Settled) bool { return s.At.Before(e.Before) })
		}
	}
	receipt := store.Receipt{Batch: change.Batch, Position: next.Position}
	m.Batches[change.Batch] = Settled{At: change.At, Receipt: receipt, Stored: true}
	return receipt, nil
}

// Outcome rules out an unknown batch.
func (m *Model) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	leave, err := m.Call(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	defer leave()
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if _, ok := m.Batches[batch]; !ok {
		m.Batches[batch] = Settled{At: at}
	}
	known := m.Batches[batch]
	return known.Receipt, known.Stored, nil
}

// Confirm confirms any history, since the model takes nothing back.
func (m *Model) Confirm(ctx context.Context, _ store.History) error {
	leave, err := m.Call(ctx)
	if err != nil {
		return err
	}
	leave()
	return nil
}

// Versions asks the World of this moment.
func (m *Model) Versions(ctx context.Context) (v store.Versions, err error) {
	err = m.View(ctx, func(r store.Reader) error {
		v, err = r.Versions(ctx)
		return err
	})
	return v, err
}

// Restore fails with fault.Conflict unless the model is empty. Stored answers and leases stay.
func (m *Model) Restore(ctx context.Context, archive store.Archive) error {
	leave, err := m.Call(ctx)
	if err != nil {
		return err
	}
	defer leave()
	filled := NewWorld()
	for dossier, err := range archive.Problems {
		if err != nil {
			return err
		}
		filled.Restore(dossier, archive.BatchOf(dossier))
	}
	if err := filled.Run(store.Change{Batch: archive.Batch, Effects: bench.PutAll(archive.Metadata)}); err != nil {
		return err
	}
	if archive.Catalogue > 0 {
		filled.Counters.Catalogue = ident.Version{Number: archive.Catalogue, Batch: archive.Batch}
	}
	for _, t := range archive.Tokens {
		filled.AllTokens = append(filled.AllTokens, t)
		filled.Counters.Access = ident.Version{Number: 1, Batch: archive.Batch}
	}
	filled.AllWebhooks, filled.Leases = bench.CloneWebhooks(archive.Webhooks), m.Now.Leases
	filled.Queries, filled.AuditLog = slices.Clone(archive.Queries), slices.Clone(archive.Audit)
	if archive.Feed != nil {
		for entry, err := range archive.Feed {
			if err != nil {
				return err
			}
			filled.Events = append(filled.Events, CloneEntry(entry))
		}
	}
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := Over(ctx); err != nil {
		return err
	}
	if err := m.Now.Expect(store.StoreEmpty{}); err != nil {
		return err
	}
	filled.Of, filled.Position, filled.Replies = m.Kept, m.Now.Position, m.Now.Replies
	m.Now = filled
	for id := range filled.AllProblems {
		m.Reserved = max(m.Reserved, id)
	}
	return nil
}

func (m *Model) Close() error {
	m.Mu.Lock()
	m.Closed = true
	m.Mu.Unlock()
	m.inside.Wait()
	return nil
}
