package web

import (
	"iter"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/user"
)

// mostOptions is how many objects a list to choose from has. Beyond, people type a name.
const mostOptions = 200

// choice is a field with an object as its value.
type choice struct {
	Field    string
	Label    string // key of the text
	Options  []option
	Required bool   // has no empty value
	Value    string // the name of the selected object
	// Keep offers to leave the value as it is.
	Keep bool
	// Typed is true when there are too many objects for a list: people type a name.
	Typed bool
}

type option struct {
	Value, Name string
	Selected    bool
}

func newChoice(field string, required bool, selected ident.ID) *choiceBuilder {
	return &choiceBuilder{choice{Field: field, Label: "field." + field, Required: required}, selected}
}

// choiceBuilder collects the options of a choice.
type choiceBuilder struct {
	choice
	selected ident.ID
}

func (b *choiceBuilder) add(id ident.ID, name string) {
	current := id == b.selected
	b.Options = append(b.Options, option{id.String(), name, current})
	if current {
		b.Value = name
	}
}

func (b *choiceBuilder) done() choice {
	b.Typed = len(b.Options) > mostOptions
	return b.choice
}

func stateChoice(current ident.ID, isNew bool, c *metadata.Catalogue) choice {
	from, known := c.State(current)
	if !known {
		from, _ = c.DefaultState()
	}
	b := newChoice("state", true, from.ID)
	for _, s := range c.Content().States {
		if s.ID == from.ID || isNew && s.Initial || !isNew && slices.Contains(from.Next, s.ID) {
			b.add(s.ID, s.Name)
		}
	}
	return b.done()
}

// objectChoice offers the objects of a kind that are in use, and the current one.
func objectChoice(field string, kind metadata.Kind, current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice(field, false, current)
	for o := range objectsOf(kind, c) {
		if !o.Retired || o.ID == current {
			b.add(o.ID, o.Name)
		}
	}
	if kind == metadata.Components {
		slices.SortStableFunc(b.Options, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	}
	return b.done()
}

// object is a metadata object as pages show it.
type object struct {
	ID   ident.ID
	Name string // in forms
	// Key names it in predicates: its full name for a component, its address for a user.
	Key     string
	Retired bool // a closed component or an inactive user: it is not on offer
}

// objectsOf returns all objects of a kind.
func objectsOf(kind metadata.Kind, c *metadata.Catalogue) iter.Seq[object] {
	return func(yield func(object) bool) {
		all := c.Content()
		switch kind {
		case metadata.States:
			each(all.States, yield, func(o metadata.State) object { return object{o.ID, o.Name, o.Name, false} })
		case metadata.Priorities:
			each(all.Priorities, yield, func(o metadata.Priority) object { return object{o.ID, o.Name, o.Name, false} })
		case metadata.Classifications:
			each(all.Classifications, yield, func(o metadata.Classification) object { return object{o.ID, o.Name, o.Name, false} })
		case metadata.Components:
			each(all.Components, yield, func(o metadata.Component) object {
				name := c.FullName(o.ID)
				return object{o.ID, name, name, o.Closed}
			})
		case metadata.Milestones:
			each(all.Milestones, yield, func(o metadata.Milestone) object {
				return object{o.ID, milestoneName(o, c), o.Name, false}
			})
		case metadata.Users:
			names := usersByName(c)
			each(all.Users, yield, func(o user.User) object { return object{o.ID, names(o), o.Email, o.Inactive} })
		}
	}
}

// each yields each element as an object.
func each[T any](all []T, yield func(object) bool, shown func(T) object) {
	for _, one := range all {
		if !yield(shown(one)) {
			return
		}
	}
}

// milestoneName returns the name of a milestone, with its component.
func milestoneName(m metadata.Milestone, c *metadata.Catalogue) string {
	if m.Component.IsNone() {
		return m.Name
	}
	return m.Name + " (" + c.FullName(m.Component) + ")"
}

// usersByName returns a function with the name of a user, and with the address where several
// users have the same name.
func usersByName(c *metadata.Catalogue) func(user.User) string {
	names := map[string]int{}
	for _, u := range c.Content().Users {
		names[u.Name]++
	}
	return func(u user.User) string {
		if names[u.Name] > 1 {
			return u.Name + " (" + u.Email + ")"
		}
		return u.Name
	}
}

// named returns the object of a kind that a form shows under this name. There is none when
// the name is unknown, or that of several.
func named(kind metadata.Kind, name string, c *metadata.Catalogue) (found ident.ID) {
	shown := 0
	for o := range objectsOf(kind, c) {
		if o.Name == name {
			found = o.ID
			shown++
		}
	}
	if shown != 1 {
		return ident.None
	}
	return found
}

// identify replaces the typed names of objects in a form by their identifiers, where a page
// shows them under these names. The service judges the others.
func (q *request) identify() error {
	var c *metadata.Catalogue
	kinds := map[string]metadata.Kind{"user": metadata.Users, "parent": metadata.Components, "successor": metadata.Components}
	for _, f := range referenceFields {
		kinds[f.Name] = f.To
	}
	for field, kind := range kinds {
		name := strings.TrimSpace(q.form.Get(field))
		if _, err := ident.Parse(name); name == "" || name == keep || err == nil {
			continue
		}
		if c == nil {
			states, err := q.Service.States().List(q.context())
			if err != nil {
				return err
			}
			c = states.Catalogue
		}
		if id := named(kind, name, c); !id.IsNone() {
			q.form.Set(field, id.String())
		}
	}
	return nil
}
