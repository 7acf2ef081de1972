package kit

import (
	"context"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

func (r reader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		if r.of.Problems[id] == nil {
			continue
		}
		shown, err := r.Problem(ctx, id, as, parts)
		if err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

func (r reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	return search.Scan(ctx, r, q)
}

func (r reader) Dossiers(_ context.Context, after problem.ID, limit int) (all []store.Dossier, err error) {
	for _, id := range slices.Sorted(maps.Keys(r.of.Problems)) {
		if rec := r.of.Problems[id]; id > after && len(all) < limit {
			all = append(all, store.Dossier{
				Problem:       rec.Problem,
				Keywords:      slices.Clone(rec.Keywords),
				Log:           slices.Clone(rec.Log),
				Comments:      slices.Clone(rec.Comments),
				Relationships: slices.Clone(rec.Relationships),
				Watchers:      slices.SortedFunc(slices.Values(rec.watchers), ident.ID.Compare),
				Readers:       slices.SortedFunc(slices.Values(rec.Readers), ident.ID.Compare),
				Savepoints:    slices.Clone(rec.Savepoints),
			})
		}
	}
	return all, nil
}

func (r reader) Audit(_ context.Context, skip, limit int) ([]audit.Entry, error) {
	rest := r.of.Audit[min(skip, len(r.of.Audit)):]
	return append([]audit.Entry{}, rest[:min(limit, len(rest))]...), nil
}

func (r reader) SavedQueries(_ context.Context, owner ident.ID) (all []query.Saved, err error) {
	for _, saved := range r.of.Queries {
		if owner.IsNone() || saved.Owner == owner || saved.Shared {
			all = append(all, saved)
		}
	}
	return all, nil
}

func (r reader) SavedQuery(_ context.Context, id ident.ID) (query.Saved, bool, error) {
	for _, saved := range r.of.Queries {
		if saved.ID == id {
			return saved, true, nil
		}
	}
	return query.Saved{}, false, nil
}

func (r reader) Sessions(_ context.Context, user ident.ID) (all []access.Session, err error) {
	for _, s := range r.of.Sessions {
		if user.IsNone() || s.User == user {
			all = append(all, s)
		}
	}
	return all, nil
}

func (r reader) SessionWith(_ context.Context, digest access.Digest) (access.Session, bool, error) {
	for _, s := range r.of.Sessions {
		if s.Digest == digest {
			return s, true, nil
		}
	}
	return access.Session{}, false, nil
}

func (r reader) Webhooks(_ context.Context, skip, limit int) ([]webhook.Webhook, error) {
	rest := r.of.webhooks[min(skip, len(r.of.webhooks)):]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

func (r reader) Webhook(_ context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	for _, w := range r.of.webhooks {
		if w.ID == id {
			return w, true, nil
		}
	}
	return webhook.Webhook{}, false, nil
}

func (r reader) Lease(_ context.Context, name string) (lease.Lease, bool, error) {
	l, ok := r.of.Leases[name]
	return l, ok, nil
}
