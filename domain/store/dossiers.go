package store

import (
	"context"
	"iter"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

// Problems are read in pages: small enough to fit in memory, and large enough to make the
// calls cheap.
const (
	pageProblems = 200     // the most problems of a page
	pageSize     = 8 << 20 // the most bytes of a page with more than one problem, by problem.Size
)

// DossierReader is the part of Reader used by AllDossiers.
type DossierReader interface {
	Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error)
	Dossiers(ctx context.Context, after problem.ID, limit int) ([]Dossier, error)
}

// AllDossiers returns all problems with all their parts, in ascending order. It reads at
// most 8 MiB of them at a time, or one problem. An error ends them, and is the reader's own.
func AllDossiers(ctx context.Context, r DossierReader) iter.Seq2[Dossier, error] {
	return func(yield func(Dossier, error) bool) {
		var last problem.ID
		var ahead []snapshot.Snapshot // the next problems, for their sizes
		for {
			var err error
			if len(ahead) == 0 {
				if ahead, err = r.Problems(ctx, following(last), ident.None, 0); err != nil {
					yield(Dossier{}, err)
					return
				}
			}
			fitting := fittingIn(ahead, pageSize)
			ahead = ahead[fitting:]
			limit := max(1, fitting) // there may be problems behind a gap
			page, err := r.Dossiers(ctx, last, limit)
			if err != nil {
				yield(Dossier{}, err)
				return
			}
			for _, d := range page {
				if !yield(d, nil) {
					return
				}
				last = d.ID
			}
			if len(page) < limit {
				return
			}
		}
	}
}

// following returns the numbers of the problems of a page, if there is no gap.
func following(last problem.ID) []problem.ID {
	ids := make([]problem.ID, pageProblems)
	for i := range ids {
		ids[i] = last + 1 + problem.ID(i)
	}
	return ids
}

// fittingIn returns how many of the first problems fit in a page of this size: at least
// one, if there is any.
func fittingIn(problems []snapshot.Snapshot, size int64) int {
	for i := range problems {
		if size -= problems[i].Size; size < 0 {
			return max(1, i)
		}
	}
	return len(problems)
}
