package tracker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// TakeClaim is the command of PUT /problems/{n}/claim (D49). With a Claim, it extends this one.
type TakeClaim struct {
	Write
	Lease patch.Field[int64] // in seconds
	// Idempotency is for a claim that is taken; nil for an extension, which has the same effect again.
	Idempotency *Idempotency[problem.Claim]
}

// ClaimedError has the claim in the way of a request, with the name of its holder.
type ClaimedError struct {
	problem.Claim
	Name string
}

func (e *ClaimedError) Error() string { return "held by " + e.Holder.String() }

// TakeClaim takes the claim of a problem for the caller, or extends it (D49). It fails with
// fault.Claimed while somebody has it, also the caller, and with fault.ClaimLost when the claim
// to extend is not the current one. The answer is New for a claim that was taken.
func (s *Service) TakeClaim(ctx context.Context, caller Caller, id problem.ID, cmd TakeClaim) (Answer[problem.Claim], error) {
	return core.Run(ctx, s.core, core.Command[repeatable, Answer[problem.Claim]]{
		Locks:  append(cmd.Idempotency.LockKeys(caller), writerlocks.Problem(id)),
		DryRun: cmd.DryRun,
		Once:   cmd.Idempotency == nil,
		Load:   loadRepeatable(s, caller, id, 0, cmd.Idempotency),
		Decide: func(c repeatable, m changes.Moment) (store.Change, Answer[problem.Claim], error) {
			return decideTake(caller, cmd, c, m)
		},
	})
}

func decideTake(caller Caller, cmd TakeClaim, c repeatable, m changes.Moment) (store.Change, Answer[problem.Claim], error) {
	if a, ok := cmd.Idempotency.Replay(c.reply); ok {
		return store.Change{}, a, nil
	}
	var none Answer[problem.Claim]
	l := c.loaded
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	faults := cmd.Faults
	end := leaseEnd(cmd.Lease, m.At, &faults)
	err := faults.Err()
	if err == nil {
		err = cmd.Idempotency.Check(c.reply)
	}
	if err != nil {
		return store.Change{}, none, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if !cmd.Claim.IsNone() {
		cb.ExpectClaim(&l.Snapshot)
		l.Claim.Expires = end
		cb.AddEffect(store.PutClaim{Problem: l.ID, Claim: l.Claim})
		return cb.Change, answer(l.Claim, l), nil
	}
	if err := take(cb, caller, &l.Snapshot, l.catalogue, m.At, end); err != nil {
		return store.Change{}, none, err
	}
	a := answer(l.Claim, l)
	a.New = true
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: l.ID}, a)
	return cb.Change, a, nil
}

// leaseEnd returns the end of a lease that begins now.
func leaseEnd(lease patch.Field[int64], now time.Time, faults *fault.List) time.Time {
	at := fault.At("lease")
	body.Require(faults, lease.Sent, at, "a claim needs the length of its lease, in seconds")
	if lease.Sent && !faults.Covers(at) && (lease.Null || lease.Value < problem.MinLease || lease.Value > problem.MaxLease) {
		faults.Add(fault.InvalidValue, at, "has to be %d to %d seconds", problem.MinLease, problem.MaxLease)
	}
	return now.Add(time.Duration(lease.Value) * time.Second)
}

// take gives the problem a new claim of the caller. It fails with fault.Claimed.
func take(cb *changes.Builder, caller Caller, s *snapshot.Snapshot, c *metadata.Catalogue, now, end time.Time) error {
	if s.Claim.Taken(now) {
		by := &ClaimedError{s.Claim, c.Name(metadata.Users, s.Claim.Holder)}
		return fault.Wrap(fault.Claimed, by, "%s has claimed the problem until %s: take another one, or wait", by.Name, s.Claim.Expires.UTC().Format(time.RFC3339))
	}
	cb.ResolvedBy(s.Catalogue) // the log keeps the names
	cb.Insignificant(s)
	cb.TakeClaim(s, c, problem.Claim{ID: cb.NextID(), Holder: caller.User, Via: cb.Via, Expires: end})
	cb.StoreProblem(s)
	return nil
}

// EndClaim ends the claim of a problem (D49). Nothing changes without a claim. The log names the
// caller. It fails with fault.ClaimLost when the claim of the command is not the current one.
func (s *Service) EndClaim(ctx context.Context, caller Caller, id problem.ID, w Write) (Answer[struct{}], error) {
	return onProblem(ctx, s, caller, id, 0, w.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
		return decideEnd(caller, w, l, m)
	})
}

func decideEnd(caller Caller, w Write, l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
	err := checkMatch(w, l.Snapshot)
	if err == nil {
		err = w.Faults.Err()
	}
	if err != nil {
		return store.Change{}, Answer[struct{}]{}, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if !l.Claim.ID.IsNone() {
		cb.ResolvedBy(l.Catalogue)
		cb.Insignificant(&l.Snapshot)
		cb.EndClaim(&l.Snapshot, l.catalogue)
		cb.StoreProblem(&l.Snapshot)
	}
	return cb.Change, answer(struct{}{}, l), nil
}
