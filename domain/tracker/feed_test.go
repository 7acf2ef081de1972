package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/feedhub"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// follow returns a Follower that ends with the test.
func (s service) follow(t *testing.T, caller Caller, cmd Follow) *Follower {
	t.Helper()
	f, err := s.As(caller).Follow(t.Context(), cmd)
	kit.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

func nextPage(t *testing.T, f *Follower) EventPage {
	t.Helper()
	page, err := f.Next(t.Context())
	kit.NoError(t, err)
	return page
}

// titles describes the events of a page.
func titles(page EventPage) (all []string) {
	for _, e := range page.Events {
		all = append(all, fmt.Sprint(e.Type, " ", e.Title, e.Name))
	}
	return all
}

func TestFollowShowsWhatTheScopeAllows(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lamp := s.create(t, "Lamp")
	s.create(t, "Door")
	_, err := s.UpdateProblem(t.Context(), s.admin, lamp, UpdateProblem{ProblemPatch: titled("Lamp is dark")})
	kit.NoError(t, err)
	s.issue(t, access.Read)
	reader := s.admin
	reader.Scope = access.Read

	all := titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 1000})))
	if n := len(all); n < 16 || all[n-1] != "token.created Administrator" {
		t.Errorf("an administrator sees %q, want the seed, three events of problems, and the token", all)
	}
	for _, test := range []struct {
		rule string
		cmd  Follow
		want []string
	}{
		{"a reader sees problems alone", Follow{Limit: 1000}, []string{"problem.created Lamp", "problem.created Door", "problem.changed Lamp is dark"}},
		{"of one problem", Follow{Limit: 1000, Problem: lamp}, []string{"problem.created Lamp", "problem.changed Lamp is dark"}},
		{"of problems that satisfy a predicate now", Follow{Limit: 1000, Predicate: patch.Set(`title CONTAINS "dark"`)}, []string{"problem.created Lamp", "problem.changed Lamp is dark"}},
		{"of none", Follow{Limit: 1000, Predicate: patch.Set(`title = "Lamp"`)}, nil},
		{"behind the newest", Follow{Limit: 1000, Now: true}, nil},
	} {
		f := s.follow(t, reader, test.cmd)
		page := nextPage(t, f)
		kit.Equal(t, test.rule, titles(page), test.want)
		if !page.End {
			t.Errorf("%s: the page does not reach the end of the feed", test.rule)
		}
		kit.Equal(t, test.rule+": the next page", titles(nextPage(t, f)), []string(nil))
	}
	kit.Equal(t, "an administrator's predicate", titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 1000, Predicate: patch.Set(`title BEGINSWITH "Door"`)}))), []string{"problem.created Door"})
}

// farFetched returns a predicate that refers to 45 objects, where 32 are allowed.
func farFetched() string {
	var conditions []string
	for n := range 9 {
		conditions = append(conditions, "component"+strings.Repeat(".parent", n)+strings.Repeat(".successor", 8-n)+".name = 'x'")
	}
	return strings.Join(conditions, " OR ")
}

// enlarge gives an event of the newest entry a text of so many bytes.
func (s service) enlarge(event, bytes int) {
	s.memory.Edit(func(all *kit.State) {
		all.Feed[len(all.Feed)-1].Events[event].Lines[0].To = problem.LogText(strings.Repeat("x", bytes))
	})
}

