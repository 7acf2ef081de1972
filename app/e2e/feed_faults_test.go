package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// The writers and the faults of TestFeed and TestFeedFailOver.
var (
	feedFaults = flag.Int("feed.faults", 2, "how many servers are killed while the feed is read")
	feedEvery  = flag.Duration("feed.every", 0, "the least time between two of these kills")
	feedPause  = flag.Duration("feed.pause", 100*time.Millisecond, "how long each writer rests after a write; without a rest the writers use the whole machine")

	feedFailOvers = flag.Int("feed.failovers", 2, "how many primaries are lost while the feed is read")
)

// feedRun has writers and readers of two servers on one database.
type feedRun struct {
	t         *testing.T
	store     string
	second    string // the store by the URL of the second server
	variables []string
	token     string
	servers   [2]atomic.Pointer[server]
	ledger    *ledger
	answered  atomic.Int64 // writes with an answer
	refused   atomic.Int64 // writes that found the service unavailable
	untold    atomic.Int64 // writes with an answer that leaves the outcome open

	readers []*feedReader
	copy    *problemCopy

	writing, reading sync.WaitGroup
	over             atomic.Bool
	leave            context.CancelFunc // ends the readers
}

// startFeedRun starts two servers, and four readers and a copy of their feed.
func startFeedRun(t *testing.T, store string, variables ...string) *feedRun {
	t.Helper()
	return startFeedRunThrough(t, store, store, variables...)
}

// startFeedRunThrough is startFeedRun with another URL of the store for the second server.
func startFeedRunThrough(t *testing.T, store, second string, variables ...string) *feedRun {
	t.Helper()
	token := newToken(t)
	r := &feedRun{t: t, store: store, second: second, token: token, ledger: &ledger{writes: map[string]write{}},
		variables: append(variables, "PROBLEMS_BOOTSTRAP_TOKEN="+token)}
	r.start(0)
	r.start(1)
	for i := range 4 {
		name := []string{"poll", "stream"}[i%2]
		r.readers = append(r.readers, &feedReader{name: fmt.Sprintf("%s %d", name, i/2+1), servers: &r.servers, first: i / 2, token: token, streams: name == "stream"})
	}
	r.copy = newProblemCopy(&r.servers, token)
	ctx, leave := context.WithCancel(t.Context())
	r.leave = leave
	for _, reader := range r.followers() {
		r.reading.Go(func() { reader.run(ctx) })
	}
	t.Cleanup(func() {
		if t.Failed() {
			for i := range r.servers {
				t.Logf("server %d: %s", i, r.servers[i].Load().stderr.end())
			}
			for _, reader := range r.followers() {
				t.Logf("%s", reader)
			}
		}
		r.over.Store(true)
		leave()
		r.writing.Wait()
		r.reading.Wait()
	})
	return r
}

// followers returns all readers of the feed.
func (r *feedRun) followers() []*feedReader {
	return append(slices.Clone(r.readers), &r.copy.feedReader)
}

func (r *feedRun) start(i int) {
	r.t.Helper()
	r.servers[i].Store(serve(r.t, []string{r.store, r.second}[i], r.variables...))
}

// kill kills a server with SIGKILL, and starts another one.
func (r *feedRun) kill(i int) {
	r.t.Helper()
	r.servers[i].Load().kill()
	r.start(i)
}

// write starts clients that write through both servers.
func (r *feedRun) write(clients int) {
	r.t.Helper()
	seed := uint64(time.Now().UnixNano())
	r.t.Logf("seed %d", seed)
	var common []int64
	for i := range clients {
		body, _ := r.ledger.attempt(r.servers[i%2].Load().as(r.token), write{mark: fmt.Sprintf("first-%d", i), kind: "create"})
		var made struct{ Identifier int64 }
		if err := json.Unmarshal(body, &made); err != nil || made.Identifier == 0 {
			r.t.Fatalf("the first problems: %v %s", err, body)
		}
		common = append(common, made.Identifier)
	}
	for i := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		r.writing.Go(func() {
			own := slices.Clone(common)
			for n := 0; !r.over.Load(); n++ {
				w := draw(random, own)
				w.mark, w.by = fmt.Sprintf("c%d-%05d-%s", i, n, w.kind), random.IntN(2)
				body, alive := r.ledger.attempt(r.servers[w.by].Load().as(r.token), w)
				var made struct{ Identifier int64 }
				if w.kind == "create" && json.Unmarshal(body, &made) == nil && made.Identifier > 0 {
					own = append(own[:min(len(own), 40)], made.Identifier) // most writes meet others
				}
				switch {
				case alive && saysUnavailable(http.StatusServiceUnavailable, body):
					r.refused.Add(1)
					time.Sleep(retryPause)
				case !alive:
					time.Sleep(retryPause)
				case bytes.Contains(body, []byte(`"/errors/outcome-unknown"`)):
					r.untold.Add(1)
				default:
					r.answered.Add(1)
				}
				time.Sleep(*feedPause)
			}
		})
	}
}

// goesOn returns when n more writes are answered, and each reader has n more events.
func (r *feedRun) goesOn(n int) {
	r.t.Helper()
	answered := r.answered.Load() + int64(n)
	eventually(r.t, "writes are answered", func() bool { return r.answered.Load() >= answered })
	for _, reader := range r.followers() {
		now, _ := reader.count()
		eventually(r.t, reader.name+" has more events", func() bool { got, _ := reader.count(); return got >= now+n })
	}
}

