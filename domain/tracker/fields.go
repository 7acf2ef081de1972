package tracker

import (
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// reference is a field of a problem that holds a metadata object or a user.
type reference struct {
	name  string
	kind  metadata.Kind
	sent  func(*ProblemPatch) patch.Field[metadata.Partial]
	value func(*problem.Fields) *ident.ID
}

// references are all such fields, in the order of D1.
var references = []reference{
	{"state", metadata.States,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.State },
		func(f *problem.Fields) *ident.ID { return &f.State }},
	{"priority", metadata.Priorities,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.Priority },
		func(f *problem.Fields) *ident.ID { return &f.Priority }},
	{"classification", metadata.Classifications,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.Classification },
		func(f *problem.Fields) *ident.ID { return &f.Classification }},
	{"component", metadata.Components,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.Component },
		func(f *problem.Fields) *ident.ID { return &f.Component }},
	{"milestone", metadata.Milestones,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.Milestone },
		func(f *problem.Fields) *ident.ID { return &f.Milestone }},
	{"assignee", metadata.Users,
		func(p *ProblemPatch) patch.Field[metadata.Partial] { return p.Assignee },
		func(f *problem.Fields) *ident.ID { return &f.Assignee }},
}

// settings are what a patch sets, with its objects resolved: the same for every
// problem.
type settings struct {
	title   string
	retitle bool
	refs    []setting
}

// setting is a field that is set to an object, or to ident.None.
type setting struct {
	reference
	id ident.ID
}

// resolve returns what the patch sets, adding to faults what is wrong with it,
// whatever the problem.
func (p *ProblemPatch) resolve(c *metadata.Catalogue, faults *fault.List) (set settings) {
	if p.Title.Sent {
		set.title, set.retitle = line(text.Title, p.Title, "/title", faults), true
	}
	for _, ref := range references {
		sent, id := ref.sent(p), ident.None
		switch {
		case !sent.Sent:
			continue
		case sent.Null && ref.kind == metadata.States:
			faults.Add(fault.InvalidValue, "/state", "cannot be null: a problem is always in a state")
			continue
		case !sent.Null:
			var found bool
			if id, found = find(c, ref.kind, sent.Value, "/"+ref.name, faults); !found {
				continue
			}
		}
		set.refs = append(set.refs, setting{ref, id})
	}
	if p.Read.Null {
		faults.Add(fault.InvalidValue, "/read", "cannot be null: send true or false")
	}
	return set
}

// apply returns the fields of a problem as they are after the settings, adding to
// faults what is wrong with them for this problem.
func (set settings) apply(old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	fields := old
	if set.retitle {
		fields.Title = set.title
	}
	for _, ref := range set.refs {
		value := ref.value(&fields)
		if ref.id != *value {
			checkNew(c, ref.id, "/"+ref.name, faults)
		}
		*value = ref.id
	}
	return fields
}

// apply returns the fields as they are after the patch, adding what is wrong
// with it to faults.
func (p *ProblemPatch) apply(old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	return p.resolve(c, faults).apply(old, c, faults)
}

// require adds to faults that a member is missing without which nothing can be done.
// One that was sent, but could not be read, is among them already.
func require(faults *fault.List, sent bool, pointer, format string, args ...any) {
	if !sent && !faults.Covers(pointer) {
		faults.Add(fault.RequiredField, pointer, format, args...)
	}
}

// line applies a text rule to a member that cannot be null.
func line(rule text.Rule, sent patch.Field[string], pointer string, faults *fault.List) string {
	if sent.Null {
		faults.Add(fault.InvalidValue, pointer, "cannot be null")
		return ""
	}
	s, err := rule.Apply(sent.Value)
	if err != nil {
		faults.Add(fault.InvalidValue, pointer, "%v", err)
	}
	return s
}

// resolve returns the one object that the partial stands for. What is no longer
// in use can stay where it is, but is refused as a new value (D2).
func resolve(c *metadata.Catalogue, kind metadata.Kind, partial metadata.Partial, current ident.ID, pointer string, faults *fault.List) ident.ID {
	id, found := find(c, kind, partial, pointer, faults)
	if !found {
		return current
	}
	if id != current {
		checkNew(c, id, pointer, faults)
	}
	return id
}

// find returns the one object that the partial stands for.
func find(c *metadata.Catalogue, kind metadata.Kind, partial metadata.Partial, pointer string, faults *fault.List) (ident.ID, bool) {
	id, found := c.Resolve(kind, partial, pointer)
	faults.Append(found)
	return id, len(found) == 0
}

// checkNew refuses what is no longer in use as a new value (D2).
func checkNew(c *metadata.Catalogue, id ident.ID, pointer string, faults *fault.List) {
	if u, _ := c.User(id); u.Inactive {
		faults.Add(fault.InvalidValue, pointer, "this user is inactive: name an active one")
	}
	if o, _ := c.Component(id); o.Closed {
		faults.Add(fault.InvalidValue, pointer, "this component is closed: name an open one")
	}
}

// logFields returns the fields that are set, as the log shows them.
func logFields(f problem.Fields, c *metadata.Catalogue) problem.LogValue {
	members := []problem.LogMember{{Name: "title", Value: problem.LogText(f.Title)}}
	for _, ref := range references {
		id := *ref.value(&f)
		members = append(members, problem.LogMember{Name: ref.name, Value: problem.LogRef(id, c.Name(ref.kind, id))})
	}
	return problem.LogObject(members...)
}

// checkInitial refuses a state that problems cannot be created in (D19).
func checkInitial(state ident.ID, c *metadata.Catalogue) error {
	if s, _ := c.State(state); s.Initial {
		return nil
	}
	var initial []string
	for _, s := range c.Content().States {
		if s.Initial {
			initial = append(initial, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "problems are not created in this state, but in: %s", strings.Join(initial, ", "))
}

// checkTransition refuses a move that the current state does not allow (D19).
func checkTransition(from, to ident.ID, c *metadata.Catalogue) error {
	current, _ := c.State(from)
	if from == to || slices.Contains(current.Next, to) {
		return nil
	}
	if len(current.Next) == 0 {
		return fault.New(fault.TransitionNotAllowed, "%q is a terminal state: nothing follows it", current.Name)
	}
	var next []string
	for _, s := range c.Content().States {
		if slices.Contains(current.Next, s.ID) {
			next = append(next, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "from %q a problem can move to: %s", current.Name, strings.Join(next, ", "))
}

// resolve keeps who resolved the problem, and when: the latest move into a
// resolved state, also from another one (D1).
func (st *step) resolve(p *problem.Problem, moved bool, c *metadata.Catalogue) {
	state, _ := c.State(p.State)
	switch {
	case !state.Resolved:
		p.Resolver, p.Resolved = ident.None, time.Time{}
	case moved:
		p.Resolver, p.Resolved = st.Author, st.At
	}
}
