package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// paramPreview is the query parameter required to change many problems.
const paramPreview = "preview"

// bulkNames are the parameters for the selection of a change of many problems.
var bulkNames = []string{paramPredicate, paramSavedQuery}

func bulkEndpoints() []endpoint {
	const example = `{"state":{"name":"Closed"}}`
	return []endpoint{{
		id: "updateProblems", method: http.MethodPatch, path: "/problems", tag: "Problems",
		summary: "Update fields of many problems",
		description: "In two steps. With dryRun=true the answer says which problems the predicate holds for, what would change, and what would be refused. " +
			"Sent again within 15 minutes with the preview of that answer, and without dryRun, the change is made as shown: to exactly those problems at those revisions, all of them or none. " +
			"If anything has moved, the answer is 412. At most 1,000 problems are changed at once.",
		scope: access.Write,
		query: append(append([]string{}, bulkNames...), paramPreview),
		asked: []string{paramPredicate, paramDryRun},
		bodies: []body{
			{media: mediaJSON, of: []any{wire.ProblemsPatch{}}, example: example},
			{media: mediaMerge, of: []any{wire.ProblemsPatch{}}, example: example},
		},
		answers: []result{{
			status: 200, description: "What was changed, or would be.", of: wire.ChangedProblems{},
			example: func(e *wire.Encoder) { e.ChangedProblems(samples.Changes()) },
			headers: []string{"Dry-Run"},
		}},
		faults: partialKinds(fault.InvalidPredicate, fault.NotFound, fault.StaleRevision, fault.TooManyResults, fault.QueryTooExpensive,
			fault.PreviewRequired, fault.TransitionNotAllowed),
		do: (*call).updateProblems,
	}}
}

// updateProblems changes many problems.
func (c *call) updateProblems() (answer, error) {
	cmd := tracker.UpdateProblems{Write: tracker.Write{DryRun: c.dryRun}}
	_, search, err := c.readSearch(bulkNames)
	if err != nil {
		return answer{}, err
	}
	cmd.Predicate, cmd.Saved = search.Predicate, search.Saved
	if c.query.Has(paramPreview) {
		preview, err := tracker.ParsePreview(c.query.Get(paramPreview))
		if err != nil {
			return answer{}, err
		}
		cmd.Preview = &preview
	}
	if err := c.Service.CheckUpdateProblems(c.caller, cmd); err != nil {
		return answer{}, err // before the body is looked at (D18)
	}
	if err := c.decode(&cmd.Faults, wire.PatchMembers(&cmd.ProblemPatch)...); err != nil {
		return answer{}, err
	}
	ctx := c.r.Context()
	if c.dryRun {
		ctx = c.untilGone()
	}
	a, err := c.Service.UpdateProblems(ctx, c.caller, cmd)
	if c.dryRun {
		err = c.unlessGone(err)
	}
	return answered(a, err, func(a tracker.Answer[tracker.ChangedProblems]) answer {
		e := wire.Encoder{Base: c.BasePath}
		e.ChangedProblems(a.Value)
		return answer{status: http.StatusOK, body: e.Buf}
	})
}
