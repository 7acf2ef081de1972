package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// AddRelationship adds a relationship and its mirror (W6). The answer is New when they
// did not exist. It fails with fault.RelationshipConflict when the two problems have
// the mirrored type already, and with fault.RelationshipCycle.
func (s *Service) AddRelationship(ctx context.Context, caller Caller, id problem.ID, cmd Relate) (Answer[snapshot.Related], error) {
	return core.Run(ctx, s.core, core.Command[linking, Answer[snapshot.Related]]{
		Locks:  cmd.lockKeys(id),
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (linking, error) {
			l, err := s.loadLinking(ctx, r, caller, id, cmd)
			if err == nil && l.linkable(cmd) {
				l.seen, l.cycle, err = findCycle(ctx, r, relationship.Relationship{Owner: id, Type: cmd.relationshipType(), Other: cmd.Other.Value}, nil)
			}
			return l, err
		},
		Decide: func(l linking, m changes.Moment) (store.Change, Answer[snapshot.Related], error) {
			return decideRelate(caller, cmd, l, s.limits.Relationships, m)
		},
	})
}

// DeleteRelationship deletes a relationship and its mirror (W7). It fails with
// fault.RelationshipNotFound when they do not exist.
func (s *Service) DeleteRelationship(ctx context.Context, caller Caller, id problem.ID, cmd Relate) (Answer[struct{}], error) {
	return core.Run(ctx, s.core, core.Command[linking, Answer[struct{}]]{
		Locks:  cmd.lockKeys(id),
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (linking, error) {
			return s.loadLinking(ctx, r, caller, id, cmd)
		},
		Decide: func(l linking, m changes.Moment) (store.Change, Answer[struct{}], error) {
			return decideUnrelate(caller, cmd, l, m)
		},
	})
}

func (cmd Relate) lockKeys(id problem.ID) []writerlocks.Key {
	return []writerlocks.Key{writerlocks.Problem(id), writerlocks.Problem(cmd.Other.Value)}
}

func (cmd Relate) relationshipType() relationship.Type { return relationship.Type(cmd.Type.Value) }

// linking is the basis of decisions about a relationship.
type linking struct {
	loaded        // the problem of the path, with its relationships
	other  loaded // the other one, likewise; its ID is 0 when there is none
	seen   []store.ProblemAt
	cycle  []problem.ID
}

// loadLinking loads both problems. A missing other problem is no error yet.
func (s *Service) loadLinking(ctx context.Context, r store.Reader, caller Caller, id problem.ID, cmd Relate) (l linking, err error) {
	if l.loaded, err = s.As(caller).load(ctx, r, id, snapshot.Relationships); err != nil {
		return l, err
	}
	l.other, err = s.As(caller).load(ctx, r, cmd.Other.Value, snapshot.Relationships)
	if fault.Is(err, fault.ProblemNotFound) {
		return l, nil
	}
	return l, err
}

// linkable reports whether the two problems themselves allow the relationship. Only
// then is the search for cycles worth its cost.
func (l linking) linkable(cmd Relate) bool {
	_, linked := l.existing(cmd)
	return l.other.ID != 0 && l.other.ID != l.ID && cmd.relationshipType().Valid() && !linked
}

// existing returns the relationship of the two problems in the family.
func (l linking) existing(cmd Relate) (snapshot.Related, bool) {
	for _, r := range l.Relationships {
		if r.Occupies(cmd.relationshipType(), cmd.Other.Value) {
			return r, true
		}
	}
	return snapshot.Related{}, false
}

// findCycle returns the cycle that the relationship would close, if any; otherwise the other
// problems by which it has found none. Whoever relates problems raises the revisions of both, so
// while these problems stay as they are, there is no cycle. beside are both sides of other
// relationships that come with it.
func findCycle(ctx context.Context, r store.Reader, added relationship.Relationship, beside []relationship.Relationship) (seen []store.ProblemAt, cycle []problem.ID, err error) {
	search := relationship.NewSearch(added.Owner, added.Other, added.Type)
	for !search.Done() {
		by, frontier := search.Frontier()
		edges, err := r.Neighbours(ctx, by, frontier)
		if err != nil {
			return nil, nil, err
		}
		search.Expand(append(edges, beside...))
	}
	if cycle = search.Path(); cycle != nil {
		return nil, cycle, nil
	}
	others := slices.DeleteFunc(search.Seen(), func(id problem.ID) bool { return id == added.Owner || id == added.Other })
	for part := range slices.Chunk(others, mostSeen) {
		problems, err := r.Problems(ctx, part, ident.None, 0)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range problems {
			seen = append(seen, store.ProblemAt{ID: p.ID, Revision: p.Revision, Batch: p.Batch})
		}
	}
	return seen, nil, nil
}

