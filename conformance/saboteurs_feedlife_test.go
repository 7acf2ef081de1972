package conformance

import (
	"context"
	"math"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// refeedArchive is the sabotage that changes the feed of what is restored. fn yields the
// entries as the store gets them.
func refeedArchive(fn func(s *broken, archive store.Archive, yield func(event.Entry, error) bool)) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			changed := archive
			changed.Feed = func(yield func(event.Entry, error) bool) { fn(s, archive, yield) }
			return s.Model.Restore(ctx, changed)
		}
	}
}

// feedLifeSaboteurs are stores with a defect in the feed when they are filled, reopened or
// closed.
func feedLifeSaboteurs() []saboteur {
	return []saboteur{{
		name: "gives restored entries new numbers", caught: "RES-010",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				feed := archive.Feed
				archive.Feed = func(yield func(event.Entry, error) bool) {
					number := int64(0)
					for e, err := range feed {
						number++
						e.Number = number
						if !yield(e, err) {
							return
						}
					}
				}
				return s.Model.Restore(ctx, archive)
			}
		},
	}, {
		name: "begins with the problems' count after a Restore", caught: "RES-010/empty",
		sabotage: func(s *broken) {
			restored := problem.ID(0)
			s.restore = func(ctx context.Context, archive store.Archive) error {
				restored = 41
				return s.Model.Restore(ctx, archive)
			}
			refeed(func(all []event.Entry) []event.Entry {
				if restored > 0 && len(all) > 0 && all[0].Number == 1 {
					return renumbered(all, int64(restored))
				}
				return all
			})(s)
		},
	}, {
		name: "hides an error of the restored feed", caught: "RES-006/feed",
		sabotage: refeedArchive(func(_ *broken, archive store.Archive, yield func(event.Entry, error) bool) {
			for e, err := range archive.Feed {
				if err != nil || !yield(e, nil) {
					return
				}
			}
		}),
	}, {
		name: "ranges over the restored feed to count it first", caught: "RES-008/feed",
		sabotage: refeedArchive(func(_ *broken, archive store.Archive, yield func(event.Entry, error) bool) {
			for range archive.Feed {
			}
			archive.Feed(yield)
		}),
	}, {
		name: "returns one entry too few behind a forgotten one", caught: "READ-001/random",
		sabotage: func(s *broken) {
			s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
				all, err := s.Model.Feed(ctx, 1, math.MaxInt, math.MaxInt64)
				if page := pageOf(all, from, limit, budget); len(page) < 2 || page[0].Number == 1 {
					return page, err
				}
				return pageOf(all, from, limit, budget)[1:], err
			}
		},
	}}
}
