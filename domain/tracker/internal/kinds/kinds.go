package kinds

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
)

// Priorities are the priorities.
var Priorities = Rules[metadata.Priority, metadata.PriorityPatch]{
	Kind: metadata.Priorities,
	List: func(c *metadata.Content) *[]metadata.Priority { return &c.Priorities },
	Find: (*metadata.Catalogue).Priority,
	ID:   func(o *metadata.Priority) *ident.ID { return &o.ID },
	Name: func(o *metadata.Priority) string { return o.Name },
	Sent: func(p *metadata.PriorityPatch) patch.Field[string] { return p.Name },
	Blank: func(c *metadata.Catalogue, _ time.Time) metadata.Priority {
		return metadata.Priority{Order: c.NextPriorityOrder()}
	},
	Apply: func(p metadata.PriorityPatch, o metadata.Priority, _ *metadata.Catalogue, faults *fault.List) metadata.Priority {
		body.SetName(&o.Name, p.Name, faults)
		body.SetOrder(&o.Order, p.Order, faults)
		return o
	},
	Check: (*metadata.Catalogue).CheckPriority,
	Members: func(o metadata.Priority, _ *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{{Name: "name", Value: problem.LogText(o.Name)}, {Name: "order", Value: problem.LogNumber(o.Order)}}
	},
	Put: func(o metadata.Priority) store.Effect { return store.PutPriority{Priority: o} },
}

// Classifications are the classifications.
var Classifications = Rules[metadata.Classification, metadata.ClassificationPatch]{
	Kind:  metadata.Classifications,
	List:  func(c *metadata.Content) *[]metadata.Classification { return &c.Classifications },
	Find:  (*metadata.Catalogue).Classification,
	ID:    func(o *metadata.Classification) *ident.ID { return &o.ID },
	Name:  func(o *metadata.Classification) string { return o.Name },
	Sent:  func(p *metadata.ClassificationPatch) patch.Field[string] { return p.Name },
	Blank: func(*metadata.Catalogue, time.Time) metadata.Classification { return metadata.Classification{} },
	Apply: func(p metadata.ClassificationPatch, o metadata.Classification, _ *metadata.Catalogue, faults *fault.List) metadata.Classification {
		body.SetName(&o.Name, p.Name, faults)
		return o
	},
	Check: (*metadata.Catalogue).CheckClassification,
	Members: func(o metadata.Classification, _ *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{{Name: "name", Value: problem.LogText(o.Name)}}
	},
	Put: func(o metadata.Classification) store.Effect { return store.PutClassification{Classification: o} },
}

// Milestones are the milestones.
var Milestones = Rules[metadata.Milestone, metadata.MilestonePatch]{
	Kind:  metadata.Milestones,
	List:  func(c *metadata.Content) *[]metadata.Milestone { return &c.Milestones },
	Find:  (*metadata.Catalogue).Milestone,
	ID:    func(o *metadata.Milestone) *ident.ID { return &o.ID },
	Name:  func(o *metadata.Milestone) string { return o.Name },
	Sent:  func(p *metadata.MilestonePatch) patch.Field[string] { return p.Name },
	Blank: func(_ *metadata.Catalogue, at time.Time) metadata.Milestone { return metadata.Milestone{Created: at} },
	Apply: applyMilestone,
	Check: (*metadata.Catalogue).CheckMilestone,
	Members: func(o metadata.Milestone, c *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{
			{Name: "name", Value: problem.LogText(o.Name)},
			{Name: "component", Value: problem.LogRef(o.Component, c.Name(metadata.Components, o.Component))},
			{Name: "creationDate", Value: problem.LogTime(o.Created)},
			{Name: "startDate", Value: problem.LogTime(o.Start)},
			{Name: "endDate", Value: problem.LogTime(o.End)},
		}
	},
	Created: func(o metadata.Milestone) time.Time { return o.Created },
	Put:     func(o metadata.Milestone) store.Effect { return store.PutMilestone{Milestone: o} },
}

func applyMilestone(p metadata.MilestonePatch, o metadata.Milestone, c *metadata.Catalogue, faults *fault.List) metadata.Milestone {
	old := o
	body.SetName(&o.Name, p.Name, faults)
	body.SetReference(&o.Component, metadata.Components, p.Component, fault.At("component"), c, faults)
	body.SetTime(&o.Start, p.Start, fault.At("startDate"), faults)
	body.SetTime(&o.End, p.End, fault.At("endDate"), faults)
	moved := !o.Start.Equal(old.Start) || !o.End.Equal(old.End)
	if moved && !faults.Covers(fault.At("startDate")) && !faults.Covers(fault.At("endDate")) {
		where := fault.At("endDate")
		if !p.End.Sent {
			where = fault.At("startDate")
		}
		body.AddInvalid(faults, where, metadata.CheckPeriod(o.Start, o.End))
	}
	return o
}

// Components are the components.
var Components = Rules[metadata.Component, metadata.ComponentPatch]{
	Kind:  metadata.Components,
	List:  func(c *metadata.Content) *[]metadata.Component { return &c.Components },
	Find:  (*metadata.Catalogue).Component,
	ID:    func(o *metadata.Component) *ident.ID { return &o.ID },
	Name:  func(o *metadata.Component) string { return o.Name },
	Sent:  func(p *metadata.ComponentPatch) patch.Field[string] { return p.Name },
	Blank: func(*metadata.Catalogue, time.Time) metadata.Component { return metadata.Component{} },
	Apply: applyComponent,
	Check: (*metadata.Catalogue).CheckComponent,
	Members: func(o metadata.Component, c *metadata.Catalogue) []problem.LogMember {
		ref := func(id ident.ID) problem.LogValue { return problem.LogRef(id, c.Name(metadata.Components, id)) }
		return []problem.LogMember{
			{Name: "name", Value: problem.LogText(o.Name)},
			{Name: "closed", Value: problem.LogFlag(o.Closed)},
			{Name: "successor", Value: ref(o.Successor)},
			{Name: "parent", Value: ref(o.Parent)},
		}
	},
	FullName: func(o metadata.Component, c *metadata.Catalogue) string { return c.FullName(o.ID) },
	Put:      func(o metadata.Component) store.Effect { return store.PutComponent{Component: o} },
}

func applyComponent(p metadata.ComponentPatch, o metadata.Component, c *metadata.Catalogue, faults *fault.List) metadata.Component {
	old := o
	body.SetName(&o.Name, p.Name, faults)
	body.AddInvalid(faults, fault.At("name"), metadata.CheckComponentName(o.Name))
	body.SetFlag(&o.Closed, p.Closed, fault.At("closed"), faults)
	body.SetReference(&o.Successor, metadata.Components, p.Successor, fault.At("successor"), c, faults)
	body.SetReference(&o.Parent, metadata.Components, p.Parent, fault.At("parent"), c, faults)
	if !faults.Covers(fault.At("name")) && !faults.Covers(fault.At("parent")) {
		where := fault.At("name")
		if o.Name == old.Name {
			where = fault.At("parent")
		}
		body.AddInvalid(faults, where, c.CheckFullName(o))
	}
	return o
}
