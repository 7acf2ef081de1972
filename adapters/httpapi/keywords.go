package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

func keywordEndpoints() []endpoint {
	set := endpoint{
		id: "setKeyword", method: http.MethodPut, path: keywordPath, tag: "Keywords",
		summary:     "Set a keyword",
		description: "The body is the value: a JSON string, or null. No body stands for null.",
		scope:       access.Write,
		headers:     []string{"If-Match"},
		bodies:      []body{{media: mediaJSON, optional: true, of: []any{new(string)}, example: `"7.4.1"`}},
		answers: []result{
			{status: 200, description: "The keyword, which was there before.", of: wire.Keyword{}, example: exampleKeyword, headers: []string{"Problem-Revision", "Dry-Run"}},
			{status: 201, description: "The keyword, which is new.", of: wire.Keyword{}, example: exampleKeyword, headers: []string{"Problem-Revision", "Dry-Run"}},
		},
		faults: []fault.Kind{fault.ProblemNotFound, fault.StaleRevision, fault.ValidationFailed},
		do:     (*call).setKeyword,
	}
	patch := set
	patch.id, patch.method = "patchKeyword", http.MethodPatch
	patch.description += " The same as PUT, for clients that send PATCH here."
	return []endpoint{set, patch, {
		id: "deleteKeyword", method: http.MethodDelete, path: keywordPath, tag: "Keywords",
		summary: "Delete a keyword",
		scope:   access.Write,
		headers: []string{"If-Match"},
		answers: []result{{status: 204, description: "The keyword is no longer there.", headers: []string{"Problem-Revision", "Dry-Run"}}},
		faults:  []fault.Kind{fault.ProblemNotFound, fault.StaleRevision, fault.InvalidValue, fault.KeywordNotFound},
		do:      (*call).deleteKeyword,
	}}
}

func exampleKeyword(e *wire.Encoder) {
	e.Keyword(problem.Keyword{Name: "version", Value: problem.Text("7.4.1")})
}

// setKeyword is W4.
func (c *call) setKeyword() (answer, error) {
	write, err := c.writeInput()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.SetKeyword{Write: write, Name: c.r.PathValue("keyword")}
	if len(c.body) > 0 {
		value, err := c.decodeValue()
		if err != nil {
			return answer{}, err
		}
		switch value := value.(type) {
		case nil:
		case string:
			cmd.Value = problem.Text(value)
		default:
			cmd.Faults.Add(fault.InvalidType, fault.Location{}, "must be a string or null")
		}
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.SetKeyword(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[problem.Keyword]) answer {
		var e wire.Encoder
		e.Keyword(a.Value)
		return answer{status: created(a.New), revision: a.Revision, body: e.Buf}
	})
}

// deleteKeyword is W5.
func (c *call) deleteKeyword() (answer, error) {
	write, err := c.writeInput()
	if err != nil {
		return answer{}, err
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.DeleteKeyword(c.r.Context(), c.caller, id, tracker.DeleteKeyword{Write: write, Name: c.r.PathValue("keyword")})
	return answered(a, err, noContent)
}

// noContent answers a deletion.
func noContent(a tracker.Answer[struct{}]) answer {
	return answer{status: http.StatusNoContent, revision: a.Revision}
}
