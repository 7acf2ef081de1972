package links

import (
	"net/url"
	"slices"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
)

// Filters links values of problems to the lists of all problems that have them. It keeps
// the links of a page, because most values of a list repeat.
type Filters struct {
	// Catalogue has the objects of the values.
	Catalogue *metadata.Catalogue
	base      string
	within    url.Values // the parameters of the list that the values narrow; nil: there is none
	narrowed  string     // its predicate, to be followed by AND; empty: none
	conjuncts []check.Conjunct
	links     map[filterKey]string
	// shared counts the objects of each kind by Key. A kind is counted at its first link.
	shared map[metadata.Kind]map[string]int
}

type filterKey struct {
	field string
	id    ident.ID
}

// NewFilters returns links below the base path.
func NewFilters(base string, c *metadata.Catalogue) *Filters {
	return &Filters{Catalogue: c, base: base, links: map[filterKey]string{}, shared: map[metadata.Kind]map[string]int{}}
}

// Narrow makes the values narrow a list with these parameters, which include its predicate.
func (f *Filters) Narrow(list url.Values) {
	f.within = list
	f.conjuncts, _ = check.Conjuncts(list.Get("predicate")) // a wrong one has no rows
	if len(f.conjuncts) > 0 {
		f.narrowed = list.Get("predicate")
		if f.conjuncts[0].Loose {
			f.narrowed = "(" + f.narrowed + ")"
		}
	}
}

// Of returns the list of the problems with an object in a field; empty without an object.
func (f *Filters) Of(field string, id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	key := filterKey{field, id}
	link, ok := f.links[key]
	if !ok {
		link = f.list(f.Condition(field, id))
		f.links[key] = link
	}
	return link
}

// list returns the list of a condition, or what it leaves of the list around it.
func (f *Filters) list(condition string) string {
	switch {
	case f.within == nil:
		return List(f.base, condition)
	case slices.ContainsFunc(f.conjuncts, func(c check.Conjunct) bool { return c.Text == condition }):
		condition = f.within.Get("predicate")
	case f.narrowed != "":
		condition = f.narrowed + " AND " + condition
	}
	return f.base + "/problems" + Suffix(With(f.within, "predicate", condition))
}

// Name returns the name of an object in lists: of a component, the full one.
func (f *Filters) Name(kind metadata.Kind, id ident.ID) string {
	if kind == metadata.Components {
		return f.Catalogue.FullName(id)
	}
	return f.Catalogue.Name(kind, id)
}

// Member is what names the objects of a kind in predicates: their name, the full one of a
// component, or the address of a user.
func Member(kind metadata.Kind) string {
	switch kind {
	case metadata.Users:
		return "email"
	case metadata.Components:
		return "fullName"
	}
	return "name"
}

// Condition is the condition that a field has this object. It names the object by its Member,
// or by its identifier if it shares that with others.
func (f *Filters) Condition(field string, id ident.ID) string {
	kind := problem.FieldNamed(field).To
	key := f.Name(kind, id)
	if kind == metadata.Users {
		u, _ := f.Catalogue.User(id)
		key = u.Email
	}
	if f.count(kind)[key] > 1 {
		return field + ".identifier = " + predicate.Quote(id.String())
	}
	return field + "." + Member(kind) + " = " + predicate.Quote(key)
}

// count returns how many objects of a kind have each Key.
func (f *Filters) count(kind metadata.Kind) map[string]int {
	counts, ok := f.shared[kind]
	if !ok {
		counts = map[string]int{}
		for o := range forms.Objects(kind, f.Catalogue) {
			counts[o.Key]++
		}
		f.shared[kind] = counts
	}
	return counts
}

// longestNeedle is the greatest length of the value of a keyword in a predicate, in bytes.
const longestNeedle = 200

// Keyword returns the list of the problems with a keyword, and with its value unless that is
// long, or what they leave of the list around it.
func (f *Filters) Keyword(k problem.Keyword) string {
	name := "$k.name = " + predicate.Quote(k.Name)
	switch {
	case len(k.Name) > 2*longestNeedle:
		return ""
	case !k.Value.Valid || len(k.Value.String) > longestNeedle:
		return f.list("ANY keywords.name = " + predicate.Quote(k.Name))
	}
	return f.list("SUBQUERY(keywords, $k, " + name + " AND $k.value = " + predicate.Quote(k.Value.String) + ").@count > 0")
}
