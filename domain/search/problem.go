package search

import (
	"context"
	"math/bits"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

// problemEntry is a problem in the view of predicates.
type problemEntry struct {
	of       *Problems
	loaded   snapshot.Parts
	snapshot snapshot.Snapshot
	number   predicate.Value
	// forgotten is the size of a large problem whose parts the current condition has dropped
	// for another one, in bytes.
	forgotten int64
	// members are those of loaded parts, by the bit of the part. A nested condition asks for
	// them very often, and an evaluator counts no work for that.
	members [8]predicate.Value
}

// satisfies evaluates a condition about the entry. Then it drops the members: a batch has
// many entries.
func (e *problemEntry) satisfies(evaluator *eval.Evaluator, where predicate.Cond) (bool, error) {
	e.forgotten = 0
	holds, err := evaluator.Holds(where, e)
	clear(e.members[:])
	return holds, err
}

// Identity implements predicate.Entry.
func (e *problemEntry) Identity() any { return e.snapshot.ID }

// Get implements predicate.Entry. It loads missing parts of the snapshot, each at most
// once.
func (e *problemEntry) Get(ctx context.Context, key *predicate.Key) (predicate.Value, error) {
	s := &e.snapshot
	switch key.Name {
	case "watching":
		return s.Watching, nil
	case "read":
		return s.Read, nil
	case "readByAssignee":
		return s.ReadByAssignee, nil
	case "claim.holder":
		return e.of.object(predicate.User, s.Claim.Holder), nil
	case "claim.expires":
		return optional(s.Claim.Expires), nil
	case "identifier":
		if e.number == nil {
			e.number = int64(s.ID)
		}
		return e.number, nil
	}
	if part, ok := partOf(key); ok {
		if err := e.of.load(ctx, e, part); err != nil {
			return nil, err
		}
		members := &e.members[bits.TrailingZeros8(uint8(part))]
		if *members == nil {
			*members = e.part(part)
		}
		return *members, nil
	}
	return e.of.field(&s.Problem, key)
}

// partOf returns the part of a snapshot with the value of a problem's key.
func partOf(key *predicate.Key) (snapshot.Parts, bool) {
	if key.Of != predicate.Problem {
		return 0, false
	}
	switch key.Name {
	case "history":
		return snapshot.Savepoints, true
	case "logs":
		return snapshot.Log, true
	case "keywords":
		return snapshot.Keywords, true
	case "comments":
		return snapshot.Comments, true
	case "attachments":
		return snapshot.Attachments, true
	case "relationships":
		return snapshot.Relationships, true
	case "watchers":
		return snapshot.Watchers, true
	}
	return 0, false
}

// part returns the members of a loaded part.
func (e *problemEntry) part(part snapshot.Parts) []predicate.Value {
	s := &e.snapshot
	switch part {
	case snapshot.Savepoints:
		return entries(s.Savepoints, func(o *snapshot.Savepoint) predicate.Entry { return savepointEntry{e.of, o} })
	case snapshot.Log:
		return entries(s.Log, func(o *problem.LogEntry) predicate.Entry { return logEntry{e.of, o} })
	case snapshot.Keywords:
		return entries(s.Keywords, func(o *problem.Keyword) predicate.Entry { return keywordEntry{s.ID, o} })
	case snapshot.Comments:
		var present []*problem.Comment // the snapshot may share its memory with the store
		for i := range s.Comments {
			if !s.Comments[i].Deleted {
				present = append(present, &s.Comments[i])
			}
		}
		return entries(present, func(o **problem.Comment) predicate.Entry { return commentEntry{e.of, *o} })
	case snapshot.Attachments:
		var present []*problem.Attachment
		for i := range s.Attachments {
			if s.Attachments[i].Deleted.IsZero() {
				present = append(present, &s.Attachments[i])
			}
		}
		return entries(present, func(o **problem.Attachment) predicate.Entry { return attachmentEntry{e.of, *o} })
	case snapshot.Relationships:
		return entries(s.Relationships, func(o *snapshot.Related) predicate.Entry { return relationshipEntry{e, o} })
	default:
		return references(e.of.catalogue, predicate.User, s.Watchers)
	}
}

func entries[T any](all []T, entry func(*T) predicate.Entry) []predicate.Value {
	values := make([]predicate.Value, len(all))
	for i := range all {
		values[i] = entry(&all[i])
	}
	return values
}
