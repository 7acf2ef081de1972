package forms

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// Keep is the value of an unchanged field in a change of many problems.
const Keep = "keep"

// mostOptions is how many objects a list to choose from has. Beyond, people type a name.
const mostOptions = 200

// Choice is a field with an object as its value.
type Choice struct {
	Field    string
	Label    string // key of the text
	Options  []Option
	Required bool   // has no empty value
	Value    string // the name of the selected object
	// Keep offers to leave the value as it is, and Cleared selects to clear it.
	Keep, Cleared bool
	// Typed is true when there are too many objects for a list: people type a name.
	Typed bool
	Place
}

// Option is an object to choose.
type Option struct {
	Value, Name string
	Selected    bool
}

func newChoice(field string, required bool, selected ident.ID) *choiceBuilder {
	return &choiceBuilder{Choice{Field: field, Label: "field." + field, Required: required}, selected}
}

// choiceBuilder collects the options of a choice.
type choiceBuilder struct {
	Choice
	selected ident.ID
}

func (b *choiceBuilder) add(id ident.ID, name string) {
	current := id == b.selected
	b.Options = append(b.Options, Option{id.String(), name, current})
	if current {
		b.Value = name
	}
}

func (b *choiceBuilder) done() Choice {
	b.Typed = len(b.Options) > mostOptions
	return b.Choice
}

func stateChoice(current ident.ID, isNew bool, c *metadata.Catalogue) Choice {
	from, known := c.State(current)
	if !known {
		from, _ = c.DefaultState()
	}
	b := newChoice("state", true, from.ID)
	for _, s := range c.Content().States {
		if s.ID == from.ID || isNew && s.Initial || !isNew && slices.Contains(from.Next, s.ID) {
			b.add(s.ID, s.Name)
		}
	}
	return b.done()
}

// Next returns the states that a problem can move to: the ones that resolve it first.
func Next(current ident.ID, c *metadata.Catalogue) (states []Option) {
	var others []Option
	for _, o := range stateChoice(current, false, c).Options {
		id, _ := ident.Parse(o.Value)
		switch s, _ := c.State(id); {
		case o.Selected:
		case s.Resolved:
			states = append(states, o)
		default:
			others = append(others, o)
		}
	}
	return append(states, others...)
}

// ObjectChoice offers the objects of a kind that are in use, and the current one.
func ObjectChoice(field string, kind metadata.Kind, current ident.ID, c *metadata.Catalogue) Choice {
	b := newChoice(field, false, current)
	for o := range Objects(kind, c) {
		if !o.Retired || o.ID == current {
			b.add(o.ID, o.Name)
		}
	}
	if kind == metadata.Components {
		slices.SortStableFunc(b.Options, func(a, b Option) int { return strings.Compare(a.Name, b.Name) })
	}
	return b.done()
}

// OwnFirst offers the reader of the page before all other users, by a text such as "Me".
func OwnFirst(choices []Choice, me ident.ID, text string) {
	for _, c := range choices {
		i := slices.IndexFunc(c.Options, func(o Option) bool { return o.Value == me.String() })
		if i < 0 || kindOf[c.Field] != metadata.Users {
			continue
		}
		own := c.Options[i]
		own.Name = text
		copy(c.Options[1:i+1], c.Options[:i])
		c.Options[0] = own
	}
}

// Sent returns the choice of a field with its sent value selected, whatever that is: people
// correct a wrong one. ok is false for a field without objects.
func Sent(field, value string, c *metadata.Catalogue) (choice Choice, ok bool) {
	kind, ok := kindOf[field]
	if !ok {
		return choice, false
	}
	id, _ := ident.Parse(value) // people may have typed a name
	choice = ObjectChoice(field, kind, id, c)
	f := problem.FieldNamed(field)
	choice.Required = field == "user" || f != nil && f.Required
	choice.Cleared = strings.TrimSpace(value) == ""
	if choice.Value == "" && value != Keep {
		choice.Select(value, value)
	}
	return choice, true
}

// NameOf returns the name of a sent value.
func (c Choice) NameOf(value string) string {
	for _, o := range c.Options {
		if o.Value == value {
			return o.Name
		}
	}
	return value
}

// Select selects a value, and offers it if need be: the service judges it anew.
func (c *Choice) Select(value, name string) {
	found := false
	for i := range c.Options {
		c.Options[i].Selected = c.Options[i].Value == value
		found = found || c.Options[i].Selected
	}
	if !found && value != "" && !c.Typed {
		c.Options = append(c.Options, Option{value, name, true})
	}
	c.Value = name
}
