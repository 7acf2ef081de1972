package httpapi

import "encoding/json"

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
