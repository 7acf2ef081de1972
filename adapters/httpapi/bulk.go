package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerBulk() {
	patch := body{media: mediaJSON, of: []any{wire.ProblemsPatch{}}, example: `{"state":{"name":"Closed"}}`}
	merge := patch
	merge.media = mediaMerge
	register(s, huma.Operation{
		OperationID: "updateProblems", Method: http.MethodPatch, Path: "/problems", Tags: []string{"Problems"},
		Summary: "Update fields of many problems",
		Description: "In two steps. With dryRun=true the answer says which problems the predicate holds for, what would change, and what would be refused. " +
			"Sent again within 15 minutes with the preview of that answer, and without dryRun, the change is made as shown: to exactly those problems at those revisions, all of them or none. " +
			"If anything has moved, the answer is 412. At most 1,000 problems are changed at once.",
		Security:  needs(access.Write),
		Responses: responses{"200": {Description: "What was changed, or would be."}},
		Metadata: about(func(e *wire.Encoder) { e.ChangedProblems(samples.Changes()) }, partialKinds(fault.InvalidPredicate, fault.NotFound, fault.StaleRevision, fault.TooManyResults, fault.QueryTooExpensive,
			fault.PreviewRequired, fault.TransitionNotAllowed)...).
			body(patch, merge).asked(paramPredicate, paramDryRun),
	}, s.updateProblems)
}

type bulkInput struct {
	Request
	Selected
	Previewed
	Write
}

// updateProblems changes many problems.
func (s *server) updateProblems(ctx context.Context, in *bulkInput) (*output[wire.ChangedProblems], error) {
	cmd := tracker.UpdateProblems{Write: in.write()}
	_, search, err := in.readSearch()
	if err != nil {
		return nil, err
	}
	cmd.Predicate, cmd.Saved = search.Predicate, search.Saved
	if cmd.Preview, err = in.preview(); err != nil {
		return nil, err
	}
	if err := s.Service.CheckUpdateProblems(in.caller, cmd); err != nil {
		return nil, err // before the body is looked at (D18)
	}
	if err := in.decode(&cmd.Faults, wire.PatchMembers(&cmd.ProblemPatch)...); err != nil {
		return nil, err
	}
	if in.dryRun {
		ctx = in.untilGone()
	}
	a, err := s.Service.UpdateProblems(ctx, in.caller, cmd)
	if in.dryRun {
		err = in.unlessGone(err)
	}
	if err != nil {
		return nil, err
	}
	e := wire.Encoder{Base: s.BasePath}
	e.ChangedProblems(a.Value)
	return &output[wire.ChangedProblems]{wire.JSON[wire.ChangedProblems]{Text: e.Buf}}, nil
}

// preview returns the preview in the query, or nil.
func (c *call) preview() (*tracker.Preview, error) {
	if !c.query.Has(paramPreview) {
		return nil, nil
	}
	preview, err := tracker.ParsePreview(c.query.Get(paramPreview))
	return &preview, err
}
