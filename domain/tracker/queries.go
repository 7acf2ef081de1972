package tracker

import (
	"context"
	"errors"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// SaveQuery is the command of POST /queries.
type SaveQuery struct {
	Write
	Name      patch.Field[string]
	Predicate patch.Field[string]
	Sort      patch.Field[string]

	Idempotency *Idempotency[query.Saved]
}

// SaveQuery saves a query about problems. In a dry run it has no identifier. It fails
// with the faults of a body. One of these reports the limit of saved queries of the
// caller.
func (s *Service) SaveQuery(ctx context.Context, caller Caller, cmd SaveQuery) (Answer[query.Saved], error) {
	return run(ctx, s, command[saving, query.Saved]{
		// Several servers together can save some queries more than the limit. This does
		// no harm.
		locks:  append(cmd.Idempotency.lockKeys(caller), writerlocks.Queries(caller.User)),
		dryRun: cmd.DryRun,
		load: func(ctx context.Context, r store.Reader) (of saving, err error) {
			if of.reply, err = cmd.Idempotency.load(ctx, r, caller, s.time()); err != nil {
				return of, err
			}
			if of.catalogue, err = s.catalogues.Now(ctx, r); err != nil {
				return of, err
			}
			all, err := r.SavedQueries(ctx, caller.User)
			of.saved = len(all)
			return of, err
		},
		decide: func(of saving, m changes.Moment) (store.Change, Answer[query.Saved], error) {
			return decideSave(caller, cmd, of, s.limits.Queries, m)
		},
	})
}

// saving is the basis of the decision about a saved query.
type saving struct {
	catalogue *metadata.Catalogue
	saved     int          // by the same user before
	reply     *store.Reply // for the Idempotency-Key
}

func decideSave(caller Caller, cmd SaveQuery, of saving, limit int, m changes.Moment) (store.Change, Answer[query.Saved], error) {
	if a, ok := cmd.Idempotency.replay(of.reply); ok {
		return store.Change{}, a, nil
	}
	cb := changes.NewBuilder(m, caller.author())
	saved, faults := checkSave(cmd, query.Saved{Owner: caller.User, Created: cb.At})
	if of.saved >= limit {
		faults.Add(fault.InvalidValue, fault.Location{}, "you already have the largest number of saved queries: %d; delete one first", limit)
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, Answer[query.Saved]{}, err
	}
	if err := cmd.Idempotency.check(of.reply); err != nil {
		return store.Change{}, Answer[query.Saved]{}, err
	}
	saved.ID = cb.NextID()
	cb.AddEffect(store.PutQuery{Query: saved})
	if cmd.DryRun {
		saved.ID = ident.None
	}
	a := Answer[query.Saved]{Value: saved, Catalogue: of.catalogue, New: true}
	cmd.Idempotency.keep(&cb.Change, m.At, store.About{}, a)
	return cb.Change, a, nil
}

// checkSave returns the query to save, with the owner and the time of blank, and all
// its faults. The query has to compile.
func checkSave(cmd SaveQuery, blank query.Saved) (saved query.Saved, faults fault.List) {
	saved, faults = blank, cmd.Faults
	body.Require(&faults, cmd.Name.Sent, fault.At("name"), "a saved query needs a name and a predicate")
	body.Require(&faults, cmd.Predicate.Sent, fault.At("predicate"), "a saved query needs a name and a predicate")
	if cmd.Name.Sent {
		saved.Name = body.Line(text.Name, cmd.Name, fault.At("name"), &faults)
	}
	if cmd.Predicate.Sent {
		saved.Predicate = body.Line(text.Predicate, cmd.Predicate, fault.At("predicate"), &faults)
	}
	if body.Given(cmd.Sort) {
		saved.Sort = body.Line(text.Predicate, cmd.Sort, fault.At("sort"), &faults)
	}
	if !faults.Covers(fault.At("predicate")) {
		addInvalid(&faults, fault.At("predicate"), saved.CheckPredicate())
	}
	if !faults.Covers(fault.At("sort")) {
		addInvalid(&faults, fault.At("sort"), saved.CheckSort())
	}
	return saved, faults
}

// addInvalid adds a compilation error and its location to the faults of a body.
func addInvalid(faults *fault.List, where fault.Location, err error) {
	if e, ok := errors.AsType[*predicate.Error](err); ok {
		faults.Add(fault.InvalidValue, where, "is not valid: %s (line %d, column %d)", e.Message, e.Line, e.Column)
	}
}

// SavedQueries returns the queries saved by the caller, in the order of their creation.
func (s *Service) SavedQueries(ctx context.Context, caller Caller) (a Answer[[]query.Saved], err error) {
	err = s.store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = s.catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value, err = r.SavedQueries(ctx, caller.User)
		return err
	})
	return a, err
}

// SavedQuery returns a saved query to any caller with its identifier, so users can
// share queries. It fails with fault.NotFound.
func (s *Service) SavedQuery(ctx context.Context, id ident.ID) (a Answer[query.Saved], err error) {
	err = s.store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = s.catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value, err = loadQuery(ctx, r, id)
		return err
	})
	return a, err
}

// savedQuery returns the saved query named by a search.
func (s *Service) savedQuery(ctx context.Context, id ident.ID) (saved query.Saved, err error) {
	err = s.store.View(ctx, func(r store.Reader) error {
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

// DeleteQuery deletes a query saved by the caller. It fails with fault.NotFound, also
// for queries of others.
func (s *Service) DeleteQuery(ctx context.Context, caller Caller, id ident.ID, w Write) (Answer[struct{}], error) {
	return run(ctx, s, command[query.Saved, struct{}]{
		dryRun: w.DryRun,
		load: func(ctx context.Context, r store.Reader) (query.Saved, error) {
			saved, err := loadQuery(ctx, r, id)
			if err == nil && saved.Owner != caller.User {
				return query.Saved{}, fault.New(fault.NotFound, "there is no saved query of yours with this identifier")
			}
			return saved, err
		},
		decide: func(saved query.Saved, m changes.Moment) (store.Change, Answer[struct{}], error) {
			cb := changes.NewBuilder(m, caller.author())
			cb.AddEffect(store.DropQuery{ID: saved.ID})
			return cb.Change, Answer[struct{}]{}, nil
		},
	})
}
