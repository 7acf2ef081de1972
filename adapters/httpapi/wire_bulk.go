package httpapi

import (
	"encoding/json"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// ProblemsPatch is the change of many problems at once: the members of ProblemPatch
// that mean the same for all.
type ProblemsPatch struct {
	ProblemFields
	_ struct{} `additionalProperties:"false"`
}

// ChangedProblems is what comes of a change of many problems.
type ChangedProblems struct {
	Matched   int64           `json:"matched" minimum:"0" maximum:"1000" doc:"How many problems the predicate holds for. Each is in one of the lists, which are by identifier."`
	Changes   []ProblemChange `json:"changes" nullable:"false"`
	Unchanged []int64         `json:"unchanged" nullable:"false" doc:"The identifiers of those that are as they are to be already."`
	Refused   []Refusal       `json:"refused" nullable:"false" doc:"Those that cannot be changed in this way. While there are any, none is changed."`
	Preview   *string         `json:"preview" doc:"To be sent with the same request, in the parameter preview, within 15 minutes; null when the change was made."`
}

// ProblemChange is the change of one of many problems.
type ProblemChange struct {
	Identifier int64         `json:"identifier" minimum:"1"`
	Revision   int64         `json:"revision" minimum:"1" doc:"The one that the change makes; the current one when nothing but read changes."`
	Changes    []FieldChange `json:"changes" nullable:"false"`
}

// FieldChange is the change of one field, as the log shows it.
type FieldChange struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from" doc:"A string, an object, true, false or null."`
	To    json.RawMessage `json:"to" doc:"A string, an object, true, false or null."`
}

// Refusal says why a problem cannot be changed.
type Refusal struct {
	Identifier int64       `json:"identifier" minimum:"1"`
	Type       string      `json:"type" format:"uri-reference" doc:"As of an error."`
	Detail     string      `json:"detail" doc:"What is wrong, and what would be right."`
	Errors     []ErrorItem `json:"errors" nullable:"false" doc:"What is wrong with the members of the body for this problem."`
}

// changedProblems writes what comes of a change of many problems.
func (e *encoder) changedProblems(c tracker.ChangedProblems) {
	e.open('{')
	e.key("matched").int(int64(len(c.Changes) + len(c.Unchanged) + len(c.Refused)))
	e.key("changes")
	list(e, c.Changes, e.problemChange)
	e.key("unchanged")
	list(e, c.Unchanged, func(id problem.ID) { e.int(int64(id)) })
	e.key("refused")
	list(e, c.Refused, e.refusal)
	e.key("preview")
	if c.Preview == nil {
		e.null()
	} else {
		e.string(c.Preview.String())
	}
	e.close('}')
}

func (e *encoder) problemChange(c tracker.ProblemChange) {
	e.open('{')
	e.key("identifier").int(int64(c.ID))
	e.key("revision").int(c.Revision)
	e.key("changes")
	list(e, c.Fields, func(f tracker.FieldChange) {
		e.open('{')
		e.key("field").string(f.Field)
		e.key("from").raw(f.From.JSON())
		e.key("to").raw(f.To.JSON())
		e.close('}')
	})
	e.close('}')
}

// refusal writes why a problem cannot be changed, with the members that an error
// about this problem alone would have (D18).
func (e *encoder) refusal(r tracker.Refusal) {
	e.open('{')
	e.key("identifier").int(int64(r.ID))
	e.key("type").string(errorType(e.base, r.Err.Kind))
	e.key("detail").string(r.Err.Detail)
	e.key("errors").items(r.Err.Items)
	e.close('}')
}
