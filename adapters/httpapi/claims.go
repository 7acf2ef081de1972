package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// registerClaims registers the operations of D49.
func (s *server) registerClaims() {
	const path, tag = "/problems/{identifier}/claim", "Claims"
	example := func(e *wire.Encoder) { e.Claim(samples.Claim()) }
	body := []fault.Kind{fault.RequiredField, fault.UnknownField, fault.ValidationFailed}
	register(s, huma.Operation{
		OperationID: "takeClaim", Method: http.MethodPut, Path: path, Tags: []string{tag},
		Summary: "Claim a problem, or extend the claim",
		Description: "Without the header Claim, this takes the claim of a problem that has none, or one that ended more than 5 seconds ago. A claim that somebody has is answered with 409, also to its holder: two processes of one user are two workers. " +
			"With an Idempotency-Key, a repeat gets the claim that was taken. " +
			"With the header Claim, it gives this claim a new lease, and ignores the key. The holder keeps a claim after the lease until somebody takes it.",
		Security:  needs(access.Write),
		Responses: responses{"200": {Description: "The claim, with its new expiry."}, "201": {Description: "The claim that was taken."}},
		Metadata:  about(example, append(body, fault.ProblemNotFound, fault.StaleRevision, fault.Claimed, fault.IdempotencyConflict)...).json(`{"lease":600}`, wire.NewClaim{}),
	}, s.takeClaim)
	register(s, huma.Operation{
		OperationID: "loadClaim", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary:     "Load the claim of a problem",
		Description: "Who works on the problem now, or null. A claim that expired is there until somebody takes it or ends it.",
		Security:    needs(access.Read),
		Responses:   orKept("The claim, or null."),
		Metadata:    about(example, fault.ProblemNotFound),
	}, s.loadClaim)
	register(s, huma.Operation{
		OperationID: "endClaim", Method: http.MethodDelete, Path: path, Tags: []string{tag},
		Summary:     "End the claim of a problem",
		Description: "Holders send the header Claim, so they end no claim but their own. Without it, this ends any claim. The log of the problem names who did it.",
		Security:    needs(access.Write),
		Responses:   responses{"204": {Description: "The problem has no claim."}},
		Metadata:    about(nil, fault.ProblemNotFound, fault.StaleRevision),
	}, s.endClaim)
	register(s, huma.Operation{
		OperationID: "claimNext", Method: http.MethodPost, Path: "/problems/claim", Tags: []string{tag},
		Summary: "Claim the next problem",
		Description: "This claims one problem that satisfies the predicate and has no claim: the first one in the order of sort. Many callers at once each get another one. " +
			"With wait, it waits so long for one. In one server, who came first is first; several servers promise no order. The default predicate is: " + tracker.Claimable + ".",
		Security: needs(access.Write),
		Responses: responses{
			"200": {Description: "The problem, with its claim and the log entries of this request."},
			"204": {Description: "There is no such problem. This answer is not kept for the Idempotency-Key."},
		},
		Metadata: about(func(e *wire.Encoder) { e.ClaimedProblem(samples.Claimed()) }, append(body, fault.InvalidPredicate, fault.QueryTooExpensive, fault.IdempotencyConflict)...).
			json(`{"predicate":"`+tracker.Claimable+` AND component.fullName BEGINSWITH 'Server'","sort":"priority.order","lease":600,"wait":20}`, wire.NewNextClaim{}),
	}, s.claimNext)
}

// claimedOutput is a claim, or a problem with its claim, that a repeat gets again.
type claimedOutput[T any] struct {
	Status int
	Revised
	Replayable
	Body wire.JSON[T]
}

// takeClaim takes or extends the claim of a problem.
func (s *server) takeClaim(ctx context.Context, in *keyedProblemWriteInput) (*claimedOutput[wire.Claim], error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.TakeClaim{Write: write}
	taken := func(a tracker.Answer[problem.Claim]) *claimedOutput[wire.Claim] {
		out := &claimedOutput[wire.Claim]{Status: http.StatusOK, Revised: revised(a.Revision), Body: wire.One[wire.Claim](a.Catalogue, named(in.call, (*wire.Encoder).Claim), a.Value)}
		if a.New {
			out.Status = http.StatusCreated
		}
		return out
	}
	if write.Claim.IsNone() {
		if cmd.Idempotency, err = idempotency(in.call, taken); err != nil {
			return nil, err
		}
	}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "lease", Into: &cmd.Lease}); err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.TakeClaim(ctx, in.caller, id, cmd)
	return answered(in.call, a, err, taken)
}

