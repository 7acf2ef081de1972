package tracker

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// narrow is a store that has so many Views at a time, as those with a pool of
// connections have.
type narrow struct {
	store.Store
	connections chan struct{}
}

func newNarrow(s store.Store, connections int) narrow {
	return narrow{s, make(chan struct{}, connections)}
}

func (n narrow) connected(ctx context.Context, fn func() error) error {
	select {
	case n.connections <- struct{}{}:
	case <-ctx.Done():
		return store.Ended(ctx)
	}
	defer func() { <-n.connections }()
	return fn()
}

func (n narrow) View(ctx context.Context, fn func(store.Reader) error) error {
	return n.connected(ctx, func() error { return n.Store.View(ctx, fn) })
}

func (n narrow) Versions(ctx context.Context) (v store.Versions, err error) {
	err = n.connected(ctx, func() error { v, err = n.Store.Versions(ctx); return err })
	return v, err
}

// searchingSlowly returns a service whose searches take as long as they may, on a store with four
// connections.
func (s service) searchingSlowly(options ...func(*Options)) *Service {
	waits := finder{have: 1000, find: func(ctx context.Context, q store.Query) ([]store.Hit, error) {
		if len(q.Sort) > 0 { // that which is quick
			return hits(250), nil
		}
		<-ctx.Done()
		return nil, store.Ended(ctx)
	}}
	server, _ := s.finding(waits, append([]func(*Options){func(o *Options) { o.Store = newNarrow(o.Store, 4) }}, options...)...)
	return server
}

var slowSearch = SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE")}}

// However many searches there are, and however long they take, everything else is
// answered at once: loads, writes, what authentication needs, whether the store is
// ready, searches of metadata, and the rest of an answer that has begun.
func TestSearchesLeaveRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.create(t, "T")
		server := s.searchingSlowly()
		quick := SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE"), Sort: patch.Set("title")}}
		streamed, err := server.As(s.admin).Search(t.Context(), quick)
		kit.NoError(t, err)
		var group sync.WaitGroup
		for i := range byte(24) {
			group.Go(func() { _, _ = server.As(by(kit.ID(i%7))).Search(t.Context(), slowSearch) })
			group.Go(func() {
				_, _ = server.UpdateProblems(t.Context(), by(kit.ID(i%7)), UpdateProblems{Write: Write{DryRun: true}, Predicate: slowSearch.Predicate, ProblemPatch: titled("U")})
			})
		}
		synctest.Wait()
		began := time.Now()
		for range 3 {
			_, err := server.As(s.admin).Problem(t.Context(), 1, 0)
			kit.NoError(t, err)
			_, err = admin.New(server.Core(core.Insider{})).Authenticate(t.Context(), kit.Secret)
			kit.NoError(t, err)
			kit.NoError(t, server.Ready(t.Context()))
			_, err = server.As(s.admin).Objects(t.Context(), predicate.User, slowSearch.Search)
			kit.NoError(t, err)
			s.clock.Forward(time.Minute) // what is cached is old
		}
		_, err = server.UpdateProblem(t.Context(), s.admin, 1, UpdateProblem{ProblemPatch: titled("U")})
		kit.NoError(t, err)
		kit.Equal(t, "problems of the answer that had begun", len(numbers(t, streamed)), 250)
		kit.Equal(t, "how long all that took", time.Since(began), time.Duration(0))
		group.Wait()
		kit.Equal(t, "users left", server.searches.Users(), 0)
	})
}

// A search that does not get its turn in time fails, and says so; one whose client has
// gone leaves the line.
func TestSearchWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		server := s.searchingSlowly(func(o *Options) { o.Searches, o.SearchFor, o.WaitFor = 1, 5*time.Second, 2*time.Second })
		var group sync.WaitGroup
		var first error
		group.Go(func() { _, first = server.As(by(kit.Ann)).Search(t.Context(), slowSearch) })
		synctest.Wait()
		began := time.Now()
		_, err := server.As(by(kit.Bob)).Search(t.Context(), slowSearch)
		kit.WantFault(t, err, fault.Unavailable)
		kit.Equal(t, "how long it has waited", time.Since(began), 2*time.Second)

		gone, leave := context.WithCancel(t.Context())
		var left error
		group.Go(func() { _, left = server.As(by(kit.Bob)).Search(gone, slowSearch) })
		synctest.Wait()
		waiting, underWay := server.Searches()
		kit.Equal(t, "searches that wait", waiting, 1)
		kit.Equal(t, "searches under way", underWay, 1)
		leave()
		synctest.Wait()
		waiting, _ = server.Searches()
		kit.Equal(t, "searches that wait", waiting, 0)
		kit.WantFault(t, left, fault.Unavailable)
		kit.Equal(t, "when it left", time.Since(began), 2*time.Second)

		// What is wrong in itself does not wait.
		_, err = server.As(by(kit.Bob)).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("(")}})
		kit.WantFault(t, err, fault.InvalidPredicate)
		_, err = server.UpdateProblems(t.Context(), by(kit.Bob), UpdateProblems{Predicate: slowSearch.Predicate, ProblemPatch: titled("U")})
		kit.WantFault(t, err, fault.PreviewRequired)
		form := fault.List{{Kind: fault.UnknownField, At: fault.At("colour"), Detail: "is not known"}}
		_, err = server.UpdateProblems(t.Context(), by(kit.Bob), UpdateProblems{Write: Write{DryRun: true, Faults: form}, Predicate: slowSearch.Predicate})
		kit.WantFault(t, err, fault.UnknownField, "unknown-field /colour")
		kit.Equal(t, "how long these took", time.Since(began), 2*time.Second)

		// It has its whole time from when its turn comes.
		time.Sleep(2 * time.Second)
		_, err = server.As(by(kit.Bob)).Search(t.Context(), slowSearch)
		kit.WantFault(t, err, fault.QueryTooExpensive)
		kit.Equal(t, "when the second search ended", time.Since(began), 10*time.Second)
		group.Wait()
		kit.WantFault(t, first, fault.QueryTooExpensive)
		waiting, underWay = server.Searches()
		kit.Equal(t, "searches that are left", waiting+underWay, 0)
	})
}
