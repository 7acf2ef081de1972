package sequence

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// player does the same to the store of a bench and to the model.
type player struct {
	*bench.Bench
	*past
	receipts map[ident.ID]store.Receipt // the store's, by batch
	position int64                      // the highest so far
	reserved problem.ID                 // the last since the store was opened
}

// Mishap is a step with different results of a store and the model.
type Mishap struct {
	Step int // its index
	// about is the kind of the fault, in one of a few phrases. It tells apart defects.
	about string
	text  string
}

// The number of steps between two comparisons of everything in every way of reading.
// After each of the others everything is read in one way.
const wholeEvery = 8

// Play does the steps to the empty store and to a model, and compares them after each.
// Before each step it calls at with its index. It returns nil if they agree to the end.
func Play(b *bench.Bench, q Sequence, at func(int)) *Mishap {
	p := &player{Bench: b, past: NewPast(), receipts: make(map[ident.ID]store.Receipt)}
	for i, s := range q {
		at(i)
		if err := s.try(p, s.Happen(p.past)); err != nil {
			return &Mishap{i, fmt.Sprintf("the answer to %T", s), err.Error()}
		}
		if err := p.Compare(i, i == len(q)-1 || i%wholeEvery == wholeEvery-1); err != nil {
			return &Mishap{i, "what is stored", err.Error()}
		}
	}
	return nil
}

func (s Commits) try(p *player, want Due) error {
	receipt, err := p.Store.Commit(p.Ctx, s.Change)
	if want.Err != nil {
		return bench.Failure("the Commit", fault.KindOf(want.Err), err)
	}
	if err != nil {
		return fmt.Errorf("the Commit failed: %w", err)
	}
	return p.received("the Commit", s.Change.Batch, receipt, want)
}

func (s Repeats) try(p *player, want Due) error { return Commits{p.sent[s.Batch]}.try(p, want) }

// received looks at a Receipt.
func (p *player) received(what string, batch ident.ID, receipt store.Receipt, want Due) error {
	switch {
	case receipt.Batch != batch:
		return fmt.Errorf("%s returned the Receipt of batch %s", what, bench.Short(receipt.Batch))
	case want.Known && receipt != p.receipts[batch]:
		return fmt.Errorf("%s returned the position %d where the first Commit of the batch had returned %d", what, receipt.Position, p.receipts[batch].Position)
	case !want.Known && receipt.Position <= p.position:
		return fmt.Errorf("%s returned the position %d, which has to be greater than %d", what, receipt.Position, p.position)
	}
	p.receipts[batch], p.position = receipt, max(p.position, receipt.Position)
	return nil
}

func (s Asks) try(p *player, want Due) error {
	receipt, stored, err := p.Store.Outcome(p.Ctx, s.Batch, s.At)
	switch {
	case err != nil:
		return fmt.Errorf("Outcome failed: %w", err)
	case stored != want.Stored:
		return fmt.Errorf("Outcome returned %t where %t was expected", stored, want.Stored)
	case !stored:
		return nil
	}
	return p.received("Outcome", s.Batch, receipt, want)
}

