package tracker

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

// PriorityPatch holds the members of a priority sent by a client (D2). A new one
// without order comes last.
type PriorityPatch struct {
	Name  patch.Field[string]
	Order patch.Field[int64]
}

// ClassificationPatch holds the members of a classification sent by a client (D2).
type ClassificationPatch struct {
	Name patch.Field[string]
}

// MilestonePatch holds the members of a milestone sent by a client (D2).
type MilestonePatch struct {
	Name      patch.Field[string]
	Component patch.Field[metadata.Partial]
	Start     patch.Field[time.Time]
	End       patch.Field[time.Time]
}

// Priorities returns the priorities.
func (s *Service) Priorities() Objects[metadata.Priority, PriorityPatch] {
	return Objects[metadata.Priority, PriorityPatch]{s, &priorityRules}
}

// Classifications returns the classifications.
func (s *Service) Classifications() Objects[metadata.Classification, ClassificationPatch] {
	return Objects[metadata.Classification, ClassificationPatch]{s, &classificationRules}
}

// Milestones returns the milestones.
func (s *Service) Milestones() Objects[metadata.Milestone, MilestonePatch] {
	return Objects[metadata.Milestone, MilestonePatch]{s, &milestoneRules}
}

var priorityRules = rules[metadata.Priority, PriorityPatch]{
	kind: metadata.Priorities,
	list: func(c *metadata.Content) *[]metadata.Priority { return &c.Priorities },
	find: (*metadata.Catalogue).Priority,
	id:   func(o *metadata.Priority) *ident.ID { return &o.ID },
	name: func(o *metadata.Priority) string { return o.Name },
	sent: func(p *PriorityPatch) patch.Field[string] { return p.Name },
	blank: func(c *metadata.Catalogue, _ time.Time) metadata.Priority {
		return metadata.Priority{Order: c.NextPriorityOrder()}
	},
	apply: func(p PriorityPatch, o metadata.Priority, _ *metadata.Catalogue, faults *fault.List) metadata.Priority {
		body.SetName(&o.Name, p.Name, faults)
		body.SetOrder(&o.Order, p.Order, faults)
		return o
	},
	check: (*metadata.Catalogue).CheckPriority,
	members: func(o metadata.Priority, _ *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{{Name: "name", Value: problem.LogText(o.Name)}, {Name: "order", Value: problem.LogNumber(o.Order)}}
	},
	put: func(o metadata.Priority) store.Effect { return store.PutPriority{Priority: o} },
}

var classificationRules = rules[metadata.Classification, ClassificationPatch]{
	kind:  metadata.Classifications,
	list:  func(c *metadata.Content) *[]metadata.Classification { return &c.Classifications },
	find:  (*metadata.Catalogue).Classification,
	id:    func(o *metadata.Classification) *ident.ID { return &o.ID },
	name:  func(o *metadata.Classification) string { return o.Name },
	sent:  func(p *ClassificationPatch) patch.Field[string] { return p.Name },
	blank: func(*metadata.Catalogue, time.Time) metadata.Classification { return metadata.Classification{} },
	apply: func(p ClassificationPatch, o metadata.Classification, _ *metadata.Catalogue, faults *fault.List) metadata.Classification {
		body.SetName(&o.Name, p.Name, faults)
		return o
	},
	check: (*metadata.Catalogue).CheckClassification,
	members: func(o metadata.Classification, _ *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{{Name: "name", Value: problem.LogText(o.Name)}}
	},
	put: func(o metadata.Classification) store.Effect { return store.PutClassification{Classification: o} },
}

var milestoneRules = rules[metadata.Milestone, MilestonePatch]{
	kind:  metadata.Milestones,
	list:  func(c *metadata.Content) *[]metadata.Milestone { return &c.Milestones },
	find:  (*metadata.Catalogue).Milestone,
	id:    func(o *metadata.Milestone) *ident.ID { return &o.ID },
	name:  func(o *metadata.Milestone) string { return o.Name },
	sent:  func(p *MilestonePatch) patch.Field[string] { return p.Name },
	blank: func(_ *metadata.Catalogue, at time.Time) metadata.Milestone { return metadata.Milestone{Created: at} },
	apply: MilestonePatch.apply,
	check: (*metadata.Catalogue).CheckMilestone,
	members: func(o metadata.Milestone, c *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{
			{Name: "name", Value: problem.LogText(o.Name)},
			{Name: "component", Value: problem.LogRef(o.Component, c.Name(metadata.Components, o.Component))},
			{Name: "creationDate", Value: problem.LogTime(o.Created)},
			{Name: "startDate", Value: problem.LogTime(o.Start)},
			{Name: "endDate", Value: problem.LogTime(o.End)},
		}
	},
	created: func(o metadata.Milestone) time.Time { return o.Created },
	put:     func(o metadata.Milestone) store.Effect { return store.PutMilestone{Milestone: o} },
}

func (p MilestonePatch) apply(o metadata.Milestone, c *metadata.Catalogue, faults *fault.List) metadata.Milestone {
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

// ComponentPatch holds the members of a component sent by a client (D2).
//
// A closed component is refused as a new parent or successor, as it is for problems.
// Closing affects no other object: the components below stay open until they are closed
// themselves. Problems stay in the closed component.
type ComponentPatch struct {
	Name      patch.Field[string]
	Closed    patch.Field[bool]
	Successor patch.Field[metadata.Partial]
	Parent    patch.Field[metadata.Partial]
}

// Components returns the components.
func (s *Service) Components() Objects[metadata.Component, ComponentPatch] {
	return Objects[metadata.Component, ComponentPatch]{s, &componentRules}
}

var componentRules = rules[metadata.Component, ComponentPatch]{
	kind:  metadata.Components,
	list:  func(c *metadata.Content) *[]metadata.Component { return &c.Components },
	find:  (*metadata.Catalogue).Component,
	id:    func(o *metadata.Component) *ident.ID { return &o.ID },
	name:  func(o *metadata.Component) string { return o.Name },
	sent:  func(p *ComponentPatch) patch.Field[string] { return p.Name },
	blank: func(*metadata.Catalogue, time.Time) metadata.Component { return metadata.Component{} },
	apply: ComponentPatch.apply,
	check: (*metadata.Catalogue).CheckComponent,
	members: func(o metadata.Component, c *metadata.Catalogue) []problem.LogMember {
		ref := func(id ident.ID) problem.LogValue { return problem.LogRef(id, c.Name(metadata.Components, id)) }
		return []problem.LogMember{
			{Name: "name", Value: problem.LogText(o.Name)},
			{Name: "closed", Value: problem.LogFlag(o.Closed)},
			{Name: "successor", Value: ref(o.Successor)},
			{Name: "parent", Value: ref(o.Parent)},
		}
	},
	fullName: func(o metadata.Component, c *metadata.Catalogue) string { return c.FullName(o.ID) },
	put:      func(o metadata.Component) store.Effect { return store.PutComponent{Component: o} },
}

func (p ComponentPatch) apply(o metadata.Component, c *metadata.Catalogue, faults *fault.List) metadata.Component {
	body.SetName(&o.Name, p.Name, faults)
	body.AddInvalid(faults, fault.At("name"), metadata.CheckComponentName(o.Name))
	body.SetFlag(&o.Closed, p.Closed, fault.At("closed"), faults)
	body.SetReference(&o.Successor, metadata.Components, p.Successor, fault.At("successor"), c, faults)
	body.SetReference(&o.Parent, metadata.Components, p.Parent, fault.At("parent"), c, faults)
	return o
}
