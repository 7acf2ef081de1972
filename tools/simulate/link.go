package simulate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// link is the cluster as one server sees it. It keeps the promises of the port, and fails
// where the port allows it.
type link struct {
	cluster  *cluster
	server   int
	dead     atomic.Bool // the server was killed: nothing leaves it
	messages *sync.WaitGroup

	// asker asks for tokens, for all requests in wait for them. The first of these is not
	// determined, so it must not matter.
	asker *actor
	mu    sync.Mutex
	asks  context.Context // of its present read
}

var _ store.Store = (*link)(nil)

var errDead = fault.New(fault.Unavailable, "the server was killed")

// actor returns the actor of a context.
func (l *link) actor(ctx context.Context) *actor {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx == l.asks {
		return l.asker
	}
	return actorOf(ctx)
}

// reach connects to the store and travels there. It returns the era of the answer. After
// an earlier failure, nothing was sent.
func (l *link) reach(ctx context.Context) (a *actor, era int, sent bool, err error) {
	a = l.actor(ctx)
	if era, err = l.connect(ctx, a); err != nil {
		return a, era, false, err
	}
	l.travel(a)
	return a, era, true, l.check(ctx, era)
}

// travel sleeps for as long as a message takes, or the server stands still.
func (l *link) travel(a *actor) {
	a.travel()
	if still := l.cluster.standsStill(l.server); still > 0 {
		a.sleep(still)
	}
}

// connect waits for a primary, more or less patiently.
func (l *link) connect(ctx context.Context, a *actor) (era int, err error) {
	for patience := 30 * a.rng.IntN(2); ; patience-- {
		era = l.cluster.now().era
		if err = l.check(ctx, era); err == nil || patience <= 0 || l.dead.Load() {
			return era, err
		}
		a.sleep(100 * time.Millisecond)
	}
}

// check fails when a call cannot go on.
func (l *link) check(ctx context.Context, era int) error {
	if l.dead.Load() {
		return errDead
	}
	if err := store.Ended(ctx); err != nil {
		return err
	}
	return l.cluster.reachable(l.server, era)
}

// await waits until all up to a moment is safe.
func (l *link) await(ctx context.Context, a *actor, at moment) error {
	for {
		safe, wait, err := l.cluster.isSafe(at)
		if err != nil {
			return err
		}
		if safe {
			return nil
		}
		a.sleep(wait)
		if err := l.check(ctx, l.cluster.now().era); err != nil {
			return err
		}
	}
}

// View implements store.Store. The Reader's moment is before fn is called.
func (l *link) View(ctx context.Context, fn func(store.Reader) error) error {
	a, era, _, err := l.reach(ctx)
	if err != nil {
		return err
	}
	seen, at := l.cluster.look()
	var failed error
	err = seen.View(context.Background(), func(r store.Reader) error {
		l.travel(a)
		if failed = l.check(ctx, era); failed != nil {
			return nil
		}
		l.show(a, at)
		return fn(reader{r, era})
	})
	if failed != nil {
		return failed
	}
	if a.rng.IntN(5) == 0 {
		a.sleep(a.between(0, 400*time.Millisecond)) // the server is busy
	}
	l.travel(a)
	return err
}

// reader is a Reader of an era: each promotion of a standby begins another one.
type reader struct {
	store.Reader
	era int
}

// History implements store.Reader.
func (r reader) History() store.History { return store.History(r.era) }

// show notes the moment behind the answer to a request.
func (l *link) show(a *actor, at moment) {
	if lost, _, err := l.cluster.isSafe(a.shown); !lost && err != nil {
		return // a lost moment stays noted
	}
	if at.era > a.shown.era || at.position > a.shown.position {
		a.shown = at
	}
}

// Versions implements store.Store. The service asks for them before it loads tokens.
func (l *link) Versions(ctx context.Context) (store.Versions, error) {
	l.mu.Lock()
	l.asks = ctx
	l.mu.Unlock()
	var versions store.Versions
	err := l.View(ctx, func(r store.Reader) (err error) {
		versions, err = r.Versions(ctx)
		return err
	})
	return versions, err
}

// Reserve implements store.Store. It never gives a number away twice, as the port has
// it of one Store.
func (l *link) Reserve(ctx context.Context) (problem.ID, error) {
	_, _, _, err := l.reach(ctx)
	if err != nil {
		return 0, err
	}
	c := l.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		id, err := c.primary.Reserve(context.Background())
		if err != nil || int64(id) > c.reserved {
			c.reserved = max(c.reserved, int64(id))
			return id, err
		}
	}
}

// Commit implements store.Store.
func (l *link) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	a, era, sent, err := l.reach(ctx)
	if sent && err != nil && a.rng.IntN(2) == 0 {
		return store.Receipt{}, unknown() // it has not arrived, but the caller cannot know
	}
	if err != nil {
		return store.Receipt{}, err
	}
	mishap := a.mishap
	a.mishap = NoMishap
	switch mishap {
	case NotSent:
		return store.Receipt{}, fault.New(fault.Unavailable, "the connection broke")
	case Late:
		l.sendLate(a, change, era)
		l.travel(a)
		return store.Receipt{}, unknown()
	}
	receipt, at, err := l.cluster.commit(a, change)
	for err == errLocked {
		a.sleep(20 * time.Millisecond)
		if err = l.check(ctx, era); err == nil {
			receipt, at, err = l.cluster.commit(a, change)
		}
	}
	if err != nil {
		l.travel(a)
		return receipt, err
	}
	if mishap == Exposed {
		l.cluster.expose()
		l.travel(a)
		return store.Receipt{}, unknown()
	}
	for {
		safe, wait, err := l.cluster.isSafe(at)
		if err != nil {
			return store.Receipt{}, unknown()
		}
		if safe {
			break
		}
		a.sleep(wait)
		if l.check(ctx, era) != nil {
			return store.Receipt{}, unknown()
		}
	}
	l.travel(a)
	if mishap == ReplyLost || l.check(context.WithoutCancel(ctx), era) != nil {
		return store.Receipt{}, unknown()
	}
	return receipt, nil
}

