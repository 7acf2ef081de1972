package kinds

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
)

// States are the states.
var States = Rules[metadata.State, metadata.StatePatch]{
	Kind: metadata.States,
	List: func(c *metadata.Content) *[]metadata.State { return &c.States },
	Find: (*metadata.Catalogue).State,
	ID:   func(o *metadata.State) *ident.ID { return &o.ID },
	Name: func(o *metadata.State) string { return o.Name },
	Sent: func(p *metadata.StatePatch) patch.Field[string] { return p.Name },
	Blank: func(c *metadata.Catalogue, _ time.Time) metadata.State {
		return metadata.State{Order: c.NextStateOrder()}
	},
	Apply:       applyState,
	Check:       (*metadata.Catalogue).CheckState,
	Members:     stateMembers,
	Put:         func(o metadata.State) store.Effect { return store.PutState{State: o} },
	NeedsUnused: func(old, changed metadata.State) bool { return old.Resolved != changed.Resolved },
}

// stateMembers are the members of a state in the audit log.
func stateMembers(o metadata.State, c *metadata.Catalogue) []problem.LogMember {
	var next []problem.LogValue
	for _, id := range o.Next {
		next = append(next, problem.LogRef(id, c.Name(metadata.States, id)))
	}
	return []problem.LogMember{
		{Name: "name", Value: problem.LogText(o.Name)},
		{Name: "resolved", Value: problem.LogFlag(o.Resolved)},
		{Name: "initial", Value: problem.LogFlag(o.Initial)},
		{Name: "order", Value: problem.LogNumber(o.Order)},
		{Name: "nextStates", Value: problem.LogArray(next...)},
	}
}

func applyState(p metadata.StatePatch, o metadata.State, c *metadata.Catalogue, faults *fault.List) metadata.State {
	body.SetName(&o.Name, p.Name, faults)
	body.SetFlag(&o.Resolved, p.Resolved, fault.At("resolved"), faults)
	body.SetFlag(&o.Initial, p.Initial, fault.At("initial"), faults)
	body.SetOrder(&o.Order, p.Order, faults)
	if p.Next.Sent {
		o.Next = nextStates(p.Next, o.Next, c, faults)
	}
	return o
}

// nextStates resolves the allowed next states. If they are the same as the current
// ones, the current order stays.
func nextStates(sent patch.Field[[]metadata.Partial], current []ident.ID, c *metadata.Catalogue, faults *fault.List) []ident.ID {
	if sent.Null {
		faults.Add(fault.InvalidValue, fault.At("nextStates"), "cannot be null: send an empty array for a state that nothing follows")
		return current
	}
	if err := metadata.CheckNext(len(sent.Value)); err != nil {
		faults.Add(fault.InvalidValue, fault.At("nextStates"), "%v", err)
		return current
	}
	var next []ident.ID
	for i, partial := range sent.Value {
		id := body.Resolve(c, metadata.States, partial, ident.None, fault.At("nextStates").Element(i), faults)
		if !slices.Contains(next, id) {
			next = append(next, id)
		}
	}
	unchanged := len(next) == len(current)
	for _, id := range next {
		unchanged = unchanged && slices.Contains(current, id)
	}
	if unchanged {
		return current
	}
	return next
}
