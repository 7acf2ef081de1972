package tracker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/line"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Claimable selects the problems that anybody can work on: the default predicate of ClaimNext.
const Claimable = "state.resolved = NO AND blocked = NO AND claimed = NO"

// The bounds of ClaimNext.
const (
	// MaxWait is the longest wait for a problem, in seconds.
	MaxWait = 60
	// mostTried is the number of problems found at once, in case others are faster.
	mostTried = 100
)

// ClaimNext is the command of POST /problems/claim (D49).
type ClaimNext struct {
	Write
	Predicate   patch.Field[string] // left out: Claimable
	Sort        patch.Field[string]
	Lease       patch.Field[int64] // in seconds
	Wait        patch.Field[int64] // in seconds; left out: 0
	Idempotency *Idempotency[snapshot.Snapshot]
	// Check, unless nil, is called after a wait, before the next try: the caller may have been
	// locked out meanwhile.
	Check func(context.Context) error
}

// ClaimNext takes the claim of one problem that satisfies the predicate and has none, the first
// one in the order. found is false when there was none during the wait, which also ends with the
// context waiting. Requests of one Service try in the order of their arrival, those of one user one
// by one.
func (s *Service) ClaimNext(ctx, waiting context.Context, caller Caller, cmd ClaimNext) (a Answer[snapshot.Snapshot], found bool, err error) {
	faults := cmd.Faults
	leaseEnd(cmd.Lease, s.core.Time(), &faults)
	if at := fault.At("wait"); cmd.Wait.Sent && !faults.Covers(at) && (cmd.Wait.Null || cmd.Wait.Value < 0 || cmd.Wait.Value > MaxWait) {
		faults.Add(fault.InvalidValue, at, "has to be 0 to %d seconds", MaxWait)
	}
	text := Claimable
	if body.Given(cmd.Predicate) {
		text = cmd.Predicate.Value
	}
	if _, err := s.As(caller).prepare(ctx, predicate.Problem, Search{Predicate: patch.Set(text), Sort: cmd.Sort}); err != nil {
		return a, false, err
	}
	if err := faults.Err(); err != nil {
		return a, false, err
	}
	waits, cancel := context.WithTimeout(waiting, time.Duration(cmd.Wait.Value)*time.Second)
	defer cancel()
	n := &next{Service: s, caller: caller, cmd: cmd, text: text, until: s.core.Time().Add(time.Duration(cmd.Wait.Value) * time.Second)}
	if cmd.Wait.Value > 0 {
		defer s.core.Hub.Listen(0)()
	}
	place := s.claimants.Join(caller.User)
	defer place.Leave()
	for {
		round, err := place.Turn(ctx)
		if err != nil {
			return a, false, err
		}
		_, grown := s.core.Hub.Growth()
		if a, found, err = n.try(ctx); found || err != nil {
			return a, found, err
		}
		place.Tried(round)
		if waits.Err() != nil || cmd.Wait.Value == 0 {
			return a, false, nil
		}
		free, err := n.nextFree(ctx)
		if err != nil {
			return a, false, err
		}
		awaitRound(waits, place, round, grown, free)
		if cmd.Check != nil {
			if err := cmd.Check(ctx); err != nil {
				return a, false, err
			}
		}
	}
}

