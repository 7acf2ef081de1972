package problem

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/text"
)

// Fields are the fields of a problem set by clients (D1). ident.None stands for null,
// and so does an empty text, except in the title.
type Fields struct {
	Title string   // 1 to 1000 characters, normalised (D9)
	State ident.ID // never None

	Priority       ident.ID
	Classification ident.ID
	Component      ident.ID
	Milestone      ident.ID
	Assignee       ident.ID
}

// Patch holds the members of a problem in a client's request (D11). The members are
// those of Fields, and Read.
type Patch struct {
	Title          patch.Field[string]
	State          patch.Field[metadata.Partial]
	Priority       patch.Field[metadata.Partial]
	Classification patch.Field[metadata.Partial]
	Component      patch.Field[metadata.Partial]
	Milestone      patch.Field[metadata.Partial]
	Assignee       patch.Field[metadata.Partial]
	// Read marks the problem as read or unread by the caller.
	Read patch.Field[bool]
}

// TextSize returns the length of all texts of the fields, in bytes.
func (f Fields) TextSize() int64 { return int64(len(f.Title)) }

// The number of fields of each kind in the table.
const (
	TextFields      = 1
	ReferenceFields = 9
	TimeFields      = 3
)

// table describes all fields of a problem in the order of D1. CONTRIBUTING.md says how to
// add one.
var table = []Field{
	{
		Name: "title", Kind: TextField, Required: true, Client: true, Rule: text.Title, Folded: true,
		text: func(f *Fields) *string { return &f.Title },
		sent: func(p *Patch) *patch.Field[string] { return &p.Title },
	},
	{
		Name: "state", Kind: ReferenceField, To: metadata.States, Required: true, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.State },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.State },
	},
	{
		Name: "priority", Kind: ReferenceField, To: metadata.Priorities, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.Priority },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.Priority },
	},
	{
		Name: "classification", Kind: ReferenceField, To: metadata.Classifications, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.Classification },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.Classification },
	},
	{
		Name: "component", Kind: ReferenceField, To: metadata.Components, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.Component },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.Component },
	},
	{
		Name: "milestone", Kind: ReferenceField, To: metadata.Milestones, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.Milestone },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.Milestone },
	},
	{
		Name: "assignee", Kind: ReferenceField, To: metadata.Users, Client: true,
		reference: func(f *Fields) *ident.ID { return &f.Assignee },
		partial:   func(p *Patch) *patch.Field[metadata.Partial] { return &p.Assignee },
	},
	{
		Name: "originator", Kind: ReferenceField, To: metadata.Users, Required: true, Fixed: true,
		user: func(p *Problem) *ident.ID { return &p.Originator },
	},
	{
		Name: "modifier", Kind: ReferenceField, To: metadata.Users, Required: true,
		user: func(p *Problem) *ident.ID { return &p.Modifier },
	},
	{
		Name: "modificationDate", Kind: TimeField, Required: true,
		time: func(p *Problem) *time.Time { return &p.Modified },
	},
	{
		Name: "resolver", Kind: ReferenceField, To: metadata.Users,
		user: func(p *Problem) *ident.ID { return &p.Resolver },
	},
	{
		Name: "resolveDate", Kind: TimeField,
		time: func(p *Problem) *time.Time { return &p.Resolved },
	},
	{
		Name: "creationDate", Kind: TimeField, Required: true, Fixed: true,
		time: func(p *Problem) *time.Time { return &p.Created },
	},
}
