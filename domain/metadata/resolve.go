package metadata

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

// Resolve returns the one object of a kind with all the given members of a partial (D3).
// If the partial has the identifier, Resolve compares only name and email beside it. So
// an earlier copy of an object still resolves after a change of other members.
//
// Faults are fault.InvalidType, fault.InvalidValue for a text unusable as a name, and
// fault.UnknownField. Without any of these, they are fault.MetadataNotFound or
// fault.MetadataAmbiguous. Their locations start with the given one; they are in the
// order of the member names.
func (c *Catalogue) Resolve(kind Kind, partial Partial, where fault.Location) (ident.ID, fault.List) {
	r := &reader{catalogue: c}
	q := c.kinds[kind].read(r, partial, where)
	if len(r.faults) > 0 {
		return ident.None, r.faults
	}
	members := partial.(Members)
	found := c.matches(kind, members, q)
	switch {
	case len(members) == 0:
		r.faults.Add(fault.MetadataAmbiguous, where, "must identify one %s by a member, such as its name; %s", kind, c.candidates(kind, found))
	case len(found) > 1:
		r.faults.Add(fault.MetadataAmbiguous, where, "must identify one %s, but %s", kind, c.candidates(kind, found))
	case len(found) == 0:
		r.faults.Add(fault.MetadataNotFound, where, "no %s has all the members given%s", kind, c.choice(kind))
	default:
		return found[0], nil
	}
	return ident.None, r.faults
}

// matches returns the matching objects. It does not look at all of them if the partial
// has a unique member.
func (c *Catalogue) matches(kind Kind, partial Members, q query) []ident.ID {
	if s, ok := partial["identifier"].(Text); ok {
		id, _ := ident.Parse(string(s))
		return fitting(q, id)
	}
	if s, ok := partial["email"].(Text); ok {
		email, _ := anyName.Apply(string(s)) // its test has checked the text already
		u, _ := c.UserByEmail(email)
		return fitting(q, u.ID)
	}
	return q.all()
}

func fitting(q query, id ident.ID) []ident.ID {
	if q.fits(id) {
		return []ident.ID{id}
	}
	return nil
}

// maxListed is the greatest number of objects in an error.
const maxListed = 10

// candidates describes the matching objects: their number, and the names of the first.
func (c *Catalogue) candidates(kind Kind, found []ident.ID) string {
	if len(found) == 0 {
		return "there is none"
	}
	var names []string
	for _, id := range found[:min(maxListed, len(found))] {
		names = append(names, fmt.Sprintf("%s (%s)", c.distinctName(kind, id), id))
	}
	if len(found) > maxListed {
		names = append(names, "…")
	}
	return fmt.Sprintf("%d match: %s", len(found), strings.Join(names, ", "))
}

// choice lists the objects of a kind by name (D2), if they are few.
func (c *Catalogue) choice(kind Kind) string {
	var names []string
	for _, id := range c.kinds[kind].all() {
		u, _ := c.User(id)
		o, _ := c.Component(id)
		if u.Inactive || o.Closed {
			continue
		}
		if len(names) == maxListed {
			return ""
		}
		names = append(names, c.distinctName(kind, id))
	}
	if len(names) == 0 {
		return "; there are none"
	}
	return "; known: " + strings.Join(names, ", ")
}

// distinctName is the name of an object; for a component it is the full name, or the end of
// a long one.
func (c *Catalogue) distinctName(kind Kind, id ident.ID) string {
	if kind != Components {
		return c.Name(kind, id)
	}
	full := c.FullName(id)
	if name := []rune(full); len(name) > text.Name.Max {
		return "…" + string(name[len(name)-text.Name.Max:])
	}
	return full
}

// reader reads one partial with all partials inside it, and collects their faults.
type reader struct {
	catalogue *Catalogue
	faults    fault.List
}

// nested reads a partial inside another. It tests each object once, however often the
// caller needs the result. Otherwise deeply nested partials would take exponential work,
// as each set of states can lead to the others.
func (r *reader) nested(kind Kind, partial Partial, where fault.Location) func(ident.ID) bool {
	q := r.catalogue.kinds[kind].read(r, partial, where)
	known := make(map[ident.ID]bool)
	return func(id ident.ID) bool {
		fits, ok := known[id]
		if !ok {
			fits = q.fits(id)
			known[id] = fits
		}
		return fits
	}
}

// objects is a collection of any type. As an interface, it also lets members refer to
// kinds with references to each other.
type objects interface {
	name(ident.ID) string
	all() []ident.ID // in the order of the catalogue
	read(r *reader, partial Partial, where fault.Location) query
}

// query is a parsed partial. After faults, it has no meaning.
type query interface {
	fits(ident.ID) bool // false for unknown objects
	all() []ident.ID    // all matches, in the order of the catalogue
}

// conditions is the query for objects of type T. They must pass all tests.
type conditions[T any] struct {
	of    *collection[T]
	tests []test[T]
}

func (c *collection[T]) read(r *reader, partial Partial, where fault.Location) query {
	given, ok := partial.(Members)
	if !ok {
		r.faults.Add(fault.InvalidType, where, "must be an object with members of a %s: %s", c.kind, c.memberNames())
		return nil
	}
	_, identified := given["identifier"]
	q := conditions[T]{of: c}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := where.Member(name)
		i := slices.IndexFunc(c.members, func(m member[T]) bool { return m.name == name })
		if i < 0 {
			c.refuse(r, name, at)
			continue
		}
		passes := c.members[i].read(r, given[name], at)
		if !identified || name == "identifier" || name == "name" || name == "email" {
			q.tests = append(q.tests, passes)
		}
	}
	return q
}

// refuse reports a member unknown to objects of this kind.
func (c *collection[T]) refuse(r *reader, name string, where fault.Location) {
	hint := ""
	for _, m := range c.members {
		if strings.EqualFold(m.name, name) {
			hint = fmt.Sprintf(" (did you mean %q?)", m.name)
		}
	}
	r.faults.Add(fault.UnknownField, where, "a %s has no such member%s, only %s", c.kind, hint, c.memberNames())
}

func (c *collection[T]) memberNames() string {
	names := make([]string, len(c.members))
	for i, m := range c.members {
		names[i] = m.name
	}
	return strings.Join(names, ", ")
}

func (q conditions[T]) fits(id ident.ID) bool {
	o := q.of.byID[id]
	return o != nil && q.pass(o)
}

func (c *collection[T]) all() []ident.ID { return conditions[T]{of: c}.all() }

func (q conditions[T]) all() []ident.ID {
	var ids []ident.ID
	for i := range q.of.ordered {
		if o := &q.of.ordered[i]; q.pass(o) {
			ids = append(ids, q.of.key(o).id)
		}
	}
	return ids
}

func (q conditions[T]) pass(o *T) bool {
	for _, passes := range q.tests {
		if !passes(o) {
			return false
		}
	}
	return true
}
