// Package history rebuilds a problem as of an earlier entry of its log. It is pure.
package history

import (
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
)

// At returns the snapshot as of the n-th entry of its log, with the given parts. n is at
// least 1. The given snapshot needs its log and its savepoints as well. At fails with
// fault.Internal for an entry that cannot be read.
//
// The fields come from the latest savepoint. For the rest, At starts from the
// current parts and undoes the later log entries, the latest first. A part without a
// log entry, as in imported problems, counts as present from the start. Deleted
// relationships lack the title and state of the other problem. The Size is 0, because
// no caller needs it, and there is no Claim.
func At(now snapshot.Snapshot, n int, parts snapshot.Parts) (snapshot.Snapshot, error) {
	then := now
	then.Problem = problemAt(now, n)
	then.Batch = now.Log[n-1].Batch
	then.Watching, then.Read, then.ReadByAssignee = false, false, false
	then.Size = 0
	then.Claim = problem.Claim{}
	then.Savepoints, then.Log = nil, nil
	if parts.Has(snapshot.Log) {
		then.Log = slices.Clone(now.Log[:n])
	}
	then.Keywords, then.Comments = slices.Clone(now.Keywords), slices.Clone(now.Comments)
	then.Relationships, then.Watchers = slices.Clone(now.Relationships), slices.Clone(now.Watchers)
	then.Attachments = slices.Clone(now.Attachments)
	for i := len(now.Log) - 1; i >= n; i-- {
		if !undo(&then, parts, now.Log, i) {
			return now, fault.New(fault.Internal, "entry %v of the log of problem %d cannot be read", now.Log[i].ID, now.ID)
		}
	}
	return then, nil
}

// problemAt returns the problem after the first n entries of its log. n is at least 1.
func problemAt(now snapshot.Snapshot, n int) problem.Problem {
	p := now.Problem
	revision := now.Log[n-1].Revision
	for _, s := range now.Savepoints {
		if s.Revision <= revision {
			p.Fields, p.Resolver, p.Resolved = s.Fields, s.Resolver, s.Resolved
		}
	}
	for _, e := range now.Log[:n] {
		if e.Type.Modifies() {
			p.Modifier, p.Modified = e.Author, e.Created
		}
	}
	p.Revision = revision
	return p
}

// undo reverts the i-th entry of the log in one of the parts. It returns false for an
// unreadable entry.
func undo(s *snapshot.Snapshot, parts snapshot.Parts, log []problem.LogEntry, i int) bool {
	e := log[i]
	switch e.Type {
	case problem.CommentAdded:
		text, ok := e.To.Text()
		s.Comments = slices.DeleteFunc(s.Comments, func(c problem.Comment) bool { return c.ID.String() == text })
		return ok
	case problem.CommentEdited, problem.CommentDeleted:
		return !parts.Has(snapshot.Comments) || undoComment(s, e)
	case problem.AttachmentAdded, problem.AttachmentDeleted:
		return !parts.Has(snapshot.Attachments) || undoAttachment(s, e)
	case problem.KeywordSet, problem.KeywordDeleted:
		return !parts.Has(snapshot.Keywords) || undoKeyword(s, e)
	case problem.RelationshipAdded, problem.RelationshipDeleted:
		return !parts.Has(snapshot.Relationships) || undoRelationship(s, log, i)
	case problem.WatcherAdded:
		id, ok := e.To.Ref()
		s.Watchers = slices.DeleteFunc(s.Watchers, func(watcher ident.ID) bool { return watcher == id })
		return ok
	case problem.WatcherRemoved:
		id, ok := e.From.Ref()
		if parts.Has(snapshot.Watchers) && !slices.Contains(s.Watchers, id) {
			s.Watchers = append(s.Watchers, id)
		}
		return ok
	}
	return true // a field: see the savepoints
}

// undoComment gives the comment of the entry its earlier text.
func undoComment(s *snapshot.Snapshot, e problem.LogEntry) bool {
	before, ok := e.From.Comment()
	i := slices.IndexFunc(s.Comments, func(c problem.Comment) bool { return c.ID == before.ID })
	if !ok || i < 0 {
		return false
	}
	c := &s.Comments[i]
	before.Author, before.Via, before.Created = c.Author, c.Via, c.Created
	*c = before
	return true
}

// undoAttachment removes the attachment of the entry, or makes it present again.
func undoAttachment(s *snapshot.Snapshot, e problem.LogEntry) bool {
	value := e.To
	if e.Type == problem.AttachmentDeleted {
		value = e.From
	}
	of, ok := value.Attachment()
	i := slices.IndexFunc(s.Attachments, func(a problem.Attachment) bool { return a.ID == of.ID })
	switch {
	case !ok || i < 0:
		return false
	case e.Type == problem.AttachmentDeleted:
		s.Attachments[i].Deleted = time.Time{}
	default:
		s.Attachments = slices.Delete(s.Attachments, i, i+1)
	}
	return true
}

// undoKeyword gives the keyword of the entry its earlier value.
func undoKeyword(s *snapshot.Snapshot, e problem.LogEntry) bool {
	i, found := slices.BinarySearchFunc(s.Keywords, e.Field, func(k problem.Keyword, name string) int {
		return strings.Compare(k.Name, name)
	})
	if found {
		s.Keywords = slices.Delete(s.Keywords, i, i+1)
	}
	before, ok := e.From.Keyword(e.Field)
	if before != nil {
		s.Keywords = slices.Insert(s.Keywords, i, *before)
	}
	return ok
}

// undoRelationship removes or restores the relationship of the i-th entry.
func undoRelationship(s *snapshot.Snapshot, log []problem.LogEntry, i int) bool {
	e := log[i]
	other, ok := e.Other()
	if !ok {
		return false
	}
	r := relationship.Relationship{Owner: s.ID, Type: relationship.Type(e.Field), Other: other}
	at, found := slices.BinarySearchFunc(s.Relationships, r, func(have snapshot.Related, r relationship.Relationship) int {
		return have.Compare(r)
	})
	if found {
		s.Relationships = slices.Delete(s.Relationships, at, at+1)
	}
	if e.Type == problem.RelationshipDeleted {
		r.Created, r.Author = addition(log[:i], e)
		s.Relationships = slices.Insert(s.Relationships, at, snapshot.Related{Relationship: r})
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