func (Reserves) try(p *player, _ Due) error {
	id, err := p.Store.Reserve(p.Ctx)
	if err != nil {
		return fmt.Errorf("Reserve failed: %w", err)
	}
	for _, other := range slices.Sorted(maps.Keys(p.model.Now.AllProblems)) {
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

func (Reopens) try(p *player, _ Due) error {
	p.Reopen()
	p.reserved = 0
	return nil
}

func (s Restores) try(p *player, want Due) error {
	err := p.Store.Restore(p.Ctx, s.Holdings.Archive())
	if want.Err != nil {
		return bench.Failure("Restore", fault.KindOf(want.Err), err)
	}
	if err != nil {
		return fmt.Errorf("Restore failed: %w", err)
	}
	return nil
}

// Compare returns an error unless both show the same. With whole, everything is read in
// every possible way.
func (p *player) Compare(turn int, whole bool) error {
	want, err := p.look(p.model, turn, whole)
	if err != nil {
		return fmt.Errorf("reading the model: %w", err)
	}
	got, err := p.look(p.Store, turn, whole)
	if err != nil {
		return fmt.Errorf("what is stored could not be read: %w", err)
	}
	if d := bench.Difference(want, got); d != "" {
		return fmt.Errorf("what is stored differs: %s", d)
	}
	v, err := p.Store.Versions(p.Ctx)
	if err != nil {
		return fmt.Errorf("Versions failed: %w", err)
	}
	if d := bench.Difference(want.Held.Versions, v); d != "" {
		return fmt.Errorf("what Versions returns differs: %s", d)
	}
	// Only some turns read the feed: the others leave entries without readers behind.
	if turn%feedEvery != feedEvery-1 && !whole {
		return nil
	}
	return p.compareFeed(turn)
}

// feedEvery is the number of steps between two readings of the feed outside of Views.
const feedEvery = 3

// published is what a turn reads of the feed.
type published struct {
	Page, Whole    []event.Entry
	Oldest, Newest event.Entry
}

// compareFeed returns an error unless both have the same feed.
func (p *player) compareFeed(turn int) error {
	want, err := readFeed(p.Ctx, p.model, turn)
	if err != nil {
		return fmt.Errorf("reading the feed of the model: %w", err)
	}
	got, err := readFeed(p.Ctx, p.Store, turn)
	if err != nil {
		return fmt.Errorf("the feed could not be read: %w", err)
	}
	if d := bench.Difference(want, got); d != "" {
		return fmt.Errorf("the feed differs: %s", d)
	}
	return nil
}

// readFeed makes the reads of a turn in the feed.
func readFeed(ctx context.Context, s store.Store, turn int) (seen published, err error) {
	if seen.Page, err = s.Feed(ctx, int64(turn%11), 1+turn%4, int64(1+turn%5*1000)); err != nil {
		return seen, fmt.Errorf("Feed: %w", err)
	}
	if seen.Oldest, seen.Newest, err = s.FeedEnds(ctx); err != nil {
		return seen, fmt.Errorf("FeedEnds: %w", err)
	}
	if seen.Whole, err = s.Feed(ctx, 1, bench.MostEntries, math.MaxInt64); err != nil {
		return seen, fmt.Errorf("Feed: %w", err)
	}
	return seen, nil
}

// sight is the content of a store after a step.
type sight struct {
	Whole bench.Image // in every way, or empty

	// Everything, in one way.
	Dossiers map[problem.ID]store.Dossier
	Held     bench.Holdings // but the dossiers
	Oldest   time.Time      // zero when there is none

	// The varying part of each step: a little, in the other ways.
	Snapshot snapshot.Snapshot // zero when there is none
	Sides    []relationship.Relationship
	Reply    store.Reply // zero when there is none
	Several  []snapshot.Snapshot
	Hits     []store.Hit
	Page     []audit.Entry
	Saved    query.Saved // zero when there is none
	Browsers []access.Session
	Browser  access.Session   // one of them, by its digest
	OfUser   []access.Session // by its user
	Owned    []query.Saved    // by its owner
	Hooks    []webhook.Webhook
	Hook     webhook.Webhook // one of them, by its identifier
	Lease    lease.Lease     // zero when there is none
}

// look reads a sight in one View.
func (p *player) look(s store.Store, turn int, whole bool) (seen sight, err error) {
	err = s.View(p.Ctx, func(r store.Reader) (err error) {
		if seen, err = glance(p.Ctx, r); err == nil {
			err = seen.turnTo(p.Ctx, r, p.scope, turn)
		}
		if err == nil && whole {
			seen.Whole, err = bench.Read(p.Ctx, r, p.scope)
		}
		return err
	})
	return seen, err
}

// glance reads everything in one way.
func glance(ctx context.Context, r store.Reader) (seen sight, err error) {
	if seen.Held, err = bench.Hold(ctx, r); err != nil {
		return seen, err
	}
	seen.Dossiers = make(map[problem.ID]store.Dossier)
	for _, d := range seen.Held.Dossiers {
		seen.Dossiers[d.ID] = d
	}
	seen.Held.Dossiers = nil
	oldest, ok, err := r.Oldest(ctx)
	if err != nil {
		return seen, fmt.Errorf("Oldest: %w", err)
	}
	if ok {
		seen.Oldest = oldest
	}
	return seen, nil
}
