package conformance

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// refeed is the sabotage that returns another feed: fn gets a copy of all entries.
func refeed(fn func([]event.Entry) []event.Entry) func(*broken) {
	return func(s *broken) {
		s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
			all, err := s.Model.Feed(ctx, 1, math.MaxInt, math.MaxInt64)
			return pageOf(fn(all), from, limit, budget), err
		}
	}
}

// pageOf returns the entries of a feed that Feed would return.
func pageOf(all []event.Entry, from int64, limit int, budget int64) (page []event.Entry) {
	for _, e := range all {
		if e.Number >= from && len(page) < limit && (len(page) == 0 || budget > 0) {
			page = append(page, e)
			budget -= e.Size()
		}
	}
	return page
}

// renumbered gives entries the numbers from that of the first one on.
func renumbered(all []event.Entry, first int64) []event.Entry {
	for i := range all {
		all[i].Number = first + int64(i)
	}
	return all
}

// onFeed is the sabotage that changes the stored feed after some Commits.
func onFeed(after func(store.Change, []event.Entry) []event.Entry) func(*broken) {
	return func(s *broken) {
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			receipt, err := s.Model.Commit(ctx, change)
			s.Mu.Lock()
			defer s.Mu.Unlock()
			next := s.Now.Clone()
			next.Events = after(change, next.Events)
			s.Now = next
			return receipt, err
		}
	}
}

// early is a feed with numbers from a counter before the Commit.
type early struct {
	mu      sync.Mutex
	last    int64
	numbers map[ident.ID]int64
}

// sabotage takes the number, lingers, and then commits.
func (f *early) sabotage(s *broken) {
	f.numbers = make(map[ident.ID]int64)
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		f.mu.Lock()
		if _, known := f.numbers[change.Batch]; !known {
			f.last++
			f.numbers[change.Batch] = f.last
		}
		f.mu.Unlock()
		if len(change.Effects) > 10 {
			linger()
		}
		return s.Model.Commit(ctx, change)
	}
}

// of returns the entries with these numbers, in their order.
func (f *early) of(all []event.Entry) []event.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range all {
		all[i].Number = f.numbers[all[i].Batch]
	}
	slices.SortFunc(all, func(a, b event.Entry) int { return int(a.Number - b.Number) })
	return all
}

// feedSaboteurs are stores with a defect in the feed.
func feedSaboteurs() []saboteur {
	return slices.Concat(entryOrderSaboteurs(), entrySaboteurs(), feedReadSaboteurs(), feedViewSaboteurs())
}

// entryOrderSaboteurs number or order entries in the wrong way.
func entryOrderSaboteurs() []saboteur {
	return []saboteur{{
		name: "numbers entries before their Commits", caught: "FEED-003/at-once",
		sabotage: func(s *broken) {
			f := new(early)
			f.sabotage(s)
			refeed(f.of)(s)
		},
	}, {
		name: "skips entries that come late", caught: "FEED-003/at-once",
		sabotage: func(s *broken) {
			f := new(early)
			f.sabotage(s)
			var mu sync.Mutex
			var shown []event.Entry
			known := make(map[ident.ID]bool)
			latest := int64(0)
			refeed(func(all []event.Entry) []event.Entry {
				all = f.of(all)
				mu.Lock()
				defer mu.Unlock()
				for _, e := range all {
					if e.Number > latest && !known[e.Batch] {
						latest, known[e.Batch] = e.Number, true
						shown = append(shown, e)
					}
				}
				return renumbered(bench.CloneFeed(shown), 1)
			})(s)
		},
	}, {
		name: "gives a number twice", caught: "FEED-001",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i := range all {
				all[i].Number = max(1, all[i].Number-1)
			}
			return all
		}),
	}, {
		name: "orders entries by time", caught: "FEED-005",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			slices.SortStableFunc(all, func(a, b event.Entry) int { return a.At.Compare(b.At) })
			return renumbered(all, 1)
		}),
	}, {
		name: "swaps entries of one problem", caught: "FEED-005/one-problem",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i := 10; i+1 < len(all); i += 10 {
				all[i], all[i+1] = all[i+1], all[i]
			}
			return renumbered(all, 1)
		}),
	}, {
		name: "mixes up entries of different times", caught: "FEED-005/at-once",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i := 0; i+bench.Writers < len(all); i += bench.Writers + 1 {
				all[i], all[i+bench.Writers] = all[i+bench.Writers], all[i]
			}
			return renumbered(all, 1)
		}),
	}}
}