// Long events end a page before its limit, in the middle of an entry as well. The budget of
// the request holds the page, and no more.
func TestPagesOfLongEventsAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	start := s.follow(t, s.admin, Follow{Limit: 1, Now: true}).Position()
	var want []string
	for i, bytes := range []int{100, 300 << 10, 700 << 10, 100, PageBytes - 100, 100, 3 << 20, 100, 400 << 10, 400 << 10, 400 << 10} {
		title := fmt.Sprint("Problem ", i)
		s.create(t, title)
		s.enlarge(0, bytes)
		want = append(want, "problem.created "+title)
	}
	_, err := s.AddRelationship(t.Context(), s.admin, 1, Relate{Type: patch.Set(string(relationship.BlockerOf)), Other: patch.Set[problem.ID](2)})
	kit.NoError(t, err) // one entry with two events
	s.enlarge(0, 600<<10)
	s.enlarge(1, 600<<10)
	want = append(want, "problem.changed Problem 0", "problem.changed Problem 1")
	for _, limit := range []int{1, 2, 3, 1000} {
		b := budget.New(64 << 20)
		account := b.Open(nil)
		f, err := s.As(s.admin).Follow(budget.With(t.Context(), account), Follow{Limit: limit, After: start})
		kit.NoError(t, err)
		var got []string
		for {
			page, err := f.Next(budget.With(t.Context(), account))
			kit.NoError(t, err)
			var size int64
			for _, e := range page.Events {
				size += e.Size()
			}
			if page.Size != size || size > PageBytes && len(page.Events) > 1 {
				t.Fatalf("a page has %d events of %d bytes, and says %d", len(page.Events), size, page.Size)
			}
			if held, _ := b.Held(); held > page.Size || held < min(page.Size, PageBytes) {
				t.Errorf("with a page of %d bytes the budget holds %d", page.Size, held)
			}
			if len(page.Events) == 0 {
				break
			}
			got = append(got, titles(page)...)
			if again := titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: limit, After: page.Events[0].Cursor}))); len(page.Events) > 1 && again[0] != got[len(got)-len(page.Events)+1] {
				t.Errorf("behind the first event of a page there is %q", again[0])
			}
		}
		kit.Equal(t, fmt.Sprint("the events by ", limit), got, want)
		account.Close()
	}
}

// A page waits for memory, and fails when there is none in time. A later one has its events.
func TestFollowWaitsForMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		start := s.follow(t, s.admin, Follow{Limit: 1, Now: true}).Position()
		f := s.follow(t, s.admin, Follow{Limit: 10, After: start})
		s.create(t, "Lamp")
		b := budget.New(8 << 20)
		others := b.Open(nil)
		others.Add(8 << 20)
		account := b.Open(nil)
		account.For(s.admin.User)
		_, err := f.Next(budget.With(t.Context(), account))
		kit.WantFault(t, err, fault.Unavailable)
		others.Close()
		page, err := f.Next(budget.With(t.Context(), account))
		kit.NoError(t, err)
		kit.Equal(t, "the events", titles(page), []string{"problem.created Lamp"})
	})
}

func TestFollowRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.create(t, "Lamp")
	whole := nextPage(t, s.follow(t, s.admin, Follow{Limit: 1000}))
	last := whole.Next
	for _, test := range []struct {
		rule string
		cmd  Follow
		kind fault.Kind
	}{
		{"limit 0", Follow{Limit: 0}, fault.MalformedRequest},
		{"limit 1001", Follow{Limit: 1001}, fault.MalformedRequest},
		{"a wrong predicate", Follow{Limit: 1, Predicate: patch.Set("title =")}, fault.InvalidPredicate},
		{"a predicate with too many references", Follow{Limit: 1, Predicate: patch.Set(farFetched())}, fault.QueryTooExpensive},
		{"a cursor of another history", Follow{Limit: 1, After: event.Cursor{Number: last.Number, Index: last.Index, Batch: ident.ID{1}}}, fault.CursorGone},
		{"a cursor of the future", Follow{Limit: 1, After: event.Cursor{Number: last.Number + 1, Index: 1, Batch: last.Batch}}, fault.CursorGone},
		{"a cursor in front of an entry of another history", Follow{Limit: 1, After: event.Cursor{Number: last.Number, Batch: ident.ID{1}}}, fault.CursorGone},
		{"a cursor behind its entry", Follow{Limit: 1, After: event.Cursor{Number: last.Number, Index: last.Index + 1, Batch: last.Batch}}, fault.CursorGone},
	} {
		_, err := s.As(s.admin).Follow(t.Context(), test.cmd)
		if !fault.Is(err, test.kind) {
			t.Errorf("%s: %v, want %s", test.rule, err, test.kind)
		}
		if gone, ok := errors.AsType[*GoneError](err); ok != (test.kind == fault.CursorGone) || ok && (gone.Oldest != event.Start || gone.Newest != last) {
			t.Errorf("%s: the ends of the feed are %+v, want the start and %+v", test.rule, gone, last)
		}
	}
}

