package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerKeywords() {
	set := huma.Operation{
		OperationID: "setKeyword", Method: http.MethodPut, Path: keywordPath, Tags: []string{"Keywords"},
		Summary:     "Set a keyword",
		Description: "The body is the value: a JSON string, or null. No body stands for null.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The keyword, which was there before."}, "201": {Description: "The keyword, which is new."}},
	}
	example := func(e *wire.Encoder) { e.Keyword(problem.Keyword{Name: "version", Value: problem.Text("7.4.1")}) }
	described := func() notes {
		return about(example, fault.ProblemNotFound, fault.StaleRevision, fault.ValidationFailed).
			body(body{media: mediaJSON, optional: true, of: []any{new(string)}, example: `"7.4.1"`})
	}
	patch := set
	patch.OperationID, patch.Method = "patchKeyword", http.MethodPatch
	patch.Description += " The same as PUT, for clients that send PATCH here."
	set.Metadata, patch.Metadata = described(), described()
	register(s, set, s.setKeyword)
	register(s, patch, s.setKeyword)
	register(s, huma.Operation{
		OperationID: "deleteKeyword", Method: http.MethodDelete, Path: keywordPath, Tags: []string{"Keywords"},
		Summary:   "Delete a keyword",
		Security:  needs(access.Write),
		Responses: responses{"204": {Description: "The keyword is no longer there."}},
		Metadata:  about(nil, fault.ProblemNotFound, fault.StaleRevision, fault.InvalidValue, fault.KeywordNotFound),
	}, s.deleteKeyword)
}

type keywordInput struct {
	Request
	OfKeyword
	Write
	Matching
}

// setKeyword is W4.
func (s *server) setKeyword(ctx context.Context, in *keywordInput) (*writtenOutput[wire.Keyword], error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.SetKeyword{Write: write, Name: in.r.PathValue("keyword")}
	if len(in.body) > 0 {
		value, err := in.decodeValue()
		if err != nil {
			return nil, err
		}
		switch value := value.(type) {
		case nil:
		case string:
			cmd.Value = problem.Text(value)
		default:
			cmd.Faults.Add(fault.InvalidType, fault.Location{}, "must be a string or null")
		}
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.SetKeyword(ctx, in.caller, id, cmd)
	return wrote[wire.Keyword](a, err, (*wire.Encoder).Keyword)
}

// deleteKeyword is W5.
func (s *server) deleteKeyword(ctx context.Context, in *keywordInput) (*deletedOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.DeleteKeyword(ctx, in.caller, id, tracker.DeleteKeyword{Write: write, Name: in.r.PathValue("keyword")})
	return &deletedOutput{revised(a.Revision)}, err
}