// entrySaboteurs make the wrong entries.
func entrySaboteurs() []saboteur {
	return []saboteur{{
		name: "returns half of an entry", caught: "FEED-002",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i, e := range all {
				all[i].Events = e.Events[:(len(e.Events)+1)/2]
			}
			return all
		}),
	}, {
		name: "makes no entry beside a token", caught: "FEED-002/every-kind",
		sabotage: alter(func(change *store.Change) {
			if slices.ContainsFunc(change.Effects, func(e store.Effect) bool { _, ok := e.(store.PutToken); return ok }) {
				change.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool { _, ok := e.(store.Publish); return ok })
			}
		}),
	}, {
		name: "makes an entry of a refused Change", caught: "FEED-002/refused",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if err != nil {
					s.Mu.Lock()
					next := s.Now.Clone()
					next.Enter(change)
					s.Now = next
					s.Mu.Unlock()
				}
				return receipt, err
			}
		},
	}, {
		name: "shows an entry a while after its Commit", caught: "FEED-002/at-once",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			if n := len(all); n > 4 && n%3 == 0 {
				return all[:n-1]
			}
			return all
		}),
	}, {
		name: "trims titles of events", caught: "FEED-002/all-members",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i := range all {
				for j := range all[i].Events {
					all[i].Events[j].Title = strings.TrimSpace(all[i].Events[j].Title)
				}
			}
			return all
		}),
	}, {
		name: "cuts long values of events", caught: "FEED-002/large",
		sabotage: refeed(func(all []event.Entry) []event.Entry {
			for i := range all {
				for j := range all[i].Events {
					for k, l := range all[i].Events[j].Lines {
						all[i].Events[j].Lines[k].From = l.From[:min(len(l.From), 64<<10)]
					}
				}
			}
			return all
		}),
	}}
}

// feedReadSaboteurs answer reads of the feed in the wrong way.
func feedReadSaboteurs() []saboteur {
	return []saboteur{{
		name: "ignores the budget", caught: "FEED-006",
		sabotage: func(s *broken) {
			s.feed = func(ctx context.Context, from int64, limit int, _ int64) ([]event.Entry, error) {
				return s.Model.Feed(ctx, from, limit, math.MaxInt64)
			}
		},
	}, {
		name: "reads the feed when the context is over", caught: "FEED-007",
		sabotage: func(s *broken) {
			s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
				return s.Model.Feed(context.WithoutCancel(ctx), from, limit, budget)
			}
		},
	}, {
		name: "takes the oldest entry for the newest", caught: "FEED-008",
		sabotage: func(s *broken) {
			s.ends = func(ctx context.Context) (oldest, newest event.Entry, err error) {
				oldest, _, err = s.Model.FeedEnds(ctx)
				return oldest, oldest, err
			}
		},
	}, {
		name: "forgets the newest entry", caught: "FEED-009",
		sabotage: onFeed(func(change store.Change, all []event.Entry) []event.Entry {
			for _, effect := range change.Effects {
				if forget, ok := effect.(store.ForgetFeed); ok && len(all) > 0 && forget.Through >= all[len(all)-1].Number {
					return nil
				}
			}
			return all
		}),
	}}
}

// feedViewSaboteurs show one thing in the feed and another in a View, or share their memory.
func feedViewSaboteurs() []saboteur {
	return []saboteur{{
		name: "shows Views a Change later than the feed", caught: "VIEW-001/feed",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				before := s.world()
				receipt, err := s.Model.Commit(ctx, change)
				s.stale.Store(before)
				linger()
				s.stale.CompareAndSwap(before, nil)
				return receipt, err
			}
			s.reader = func(r *shown) {
				if old := s.stale.Load(); old != nil {
					r.Reader = old
				}
			}
		},
	}, {
		name: "publishes a Change before it is stored", caught: "COM-001/feed",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if len(change.Effects) > 10 {
					s.Mu.Lock()
					before := s.Now
					half := before.Clone()
					half.Enter(change)
					s.Now = half
					s.Mu.Unlock()
					linger()
					s.Mu.Lock()
					if s.Now == half {
						s.Now = before
					}
					s.Mu.Unlock()
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "shows a Reader the feed of now", caught: "READ-022",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
					return s.world().Feed(ctx, from, limit, budget)
				}
			}
		},
	}, {
		name: "shares its entries with the caller", caught: "ALIAS-001/feed",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			var shared []event.Entry
			s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
				all, err := s.Model.Feed(ctx, 1, math.MaxInt, math.MaxInt64)
				mu.Lock()
				defer mu.Unlock()
				if len(all) > len(shared) {
					shared = append(shared, all[len(shared):]...)
				}
				return pageOf(shared, from, limit, budget), err
			}
		},
	}}
}
