package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
)

// StatePatch holds the members of a state sent by a client (D2). A new one without
// order comes last.
type StatePatch struct {
	Name     patch.Field[string]
	Resolved patch.Field[bool]
	Initial  patch.Field[bool]
	Order    patch.Field[int64]
	// Next holds partial states. They are a set: order and repetition make no
	// difference.
	Next patch.Field[[]metadata.Partial]
}

// States returns the states. A state cannot become resolved or unresolved while a
// problem is in it, and at least one state stays initial. Otherwise a change fails with
// fault.InUse (D2).
func (s *Service) States() Objects[metadata.State, StatePatch] {
	return Objects[metadata.State, StatePatch]{s, &stateRules}
}

var stateRules = rules[metadata.State, StatePatch]{
	kind: metadata.States,
	list: func(c *metadata.Content) *[]metadata.State { return &c.States },
	find: (*metadata.Catalogue).State,
	id:   func(o *metadata.State) *ident.ID { return &o.ID },
	name: func(o *metadata.State) string { return o.Name },
	sent: func(p *StatePatch) patch.Field[string] { return p.Name },
	blank: func(c *metadata.Catalogue, _ time.Time) metadata.State {
		return metadata.State{Order: c.NextStateOrder()}
	},
	apply:       StatePatch.apply,
	check:       (*metadata.Catalogue).CheckState,
	members:     stateMembers,
	put:         func(o metadata.State) store.Effect { return store.PutState{State: o} },
	needsUnused: func(old, changed metadata.State) bool { return old.Resolved != changed.Resolved },
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

func (p StatePatch) apply(o metadata.State, c *metadata.Catalogue, faults *fault.List) metadata.State {
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

func inUse() error {
	return fault.New(fault.InUse, "problems are in this state: whether they count as resolved cannot change; move them to another state first, or make a new one")
}

// stateUsed reports whether a problem is in the state. It does not count for the search
// limit, because stores find the first such problem at once.
func (s *Service) stateUsed(ctx context.Context, r store.Reader, caller Caller, state ident.ID, c *metadata.Catalogue) (bool, error) {
	plan, err := check.Compile("state.identifier = '"+state.String()+"'", predicate.Problem, predicate.Env{})
	if err != nil {
		return false, fault.Wrap(fault.Internal, err, "the predicate about a state does not compile")
	}
	hits, err := s.find(ctx, r, store.Query{Plan: plan, Limit: 1, As: caller.User, Catalogue: c})
	return len(hits) > 0, err
}
