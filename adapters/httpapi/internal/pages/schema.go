package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schema is the view of a schema with a name.
type schema struct {
	Name    string
	Kind    []word // of a choice
	About   template.HTML
	Members []member
	// Closed is whether other members are refused.
	Closed bool
}

// member is a member of an object, a parameter or a header.
type member struct {
	Name string
	// In is the place of a parameter: path, query or header.
	In string
	// Kind is the type.
	Kind []word
	// Facts are limits of the values, such as "at least 1".
	Facts []string
	// Values are all values that are possible; none: there are others.
	Values             []string
	Required, ReadOnly bool
	About              template.HTML
	Example            string
}

// word is a part of the words for a type.
type word struct {
	Text string
	// Schema is whether the text is the name of a schema.
	Schema bool
}

// schema returns the view of the schema with a name.
func (r Reference) schema(name string) (schema, error) {
	s := r.Components.Schemas.Map()[name]
	shown := schema{Name: name, Closed: s.AdditionalProperties == false}
	if len(s.AnyOf) > 0 {
		shown.Kind = kindOf(s)
	}
	var err error
	if shown.About, err = toHTML(s.Description); err == nil {
		shown.Members, err = membersOf(s)
	}
	return shown, err
}

// resolve returns a schema in place of a reference.
func (r Reference) resolve(s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		return r.Components.Schemas.Map()[last(s.Ref)]
	}
	return s
}

// membersOf returns the members of an object: the required ones, then the others by name.
func membersOf(s *huma.Schema) ([]member, error) {
	var all []member
	for _, name := range slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(s, a), place(s, b)), strings.Compare(a, b))
	}) {
		of := s.Properties[name]
		about, err := toHTML(of.Description)
		if err != nil {
			return nil, err
		}
		facts, values := factsOf(of)
		all = append(all, member{Name: name, Kind: kindOf(of), Facts: facts, Values: values, Required: slices.Contains(s.Required, name), ReadOnly: of.ReadOnly, About: about})
	}
	return all, nil
}

// place returns the place of a member among the required ones.
func place(s *huma.Schema, name string) int {
	if i := slices.Index(s.Required, name); i >= 0 {
		return i
	}
	return len(s.Required)
}

// kindOf returns the type of a schema in words, such as "array of Keyword".
func kindOf(s *huma.Schema) []word {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return []word{{last(s.Ref), true}}
	case len(s.AnyOf) > 0:
		var words []word
		for i, of := range s.AnyOf {
			if i > 0 {
				words = append(words, word{Text: " or "})
			}
			words = append(words, kindOf(of)...)
		}
		return words
	case s.Type == huma.TypeArray:
		words := append([]word{{Text: "array of "}}, kindOf(s.Items)...)
		return orNull(words, s)
	case s.Type == "":
		return []word{{Text: "any value"}}
	}
	kind := s.Type
	if name, ok := formats[s.Format]; ok {
		kind = name
	}
	return orNull([]word{{Text: kind}}, s)
}

// formats are the names of types with a format. The sizes of numbers are no formats to
// readers: their limits say more.
var formats = map[string]string{"date-time": "date and time", "uuid": "UUID", "uri": "URI", "uri-reference": "URI reference", "email": "e-mail address"}

func orNull(words []word, s *huma.Schema) []word {
	if s.Nullable {
		return append(words, word{Text: " or null"})
	}
	return words
}

// factsOf returns the limits of the values of a schema, and the values that are possible
// when these are few.
func factsOf(s *huma.Schema) (facts, values []string) {
	if s == nil {
		return nil, nil
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		facts = append(facts, number(*s.Minimum)+" to "+number(*s.Maximum))
	case s.Minimum != nil:
		facts = append(facts, "at least "+number(*s.Minimum))
	case s.Maximum != nil:
		facts = append(facts, "at most "+number(*s.Maximum))
	}
	facts = append(facts, span(s.MinLength, s.MaxLength, "characters")...)
	facts = append(facts, span(s.MinItems, s.MaxItems, "elements")...)
	if s.Pattern != "" {
		facts = append(facts, "of the pattern "+s.Pattern)
	}
	if s.Default != nil {
		facts = append(facts, fmt.Sprintf("default %s", literal(s.Default)))
	}
	for _, v := range s.Enum {
		values = append(values, literal(v))
	}
	return facts, values
}

// span says how many of something there can be.
func span(least, most *int, of string) []string {
	switch {
	case least != nil && most != nil:
		return []string{fmt.Sprintf("%d to %d %s", *least, *most, of)}
	case least != nil:
		return []string{fmt.Sprintf("at least %d %s", *least, of)}
	case most != nil:
		return []string{fmt.Sprintf("at most %d %s", *most, of)}
	}
	return nil
}
