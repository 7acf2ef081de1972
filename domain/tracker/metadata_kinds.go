package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
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
		putName(&o.Name, p.Name, faults)
		putOrder(&o.Order, p.Order, faults)
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
		putName(&o.Name, p.Name, faults)
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
	putName(&o.Name, p.Name, faults)
	putReference(&o.Component, metadata.Components, p.Component, fault.At("component"), c, faults)
	putTime(&o.Start, p.Start, fault.At("startDate"), faults)
	putTime(&o.End, p.End, fault.At("endDate"), faults)
	moved := !o.Start.Equal(old.Start) || !o.End.Equal(old.End)
	if moved && !faults.Covers(fault.At("startDate")) && !faults.Covers(fault.At("endDate")) {
		where := fault.At("endDate")
		if !p.End.Sent {
			where = fault.At("startDate")
		}
		invalidate(faults, where, metadata.CheckPeriod(o.Start, o.End))
	}
	return o
}

// putTime sets a sent time, or clears it.
func putTime(at *time.Time, sent patch.Field[time.Time], where fault.Location, faults *fault.List) {
	if !sent.Sent {
		return
	}
	*at = sent.Value.UTC().Truncate(time.Millisecond)
	if !sent.Null {
		invalidate(faults, where, text.CheckTime(*at))
	}
}
