package search

import (
	"context"
	"errors"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Problems makes entries of problems, at the moment of a Reader and for one user. It
// loads parts of a problem, and related problems, when a predicate needs them, at most
// once. One goroutine at a time may use it.
type Problems struct {
	reader    store.Reader
	catalogue *metadata.Catalogue
	as        ident.ID
	// others are the related problems; the value is nil for a missing problem.
	others map[problem.ID]*problemEntry
	// objects caches entries of the catalogue.
	objects map[object]predicate.Entry
	// needs are those of the current plan.
	needs needs
	// large is the one large problem with loaded parts. held is its share of the request's
	// budget, in bytes.
	large *problemEntry
	held  int64
	// again is the size of all that was dropped for something else and is loaded again, in
	// bytes. mostAgain limits it, unless it is 0.
	again, mostAgain int64
}

// errAgain reports a condition that goes to and fro between problems beyond the limit.
var errAgain = errors.New("search: it loads large or very many problems again and again")

// repeat counts what is loaded again, before it is.
func (p *Problems) repeat(size int64) error {
	if p.again += size; p.mostAgain > 0 && p.again > p.mostAgain {
		return errAgain
	}
	return nil
}

// object names an object of the catalogue.
type object struct {
	kind predicate.Entity
	id   ident.ID
}

// object returns the entry of an object, or nil: see Metadata.
func (p *Problems) object(kind predicate.Entity, id ident.ID) predicate.Entry {
	if id.IsNone() {
		return nil
	}
	o := object{kind, id}
	e, known := p.objects[o]
	if !known {
		e = Metadata(p.catalogue, kind, id)
		p.objects[o] = e
	}
	return e
}

// maxOthers is the number of related problems in the cache, or loaded in advance for a
// batch. It is the default limit of relationships for one problem (D22).
const maxOthers = 1000

// NewProblems returns the Problems of a reader for a user, with the catalogue of the
// same moment.
func NewProblems(r store.Reader, c *metadata.Catalogue, as ident.ID) *Problems {
	return &Problems{reader: r, catalogue: c, as: as, others: map[problem.ID]*problemEntry{}, objects: map[object]predicate.Entry{}}
}

// entry returns the entry of a problem. A nil part of the snapshot counts as not loaded.
// entry ignores Catalogue, and the other problem's data in a Related.
func (p *Problems) entry(s snapshot.Snapshot) *problemEntry {
	e := &problemEntry{}
	e.fill(p, &s)
	return e
}

// fill resets e to another problem.
func (e *problemEntry) fill(p *Problems, s *snapshot.Snapshot) {
	*e = problemEntry{of: p, snapshot: *s}
	note := func(part snapshot.Parts, there bool) {
		if there {
			e.loaded |= part
		}
	}
	note(snapshot.Keywords, s.Keywords != nil)
	note(snapshot.Log, s.Log != nil)
	note(snapshot.Comments, s.Comments != nil)
	note(snapshot.Relationships, s.Relationships != nil)
	note(snapshot.Watchers, s.Watchers != nil)
	note(snapshot.Savepoints, s.Savepoints != nil)
	note(snapshot.Attachments, s.Attachments != nil)
}

// preload loads the needs of a batch of some hundred entries together.
func (p *Problems) preload(ctx context.Context, n needs, all []*problemEntry) error {
	p.needs = n
	clear(p.others)
	if err := p.loadParts(ctx, all, n.root); err != nil || !n.follows {
		return err
	}
	var ids []problem.ID
	for _, e := range all {
		if ids = p.unknown(ids, e); len(ids) >= maxOthers {
			break // Get loads the rest
		}
	}
	return p.loadOthers(ctx, ids)
}

// loadParts loads the parts for the entries without one of them. It skips large
// problems, because memory is for one of them at a time.
func (p *Problems) loadParts(ctx context.Context, all []*problemEntry, parts snapshot.Parts) error {
	if parts == 0 {
		return nil
	}
	lacking := make(map[problem.ID]*problemEntry, len(all))
	var ids []problem.ID
	var lack snapshot.Parts
	for _, e := range all {
		if missing := parts &^ e.loaded; missing != 0 {
			lacking[e.snapshot.ID] = e
			ids = append(ids, e.snapshot.ID)
			lack |= missing
		}
	}
	if len(ids) == 0 {
		return nil
	}
	snapshots, err := p.reader.Problems(ctx, ids, p.as, lack|snapshot.IfSmall)
	for _, s := range snapshots {
		if s.Size <= snapshot.Small {
			lacking[s.ID].take(s, lack)
		}
	}
	return err
}

// load loads a missing part of one entry.
func (p *Problems) load(ctx context.Context, e *problemEntry, part snapshot.Parts) error {
	if e.loaded.Has(part) {
		return nil
	}
	if err := p.repeat(e.forgotten); err != nil {
		return err
	}
	e.forgotten = 0
	s, err := p.reader.Problem(ctx, e.snapshot.ID, p.as, part)
	if err != nil {
		return err
	}
	if s.Size > snapshot.Small {
		if p.large != nil && p.large != e {
			p.large.forget()
			p.large.forgotten = p.held
		}
		p.large = e
		budget.From(ctx).Add(s.Size - p.held)
		p.held = s.Size
	}
	e.take(s, part)
	return nil
}

// forget drops the parts of a large problem. Get loads them again if necessary.
func (e *problemEntry) forget() {
	e.snapshot = withoutParts(e.snapshot)
	e.loaded = 0
	clear(e.members[:])
}

func withoutParts(s snapshot.Snapshot) snapshot.Snapshot {
	return snapshot.Snapshot{Problem: s.Problem, Claim: s.Claim, Watching: s.Watching, Read: s.Read, ReadByAssignee: s.ReadByAssignee}
}

// take copies the missing ones of the parts from s.
func (e *problemEntry) take(s snapshot.Snapshot, parts snapshot.Parts) {
	parts &^= e.loaded
	own := &e.snapshot
	if parts.Has(snapshot.Keywords) {
		own.Keywords = s.Keywords
	}
	if parts.Has(snapshot.Log) {
		own.Log = s.Log
	}
	if parts.Has(snapshot.Comments) {
		own.Comments = s.Comments
	}
	if parts.Has(snapshot.Relationships) {
		own.Relationships = s.Relationships
	}
	if parts.Has(snapshot.Watchers) {
		own.Watchers = s.Watchers
	}
	if parts.Has(snapshot.Savepoints) {
		own.Savepoints = s.Savepoints
	}
	if parts.Has(snapshot.Attachments) {
		own.Attachments = s.Attachments
	}
	e.loaded |= parts
}

// other returns the entry of a problem related to owner. If it is unknown, other loads
// all of owner's related problems together.
func (p *Problems) other(ctx context.Context, owner *problemEntry, id problem.ID) (predicate.Value, error) {
	if _, known := p.others[id]; !known {
		if len(p.others) >= maxOthers {
			if err := p.repeat(int64(len(p.others)) * problem.Overhead); err != nil {
				return nil, err
			}
			clear(p.others)
		}
		if err := p.loadOthers(ctx, p.unknown(nil, owner)); err != nil {
			return nil, err
		}
	}
	if e := p.others[id]; e != nil {
		return e, nil
	}
	return nil, nil
}

// unknown appends the unknown problems among those related to e.
func (p *Problems) unknown(ids []problem.ID, e *problemEntry) []problem.ID {
	for _, r := range e.snapshot.Relationships {
		if _, known := p.others[r.Other]; !known {
			ids = append(ids, r.Other)
		}
	}
	return ids
}

func (p *Problems) loadOthers(ctx context.Context, ids []problem.ID) error {
	if len(ids) == 0 {
		return nil
	}
	snapshots, err := p.reader.Problems(ctx, ids, p.as, p.needs.others|snapshot.IfSmall)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p.others[id] = nil
	}
	for _, s := range snapshots {
		e := p.entry(s)
		if s.Size <= snapshot.Small {
			e.loaded |= p.needs.others
		}
		p.others[s.ID] = e
	}
	return nil
}
