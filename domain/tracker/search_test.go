package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// viewed is a store whose readers are replaced. It counts its Views.
type viewed struct {
	store.Store
	reader      func(store.Reader) store.Reader
	views, open atomic.Int64 // all, and those under way
}

func (v *viewed) View(ctx context.Context, fn func(store.Reader) error) error {
	return v.Store.View(ctx, func(r store.Reader) error {
		v.views.Add(1)
		v.open.Add(1)
		defer v.open.Add(-1)
		return fn(v.reader(r))
	})
}

// finder is a reader that finds what it is told to, and has all problems up to a
// number.
type finder struct {
	store.Reader
	find func(context.Context, store.Query) ([]store.Hit, error)
	have problem.ID
	text int   // bytes of text that each of these has
	err  error // of loading problem 150
}

func (f finder) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	return f.find(ctx, q)
}

func (f finder) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		if id == 150 && f.err != nil {
			return nil, f.err
		}
		if id <= f.have {
			all = append(all, snapshot.Snapshot{Problem: problem.Problem{ID: id},
				Keywords: []problem.Keyword{{Value: problem.NullText{String: strings.Repeat("x", f.text), Valid: true}}}})
		}
	}
	return all, nil
}

// finding returns a service on a store that finds so.
func (s service) finding(f finder, options ...func(*Options)) (*Service, *viewed) {
	v := &viewed{Store: s.memory, reader: func(r store.Reader) store.Reader {
		f := f
		f.Reader = r
		return f
	}}
	o := Options{Store: v, Now: s.clock.Now, Random: zeroes{}, Limits: DefaultLimits()}
	for _, change := range options {
		change(&o)
	}
	return New(o), v
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// hits are so many, from problem 1.
func hits(n int) []store.Hit {
	all := make([]store.Hit, n)
	for i := range all {
		all[i].ID = problem.ID(i + 1)
	}
	return all
}

// numbers returns those of all problems that were found.
func numbers(t *testing.T, found FoundProblems) (ids []problem.ID) {
	t.Helper()
	for _, s := range found.First.Value {
		ids = append(ids, s.ID)
	}
	if found.Rest == nil {
		return ids
	}
	for batch, err := range found.Rest {
		kit.NoError(t, err)
		for _, s := range batch.Value {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// A page comes with the number of all results, as far as it was asked for.
func TestSearchCounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 5 {
		s.create(t, "a")
	}
	for _, c := range []struct {
		to    int
		count int
		all   bool
	}{{0, 0, false}, {1, 1, false}, {4, 4, false}, {5, 5, true}, {100, 5, true}} {
		found, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("title = 'a'"), Limit: patch.Set[int64](2)}, CountTo: c.to})
		kit.NoError(t, err)
		if found.Count != c.count || found.CountedAll != c.all || len(found.First.Value) != 2 || found.Next == nil {
			t.Errorf("counted to %d, there are %d results (%v), %d of them shown", c.to, found.Count, found.CountedAll, len(found.First.Value))
		}
	}
}

// D31: without limit the whole result is sent, and more than 10,000 are no result.
func TestSearchLimits(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct{ limit, there, asked, found int }{
		{0, 10_000, 10_001, 10_000},
		{0, 10_001, 10_001, -1},
		{0, 0, 10_001, 0},
		{1, 5, 2, 1},
		{1000, 1000, 1001, 1000},
		{1000, 1001, 1001, 1000},
	} {
		var limit patch.Field[int64]
		if c.limit > 0 {
			limit = patch.Set(int64(c.limit))
		}
		service, _ := s.finding(finder{have: 20_000, find: func(_ context.Context, q store.Query) ([]store.Hit, error) {
			if q.Limit != c.asked || q.As != s.admin.User || q.Catalogue == nil {
				t.Errorf("limit %d: the query is %+v", c.limit, q)
			}
			return hits(min(c.there, q.Limit)), nil
		}})
		found, err := service.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE"), Limit: limit}})
		if c.found < 0 {
			kit.WantFault(t, err, fault.TooManyResults)
			continue
		}
		kit.NoError(t, err)
		kit.Equal(t, fmt.Sprintf("limit %d of %d", c.limit, c.there), len(numbers(t, found)), c.found)
		kit.Equal(t, "more", found.Next != nil, c.limit > 0 && c.there > c.limit)
	}
	for _, limit := range []int64{-1, 0, 1001, 1<<32 + 1} {
		_, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE"), Limit: patch.Set(limit)}})
		kit.WantFault(t, err, fault.InvalidValue, "invalid-value /limit")
	}
}

