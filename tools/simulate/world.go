package simulate

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/store"
)

// Options are what a run does differently from others of its plan.
type Options struct {
	// Wrap, if not nil, is between each server and the store: a fault of the
	// server that is to be found.
	Wrap func(store.Store) store.Store
	// Hasty is a fault of the store: it confirms what the standby does not have.
	Hasty bool
	// Forgetful is a fault of the store: it confirms what the primary has by now,
	// though a fail-over has lost what was shown before.
	Forgetful bool
	// Survive lets servers live on after a fail-over that has lost what they
	// have shown. Otherwise it takes all of them with it.
	Survive bool
	// Recall lets clients go by what they have read before such a fail-over:
	// entity tags and previews. Otherwise they read again.
	Recall bool
	// Trace asks for the Report's Trace.
	Trace bool
}

// Report is what came of a run.
type Report struct {
	// Broken are the rules that were broken, the first one first.
	Broken []Violation
	Trace  string
	// Requests and Acknowledged count the requests of clients, and the writes
	// that were acknowledged.
	Requests, Acknowledged int
}

// Violation is a rule that was broken.
type Violation struct {
	Rule Rule
	At   time.Duration // since the start
	Text string        // how
}

// String returns the violation in words.
func (v Violation) String() string { return fmt.Sprintf("%s: %s", v.Rule, v.Text) }

// world is all that there is in a run.
type world struct {
	plan       Plan
	options    Options
	trace      *trace
	cluster    *cluster
	ledger     *ledger
	clocks     []atomic.Int64 // by server, what is added to the time
	goroutines sync.WaitGroup // of requests that nobody waits for, and of Changes on their way

	mu       sync.Mutex
	servers  []*server // by number; nil while one is down
	all      []*server
	started  int
	requests int
}

// Run runs a plan. It has to be called in a bubble of testing/synctest.
func Run(plan Plan, options Options) Report {
	t := &trace{on: options.Trace, start: time.Now()}
	w := &world{plan: plan, options: options, trace: t, ledger: newLedger(t.start), clocks: make([]atomic.Int64, plan.Servers+1)}
	w.cluster = newCluster(t, base().log, plan.Hidden)
	w.cluster.hasty, w.cluster.forgetful = options.Hasty, options.Forgetful
	for i := range plan.Servers {
		w.servers = append(w.servers, w.start(i))
	}
	var clients sync.WaitGroup
	for i := range plan.Clients {
		clients.Go(func() { newClient(w, i).run() })
	}
	var events sync.WaitGroup
	for i := range plan.Events {
		events.Go(func() { w.cause(plan.Events[i]) })
	}
	clients.Wait()
	events.Wait()
	w.goroutines.Wait()
	time.Sleep(time.Second) // the standby has everything
	w.judge()
	for _, s := range w.all {
		s.shell.free()
	}
	return Report{Broken: w.ledger.sorted(), Trace: t.String(), Requests: w.requests, Acknowledged: w.ledger.acknowledged}
}

// server returns the server with a number, or nil while it is down.
func (w *world) server(number int) *server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[number]
}

// kill ends a server: what it was doing never leaves it.
func (w *world) kill(number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.servers[number]; s != nil {
		s.link.dead.Store(true)
		w.servers[number] = nil
	}
}

// revive starts a server anew, unless it runs.
func (w *world) revive(number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.servers[number] == nil {
		w.servers[number] = w.start(number)
	}
}
