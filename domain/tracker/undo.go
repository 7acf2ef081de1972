package tracker

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/preview"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/undo"
)

// The scopes of UndoBatch.
const (
	UndoOfProblem = "here"  // what the batch has changed of the problem
	UndoOfBatch   = "batch" // what it has changed of any problem
)

// Undo is the command of POST /problems/{n}/batches/{batch}/undo (D47).
type Undo struct {
	Write
	Batch ident.ID
	Scope patch.Field[string]
	// Preview comes from a dry run of the same command. Without a Preview, the command
	// has to be a dry run.
	Preview *Preview
}

// UndoneBatch is the result of an undo. Its lists are in ascending order of the problems.
type UndoneBatch struct {
	// Batch is the new batch; None in a dry run, and when nothing goes back.
	Batch   ident.ID
	Changes []UndoneProblem
	// Stays are the entries that do not go back.
	Stays []undo.Entry
	// Refused are the problems refused by the rules. A single refusal stops the whole
	// undo, so only a dry run returns this list.
	Refused []Refusal
	// Preview, of a dry run, is the permit for exactly this undo.
	Preview *Preview
}

// UndoneProblem is what goes back in one problem.
type UndoneProblem struct {
	ID       problem.ID
	Revision int64 // after the undo
	// Log has the new entries. In a dry run they have no identifiers of their own.
	Log []problem.LogEntry
}

// UndoBatch takes back what a batch has changed and nobody has changed since, in one new
// batch (D47). It makes exactly the change of an earlier dry run, all of it or none.
//
// It fails with fault.ProblemNotFound, fault.StaleRevision when another undo would come of it
// than the preview has shown, the faults of a body, fault.PreviewRequired, fault.NotFound
// when the log of the problem does not have the batch, fault.TooManyResults and
// fault.QueryTooExpensive for a batch of too many problems, and the fault of the first refusal.
func (s *Service) UndoBatch(ctx context.Context, caller Caller, id problem.ID, cmd Undo) (Answer[UndoneBatch], error) {
	refuse, err := s.refusing(ctx, cmd.DryRun)
	if err != nil {
		return Answer[UndoneBatch]{}, err
	}
	u := newUndoing(caller, cmd, s.limits, s.core.Time())
	if u.looks() && cmd.Scope.Value == UndoOfBatch {
		release, err := s.searches.Acquire(ctx, caller.User)
		if err != nil {
			return Answer[UndoneBatch]{}, err
		}
		defer release()
	}
	if u.looks() {
		// The batch was stored long ago: the problems that it is about do not change. What
		// goes back can only get less.
		err := s.core.Views.View(ctx, func(r store.Reader) (err error) {
			if u, err = s.loadUndoing(ctx, r, id, u); err == nil && u.found() && cmd.Scope.Value == UndoOfBatch {
				if u.among, err = s.problemsOf(ctx, r, u); err == nil {
					u, err = s.loadUndoing(ctx, r, id, u)
				}
			}
			return err
		})
		if err != nil {
			return Answer[UndoneBatch]{}, refuse(core.AtRevision(err, u))
		}
	}
	return core.Run(ctx, s.core, core.Command[undoing, Answer[UndoneBatch]]{
		Locks:  append(u.lockKeys(), writerlocks.Problem(id)),
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (undoing, error) {
			return s.loadUndoing(ctx, r, id, u)
		},
		Decide: decideUndo,
	})
}

// undoing is the basis of the decision about an undo.
type undoing struct {
	caller Caller
	cmd    Undo
	limits Limits
	now    time.Time // of the preview
	faults fault.List
	// refusal, if not nil, reports a missing or expired preview.
	refusal error
	// among are the problems in which the batch is looked for; nil: the problem of the path.
	among []problem.ID

	loaded // the problem of the path
	parts  []undonePart
	// others are the problems at the other ends of relationships that go back, with their
	// relationships.
	others map[problem.ID]snapshot.Snapshot
	cycles []cycleCheck
}

// undonePart is a problem with the entries of the batch in its log. It has the keywords,
// relationships and comments that they are about.
type undonePart struct {
	snapshot.Snapshot
	entries []undo.Entry
}

// cycleCheck is the cycle that a relationship would close, if any.
type cycleCheck struct {
	relationship.Relationship
	seen  []store.ProblemAt
	cycle []problem.ID
}

