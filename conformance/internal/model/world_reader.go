package model

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Problem implements store.Reader, as do the methods below. They copy lists that a caller may
// change.
func (w *World) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if err := Over(ctx); err != nil {
		return snapshot.Snapshot{}, err
	}
	p, ok := w.AllProblems[id]
	if !ok {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "there is no problem %d", id)
	}
	s := snapshot.Snapshot{
		Problem:        p,
		Batch:          w.Batches[id],
		Size:           w.Sizes[id],
		Claim:          w.Claims[id],
		Catalogue:      w.Counters.Catalogue,
		Watching:       w.watchers[bench.Mark{Problem: id, User: as}],
		Read:           w.readers[bench.Mark{Problem: id, User: as}],
		ReadByAssignee: !p.Assignee.IsNone() && w.readers[bench.Mark{Problem: id, User: p.Assignee}],
	}
	if !parts.Has(snapshot.IfSmall) || s.Size <= snapshot.Small {
		w.addParts(&s, parts)
	}
	return s, nil
}

// addParts adds the given parts to a problem.
func (w *World) addParts(s *snapshot.Snapshot, parts snapshot.Parts) {
	id := s.ID
	if parts.Has(snapshot.Keywords) {
		for at, k := range w.Keywords {
			if at.problem == id {
				s.Keywords = append(s.Keywords, k)
			}
		}
		slices.SortFunc(s.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	}
	if parts.Has(snapshot.Log) {
		for _, entry := range w.Logs {
			if entry.Problem == id {
				s.Log = append(s.Log, entry)
			}
		}
	}
	if parts.Has(snapshot.Comments) {
		for _, c := range w.AllComments {
			if c.Problem == id {
				s.Comments = append(s.Comments, c.Comment)
			}
		}
	}
	if parts.Has(snapshot.Attachments) {
		for _, a := range w.Attachments {
			if a.Problem == id {
				s.Attachments = append(s.Attachments, a.Attachment)
			}
		}
	}
	if parts.Has(snapshot.Relationships) {
		for at, r := range w.Relationships {
			if at.Owner == id {
				other := w.AllProblems[at.Other]
				s.Relationships = append(s.Relationships, snapshot.Related{Relationship: r, OtherTitle: other.Title, OtherState: other.State})
			}
		}
		slices.SortFunc(s.Relationships, func(a, b snapshot.Related) int { return a.Compare(b.Relationship) })
	}
	if parts.Has(snapshot.Watchers) {
		for f := range w.watchers {
			if f.Problem == id {
				s.Watchers = append(s.Watchers, f.User)
			}
		}
	}
	if parts.Has(snapshot.Savepoints) {
		for _, saved := range w.Savepoints {
			if saved.ID == id {
				s.Savepoints = append(s.Savepoints, saved)
			}
		}
	}
}

// Problems leaves out numbers without a problem.
func (w *World) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		if _, ok := w.AllProblems[id]; ok {
			s, err := w.Problem(ctx, id, as, parts)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, Over(ctx)
}

// Neighbours is in no order.
func (w *World) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) (found []relationship.Relationship, err error) {
	for at, r := range w.Relationships {
		if at.Type == t && slices.Contains(owners, at.Owner) {
			found = append(found, r)
		}
	}
	return found, Over(ctx)
}

// History implements store.Reader. There is but one.
func (*World) History() store.History { return 0 }

// Catalogue makes a new catalogue for each call.
func (w *World) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	if err := Over(ctx); err != nil {
		return nil, err
	}
	return metadata.NewCatalogue(w.Counters.Catalogue, metadata.Content{
		States:          slices.Collect(maps.Values(w.States)),
		Priorities:      slices.Collect(maps.Values(w.Priorities)),
		Classifications: slices.Collect(maps.Values(w.Classifications)),
		Components:      slices.Collect(maps.Values(w.Components)),
		Milestones:      slices.Collect(maps.Values(w.Milestones)),
		Users:           slices.Collect(maps.Values(w.Users)),
	}), nil
}

// Versions are those of the last Change with metadata or tokens.
func (w *World) Versions(ctx context.Context) (store.Versions, error) { return w.Counters, Over(ctx) }

// Dossiers has the problems in ascending order.
func (w *World) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	ids := slices.Sorted(maps.Keys(w.AllProblems))
	first, found := slices.BinarySearch(ids, after)
	if found {
		first++
	}
	ids = ids[first:]
	ids = ids[:min(limit, len(ids))]
	of := make(map[problem.ID]*store.Dossier, len(ids))
	page := make([]store.Dossier, len(ids))
	for i, id := range ids {
		page[i].Problem = w.AllProblems[id]
		of[id] = &page[i]
	}
	w.furnish(of)
	return page, Over(ctx)
}

