package web

import (
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

// mostOptions is how many objects a list to choose from has. Beyond, people type a name.
const mostOptions = 200

// edit is the form of the fields of a problem.
type edit struct {
	Revision int64     // of the values; 0: of a new problem
	Texts    []textBox // the first is the title
	Choices  []choice
}

// textBox is a field with a text as its value, in a form.
type textBox struct {
	Field    string
	Label    string // key of the text
	Value    string
	Required bool
	Most     int  // characters; 0: no bound
	Long     bool // has several lines
	// Heading is true for the field in the heading of a problem's page.
	Heading bool
	// Focus puts the cursor there when the page opens.
	Focus bool
	// Keep offers to leave the value as it is.
	Keep bool
}

// choice is a field with an object as its value.
type choice struct {
	Field    string
	Label    string // key of the text
	Options  []option
	Required bool   // has no empty value
	Value    string // the name of the selected object
	// Keep offers to leave the value as it is.
	Keep bool
	// Typed is true when there are too many objects for a list: people type a name.
	Typed bool
}

type option struct {
	Value, Name string
	Selected    bool
}

// newEdit returns the form with these values. It offers the possible next states.
func newEdit(f problem.Fields, revision int64, c *metadata.Catalogue) edit {
	return edit{Revision: revision, Texts: textBoxes(f), Choices: []choice{
		stateChoice(f.State, revision == 0, c),
		prioritiesChoice(f.Priority, c),
		usersFor("assignee", f.Assignee, c),
		componentsChoice("component", f.Component, c),
		milestonesChoice(f.Milestone, c),
		classificationsChoice(f.Classification, c),
	}}
}

// textBoxes returns all texts set by people, with these values.
func textBoxes(fields problem.Fields) (boxes []textBox) {
	for _, f := range problem.ClientFields() {
		if f.Kind == problem.TextField {
			boxes = append(boxes, newTextBox(f, *f.ClientText(&fields)))
		}
	}
	return boxes
}

func newTextBox(f *problem.Field, value string) textBox {
	return textBox{Field: f.Name, Label: "field." + f.Name, Value: value, Required: f.Required, Most: f.Rule.Max, Long: !f.Rule.Line, Heading: f.Name == "title"}
}

func newChoice(field string, required bool, selected ident.ID) *choiceBuilder {
	return &choiceBuilder{choice{Field: field, Label: "field." + field, Required: required}, selected}
}

// choiceBuilder collects the options of a choice.
type choiceBuilder struct {
	choice
	selected ident.ID
}

func (b *choiceBuilder) add(id ident.ID, name string) {
	current := id == b.selected
	b.Options = append(b.Options, option{id.String(), name, current})
	if current {
		b.Value = name
	}
}

func (b *choiceBuilder) done() choice {
	b.Typed = len(b.Options) > mostOptions
	return b.choice
}

func stateChoice(current ident.ID, isNew bool, c *metadata.Catalogue) choice {
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

func prioritiesChoice(current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice("priority", false, current)
	for _, p := range c.Content().Priorities {
		b.add(p.ID, p.Name)
	}
	return b.done()
}

func classificationsChoice(current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice("classification", false, current)
	for _, k := range c.Content().Classifications {
		b.add(k.ID, k.Name)
	}
	return b.done()
}

func componentsChoice(field string, current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice(field, false, current)
	for _, o := range c.Content().Components {
		if !o.Closed || o.ID == current {
			b.add(o.ID, c.FullName(o.ID))
		}
	}
	slices.SortStableFunc(b.Options, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	return b.done()
}

func milestonesChoice(current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice("milestone", false, current)
	for _, m := range c.Content().Milestones {
		b.add(m.ID, milestoneName(m, c))
	}
	return b.done()
}

// milestoneName returns the name of a milestone, with its component.
func milestoneName(m metadata.Milestone, c *metadata.Catalogue) string {
	if m.Component.IsNone() {
		return m.Name
	}
	return m.Name + " (" + c.FullName(m.Component) + ")"
}

// usersChoice returns the active users, for watching.
func usersChoice(current ident.ID, c *metadata.Catalogue) choice { return usersFor("user", current, c) }

func usersFor(field string, current ident.ID, c *metadata.Catalogue) choice {
	b := newChoice(field, false, current)
	for u, name := range usersByName(c) {
		if !u.Inactive || u.ID == current {
			b.add(u.ID, name)
		}
	}
	return b.done()
}

// usersByName returns all users with their names, and with the address where several have
// the same name.
func usersByName(c *metadata.Catalogue) iter.Seq2[user.User, string] {
	return func(yield func(user.User, string) bool) {
		names := map[string]int{}
		for _, u := range c.Content().Users {
			names[u.Name]++
		}
		for _, u := range c.Content().Users {
			name := u.Name
			if names[name] > 1 {
				name += " (" + u.Email + ")"
			}
			if !yield(u, name) {
				return
			}
		}
	}
}

// named returns the object that a form shows under this name. There is none when the name
// is unknown, or that of several.
func named(field, name string, c *metadata.Catalogue) (found ident.ID) {
	shown := 0
	add := func(id ident.ID, as string) {
		if as == name {
			found = id
			shown++
		}
	}
	switch field {
	case "assignee", "user":
		for u, as := range usersByName(c) {
			add(u.ID, as)
		}
	case "component", "parent", "successor":
		for _, o := range c.Content().Components {
			add(o.ID, c.FullName(o.ID))
		}
	case "milestone":
		for _, m := range c.Content().Milestones {
			add(m.ID, milestoneName(m, c))
		}
	}
	if shown != 1 {
		return ident.None
	}
	return found
}

// identify replaces the typed names of objects in a form by their identifiers, where a page
// shows them under these names. The service judges the others.
func (q *request) identify() error {
	var c *metadata.Catalogue
	for _, field := range []string{"assignee", "user", "component", "parent", "successor", "milestone"} {
		name := strings.TrimSpace(q.form.Get(field))
		if _, err := ident.Parse(name); name == "" || name == keep || err == nil {
			continue
		}
		if c == nil {
			states, err := q.Service.States().List(q.context())
			if err != nil {
				return err
			}
			c = states.Catalogue
		}
		if id := named(field, name, c); !id.IsNone() {
			q.form.Set(field, id.String())
		}
	}
	return nil
}

// patchOf returns the fields of a form. Other fields are absent.
func patchOf(form url.Values) problem.Patch {
	var p problem.Patch
	for _, f := range problem.ClientFields() {
		switch {
		case f.Kind == problem.ReferenceField:
			*f.SentReference(&p) = referenceOf(form, f.Name)
		case form.Has(f.Name):
			*f.SentText(&p) = patch.Set(form.Get(f.Name))
		}
	}
	return p
}

// referenceOf returns an object in a form: by its identifier, or by a typed name.
func referenceOf(form url.Values, name string) (field patch.Field[metadata.Partial]) {
	if !form.Has(name) {
		return field
	}
	text := strings.TrimSpace(form.Get(name))
	id, err := ident.Parse(text)
	switch {
	case text == "":
		return patch.Null[metadata.Partial]()
	case err == nil:
		return patch.Set(byID(id))
	default:
		return patch.Set(byName(text))
	}
}

// byName is a reference to an object by what people type: the address of a user, the full
// name of a component, or the name of anything.
func byName(text string) metadata.Partial {
	member := "name"
	switch {
	case strings.Contains(text, "@"):
		member = "email"
	case strings.Contains(text, "/"):
		member = "fullName"
	}
	return metadata.Members{member: metadata.Text(text)}
}

// formatID returns the number of a problem as text.
func formatID(id problem.ID) string { return strconv.FormatInt(int64(id), 10) }
