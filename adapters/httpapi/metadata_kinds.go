package httpapi

import (
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
)

// tagMetadata is the tag of the operations about metadata objects.
const tagMetadata = "Metadata"

func metadataEndpoints() []endpoint {
	return slices.Concat(
		stateKind().endpoints(),
		priorityKind().endpoints(),
		classificationKind().endpoints(),
		componentKind().endpoints(),
		milestoneKind().endpoints(),
	)
}

func stateKind() metadataKind[metadata.State, tracker.StatePatch] {
	updated := sampleOpen
	updated.Next = []ident.ID{sampleProgress.ID, sampleClosed.ID}
	return metadataKind[metadata.State, tracker.StatePatch]{
		one: "state", many: "states", tag: tagMetadata, order: "by order, then name",
		about: "Whether a state counts as resolved cannot change while a problem is in it. " +
			"One state at least is always initial. The members of nextStates are partial states; an empty array makes a terminal state.",
		objects:    (*tracker.Service).States,
		identifier: func(o metadata.State) ident.ID { return o.ID },
		encode:     (*encoder).stateObject,
		members: func(p *tracker.StatePatch) []member {
			return []member{
				{"name", &p.Name},
				{"resolved", &p.Resolved},
				{"initial", &p.Initial},
				{"order", &p.Order},
				{"nextStates", &p.Next},
			}
		},
		createScope: access.Admin,
		record:      State{}, records: []State{}, created: CreatedState{}, create: NewState{}, patch: StatePatch{},
		sampleList: []metadata.State{sampleOpen, sampleProgress, sampleClosed},
		creates: sample[metadata.State]{`{"name":"Verified","resolved":true,"nextStates":[{"name":"Open"}]}`,
			metadata.State{ID: sampleID(20), Name: "Verified", Resolved: true, Order: 4, Next: []ident.ID{sampleOpen.ID}}},
		updates: sample[metadata.State]{`{"nextStates":[{"name":"In Progress"},{"name":"Closed"}]}`, updated},
		faults:  []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
		more:    []fault.Kind{fault.InUse},
	}
}

func priorityKind() metadataKind[metadata.Priority, tracker.PriorityPatch] {
	return metadataKind[metadata.Priority, tracker.PriorityPatch]{
		one: "priority", many: "priorities", tag: tagMetadata, order: "by order, then name",
		objects:    (*tracker.Service).Priorities,
		identifier: func(o metadata.Priority) ident.ID { return o.ID },
		encode:     (*encoder).priorityObject,
		members: func(p *tracker.PriorityPatch) []member {
			return []member{{"name", &p.Name}, {"order", &p.Order}}
		},
		createScope: access.Admin,
		record:      Priority{}, records: []Priority{}, created: CreatedPriority{}, create: NewPriority{}, patch: PriorityPatch{},
		sampleList: []metadata.Priority{samplePriority},
		creates:    sample[metadata.Priority]{`{"name":"Low"}`, metadata.Priority{ID: sampleID(20), Name: "Low", Order: 3}},
		updates:    sample[metadata.Priority]{`{"order":1}`, metadata.Priority{ID: samplePriority.ID, Name: samplePriority.Name, Order: 1}},
	}
}

func classificationKind() metadataKind[metadata.Classification, tracker.ClassificationPatch] {
	return metadataKind[metadata.Classification, tracker.ClassificationPatch]{
		one: "classification", many: "classifications", tag: tagMetadata, order: "by name",
		objects:    (*tracker.Service).Classifications,
		identifier: func(o metadata.Classification) ident.ID { return o.ID },
		encode:     (*encoder).classificationObject,
		members: func(p *tracker.ClassificationPatch) []member {
			return []member{{"name", &p.Name}}
		},
		createScope: access.Admin,
		record:      Classification{}, records: []Classification{}, created: CreatedClassification{}, create: NewClassification{}, patch: ClassificationPatch{},
		sampleList: []metadata.Classification{sampleClassification},
		creates:    sample[metadata.Classification]{`{"name":"Task"}`, metadata.Classification{ID: sampleID(20), Name: "Task"}},
		updates:    sample[metadata.Classification]{`{"name":"Bug"}`, metadata.Classification{ID: sampleClassification.ID, Name: "Bug"}},
	}
}

func componentKind() metadataKind[metadata.Component, tracker.ComponentPatch] {
	closed := sampleAccounts
	closed.Closed, closed.Successor = true, sampleServer.ID
	return metadataKind[metadata.Component, tracker.ComponentPatch]{
		one: "component", many: "components", tag: tagMetadata, order: "by name",
		about: "Renaming or moving a component changes the fullName of all below it. A closed component keeps its problems and what is below it, but is refused as a new value anywhere. " +
			"parent and successor are partial components, or null.",
		objects:    (*tracker.Service).Components,
		identifier: func(o metadata.Component) ident.ID { return o.ID },
		encode:     (*encoder).componentObject,
		members: func(p *tracker.ComponentPatch) []member {
			return []member{
				{"name", &p.Name},
				{"closed", &p.Closed},
				{"successor", &p.Successor},
				{"parent", &p.Parent},
			}
		},
		readOnly:    func(sent *tracker.ObjectServiceFields) member { return member{"fullName", &sent.FullName} },
		createScope: access.Admin,
		record:      Component{}, records: []Component{}, created: CreatedComponent{}, create: NewComponent{}, patch: ComponentPatch{},
		sampleList: []metadata.Component{sampleAccounts, sampleServer},
		creates: sample[metadata.Component]{`{"name":"Login","parent":{"fullName":"Server/Accounts"}}`,
			metadata.Component{ID: sampleID(20), Name: "Login", Parent: sampleAccounts.ID}},
		updates: sample[metadata.Component]{`{"closed":true,"successor":{"name":"Server"}}`, closed},
		faults:  []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
		more:    []fault.Kind{fault.MetadataCycle},
	}
}

func milestoneKind() metadataKind[metadata.Milestone, tracker.MilestonePatch] {
	open := sampleMilestone
	open.End = sampleMilestone.Start
	return metadataKind[metadata.Milestone, tracker.MilestonePatch]{
		one: "milestone", many: "milestones", tag: tagMetadata, order: "by name",
		about:      "component is a partial component, or null for a milestone of all components.",
		objects:    (*tracker.Service).Milestones,
		identifier: func(o metadata.Milestone) ident.ID { return o.ID },
		encode:     (*encoder).milestoneObject,
		members: func(p *tracker.MilestonePatch) []member {
			return []member{
				{"name", &p.Name},
				{"component", &p.Component},
				{"startDate", &p.Start},
				{"endDate", &p.End},
			}
		},
		readOnly:    func(sent *tracker.ObjectServiceFields) member { return member{"creationDate", &sent.Created} },
		createScope: access.Write, // D17: builds make them
		record:      Milestone{}, records: []Milestone{}, created: CreatedMilestone{}, create: NewMilestone{}, patch: MilestonePatch{},
		sampleList: []metadata.Milestone{sampleMilestone},
		creates:    sample[metadata.Milestone]{`{"name":"Summer"}`, metadata.Milestone{ID: sampleID(20), Name: "Summer", Created: sampleTime}},
		updates:    sample[metadata.Milestone]{`{"endDate":null}`, open},
		faults:     []fault.Kind{fault.MetadataNotFound, fault.MetadataAmbiguous},
	}
}
