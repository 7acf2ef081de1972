package core

import (
	"context"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// Run executes a command in the order of every write: lock, load, decide, commit. It
// starts over from the load when another server has outdated the loaded state.
func Run[S, R any](ctx context.Context, c *Core, cmd Command[S, R]) (answer R, err error) {
	if cmd.Handoff != nil && c.Locks.Busy(cmd.Locks[0]) {
		cmd.Handoff.BeforeWait(ctx)
	}
	lease, err := c.Locks.Lock(ctx, cmd.Locks...)
	if err != nil {
		return answer, err
	}
	defer lease.Unlock()
	for received := lease.Received(); ; received = nil {
		var d decision[R]
		from, err := loadBasis(ctx, c, cmd, received)
		if err == nil {
			d, err = decideFrom(ctx, c, cmd, from)
		}
		if err == nil {
			err = conclude(ctx, c, cmd, d)
		}
		switch {
		case err == nil:
			if cmd.Handoff != nil && !d.change.Empty() {
				lease.HandOff(cmd.Handoff.Pass(d.change))
			}
			return d.answer, nil
		case !fault.Is(err, fault.Conflict):
			return answer, err
		case ctx.Err() != nil:
			return answer, fault.Wrap(fault.Unavailable, ctx.Err(), "other requests kept changing the same objects; nothing was changed")
		}
	}
}

// basis is the state behind a decision.
type basis[S any] struct {
	loaded S
	// received is true for a state handed off by the previous writer.
	received bool
	// history is the History of the View that loaded the state.
	history store.History
}

// loadBasis returns the received problem, if the command accepts it. Otherwise it loads
// the state from the store. It fails with fault.Conflict when another load may help.
func loadBasis[S, R any](ctx context.Context, c *Core, cmd Command[S, R], received *snapshot.Snapshot) (from basis[S], err error) {
	if cmd.Handoff != nil {
		if from.loaded, from.received = cmd.Handoff.Accept(received); from.received {
			return from, nil
		}
	}
	view := c.Views.View
	if cmd.Once {
		view = c.Views.Once
	}
	err = view(ctx, func(r store.Reader) (err error) {
		from.loaded, err = cmd.Load(ctx, r)
		from.history = r.History()
		return err
	})
	if err != nil && !cmd.DryRun {
		err = c.Refuse(ctx, from.history, err)
	}
	return from, err
}

// decision is the outcome of decide: a Change and its answer.
type decision[R any] struct {
	change  store.Change
	answer  R
	history store.History
}

// errUnconfirmed asks for a decision from the store. A handed-off state may be
// outdated, and only a Commit detects it. So a refusal, or an empty Change, counts only
// after a decision from the store.
var errUnconfirmed = fault.New(fault.Conflict, "a refusal does not count when it was decided from a handed-off state")

// decideFrom decides the command. Its error is a final refusal, or fault.Conflict to
// ask for another load of the state.
func decideFrom[S, R any](ctx context.Context, c *Core, cmd Command[S, R], from basis[S]) (d decision[R], err error) {
	if cmd.Prepare != nil && !cmd.DryRun {
		if err := cmd.Prepare(ctx, &from.loaded); err != nil {
			return d, err
		}
	}
	m, err := c.Moment(ctx)
	if err != nil {
		return d, err
	}
	d.history = from.history
	d.change, d.answer, err = cmd.Decide(from.loaded, m)
	if err == nil {
		changes.Publish(&d.change)
		err = changes.CheckSize(d.change, c.MaxSize)
	}
	switch {
	case from.received && (err != nil || d.change.Empty()):
		return d, errUnconfirmed
	case err == nil:
		return d, nil
	}
	err = AtRevision(err, from.loaded)
	if !cmd.DryRun {
		err = c.Refuse(ctx, from.history, err)
	}
	return d, err
}

// conclude stores the decision. For an empty Change, it confirms the shown state
// instead, because the answer rests on it. A dry run does neither, and promises
// nothing.
func conclude[S, R any](ctx context.Context, c *Core, cmd Command[S, R], d decision[R]) error {
	switch {
	case cmd.DryRun:
		return nil
	case d.change.Empty():
		return c.Store.Confirm(ctx, d.history)
	}
	return c.Commit(ctx, d.change)
}

// AtRevision adds the revision of the problem to a refusal (D10), if loaded is about one: it then
// has a method OfRevision.
func AtRevision(err error, loaded any) error {
	of, ok := loaded.(interface{ OfRevision() int64 })
	e, isFault := errors.AsType[*fault.Error](err)
	if !ok || !isFault {
		return err
	}
	at := *e
	at.Revision = of.OfRevision()
	return &at
}

// Refuse returns the refusal of a write after the store has confirmed its basis. A
// client does not retry after an answer such as "already there" or "not possible", so
// the answer has to be safe. A fault of the store rests on nothing and needs no
// confirmation. fault.Conflict asks for another decision.
func (c *Core) Refuse(ctx context.Context, history store.History, refusal error) error {
	switch fault.KindOf(refusal) {
	case fault.Unavailable, fault.UnknownOutcome, fault.Internal, fault.Closed:
		return refusal
	}
	if err := c.Store.Confirm(ctx, history); err != nil {
		return err
	}
	return refusal
}

// settleFor limits the wait for the outcome of a Commit, if the deadline of the request
// leaves this much. The end of the request by the client does not end the wait.
const settleFor = 10 * time.Second

// Commit commits the change and settles an unknown outcome. With fault.Conflict nothing
// was stored, and another decision may help.
func (c *Core) Commit(ctx context.Context, change store.Change) error {
	err := c.CommitUnsettled(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		err = c.settle(ctx, change, err)
	}
	if err == nil || fault.Is(err, fault.UnknownOutcome) { // cached tokens may be outdated
		c.Tokens.Distrust(change)
	}
	if err == nil {
		c.Hub.Wake()
	}
	return err
}

// CommitUnsettled commits the change, records its success as a sign of readiness, and leaves an
// unknown outcome unsettled.
func (c *Core) CommitUnsettled(ctx context.Context, change store.Change) error {
	began := c.Now()
	_, err := c.Store.Commit(ctx, change)
	if err == nil {
		c.Ready.Prove(began)
	}
	return err
}

// settle finds out whether a change with an unknown outcome is stored: nil means yes. Otherwise
// it wraps unknown, as fault.Conflict when the change will never be stored, and as
// fault.UnknownOutcome when the store does not answer within settleFor and the deadline of ctx.
func (c *Core) settle(ctx context.Context, change store.Change, unknown error) error {
	deadline, bounded := ctx.Deadline()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleFor)
	defer cancel()
	if bounded {
		var end context.CancelFunc
		ctx, end = context.WithDeadline(ctx, deadline)
		defer end()
	}
	_, stored, err := c.Store.Outcome(ctx, change.Batch, change.At)
	switch {
	case err != nil:
		return fault.Wrap(fault.UnknownOutcome, errors.Join(unknown, err), "the store went away during the write: it may be stored or not. %s", repeatSafely)
	case stored:
		return nil
	default:
		return fault.Wrap(fault.Conflict, unknown, "the write was lost on its way and will not happen")
	}
}

// repeatSafely is the advice after an unknown outcome (D18).
const repeatSafely = "Repeat the request with the same Idempotency-Key or If-Match, which cannot store it twice; without one, look first"