func newUndoing(caller Caller, cmd Undo, limits Limits, now time.Time) undoing {
	u := undoing{caller: caller, cmd: cmd, limits: limits, now: now, faults: cmd.Faults}
	switch scope := fault.At("scope"); {
	case u.faults.Covers(scope):
	case !cmd.Scope.Sent:
		u.faults.Add(fault.RequiredField, scope, "an undo needs a scope: %q for the problem alone, or %q for all problems of the batch", UndoOfProblem, UndoOfBatch)
	case cmd.Scope.Value != UndoOfProblem && cmd.Scope.Value != UndoOfBatch:
		u.faults.Add(fault.InvalidValue, scope, "must be %q or %q", UndoOfProblem, UndoOfBatch)
	}
	switch {
	case cmd.Preview != nil:
		u.refusal = cmd.Preview.Check(now)
		u.now = cmd.Preview.Now
	case !cmd.DryRun:
		u.refusal = preview.Required("a batch is only undone as a preview has shown")
	}
	return u
}

// looks reports whether the command needs the log.
func (u undoing) looks() bool { return u.refusal == nil && len(u.faults) == 0 }

// found reports whether the batch is in a log.
func (u undoing) found() bool { return len(u.parts) > 0 }

// lockKeys returns the locks of all problems that the undo can change.
func (u undoing) lockKeys() (keys []writerlocks.Key) {
	for _, p := range u.parts {
		keys = append(keys, writerlocks.Problem(p.ID))
	}
	for id := range u.others {
		keys = append(keys, writerlocks.Problem(id))
	}
	return keys
}

// loadUndoing loads the problems, with what the undo needs of them.
func (s *Service) loadUndoing(ctx context.Context, r store.Reader, id problem.ID, u undoing) (undoing, error) {
	var err error
	if u.loaded, err = s.As(u.caller).load(ctx, r, id, 0); err != nil || !u.looks() {
		return u, err
	}
	among := u.among
	if among == nil {
		among = []problem.ID{id}
	}
	if u.parts, err = s.partsOf(ctx, r, u, among); err != nil {
		return u, err
	}
	return s.loadLinks(ctx, r, u)
}

// problemsOf returns the problems of the batch. The time and the author of its entries lead
// to a few more at most.
func (s *Service) problemsOf(ctx context.Context, r store.Reader, u undoing) ([]problem.ID, error) {
	of := u.parts[0].entries[0]
	at := of.Created.UTC().Format("2006-01-02T15:04:05.000Z")
	by := "$l.author = nil"
	if !of.Author.IsNone() {
		by = fmt.Sprintf("$l.author.identifier = '%v'", of.Author)
	}
	text := fmt.Sprintf("modificationDate >= CAST('%[1]s', 'NSDate') AND SUBQUERY(logs, $l, $l.creationDate = CAST('%[1]s', 'NSDate') AND %[2]s).@count > 0", at, by)
	plan, err := compile(text, predicate.Problem, predicate.Env{Now: u.now, User: u.caller.User, Zone: s.core.Zone})
	if err != nil {
		return nil, err
	}
	hits, err := s.As(u.caller).reads.Find(ctx, r, store.Query{Plan: plan, Limit: MostFound + 1, Catalogue: u.catalogue})
	if err != nil {
		return nil, err
	}
	if len(hits) > MostFound {
		return nil, fault.New(fault.TooManyResults, "more than %d problems were changed at the time of the batch: undo it in each problem, with the scope %q", MostFound, UndoOfProblem)
	}
	var ids []problem.ID
	for len(hits) > 0 {
		some := make([]problem.ID, min(len(hits), mostAtOnce))
		for i := range some {
			some[i] = hits[i].ID
		}
		hits = hits[len(some):]
		parts, err := s.partsOf(ctx, r, u, some)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			ids = append(ids, p.ID)
		}
		if len(ids) > MostChanged {
			return nil, fault.New(fault.TooManyResults, "the batch is of more than %d problems, the limit for one request: undo it in each problem, with the scope %q", MostChanged, UndoOfProblem)
		}
	}
	return ids, nil
}

