package simulate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// cluster is the store of all servers: a primary, and a standby with a beginning of the
// primary's log. Everything on the standby is safe. The port allows two kinds of
// primaries. One shows a Change at once. The other shows only safe Changes, and those
// with an abandoned wait for the standby.
type cluster struct {
	trace *trace
	// hasty, a planted fault, confirms Changes missing on the standby.
	hasty bool
	// forgetful, another one, does not know the losses of a fail-over.
	forgetful bool

	mu       sync.Mutex // guards all fields below
	primary  *memory.Store
	log      []entry
	hidden   bool          // it shows only safe entries
	visible  *memory.Store // the visible store then
	shown    int           // the length of the log in it
	safe     int           // how much of the log the standby has
	kept     []int         // by era, how much of the log the era before has left to it
	reserved int64         // the highest number reserved for a problem
	messages int

	frozen, away, full int // how many events say so
	cuts               map[int]int
	still              map[int]time.Time // by server, until when it does nothing
	wait               time.Time         // until when a promoted standby answers nobody
	losses             int               // the number of fail-overs with a loss of visible entries
}

// entry is an entry of the primary's log.
type entry struct {
	change  store.Change
	ruling  bool // against the Change
	arrives time.Time
}

// lag is the delay of the standby.
const lag = 2 * time.Millisecond

func newCluster(t *trace, base []entry, hidden bool) *cluster {
	c := &cluster{
		trace: t, hidden: hidden, log: base[:len(base):len(base)], safe: len(base),
		kept: []int{len(base)}, cuts: map[int]int{}, still: map[int]time.Time{},
	}
	c.restart()
	return c
}

// restart makes the stores anew from the log.
func (c *cluster) restart() {
	c.primary, c.shown = replayed(c.log), len(c.log)
	if c.hidden {
		c.visible = replayed(c.log)
	}
}

// show shows the log up to a length.
func (c *cluster) show(length int) {
	if !c.hidden {
		c.shown = len(c.log)
		return
	}
	for ; c.shown < length; c.shown++ {
		c.log[c.shown].store(c.visible)
	}
}

// look returns the store for a View.
func (c *cluster) look() (*memory.Store, moment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	at := moment{len(c.kept) - 1, c.shown}
	if c.hidden {
		return c.visible, at
	}
	return c.primary, at
}

// expose shows all, including unsafe entries.
func (c *cluster) expose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.show(len(c.log))
}

// replayed returns a store with everything of the log.
func replayed(log []entry) *memory.Store {
	s, err := memory.Open(context.Background(), memory.Options{})
	if err != nil {
		panic(err)
	}
	for _, e := range log {
		e.store(s)
	}
	return s
}

// store stores the entry in one more store.
func (e entry) store(s *memory.Store) {
	var err error
	if e.ruling {
		_, _, err = s.Outcome(context.Background(), e.change.Batch, e.change.At)
	} else {
		e.change.Expect = nil // it held
		_, err = s.Commit(context.Background(), e.change)
	}
	if err != nil {
		panic("simulate: what was stored cannot be stored again: " + err.Error())
	}
}

// now returns the moment of the primary.
func (c *cluster) now() moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nowLocked()
}

func (c *cluster) nowLocked() moment { return moment{len(c.kept) - 1, len(c.log)} }

// reachable returns an error when a server cannot reach the primary of the era.
func (c *cluster) reachable(server, era int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case era != len(c.kept)-1:
		return fault.New(fault.Unavailable, "the connection broke: another primary has taken over")
	case c.away > 0 || time.Now().Before(c.wait):
		return fault.New(fault.Unavailable, "the store is away")
	case c.cuts[server] > 0:
		return fault.New(fault.Unavailable, "the connection broke")
	}
	return nil
}

// errLocked makes a Change wait for entries not yet visible.
var errLocked = errors.New("another change is under way")

// commit stores a Change on the primary. It is not safe yet.
func (c *cluster) commit(a *actor, change store.Change) (store.Receipt, moment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full > 0 {
		return store.Receipt{}, moment{}, fault.New(fault.Unavailable, "the disk is full")
	}
	receipt, err := c.primary.Commit(context.Background(), change)
	c.advance()
	if fault.Is(err, fault.Conflict) && c.shown < len(c.log) {
		return receipt, moment{}, errLocked
	}
	if err != nil {
		c.trace.add(a, "    the store refuses %v: %v", change.Batch, err)
		return receipt, moment{}, err
	}
	c.append(entry{change: change})
	c.trace.add(a, "    the primary stores %v as %d, %v", change.Batch, len(c.log), describeChange(change))
	return receipt, c.nowLocked(), nil
}

// settle tells whether a batch is stored, and otherwise rules it out.
func (c *cluster) settle(batch ident.ID, at time.Time) (store.Receipt, bool, moment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	receipt, stored, err := c.primary.Outcome(context.Background(), batch, at)
	if err == nil && !stored {
		c.append(entry{change: store.Change{Batch: batch, At: at}, ruling: true})
	}
	return receipt, stored, c.nowLocked(), err
}

func (c *cluster) append(e entry) {
	c.advance()
	e.arrives = time.Now().Add(lag)
	c.log = append(c.log, e)
	c.show(c.safe)
}

// advance lets the standby receive the entries due by now.
func (c *cluster) advance() {
	for c.frozen == 0 && c.safe < len(c.log) && !c.log[c.safe].arrives.After(time.Now()) {
		c.safe++
	}
	c.show(c.safe)
}

// standsStill returns for how long a server does nothing.
func (c *cluster) standsStill(server int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.still[server])
}

// stop lets a server stand still for a while.
func (c *cluster) stop(server int, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.still[server] = time.Now().Add(d)
}

// isSafe reports whether the standby has everything up to a moment, and for how long
// it is worth while to wait. It fails when it never will.
func (c *cluster) isSafe(at moment) (safe bool, wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	if c.hasty {
		return true, 0, nil
	}
	for era := at.era + 1; era < len(c.kept); era++ {
		if c.kept[era] < at.position {
			return false, 0, fault.New(fault.Unavailable, "a fail-over has lost what was to be confirmed")
		}
	}
	if c.safe >= at.position {
		return true, 0, nil
	}
	if c.frozen > 0 {
		return false, 100 * time.Millisecond, nil
	}
	return false, lag, nil
}

// setFrozen freezes the standby, or lets it go on.
func (c *cluster) setFrozen(frozen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	if frozen {
		c.frozen++
		return
	}
	c.frozen--
}

// failOver makes the standby the primary, with a part of its unconfirmed entries. It
// reports whether a visible entry is lost.
func (c *cluster) failOver(part float64, away time.Duration) (lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	kept := c.safe + int(part*float64(len(c.log)-c.safe)+0.5)
	lost = kept < c.shown
	if lost {
		c.losses++
	}
	c.log = c.log[:kept:kept]
	c.safe = kept
	c.kept = append(c.kept, kept)
	c.restart()
	c.wait = time.Now().Add(away)
	return lost
}

// lossesSoFar counts the fail-overs with a loss of visible entries.
func (c *cluster) lossesSoFar() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.losses
}

// message returns the actor of a Change on its own way.
func (c *cluster) message(from *actor) *actor {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages++
	return newActor(messageSlot+c.messages%messagesMost, from.rng.Uint64(), uint64(c.messages))
}
