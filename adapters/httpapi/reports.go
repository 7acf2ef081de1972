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

// registerReports registers the operation of D55.
func (s *server) registerReports() {
	register(s, huma.Operation{
		OperationID: "reportProblem", Method: http.MethodPost, Path: "/problems/report", Tags: []string{"Problems"},
		Summary: "Report a problem once",
		Description: "For monitors and CI, which see the same fault again and again. When an unresolved problem has the keyword with this value, the comment is added to it: to the one with the smallest number. Otherwise a problem is created, and gets the keyword. " +
			"Of many such requests at once, through any number of servers, one creates the problem.",
		Security: needs(access.Report),
		Responses: responses{
			"200": {Description: "The problem that was there, with the log entries of this request."},
			"201": {Description: "The problem that was created, with its log."},
		},
		Metadata: about(func(e *wire.Encoder) { e.Problem(samples.Reported()) }, partialKinds(fault.RequiredField, fault.TransitionNotAllowed, fault.IdempotencyConflict, fault.QueryTooExpensive)...).
			json(`{"keyword":{"name":"alert","value":"login-slow"},"problem":{"title":"The login page answers slowly","priority":{"name":"High"}}}`, wire.NewReport{}),
	}, s.report)
}

func (s *server) report(ctx context.Context, in *createInput) (*createOutput, error) {
	cmd := tracker.Report{Write: in.write()}
	var err error
	if cmd.Idempotency, err = idempotency(in.call, in.created); err != nil {
		return nil, err
	}
	if err := in.decode(&cmd.Faults,
		wire.Member{Name: "keyword", Into: []wire.Member{{Name: "name", Into: &cmd.Keyword.Name}, {Name: "value", Into: &cmd.Keyword.Value}}},
		wire.Member{Name: "problem", Into: createMembers(&cmd.Problem)},
		commented(&cmd.Comment),
	); err != nil {
		return nil, err
	}
	a, err := s.Service.Report(ctx, in.caller, cmd)
	return answered(in.call, a, err, in.created)
}
