package tracker

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// AsOf names a point in the history of a problem (D36).
type AsOf struct {
	// Revision is a revision of the problem, from 1.
	Revision int64
	// Time, unless zero, counts instead of Revision. It selects the latest revision
	// made at or before this time. A future time selects the current revision.
	Time time.Time
}

// LoadProblemAsOf returns a problem with the given parts as of an earlier point (D36).
// Referenced objects, other problems included, are in their current state. The watching
// and read marks of the past are unknown. It fails with fault.ProblemNotFound also when
// the problem did not exist yet, or does not have the revision.
func (s *Service) LoadProblemAsOf(ctx context.Context, caller Caller, id problem.ID, parts store.Parts, at AsOf) (Answer[store.Snapshot], error) {
	var l loaded
	err := s.views.View(ctx, func(r store.Reader) (err error) {
		if l, err = s.load(ctx, r, caller.User, id, parts|store.Log|store.Savepoints); err != nil {
			return err
		}
		if l.Snapshot, err = at.rebuild(l.Snapshot, parts); err != nil {
			return err
		}
		return showOthers(ctx, r, caller, l.Relationships)
	})
	if err != nil {
		return Answer[store.Snapshot]{}, err
	}
	return answer(l.Snapshot, l), nil
}

// showOthers adds the title and state of the other problems to deleted relationships.
func showOthers(ctx context.Context, r store.Reader, caller Caller, relationships []store.Related) error {
	gone := map[problem.ID][]*store.Related{}
	var ids []problem.ID
	for i := range relationships {
		if related := &relationships[i]; related.OtherState.IsNone() {
			ids = append(ids, related.Other)
			gone[related.Other] = append(gone[related.Other], related)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	others, err := r.Problems(ctx, slices.Compact(ids), caller.User, 0)
	for _, other := range others {
		for _, related := range gone[other.ID] {
			related.OtherTitle, related.OtherState = other.Title, other.State
		}
	}
	return err
}

// rebuild returns the snapshot as of the earlier point, with the given parts. The given
// snapshot needs its log and its savepoints as well.
//
// The fields come from the latest savepoint. For the rest, rebuild starts from the
// current parts and undoes the later log entries, the latest first. A part without a
// log entry, as in imported problems, counts as present from the start. Deleted
// relationships lack the title and state of the other problem. The Size is 0, because
// no caller needs it.
func (a AsOf) rebuild(now store.Snapshot, parts store.Parts) (store.Snapshot, error) {
	n := a.entries(now.Log)
	switch {
	case n == 0:
		return now, fault.New(fault.ProblemNotFound, "the problem was not there yet: its history begins with revision 1")
	case a.Time.IsZero() && a.Revision > now.Revision:
		return now, fault.New(fault.ProblemNotFound, "the problem has no such revision: the current one is %d", now.Revision)
	}
	then := now
	then.Problem = problemAt(now, n)
	then.Batch = now.Log[n-1].Batch
	then.Watching, then.Read, then.ReadByAssignee = false, false, false
	then.Size = 0
	then.Savepoints, then.Log = nil, nil
	if parts.Has(store.Log) {
		then.Log = slices.Clone(now.Log[:n])
	}
	then.Keywords, then.Comments = slices.Clone(now.Keywords), slices.Clone(now.Comments)
	then.Relationships, then.Watchers = slices.Clone(now.Relationships), slices.Clone(now.Watchers)
	for i := len(now.Log) - 1; i >= n; i-- {
		if !undo(&then, parts, now.Log, i) {
			return now, fault.New(fault.Internal, "entry %v of the log of problem %d cannot be read", now.Log[i].ID, now.ID)
		}
	}
	return then, nil
}

// entries returns the number of log entries up to the point: always whole batches. The
// time of a batch can be before the time of an earlier batch that added a watcher (D1).
// So the order of the log decides (D8).
func (a AsOf) entries(log []problem.LogEntry) int {
	for i, e := range slices.Backward(log) {
		if a.Time.IsZero() && e.Revision <= a.Revision || !a.Time.IsZero() && !e.Created.After(a.Time) {
			return i + 1
		}
	}
	return 0
}

// problemAt returns the problem after the first n entries of its log. n is at least 1.
func problemAt(now store.Snapshot, n int) problem.Problem {
	p := now.Problem
	revision := now.Log[n-1].Revision
	for _, s := range now.Savepoints {
		if s.Revision <= revision {
			p.Fields, p.Resolver, p.Resolved = s.Fields, s.Resolver, s.Resolved
		}
	}
	for _, e := range now.Log[:n] {
		if e.Type.Significant() {
			p.Modifier, p.Modified = e.Author, e.Created
		}
	}
	p.Revision = revision
	return p
}

// undo reverts the i-th entry of the log in one of the parts. It returns false for an
// unreadable entry.
func undo(s *store.Snapshot, parts store.Parts, log []problem.LogEntry, i int) bool {
	e := log[i]
	switch e.Type {
	case problem.CommentAdded:
		text, ok := e.To.Text()
		s.Comments = slices.DeleteFunc(s.Comments, func(c problem.Comment) bool { return c.ID.String() == text })
		return ok
	case problem.KeywordSet, problem.KeywordDeleted:
		return !parts.Has(store.Keywords) || undoKeyword(s, e)
	case problem.RelationshipAdded, problem.RelationshipDeleted:
		return !parts.Has(store.Relationships) || undoRelationship(s, log, i)
	case problem.WatcherAdded:
		id, ok := e.To.Ref()
		s.Watchers = slices.DeleteFunc(s.Watchers, func(watcher ident.ID) bool { return watcher == id })
		return ok
	case problem.WatcherRemoved:
		id, ok := e.From.Ref()
		if parts.Has(store.Watchers) && !slices.Contains(s.Watchers, id) {
			s.Watchers = append(s.Watchers, id)
		}
		return ok
	}
	return true // a field: see the savepoints
}

// undoKeyword gives the keyword of the entry its earlier value.
func undoKeyword(s *store.Snapshot, e problem.LogEntry) bool {
	i, found := slices.BinarySearchFunc(s.Keywords, e.Field, func(k problem.Keyword, name string) int {
		return strings.Compare(k.Name, name)
	})
	if found {
		s.Keywords = slices.Delete(s.Keywords, i, i+1)
	}
	if e.From == "" {
		return true
	}
	before := problem.Keyword{Name: e.Field}
	if e.From != problem.LogNoValue {
		value, ok := e.From.Text()
		if !ok {
			return false
		}
		before.Value = problem.Text(value)
	}
	s.Keywords = slices.Insert(s.Keywords, i, before)
	return true
}

// undoRelationship removes or restores the relationship of the i-th entry.
func undoRelationship(s *store.Snapshot, log []problem.LogEntry, i int) bool {
	e := log[i]
	value := e.To
	if e.Type == problem.RelationshipDeleted {
		value = e.From
	}
	other, ok := value.Link()
	if !ok {
		return false
	}
	r := relationship.Relationship{Owner: s.ID, Type: relationship.Type(e.Field), Other: other}
	at, found := slices.BinarySearchFunc(s.Relationships, r, func(have store.Related, r relationship.Relationship) int {
		return have.Compare(r)
	})
	if found {
		s.Relationships = slices.Delete(s.Relationships, at, at+1)
	}
	if e.Type == problem.RelationshipDeleted {
		r.Created, r.Author = addition(log[:i], e)
		s.Relationships = slices.Insert(s.Relationships, at, store.Related{Relationship: r})
	}
	return true
}

// addition returns the time and author of a deleted relationship. They come from the
// latest entry before the deletion that added it. An imported log may have no such
// entry. The relationship then counts as old as the problem.
func addition(before []problem.LogEntry, deleted problem.LogEntry) (time.Time, ident.ID) {
	for _, e := range slices.Backward(before) {
		if e.Type == problem.RelationshipAdded && e.Field == deleted.Field && e.To == deleted.From {
			return e.Created, e.Author
		}
	}
	return before[0].Created, before[0].Author
}