// A Follower is woken by a Commit of its own process at once, and by others at the next
// look.
func TestFollowWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, clock := kit.NewMemory(), kit.NewClock()
		here, there := newServer(memory, clock), newServer(memory, clock)
		admin := seeded(t, here)
		f, err := here.As(admin).Follow(t.Context(), Follow{Limit: 10, Now: true})
		kit.NoError(t, err)
		defer f.Close()
		for _, test := range []struct {
			by    *Service
			limit time.Duration
		}{{here, 0}, {there, 500 * time.Millisecond}, {here, 5250 * time.Microsecond}, {there, 500 * time.Millisecond}} {
			if page := nextPage(t, f); len(page.Events) > 0 {
				t.Fatalf("there are events before anything happened: %q", titles(page))
			}
			synctest.Wait()
			began := time.Now()
			_, err := test.by.CreateProblem(t.Context(), admin, CreateProblem{ProblemPatch: titled("Lamp")})
			kit.NoError(t, err)
			for {
				kit.NoError(t, f.Wait(t.Context()))
				if page := nextPage(t, f); len(page.Events) > 0 {
					kit.Equal(t, "the events", titles(page), []string{"problem.created Lamp"})
					break
				}
			}
			if took := time.Since(began); took > test.limit {
				t.Errorf("the event took %v, want at most %v", took, test.limit)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		kit.WantFault(t, f.Wait(ctx), fault.Unavailable)
	})
}

// Under load, a Follower with a predicate takes several events at a time, so it searches at
// most four times a second. The first event after a quiet time still comes at once.
func TestFollowWithPredicatePacesItsSearches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.use(New(Options{Store: s.memory, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits()}))
		f, err := s.As(s.admin).Follow(t.Context(), Follow{Limit: 1000, Now: true, Predicate: patch.Set(`title BEGINSWITH "Lamp"`)})
		kit.NoError(t, err)
		defer f.Close()
		nextPage(t, f)
		began := time.Now()
		const events = 100
		go func() {
			for n := range events {
				s.create(t, fmt.Sprint("Lamp ", n))
				time.Sleep(30 * time.Millisecond)
			}
		}()
		pages, seen := 0, 0
		for seen < events {
			kit.NoError(t, f.Wait(t.Context()))
			page := nextPage(t, f)
			if seen == 0 && time.Since(began) > 10*time.Millisecond {
				t.Errorf("the first event came after %v", time.Since(began))
			}
			pages, seen = pages+1, seen+len(page.Events)
		}
		if took := time.Since(began); pages > 2+int(took/searchPace) || took > events*30*time.Millisecond+searchPace {
			t.Errorf("%d events took %v and %d searches", seen, took, pages)
		}
		began = time.Now()
		s.create(t, "Lamp") // just after a search
		ctx, cancel := context.WithTimeout(t.Context(), searchPace/2)
		defer cancel()
		kit.WantFault(t, f.Wait(ctx), fault.Unavailable)
		kit.NoError(t, f.Wait(t.Context()))
		if took := time.Since(began); took > searchPace {
			t.Errorf("a Wait in two parts took %v", took)
		}
		synctest.Wait()
	})
}

// bearing is a reader that loads no more than so many problems at once while its search lasts.
type bearing struct {
	store.Reader
	most, failed *atomic.Int32
}

func (r bearing) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	if len(ids) > int(r.most.Load()) {
		r.failed.Add(1)
		<-ctx.Done()
		return nil, store.Ended(ctx)
	}
	return r.Reader.Problems(ctx, ids, as, parts)
}

