package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Object is a metadata object or a user, by its names.
type Object struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	FullName   string `json:"fullName,omitempty"` // of a component
	Email      string `json:"email,omitempty"`    // of a user
}

// Label returns the name by which people choose the object: only one has it.
func (o Object) Label() string { return cmp.Or(o.FullName, o.Email, o.Name) }

// kind is the objects that a field refers to. %s in a predicate stands for the name.
type kind struct{ field, plural, predicate, order string }

func kinds() []kind {
	const named = "name =[c] %[1]s"
	return []kind{
		{"state", "states", named, "order"},
		{"priority", "priorities", named, "order"},
		{"classification", "classifications", named, "name"},
		{"component", "components", "fullName =[c] %[1]s OR name =[c] %[1]s", "fullName"},
		{"milestone", "milestones", named, "name"},
		{"assignee", "users", "email =[c] %[1]s OR name =[c] %[1]s", "name"},
	}
}

// FieldNames returns the fields of a problem that clients set.
func FieldNames() []string {
	names := []string{"title", "due"}
	for _, k := range kinds() {
		names = append(names, k.field)
	}
	return names
}

// mostObjects is how many objects an error or [Client.Objects] has.
const mostObjects = 50

// Objects returns the first objects that a field can have, in their order.
func (c *Client) Objects(ctx context.Context, field string) ([]Object, error) {
	return c.objects(ctx, field, func(kind) string { return "TRUEPREDICATE" })
}

func (c *Client) objects(ctx context.Context, field string, predicate func(kind) string) (found []Object, err error) {
	for _, k := range kinds() {
		if k.field == field {
			_, err = c.Do(ctx, Request{
				Method: http.MethodGet, Path: []string{k.plural, "search"},
				Query: url.Values{"predicate": {predicate(k)}, "sort": {k.order}, "limit": {strconv.Itoa(mostObjects)}},
			}, &found)
			return found, err
		}
	}
	return nil, fmt.Errorf("no object is a %s: fields with objects are state, priority, classification, component, milestone and assignee", field)
}

// Quote returns a string of the query language.
func Quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// InState returns the condition for the state with a name, in any case. Three words are no
// names: open for all that are not resolved, done for the others, and all.
func InState(name string) string {
	switch name {
	case "open":
		return "state.resolved = NO"
	case "done":
		return "state.resolved = YES"
	case "all":
		return "TRUEPREDICATE"
	}
	return "state.name =[c] " + Quote(name)
}

// HasWord returns the condition for a word in the title or a comment, in any case and with or
// without accents.
func HasWord(word string) string {
	return fmt.Sprintf("(title CONTAINS[cd] %[1]s OR ANY comments.text CONTAINS[cd] %[1]s)", Quote(word))
}

// Resolve finds the object of a field by its name, in any case. A component has its full
// name or its own, and a user an address or a name; "me" is the caller. The error has the
// names to choose from.
func (c *Client) Resolve(ctx context.Context, field, name string) (*Partial, error) {
	if field == "assignee" && name == "me" {
		me, err := c.Me(ctx)
		return &Partial{Identifier: me.User.Identifier}, err
	}
	found, err := c.objects(ctx, field, func(k kind) string { return fmt.Sprintf(k.predicate, Quote(name)) })
	if err != nil {
		return nil, err
	}
	for _, fits := range []func(Object) bool{
		func(o Object) bool { return o.Label() == name || o.Name == name },
		func(o Object) bool { return strings.EqualFold(o.Label(), name) },
	} {
		if some := slices.DeleteFunc(slices.Clone(found), func(o Object) bool { return !fits(o) }); len(some) == 1 {
			found = some
		}
	}
	if len(found) == 1 {
		return &Partial{Identifier: found[0].Identifier}, nil
	}
	noun := field
	if field == "assignee" {
		noun = "user"
	}
	fault := "there is no %s %q"
	if len(found) > 1 {
		fault = "more than one %s is called %q"
	} else if found, err = c.Objects(ctx, field); err != nil {
		return nil, err
	}
	var names []string
	for _, o := range found {
		names = append(names, o.Label())
	}
	if len(names) > 0 {
		fault += ": choose from " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf(fault, noun, name)
}

// Named returns the change that sets fields to values by their names, as [Client.Resolve]
// finds them. An empty value clears a field.
func (c *Client) Named(ctx context.Context, values map[string]string) (p Patch, err error) {
	for _, field := range slices.Sorted(maps.Keys(values)) {
		value := values[field]
		switch {
		case !slices.Contains(FieldNames(), field):
			return p, fmt.Errorf("there is no field %q: choose from %s", field, strings.Join(FieldNames(), ", "))
		case value == "" && (field == "title" || field == "state"):
			return p, fmt.Errorf("a problem needs its %s: it cannot be empty", field)
		case value == "":
			p.Clear = append(p.Clear, field)
			continue
		case field == "title":
			p.Title = value
			continue
		case field == "due":
			p.Due = value
			continue
		}
		object, err := c.Resolve(ctx, field, value)
		if err != nil {
			return p, err
		}
		*map[string]**Partial{
			"state": &p.State, "priority": &p.Priority, "classification": &p.Classification,
			"component": &p.Component, "milestone": &p.Milestone, "assignee": &p.Assignee,
		}[field] = object
	}
	return p, nil
}

// Finish moves a problem to a resolved state, the one with the name or the first that it can move
// to, and adds a comment unless the text is empty: both or nothing. A change of somebody else
// in between is StaleRevision. It returns the state, and whether the problem has moved. With the same
// [Key], a repeat changes nothing, whatever became of the problem.
func (c *Client) Finish(ctx context.Context, number int64, state, text string, options ...Option) (to State, moved bool, err error) {
	states, err := List[State](ctx, c, "states")
	if err != nil {
		return to, false, err
	}
	p, err := c.Problem(ctx, number)
	if err != nil {
		return to, false, err
	}
	if to, err = p.State.finish(state, states); err != nil {
		return to, false, err
	}
	moves := to.Identifier != p.State.Identifier
	if !moves && text == "" && len(options) == 0 { // with a claim, it may be lost
		return to, false, nil
	}
	_, err = c.Update(ctx, number, Patch{Fields: Fields{State: &Partial{Identifier: to.Identifier}}, Comment: text}, append([]Option{IfRevision(p.Revision)}, options...)...)
	return to, err == nil && moves, err
}

// finish returns the resolved state to move to; states are all, in their order.
func (s State) finish(name string, states []State) (State, error) {
	if name == "" && s.Resolved {
		return s, nil
	}
	reachable := func(to State) bool {
		return to.Identifier == s.Identifier || slices.ContainsFunc(s.NextStates, func(next Reference) bool { return next.Identifier == to.Identifier })
	}
	for _, to := range states {
		if to.Resolved && (name == "" || strings.EqualFold(to.Name, name)) && reachable(to) {
			return to, nil
		}
	}
	var next []string
	for _, n := range s.NextStates {
		next = append(next, n.Name)
	}
	return s, fmt.Errorf("from %q there is no move to such a resolved state; moves are possible to %s", s.Name, cmp.Or(strings.Join(next, ", "), "no state"))
}
