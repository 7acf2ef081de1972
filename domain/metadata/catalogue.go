package metadata

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// Content is everything in a catalogue, in any order.
type Content struct {
	States          []State
	Priorities      []Priority
	Classifications []Classification
	Components      []Component
	Milestones      []Milestone
	Users           []user.User
}

// Clone returns a copy with slices of its own. The slices inside states are shared: not
// to be modified.
func (c Content) Clone() Content {
	return Content{
		States:          slices.Clone(c.States),
		Priorities:      slices.Clone(c.Priorities),
		Classifications: slices.Clone(c.Classifications),
		Components:      slices.Clone(c.Components),
		Milestones:      slices.Clone(c.Milestones),
		Users:           slices.Clone(c.Users),
	}
}

// Catalogue is all metadata and all users at one version. It never changes, so
// goroutines can share it. Its slices must not be modified.
type Catalogue struct {
	// Version is 0 for an empty store. Every Change with a metadata object or a user raises
	// it.
	Version ident.Version

	content         Content
	states          *collection[State]
	priorities      *collection[Priority]
	classifications *collection[Classification]
	components      *collection[Component]
	milestones      *collection[Milestone]
	users           *collection[user.User]
	kinds           map[Kind]objects        // the same by kind
	usersByEmail    map[string]*user.User   // by user.FoldEmail
	fullNames       map[ident.ID]string     // of components
	children        map[ident.ID][]ident.ID // of components
	previous        map[ident.ID][]ident.ID // of states

	fingerprinted sync.Once
	fingerprint   Fingerprint
}

// NewCatalogue returns the catalogue of the given content. It takes ownership of the
// content and sorts it: by order where there is one, then by name, then by identifier
// (D30).
func NewCatalogue(version ident.Version, content Content) *Catalogue {
	c := &Catalogue{Version: version, content: content}
	c.states = collect(States, content.States, stateMembers, func(o *State) key { return key{o.Order, o.Name, o.ID} })
	c.priorities = collect(Priorities, content.Priorities, priorityMembers, func(o *Priority) key { return key{o.Order, o.Name, o.ID} })
	c.classifications = collect(Classifications, content.Classifications, classificationMembers, func(o *Classification) key { return key{0, o.Name, o.ID} })
	c.components = collect(Components, content.Components, componentMembers, func(o *Component) key { return key{0, o.Name, o.ID} })
	c.milestones = collect(Milestones, content.Milestones, milestoneMembers, func(o *Milestone) key { return key{0, o.Name, o.ID} })
	c.users = collect(Users, content.Users, userMembers, func(o *user.User) key { return key{0, o.Name, o.ID} })
	c.kinds = map[Kind]objects{
		States:          c.states,
		Priorities:      c.priorities,
		Classifications: c.classifications,
		Components:      c.components,
		Milestones:      c.milestones,
		Users:           c.users,
	}
	c.usersByEmail = make(map[string]*user.User, len(content.Users))
	for i := range content.Users {
		u, folded := &content.Users[i], user.FoldEmail(content.Users[i].Email)
		// Stores of earlier versions may have an address in several forms: the first user stays.
		if first := c.usersByEmail[folded]; first == nil || u.ID.Compare(first.ID) < 0 {
			c.usersByEmail[folded] = u
		}
	}
	c.fullNames = make(map[ident.ID]string, len(content.Components))
	for _, o := range content.Components {
		c.fullNames[o.ID] = c.FullNameOf(o)
	}
	c.children = map[ident.ID][]ident.ID{}
	for _, o := range content.Components {
		if !o.Parent.IsNone() {
			c.children[o.Parent] = append(c.children[o.Parent], o.ID)
		}
	}
	c.previous = map[ident.ID][]ident.ID{}
	for _, o := range content.States {
		for _, next := range o.Next {
			c.previous[next] = append(c.previous[next], o.ID)
		}
	}
	return c
}