// mostSeen is how many problems findCycle loads at a time.
const mostSeen = 500

func decideRelate(caller Caller, cmd Relate, l linking, limit int, m changes.Moment) (store.Change, Answer[snapshot.Related], error) {
	var none Answer[snapshot.Related]
	if err := checkRelate(cmd, l, limit); err != nil {
		return store.Change{}, none, err
	}
	if r, found := l.existing(cmd); found {
		if r.Type != cmd.relationshipType() {
			return store.Change{}, none, fault.New(fault.RelationshipConflict,
				"the problem is %s of problem %d already, and a type cannot be changed in place: delete that relationship first", r.Type, r.Other)
		}
		return store.Change{}, answer(r, l.loaded), nil
	}
	if l.cycle != nil {
		return store.Change{}, none, cycleFault(l.cycle)
	}

	cb := changes.NewBuilder(m, caller.Author(), l.Problem, l.other.Problem)
	added := relationship.Relationship{
		Owner: l.ID, Type: cmd.relationshipType(), Other: l.other.ID,
		Created: cb.At, Author: cb.Author,
	}
	bothSides(cb, &l, cb.PutRelationship, added)
	cb.ExpectSeen(l.seen)
	a := answer(snapshot.Related{Relationship: added, OtherTitle: l.other.Title, OtherState: l.other.State}, l.loaded)
	a.New = true
	return cb.Change, a, nil
}

func decideUnrelate(caller Caller, cmd Relate, l linking, m changes.Moment) (store.Change, Answer[struct{}], error) {
	var none Answer[struct{}]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	faults := cmd.checkMembers()
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}
	r, found := l.existing(cmd)
	if !found || r.Type != cmd.relationshipType() {
		return store.Change{}, none, fault.New(fault.RelationshipNotFound, "the problem has no such relationship")
	}

	cb := changes.NewBuilder(m, caller.Author(), l.Problem, l.other.Problem)
	bothSides(cb, &l, cb.DropRelationship, r.Relationship)
	return cb.Change, answer(struct{}{}, l.loaded), nil
}

// bothSides changes a relationship on its owner and the mirror on the other problem,
// never one without the other (spec section 2).
func bothSides(cb *changes.Builder, l *linking, change func(*snapshot.Snapshot, relationship.Relationship), r relationship.Relationship) {
	for _, side := range []struct {
		*loaded
		relationship.Relationship
	}{{&l.loaded, r}, {&l.other, r.Mirror()}} {
		cb.Significant(&side.Snapshot)
		change(&side.Snapshot, side.Relationship)
		cb.StoreProblem(&side.Snapshot)
	}
}

// checkRelate returns the faults of a new relationship.
func checkRelate(cmd Relate, l linking, limit int) error {
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return err
	}
	faults := cmd.checkMembers()
	other := fault.At("problemIdentifier")
	_, linked := l.existing(cmd)
	switch {
	case !cmd.Other.Sent || faults.Covers(other):
	case relationship.CheckEnds(l.ID, cmd.Other.Value) != nil:
		body.AddInvalid(&faults, other, relationship.CheckEnds(l.ID, cmd.Other.Value))
	case l.other.ID == 0:
		faults.Add(fault.InvalidValue, other, "there is no problem with this identifier")
	case linked:
	case len(l.Relationships) >= limit:
		faults.Add(fault.InvalidValue, fault.Location{}, "the problem already has the largest number of relationships: %d", limit)
	case len(l.other.Relationships) >= limit:
		faults.Add(fault.InvalidValue, other, "that problem already has the largest number of relationships: %d", limit)
	}
	return faults.Err()
}

// checkMembers returns the faults of the members themselves (D14).
func (cmd Relate) checkMembers() fault.List {
	faults := cmd.Faults
	if err := cmd.relationshipType().Check(); err != nil {
		body.Require(&faults, cmd.Type.Sent, fault.At("type"), "%v", err)
		body.AddInvalid(&faults, fault.At("type"), err)
	}
	body.Require(&faults, cmd.Other.Sent, fault.At("problemIdentifier"), "a relationship needs the identifier of the other problem")
	if cmd.Other.Null {
		faults.Add(fault.InvalidValue, fault.At("problemIdentifier"), "cannot be null")
	}
	if cmd.Listed.Sent && cmd.Other.Sent && cmd.Listed.Value != cmd.Other.Value {
		faults.Add(fault.InvalidValue, fault.At("problem").Member("identifier"), "differs from problemIdentifier")
	}
	return faults
}

func cycleFault(ids []problem.ID) error {
	return fault.New(fault.RelationshipCycle, "the relationship would close a cycle: %s", showCycle(ids))
}

func showCycle(ids []problem.ID) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(" → ")
		}
		fmt.Fprint(&b, id)
	}
	return b.String()
}