type loadClaimInput struct {
	Request
	OfProblem
	Cached
}

func (s *server) loadClaim(ctx context.Context, in *loadClaimInput) (*partOutput[*wire.Claim], error) {
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := in.as().Problem(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	tag := etag.Chosen(tagOf(a), claimTag(a.Value, in.tokenName))
	out := &partOutput[*wire.Claim]{Tagged: Tagged{tag}, Revised: revised(a.Revision)}
	out.Status, out.Body = unlessKnown(in.call, tag, func() wire.JSON[*wire.Claim] {
		return wire.One[*wire.Claim](a.Catalogue, named(in.call, (*wire.Encoder).Claim), a.Value.Claim)
	})
	return out, nil
}

// claimTag tells apart claims, the leases of one, and the names of its token: an erasure takes the
// name away.
func claimTag(s snapshot.Snapshot, names func(ident.ID) string) string {
	return "claim " + s.Claim.ID.String() + s.Claim.Expires.String() + names(s.Claim.Via)
}

func (s *server) endClaim(ctx context.Context, in *problemWriteInput) (*deletedOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.EndClaim(ctx, in.caller, id, write)
	if err != nil {
		return nil, err
	}
	return &deletedOutput{revised(a.Revision)}, nil
}

type claimNextInput struct {
	Request
	Write
	Keyed
	Chosen
}

// claimNext claims one problem of those that a predicate selects.
func (s *server) claimNext(ctx context.Context, in *claimNextInput) (*claimedOutput[wire.ClaimedProblem], error) {
	cmd := tracker.ClaimNext{Write: in.write()}
	only, err := in.chosen()
	if err != nil {
		return nil, err
	}
	claimed := func(a tracker.Answer[snapshot.Snapshot]) *claimedOutput[wire.ClaimedProblem] {
		e := wire.Encoder{Catalogue: a.Catalogue, Only: only, TokenNames: in.tokenName}
		e.ClaimedProblem(a.Value)
		return &claimedOutput[wire.ClaimedProblem]{Status: http.StatusOK, Revised: revised(a.Revision), Body: wire.JSON[wire.ClaimedProblem]{Text: e.Buf}}
	}
	if cmd.Idempotency, err = idempotency(in.call, claimed); err != nil {
		return nil, err
	}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "predicate", Into: &cmd.Predicate}, wire.Member{Name: "sort", Into: &cmd.Sort},
		wire.Member{Name: "lease", Into: &cmd.Lease}, wire.Member{Name: "wait", Into: &cmd.Wait}); err != nil {
		return nil, err
	}
	waiting := ctx
	if 0 < cmd.Wait.Value && cmd.Wait.Value <= tracker.MaxWait {
		place, release, err := s.sender.Streams.Acquire(in.caller.User)
		if err != nil {
			return nil, err
		}
		in.after(release)
		var cancel context.CancelFunc
		ctx, waiting, cancel = s.sender.Hold(in.w, in.r, place, time.Duration(cmd.Wait.Value)*time.Second)
		defer cancel()
		cmd.Check = func(ctx context.Context) error { return s.sender.StillAllowed(ctx, httpframe.Credential(in.r)) }
	}
	a, found, err := s.Service.ClaimNext(ctx, waiting, in.caller, cmd)
	if err == nil && !found {
		return &claimedOutput[wire.ClaimedProblem]{Status: http.StatusNoContent}, nil
	}
	return answered(in.call, a, err, claimed)
}

// claimHeader returns the claim in the header Claim; None without one.
func (c *call) claimHeader() (id ident.ID, err error) {
	lines := c.r.Header.Values("Claim")
	if len(lines) == 0 {
		return id, nil
	}
	if id, err = ident.Parse(lines[0]); err != nil || id.IsNone() || len(lines) > 1 {
		return id, fault.New(fault.MalformedRequest, "the header Claim has to be the identifier of the problem's claim, once")
	}
	return id, nil
}