// settle ends the writers, waits until the readers have everything, and compares.
func (r *feedRun) settle() {
	r.t.Helper()
	r.over.Store(true)
	r.writing.Wait()
	client := r.servers[0].Load().as(r.token)
	feed := wholeFeed(r.t, client)
	for _, reader := range r.followers() {
		eventually(r.t, reader.name+" reaches the end", func() bool {
			n, last := reader.count()
			return last == feed[len(feed)-1].Identifier || n > len(feed)
		})
	}
	r.leave()
	r.reading.Wait()
	if difference := differs(wholeFeed(r.t, r.servers[1].Load().as(r.token)), feed); difference != "" {
		r.t.Errorf("the other server has another feed: %s", difference)
	}
	for _, reader := range r.followers() {
		r.t.Logf("%s", reader)
		sameFeed(r.t, reader, feed)
	}
	v := judgeFeed(r.t, client, r.ledger, feed)
	seen := inspect(r.t, client)
	found := seen.found
	r.t.Logf("%d events; %s; %s, ONE-SIDED %d", len(feed), r.ledger.split("", found), v, seen.oneSided)
	if !v.clean() {
		r.t.Errorf("the feed: %s", v)
	}
	if v := r.ledger.judge(found); !v.clean() {
		r.t.Errorf("the problems: %s", v)
	}
	sameAsExport(r.t, r.copy, r.store)
}

// TestFeed kills one of two servers after the other, while sixteen clients write and four
// readers follow. Each reader gets every event once, in order.
func TestFeed(t *testing.T) {
	t.Parallel()
	r := startFeedRun(t, postgrestest.Schema(t))
	r.write(16)
	for i := range *feedFaults {
		pause := time.After(*feedEvery)
		r.goesOn(100)
		<-pause
		r.kill(i % 2)
	}
	r.goesOn(100)
	r.settle()
}

// TestFeedFailOver loses the primary of a database, and its standby takes over, while
// clients write and readers follow. In every second round the standby stopped to confirm
// before, and an operator ends the wait of commits: then the primary shows what the standby
// lacks. Readers go on with their cursors, and everything that they got stays.
func TestFeedFailOver(t *testing.T) {
	t.Parallel()
	for i := range *feedFailOvers {
		how := []string{"waits are cancelled", "nobody waits", "waits are terminated", "waits are given up"}[i%4]
		t.Run(fmt.Sprintf("%d, %s", i+1, how), func(t *testing.T) {
			pair := postgrestest.NewPair(t)
			// The limit is short, so that commits that no standby confirms are given up soon.
			r := startFeedRun(t, pair.ClusterURL(), "PROBLEMS_STORE_TIMEOUT=500ms")
			r.write(16)
			r.goesOn(100)
			if how != "nobody waits" {
				r.outrun(pair, how)
			}
			pair.TakeOver()
			r.goesOn(100)
			r.settle()
		})
	}
}

// outrun freezes the standby, and gives up commits that wait for it.
func (r *feedRun) outrun(pair *postgrestest.Pair, how string) {
	r.t.Helper()
	untold := r.untold.Load()
	pair.FreezeStandby()
	eventually(r.t, "commits are given up", func() bool { return r.untold.Load() >= untold+2 })
	const enough = 10 // waits of commits, of numberings, and of readers
	ended := 0
	eventually(r.t, "waits end", func() bool {
		switch how {
		case "waits are cancelled":
			ended += pair.CancelWaits()
		case "waits are terminated":
			ended += pair.TerminateWaits()
		default:
			ended = int(r.untold.Load() - untold)
		}
		return ended >= enough
	})
	r.t.Logf("%s: %d", how, ended)
}

// notices returns when writes find that the database is away.
func (r *feedRun) notices() {
	r.t.Helper()
	away := func() int64 { return r.refused.Load() + r.untold.Load() }
	before := away()
	eventually(r.t, "writes find the database away", func() bool { return away() >= before+4 })
}

// TestFeedBehindPooler has one server behind a PgBouncer in transaction mode, which is
// killed and started again.
func TestFeedBehindPooler(t *testing.T) {
	t.Parallel()
	direct := postgrestest.Database(t)
	pooler := postgrestest.NewPooler(t, direct)
	r := startFeedRunThrough(t, direct, pooler.URL(direct), "PROBLEMS_STORE_POOLER=true", "PROBLEMS_STORE_DIRECT="+direct)
	r.write(8)
	r.goesOn(50)
	pooler.Kill()
	r.notices()
	pooler.Start()
	r.goesOn(50)
	r.settle()
}

// TestFeedWithoutDatabase takes the database away from one of two servers, or from both,
// in several ways. A stream ends, or goes on without a gap.
func TestFeedWithoutDatabase(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	proxy := postgrestest.NewProxy(t, database.URL())
	r := startFeedRunThrough(t, database.URL(), proxy.URL(), "PROBLEMS_STORE_TIMEOUT=1s")
	r.write(8)
	r.goesOn(30)
	for _, fault := range []struct {
		name   string
		happen func()
	}{
		{"the connections are lost", proxy.CutNow},
		{"the connections are lost and refused", func() {
			proxy.Refuse(true)
			proxy.CutNow()
			r.notices()
			proxy.Refuse(false)
		}},
		{"the network says nothing", func() {
			proxy.Stall(true)
			r.notices()
			proxy.Stall(false)
		}},
		{"answers are cut", func() {
			for n := int64(1); n < 30_000; n = 3*n + 1 {
				<-proxy.CutAfter(postgrestest.ToClient, n)
			}
		}},
		{"the database is killed", func() {
			database.Kill()
			r.notices()
			database.Start()
		}},
		{"the database is restarted", database.Restart},
	} {
		fault.happen()
		r.goesOn(30)
		t.Logf("%s: it goes on", fault.name)
	}
	r.settle()
}
