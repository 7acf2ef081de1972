package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
)

// chip is a condition of a list, with the list without it.
type chip struct {
	// Label is the key of the text before the value; empty: Text is the condition as it is
	// written, or says all.
	Label   string
	Text    string
	Code    bool // Text is a condition of the query language
	Without string
}

// filter is a field of the form that narrows a list.
type filter struct {
	Field   string
	Typed   bool   // there are too many objects for a list: people type a name
	Value   string // the selected one, as Typed has it
	Options []forms.Option
}

// Values of filters beside the identifiers of objects. An empty one is no condition.
const (
	filterNone     = "none"
	filterMe       = "me"
	filterOpen     = "open"
	filterResolved = "resolved"
	// filterKept leaves conditions that the form cannot show as they are.
	filterKept = forms.Keep
)

var filterValues = []string{filterNone, filterMe, filterOpen, filterResolved, filterKept}

// flags are the conditions with a truth value that have a text of their own.
var flags = map[string]map[bool]string{
	"read":           {true: "filter.read", false: "filter.unread"},
	"watching":       {true: "filter.watching", false: "filter.not-watching"},
	"state.resolved": {true: "filter.resolved", false: "filter.open"},
}

// condition is a condition of the list as people see it.
type condition struct {
	check.Conjunct
	field string // the field of the form that shows it; empty: none
	value string // the value in the form
	// label and text are those of its chip; without them, it is shown as it is written.
	label, text string
}

// mostConditions is how many conditions a list shows one by one, and how many values of one: each
// chip has a link with all others, and each value is looked up.
const mostConditions = 20

// conditions explains the conditions of a predicate. It explains none of a wrong one, and takes
// more than mostConditions for a single one without an explanation.
func (q *request) conditions(text string, f *links.Filters) []condition {
	conjuncts, err := check.Conjuncts(text)
	if err != nil {
		return nil
	}
	if len(conjuncts) > mostConditions {
		return []condition{{Conjunct: check.Conjunct{Text: text}}}
	}
	all := make([]condition, len(conjuncts))
	for i, c := range conjuncts {
		all[i] = q.explained(c, f)
	}
	return all
}

// explained explains a condition with the objects of the catalogue.
func (q *request) explained(c check.Conjunct, f *links.Filters) condition {
	says := condition{Conjunct: c}
	if len(c.Values) == 1 {
		flag, ok := c.Values[0].(bool)
		if key := flags[c.Path][flag]; ok && key != "" && !c.Any {
			says.text = q.say(key)
			if field, _, found := strings.Cut(c.Path, "."); found {
				says.field, says.value = field, map[bool]string{true: filterResolved, false: filterOpen}[flag]
			}
			return says
		}
		if name, ok := c.Values[0].(string); ok && c.Any && c.Path == "keywords.name" {
			says.label, says.text = "filter.keyword", name
			return says
		}
	}
	name, member, _ := strings.Cut(c.Path, ".")
	field := problem.FieldNamed(name)
	if field == nil || c.Any {
		return says
	}
	label := "field." + name
	if field.To == "" {
		if len(c.Values) == 1 && c.Values[0] == nil {
			says.label, says.text = label, q.say("field.none")
		}
		return says
	}
	if isFilter := slices.Contains(forms.References, field); isFilter {
		says.field, says.value = name, filterKept
	}
	switch {
	case c.Caller && member == "identifier":
		says.value, says.text = filterMe, q.say("filter.me")
	case len(c.Values) == 1 && c.Values[0] == nil && (member == "" || member == "identifier"):
		says.value, says.text = filterNone, q.say("field.none")
	case len(c.Values) <= mostConditions:
		var names []string
		for _, value := range c.Values {
			key, ok := value.(string)
			o, found := objectOf(field.To, member, key, f.Catalogue)
			if !ok || !found {
				return says
			}
			names = append(names, o.Name)
			if len(c.Values) == 1 {
				says.value = o.ID.String()
			}
		}
		says.text = strings.Join(names, ", ")
	}
	if says.text != "" {
		says.label = label
	}
	return says
}

// objectOf returns the only object of a kind with this value of a member.
func objectOf(kind metadata.Kind, member, value string, c *metadata.Catalogue) (found forms.Object, ok bool) {
	for o := range forms.Objects(kind, c) {
		switch {
		case member == "identifier" && o.ID.String() == strings.ToLower(value):
			return o, true
		case member == links.Member(kind) && o.Key == value:
			if ok {
				return o, false // there are several
			}
			found, ok = o, true
		}
	}
	return found, ok
}

// narrow adds the chips of the predicate, and the form with more conditions.
func (v *listPage) narrow(q *request, c *metadata.Catalogue) {
	f := links.NewFilters(q.base, c)
	all := q.conditions(v.Predicate, f)
	for i, one := range all {
		rest := slices.Delete(slices.Clone(all), i, i+1)
		chip := chip{Label: one.label, Text: one.text, Without: v.listOf(q.base, joined(rest))}
		if one.text == "" {
			chip.Text, chip.Code = one.Text, true
		}
		v.Chips = append(v.Chips, chip)
	}
	if v.Query == "" && len(v.Chips) > 1 {
		v.Wider = v.Chips[len(v.Chips)-1].Without
	}
	for _, field := range forms.References {
		v.Filters = append(v.Filters, q.filter(field, all, c))
	}
}

