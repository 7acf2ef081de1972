package metadata

import (
	"cmp"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// Content is everything that a catalogue lists, in any order.
type Content struct {
	States          []State
	Priorities      []Priority
	Classifications []Classification
	Components      []Component
	Milestones      []Milestone
	Users           []user.User
}

// Catalogue is all metadata and all users at one version. It never changes, so
// it can be shared freely; its slices are not to be modified.
type Catalogue struct {
	// Version is 0 for an empty store, and higher after every Change that
	// puts a metadata object or a user.
	Version int64

	content         Content
	states          map[ident.ID]*State
	priorities      map[ident.ID]*Priority
	classifications map[ident.ID]*Classification
	components      map[ident.ID]*Component
	milestones      map[ident.ID]*Milestone
	users           map[ident.ID]*user.User
	usersByEmail    map[string]*user.User // by user.FoldEmail
	fullNames       map[ident.ID]string   // of components
}

// NewCatalogue returns the catalogue of the given content. It takes the content
// over and orders it: by order where there is one, then name, then identifier
// (D30).
func NewCatalogue(version int64, content Content) *Catalogue {
	c := &Catalogue{Version: version, content: content}
	c.states = index(content.States, func(o *State) (int, string, ident.ID) { return o.Order, o.Name, o.ID })
	c.priorities = index(content.Priorities, func(o *Priority) (int, string, ident.ID) { return o.Order, o.Name, o.ID })
	c.classifications = index(content.Classifications, func(o *Classification) (int, string, ident.ID) { return 0, o.Name, o.ID })
	c.components = index(content.Components, func(o *Component) (int, string, ident.ID) { return 0, o.Name, o.ID })
	c.milestones = index(content.Milestones, func(o *Milestone) (int, string, ident.ID) { return 0, o.Name, o.ID })
	c.users = index(content.Users, func(o *user.User) (int, string, ident.ID) { return 0, o.Name, o.ID })
	c.usersByEmail = make(map[string]*user.User, len(c.users))
	for id := range c.users {
		c.usersByEmail[user.FoldEmail(c.users[id].Email)] = c.users[id]
	}
	c.fullNames = make(map[ident.ID]string, len(c.components))
	for id := range c.components {
		c.fullNames[id] = c.fullName(id)
	}
	return c
}

// index sorts objects in place and returns them by identifier.
func index[T any](objects []T, key func(*T) (int, string, ident.ID)) map[ident.ID]*T {
	slices.SortFunc(objects, func(a, b T) int {
		orderA, nameA, idA := key(&a)
		orderB, nameB, idB := key(&b)
		return cmp.Or(cmp.Compare(orderA, orderB), strings.Compare(nameA, nameB), idA.Compare(idB))
	})
	byID := make(map[ident.ID]*T, len(objects))
	for i := range objects {
		_, _, id := key(&objects[i])
		byID[id] = &objects[i]
	}
	return byID
}

func (c *Catalogue) fullName(id ident.ID) string {
	var path []string
	for o := c.components[id]; o != nil && len(path) <= len(c.components); o = c.components[o.Parent] {
		path = append(path, o.Name)
	}
	slices.Reverse(path)
	return strings.Join(path, "/")
}

func find[T any](objects map[ident.ID]*T, id ident.ID) (object T, ok bool) {
	if p := objects[id]; p != nil {
		return *p, true
	}
	return object, false
}

// State returns the state with this identifier.
func (c *Catalogue) State(id ident.ID) (State, bool) { return find(c.states, id) }

// Priority returns the priority with this identifier.
func (c *Catalogue) Priority(id ident.ID) (Priority, bool) { return find(c.priorities, id) }

// Classification returns the classification with this identifier.
func (c *Catalogue) Classification(id ident.ID) (Classification, bool) {
	return find(c.classifications, id)
}

// Component returns the component with this identifier.
func (c *Catalogue) Component(id ident.ID) (Component, bool) { return find(c.components, id) }

// Milestone returns the milestone with this identifier.
func (c *Catalogue) Milestone(id ident.ID) (Milestone, bool) { return find(c.milestones, id) }

// User returns the user with this identifier.
func (c *Catalogue) User(id ident.ID) (user.User, bool) { return find(c.users, id) }

// UserByEmail returns the user with this e-mail address, compared as
// user.FoldEmail does.
func (c *Catalogue) UserByEmail(email string) (user.User, bool) {
	if p := c.usersByEmail[user.FoldEmail(email)]; p != nil {
		return *p, true
	}
	return user.User{}, false
}

// FullName returns a component's name with those of all its parents, from the
// root, joined by "/" (D2); empty for an unknown component.
func (c *Catalogue) FullName(component ident.ID) string { return c.fullNames[component] }

// Content returns everything in the catalogue, each list by order, then name. It
// is shared: not to be modified.
func (c *Catalogue) Content() Content { return c.content }

// DefaultState returns the state that a problem is created in when none is
// given: the first initial one (D1).
func (c *Catalogue) DefaultState() (State, bool) {
	i := slices.IndexFunc(c.content.States, func(s State) bool { return s.Initial })
	if i < 0 {
		return State{}, false
	}
	return c.content.States[i], true
}

// Name returns the name of an object of any kind, the full name for a component
// not included; empty for an unknown one.
func (c *Catalogue) Name(kind Kind, id ident.ID) string {
	switch kind {
	case States:
		o, _ := c.State(id)
		return o.Name
	case Priorities:
		o, _ := c.Priority(id)
		return o.Name
	case Classifications:
		o, _ := c.Classification(id)
		return o.Name
	case Components:
		o, _ := c.Component(id)
		return o.Name
	case Milestones:
		o, _ := c.Milestone(id)
		return o.Name
	case Users:
		o, _ := c.User(id)
		return o.Name
	}
	return ""
}
