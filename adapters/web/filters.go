package web

import (
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// filters links values of problems to the lists of all problems that have them. It keeps
// the links of a page, because most values of a list repeat.
type filters struct {
	base      string
	catalogue *metadata.Catalogue
	links     map[filterKey]string
}

type filterKey struct {
	field string
	id    ident.ID
}

func newFilters(base string, c *metadata.Catalogue) *filters {
	return &filters{base, c, map[filterKey]string{}}
}

// of returns the list of the problems with an object in a field; empty without an object.
func (f *filters) of(field string, id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	key := filterKey{field, id}
	link, ok := f.links[key]
	if !ok {
		link = links.List(f.base, f.predicate(field, id))
		f.links[key] = link
	}
	return link
}

// name returns the name of an object in lists: of a component, the full one.
func (f *filters) name(kind metadata.Kind, id ident.ID) string {
	if kind == metadata.Components {
		return f.catalogue.FullName(id)
	}
	return f.catalogue.Name(kind, id)
}

// predicate names the object by what people know: its name, or the address of a user. It has
// the identifier of an object that shares its name.
func (f *filters) predicate(field string, id ident.ID) string {
	kind := problem.FieldNamed(field).To
	if kind == metadata.Users { // the address of a user is one user's
		u, _ := f.catalogue.User(id)
		return field + ".email = " + links.Quote(u.Email)
	}
	member, key := "name", f.name(kind, id)
	if kind == metadata.Components {
		member = "fullName"
	}
	for other := range forms.Objects(kind, f.catalogue) {
		if other.ID != id && other.Key == key {
			return field + ".identifier = " + links.Quote(id.String())
		}
	}
	return field + "." + member + " = " + links.Quote(key)
}

// longestNeedle is the greatest length of the value of a keyword in a predicate, in bytes.
const longestNeedle = 200

// keyword returns the list of the problems with a keyword, and with its value unless that is
// long.
func (f *filters) keyword(k problem.Keyword) string {
	name := "$k.name = " + links.Quote(k.Name)
	switch {
	case len(k.Name) > 2*longestNeedle:
		return ""
	case !k.Value.Valid || len(k.Value.String) > longestNeedle:
		return links.List(f.base, "ANY keywords.name = "+links.Quote(k.Name))
	}
	return links.List(f.base, "SUBQUERY(keywords, $k, "+name+" AND $k.value = "+links.Quote(k.Value.String)+").@count > 0")
}

// fact is a value of a problem with the list of all problems that have it.
type fact struct {
	Label, Text, To string
}

// facts returns the fields of a problem that have a value, without its state.
func (f *filters) facts(p problem.Fields) (facts []fact) {
	for _, field := range forms.References {
		id := *field.ClientReference(&p)
		if id.IsNone() || field.Name == "state" {
			continue
		}
		facts = append(facts, fact{"field." + field.Name, f.name(field.To, id), f.of(field.Name, id)})
	}
	return facts
}
