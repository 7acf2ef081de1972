package session

import (
	"strconv"
	"strings"
)

// Kind is a kind of metadata as clients meet it (D2, D30).
type Kind struct {
	List    string   // the path
	Field   string   // of a problem with one
	Members []string // of an object as it is listed
	Known   string   // the name of one on every server; empty: there may be none
}

// Kinds are the kinds of metadata in the order of D2.
var Kinds = []Kind{
	{"/states", "state", []string{"identifier", "name", "resolved", "initial", "order", "nextStates"}, "Open"},
	{"/priorities", "priority", []string{"identifier", "name", "order"}, "High"},
	{"/classifications", "classification", []string{"identifier", "name"}, "Task"},
	{"/components", "component", []string{"identifier", "name", "fullName", "closed", "successor", "parent"}, ""},
	{"/milestones", "milestone", []string{"identifier", "name", "component", "creationDate", "startDate", "endDate"}, ""},
}

// Object is a metadata object of the case.
type Object struct{ Path, Identifier, Name string }

// Part is the object as a partial one, as JSON text.
func (o Object) Part() string { return Encode(map[string]any{"identifier": o.Identifier}) }

// Object makes a metadata object with a unique name, with the prefix and the given JSON
// members.
func (s *Session) Object(list, prefix string, members ...string) Object {
	s.Helper()
	name := s.Unique(prefix)
	a := s.Admin.Post(list, "{"+strings.Join(append([]string{`"name":` + Encode(name)}, members...), ",")+"}").Offered("D30").Is(201)
	return Object{list + "/" + a.Text("/identifier"), a.Text("/identifier"), name}
}

// Component makes a component with the given JSON members beside its name.
func (s *Session) Component(members ...string) Object {
	s.Helper()
	return s.Object("/components", "component", members...)
}

// Milestone makes a milestone with the given JSON members beside its name.
func (s *Session) Milestone(members ...string) Object {
	s.Helper()
	return s.Object("/milestones", "milestone", members...)
}

// Listed returns the object of this name from the list.
func (s *Session) Listed(list, name string) map[string]any {
	s.Helper()
	for a := range s.Admin.Pages(list) {
		if o, ok := a.Named("", name).(map[string]any); ok {
			return o
		}
	}
	s.Fatalf("GET %s does not list %q", list, name)
	return nil
}

// Search searches a kind of metadata, or the users.
func (c *Client) Search(list, predicate string, parameters ...string) *Answer {
	c.T.Helper()
	return c.Get(Lookup(list+"/search", append([]string{"predicate", predicate}, parameters...)...)).Offered("D31").Is(200).JSON()
}

// item points at a member of the i-th element of the array at the pointer.
func item(pointer string, i int, member string) string {
	return pointer + "/" + strconv.Itoa(i) + member
}
