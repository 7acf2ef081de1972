package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerUndo() {
	register(s, huma.Operation{
		OperationID: "undoBatch", Method: http.MethodPost, Path: "/problems/{identifier}/batches/{batch}/undo", Tags: []string{"Problems"},
		Summary: "Undo a batch",
		Description: "In two steps, as updateProblems. With dryRun=true the answer says what of the batch would go back, and what stays: what has moved on since, and what never goes back. " +
			"Sent again within 15 minutes with the preview of that answer, and without dryRun, exactly that goes back, in one new batch, all of it or nothing. " +
			"If something else would go back by now, the answer is 412. An undo can be undone. At most 1,000 problems go back at once.",
		Security:  needs(access.Write),
		Responses: responses{"200": {Description: "What went back, or would."}},
		Metadata: about(func(e *wire.Encoder) { e.UndoneBatch(samples.Undone()) }, fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField,
			fault.ValidationFailed, fault.PreviewRequired, fault.NotFound, fault.TooManyResults, fault.QueryTooExpensive, fault.RelationshipCycle).
			json(`{"scope":"batch"}`, wire.UndoScope{}).asked(paramDryRun).
			unkeyed("the preview keeps a repeated request from doing anything twice"),
	}, s.undoBatch)
}

type undoInput struct {
	Request
	OfBatch
	Previewed
	Write
	Matching
}

// undoBatch is the undo of D47.
func (s *server) undoBatch(ctx context.Context, in *undoInput) (*writtenOutput[wire.UndoneBatch], error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.Undo{Write: write}
	cmd.Batch, _ = ident.Parse(in.r.PathValue("batch")) // text that is no identifier names none
	if cmd.Preview, err = in.preview(); err != nil {
		return nil, err
	}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "scope", Into: &cmd.Scope}); err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	if in.dryRun {
		ctx = in.untilGone()
	}
	a, err := s.Service.UndoBatch(ctx, in.caller, id, cmd)
	if in.dryRun {
		err = in.unlessGone(err)
	}
	if err != nil {
		return nil, err
	}
	e := wire.Encoder{Base: s.BasePath}
	e.UndoneBatch(a.Value)
	return &writtenOutput[wire.UndoneBatch]{Status: http.StatusOK, Revised: revised(a.Revision), Body: wire.JSON[wire.UndoneBatch]{Text: e.Buf}}, nil
}
