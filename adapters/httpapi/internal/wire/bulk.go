package wire

import (
	"encoding/json"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// ProblemsPatch is the change of many problems at once: the members of ProblemPatch with
// the same meaning for all.
type ProblemsPatch struct {
	ProblemFields
	_ struct{} `additionalProperties:"false"`
}

// ChangedProblems is the result of a change of many problems.
type ChangedProblems struct {
	Matched   int64           `json:"matched" minimum:"0" maximum:"1000" doc:"How many problems the predicate holds for. Each is in one of the lists, which are by identifier."`
	Changes   []ProblemChange `json:"changes" nullable:"false"`
	Unchanged []int64         `json:"unchanged" nullable:"false" doc:"The identifiers of those that are as they are to be already."`
	Refused   []Refusal       `json:"refused" nullable:"false" doc:"Those that cannot be changed in this way. While there are any, none is changed."`
	Preview   *string         `json:"preview" doc:"To be sent with the same request, in the parameter preview, within 15 minutes; null when the change was made."`

	BatchIdentifier *string `json:"batchIdentifier" format:"uuid" doc:"The batch of the change, for an undo; null in a dry run, and when nothing was changed."`
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

// ChangedProblems writes the result of a change of many problems.
func (e *Encoder) ChangedProblems(c tracker.ChangedProblems) {
	e.Open('{')
	e.key("matched").Int(int64(len(c.Changes) + len(c.Unchanged) + len(c.Refused)))
	e.key("changes")
	List(e, c.Changes, e.problemChange)
	e.key("unchanged")
	List(e, c.Unchanged, func(id problem.ID) { e.Int(int64(id)) })
	e.key("refused")
	List(e, c.Refused, e.refusal)
	e.preview(c.Preview)
	e.batch(c.Batch)
	e.Close('}')
}

func (e *Encoder) problemChange(c tracker.ProblemChange) {
	e.Open('{')
	e.key("identifier").Int(int64(c.ID))
	e.key("revision").Int(c.Revision)
	e.key("changes")
	List(e, c.Fields, func(f tracker.FieldChange) {
		e.Open('{')
		e.key("field").Text(f.Field)
		e.key("from").JSON(f.From.JSON())
		e.key("to").JSON(f.To.JSON())
		e.Close('}')
	})
	e.Close('}')
}

// refusal writes the reason for refusing a problem, with the members of an error about
// this problem alone (D18).
func (e *Encoder) refusal(r tracker.Refusal) {
	e.Open('{')
	e.key("identifier").Int(int64(r.ID))
	e.key("type").Text(ErrorType(e.Base, r.Err.Kind))
	e.key("detail").Text(r.Err.Detail)
	e.key("errors").items(r.Err.Items)
	e.Close('}')
}