// partsOf returns those of the problems whose log has the batch.
func (s *Service) partsOf(ctx context.Context, r store.Reader, u undoing, among []problem.ID) (parts []undonePart, err error) {
	for len(among) > 0 {
		some := among[:min(len(among), mostAtOnce)]
		among = among[len(some):]
		snapshots, err := s.As(u.caller).reads.Problems(ctx, r, some, snapshot.Log|snapshot.Keywords|snapshot.Relationships|snapshot.Comments|snapshot.IfSmall)
		if err != nil {
			return nil, err
		}
		for _, shown := range snapshots {
			part := undonePart{Snapshot: shown}
			if part.entries, err = batchEntries(ctx, r, shown, u.cmd.Batch); err != nil {
				return nil, err
			}
			if len(part.entries) == 0 {
				continue
			}
			if err := s.loadPart(ctx, r, u.caller, &part); err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// batchEntries reads the log of a problem for the entries of a batch: a long log in portions.
func batchEntries(ctx context.Context, r store.Reader, s snapshot.Snapshot, batch ident.ID) ([]undo.Entry, error) {
	reading := undo.Of(batch)
	for _, e := range s.Log {
		reading.Read(e)
	}
	for skip := 0; s.Size > snapshot.Small; {
		portion, err := r.Log(ctx, s.ID, skip, portionCount, portionText)
		if err != nil || len(portion) == 0 {
			return reading.Entries(), err
		}
		for _, e := range portion {
			reading.Read(e)
		}
		skip += len(portion)
	}
	return reading.Entries(), nil
}

// loadPart loads what the entries need, and leaves the rest.
func (s *Service) loadPart(ctx context.Context, r store.Reader, caller Caller, part *undonePart) (err error) {
	var parts snapshot.Parts
	wanted := map[ident.ID]bool{} // comments
	for _, e := range part.entries {
		switch {
		case e.Stays != "":
		case e.Type == problem.KeywordSet, e.Type == problem.KeywordDeleted:
			parts |= snapshot.Keywords
		case e.Type == problem.RelationshipAdded, e.Type == problem.RelationshipDeleted:
			parts |= snapshot.Relationships
		case e.Type == problem.CommentAdded, e.Type == problem.CommentEdited:
			wanted[commentOf(e.LogEntry)] = true
		}
	}
	comments := part.Comments
	if part.Size > snapshot.Small {
		if parts != 0 {
			if part.Snapshot, err = s.As(caller).reads.Problem(ctx, r, part.ID, parts); err != nil {
				return err
			}
		}
		if comments, err = commentsWith(ctx, r, part.ID, wanted); err != nil {
			return err
		}
	}
	part.Log, part.Comments = nil, nil
	for _, c := range comments {
		if wanted[c.ID] {
			part.Comments = append(part.Comments, c)
		}
	}
	if !parts.Has(snapshot.Keywords) {
		part.Keywords = nil
	}
	if !parts.Has(snapshot.Relationships) {
		part.Relationships = nil
	}
	return nil
}

// commentsWith reads the comments of a problem in portions, for those with the identifiers.
func commentsWith(ctx context.Context, r store.Reader, id problem.ID, wanted map[ident.ID]bool) (found []problem.Comment, err error) {
	for skip := 0; len(found) < len(wanted); {
		portion, err := r.Comments(ctx, id, skip, portionCount, portionText)
		if err != nil || len(portion) == 0 {
			return found, err
		}
		for _, c := range portion {
			if wanted[c.ID] {
				found = append(found, c)
			}
		}
		skip += len(portion)
	}
	return found, nil
}

// loadLinks loads the other ends of relationships that go back, and looks for cycles.
func (s *Service) loadLinks(ctx context.Context, r store.Reader, u undoing) (undoing, error) {
	u.others, u.cycles = map[problem.ID]snapshot.Snapshot{}, nil
	own := map[problem.ID]bool{}
	for _, p := range u.parts {
		own[p.ID] = true
	}
	var restored []relationship.Relationship // both sides
	for _, link := range u.links() {
		if _, loaded := u.others[link.Other]; !loaded && !own[link.Other] {
			other, err := s.As(u.caller).reads.Problem(ctx, r, link.Other, snapshot.Relationships)
			if err != nil {
				return u, err
			}
			u.others[link.Other] = other
		}
		family, _ := link.Type.Family()
		if !link.restored || !family.Directed() {
			continue
		}
		check := cycleCheck{Relationship: link.Relationship}
		var err error
		if check.seen, check.cycle, err = findCycle(ctx, r, link.Relationship, restored); err != nil {
			return u, err
		}
		u.cycles = append(u.cycles, check)
		restored = append(restored, link.Relationship, link.Mirror())
	}
	return u, nil
}

// link is a relationship that goes back.
type link struct {
	relationship.Relationship
	restored bool // otherwise deleted
}

// links returns the relationships that go back, each of them once, as the first of its
// problems has it.
func (u undoing) links() (links []link) {
	seen := map[relationship.Relationship]bool{}
	for _, p := range u.parts {
		for _, e := range p.entries {
			if e.Stays != "" || e.Type != problem.RelationshipAdded && e.Type != problem.RelationshipDeleted {
				continue
			}
			other, _ := e.Other()
			r := relationship.Relationship{Owner: p.ID, Type: relationship.Type(e.Field), Other: other}
			if seen[r] || seen[r.Mirror()] {
				continue
			}
			seen[r] = true
			links = append(links, link{r, e.Type == problem.RelationshipDeleted})
		}
	}
	return links
}

// commentOf returns the comment of an entry that adds or edits it.
func commentOf(e problem.LogEntry) ident.ID {
	text, _ := e.To.Text()
	id, _ := ident.Parse(text)
	return id
}