// awaitRound waits until the next round of the line has begun, or ctx ends. It begins the round
// itself when the feed has grown, or when a claim can be taken over.
func awaitRound(ctx context.Context, place *line.Place, round int, grown <-chan struct{}, free time.Duration) {
	expiry := time.NewTimer(free)
	defer expiry.Stop()
	for {
		over, changed := place.Over(round)
		if over {
			return
		}
		select {
		case <-grown:
			place.Begin(round)
		case <-expiry.C:
			place.Begin(round)
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// next is one ClaimNext under way.
type next struct {
	*Service
	caller Caller
	cmd    ClaimNext
	text   string // of the predicate
	until  time.Time
}

// compiled returns the plan for problems that satisfy the predicate at one moment, and a
// condition at another one.
func (n *next) compiled(at time.Time, condition string, now time.Time) (*predicate.Plan, error) {
	plan, err := compile(n.text, predicate.Problem, predicate.Env{Now: at, User: n.caller.User, Zone: n.core.Zone})
	if err != nil {
		return nil, err
	}
	also, err := compile(condition, predicate.Problem, predicate.Env{Now: now, User: n.caller.User, Zone: n.core.Zone})
	if err != nil {
		return nil, err
	}
	conds := []predicate.Cond{also.Where} // it has no variable
	if all, ok := plan.Where.(predicate.And); ok {
		conds = append(conds, all.Conds...)
	} else {
		conds = append(conds, plan.Where)
	}
	plan.Where = predicate.And{Conds: conds}
	return plan, nil
}

// find returns the first problems of a plan.
func (n *next) find(ctx context.Context, plan *predicate.Plan, sort string, most int) (hits []store.Hit, err error) {
	order, err := compileOrder(sort, predicate.Problem)
	if err != nil {
		return nil, err
	}
	release, err := n.searches.Acquire(ctx, n.caller.User)
	if err != nil {
		return nil, err
	}
	defer release()
	err = n.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := n.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		hits, err = n.As(n.caller).reads.Find(ctx, r, store.Query{Plan: plan, Sort: order, Limit: most, Catalogue: catalogue})
		return err
	})
	return hits, err
}

// try takes the first problem that nobody else takes meanwhile.
func (n *next) try(ctx context.Context) (a Answer[snapshot.Snapshot], found bool, err error) {
	if a, found, err = n.repeated(ctx); found || err != nil {
		return a, found, err
	}
	now := n.core.Time()
	plan, err := n.compiled(now, "claimed = NO", now)
	if err != nil {
		return a, false, err
	}
	hits, err := n.find(ctx, plan, n.cmd.Sort.Value, mostTried)
	if err != nil {
		return a, false, err
	}
	for _, hit := range hits {
		a, err = n.take(ctx, hit.ID, plan)
		switch fault.KindOf(err) {
		case fault.Claimed, fault.ProblemNotFound:
			continue
		}
		return a, err == nil, err
	}
	return a, false, nil
}

// repeated returns the answer to an equal request before.
func (n *next) repeated(ctx context.Context) (a Answer[snapshot.Snapshot], found bool, err error) {
	key := n.cmd.Idempotency
	if key == nil {
		return a, false, nil
	}
	err = n.core.Store.View(ctx, func(r store.Reader) error {
		reply, err := key.Load(ctx, r, n.caller, n.core.Time())
		if err != nil {
			return err
		}
		if a, found = key.Replay(reply); found {
			return nil
		}
		return key.Check(reply)
	})
	return a, found, err
}

// take takes the claim of a problem, if it still satisfies the plan. Otherwise it fails with
// fault.Claimed.
func (n *next) take(ctx context.Context, id problem.ID, plan *predicate.Plan) (Answer[snapshot.Snapshot], error) {
	type candidate struct {
		repeatable
		fits bool
	}
	load := loadRepeatable(n.Service, n.caller, id, snapshot.Keywords, n.cmd.Idempotency)
	return core.Run(ctx, n.Service.core, core.Command[candidate, Answer[snapshot.Snapshot]]{
		Locks:  append(n.cmd.Idempotency.LockKeys(n.caller), writerlocks.Problem(id)),
		DryRun: n.cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (c candidate, err error) {
			if c.repeatable, err = load(ctx, r); err != nil {
				return c, err
			}
			hits, err := n.As(n.caller).reads.Among(ctx, r, store.Query{Plan: plan, Limit: 1, Catalogue: c.catalogue}, []problem.ID{id})
			c.fits = len(hits) > 0
			return c, err
		},
		Decide: func(c candidate, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
			if a, ok := n.cmd.Idempotency.Replay(c.reply); ok {
				return store.Change{}, a, nil
			}
			if err := n.cmd.Idempotency.Check(c.reply); err != nil {
				return store.Change{}, Answer[snapshot.Snapshot]{}, err
			}
			if !c.fits {
				return store.Change{}, Answer[snapshot.Snapshot]{}, fault.New(fault.Claimed, "the problem has changed meanwhile")
			}
			var none fault.List
			cb := changes.NewBuilder(m, n.caller.Author(), c.Problem)
			if err := take(cb, n.caller, &c.Snapshot, c.catalogue, m.At, leaseEnd(n.cmd.Lease, m.At, &none)); err != nil {
				return store.Change{}, Answer[snapshot.Snapshot]{}, err
			}
			c.Log = cb.Log
			a := answer(c.Snapshot, c.loaded)
			a.New = true
			n.cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: id}, a)
			return cb.Change, a, nil
		},
	})
}

// nextFree returns the time until the first claim can be taken over, of those on problems that
// will satisfy the predicate then. It is long when there is none before the end of the wait.
func (n *next) nextFree(ctx context.Context) (time.Duration, error) {
	now := n.core.Time()
	plan, err := n.compiled(n.until, "claimed = YES", now)
	if err != nil {
		return 0, err
	}
	hits, err := n.find(ctx, plan, "claim.expires", 1)
	if err != nil || len(hits) == 0 {
		return MaxWait * time.Second, err
	}
	expires, _ := hits[0].Keys[0].(time.Time)
	return max(problem.Claim{Expires: expires}.FreeFrom().Sub(now), 0), nil
}