// FullNameOf returns the full name of a component in the given form, whether or not the
// catalogue has it: its name with the names of its parents there. A cycle of parents
// ends it too; the service never makes one.
func (c *Catalogue) FullNameOf(o Component) string {
	path := []string{o.Name}
	for parent, ok := c.Component(o.Parent); ok && len(path) <= len(c.content.Components); parent, ok = c.Component(parent.Parent) {
		path = append(path, parent.Name)
	}
	slices.Reverse(path)
	return strings.Join(path, "/")
}

// State returns the state with this identifier.
func (c *Catalogue) State(id ident.ID) (State, bool) { return c.states.find(id) }

// Priority returns the priority with this identifier.
func (c *Catalogue) Priority(id ident.ID) (Priority, bool) { return c.priorities.find(id) }

// Classification returns the classification with this identifier.
func (c *Catalogue) Classification(id ident.ID) (Classification, bool) {
	return c.classifications.find(id)
}

// Component returns the component with this identifier.
func (c *Catalogue) Component(id ident.ID) (Component, bool) { return c.components.find(id) }

// Milestone returns the milestone with this identifier.
func (c *Catalogue) Milestone(id ident.ID) (Milestone, bool) { return c.milestones.find(id) }

// User returns the user with this identifier.
func (c *Catalogue) User(id ident.ID) (user.User, bool) { return c.users.find(id) }

// UserByEmail returns the user with this e-mail address, compared as
// user.FoldEmail does.
func (c *Catalogue) UserByEmail(email string) (user.User, bool) {
	if p := c.usersByEmail[user.FoldEmail(email)]; p != nil {
		return *p, true
	}
	return user.User{}, false
}

// FullName returns a component's name with those of all its parents, from the root,
// joined by "/" (D2). It is empty for an unknown component.
func (c *Catalogue) FullName(component ident.ID) string { return c.fullNames[component] }

// Children returns the children of this component, by name. The slice is shared: not to
// be modified.
func (c *Catalogue) Children(component ident.ID) []ident.ID { return c.children[component] }

// Previous returns the states with a transition to this one, by order. The slice is
// shared: not to be modified.
func (c *Catalogue) Previous(state ident.ID) []ident.ID { return c.previous[state] }

// Content returns everything in the catalogue, each list by order, then name. It is
// shared: not to be modified.
func (c *Catalogue) Content() Content { return c.content }

// DefaultState returns the state of a new problem if the request names none: the first
// initial one (D1).
func (c *Catalogue) DefaultState() (State, bool) {
	i := slices.IndexFunc(c.content.States, func(s State) bool { return s.Initial })
	if i < 0 {
		return State{}, false
	}
	return c.content.States[i], true
}

// Name returns the name of an object of any kind. For a component this is not the full
// name. It is empty for an unknown object.
func (c *Catalogue) Name(kind Kind, id ident.ID) string {
	if objects, ok := c.kinds[kind]; ok {
		return objects.name(id)
	}
	return ""
}

// collection holds the objects of one kind.
type collection[T any] struct {
	kind    Kind
	ordered []T
	byID    map[ident.ID]*T
	key     func(*T) key
	members []member[T]
}

// key is the sort key of an object.
type key struct {
	order int
	name  string
	id    ident.ID
}

// collect sorts the objects in place and returns their collection.
func collect[T any](kind Kind, ordered []T, members []member[T], keyOf func(*T) key) *collection[T] {
	slices.SortFunc(ordered, func(a, b T) int {
		x, y := keyOf(&a), keyOf(&b)
		return cmp.Or(cmp.Compare(x.order, y.order), strings.Compare(x.name, y.name), x.id.Compare(y.id))
	})
	byID := make(map[ident.ID]*T, len(ordered))
	for i := range ordered {
		byID[keyOf(&ordered[i]).id] = &ordered[i]
	}
	return &collection[T]{kind, ordered, byID, keyOf, members}
}

func (c *collection[T]) find(id ident.ID) (object T, ok bool) {
	if p := c.byID[id]; p != nil {
		return *p, true
	}
	return object, false
}

func (c *collection[T]) name(id ident.ID) string {
	if p := c.byID[id]; p != nil {
		return c.key(p).name
	}
	return ""
}
