package boltstore

import (
	"cmp"
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
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// reader implements store.Reader on one transaction.
type reader struct{ contents }

// Problem implements store.Reader.
func (r reader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if err := store.Ended(ctx); err != nil {
		return snapshot.Snapshot{}, err
	}
	found, ok, err := get[problem.Problem](r.contents, problems, number(id))
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	if !ok {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "there is no problem with this identifier")
	}
	claim, _, err := get[problem.Claim](r.contents, claims, number(id))
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	batch, size := r.revision(id)
	s := snapshot.Snapshot{
		Problem:        found,
		Batch:          batch,
		Size:           size,
		Claim:          claim,
		Catalogue:      r.counter(catalogueVersion),
		Watching:       r.has(watchers, userKey(id, as)),
		Read:           r.has(readers, userKey(id, as)),
		ReadByAssignee: !found.Assignee.IsNone() && r.has(readers, userKey(id, found.Assignee)),
	}
	if parts.Has(snapshot.IfSmall) && size > snapshot.Small {
		return s, nil
	}
	return s, r.load(&s, parts)
}

// Log implements store.Reader.
func (r reader) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	log, err := portion(r.contents, entries, id, skip, limit, budget, problem.LogEntry.Size)
	return log, cmp.Or(err, store.Ended(ctx))
}

// Comments implements store.Reader.
func (r reader) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	found, err := portion(r.contents, comments, id, skip, limit, budget, problem.Comment.Size)
	return found, cmp.Or(err, store.Ended(ctx))
}

// portion returns at most limit of a problem's values in a bucket, after the first skip.
// It ends with the value that brings their sizes to budget.
func portion[T any](c contents, bucket string, id problem.ID, skip, limit int, budget int64, size func(T) int64) (found []T, err error) {
	for _, data := range c.under(bucket, number(id)) {
		switch {
		case len(found) == limit || budget <= 0:
			return found, nil
		case skip > 0:
			skip--
			continue
		}
		one, err := decode[T](data)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
		budget -= size(one)
	}
	return found, nil
}

// Problems implements store.Reader.
func (r reader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		s, err := r.Problem(ctx, id, as, parts)
		switch {
		case fault.Is(err, fault.ProblemNotFound):
		case err != nil:
			return nil, err
		default:
			all = append(all, s)
		}
	}
	return all, store.Ended(ctx)
}

// load adds the given parts to a Snapshot.
func (r reader) load(s *snapshot.Snapshot, parts snapshot.Parts) (err error) {
	own := number(s.ID)
	if parts.Has(snapshot.Keywords) {
		if s.Keywords, err = r.keywords(own); err != nil {
			return err
		}
	}
	if parts.Has(snapshot.Log) {
		if s.Log, err = list[problem.LogEntry](r.contents, entries, own); err != nil {
			return err
		}
	}
	if parts.Has(snapshot.Comments) {
		if s.Comments, err = list[problem.Comment](r.contents, comments, own); err != nil {
			return err
		}
	}
	if parts.Has(snapshot.Relationships) {
		if s.Relationships, err = r.related(own); err != nil {
			return err
		}
	}
	if parts.Has(snapshot.Watchers) {
		s.Watchers = r.users(watchers, own)
	}
	if parts.Has(snapshot.Savepoints) {
		if s.Savepoints, err = list[snapshot.Savepoint](r.contents, savepoints, own); err != nil {
			return err
		}
	}
	if parts.Has(snapshot.Attachments) {
		s.Attachments, err = list[problem.Attachment](r.contents, attachments, own)
	}
	return err
}

// keywords returns the keywords of a problem. Their names are in the keys.
func (r reader) keywords(own []byte) (found []problem.Keyword, err error) {
	for key, data := range r.under(keywords, own) {
		value, err := decode[problem.NullText](data)
		if err != nil {
			return nil, err
		}
		found = append(found, problem.Keyword{Name: string(key[len(own):]), Value: value})
	}
	return found, nil
}

// related returns the relationships of a problem with the title and state of the others.
func (r reader) related(own []byte) (all []snapshot.Related, err error) {
	sides, err := list[relationship.Relationship](r.contents, relationships, own)
	for _, side := range sides {
		other, _, err := get[problem.Problem](r.contents, problems, number(side.Other))
		if err != nil {
			return nil, err
		}
		all = append(all, snapshot.Related{Relationship: side, OtherTitle: other.Title, OtherState: other.State})
	}
	return all, err
}

// users returns a problem's users in a bucket, in ascending order.
func (r reader) users(bucket string, own []byte) (found []ident.ID) {
	for key := range r.under(bucket, own) {
		found = append(found, ident.ID(key[len(own):]))
	}
	return found
}

// Neighbours implements store.Reader.
func (r reader) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) (all []relationship.Relationship, err error) {
	seen := make(map[problem.ID]bool, len(owners))
	for _, owner := range owners {
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		if seen[owner] {
			continue
		}
		seen[owner] = true
		sides, err := list[relationship.Relationship](r.contents, relationships, typeKey(owner, t))
		if err != nil {
			return nil, err
		}
		all = append(all, sides...)
	}
	return all, store.Ended(ctx)
}

// History implements store.Reader. There is but one.
func (reader) History() store.History { return 0 }

