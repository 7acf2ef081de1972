package storebench

import (
	"context"
	"fmt"
	"slices"

	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// filled is a store with a data set in it.
type filled struct {
	store.Store
	catalogue *metadata.Catalogue
	user      ident.ID     // the caller: the user with the most problems
	loaded    []problem.ID // the problems with the right number of log entries
	writers   []*writer    // as many as there are clients at most
	plan      *predicate.Plan
}

// fill restores the data set into the store, and chooses the problems for the benchmarks.
func fill(ctx context.Context, s store.Store) (*filled, error) {
	archive := dataset.New(Problems).Archive()
	f := &filled{Store: s, user: archive.Metadata.Users[dataset.Busiest].ID}
	var patched []store.Dossier
	all := archive.Problems
	archive.Problems = func(yield func(store.Dossier, error) bool) {
		for d, err := range all {
			switch {
			case err != nil:
			case len(patched) < slices.Max(clients) && slices.Contains(d.Readers, f.user):
				// A patch of a problem read by the user marks nothing as read.
				patched = append(patched, d)
			case len(d.Log) == logged:
				f.loaded = append(f.loaded, d.ID)
			}
			if !yield(d, err) {
				return
			}
		}
	}
	if err := s.Restore(ctx, archive); err != nil {
		return nil, err
	}
	err := s.View(ctx, func(r store.Reader) (err error) {
		f.catalogue, err = r.Catalogue(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(patched) < slices.Max(clients) || len(f.loaded) < 2 {
		return nil, fmt.Errorf("the data set has %d problems to be patched and %d to be loaded", len(patched), len(f.loaded))
	}
	for n, d := range patched {
		f.writers = append(f.writers, newWriter(f, d, archive.BatchOf(d), byte(n)))
	}
	f.plan, err = check.Compile(searched, predicate.Problem, predicate.Env{User: f.user})
	return f, err
}