// The wait for a connection is not time of a search.
func TestFollowWithPredicateWaitsForTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		n := newNarrow(s.memory, 1)
		server := New(Options{Store: n, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits(), SearchFor: time.Second})
		s.create(t, "Lamp")
		f, err := server.As(s.admin).Follow(t.Context(), Follow{Limit: 10, Predicate: patch.Set(`title = "Lamp"`)})
		kit.NoError(t, err)
		defer f.Close()
		events := nextPage(t, f).Events
		n.connections <- struct{}{}
		time.AfterFunc(time.Minute, func() { <-n.connections })
		_, count, shown, err := f.bearable(t.Context(), events)
		kit.NoError(t, err)
		kit.Equal(t, "the events", []int{count, len(shown), f.most}, []int{1, 1, 0})
	})
}

// A Follower takes fewer events at once while more take too long. It tries more again after a
// while: each failure takes the whole time of a search.
func TestFollowWithPredicateTakesMoreAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		var most, failed atomic.Int32
		most.Store(3)
		v := &viewed{Store: s.memory, reader: func(r store.Reader) store.Reader { return bearing{r, &most, &failed} }}
		server := New(Options{Store: v, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits(), SearchFor: time.Second})
		const events = 80
		for range events {
			s.create(t, "Lamp")
		}
		f, err := server.As(s.admin).Follow(t.Context(), Follow{Limit: 16, After: event.Start, Predicate: patch.Set(`title = "Lamp"`)})
		kit.NoError(t, err)
		defer f.Close()
		seen := 0
		for range 2 {
			seen += len(nextPage(t, f).Events)
		}
		kit.Equal(t, "the failures at 16, 8 and 4 events", failed.Load(), int32(3))
		time.Sleep(growAfter)
		seen += len(nextPage(t, f).Events)
		kit.Equal(t, "the failures with one more at 4 events", failed.Load(), int32(4))
		most.Store(events)
		time.Sleep(growAfter)
		for range 2 {
			seen += len(nextPage(t, f).Events)
		}
		kit.Equal(t, "the events", seen, events)
		kit.Equal(t, "the bound of the events", f.most, 0)
		kit.Equal(t, "the failures", failed.Load(), int32(4))
	})
}

// awayBehind is a store with a feed that cannot be read behind its start.
type awayBehind struct {
	*kit.Memory
	away atomic.Bool
}

func (s *awayBehind) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	if s.away.Load() && from > 1 {
		return nil, fault.New(fault.Unavailable, "the store is away")
	}
	return s.Memory.Feed(ctx, from, limit, budget)
}

// A page fails in its middle, because the store goes away. The next page has its events.
func TestFollowLosesNothingToAFailure(t *testing.T) {
	t.Parallel()
	s := newService(t)
	store := &awayBehind{Memory: s.memory}
	s.use(newServer(store, s.clock))
	s.create(t, "Lamp")
	s.create(t, "Door")
	reader := s.admin
	reader.Scope = access.Read
	f := s.follow(t, reader, Follow{Limit: 10})
	store.away.Store(true)
	_, err := f.Next(t.Context())
	kit.WantFault(t, err, fault.Unavailable)
	kit.Equal(t, "the position after the failure", f.Position(), event.Start)
	store.away.Store(false)
	kit.Equal(t, "the events of the next page", titles(nextPage(t, f)), []string{"problem.created Lamp", "problem.created Door"})
}

// loadsSlowly is a store whose Problems take 10 ms for each problem.
type loadsSlowly struct{ store.Store }

func (s loadsSlowly) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return fn(slowProblems{r}) })
}

type slowProblems struct{ store.Reader }

func (r slowProblems) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	select {
	case <-time.After(time.Duration(len(ids)) * 10 * time.Millisecond):
		return r.Reader.Problems(ctx, ids, as, parts)
	case <-ctx.Done():
		return nil, store.Ended(ctx)
	}
}

