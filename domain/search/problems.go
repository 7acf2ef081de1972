package search

import (
	"context"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Problems makes entries of problems, at the moment of a Reader and as one user sees
// them. Parts of a problem and the problems at the other end of relationships are
// loaded when a predicate asks for them, at most once. It is not to be used by
// several goroutines.
type Problems struct {
	reader    store.Reader
	catalogue *metadata.Catalogue
	as        ident.ID
	// others are the problems that relationships have led to; nil where there is none.
	others map[problem.ID]*problemEntry
	// objects are the entries of the catalogue that were asked for.
	objects map[object]predicate.Entry
	// needs are those of the plan that is evaluated.
	needs needs
	// large is the one large problem that has parts, and held what it holds of the
	// budget of the request, in bytes.
	large *problemEntry
	held  int64
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

// mostOthers is how many problems at the other end of relationships are kept, or
// loaded ahead for a batch: those of one problem with all the relationships that it
// can have by default (D22).
const mostOthers = 1000

// NewProblems returns the Problems of a reader, with the catalogue of its moment, as
// the user sees them.
func NewProblems(r store.Reader, c *metadata.Catalogue, as ident.ID) *Problems {
	return &Problems{reader: r, catalogue: c, as: as, others: map[problem.ID]*problemEntry{}, objects: map[object]predicate.Entry{}}
}

// entry returns the entry of a problem. Parts of the snapshot that are nil count as
// not loaded; Catalogue and what a Related shows of the other problem are not used.
func (p *Problems) entry(s store.Snapshot) *problemEntry {
	e := &problemEntry{}
	e.fill(p, &s)
	return e
}

// fill makes e the entry of another problem.
func (e *problemEntry) fill(p *Problems, s *store.Snapshot) {
	*e = problemEntry{of: p, snapshot: *s}
	note := func(part store.Parts, there bool) {
		if there {
			e.loaded |= part
		}
	}
	note(store.Keywords, s.Keywords != nil)
	note(store.Log, s.Log != nil)
	note(store.Comments, s.Comments != nil)
	note(store.Relationships, s.Relationships != nil)
	note(store.Watchers, s.Watchers != nil)
	note(store.Savepoints, s.Savepoints != nil)
}

// ahead loads what is needed of a batch of entries, some hundred, all together.
func (p *Problems) ahead(ctx context.Context, n needs, all []*problemEntry) error {
	p.needs = n
	clear(p.others)
	if err := p.loadParts(ctx, all, n.root); err != nil || !n.follows {
		return err
	}
	var ids []problem.ID
	for _, e := range all {
		if ids = p.unknown(ids, e); len(ids) >= mostOthers {
			break // the rest when it is asked for
		}
	}
	return p.loadOthers(ctx, ids)
}

// loadParts loads the parts for the entries that lack one of them, but for large
// problems: one of those at a time is enough.
func (p *Problems) loadParts(ctx context.Context, all []*problemEntry, parts store.Parts) error {
	lacking := make(map[problem.ID]*problemEntry, len(all))
	var ids []problem.ID
	var lack store.Parts
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
	snapshots, err := p.reader.Problems(ctx, ids, p.as, lack|store.IfSmall)
	for _, s := range snapshots {
		if s.Size <= store.Small {
			lacking[s.ID].take(s, lack)
		}
	}
	return err
}

// load loads a part of one entry, unless it is there.
func (p *Problems) load(ctx context.Context, e *problemEntry, part store.Parts) error {
	if e.loaded.Has(part) {
		return nil
	}
	s, err := p.reader.Problem(ctx, e.snapshot.ID, p.as, part)
	if err != nil {
		return err
	}
	if s.Size > store.Small {
		if p.large != nil && p.large != e {
			p.large.forget()
		}
		p.large = e
		budget.From(ctx).Add(s.Size - p.held)
		p.held = s.Size
	}
	e.take(s, part)
	return nil
}

// forget forgets the parts of a large problem, which are loaded again if they are asked
// for once more.
func (e *problemEntry) forget() {
	e.snapshot = store.Snapshot{
		Problem: e.snapshot.Problem, Watching: e.snapshot.Watching, Read: e.snapshot.Read, ReadByAssignee: e.snapshot.ReadByAssignee,
	}
	e.loaded = 0
}

// take takes those of the parts over that are not there yet.
func (e *problemEntry) take(s store.Snapshot, parts store.Parts) {
	parts &^= e.loaded
	own := &e.snapshot
	if parts.Has(store.Keywords) {
		own.Keywords = s.Keywords
	}
	if parts.Has(store.Log) {
		own.Log = s.Log
	}
	if parts.Has(store.Comments) {
		own.Comments = s.Comments
	}
	if parts.Has(store.Relationships) {
		own.Relationships = s.Relationships
	}
	if parts.Has(store.Watchers) {
		own.Watchers = s.Watchers
	}
	if parts.Has(store.Savepoints) {
		own.Savepoints = s.Savepoints
	}
	e.loaded |= parts
}

// other returns the entry of a problem that owner has a relationship to. When it is
// not known, all of the owner's are loaded together.
func (p *Problems) other(ctx context.Context, owner *problemEntry, id problem.ID) (predicate.Value, error) {
	if _, known := p.others[id]; !known {
		if len(p.others) >= mostOthers {
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

// unknown appends the problems that e has relationships to and that are not known.
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
	snapshots, err := p.reader.Problems(ctx, ids, p.as, p.needs.others|store.IfSmall)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p.others[id] = nil
	}
	for _, s := range snapshots {
		e := p.entry(s)
		if s.Size <= store.Small {
			e.loaded |= p.needs.others
		}
		p.others[s.ID] = e
	}
	return nil
}
