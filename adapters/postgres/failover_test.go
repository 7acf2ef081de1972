package postgres_test

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

var standbyRounds = flag.Int("standby.rounds", 2, "how many times TestFailOver loses a primary whose standby had stopped to confirm")

// TestFailOver loses a primary whose standby has stopped to confirm commits, while
// clients of two servers write. Commits are given up meanwhile, or an operator ends
// their wait: then they can be seen, and are lost with the primary. Whatever clients
// were told before has to be so on the standby. It is not, for example, when a repeated
// request is answered from what can be seen.
func TestFailOver(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	var mu sync.Mutex
	total := &failoverLedger{kinds: make(map[string]int)}
	t.Run("rounds", func(t *testing.T) {
		for i := range *standbyRounds {
			how := interferences[i%len(interferences)]
			t.Run(fmt.Sprintf("%d, %s", i+1, how), func(t *testing.T) {
				t.Parallel()
				books := failOver(t, i, how)
				mu.Lock()
				defer mu.Unlock()
				total.add(books)
			})
		}
	})
	t.Logf("all rounds: %s", total)
	for _, kind := range slices.Sorted(maps.Keys(total.kinds)) {
		t.Logf("%6d %s", total.kinds[kind], kind)
	}
}

// interference is what happens before the primary is lost.
type interference string

const (
	cancelled  interference = "waits are cancelled"
	terminated interference = "waits are terminated"
	givenUp    interference = "waits are given up"
	// undisturbed is a standby that confirms to the end.
	undisturbed interference = "nobody waits"
)

var interferences = [...]interference{cancelled, terminated, givenUp, undisturbed}

// failover is one round.
type failover struct {
	t       *testing.T
	ctx     context.Context // of all requests
	servers []*usecases.All
	caller  tracker.Caller
	from    *source
	hub     problem.ID // a problem that all clients change
	account account

	frozen, over                    atomic.Bool
	acknowledged, unknown, baseless atomic.Int64 // answers
}

// failOver runs a round: clients write, something happens, the primary is lost, the
// standby takes over, and clients write again.
func failOver(t *testing.T, round int, how interference) *failoverLedger {
	t.Helper()
	const (
		clients = 8
		writes  = 100 // before, and as many after
	)
	ownServers <- struct{}{}
	t.Cleanup(func() { <-ownServers })
	pair := postgrestest.NewPair(t)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	f := &failover{t: t, ctx: ctx, from: newSource()}
	// The limit is short, so that commits that no standby confirms are given up soon.
	options := postgres.Options{URL: pair.ClusterURL(), Timeout: 300 * time.Millisecond, AcquireTimeout: time.Second, MigrationTimeout: patience}
	for range 2 {
		f.servers = append(f.servers, usecases.New(tracker.Options{
			Store: open(t, options), Now: f.from.time, Random: rand.Reader, Limits: tracker.DefaultLimits(), Searches: 2 * clients,
		}, nil))
	}
	f.prepare(pair.ClusterURL())

	var writing sync.WaitGroup
	stop := func() { f.over.Store(true); writing.Wait() }
	t.Cleanup(stop)
	for i := range clients {
		c := &failoverClient{failover: f, home: f.create(), twins: [2]problem.ID{f.create(), f.create()}}
		writing.Go(func() { c.run(i + round) })
	}
	f.acknowledge(writes)
	ended := 0
	if how != undisturbed {
		ended = f.disturb(pair, how)
	}
	pair.TakeOver()
	f.acknowledge(writes)
	stop()

	after, err := f.look(pair.StandbyURL())
	if err != nil {
		t.Fatal(err)
	}
	books, list := f.account.close(after)
	books.baseless = int(f.baseless.Load())
	t.Logf("%s; %s; an operator ended %d; %s", how, time.Since(began).Round(100*time.Millisecond), ended, books)
	if !books.ok() {
		t.Errorf("after the standby has taken over, not all is as clients were told:\n%s", strings.Join(list, "\n"))
	}
	if books.baseless > 0 {
		t.Errorf("%d writes were acknowledged while no standby could confirm them", books.baseless)
	}
	return books
}

// disturb freezes the standby, waits until the commits under way are given up, and then
// ends those that wait, again and again. It returns how many it has ended.
func (f *failover) disturb(pair *postgrestest.Pair, how interference) (ended int) {
	f.t.Helper()
	known := f.unknown.Load()
	pair.FreezeStandby()
	f.frozen.Store(true)
	defer f.frozen.Store(false)
	// What is given up may keep its locks, so that all others wait for these.
	eventually(f.t, "a commit is given up", func() bool { return f.unknown.Load() > known })
	const ends, between = 6, 250 * time.Millisecond
	for range ends {
		time.Sleep(between) // meanwhile clients repeat what was given up
		switch how {
		case cancelled:
			ended += pair.CancelWaits()
		case terminated:
			ended += pair.TerminateWaits()
		}
	}
	return ended
}

// prepare seeds the database, with more time for a statement than the servers have, and
// creates the problem that all clients change.
func (f *failover) prepare(url string) {
	f.t.Helper()
	patient := usecases.New(tracker.Options{
		Store: open(f.t, postgres.Options{URL: url}), Now: f.from.time, Random: rand.Reader, Limits: tracker.DefaultLimits(), Searches: 1,
	}, nil)
	secret := access.NewSecret([32]byte{1})
	if _, err := patient.Seed(f.ctx, secret); err != nil {
		f.t.Fatal(err)
	}
	var err error
	if f.caller, err = patient.Authenticate(f.ctx, secret); err != nil {
		f.t.Fatal(err)
	}
	f.hub = f.create()
}

// create creates a problem that no client creates. A short limit may make it fail.
func (f *failover) create() problem.ID {
	f.t.Helper()
	for {
		a, err := f.servers[0].CreateProblem(f.ctx, f.caller, tracker.CreateProblem{ProblemPatch: titled(f.account.tag("first"))})
		switch {
		case err == nil:
			return a.Value.ID
		case !fault.Is(err, fault.Unavailable):
			f.t.Fatal(err)
		}
	}
}

// acknowledge returns when n more writes were acknowledged than at the call.
func (f *failover) acknowledge(n int64) {
	f.t.Helper()
	until := f.acknowledged.Load() + n
	eventually(f.t, "writes are acknowledged", func() bool { return f.acknowledged.Load() >= until })
}

// look returns all that there is in a database.
func (f *failover) look(url string) (after aftermath, err error) {
	s := open(f.t, postgres.Options{URL: url})
	if after.scene, err = look(f.ctx, s, 1, replyKey{}); err != nil {
		return after, err
	}
	err = s.View(f.ctx, func(r store.Reader) error {
		after.queries, err = r.SavedQueries(f.ctx, ident.None)
		return err
	})
	return after, err
}
