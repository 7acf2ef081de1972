package tracker

import (
	"context"
	"iter"
	"time"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// portionText is the limit in bytes of one read of a log or of comments, and
	// portionCount the limit of its entries or comments.
	portionText  = 256 << 10
	portionCount = 1000
	// portionFor is the time limit of one read. A whole log may take as long as the
	// client needs to read it.
	portionFor = 10 * time.Second
)

// Log returns the log of a problem in portions, as of the given snapshot. It leaves out
// the first skip entries and returns at most limit. Each portion is read during the
// iteration, in a View of its own, so a slow client holds no View. Entries added
// meanwhile are left out. An error ends the iteration.
func (s *Service) Log(ctx context.Context, shown store.Snapshot, skip, limit int) iter.Seq2[[]problem.LogEntry, error] {
	return portions(ctx, s, skip, limit, func(ctx context.Context, r store.Reader, skip, limit int) ([]problem.LogEntry, error) {
		entries, err := r.Log(ctx, shown.ID, skip, limit, portionText)
		for i := range entries {
			if entries[i].Revision > shown.Revision {
				return entries[:i], err
			}
		}
		return entries, err
	})
}

// Comments returns the comments of a problem in the same way. Comments added meanwhile
// come last.
func (s *Service) Comments(ctx context.Context, shown store.Snapshot, skip, limit int) iter.Seq2[[]problem.Comment, error] {
	return portions(ctx, s, skip, limit, func(ctx context.Context, r store.Reader, skip, limit int) ([]problem.Comment, error) {
		return r.Comments(ctx, shown.ID, skip, limit, portionText)
	})
}

func portions[T any](ctx context.Context, s *Service, skip, limit int, read func(context.Context, store.Reader, int, int) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for limit > 0 {
			var portion []T
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), portionFor)
			err := s.store.View(bounded, func(r store.Reader) (err error) {
				store.Last(r)
				portion, err = read(bounded, r, skip, min(limit, portionCount))
				return err
			})
			cancel()
			if err != nil {
				yield(nil, err)
				return
			}
			if len(portion) == 0 || !yield(portion, nil) {
				return
			}
			skip, limit = skip+len(portion), limit-len(portion)
		}
	}
}
