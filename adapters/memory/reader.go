package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// reader implements store.Reader on one state.
type reader struct {
	*state
	store *Store
}

// Problem implements store.Reader.
func (r reader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if err := store.Ended(ctx); err != nil {
		return snapshot.Snapshot{}, err
	}
	found := r.record(id)
	if found == nil {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "there is no problem with this identifier")
	}
	s := r.snapshot(found, as)
	if parts.Has(snapshot.IfSmall) && s.Size > snapshot.Small {
		return s, nil
	}
	if parts.Has(snapshot.Keywords) {
		s.Keywords = slices.Clone(found.keywords)
	}
	if parts.Has(snapshot.Log) {
		s.Log = logOf(id, found.log)
	}
	if parts.Has(snapshot.Comments) {
		s.Comments = slices.Clone(found.comments)
	}
	if parts.Has(snapshot.Relationships) {
		s.Relationships = r.related(found)
	}
	if parts.Has(snapshot.Watchers) {
		s.Watchers = slices.Clone(found.watchers)
	}
	if parts.Has(snapshot.Savepoints) {
		s.Savepoints = historyOf(id, found.savepoints)
	}
	if parts.Has(snapshot.Attachments) {
		s.Attachments = slices.Clone(found.attachments)
	}
	return s, nil
}

// Log implements store.Reader.
func (r reader) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	found := r.record(id)
	if found == nil {
		return nil, store.Ended(ctx)
	}
	portion := store.Portion(found.log, skip, limit, budget, func(e *entry) int64 {
		return problem.LogEntry{Field: e.field, From: e.from, To: e.to}.Size()
	})
	return logOf(id, portion), store.Ended(ctx)
}

// Comments implements store.Reader.
func (r reader) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	found := r.record(id)
	if found == nil {
		return nil, store.Ended(ctx)
	}
	portion := store.Portion(found.comments, skip, limit, budget, func(c *problem.Comment) int64 { return c.Size() })
	return slices.Clone(portion), store.Ended(ctx)
}

// Problems implements store.Reader.
func (r reader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	var found []snapshot.Snapshot
	for _, id := range ids {
		s, err := r.Problem(ctx, id, as, parts)
		switch {
		case fault.Is(err, fault.ProblemNotFound):
		case err != nil:
			return nil, err
		default:
			found = append(found, s)
		}
	}
	return found, store.Ended(ctx)
}

// related returns the problem's relationships with the shown members of the others.
func (r reader) related(owner *record) []snapshot.Related {
	all := make([]snapshot.Related, len(owner.relationships))
	for i, side := range owner.relationships {
		all[i].Relationship = side
		if other := r.record(side.Other); other != nil {
			all[i].OtherTitle, all[i].OtherState = other.problem.Title, other.problem.State
		}
	}
	return all
}

// Neighbours implements store.Reader.
func (r reader) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	var found []relationship.Relationship
	seen := make(map[problem.ID]bool, len(owners))
	for _, id := range owners {
		owner := r.record(id)
		if owner == nil || seen[id] {
			continue
		}
		seen[id] = true
		for _, side := range owner.relationships {
			if side.Type == t {
				found = append(found, side)
			}
		}
	}
	return found, nil
}

// History implements store.Reader. There is but one.
func (reader) History() store.History { return 0 }

// Catalogue implements store.Reader.
func (r reader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	return r.catalogue(), nil
}

// Versions implements store.Reader.
func (r reader) Versions(ctx context.Context) (store.Versions, error) {
	return r.versions, store.Ended(ctx)
}

// Dossiers implements store.Reader.
func (r reader) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	var found []store.Dossier
	for _, record := range r.problems.from(uint64(max(after, 0)) + 1) {
		if len(found) == limit {
			break
		}
		if record == nil {
			continue
		}
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		found = append(found, record.dossier())
	}
	return found, store.Ended(ctx)
}

// Tokens implements store.Reader.
func (r reader) Tokens(ctx context.Context) ([]access.Token, error) {
	return slices.Clone(r.tokens), store.Ended(ctx)
}

// Audit implements store.Reader.
func (r reader) Audit(ctx context.Context, after, limit int) ([]audit.Entry, error) {
	first := min(max(after, 0), len(r.audit))
	return slices.Clone(r.audit[first : first+min(limit, len(r.audit)-first)]), store.Ended(ctx)
}

// SavedQueries implements store.Reader.
func (r reader) SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error) {
	var found []query.Saved
	for _, q := range r.queries {
		if owner.IsNone() || q.Owner == owner || q.Shared {
			found = append(found, q)
		}
	}
	return found, store.Ended(ctx)
}

// SavedQuery implements store.Reader.
func (r reader) SavedQuery(ctx context.Context, id ident.ID) (saved query.Saved, ok bool, err error) {
	i := slices.IndexFunc(r.queries, func(q query.Saved) bool { return q.ID == id })
	if i < 0 {
		return query.Saved{}, false, store.Ended(ctx)
	}
	return r.queries[i], true, store.Ended(ctx)
}

// Sessions implements store.Reader.
func (r reader) Sessions(ctx context.Context, user ident.ID) ([]access.Session, error) {
	var found []access.Session
	for _, s := range r.sessions {
		if user.IsNone() || s.User == user {
			found = append(found, s)
		}
	}
	return found, store.Ended(ctx)
}

// SessionWith implements store.Reader.
func (r reader) SessionWith(ctx context.Context, digest access.Digest) (session access.Session, ok bool, err error) {
	i := slices.IndexFunc(r.sessions, func(s access.Session) bool { return s.Digest == digest })
	if i < 0 {
		return access.Session{}, false, store.Ended(ctx)
	}
	return r.sessions[i], true, store.Ended(ctx)
}

// Reply implements store.Reader.
func (r reader) Reply(ctx context.Context, user ident.ID, key string) (store.Reply, bool, error) {
	reply, ok := r.reply(user, key)
	reply.Body = bytes.Clone(reply.Body)
	return reply, ok, store.Ended(ctx)
}

// Oldest implements store.Reader. Batches are the current ones.
func (r reader) Oldest(ctx context.Context) (at time.Time, ok bool, err error) {
	older := func(than time.Time) {
		if !ok || than.Before(at) {
			at, ok = than, true
		}
	}
	for _, bucket := range r.replies.all() {
		for _, reply := range bucket {
			older(reply.Created)
		}
	}
	r.store.writer.Lock()
	defer r.store.writer.Unlock()
	for _, b := range r.store.batches {
		older(b.time())
	}
	return at, ok, store.Ended(ctx)
}