// furnish adds all parts of the problems to the dossiers.
func (w *World) furnish(of map[problem.ID]*store.Dossier) {
	for at, k := range w.Keywords {
		if d := of[at.problem]; d != nil {
			d.Keywords = append(d.Keywords, k)
		}
	}
	for at, r := range w.Relationships {
		if d := of[at.Owner]; d != nil {
			d.Relationships = append(d.Relationships, r)
		}
	}
	for at := range w.watchers {
		if d := of[at.Problem]; d != nil {
			d.Watchers = append(d.Watchers, at.User)
		}
	}
	for at, read := range w.readers {
		if d := of[at.Problem]; d != nil && read {
			d.Readers = append(d.Readers, at.User)
		}
	}
	for _, entry := range w.Logs {
		if d := of[entry.Problem]; d != nil {
			d.Log = append(d.Log, entry)
		}
	}
	for _, c := range w.AllComments {
		if d := of[c.Problem]; d != nil {
			d.Comments = append(d.Comments, c.Comment)
		}
	}
	for _, a := range w.Attachments {
		if d := of[a.Problem]; d != nil {
			d.Attachments = append(d.Attachments, a.Attachment)
		}
	}
	for _, saved := range w.Savepoints {
		if d := of[saved.ID]; d != nil {
			d.Savepoints = append(d.Savepoints, saved)
		}
	}
	for _, d := range of {
		slices.SortFunc(d.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(d.Relationships, relationship.Relationship.Compare)
		slices.SortFunc(d.Watchers, ident.ID.Compare)
		slices.SortFunc(d.Readers, ident.ID.Compare)
	}
}

// Tokens has expired and revoked ones, too.
func (w *World) Tokens(ctx context.Context) ([]access.Token, error) {
	return slices.Clone(w.AllTokens), Over(ctx)
}

// Log is empty for a missing problem.
func (w *World) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	s, err := w.Problem(ctx, id, ident.None, snapshot.Log)
	if fault.Is(err, fault.ProblemNotFound) {
		return nil, nil
	}
	return Portion(s.Log, skip, limit, budget, problem.LogEntry.Size), err
}

// Comments are none for a missing problem.
func (w *World) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	s, err := w.Problem(ctx, id, ident.None, snapshot.Comments)
	if fault.Is(err, fault.ProblemNotFound) {
		return nil, nil
	}
	return Portion(s.Comments, skip, limit, budget, problem.Comment.Size), err
}

// Portion returns the part for Log and Comments.
func Portion[T any](all []T, skip, limit int, budget int64, size func(T) int64) (found []T) {
	for _, one := range all[min(skip, len(all)):] {
		if len(found) == limit || budget <= 0 {
			break
		}
		found = append(found, one)
		budget -= size(one)
	}
	return found
}

// Audit has the oldest entries first.
func (w *World) Audit(ctx context.Context, skip, limit int) (page []audit.Entry, err error) {
	for i, e := range w.AuditLog {
		if i >= skip && len(page) < limit {
			page = append(page, e)
		}
	}
	return page, Over(ctx)
}

// SavedQueries has those of a user with all shared ones, and those of all users for ident.None.
func (w *World) SavedQueries(ctx context.Context, owner ident.ID) (all []query.Saved, err error) {
	for _, q := range w.Queries {
		if owner.IsNone() || q.Owner == owner || q.Shared {
			all = append(all, q)
		}
	}
	return all, Over(ctx)
}

// SavedQuery finds the saved queries of all users.
func (w *World) SavedQuery(ctx context.Context, id ident.ID) (query.Saved, bool, error) {
	for _, q := range w.Queries {
		if q.ID == id {
			return q, true, Over(ctx)
		}
	}
	return query.Saved{}, false, Over(ctx)
}

// Sessions has those of all users for ident.None.
func (w *World) Sessions(ctx context.Context, user ident.ID) (all []access.Session, err error) {
	for _, s := range w.AllSessions {
		if user.IsNone() || s.User == user {
			all = append(all, s)
		}
	}
	return all, Over(ctx)
}

// SessionWith also finds an expired session: its end is a rule of the domain.
func (w *World) SessionWith(ctx context.Context, digest access.Digest) (access.Session, bool, error) {
	for _, s := range w.AllSessions {
		if s.Digest == digest {
			return s, true, Over(ctx)
		}
	}
	return access.Session{}, false, Over(ctx)
}

// Webhooks has them in the order of their first PutWebhook.
func (w *World) Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error) {
	all := w.AllWebhooks[min(max(skip, 0), len(w.AllWebhooks)):]
	return bench.CloneWebhooks(all[:min(limit, len(all))]), Over(ctx)
}

// Webhook returns a copy with all of its progress.
func (w *World) Webhook(ctx context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	for _, h := range w.AllWebhooks {
		if h.ID == id {
			return h.Clone(), true, Over(ctx)
		}
	}
	return webhook.Webhook{}, false, Over(ctx)
}

// Lease also finds a lease that has ended.
func (w *World) Lease(ctx context.Context, name string) (lease.Lease, bool, error) {
	l, ok := w.Leases[name]
	return l, ok, Over(ctx)
}

// Reply also finds an answer that is too old to be given again.
func (w *World) Reply(ctx context.Context, user ident.ID, key string) (store.Reply, bool, error) {
	r, ok := w.Replies[bench.ReplyKey{User: user, Key: key}]
	r.Body = slices.Clone(r.Body)
	return r, ok, Over(ctx)
}

// Oldest is the time of the oldest answer or batch, of those that Expire removes.
func (w *World) Oldest(ctx context.Context) (at time.Time, ok bool, err error) {
	var all []time.Time
	for _, r := range w.Replies {
		all = append(all, r.Created)
	}
	w.Of.Mu.Lock()
	defer w.Of.Mu.Unlock()
	for _, s := range w.Of.Batches {
		all = append(all, s.At)
	}
	if len(all) == 0 {
		return time.Time{}, false, Over(ctx)
	}
	return slices.MinFunc(all, time.Time.Compare), true, Over(ctx)
}
