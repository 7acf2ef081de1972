package links

import (
	"net/url"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// Filters links values of problems to the lists of all problems that have them. It keeps
// the links of a page, because most values of a list repeat.
type Filters struct {
	// Catalogue has the objects of the values.
	Catalogue *metadata.Catalogue
	// Within, if not nil, are the parameters of a list, with its predicate: its values narrow it.
	Within url.Values
	base   string
	links  map[filterKey]string
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

// Of returns the list of the problems with an object in a field; empty without an object.
func (f *Filters) Of(field string, id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	key := filterKey{field, id}
	link, ok := f.links[key]
	if !ok {
		link = f.list(f.predicate(field, id))
		f.links[key] = link
	}
	return link
}

// list returns the list of a predicate, or what it leaves of the list around it.
func (f *Filters) list(predicate string) string {
	if f.Within == nil {
		return List(f.base, predicate)
	}
	return f.base + "/problems" + Suffix(With(f.Within, "predicate", And(f.Within.Get("predicate"), predicate)))
}

// Name returns the name of an object in lists: of a component, the full one.
func (f *Filters) Name(kind metadata.Kind, id ident.ID) string {
	if kind == metadata.Components {
		return f.Catalogue.FullName(id)
	}
	return f.Catalogue.Name(kind, id)
}

// predicate names the object by what people know: its name, or the address of a user. It has
// the identifier of an object that shares its name.
func (f *Filters) predicate(field string, id ident.ID) string {
	kind := problem.FieldNamed(field).To
	if kind == metadata.Users { // the address of a user is one user's
		u, _ := f.Catalogue.User(id)
		return field + ".email = " + Quote(u.Email)
	}
	member, key := "name", f.Name(kind, id)
	if kind == metadata.Components {
		member = "fullName"
	}
	if f.count(kind)[key] > 1 {
		return field + ".identifier = " + Quote(id.String())
	}
	return field + "." + member + " = " + Quote(key)
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
// long.
func (f *Filters) Keyword(k problem.Keyword) string {
	name := "$k.name = " + Quote(k.Name)
	switch {
	case len(k.Name) > 2*longestNeedle:
		return ""
	case !k.Value.Valid || len(k.Value.String) > longestNeedle:
		return List(f.base, "ANY keywords.name = "+Quote(k.Name))
	}
	return List(f.base, "SUBQUERY(keywords, $k, "+name+" AND $k.value = "+Quote(k.Value.String)+").@count > 0")
}

// Fact is a value of a problem with the list of all problems that have it.
type Fact struct {
	Label    string // key of the text
	Text, To string
}

// Facts returns the fields of a problem that have a value, without its state.
func (f *Filters) Facts(p problem.Fields) (facts []Fact) {
	for _, field := range forms.References {
		id := *field.ClientReference(&p)
		if id.IsNone() || field.Name == "state" {
			continue
		}
		facts = append(facts, Fact{"field." + field.Name, f.Name(field.To, id), f.Of(field.Name, id)})
	}
	return facts
}
