package problem

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
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
	Due            date.Date // the day on which it should be done
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
	Due            patch.Field[date.Date]
	// Read marks the problem as read or unread by the caller.
	Read patch.Field[bool]
}

// TextSize returns the length of all texts of the fields, in bytes.
func (f Fields) TextSize() int64 { return int64(len(f.Title)) }

// The number of fields of each kind in the table.
const (
	TextFields      = 1
	ReferenceFields = 9
	DateFields      = 1
	TimeFields      = 3
)

// table describes all fields of a problem in the order of D1. CONTRIBUTING.md says how to
// add one.
var table = []Field{
	{
		Name: "title", Required: true, Client: true, Rule: text.Title, Folded: true,
		Label: map[string]string{"en": "Title", "de": "Titel"},
		codec: textAt(
			func(f *Fields) *string { return &f.Title },
			func(p *Patch) *patch.Field[string] { return &p.Title },
		),
	},
	{
		Name: "state", To: metadata.States, Required: true, Client: true,
		Label: map[string]string{"en": "State", "de": "Zustand"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.State },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.State },
		),
	},
	{
		Name: "priority", To: metadata.Priorities, Client: true,
		Label: map[string]string{"en": "Priority", "de": "Priorität"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.Priority },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.Priority },
		),
	},
	{
		Name: "classification", To: metadata.Classifications, Client: true,
		Label: map[string]string{"en": "Classification", "de": "Art"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.Classification },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.Classification },
		),
	},
	{
		Name: "component", To: metadata.Components, Client: true,
		Label: map[string]string{"en": "Component", "de": "Komponente"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.Component },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.Component },
		),
	},
	{
		Name: "milestone", To: metadata.Milestones, Client: true,
		Label: map[string]string{"en": "Milestone", "de": "Meilenstein"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.Milestone },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.Milestone },
		),
	},
	{
		Name: "assignee", To: metadata.Users, Client: true,
		Label: map[string]string{"en": "Assignee", "de": "Zuständig"},
		codec: referenceAt(
			func(f *Fields) *ident.ID { return &f.Assignee },
			func(p *Patch) *patch.Field[metadata.Partial] { return &p.Assignee },
		),
	},
	{
		Name: "due", Client: true,
		Label: map[string]string{"en": "Due", "de": "Fällig"},
		codec: dateAt(
			func(f *Fields) *date.Date { return &f.Due },
			func(p *Patch) *patch.Field[date.Date] { return &p.Due },
		),
	},
	{
		Name: "originator", To: metadata.Users, Required: true, Fixed: true,
		codec: userAt(func(p *Problem) *ident.ID { return &p.Originator }),
	},
	{
		Name: "modifier", To: metadata.Users, Required: true,
		codec: userAt(func(p *Problem) *ident.ID { return &p.Modifier }),
	},
	{
		Name: "modificationDate", Required: true,
		codec: timeAt(func(p *Problem) *time.Time { return &p.Modified }),
	},
	{
		Name: "resolver", To: metadata.Users,
		codec: userAt(func(p *Problem) *ident.ID { return &p.Resolver }),
	},
	{
		Name:  "resolveDate",
		codec: timeAt(func(p *Problem) *time.Time { return &p.Resolved }),
	},
	{
		Name: "creationDate", Required: true, Fixed: true,
		codec: timeAt(func(p *Problem) *time.Time { return &p.Created }),
	},
}
