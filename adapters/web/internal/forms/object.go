package forms

import (
	"iter"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/user"
)

// Object is a metadata object as pages show it.
type Object struct {
	ID   ident.ID
	Name string // in forms
	// Key names it in predicates: its full name for a component, its address for a user.
	Key     string
	Retired bool // a closed component or an inactive user: it is not on offer
}

// Objects returns all objects of a kind.
func Objects(kind metadata.Kind, c *metadata.Catalogue) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		all := c.Content()
		switch kind {
		case metadata.States:
			each(all.States, yield, func(o metadata.State) Object { return Object{o.ID, o.Name, o.Name, false} })
		case metadata.Priorities:
			each(all.Priorities, yield, func(o metadata.Priority) Object { return Object{o.ID, o.Name, o.Name, false} })
		case metadata.Classifications:
			each(all.Classifications, yield, func(o metadata.Classification) Object { return Object{o.ID, o.Name, o.Name, false} })
		case metadata.Components:
			each(all.Components, yield, func(o metadata.Component) Object {
				name := c.FullName(o.ID)
				return Object{o.ID, name, name, o.Closed}
			})
		case metadata.Milestones:
			each(all.Milestones, yield, func(o metadata.Milestone) Object {
				return Object{o.ID, milestoneName(o, c), o.Name, false}
			})
		case metadata.Users:
			names := usersByName(c)
			each(all.Users, yield, func(o user.User) Object { return Object{o.ID, names(o), o.Email, o.Inactive} })
		}
	}
}

// each yields each element as an object.
func each[T any](all []T, yield func(Object) bool, shown func(T) Object) {
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

// Named returns the object of a kind that a form shows under this name. There is none when
// the name is unknown, or that of several.
func Named(kind metadata.Kind, name string, c *metadata.Catalogue) (found ident.ID) {
	shown := 0
	for o := range Objects(kind, c) {
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

// kindOf is the kind of the objects in each field of a form that has objects.
var kindOf = func() map[string]metadata.Kind {
	kinds := map[string]metadata.Kind{"user": metadata.Users, "robotOf": metadata.Users, "parent": metadata.Components, "successor": metadata.Components}
	for _, f := range References {
		kinds[f.Name] = f.To
	}
	return kinds
}()

// Identify replaces the typed names of objects in a form by their identifiers, where a page
// shows them under these names. The service judges the others. The catalogue is loaded for
// the first name.
func Identify(form url.Values, catalogue func() (*metadata.Catalogue, error)) (err error) {
	var c *metadata.Catalogue
	for field, kind := range kindOf {
		name := strings.TrimSpace(form.Get(field))
		if _, err := ident.Parse(name); name == "" || name == Keep || err == nil {
			continue
		}
		if c == nil {
			if c, err = catalogue(); err != nil {
				return err
			}
		}
		if id := Named(kind, name, c); !id.IsNone() {
			form.Set(field, id.String())
		}
	}
	return nil
}
