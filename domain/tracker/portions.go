package tracker

import (
	"context"
	"iter"
	"time"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
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
func (as Reader) Log(ctx context.Context, shown snapshot.Snapshot, skip, limit int) iter.Seq2[[]problem.LogEntry, error] {
	return portions(ctx, as.s, skip, limit, func(ctx context.Context, r store.Reader, skip, limit int) ([]problem.LogEntry, error) {
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
// come last. Deleted comments are among them: skip and limit count their places (D44).
func (as Reader) Comments(ctx context.Context, shown snapshot.Snapshot, skip, limit int) iter.Seq2[[]problem.Comment, error] {
	return portions(ctx, as.s, skip, limit, func(ctx context.Context, r store.Reader, skip, limit int) ([]problem.Comment, error) {
		return r.Comments(ctx, shown.ID, skip, limit, portionText)
	})
}

// Lengths returns the number of entries in the log of a problem, as of the given snapshot,
// and the number of comments among them.
func (as Reader) Lengths(ctx context.Context, shown snapshot.Snapshot) (entries, comments int, err error) {
	err = as.s.core.Store.View(ctx, func(r store.Reader) (err error) {
		entries, err = core.Length(func(n int) (bool, error) {
			one, err := r.Log(ctx, shown.ID, n, 1, 1)
			return len(one) > 0 && one[0].Revision <= shown.Revision, err
		})
		if err != nil {
			return err
		}
		comments, err = core.Length(func(n int) (bool, error) {
			one, err := r.Comments(ctx, shown.ID, n, 1, 1)
			return len(one) > 0, err
		})
		if err != nil {
			return err
		}
		since, err := r.Log(ctx, shown.ID, entries, portionCount, portionText)
		for _, e := range since {
			if e.Type == problem.CommentAdded {
				comments--
			}
		}
		return err
	})
	return entries, max(comments, 0), err
}

func portions[T any](ctx context.Context, s *Service, skip, limit int, read func(context.Context, store.Reader, int, int) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for limit > 0 {
			var portion []T
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), portionFor)
			err := s.core.Store.View(bounded, func(r store.Reader) (err error) {
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

const (
	// mostAtOnce is the largest number of small problems loaded at once. They should
	// have at most textAtOnce bytes of text. Large problems come without their parts.
	mostAtOnce = 100
	textAtOnce = 256 << 10
	// firstAtOnce is the number of problems loaded before their sizes are known.
	firstAtOnce = 4
)

// nextCount returns the number of problems to load next, on the assumption that they
// are like the last ones.
func nextCount(last []snapshot.Snapshot) int {
	text := 0
	for _, s := range last {
		text += textOf(s)
	}
	if text == 0 {
		return mostAtOnce
	}
	return max(1, min(mostAtOnce, len(last)*textAtOnce/text))
}

// textOf estimates the bytes of text of a problem.
func textOf(s snapshot.Snapshot) int {
	n := int(s.TextSize())
	for _, k := range s.Keywords {
		n += len(k.Name) + len(k.Value.String)
	}
	for _, e := range s.Log {
		n += len(e.From) + len(e.To)
	}
	return n
}

// firstHits loads the first problems of a search in the View of the search, and returns
// the remaining hits.
func (as Reader) firstHits(ctx context.Context, r store.Reader, hits []store.Hit, parts snapshot.Parts) (first Answer[[]snapshot.Snapshot], rest []store.Hit, err error) {
	n := min(len(hits), firstAtOnce)
	if first, err = as.loadHits(ctx, r, hits[:n], parts); err != nil {
		return first, nil, err
	}
	rest = hits[n:]
	// Most problems are small, and so are most pages. Then this load is the last one.
	n = min(len(rest), nextCount(first.Value)-n)
	if n <= 0 {
		return first, rest, nil
	}
	more, err := as.loadHits(ctx, r, rest[:n], parts)
	if first.Value == nil {
		return more, rest[n:], err
	}
	first.Value = append(first.Value, more.Value...)
	return first, rest[n:], err
}

// rest loads some problems at once, each time in a View of its own. So a slow client holds
// no View. last are the problems loaded before.
func (as Reader) rest(ctx context.Context, hits []store.Hit, parts snapshot.Parts, last []snapshot.Snapshot) iter.Seq2[Answer[[]snapshot.Snapshot], error] {
	size := nextCount(last)
	return func(yield func(Answer[[]snapshot.Snapshot], error) bool) {
		for hits, size := hits, size; len(hits) > 0; {
			some := hits[:min(len(hits), size)]
			var found Answer[[]snapshot.Snapshot]
			err := as.s.core.Store.View(ctx, func(r store.Reader) (err error) {
				found, err = as.loadHits(ctx, r, some, parts)
				return err
			})
			if !yield(found, err) || err != nil {
				return
			}
			hits, size = hits[len(some):], nextCount(found.Value)
		}
	}
}

// loadHits loads the problems of the hits.
func (as Reader) loadHits(ctx context.Context, r store.Reader, hits []store.Hit, parts snapshot.Parts) (a Answer[[]snapshot.Snapshot], err error) {
	if len(hits) == 0 {
		return a, nil
	}
	ids := make([]problem.ID, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	if a.Value, err = as.reads.Problems(ctx, r, ids, parts|snapshot.IfSmall); err != nil || len(a.Value) == 0 {
		return a, err
	}
	a.Catalogue, err = as.s.core.Catalogues.At(ctx, r, a.Value[0].Catalogue)
	return a, err
}
