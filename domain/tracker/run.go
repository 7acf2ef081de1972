package tracker

import (
	"context"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// command is one write: what it waits for, what it loads, and how it decides.
type command[S, T any] struct {
	slots  []slot
	dryRun bool
	load   func(context.Context, store.Reader) (S, error)
	once   bool // load reads only once, see viewOnce
	// prepare, if not nil, gets what only a real write needs, outside the
	// view.
	prepare func(context.Context, *S) error
	decide  func(S, moment) (store.Change, Answer[T], error)
	// succession, if not nil, is how a writer follows another at the only slot.
	succession *succession[S]
}

// succession lets a writer who had to wait go by what the one before has left, who may
// be another user, instead of loading it. Another server may have outdated that since,
// so all that decide takes from it has to be expected by the Change.
type succession[S any] struct {
	// wait is called before a writer waits for others.
	wait func(context.Context)
	// inherit returns what there is to decide from, if what was left is enough.
	inherit func(left any) (S, bool)
	// leave returns what the next writer gets, once the Change is stored.
	leave func(store.Change) any
}

// run takes a command down the one road of a write: load, decide, commit; and
// again, from the start, when another server has outdated what was loaded. What is
// decided from something inherited counts only if it is stored, which tells that it was
// not outdated; everything else is decided again: a refusal, or that there is nothing to
// change.
func run[S, T any](ctx context.Context, s *Service, c command[S, T]) (Answer[T], error) {
	var none Answer[T]
	if c.succession != nil && s.queue.taken(c.slots[0]) {
		c.succession.wait(ctx)
	}
	turn, err := s.queue.enter(ctx, c.slots...)
	if err != nil {
		return none, err
	}
	defer turn.leave()
	for first := true; ; first = false {
		var loaded S
		var shown store.History
		inherited := false
		if first && c.succession != nil {
			loaded, inherited = c.succession.inherit(turn.found)
		}
		if !inherited {
			view := s.view
			if c.once {
				view = s.viewOnce
			}
			err := view(ctx, func(r store.Reader) (err error) {
				loaded, err = c.load(ctx, r)
				shown = r.History()
				return err
			})
			if err != nil && !c.dryRun {
				err = s.refuse(ctx, shown, err)
			}
			if outdated(ctx, err) {
				continue
			}
			if err != nil {
				return none, err
			}
		}
		if c.prepare != nil && !c.dryRun {
			if err := c.prepare(ctx, &loaded); err != nil {
				return none, err
			}
		}
		m, err := s.moment(ctx)
		if err != nil {
			return none, err
		}
		change, answer, err := c.decide(loaded, m)
		if err == nil {
			err = checkSize(change, s.limits.Size)
		}
		if inherited && (err != nil || change.Empty()) {
			continue
		}
		if err != nil {
			err = atRevision(err, loaded)
		}
		switch {
		case c.dryRun: // which promises nothing
		case err != nil:
			err = s.refuse(ctx, shown, err)
		case change.Empty():
			err = s.store.Confirm(ctx, shown)
		default:
			err = s.commit(ctx, change)
			if err == nil && c.succession != nil {
				turn.left = c.succession.leave(change)
			}
		}
		switch {
		case err == nil:
			return answer, nil
		case !fault.Is(err, fault.Conflict):
			return none, err
		case ctx.Err() != nil:
			return none, fault.Wrap(fault.Unavailable, ctx.Err(), "other requests kept changing the same objects; nothing was changed")
		}
	}
}

// outdated reports whether what was loaded is to be loaded again.
func outdated(ctx context.Context, err error) bool {
	return fault.Is(err, fault.Conflict) && ctx.Err() == nil
}

// view is a View for what may need much memory: it is called again, once there is room.
func (s *Service) view(ctx context.Context, fn func(store.Reader) error) error {
	return s.withRoom(ctx, func() error { return s.store.View(ctx, fn) })
}

// viewOnce is a view for what reads only once, as long as the catalogue that is kept
// is that of the moment. If it is not, it is called a second time.
func (s *Service) viewOnce(ctx context.Context, fn func(store.Reader) error) error {
	err := s.store.View(ctx, func(r store.Reader) error {
		store.Last(r)
		return fn(r)
	})
	if _, large := errors.AsType[*roomError](err); large || errors.Is(err, store.ErrOver) {
		return s.view(ctx, fn)
	}
	return err
}

// onProblem runs a command about one problem, decided from the problem and the given
// parts of it.
func onProblem[T any](ctx context.Context, s *Service, caller Caller, id problem.ID, parts store.Parts, dryRun bool,
	decide func(loaded, moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return run(ctx, s, command[loaded, T]{
		slots:  []slot{problemSlot(id)},
		dryRun: dryRun,
		load: func(ctx context.Context, r store.Reader) (loaded, error) {
			return s.load(ctx, r, caller.User, id, parts)
		},
		once:   true,
		decide: decide,
	})
}

// atRevision names, in a refusal, the revision of the problem that it is about
// (D10).
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

// refuse returns the refusal of a write, once what it rests on is confirmed: a client
// that is told that its write is there already, or cannot be, does not try again. A fault
// of the store rests on nothing. fault.Conflict means that deciding again may help.
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

// settleFor is how long the outcome of a Commit is asked for, if the deadline of the
// request leaves that much. That the client has gone ends neither.
const settleFor = 10 * time.Second

// commit commits the change and settles an unknown outcome. fault.Conflict means
// that nothing was stored, and that deciding again may help.
func (s *Service) commit(ctx context.Context, change store.Change) error {
	err := s.write(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		err = s.settle(ctx, change, err)
	}
	if err == nil {
		s.cache.distrust(change)
	}
	return err
}

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
		// Stored or not, what is cached can no longer be trusted.
		s.cache.distrust(change)
		return fault.Wrap(fault.UnknownOutcome, unknown, "the store went away during the write: it may be stored or not. %s", repeatSafely)
	case stored:
		return nil
	default:
		return fault.Wrap(fault.Conflict, unknown, "the write was lost on its way and will not happen")
	}
}

// repeatSafely says what to do after an unknown outcome (D18).
const repeatSafely = "Repeat the request with the same Idempotency-Key or If-Match, which cannot store it twice; without one, look first"
