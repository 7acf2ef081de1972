package search

import (
	"context"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
)

// savepointEntry is a problem at an earlier revision (an element of history).
type savepointEntry struct {
	of *Problems
	*snapshot.Savepoint
}

// Identity implements predicate.Entry.
func (e savepointEntry) Identity() any {
	return struct {
		problem problem.ID
		batch   ident.ID
	}{e.ID, e.Batch}
}

// Get implements predicate.Entry.
func (e savepointEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	return e.of.field(&e.Problem, key)
}

type logEntry struct {
	of *Problems
	*problem.LogEntry
}

// Identity implements predicate.Entry.
func (e logEntry) Identity() any { return e.ID }

// Get implements predicate.Entry.
func (e logEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "type":
		return string(e.Type), nil
	case "creationDate":
		return e.Created, nil
	case "author":
		return e.of.object(predicate.User, e.Author), nil
	case "isSignificant":
		return e.Type.Significant(), nil
	}
	return nil, noKey(key)
}

type keywordEntry struct {
	owner problem.ID
	*problem.Keyword
}

// Identity implements predicate.Entry.
func (e keywordEntry) Identity() any {
	return struct {
		problem problem.ID
		name    string
	}{e.owner, e.Name}
}

// Get implements predicate.Entry.
func (e keywordEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "name":
		return e.Name, nil
	case "value":
		if !e.Value.Valid {
			return nil, nil
		}
		return e.Value.String, nil
	}
	return nil, noKey(key)
}

type commentEntry struct {
	of *Problems
	*problem.Comment
}

// Identity implements predicate.Entry.
func (e commentEntry) Identity() any { return e.ID }

// Get implements predicate.Entry.
func (e commentEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "author":
		return e.of.object(predicate.User, e.Author), nil
	case "creationDate":
		return e.Created, nil
	case "text":
		return e.Text, nil
	}
	return nil, noKey(key)
}

type attachmentEntry struct {
	of *Problems
	*problem.Attachment
}

// Identity implements predicate.Entry.
func (e attachmentEntry) Identity() any { return e.ID }

// Get implements predicate.Entry.
func (e attachmentEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "name":
		return e.Name, nil
	case "mediaType":
		return e.MediaType, nil
	case "size":
		return e.Bytes, nil
	case "author":
		return e.of.object(predicate.User, e.Author), nil
	}
	return nil, noKey(key)
}

type relationshipEntry struct {
	owner *problemEntry
	*snapshot.Related
}

// Identity implements predicate.Entry.
func (e relationshipEntry) Identity() any {
	return struct {
		owner problem.ID
		kind  relationship.Type
		other problem.ID
	}{e.Owner, e.Type, e.Other}
}

// Get implements predicate.Entry. The parent is the owner of the relationship, for all
// types.
func (e relationshipEntry) Get(ctx context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "type":
		return int64(e.Type.Code()), nil
	case "problemIdentifier":
		return int64(e.Other), nil
	case "parentId":
		return int64(e.Owner), nil
	case "child":
		return e.owner.of.other(ctx, e.owner, e.Other)
	case "parent":
		return e.owner, nil
	}
	return nil, noKey(key)
}
