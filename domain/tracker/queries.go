package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// SaveQuery is the command of POST /queries, and of PATCH /queries/{identifier}.
type SaveQuery struct {
	Write
	Name      patch.Field[string]
	Predicate patch.Field[string]
	Sort      patch.Field[string]
	Columns   patch.Field[string]
	Shared    patch.Field[bool]

	Idempotency *Idempotency[query.Saved]
}

// SaveQuery saves a query about problems. In a dry run it has no identifier. It fails
// with the faults of a body. One of these reports the limit of saved queries of the
// caller.
func (s *Service) SaveQuery(ctx context.Context, caller Caller, cmd SaveQuery) (Answer[query.Saved], error) {
	return core.Run(ctx, s.core, core.Command[saving, Answer[query.Saved]]{
		// Several servers together can save some queries more than the limit of a user. This
		// does no harm.
		Locks:  append(cmd.Idempotency.LockKeys(caller), writerlocks.Queries(caller.User)),
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (of saving, err error) {
			if of.reply, err = cmd.Idempotency.Load(ctx, r, caller, s.core.Time()); err != nil {
				return of, err
			}
			if of.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
				return of, err
			}
			return of, of.load(ctx, r, caller)
		},
		Decide: func(of saving, m changes.Moment) (store.Change, Answer[query.Saved], error) {
			return decideSave(caller, cmd, of, s.limits.Queries, m)
		},
	})
}

// UpdateQuery changes a saved query: an own one, or for administrators any shared one (D57).
// It fails with fault.NotFound, also for those of others that are not shared, with fault.Forbidden,
// and with the faults of a body.
func (s *Service) UpdateQuery(ctx context.Context, caller Caller, id ident.ID, cmd SaveQuery) (Answer[query.Saved], error) {
	return core.Run(ctx, s.core, core.Command[saving, Answer[query.Saved]]{
		Locks:  []writerlocks.Key{writerlocks.Queries(ident.None)},
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (of saving, err error) {
			if of.old, err = changeable(ctx, r, caller, id); err != nil {
				return of, err
			}
			if of.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
				return of, err
			}
			return of, of.load(ctx, r, caller)
		},
		Decide: func(of saving, m changes.Moment) (store.Change, Answer[query.Saved], error) {
			return decideQuery(caller, cmd, of, m)
		},
	})
}

func decideQuery(caller Caller, cmd SaveQuery, of saving, m changes.Moment) (store.Change, Answer[query.Saved], error) {
	cb := changes.NewBuilder(m, caller.Author())
	saved, faults := checkSave(cmd, of.old)
	of.checkShared(saved, &faults)
	a := Answer[query.Saved]{Value: saved, Catalogue: of.catalogue}
	if err := faults.Err(); err != nil || saved == of.old {
		return store.Change{}, a, err
	}
	cb.AddEffect(store.PutQuery{Query: saved})
	cb.RaiseQueries(of.lease)
	return cb.Change, a, nil
}

// saving is the basis of the decision about a saved query.
type saving struct {
	catalogue *metadata.Catalogue
	old       query.Saved  // the one to change
	saved     int          // by the same user before
	shared    int          // by anybody
	lease     lease.Lease  // see raise
	reply     *store.Reply // for the Idempotency-Key
}

// load reads what is there already.
func (of *saving) load(ctx context.Context, r store.Reader, caller Caller) error {
	all, err := r.SavedQueries(ctx, caller.User)
	if err != nil {
		return err
	}
	for _, q := range all {
		if q.Owner == caller.User {
			of.saved++
		}
		if q.Shared {
			of.shared++
		}
	}
	of.lease, err = changes.LeaseOfQueries(ctx, r)
	return err
}

// checkShared refuses one shared query too many.
func (of *saving) checkShared(saved query.Saved, faults *fault.List) {
	if saved.Shared && !of.old.Shared && of.shared >= query.MostShared {
		faults.Add(fault.InvalidValue, fault.At("shared"), "cannot be true: %d queries are shared, and there cannot be more; unshare or delete one first", of.shared)
	}
}

func decideSave(caller Caller, cmd SaveQuery, of saving, limit int, m changes.Moment) (store.Change, Answer[query.Saved], error) {
	if a, ok := cmd.Idempotency.Replay(of.reply); ok {
		return store.Change{}, a, nil
	}
	cb := changes.NewBuilder(m, caller.Author())
	saved, faults := checkSave(cmd, query.Saved{Owner: caller.User, Created: cb.At})
	if of.saved >= limit {
		faults.Add(fault.InvalidValue, fault.Location{}, "you already have the largest number of saved queries: %d; delete one first", limit)
	}
	of.checkShared(saved, &faults)
	if err := faults.Err(); err != nil {
		return store.Change{}, Answer[query.Saved]{}, err
	}
	if err := cmd.Idempotency.Check(of.reply); err != nil {
		return store.Change{}, Answer[query.Saved]{}, err
	}
	saved.ID = cb.NextID()
	cb.AddEffect(store.PutQuery{Query: saved})
	if saved.Shared {
		cb.RaiseQueries(of.lease)
	}
	if cmd.DryRun {
		saved.ID = ident.None
	}
	a := Answer[query.Saved]{Value: saved, Catalogue: of.catalogue, New: true}
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{}, a)
	return cb.Change, a, nil
}

