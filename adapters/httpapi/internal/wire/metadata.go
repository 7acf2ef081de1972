package wire

import "time"

// The records for creating and changing metadata (D30). The records for reading are in
// wire.go, beside the problem.

// CreatedState is the answer to the creation of a state.
type CreatedState struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	State
}

// CreatedPriority is the answer to the creation of a priority.
type CreatedPriority struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	Priority
}

// CreatedClassification is the answer to the creation of a classification.
type CreatedClassification struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	Classification
}

// CreatedComponent is the answer to the creation of a component.
type CreatedComponent struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	Component
}

// CreatedMilestone is the answer to the creation of a milestone.
type CreatedMilestone struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	Milestone
}

// StateFields are a state's members set by clients.
type StateFields struct {
	Resolved   bool      `json:"resolved,omitempty" doc:"Problems in this state count as done."`
	Initial    bool      `json:"initial,omitempty" doc:"Problems can be created in this state."`
	Order      int32     `json:"order,omitempty" doc:"The place in lists. A new state comes last."`
	NextStates []Partial `json:"nextStates,omitempty" maxItems:"1000" nullable:"false" doc:"Where a problem can go from here: a set, empty for a terminal state."`
}

// NewState is a state to be created.
type NewState struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
	StateFields
	_ struct{} `additionalProperties:"false"`
}

// StatePatch is a change of a state.
type StatePatch struct {
	Name string `json:"name,omitempty" minLength:"1" maxLength:"255"`
	StateFields
	_ struct{} `additionalProperties:"false"`
}

// NewPriority is a priority to be created.
type NewPriority struct {
	Name  string   `json:"name" minLength:"1" maxLength:"255"`
	Order int32    `json:"order,omitempty" doc:"The place in lists. A new priority comes last."`
	_     struct{} `additionalProperties:"false"`
}

// PriorityPatch is a change of a priority.
type PriorityPatch struct {
	Name  string   `json:"name,omitempty" minLength:"1" maxLength:"255"`
	Order int32    `json:"order,omitempty" doc:"The place in lists."`
	_     struct{} `additionalProperties:"false"`
}

// NewClassification is a classification to be created.
type NewClassification struct {
	Name string   `json:"name" minLength:"1" maxLength:"255"`
	_    struct{} `additionalProperties:"false"`
}

// ClassificationPatch is a change of a classification.
type ClassificationPatch struct {
	Name string   `json:"name,omitempty" minLength:"1" maxLength:"255"`
	_    struct{} `additionalProperties:"false"`
}

// ComponentFields are a component's members set by clients.
type ComponentFields struct {
	Closed    bool     `json:"closed,omitempty" doc:"Takes no new problems."`
	Successor *Partial `json:"successor,omitempty" doc:"Where problems go instead."`
	Parent    *Partial `json:"parent,omitempty" doc:"null: at the root."`
}

// NewComponent is a component to be created.
type NewComponent struct {
	Name string `json:"name" minLength:"1" maxLength:"255" pattern:"^[^/]*$"`
	ComponentFields
	_ struct{} `additionalProperties:"false"`
}

// ComponentPatch is a change of a component.
type ComponentPatch struct {
	Name string `json:"name,omitempty" minLength:"1" maxLength:"255" pattern:"^[^/]*$"`
	ComponentFields
	_ struct{} `additionalProperties:"false"`
}

// MilestoneFields are a milestone's members set by clients.
type MilestoneFields struct {
	Component *Partial   `json:"component,omitempty" doc:"null: for all components."`
	StartDate *time.Time `json:"startDate,omitempty" nullable:"true" doc:"For a day: its beginning in PROBLEMS_TIME_ZONE."`
	EndDate   *time.Time `json:"endDate,omitempty" nullable:"true" doc:"Not before startDate. For a whole day: its last millisecond in PROBLEMS_TIME_ZONE, such as 2026-10-31T23:59:59.999Z."`
}

// NewMilestone is a milestone to be created.
type NewMilestone struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
	MilestoneFields
	_ struct{} `additionalProperties:"false"`
}

// MilestonePatch is a change of a milestone.
type MilestonePatch struct {
	Name string `json:"name,omitempty" minLength:"1" maxLength:"255"`
	MilestoneFields
	_ struct{} `additionalProperties:"false"`
}
