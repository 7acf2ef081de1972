package tracker

import (
	"context"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// command is one write: the keys to lock, the state to load, and the function to
// decide.
type command[S, T any] struct {
	locks  []writerlocks.Key
	dryRun bool
	load   func(context.Context, store.Reader) (S, error)
	once   bool // load reads only once, see views.Once
	// prepare, if not nil, adds the parts of the state for real writes only. It runs
	// outside the View.
	prepare func(context.Context, *S) error
	decide  func(S, changes.Moment) (store.Change, Answer[T], error)
	// handoff, if not nil, is for commands with a single lock.
	handoff *handoff[S]
}

// handoff gives a waiting writer the problem as stored by the previous writer, and so
// saves the load. The previous writer may act for another user. Another server may have
// changed the problem since. So the Change has to expect everything taken from the
// handoff.
type handoff[S any] struct {
	// beforeWait runs before a writer waits for the lock.
	beforeWait func(context.Context)
	// accept returns the state for the decision. It returns false when the problem is
	// not enough for it, and for nil: nothing was handed off.
	accept func(*snapshot.Snapshot) (S, bool)
	// pass returns the problem for the next writer, once the Change is stored.
	pass func(store.Change) *snapshot.Snapshot
}

// run executes a command in the order of every write: lock, load, decide, commit. It
// starts over from the load when another server has outdated the loaded state.
func run[S, T any](ctx context.Context, s *Service, c command[S, T]) (Answer[T], error) {
	if c.handoff != nil && s.locks.Busy(c.locks[0]) {
		c.handoff.beforeWait(ctx)
	}
	lease, err := s.locks.Lock(ctx, c.locks...)
	if err != nil {
		return Answer[T]{}, err
	}
	defer lease.Unlock()
	for received := lease.Received(); ; received = nil {
		var d decision[T]
		from, err := loadBasis(ctx, s, c, received)
		if err == nil {
			d, err = decideFrom(ctx, s, c, from)
		}
		if err == nil {
			err = conclude(ctx, s, c, d)
		}
		switch {
		case err == nil:
			if c.handoff != nil && !d.change.Empty() {
				lease.HandOff(c.handoff.pass(d.change))
			}
			return d.answer, nil
		case !fault.Is(err, fault.Conflict):
			return Answer[T]{}, err
		case ctx.Err() != nil:
			return Answer[T]{}, fault.Wrap(fault.Unavailable, ctx.Err(), "other requests kept changing the same objects; nothing was changed")
		}
	}
}

// basis is the state behind a decision.
type basis[S any] struct {
	loaded S
	// received is true for a state handed off by the previous writer.
	received bool
	// shown is the History of the View that loaded the state.
	shown store.History
}

// loadBasis returns the received problem, if the command accepts it. Otherwise it loads
// the state from the store. It fails with fault.Conflict when another load may help.
func loadBasis[S, T any](ctx context.Context, s *Service, c command[S, T], received *snapshot.Snapshot) (from basis[S], err error) {
	if c.handoff != nil {
		if from.loaded, from.received = c.handoff.accept(received); from.received {
			return from, nil
		}
	}
	view := s.views.View
	if c.once {
		view = s.views.Once
	}
	err = view(ctx, func(r store.Reader) (err error) {
		from.loaded, err = c.load(ctx, r)
		from.shown = r.History()
		return err
	})
	if err != nil && !c.dryRun {
		err = s.refuse(ctx, from.shown, err)
	}
	return from, err
}

// decision is the outcome of decide: a Change and its answer.
type decision[T any] struct {
	change store.Change
	answer Answer[T]
	shown  store.History
}

// errUnconfirmed asks for a decision from the store. A handed-off state may be
// outdated, and only a Commit detects it. So a refusal, or an empty Change, counts only
// after a decision from the store.
var errUnconfirmed = fault.New(fault.Conflict, "a refusal does not count when it was decided from a handed-off state")

// decideFrom decides the command. Its error is a final refusal, or fault.Conflict to
// ask for another load of the state.
func decideFrom[S, T any](ctx context.Context, s *Service, c command[S, T], from basis[S]) (d decision[T], err error) {
	if c.prepare != nil && !c.dryRun {
		if err := c.prepare(ctx, &from.loaded); err != nil {
			return d, err
		}
	}
	m, err := s.moment(ctx)
	if err != nil {
		return d, err
	}
	d.shown = from.shown
	d.change, d.answer, err = c.decide(from.loaded, m)
	if err == nil {
		err = changes.CheckSize(d.change, s.limits.Size)
		changes.Publish(&d.change)
	}
	switch {
	case from.received && (err != nil || d.change.Empty()):
		return d, errUnconfirmed
	case err == nil:
		return d, nil
	}
	err = atRevision(err, from.loaded)
	if !c.dryRun {
		err = s.refuse(ctx, from.shown, err)
	}
	return d, err
}

// conclude stores the decision. For an empty Change, it confirms the shown state
// instead, because the answer rests on it. A dry run does neither, and promises
// nothing.
func conclude[S, T any](ctx context.Context, s *Service, c command[S, T], d decision[T]) error {
	switch {
	case c.dryRun:
		return nil
	case d.change.Empty():
		return s.store.Confirm(ctx, d.shown)
	}
	return s.commit(ctx, d.change)
}

// onProblem runs a command about one problem. The decision is from the problem and its
// given parts.
func onProblem[T any](ctx context.Context, s *Service, caller Caller, id problem.ID, parts snapshot.Parts, dryRun bool,
	decide func(loaded, changes.Moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return run(ctx, s, command[loaded, T]{
		locks:  []writerlocks.Key{writerlocks.Problem(id)},
		dryRun: dryRun,
		load: func(ctx context.Context, r store.Reader) (loaded, error) {
			return s.As(caller).load(ctx, r, id, parts)
		},
		once:   true,
		decide: decide,
	})
}

// atRevision adds the revision of the problem to a refusal (D10).
func atRevision(err error, loaded any) error {
	of, ok := loaded.(interface{ revision() int64 })
	e, isFault := errors.AsType[*fault.Error](err)
	if !ok || !isFault {
		return err
	}
	at := *e
	at.Revision = of.revision()
	return &at
}

// refuse returns the refusal of a write after the store has confirmed its basis. A
// client does not retry after an answer such as "already there" or "not possible", so
// the answer has to be safe. A fault of the store rests on nothing and needs no
// confirmation. fault.Conflict asks for another decision.
func (s *Service) refuse(ctx context.Context, shown store.History, refusal error) error {
	switch fault.KindOf(refusal) {
	case fault.Unavailable, fault.UnknownOutcome, fault.Internal, fault.Closed:
		return refusal
	}
	if err := s.store.Confirm(ctx, shown); err != nil {
		return err
	}
	return refusal
}

// settleFor limits the wait for the outcome of a Commit, if the deadline of the request
// leaves this much. The end of the request by the client does not end the wait.
const settleFor = 10 * time.Second

// commit commits the change and settles an unknown outcome. With fault.Conflict nothing
// was stored, and another decision may help.
func (s *Service) commit(ctx context.Context, change store.Change) error {
	err := s.write(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		err = s.settle(ctx, change, err)
	}
	if err == nil || fault.Is(err, fault.UnknownOutcome) { // cached tokens may be outdated
		s.tokens.Distrust(change)
	}
	if err == nil {
		s.hub.Wake()
	}
	return err
}

// write commits the change and records its success as a sign of readiness.
func (s *Service) write(ctx context.Context, change store.Change) error {
	began := s.now()
	_, err := s.store.Commit(ctx, change)
	if err == nil {
		s.ready.Prove(began)
	}
	return err
}

// settle finds out whether a change with an unknown outcome is stored: nil means yes. Otherwise
// it wraps unknown, as fault.Conflict when the change will never be stored, and as
// fault.UnknownOutcome when the store does not answer within settleFor and the deadline of ctx.
func (s *Service) settle(ctx context.Context, change store.Change, unknown error) error {
	deadline, bounded := ctx.Deadline()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleFor)
	defer cancel()
	if bounded {
		var end context.CancelFunc
		ctx, end = context.WithDeadline(ctx, deadline)
		defer end()
	}
	_, stored, err := s.store.Outcome(ctx, change.Batch, change.At)
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