// The first batch is of the moment of the search; the others are loaded when they are
// wanted, and nobody who takes his time holds a View.
func TestSearchInBatches(t *testing.T) {
	t.Parallel()
	s := newService(t)
	service, v := s.finding(finder{have: 240, find: func(context.Context, store.Query) ([]store.Hit, error) { return hits(250), nil }})
	found, err := service.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE")}})
	kit.NoError(t, err)
	kit.Equal(t, "views", v.views.Load(), int64(1))
	kit.Equal(t, "first batch", len(found.First.Value), 100)
	var sizes []int
	for batch, err := range found.Rest {
		kit.NoError(t, err)
		sizes = append(sizes, len(batch.Value))
		kit.Equal(t, "views", v.views.Load(), int64(1+len(sizes)))
		kit.Equal(t, "open views", v.open.Load(), int64(0))
		if batch.Catalogue == nil {
			t.Error("a batch without a catalogue")
		}
	}
	kit.Equal(t, "batches", sizes, []int{100, 40}) // what is not there is left out

	for range found.Rest {
		break // whoever has enough
	}
	kit.Equal(t, "views", v.views.Load(), int64(4))
}

// The larger the problems are, the fewer are loaded at once, so that an answer needs
// little memory, however slowly it is taken.
func TestSearchInSmallBatches(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for text, want := range map[int][]int{
		0:         {100, 100, 50},
		1 << 10:   {100, 100, 50},
		1 << 13:   {32, 32, 32, 32, 32, 32, 32, 26},
		1<<15 + 1: append(slices.Repeat([]int{7}, 35), 5),
		1 << 19:   append([]int{4}, slices.Repeat([]int{1}, 246)...),
	} {
		service, _ := s.finding(finder{have: 250, text: text, find: func(context.Context, store.Query) ([]store.Hit, error) { return hits(250), nil }})
		found, err := service.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE")}, Parts: snapshot.Keywords})
		kit.NoError(t, err)
		sizes := []int{len(found.First.Value)}
		next := problem.ID(1)
		check := func(batch []snapshot.Snapshot) {
			for _, s := range batch {
				kit.Equal(t, "the next problem", s.ID, next)
				next++
			}
		}
		check(found.First.Value)
		for batch, err := range found.Rest {
			kit.NoError(t, err)
			sizes = append(sizes, len(batch.Value))
			check(batch.Value)
		}
		kit.Equal(t, fmt.Sprintf("batches of problems of %d bytes", text), sizes, want)
		kit.Equal(t, "all of them", next, problem.ID(251))
	}
}

func TestSearchFailsOnItsWay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	failure := fault.New(fault.Unavailable, "the disk is gone")
	service, _ := s.finding(finder{have: 300, err: failure, find: func(context.Context, store.Query) ([]store.Hit, error) { return hits(250), nil }})
	found, err := service.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE")}})
	kit.NoError(t, err)
	var errs []error
	for _, err := range found.Rest {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], failure) {
		t.Errorf("the rest fails with %v", errs)
	}
}

// The time of a search is limited, and its end is not that of the request.
func TestSearchTakesTooLong(t *testing.T) {
	t.Parallel()
	s := newService(t)
	waits := finder{find: func(ctx context.Context, _ store.Query) ([]store.Hit, error) {
		<-ctx.Done()
		return nil, store.Ended(ctx)
	}}
	service, _ := s.finding(waits, func(o *Options) { o.SearchFor = time.Millisecond })
	cmd := SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE")}}
	_, err := service.As(s.admin).Search(t.Context(), cmd)
	kit.WantFault(t, err, fault.QueryTooExpensive)

	ctx, cancel := context.WithCancel(t.Context())
	leaves := finder{find: func(ctx context.Context, q store.Query) ([]store.Hit, error) {
		cancel()
		return waits.find(ctx, q)
	}}
	service, _ = s.finding(leaves, func(o *Options) { o.SearchFor = time.Hour })
	_, err = service.As(s.admin).Search(ctx, cmd)
	kit.WantFault(t, err, fault.Unavailable)

	// A store that is away is no matter of time.
	away := finder{find: func(context.Context, store.Query) ([]store.Hit, error) {
		return nil, fault.New(fault.Unavailable, "away")
	}}
	service, _ = s.finding(away)
	_, err = service.As(s.admin).Search(t.Context(), cmd)
	kit.WantFault(t, err, fault.Unavailable)

	service, _ = s.finding(finder{}, func(o *Options) { o.SearchFor = -1 })
	_, err = service.As(s.admin).Objects(t.Context(), predicate.User, Search{Predicate: patch.Set("TRUEPREDICATE")})
	kit.WantFault(t, err, fault.QueryTooExpensive)
}

// More metadata than a search may find is no result either.
