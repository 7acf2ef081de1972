package httpapi

import (
	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// tagMetadata is the tag of the operations about metadata objects.
const tagMetadata = "Metadata"

func (s *server) registerMetadata() {
	stateKind().register(s)
	priorityKind().register(s)
	classificationKind().register(s)
	componentKind().register(s)
	milestoneKind().register(s)
}

func stateKind() metadataKind[metadata.State, admin.StatePatch, wire.State, wire.CreatedState] {
	updated := samples.Open
	updated.Next = []ident.ID{samples.Progress.ID, samples.Closed.ID}
	return metadataKind[metadata.State, admin.StatePatch, wire.State, wire.CreatedState]{
		one: "state", many: "states", tag: tagMetadata, order: "by order, then name",
		about: "Whether a state counts as resolved cannot change while a problem is in it. " +
			"One state at least is always initial. The members of nextStates are partial states; an empty array makes a terminal state.",
		objects:    (*admin.Service).States,
		identifier: func(o metadata.State) ident.ID { return o.ID },
		encode:     (*wire.Encoder).StateObject,
		members: func(p *admin.StatePatch) []wire.Member {
			return []wire.Member{
				{Name: "name", Into: &p.Name},
				{Name: "resolved", Into: &p.Resolved},
				{Name: "initial", Into: &p.Initial},
				{Name: "order", Into: &p.Order},
				{Name: "nextStates", Into: &p.Next},
			}
		},
		scope:  access.Admin,
		create: wire.NewState{}, patch: wire.StatePatch{},
		sampleList: []metadata.State{samples.Open, samples.Progress, samples.Closed},
		creates: sample[metadata.State]{`{"name":"Verified","resolved":true,"nextStates":[{"name":"Open"}]}`,
			metadata.State{ID: samples.Identifier(20), Name: "Verified", Resolved: true, Order: 4, Next: []ident.ID{samples.Open.ID}}},
		updates: sample[metadata.State]{`{"nextStates":[{"name":"In Progress"},{"name":"Closed"}]}`, updated},
		faults:  []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
		more:    []fault.Kind{fault.InUse},
	}
}

func priorityKind() metadataKind[metadata.Priority, admin.PriorityPatch, wire.Priority, wire.CreatedPriority] {
	return metadataKind[metadata.Priority, admin.PriorityPatch, wire.Priority, wire.CreatedPriority]{
		one: "priority", many: "priorities", tag: tagMetadata, order: "by order, then name",
		objects:    (*admin.Service).Priorities,
		identifier: func(o metadata.Priority) ident.ID { return o.ID },
		encode:     (*wire.Encoder).PriorityObject,
		members: func(p *admin.PriorityPatch) []wire.Member {
			return []wire.Member{{Name: "name", Into: &p.Name}, {Name: "order", Into: &p.Order}}
		},
		scope:  access.Admin,
		create: wire.NewPriority{}, patch: wire.PriorityPatch{},
		sampleList: []metadata.Priority{samples.Priority},
		creates:    sample[metadata.Priority]{`{"name":"Low"}`, metadata.Priority{ID: samples.Identifier(20), Name: "Low", Order: 3}},
		updates:    sample[metadata.Priority]{`{"order":1}`, metadata.Priority{ID: samples.Priority.ID, Name: samples.Priority.Name, Order: 1}},
	}
}

func classificationKind() metadataKind[metadata.Classification, admin.ClassificationPatch, wire.Classification, wire.CreatedClassification] {
	return metadataKind[metadata.Classification, admin.ClassificationPatch, wire.Classification, wire.CreatedClassification]{
		one: "classification", many: "classifications", tag: tagMetadata, order: "by name",
		objects:    (*admin.Service).Classifications,
		identifier: func(o metadata.Classification) ident.ID { return o.ID },
		encode:     (*wire.Encoder).ClassificationObject,
		members: func(p *admin.ClassificationPatch) []wire.Member {
			return []wire.Member{{Name: "name", Into: &p.Name}}
		},
		scope:  access.Admin,
		create: wire.NewClassification{}, patch: wire.ClassificationPatch{},
		sampleList: []metadata.Classification{samples.Classification},
		creates:    sample[metadata.Classification]{`{"name":"Task"}`, metadata.Classification{ID: samples.Identifier(20), Name: "Task"}},
		updates:    sample[metadata.Classification]{`{"name":"Bug"}`, metadata.Classification{ID: samples.Classification.ID, Name: "Bug"}},
	}
}

func componentKind() metadataKind[metadata.Component, admin.ComponentPatch, wire.Component, wire.CreatedComponent] {
	closed := samples.Accounts
	closed.Closed, closed.Successor = true, samples.Server.ID
	return metadataKind[metadata.Component, admin.ComponentPatch, wire.Component, wire.CreatedComponent]{
		one: "component", many: "components", tag: tagMetadata, order: "by name",
		about: "Renaming or moving a component changes the fullName of all below it. A fullName has at most 4,096 bytes in UTF-8. A closed component keeps its problems and what is below it, but is refused as a new value anywhere. " +
			"parent and successor are partial components, or null.",
		objects:    (*admin.Service).Components,
		identifier: func(o metadata.Component) ident.ID { return o.ID },
		encode:     (*wire.Encoder).ComponentObject,
		members: func(p *admin.ComponentPatch) []wire.Member {
			return []wire.Member{
				{Name: "name", Into: &p.Name},
				{Name: "closed", Into: &p.Closed},
				{Name: "successor", Into: &p.Successor},
				{Name: "parent", Into: &p.Parent},
			}
		},
		readOnly: func(sent *admin.ObjectServiceFields) wire.Member {
			return wire.Member{Name: "fullName", Into: &sent.FullName}
		},
		scope:  access.Admin,
		create: wire.NewComponent{}, patch: wire.ComponentPatch{},
		sampleList: []metadata.Component{samples.Accounts, samples.Server},
		creates: sample[metadata.Component]{`{"name":"Login","parent":{"fullName":"Server/Accounts"}}`,
			metadata.Component{ID: samples.Identifier(20), Name: "Login", Parent: samples.Accounts.ID}},
		updates: sample[metadata.Component]{`{"closed":true,"successor":{"name":"Server"}}`, closed},
		faults:  []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
		more:    []fault.Kind{fault.MetadataCycle},
	}
}

func milestoneKind() metadataKind[metadata.Milestone, admin.MilestonePatch, wire.Milestone, wire.CreatedMilestone] {
	open := samples.Milestone
	open.End = samples.Milestone.Start
	return metadataKind[metadata.Milestone, admin.MilestonePatch, wire.Milestone, wire.CreatedMilestone]{
		one: "milestone", many: "milestones", tag: tagMetadata, order: "by name",
		about:      "component is a partial component, or null for a milestone of all components. The number of milestones has a limit.",
		objects:    (*admin.Service).Milestones,
		identifier: func(o metadata.Milestone) ident.ID { return o.ID },
		encode:     (*wire.Encoder).MilestoneObject,
		members: func(p *admin.MilestonePatch) []wire.Member {
			return []wire.Member{
				{Name: "name", Into: &p.Name},
				{Name: "component", Into: &p.Component},
				{Name: "startDate", Into: &p.Start},
				{Name: "endDate", Into: &p.End},
			}
		},
		readOnly: func(sent *admin.ObjectServiceFields) wire.Member {
			return wire.Member{Name: "creationDate", Into: &sent.Created}
		},
		scope:  access.Write, // D17: builds make them, and teams move their ends
		create: wire.NewMilestone{}, patch: wire.MilestonePatch{},
		sampleList: []metadata.Milestone{samples.Milestone},
		creates:    sample[metadata.Milestone]{`{"name":"Summer"}`, metadata.Milestone{ID: samples.Identifier(20), Name: "Summer", Created: samples.Time}},
		updates:    sample[metadata.Milestone]{`{"endDate":null}`, open},
		faults:     []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
	}
}