// A predicate that takes too much time for a whole page gets through with less at a time.
func TestFollowPassesAnExpensivePage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		const problems = 300
		for range problems {
			s.create(t, "Lamp")
		}
		s.use(New(Options{Store: loadsSlowly{s.memory}, Now: s.clock.Now, Random: zeroReader{}, Limits: DefaultLimits(), SearchFor: time.Second}))
		f := s.follow(t, s.admin, Follow{Limit: 1000, Predicate: patch.Set("title = 'Lamp'")})
		found := 0
		for range 10 {
			page := nextPage(t, f)
			if found += len(page.Events); page.End {
				break
			}
		}
		kit.Equal(t, "the number of events", found, problems)
	})
}

// The hub does not know yet of a Change by another server. A new Follower finds it in the
// store, and so does one on the same server before the hub has read.
func TestFollowBeginsWithAllThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, clock := kit.NewMemory(), kit.NewClock()
		here, there := newServer(memory, clock), newServer(memory, clock)
		admin := seeded(t, here)
		listener, err := here.As(admin).Follow(t.Context(), Follow{Limit: 10, Now: true})
		kit.NoError(t, err)
		defer listener.Close()
		at := listener.Position()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for listener.Wait(ctx) == nil {
				_, _ = listener.Next(ctx)
			}
		}()
		var want []string
		for _, by := range []*Service{here, there, here, there} {
			synctest.Wait() // the hub has read
			time.Sleep(time.Second)
			synctest.Wait()
			title := fmt.Sprint("Lamp ", len(want))
			_, err := by.CreateProblem(t.Context(), admin, CreateProblem{ProblemPatch: titled(title)})
			kit.NoError(t, err)
			want = append(want, "problem.created "+title)
			f, err := here.As(admin).Follow(t.Context(), Follow{Limit: 10, After: at})
			kit.NoError(t, err)
			kit.Equal(t, "the events", titles(nextPage(t, f)), want)
			f.Close()
		}
		cancel()
		synctest.Wait()
	})
}

// One Change makes an entry that is larger than a read of the feed. A reader behind it goes
// on, although the store returns no entry after such a large one.
func TestFollowPassesALargeEntry(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.create(t, "Lamp")
	s.enlarge(0, feedhub.ReadBytes)
	at := s.follow(t, s.admin, Follow{Limit: 1, Now: true}).Position()
	s.create(t, "Door")
	kit.Equal(t, "the events behind the large one", titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 10, After: at}))), []string{"problem.created Door"})
}

// A large entry takes a whole read of the hub. Those who wait learn of the events behind it.
func TestWaitPassesALargeEntry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.create(t, "Lamp")
		f := s.follow(t, s.admin, Follow{Limit: 10, Now: true})
		next := func(want string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			kit.NoError(t, f.Wait(ctx))
			kit.Equal(t, "the events", titles(nextPage(t, f)), []string{"problem.created " + want})
		}
		s.create(t, "Fan")
		next("Fan")
		s.create(t, "Large")
		s.enlarge(0, feedhub.ReadBytes)
		next("Large")
		for _, title := range []string{"Door", "Window"} {
			s.create(t, title)
			next(title)
		}
	})
}

// A store that was set back has another feed: a Follower in the middle notices.
func TestFollowNoticesALostHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.create(t, "Lamp")
		f, err := s.As(s.admin).Follow(t.Context(), Follow{Limit: 10, Now: true})
		kit.NoError(t, err)
		defer f.Close()
		synctest.Wait()
		s.memory.SetBack()
		for range 3 { // the other history grows beyond this one
			s.create(t, "Door")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for err == nil {
			var page EventPage
			if err = f.Wait(ctx); err == nil {
				page, err = f.Next(ctx)
			}
			if len(page.Events) > 0 {
				t.Fatalf("the events of the other history are %q", titles(page))
			}
		}
		kit.WantFault(t, err, fault.CursorGone)
	})
}

// feedCounter counts the reads of the feed.
type feedCounter struct {
	*kit.Memory
	reads atomic.Int64
}

func (c *feedCounter) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	c.reads.Add(1)
	return c.Memory.Feed(ctx, from, limit, budget)
}