func unknown() error {
	return fault.New(fault.UnknownOutcome, "the connection broke during the commit")
}

// sendLate lets the Change reach the primary later, if the era is still the same.
func (l *link) sendLate(from *actor, change store.Change, era int) {
	a := l.cluster.message(from)
	delay := a.between(0, 200*time.Millisecond)
	if a.rng.IntN(3) == 0 {
		delay = a.between(0, 3*time.Second)
	}
	l.messages.Go(func() {
		a.sleep(delay)
		for l.cluster.now().era == era {
			if _, _, err := l.cluster.commit(a, change); err != errLocked {
				return // no caller waits for it
			}
			a.sleep(20 * time.Millisecond)
		}
	})
}

// Outcome implements store.Store.
func (l *link) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	a, _, _, err := l.reach(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	if a.unsettled {
		return store.Receipt{}, false, fault.New(fault.Unavailable, "the connection broke")
	}
	receipt, stored, moment, err := l.cluster.settle(batch, at)
	if err == nil {
		err = l.await(ctx, a, moment)
	}
	if err != nil {
		return store.Receipt{}, false, err
	}
	l.cluster.trace.add(a, "    outcome of %v: stored %t", batch, stored)
	return receipt, stored, nil
}

// Confirm implements store.Store. It fails when another standby has taken over since the
// given moment.
func (l *link) Confirm(ctx context.Context, shown store.History) error {
	a, era, _, err := l.reach(ctx)
	if err != nil {
		return err
	}
	if l.cluster.forgetful {
		return l.awaitNow(ctx, a)
	}
	if shown != store.History(era) {
		a.shown = moment{} // nothing rests on it any more
		return fault.New(fault.Conflict, "another standby has taken over")
	}
	if err := l.await(ctx, a, a.shown); err != nil {
		return err
	}
	return l.await(ctx, a, l.cluster.now())
}

// awaitNow waits until the standby has the primary's present log, regardless of earlier
// Views.
func (l *link) awaitNow(ctx context.Context, a *actor) error {
	for {
		now := l.cluster.now()
		if safe, _, err := l.cluster.isSafe(now); err != nil || safe {
			return err
		}
		a.sleep(100 * time.Millisecond)
		if err := l.check(ctx, l.cluster.now().era); err != nil && l.dead.Load() {
			return err
		}
	}
}

// Feed implements store.Store: the simulation has no readers of the feed.
func (l *link) Feed(context.Context, int64, int, int64) ([]event.Entry, error) {
	return nil, fault.New(fault.Unsupported, "the simulated store has no feed")
}

// FeedEnds implements store.Store.
func (l *link) FeedEnds(context.Context) (oldest, newest event.Entry, err error) {
	return oldest, newest, fault.New(fault.Unsupported, "the simulated store has no feed")
}

// Restore implements store.Store: servers do not restore.
func (l *link) Restore(context.Context, store.Archive) error {
	return fault.New(fault.Unsupported, "the simulated store restores nothing")
}

// Close implements store.Store.
func (l *link) Close() error { return nil }

// describeChange describes a Change.
func describeChange(change store.Change) string {
	var parts []string
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.ForgetReads, store.MarkRead, store.MarkUsed, store.AppendAudit, store.PutSavepoint, store.Publish:
		case store.KeepReply:
			parts = append(parts, "keep a reply")
		case store.CreateProblem:
			parts = append(parts, fmt.Sprintf("create problem %d %q", e.Problem.ID, e.Problem.Title))
		case store.UpdateProblem:
			parts = append(parts, fmt.Sprintf("problem %d is %q at revision %d", e.Problem.ID, e.Problem.Title, e.Problem.Revision))
		case store.AddComment:
			parts = append(parts, fmt.Sprintf("comment %q", e.Comment.Text))
		case store.PutPriority:
			parts = append(parts, fmt.Sprintf("priority %q, order %d", e.Priority.Name, e.Priority.Order))
		case store.PutComponent:
			parts = append(parts, fmt.Sprintf("component %q", e.Component.Name))
		case store.PutToken:
			parts = append(parts, fmt.Sprintf("token %v, revoked %t", e.Token.ID, !e.Token.Revoked.IsZero()))
		case store.PutRelationship:
			parts = append(parts, fmt.Sprintf("%d is %s %d", e.Relationship.Owner, e.Relationship.Type, e.Relationship.Other))
		case store.DropRelationship:
			parts = append(parts, fmt.Sprintf("%d is no longer %s %d", e.Owner, e.Type, e.Other))
		case store.PutKeyword:
			parts = append(parts, fmt.Sprintf("keyword %q is %q", e.Keyword.Name, e.Keyword.Value.String))
		case store.DropKeyword:
			parts = append(parts, fmt.Sprintf("no keyword %q", e.Name))
		default:
			parts = append(parts, strings.TrimPrefix(fmt.Sprintf("%T", e), "store."))
		}
	}
	return strings.Join(parts, ", ")
}
