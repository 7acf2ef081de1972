package web

import (
	"net/url"

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

// listOf returns the address of the list of a predicate.
func listOf(base, predicate string) string {
	return base + "/problems?" + url.Values{"predicate": {predicate}}.Encode()
}

// of returns the list of the problems with an object in a field; empty without an object.
func (f *filters) of(field string, id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	key := filterKey{field, id}
	link, ok := f.links[key]
	if !ok {
		link = listOf(f.base, f.predicate(field, id))
		f.links[key] = link
	}
	return link
}

// predicate names the object by what people know: its name, or the address of a user. It has
// the identifier of an object that shares its name.
func (f *filters) predicate(field string, id ident.ID) string {
	all, member := f.catalogue.Content(), "name"
	names := map[ident.ID]string{}
	switch field {
	case "state":
		for _, o := range all.States {
			names[o.ID] = o.Name
		}
	case "priority":
		for _, o := range all.Priorities {
			names[o.ID] = o.Name
		}
	case "classification":
		for _, o := range all.Classifications {
			names[o.ID] = o.Name
		}
	case "milestone":
		for _, o := range all.Milestones {
			names[o.ID] = o.Name
		}
	case "component":
		member = "fullName"
		for _, o := range all.Components {
			names[o.ID] = f.catalogue.FullName(o.ID)
		}
	default: // the address of a user is one user's
		u, _ := f.catalogue.User(id)
		return field + ".email = " + quote(u.Email)
	}
	for other, name := range names {
		if other != id && name == names[id] {
			return field + ".identifier = " + quote(id.String())
		}
	}
	return field + "." + member + " = " + quote(names[id])
}

// longestNeedle is the greatest length of the value of a keyword in a predicate, in bytes.
const longestNeedle = 200

// keyword returns the list of the problems with a keyword, and with its value unless that is
// long.
func (f *filters) keyword(k problem.Keyword) string {
	name := "$k.name = " + quote(k.Name)
	switch {
	case len(k.Name) > 2*longestNeedle:
		return ""
	case !k.Value.Valid || len(k.Value.String) > longestNeedle:
		return listOf(f.base, "ANY keywords.name = "+quote(k.Name))
	}
	return listOf(f.base, "SUBQUERY(keywords, $k, "+name+" AND $k.value = "+quote(k.Value.String)+").@count > 0")
}

// fact is a value of a problem with the list of all problems that have it.
type fact struct {
	Label, Text, To string
}

// facts returns the fields of a problem that have a value, without its state.
func (f *filters) facts(p problem.Fields) (facts []fact) {
	c := f.catalogue
	for _, one := range []struct {
		field, text string
		id          ident.ID
	}{
		{"priority", c.Name(metadata.Priorities, p.Priority), p.Priority}, {"assignee", c.Name(metadata.Users, p.Assignee), p.Assignee},
		{"component", c.FullName(p.Component), p.Component}, {"milestone", c.Name(metadata.Milestones, p.Milestone), p.Milestone},
		{"classification", c.Name(metadata.Classifications, p.Classification), p.Classification},
	} {
		if !one.id.IsNone() {
			facts = append(facts, fact{"field." + one.field, one.text, f.of(one.field, one.id)})
		}
	}
	return facts
}