// A Follower at the end of the feed finds that out in memory, also before the first event
// since the hub began to read.
func TestIdleFollowersReadNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counter := &feedCounter{Memory: kit.NewMemory()}
		s := newServer(counter, kit.NewClock())
		admin := seeded(t, s)
		first, err := s.As(admin).Follow(t.Context(), Follow{Limit: 10, Now: true})
		kit.NoError(t, err)
		defer first.Close()
		kit.NoError(t, first.Wait(t.Context()))
		synctest.Wait()
		before := counter.reads.Load()
		for range 100 {
			if page := nextPage(t, first); len(page.Events) > 0 || !page.End {
				t.Fatalf("the page behind the newest event is %+v", page)
			}
		}
		kit.Equal(t, "the reads of the store", counter.reads.Load(), before)
	})
}

// The hub reads only while somebody listens, and a Follower that never waits needs no hub.
func TestNobodyListensNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		f, err := s.As(s.admin).Follow(t.Context(), Follow{Limit: 10, Now: true})
		kit.NoError(t, err)
		nextPage(t, f)
		kit.Equal(t, "the listeners before a wait", s.core.Hub.Listeners(), 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for err == nil {
			err = f.Wait(ctx)
		}
		kit.Equal(t, "the listeners", s.core.Hub.Listeners(), 1)
		f.Close()
		f.Close()
		kit.Equal(t, "the listeners", s.core.Hub.Listeners(), 0)
		// synctest fails when the goroutine of the hub is still there at the end.
	})
}

// forgetting returns a service that keeps events for two days, and a server beside it that
// keeps them for ever.
func forgetting(t *testing.T) (s service, forever *Service) {
	t.Helper()
	memory, clock := kit.NewMemory(), kit.NewClock()
	forever = newServer(memory, clock)
	admin := seeded(t, forever)
	s = service{memory: memory, clock: clock, admin: admin}
	s.use(New(Options{Store: memory, Now: clock.Now, Random: zeroReader{}, Limits: DefaultLimits(), KeepEvents: 48 * time.Hour}))
	s.Service.core.Random = forever.core.Random
	return s, forever
}

func TestHousekeepForgetsOldEvents(t *testing.T) {
	t.Parallel()
	s, forever := forgetting(t)
	s.create(t, "Lamp")
	s.clock.Forward(30 * time.Hour)
	s.create(t, "Door")
	s.clock.Forward(30 * time.Hour)
	kit.NoError(t, forever.Housekeep(t.Context()))
	kit.Equal(t, "the oldest event", s.memory.Current().Feed[0].Number, int64(1))
	first := nextPage(t, s.follow(t, s.admin, Follow{Limit: 1}))
	kit.NoError(t, s.Housekeep(t.Context()))
	kit.Equal(t, "the events", titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 10}))), []string{"problem.created Door"})
	_, err := s.As(s.admin).Follow(t.Context(), Follow{Limit: 1, After: first.Next})
	kit.WantFault(t, err, fault.CursorGone)
	s.clock.Forward(1000 * time.Hour)
	kit.NoError(t, s.Housekeep(t.Context()))
	kit.Equal(t, "the events, of which the newest stays", titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 10}))), []string{"problem.created Door"})
}

// An old entry that takes a whole read is not taken for the newest one.
func TestHousekeepForgetsALargeEntry(t *testing.T) {
	t.Parallel()
	s, _ := forgetting(t)
	s.create(t, "Lamp")
	s.create(t, "Large")
	s.enlarge(0, feedhub.ReadBytes)
	s.create(t, "Door")
	s.create(t, "Window")
	s.clock.Forward(1000 * time.Hour)
	kit.NoError(t, s.Housekeep(t.Context()))
	kit.Equal(t, "the events, of which the newest stays", titles(nextPage(t, s.follow(t, s.admin, Follow{Limit: 10}))), []string{"problem.created Window"})
}

// zeroReader yields zeros.
type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
