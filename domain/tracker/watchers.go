package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
)

// AddWatcher makes a user a watcher of a problem (W8). The answer is New for a user not
// watching before.
func (s *Service) AddWatcher(ctx context.Context, caller Caller, id problem.ID, cmd AddWatcher) (Answer[user.User], error) {
	return onProblem(ctx, s, caller, id, snapshot.Watchers, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[user.User], error) {
		return decideWatcher(caller, cmd, l, s.limits.Watchers, m)
	})
}

// StopWatching removes the caller from the watchers of a problem (D16). Nothing changes if
// the caller does not watch it. It fails with fault.ProblemNotFound, fault.StaleRevision,
// or the faults in w.
func (s *Service) StopWatching(ctx context.Context, caller Caller, id problem.ID, w Write) (Answer[struct{}], error) {
	return onProblem(ctx, s, caller, id, snapshot.Watchers, w.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
		return decideUnwatch(caller, w, l, m)
	})
}

func decideUnwatch(caller Caller, w Write, l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
	if err := checkMatch(w, l.Snapshot); err != nil {
		return store.Change{}, Answer[struct{}]{}, err
	}
	if err := w.Faults.Err(); err != nil {
		return store.Change{}, Answer[struct{}]{}, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if slices.Contains(l.Watchers, caller.User) {
		me, _ := l.catalogue.User(caller.User)
		cb.ResolvedBy(l.Catalogue) // the log keeps the name
		cb.Insignificant(&l.Snapshot)
		cb.AddEffect(store.Unwatch{Problem: l.ID, User: caller.User})
		cb.AddLog(&l.Snapshot, problem.WatcherRemoved, "watchers", problem.LogRef(caller.User, me.Name), "")
		cb.StoreProblem(&l.Snapshot)
	}
	return cb.Change, answer(struct{}{}, l), nil
}

func decideWatcher(caller Caller, cmd AddWatcher, l loaded, limit int, m changes.Moment) (store.Change, Answer[user.User], error) {
	var none Answer[user.User]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	faults := cmd.Faults
	var id ident.ID
	if len(faults) == 0 {
		found, unresolved := l.catalogue.Resolve(metadata.Users, cmd.User, fault.Location{})
		id, faults = found, unresolved
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}
	u, _ := l.catalogue.User(id)
	watches := slices.Contains(l.Watchers, id)
	switch {
	case watches:
	case u.Inactive:
		faults.Add(fault.InvalidValue, fault.Location{}, "this user is inactive: name an active one")
	case len(l.Watchers) >= limit:
		faults.Add(fault.InvalidValue, fault.Location{}, "the problem already has the largest number of watchers: %d", limit)
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}

	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if !watches {
		cb.ResolvedBy(l.Catalogue)
		cb.Insignificant(&l.Snapshot)
		cb.Watch(&l.Snapshot, u)
		cb.StoreProblem(&l.Snapshot)
	}
	a := answer(u, l)
	a.New = !watches
	return cb.Change, a, nil
}
