package simulate

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/store"
)

// Options are the differences between a run and others of its plan.
type Options struct {
	// Wrap, if not nil, wraps each server's store: a planted fault of the server.
	Wrap func(store.Store) store.Store
	// Hasty is a fault of the store: it confirms Changes missing on the standby.
	Hasty bool
	// Forgetful is a fault of the store: it confirms the primary's present content, even
	// after a fail-over has lost earlier visible content.
	Forgetful bool
	// Survive lets servers live on after a fail-over with a loss of visible content.
	// Otherwise it restarts all of them.
	Survive bool
	// Recall lets clients use earlier reads after such a fail-over: entity tags and
	// previews. Otherwise they read again.
	Recall bool
	// Trace asks for the Report's Trace.
	Trace bool
}

// Report is the result of a run.
type Report struct {
	// Broken are the broken rules, the first one first.
	Broken []Violation
	Trace  string
	// Requests and Acknowledged count the requests of clients, and the acknowledged
	// writes.
	Requests, Acknowledged int
}

// Violation is a broken rule.
type Violation struct {
	Rule Rule
	At   time.Duration // since the start
	Text string        // how
}

// String returns the violation in words.
func (v Violation) String() string { return fmt.Sprintf("%s: %s", v.Rule, v.Text) }

// world is the whole state of a run.
type world struct {
	plan       Plan
	options    Options
	trace      *trace
	cluster    *cluster
	ledger     *ledger
	clocks     []atomic.Int64 // by server, the offset of its clock
	goroutines sync.WaitGroup // of abandoned requests, and of Changes on their way

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

// kill ends a server: its work under way never leaves it.
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
