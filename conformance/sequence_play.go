package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// player does the same to the store of a bench and to the model.
type player struct {
	*bench
	*past
	receipts map[ident.ID]store.Receipt // the store's, by batch
	position int64                      // the highest so far
	reserved problem.ID                 // the last since the store was opened
}

// mishap is a step that a store did not take as the model did.
type mishap struct {
	step int // its index
	// about is what the store did wrong, in the words of which there are
	// only a few: it tells apart defects.
	about string
	text  string
}

// Between two comparisons of everything in every way that it can be read there
// are so many steps. After each of the others everything is read in one way.
const wholeEvery = 8

// play does the steps to the store, which is empty, and to a model, and compares
// them after each. It calls at with the index of each step before. It returns
// nil when they agreed to the end.
func play(b *bench, q sequence, at func(int)) *mishap {
	p := &player{bench: b, past: newPast(), receipts: make(map[ident.ID]store.Receipt)}
	for i, s := range q {
		at(i)
		if err := s.try(p, s.happen(p.past)); err != nil {
			return &mishap{i, fmt.Sprintf("the answer to %T", s), err.Error()}
		}
		if err := p.compare(i, i == len(q)-1 || i%wholeEvery == wholeEvery-1); err != nil {
			return &mishap{i, "what is stored", err.Error()}
		}
	}
	return nil
}

func (s commits) try(p *player, want due) error {
	receipt, err := p.store.Commit(p.ctx, s.change)
	if want.err != nil {
		return failure("the Commit", fault.KindOf(want.err), err)
	}
	if err != nil {
		return fmt.Errorf("the Commit failed: %w", err)
	}
	return p.received("the Commit", s.change.Batch, receipt, want)
}

func (s repeats) try(p *player, want due) error { return commits{p.sent[s.batch]}.try(p, want) }

// received looks at a Receipt.
func (p *player) received(what string, batch ident.ID, receipt store.Receipt, want due) error {
	switch {
	case receipt.Batch != batch:
		return fmt.Errorf("%s returned the Receipt of batch %s", what, short(receipt.Batch))
	case want.known && receipt != p.receipts[batch]:
		return fmt.Errorf("%s returned the position %d where the first Commit of the batch had returned %d", what, receipt.Position, p.receipts[batch].Position)
	case !want.known && receipt.Position <= p.position:
		return fmt.Errorf("%s returned the position %d, which has to be greater than %d", what, receipt.Position, p.position)
	}
	p.receipts[batch], p.position = receipt, max(p.position, receipt.Position)
	return nil
}

func (s asks) try(p *player, want due) error {
	receipt, stored, err := p.store.Outcome(p.ctx, s.batch, s.at)
	switch {
	case err != nil:
		return fmt.Errorf("Outcome failed: %w", err)
	case stored != want.stored:
		return fmt.Errorf("Outcome returned %t where %t was expected", stored, want.stored)
	case !stored:
		return nil
	}
	return p.received("Outcome", s.batch, receipt, want)
}

func (reserves) try(p *player, _ due) error {
	id, err := p.store.Reserve(p.ctx)
	if err != nil {
		return fmt.Errorf("Reserve failed: %w", err)
	}
	for _, other := range slices.Sorted(maps.Keys(p.model.now.problems)) {
		if id <= other {
			return fmt.Errorf("Reserve returned %d where problem %d was there", id, other)
		}
	}
	if id <= p.reserved {
		return fmt.Errorf("Reserve returned %d after %d", id, p.reserved)
	}
	p.reserved = id
	return nil
}

func (reopens) try(p *player, _ due) error {
	p.reopen()
	p.reserved = 0
	return nil
}

func (s restores) try(p *player, want due) error {
	err := p.store.Restore(p.ctx, s.holdings.archive())
	if want.err != nil {
		return failure("Restore", fault.KindOf(want.err), err)
	}
	if err != nil {
		return fmt.Errorf("Restore failed: %w", err)
	}
	return nil
}

// compare returns an error unless both show the same. With whole, everything is
// read in every way that it can be.
func (p *player) compare(turn int, whole bool) error {
	want, err := p.look(p.model, turn, whole)
	if err != nil {
		return fmt.Errorf("reading the model: %w", err)
	}
	got, err := p.look(p.store, turn, whole)
	if err != nil {
		return fmt.Errorf("what is stored could not be read: %w", err)
	}
	if d := difference(want, got); d != "" {
		return fmt.Errorf("what is stored differs: %s", d)
	}
	v, err := p.store.Versions(p.ctx)
	if err != nil {
		return fmt.Errorf("Versions failed: %w", err)
	}
	if d := difference(want.Held.Versions, v); d != "" {
		return fmt.Errorf("what Versions returns differs: %s", d)
	}
	return nil
}

// sight is what a store shows after a step.
type sight struct {
	Whole image // in every way, or empty

	// Everything, in one way.
	Dossiers map[problem.ID]store.Dossier
	Held     holdings // but the dossiers
	Epochs   map[store.FamilyName]ident.Version
	Oldest   time.Time // zero when there is none

	// What changes with each step: a little, in the other ways.
	Snapshot store.Snapshot // zero when there is none
	Sides    []relationship.Relationship
	Reply    store.Reply // zero when there is none
	Several  []store.Snapshot
	Hits     []store.Hit
	Page     []audit.Entry
	Saved    query.Saved   // zero when there is none
	Owned    []query.Saved // by its owner
}

// look reads a sight in one View.
func (p *player) look(s store.Store, turn int, whole bool) (seen sight, err error) {
	err = s.View(p.ctx, func(r store.Reader) (err error) {
		if seen, err = glance(p.ctx, r); err == nil {
			err = seen.turnTo(p.ctx, r, p.scope, turn)
		}
		if err == nil && whole {
			seen.Whole, err = read(p.ctx, r, p.scope)
		}
		return err
	})
	return seen, err
}

// glance reads everything in one way.
func glance(ctx context.Context, r store.Reader) (seen sight, err error) {
	if seen.Held, err = hold(ctx, r); err != nil {
		return seen, err
	}
	seen.Dossiers = make(map[problem.ID]store.Dossier)
	for _, d := range seen.Held.Dossiers {
		seen.Dossiers[d.ID] = d
	}
	seen.Held.Dossiers = nil
	seen.Epochs = make(map[store.FamilyName]ident.Version)
	for _, family := range relationship.Families() {
		if !family.Directed() {
			continue
		}
		if seen.Epochs[family.Forward], err = r.Epoch(ctx, family.Forward); err != nil {
			return seen, fmt.Errorf("Epoch: %w", err)
		}
	}
	oldest, ok, err := r.Oldest(ctx)
	if err != nil {
		return seen, fmt.Errorf("Oldest: %w", err)
	}
	if ok {
		seen.Oldest = oldest
	}
	return seen, nil
}
