package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

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
	putName(&o.Name, p.Name, faults)
	invalidate(faults, fault.At("name"), metadata.CheckComponentName(o.Name))
	putFlag(&o.Closed, p.Closed, fault.At("closed"), faults)
	putReference(&o.Successor, metadata.Components, p.Successor, fault.At("successor"), c, faults)
	putReference(&o.Parent, metadata.Components, p.Parent, fault.At("parent"), c, faults)
	return o
}