// checkSave returns the query to save, which is like old in all that was not sent, and all its
// faults. The query has to compile. A new one has no identifier yet.
func checkSave(cmd SaveQuery, old query.Saved) (saved query.Saved, faults fault.List) {
	saved, faults = old, cmd.Faults
	body.Require(&faults, cmd.Name.Sent || !old.ID.IsNone(), fault.At("name"), "a saved query needs a name and a predicate")
	body.Require(&faults, cmd.Predicate.Sent || !old.ID.IsNone(), fault.At("predicate"), "a saved query needs a name and a predicate")
	if cmd.Name.Sent {
		saved.Name = body.Line(text.Name, cmd.Name, fault.At("name"), &faults)
	}
	if cmd.Predicate.Sent {
		saved.Predicate = body.Line(text.Predicate, cmd.Predicate, fault.At("predicate"), &faults)
	}
	if cmd.Sort.Null {
		saved.Sort = ""
	} else if cmd.Sort.Sent {
		saved.Sort = body.Line(text.Predicate, cmd.Sort, fault.At("sort"), &faults)
	}
	body.SetColumns(&saved.Columns, cmd.Columns, &faults)
	body.SetFlag(&saved.Shared, cmd.Shared, fault.At("shared"), &faults)
	body.AddInvalid(&faults, fault.At("predicate"), saved.CheckPredicate())
	body.AddInvalid(&faults, fault.At("sort"), saved.CheckSort())
	return saved, faults
}

// SavedQueries returns the queries saved by the caller and all shared ones, in the order of their
// creation.
func (as Reader) SavedQueries(ctx context.Context) (a Answer[[]query.Saved], err error) {
	err = as.s.core.Store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = as.s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value, err = r.SavedQueries(ctx, as.caller.User)
		return err
	})
	return a, err
}

// SavedQuery returns a saved query to any caller with its identifier, so users can
// share queries. It fails with fault.NotFound.
func (as Reader) SavedQuery(ctx context.Context, id ident.ID) (a Answer[query.Saved], err error) {
	err = as.s.core.Store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = as.s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value, err = loadQuery(ctx, r, id)
		return err
	})
	return a, err
}

// savedQuery returns the saved query named by a search.
func (as Reader) savedQuery(ctx context.Context, id ident.ID) (saved query.Saved, err error) {
	err = as.s.core.Store.View(ctx, func(r store.Reader) error {
		saved, err = loadQuery(ctx, r, id)
		return err
	})
	return saved, err
}

func loadQuery(ctx context.Context, r store.Reader, id ident.ID) (query.Saved, error) {
	saved, ok, err := r.SavedQuery(ctx, id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "there is no saved query with this identifier")
	}
	return saved, err
}

// changeable returns a saved query that the caller may change.
func changeable(ctx context.Context, r store.Reader, caller Caller, id ident.ID) (query.Saved, error) {
	saved, err := loadQuery(ctx, r, id)
	switch {
	case err != nil || saved.Owner == caller.User:
		return saved, err
	case !saved.Shared:
		return saved, fault.New(fault.NotFound, "there is no saved query of yours with this identifier")
	}
	return saved, checkAuthor(caller, saved.Owner, "saved query", "change")
}

// DeleteQuery deletes a saved query that the caller may change. It fails as UpdateQuery does.
func (s *Service) DeleteQuery(ctx context.Context, caller Caller, id ident.ID, w Write) (Answer[struct{}], error) {
	return core.Run(ctx, s.core, core.Command[lease.Lease, Answer[struct{}]]{
		DryRun: w.DryRun,
		Load: func(ctx context.Context, r store.Reader) (lease.Lease, error) {
			if _, err := changeable(ctx, r, caller, id); err != nil {
				return lease.Lease{}, err
			}
			return changes.LeaseOfQueries(ctx, r)
		},
		Decide: func(l lease.Lease, m changes.Moment) (store.Change, Answer[struct{}], error) {
			cb := changes.NewBuilder(m, caller.Author())
			cb.AddEffect(store.DropQuery{ID: id})
			cb.RaiseQueries(l)
			return cb.Change, Answer[struct{}]{}, nil
		},
	})
}
