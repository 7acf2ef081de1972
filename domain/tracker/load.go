package tracker

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/user"
)

// Problem returns a problem with the given parts, as seen by the caller (R1–R4). Its
// comments have the places of deleted ones, too: see problem.Present.
// For a Size above snapshot.Small, the log and comments are left out: see Log and
// Comments. It fails with fault.ProblemNotFound. It fails with fault.Unavailable when
// no memory for a large problem is free in time.
func (as Reader) Problem(ctx context.Context, id problem.ID, parts snapshot.Parts) (Answer[snapshot.Snapshot], error) {
	var l loaded
	err := as.s.core.Views.Once(ctx, func(r store.Reader) (err error) {
		l, err = as.load(ctx, r, id, parts|snapshot.IfSmall)
		return err
	})
	if err != nil {
		return Answer[snapshot.Snapshot]{}, err
	}
	return answer(l.Snapshot, l), nil
}

// loaded is a problem with the catalogue of the same moment.
type loaded struct {
	snapshot.Snapshot
	catalogue   *metadata.Catalogue
	maxWatchers int
}

// OfRevision implements what core.AtRevision asks for.
func (l loaded) OfRevision() int64 { return l.Revision }

func (as Reader) load(ctx context.Context, r store.Reader, id problem.ID, parts snapshot.Parts) (loaded, error) {
	if id < 1 {
		return loaded{}, problemNotFound()
	}
	shown, err := as.reads.Problem(ctx, r, id, parts)
	if fault.Is(err, fault.ProblemNotFound) {
		return loaded{}, problemNotFound()
	}
	if err != nil {
		return loaded{}, err
	}
	catalogue, err := as.s.core.Catalogues.At(ctx, r, shown.Catalogue)
	return loaded{shown, catalogue, as.s.limits.Watchers}, err
}

// onProblem runs a command about one problem. The decision is from the problem and its
// given parts.
func onProblem[T any](ctx context.Context, s *Service, caller Caller, id problem.ID, parts snapshot.Parts, dryRun bool,
	decide func(loaded, changes.Moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return core.Run(ctx, s.core, core.Command[loaded, Answer[T]]{
		Locks:  []writerlocks.Key{writerlocks.Problem(id)},
		DryRun: dryRun,
		Load: func(ctx context.Context, r store.Reader) (loaded, error) {
			return s.As(caller).load(ctx, r, id, parts)
		},
		Once:   true,
		Decide: decide,
	})
}

func problemNotFound() error {
	return fault.New(fault.ProblemNotFound, "there is no problem with this identifier")
}

// answer returns an answer about the loaded problem.
func answer[T any](value T, l loaded) Answer[T] {
	return Answer[T]{Value: value, Catalogue: l.catalogue, Revision: l.Revision}
}

// Watchers returns the watchers in the snapshot, by name, then identifier (D10).
func Watchers(s snapshot.Snapshot, c *metadata.Catalogue) []user.User {
	watchers := make([]user.User, 0, len(s.Watchers))
	for _, id := range s.Watchers {
		if u, ok := c.User(id); ok {
			watchers = append(watchers, u)
		}
	}
	slices.SortFunc(watchers, func(a, b user.User) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), a.ID.Compare(b.ID))
	})
	return watchers
}
