package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Unreadable is a problem that cannot be read with all its parts.
type Unreadable struct {
	Problem problem.ID
	Err     error // for operators
}

// FindUnreadable reads all problems, one after the other, and returns those that cannot be
// read, in the order of their numbers: at most this many. It fails when the store is away.
func FindUnreadable(ctx context.Context, s store.Store, most int) (found []Unreadable, err error) {
	var last problem.ID
	for len(found) < most {
		// A failed read may end a View.
		err := s.View(ctx, func(r store.Reader) error {
			for {
				next, err := r.Dossiers(ctx, last, 1)
				if err != nil || len(next) == 0 {
					return err
				}
				last = next[0].ID
			}
		})
		if err == nil {
			break
		}
		if !unreadable(err) {
			return found, explain(ctx, err)
		}
		id, away := following(ctx, s, last)
		if away != nil {
			return found, explain(ctx, away)
		}
		found = append(found, Unreadable{id, explain(ctx, err)})
		last = id
	}
	return found, nil
}

// following returns the number of the problem behind another one, whether it can be read or not.
func following(ctx context.Context, s store.Store, last problem.ID) (problem.ID, error) {
	for id := last + 1; ; id++ {
		err := s.View(ctx, func(r store.Reader) error {
			_, err := r.Problem(ctx, id, ident.None, 0)
			return err
		})
		if err == nil || unreadable(err) {
			return id, nil
		}
		if !fault.Is(err, fault.ProblemNotFound) {
			return 0, err
		}
	}
}

// unreadable reports whether the store itself has failed with data of its own.
func unreadable(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.Internal
}

// explainRead is explain for the store that is read.
func explainRead(ctx context.Context, err error) error {
	explained := explain(ctx, err)
	if unreadable(err) && ctx.Err() == nil {
		return fmt.Errorf(`%w; "problems doctor --records" names all problems that cannot be read`, explained)
	}
	return explained
}
