package pages

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Reference is an OpenAPI document to be shown, with what the document lacks for that. All
// its references have to lead somewhere.
type Reference struct {
	*huma.OpenAPI
	// Server is the address of the service for the examples, such as
	// "https://example.org". The path of the API follows it.
	Server string
	// Order are the identifiers of the operations in the order of each group. Others follow.
	Order []string
	// Asked are the names of the parameters in the query of the example of an operation,
	// by its identifier. The required ones are in it anyway.
	Asked map[string][]string
}

// Reference returns the page about the operations of a document.
func (s Site) Reference(r Reference) ([]byte, error) {
	view, err := r.view()
	if err != nil {
		return nil, err
	}
	return s.render("reference", "HTTP API", ReferencePath, view)
}

// reference is the view of a document.
type reference struct {
	Name, Version string
	About         template.HTML
	API           string // its address
	Token         template.HTML
	Groups        []group
	Schemas       []schema
	Headers       []member
	Failure       string // an example of an error
}

// group has the operations of a tag.
type group struct {
	Name, Anchor string
	About        template.HTML
	More         *huma.ExternalDocs
	Operations   []operation
}

// view returns the view of the document. The groups are in the order of the tags.
func (r Reference) view() (reference, error) {
	view := reference{Name: r.Info.Title, Version: r.Info.Version, API: strings.TrimSuffix(r.Server, "/") + r.base(), Failure: r.failure()}
	var err error
	if view.About, err = toHTML(r.Info.Description); err != nil {
		return view, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Components.SecuritySchemes)) {
		if view.Token, err = toHTML(r.Components.SecuritySchemes[name].Description); err != nil {
			return view, err
		}
	}
	operations := r.operations()
	for _, tag := range r.Tags {
		g := group{Name: tag.Name, Anchor: "group-" + anchor(tag.Name), More: tag.ExternalDocs}
		if g.About, err = toHTML(tag.Description); err != nil {
			return view, err
		}
		for _, op := range operations {
			if !slices.Contains(op.Tags, tag.Name) {
				continue
			}
			shown, err := r.operation(op)
			if err != nil {
				return view, err
			}
			g.Operations = append(g.Operations, shown)
		}
		view.Groups = append(view.Groups, g)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Components.Schemas.Map())) {
		shown, err := r.schema(name)
		if err != nil {
			return view, err
		}
		view.Schemas = append(view.Schemas, shown)
	}
	view.Headers, err = r.headers()
	return view, err
}

// base returns the path before those of all operations.
func (r Reference) base() string {
	if len(r.Servers) == 0 {
		return ""
	}
	return r.Servers[0].URL
}

// operations returns all operations in their order.
func (r Reference) operations() []*huma.Operation {
	var all []*huma.Operation
	for _, path := range slices.Sorted(maps.Keys(r.Paths)) {
		item := r.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	place := map[string]int{}
	for i, id := range r.Order {
		place[id] = i - len(r.Order) // below that of others
	}
	slices.SortStableFunc(all, func(a, b *huma.Operation) int { return cmp.Compare(place[a.OperationID], place[b.OperationID]) })
	return all
}

// failure returns the first of the examples that are common to several answers.
func (r Reference) failure() string {
	for _, name := range slices.Sorted(maps.Keys(r.Components.Examples)) {
		return layOut(r.Components.Examples[name].Value)
	}
	return ""
}

// headers returns the headers of answers, by name.
func (r Reference) headers() ([]member, error) {
	names := map[string]string{} // by key: only answers have the names
	for _, op := range r.operations() {
		for _, response := range op.Responses {
			for name, header := range response.Headers {
				names[last(header.Ref)] = name
			}
		}
	}
	var all []member
	for key, header := range r.Components.Headers {
		about, err := toHTML(header.Description)
		if err != nil {
			return nil, err
		}
		all = append(all, member{Name: names[key], Kind: kindOf(header.Schema), About: about, Example: literal(header.Example)})
	}
	slices.SortFunc(all, func(a, b member) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return all, nil
}

// anchor returns a name as a part of an address.
func anchor(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, name)
}

// last returns the name at the end of a reference.
func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