// Catalogue implements store.Reader. It makes a new one each time: the service caches it
// until Versions reports another.
func (r reader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	var c metadata.Content
	var err error
	if c.States, err = list[metadata.State](r.contents, states, nil); err != nil {
		return nil, err
	}
	if c.Priorities, err = list[metadata.Priority](r.contents, priorities, nil); err != nil {
		return nil, err
	}
	if c.Classifications, err = list[metadata.Classification](r.contents, classifications, nil); err != nil {
		return nil, err
	}
	if c.Components, err = list[metadata.Component](r.contents, components, nil); err != nil {
		return nil, err
	}
	if c.Milestones, err = list[metadata.Milestone](r.contents, milestones, nil); err != nil {
		return nil, err
	}
	if c.Users, err = list[user.User](r.contents, users, nil); err != nil {
		return nil, err
	}
	return metadata.NewCatalogue(r.counter(catalogueVersion), c), nil
}

// Versions implements store.Reader.
func (r reader) Versions(ctx context.Context) (store.Versions, error) {
	return r.versions(), store.Ended(ctx)
}

// Dossiers implements store.Reader.
func (r reader) Dossiers(ctx context.Context, after problem.ID, limit int) (all []store.Dossier, err error) {
	cursor := r.in(problems).Cursor()
	key, data := cursor.Seek(number(uint64(max(after, 0)) + 1))
	for ; key != nil && len(all) < limit; key, data = cursor.Next() {
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		dossier, err := r.dossier(key, data)
		if err != nil {
			return nil, err
		}
		all = append(all, dossier)
	}
	return all, store.Ended(ctx)
}

// dossier returns a problem, given as stored in the file, with all its parts.
func (r reader) dossier(own, data []byte) (d store.Dossier, err error) {
	if d.Problem, err = decode[problem.Problem](data); err != nil {
		return d, err
	}
	if d.Keywords, err = r.keywords(own); err != nil {
		return d, err
	}
	if d.Log, err = list[problem.LogEntry](r.contents, entries, own); err != nil {
		return d, err
	}
	if d.Comments, err = list[problem.Comment](r.contents, comments, own); err != nil {
		return d, err
	}
	if d.Attachments, err = list[problem.Attachment](r.contents, attachments, own); err != nil {
		return d, err
	}
	if d.Relationships, err = list[relationship.Relationship](r.contents, relationships, own); err != nil {
		return d, err
	}
	if d.Savepoints, err = list[snapshot.Savepoint](r.contents, savepoints, own); err != nil {
		return d, err
	}
	d.Watchers, d.Readers = r.users(watchers, own), r.users(readers, own)
	return d, nil
}

// Tokens implements store.Reader.
func (r reader) Tokens(ctx context.Context) ([]access.Token, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	return list[access.Token](r.contents, tokens, nil)
}

// Audit implements store.Reader.
func (r reader) Audit(ctx context.Context, after, limit int) (page []audit.Entry, err error) {
	cursor := r.in(auditLog).Cursor()
	for key, data := cursor.Seek(number(uint64(after) + 1)); key != nil && len(page) < limit; key, data = cursor.Next() {
		entry, err := decode[audit.Entry](data)
		if err != nil {
			return nil, err
		}
		page = append(page, entry)
	}
	return page, store.Ended(ctx)
}

// SavedQueries implements store.Reader.
func (r reader) SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error) {
	all, err := list[query.Saved](r.contents, queries, nil)
	if err != nil {
		return nil, err
	}
	others := func(q query.Saved) bool { return !owner.IsNone() && q.Owner != owner && !q.Shared }
	return slices.DeleteFunc(all, others), store.Ended(ctx)
}

// SavedQuery implements store.Reader.
func (r reader) SavedQuery(ctx context.Context, id ident.ID) (saved query.Saved, ok bool, err error) {
	if err := store.Ended(ctx); err != nil {
		return query.Saved{}, false, err
	}
	position := r.in(queryPositions).Get(id[:])
	if position == nil {
		return query.Saved{}, false, nil
	}
	return get[query.Saved](r.contents, queries, position)
}

// Sessions implements store.Reader.
func (r reader) Sessions(ctx context.Context, user ident.ID) ([]access.Session, error) {
	all, err := list[access.Session](r.contents, sessions, nil)
	if err != nil {
		return nil, err
	}
	others := func(s access.Session) bool { return !user.IsNone() && s.User != user }
	return slices.DeleteFunc(all, others), store.Ended(ctx)
}

// SessionWith implements store.Reader. There are few sessions, so it looks at all of them.
func (r reader) SessionWith(ctx context.Context, digest access.Digest) (session access.Session, ok bool, err error) {
	all, err := r.Sessions(ctx, ident.None)
	i := slices.IndexFunc(all, func(s access.Session) bool { return s.Digest == digest })
	if i < 0 || err != nil {
		return access.Session{}, false, err
	}
	return all[i], true, nil
}

// Search implements store.Reader. A file of keys and values can only look at one problem
// after the other; package search does that.
func (r reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	return search.Scan(ctx, r, q)
}

// Reply implements store.Reader.
func (r reader) Reply(ctx context.Context, user ident.ID, key string) (store.Reply, bool, error) {
	if err := store.Ended(ctx); err != nil {
		return store.Reply{}, false, err
	}
	return get[store.Reply](r.contents, replies, replyKey(user, key))
}

// Oldest implements store.Reader.
func (r reader) Oldest(ctx context.Context) (at time.Time, ok bool, err error) {
	if first, _ := r.in(ages).Cursor().First(); first != nil {
		at, ok = timeOf(first), true
	}
	return at, ok, store.Ended(ctx)
}
