package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Unreadable is a problem that cannot be read with all its parts, or another record.
type Unreadable struct {
	Problem problem.ID // 0 for another record
	Err     error      // for operators
}

// FindUnreadable reads all records, as an export does, and returns the problems that cannot be
// read, in the order of their numbers: at most this many. Without any, it returns the first
// record that cannot be read. It fails when the store is away.
func FindUnreadable(ctx context.Context, s store.Store, most int) ([]Unreadable, error) {
	_, failed := export(ctx, s, io.Discard)
	if failed == nil {
		return nil, nil
	}
	if !unreadable(failed) {
		return nil, explain(ctx, failed)
	}
	found, err := unreadableProblems(ctx, s, most)
	if err == nil && len(found) == 0 {
		found = []Unreadable{{Err: explain(ctx, failed)}}
	}
	return found, err
}

// unreadableProblems reads the problems one after the other.
func unreadableProblems(ctx context.Context, s store.Store, most int) (found []Unreadable, err error) {
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
		next, failed := following(ctx, s, last)
		if failed != nil {
			return found, explain(ctx, failed)
		}
		if next == 0 { // it is gone by now, or the store fails with more than a problem
			return found, explain(ctx, err)
		}
		found = append(found, Unreadable{next, explain(ctx, err)})
		last = next
	}
	return found, nil
}

// following returns the number of the problem behind another one, whether it can be read or not;
// 0 when there is none. It asks for the number alone, and for no metadata.
func following(ctx context.Context, s store.Store, last problem.ID) (next problem.ID, err error) {
	plan, err := check.Compile("TRUEPREDICATE", predicate.Problem, predicate.Env{})
	if err != nil {
		return 0, err
	}
	none := metadata.NewCatalogue(ident.Version{}, metadata.Content{})
	err = s.View(ctx, func(r store.Reader) error {
		hits, err := r.Search(ctx, store.Query{Plan: plan, After: &store.Hit{ID: last}, Limit: 1, Catalogue: none})
		if len(hits) > 0 {
			next = hits[0].ID
		}
		return err
	})
	return next, err
}

// unreadable reports whether the store has failed in a way that does not pass by itself.
func unreadable(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.Internal
}

// explainRead is explain for the store that is read.
func explainRead(ctx context.Context, err error) error {
	explained := explain(ctx, err)
	if unreadable(err) && ctx.Err() == nil {
		return fmt.Errorf(`%w; "problems doctor --records" says which problems cannot be read`, explained)
	}
	return explained
}
