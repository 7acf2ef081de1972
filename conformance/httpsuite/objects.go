package httpsuite

import (
	"strconv"
	"strings"
)

// kind is a kind of metadata as clients meet it (D2, D30).
type kind struct {
	list    string   // the path
	field   string   // of a problem with one
	members []string // of an object as it is listed
	known   string   // the name of one on every server; empty: there may be none
}

var kinds = []kind{
	{"/states", "state", []string{"identifier", "name", "resolved", "initial", "order", "nextStates"}, "Open"},
	{"/priorities", "priority", []string{"identifier", "name", "order"}, "High"},
	{"/classifications", "classification", []string{"identifier", "name"}, "Task"},
	{"/components", "component", []string{"identifier", "name", "fullName", "closed", "successor", "parent"}, ""},
	{"/milestones", "milestone", []string{"identifier", "name", "component", "creationDate", "startDate", "endDate"}, ""},
}

// object is a metadata object of the case.
type object struct{ path, identifier, name string }

// part is the object as a partial one, as JSON text.
func (o object) part() string { return encode(map[string]any{"identifier": o.identifier}) }

// object makes a metadata object with a unique name, with the prefix and the given JSON
// members.
func (s *session) object(list, prefix string, members ...string) object {
	s.Helper()
	name := s.unique(prefix)
	a := s.admin.post(list, "{"+strings.Join(append([]string{`"name":` + encode(name)}, members...), ",")+"}").offered("D30").is(201)
	return object{list + "/" + a.text("/identifier"), a.text("/identifier"), name}
}

func (s *session) component(members ...string) object {
	s.Helper()
	return s.object("/components", "component", members...)
}

func (s *session) milestone(members ...string) object {
	s.Helper()
	return s.object("/milestones", "milestone", members...)
}

// listed returns the object of this name from the list.
func (s *session) listed(list, name string) map[string]any {
	s.Helper()
	for a := range s.admin.pages(list) {
		if o, ok := a.named("", name).(map[string]any); ok {
			return o
		}
	}
	s.Fatalf("GET %s does not list %q", list, name)
	return nil
}

// search searches a kind of metadata, or the users.
func (c *client) search(list, predicate string, parameters ...string) *answer {
	c.t.Helper()
	return c.get(lookup(list+"/search", append([]string{"predicate", predicate}, parameters...)...)).offered("D31").is(200).json()
}

// item points at a member of the i-th element of the array at the pointer.
func item(pointer string, i int, member string) string {
	return pointer + "/" + strconv.Itoa(i) + member
}
