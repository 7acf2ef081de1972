// Package forms shows the values of problems in forms, and reads the sent forms.
package forms

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
)

// Form is the form of the fields of a problem.
type Form struct {
	Revision int64     // of the values; 0: of a new problem
	Texts    []TextBox // the first is the title; dates come last
	Choices  []Choice
}

// TextBox is a field with a text as its value, in a form.
type TextBox struct {
	Field    string
	Label    string // key of the text
	Value    string
	Required bool
	Most     int  // characters; 0: no bound
	Long     bool // has several lines
	Date     bool // takes a date
	// Heading is true for the field in the heading of a problem's page.
	Heading bool
	// Focus puts the cursor there when the page opens.
	Focus bool
	// Keep offers to leave the value as it is.
	Keep bool
	Place
}

// Place is where an input stands.
type Place struct {
	// In is the identifier of a form elsewhere on the page; empty: the form is around the input.
	In string
	// Fault says what is wrong with the sent value, in the language of the reader.
	Fault string
}

// Control is what all inputs of a problem's fields have in common.
type Control struct {
	Field string
	*Place
}

// Controls returns all inputs of the form.
func (e *Form) Controls() (all []Control) {
	for i := range e.Texts {
		all = append(all, Control{e.Texts[i].Field, &e.Texts[i].Place})
	}
	for i := range e.Choices {
		all = append(all, Control{e.Choices[i].Field, &e.Choices[i].Place})
	}
	return all
}

// Picker reports whether people choose the date from a calendar, where there is no other value.
func (b TextBox) Picker() bool { return b.Date && !b.Keep }

// New returns the form with these values. It offers the possible next states.
func New(f problem.Fields, revision int64, c *metadata.Catalogue) Form {
	e := Form{Revision: revision, Texts: textBoxes(f)}
	for _, field := range References {
		current := *field.ClientReference(&f)
		if field.Name == "state" {
			e.Choices = append(e.Choices, stateChoice(current, revision == 0, c))
			continue
		}
		e.Choices = append(e.Choices, ObjectChoice(field.Name, field.To, current, c))
	}
	return e
}

// Fill puts values, such as those of a link to the form, into its fields. Whatever they are, the
// service judges them when the form is sent.
func (e *Form) Fill(values url.Values) {
	for i := range e.Texts {
		if values.Has(e.Texts[i].Field) {
			e.Texts[i].Value = values.Get(e.Texts[i].Field)
		}
	}
	for i := range e.Choices {
		if values.Has(e.Choices[i].Field) {
			value := strings.TrimSpace(values.Get(e.Choices[i].Field))
			e.Choices[i].Select(value, e.Choices[i].NameOf(value))
		}
	}
}

// References are all fields set by people with an object as their value, in the order
// of the pages. A field without a place in it comes last.
var References = func() (fields []*problem.Field) {
	for _, f := range problem.ClientFields() {
		if f.To != "" {
			fields = append(fields, f)
		}
	}
	order := []string{"classification", "milestone", "component", "assignee", "priority", "state"} // from last to first
	slices.SortStableFunc(fields, func(a, b *problem.Field) int {
		return cmp.Compare(slices.Index(order, b.Name), slices.Index(order, a.Name))
	})
	return fields
}()

// textBoxes returns all texts set by people, with these values.
func textBoxes(fields problem.Fields) (boxes []TextBox) {
	for _, f := range problem.ClientFields() {
		if box := problem.ClientValue(f, &fields, boxOf{}); box != nil {
			boxes = append(boxes, *box)
		}
	}
	return boxes
}

// boxOf returns the box of a field; nil for a choice.
type boxOf struct{}

// Text implements problem.ClientKinds, as do the methods below.
func (boxOf) Text(f *problem.Field, value *string) *TextBox {
	box := NewTextBox(f, *value)
	return &box
}

// Date returns the box of a date.
func (boxOf) Date(f *problem.Field, d *date.Date) *TextBox {
	box := NewTextBox(f, d.String())
	return &box
}

// Reference returns nil.
func (boxOf) Reference(*problem.Field, *ident.ID) *TextBox { return nil }

// NewTextBox returns the input for a text or a date, with this value.
func NewTextBox(f *problem.Field, value string) TextBox {
	isDate := f.Kind() == problem.DateField
	return TextBox{Field: f.Name, Label: "field." + f.Name, Value: value, Required: f.Required, Most: f.Rule.Max, Long: !f.Rule.Line && !isDate, Date: isDate, Heading: f.Name == "title"}
}

// Patch returns the fields of a form. Other fields are absent.
func Patch(form url.Values) problem.Patch {
	var p problem.Patch
	for _, f := range problem.ClientFields() {
		problem.Sent(f, &p, sentIn{form})
	}
	return p
}

// sentIn sets the members of a patch from a form.
type sentIn struct{ url.Values }

// Text implements problem.SentKinds, as do the methods below.
func (form sentIn) Text(f *problem.Field, sent *patch.Field[string]) (none struct{}) {
	if form.Has(f.Name) {
		*sent = patch.Set(form.Get(f.Name))
	}
	return none
}

// Date leaves a wrong date to the service, which refuses date.None as a value.
func (form sentIn) Date(f *problem.Field, sent *patch.Field[date.Date]) (none struct{}) {
	if !form.Has(f.Name) {
		return none
	}
	text := strings.TrimSpace(form.Get(f.Name))
	if text == "" {
		*sent = patch.Null[date.Date]()
		return none
	}
	d, err := date.Parse(text)
	if err != nil {
		d = date.None
	}
	*sent = patch.Set(d)
	return none
}

// Reference takes an identifier, or a typed name.
func (form sentIn) Reference(f *problem.Field, sent *patch.Field[metadata.Partial]) (none struct{}) {
	*sent = Reference(form.Values, f.Name)
	return none
}

// Reference returns an object in a form: by its identifier, or by a typed name.
func Reference(form url.Values, name string) (field patch.Field[metadata.Partial]) {
	if !form.Has(name) {
		return field
	}
	text := strings.TrimSpace(form.Get(name))
	id, err := ident.Parse(text)
	switch {
	case text == "":
		return patch.Null[metadata.Partial]()
	case err == nil:
		return patch.Set(ByID(id))
	default:
		return patch.Set(byName(text))
	}
}

// ByID is a reference to one object.
func ByID(id ident.ID) metadata.Partial {
	return metadata.Members{"identifier": metadata.Text(id.String())}
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