// listOf returns the address of a list like this one with another predicate.
func (v *listPage) listOf(base, text string) string {
	to := links.With(v.Parameters, "query", "", "predicate", text, "sort", v.Sort)
	for _, c := range classics {
		if c.Predicate == text && (c.Sort == v.Sort || v.Sort == "") {
			to = links.With(to, "predicate", "", "query", c.Name, "sort", "")
		}
	}
	return base + v.Path + links.Suffix(to)
}

// joined returns the predicate of conditions.
func joined(all []condition) string {
	conjuncts := make([]check.Conjunct, len(all))
	for i, one := range all {
		conjuncts[i] = one.Conjunct
	}
	return check.Join(conjuncts...)
}

// filter returns the field of the form for a field of problems.
func (q *request) filter(field *problem.Field, all []condition, c *metadata.Catalogue) filter {
	current := chosenValue(field.Name, all)
	id, _ := ident.Parse(current)
	choice := forms.ObjectChoice(field.Name, field.To, id, c)
	f := filter{Field: field.Name, Typed: choice.Typed, Value: current}
	if choice.Value != "" {
		f.Value = choice.Value
	}
	offer := func(value, text string) {
		f.Options = append(f.Options, forms.Option{Value: value, Name: q.say(text), Selected: value == current})
	}
	offer("", "filter.any")
	if current == filterKept {
		offer(filterKept, "filter.kept")
	}
	switch field.To {
	case metadata.States:
		offer(filterOpen, "filter.all-open")
		offer(filterResolved, "filter.all-resolved")
	case metadata.Users:
		offer(filterMe, "filter.me")
	}
	if !field.Required {
		offer(filterNone, "field.none")
	}
	f.Options = append(f.Options, choice.Options...)
	return f
}

// chosenValue returns the value that the form has for a field: filterKept for conditions that it
// cannot show.
func chosenValue(field string, all []condition) (value string) {
	for _, one := range all {
		switch {
		case one.field != field:
		case value != "":
			return filterKept
		default:
			value = one.value
		}
	}
	return value
}

// filterProblems narrows a list by the values of the form: it leads to the list with the
// predicate. A field that still has the value of the list changes nothing.
func filterProblems(q *request) (answer, error) {
	asked := q.r.URL.Query()
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	sent := q.r.URL.Query()
	if err := forms.Identify(asked, q.catalogue); err != nil {
		return answer{}, err
	}
	for _, field := range forms.References { // an object may have the name of such a value
		if value := sent.Get(field.Name); slices.Contains(filterValues, value) {
			asked.Set(field.Name, value)
		}
	}
	v := listPage{Path: "/problems", Sort: asked.Get("sort"), Parameters: url.Values{}}
	for _, name := range []string{"title", "columns"} {
		if asked.Get(name) != "" {
			v.Parameters[name] = asked[name]
		}
	}
	if asked.Get("path") == boardPath {
		v.Path = boardPath
	}
	f := links.NewFilters(q.base, c)
	shown := asked.Get("predicate")
	if _, err := check.Conjuncts(shown); err != nil {
		return answer{to: v.listOf(q.base, shown)}, nil // the list says what is wrong with it
	}
	all := q.conditions(shown, f)
	for _, field := range forms.References {
		value := strings.TrimSpace(asked.Get(field.Name))
		if value == filterKept || value == chosenValue(field.Name, all) {
			continue
		}
		text := ""
		if value != "" {
			text = wanted(field.Name, value, f)
		}
		all = replaced(all, field.Name, text)
	}
	if name := strings.TrimSpace(asked.Get("keyword")); name != "" {
		text := "ANY keywords.name = " + predicate.Quote(name)
		if !slices.ContainsFunc(all, func(c condition) bool { return c.Text == text }) {
			all = append(all, condition{Conjunct: check.Conjunct{Text: text}})
		}
	}
	return answer{to: v.listOf(q.base, joined(all))}, nil
}

// wanted returns the condition of a value of the form.
func wanted(field, value string, f *links.Filters) string {
	switch value {
	case filterOpen:
		return "state.resolved = NO"
	case filterResolved:
		return "state.resolved = YES"
	case filterMe:
		return field + ".identifier = $ApiUser"
	case filterNone:
		return field + " = nil"
	}
	kind := problem.FieldNamed(field).To
	id, err := ident.Parse(value)
	switch {
	case err != nil:
		return field + "." + links.Member(kind) + " = " + predicate.Quote(value)
	case f.Name(kind, id) == "": // an object that is gone, or never was
		return field + ".identifier = " + predicate.Quote(value)
	}
	return f.Condition(field, id)
}

// replaced puts a condition in the place of those of a field, or takes these away.
func replaced(all []condition, field, text string) (next []condition) {
	for _, one := range all {
		if one.field != field {
			next = append(next, one)
			continue
		}
		if text != "" {
			next = append(next, condition{Conjunct: check.Conjunct{Text: text}})
			text = ""
		}
	}
	if text != "" {
		next = append(next, condition{Conjunct: check.Conjunct{Text: text}})
	}
	return next
}
