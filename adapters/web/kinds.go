package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// kinds returns all kinds of objects with pages of administration. Dates are in the zone.
func kinds(zone *time.Location) []administered {
	milestones := calendar{zone}
	return []administered{
		{
			slug:    "states",
			scope:   access.Admin,
			columns: []string{"kind.resolved", "kind.initial", "kind.next"},
			rows:    stateRows,
			form:    stateForm,
			save:    saved((*admin.Service).States, stateOf),
		},
		{
			slug:    "components",
			scope:   access.Admin,
			columns: []string{"kind.successor"},
			rows:    componentRows,
			form:    componentForm,
			save:    saved((*admin.Service).Components, componentOf),
		},
		{
			slug:    "milestones",
			scope:   access.Write,
			columns: []string{"kind.component", "kind.start", "kind.end"},
			rows:    milestones.rows,
			form:    milestones.form,
			save:    saved((*admin.Service).Milestones, milestones.of),
		},
		{
			slug:    "priorities",
			scope:   access.Admin,
			columns: []string{"kind.order"},
			rows:    priorityRows,
			form:    priorityForm,
			save:    saved((*admin.Service).Priorities, priorityOf),
		},
		{
			slug:  "classifications",
			scope: access.Admin,
			rows:  classificationRows,
			form:  classificationForm,
			save:  saved((*admin.Service).Classifications, classificationOf),
		},
		{
			slug:    "users",
			scope:   access.Admin,
			columns: []string{"kind.email", "field.robotOf"},
			rows:    userRows,
			form:    userForm,
			save:    saved((*admin.Service).Users, userOf),
		},
	}
}

// saved returns the function to store the form of a kind. read returns its content.
func saved[T, P any](objects func(*admin.Service) admin.Objects[T, P], read func(url.Values, *fault.List) P) func(*request, url.Values, ident.ID, func(*metadata.Catalogue) error) error {
	return func(q *request, form url.Values, id ident.ID, condition func(*metadata.Catalogue) error) (err error) {
		var faults fault.List
		p := read(form, &faults)
		if id.IsNone() {
			_, err = objects(q.Service.Administration).Create(q.context(), q.caller, admin.CreateObject[P]{Write: tracker.Write{Faults: faults}, Patch: p})
		} else {
			_, err = objects(q.Service.Administration).Update(q.context(), q.caller, id, admin.UpdateObject[P]{Write: tracker.Write{Faults: faults}, Patch: p, Condition: condition})
		}
		return err
	}
}

// sent returns a text of a form.
func sent(form url.Values, name string) patch.Field[string] {
	if !form.Has(name) {
		return patch.Field[string]{}
	}
	return patch.Set(form.Get(name))
}

// checked returns a box of a form: browsers leave out the empty ones.
func checked(form url.Values, name string) patch.Field[bool] { return patch.Set(form.Has(name)) }

func number(form url.Values, name string, faults *fault.List) patch.Field[int64] {
	text := strings.TrimSpace(form.Get(name))
	if text == "" {
		return patch.Field[int64]{}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		faults.Add(fault.InvalidType, fault.At(name), "must be a whole number")
	}
	return patch.Set(n)
}

func yes(b bool) string {
	if b {
		return "✓"
	}
	return ""
}

func textInput(name, value string) input {
	return input{Name: name, Type: "text", Value: value, Required: true}
}

func stateRows(c *metadata.Catalogue) (rows []objectRow) {
	for _, s := range c.Content().States {
		var next []string
		for _, id := range s.Next {
			next = append(next, c.Name(metadata.States, id))
		}
		rows = append(rows, objectRow{ID: s.ID.String(), Name: s.Name, Cells: []string{yes(s.Resolved), yes(s.Initial), strings.Join(next, ", ")}})
	}
	return rows
}

func stateForm(c *metadata.Catalogue, id ident.ID) (string, []input) {
	s, ok := c.State(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	next := input{Name: "next", Type: "several"}
	for _, other := range c.Content().States {
		if other.ID != id {
			next.Options = append(next.Options, forms.Option{Value: other.ID.String(), Name: other.Name, Selected: slices.Contains(s.Next, other.ID)})
		}
	}
	return s.Name, []input{
		textInput("name", s.Name), {Name: "resolved", Type: "checkbox", Checked: s.Resolved}, {Name: "initial", Type: "checkbox", Checked: s.Initial},
		{Name: "order", Type: "number", Value: order(s.Order, id)}, next,
	}
}

// order returns the order of an object; a new one comes last.
func order(n int, id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	return strconv.Itoa(n)
}

func stateOf(form url.Values, faults *fault.List) admin.StatePatch {
	next := []metadata.Partial{}
	for _, text := range form["next"] {
		if id, err := ident.Parse(text); err == nil {
			next = append(next, forms.ByID(id))
		}
	}
	return admin.StatePatch{Name: sent(form, "name"), Resolved: checked(form, "resolved"), Initial: checked(form, "initial"), Order: number(form, "order", faults), Next: patch.Set(next)}
}

// componentRows returns the components as a tree.
func componentRows(c *metadata.Catalogue) (rows []objectRow) {
	var add func(id ident.ID, depth int)
	add = func(id ident.ID, depth int) {
		o, _ := c.Component(id)
		rows = append(rows, objectRow{ID: id.String(), Name: o.Name, Depth: depth, Faint: o.Closed, Cells: []string{c.FullName(o.Successor)}})
		for _, child := range c.Children(id) {
			add(child, depth+1)
		}
	}
	for _, o := range c.Content().Components {
		if o.Parent.IsNone() {
			add(o.ID, 0)
		}
	}
	return rows
}

func componentForm(c *metadata.Catalogue, id ident.ID) (string, []input) {
	o, ok := c.Component(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	return o.Name, []input{
		textInput("name", o.Name), {Type: "choice", Choice: forms.ObjectChoice("parent", metadata.Components, o.Parent, c)},
		{Type: "choice", Choice: forms.ObjectChoice("successor", metadata.Components, o.Successor, c)}, {Name: "closed", Type: "checkbox", Checked: o.Closed},
	}
}

func componentOf(form url.Values, _ *fault.List) admin.ComponentPatch {
	return admin.ComponentPatch{Name: sent(form, "name"), Closed: checked(form, "closed"), Successor: forms.Reference(form, "successor"), Parent: forms.Reference(form, "parent")}
}

func priorityRows(c *metadata.Catalogue) (rows []objectRow) {
	for _, p := range c.Content().Priorities {
		rows = append(rows, objectRow{ID: p.ID.String(), Name: p.Name, Cells: []string{strconv.Itoa(p.Order)}})
	}
	return rows
}

func priorityForm(c *metadata.Catalogue, id ident.ID) (string, []input) {
	p, ok := c.Priority(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	return p.Name, []input{textInput("name", p.Name), {Name: "order", Type: "number", Value: order(p.Order, id)}}
}

func priorityOf(form url.Values, faults *fault.List) admin.PriorityPatch {
	return admin.PriorityPatch{Name: sent(form, "name"), Order: number(form, "order", faults)}
}

func classificationRows(c *metadata.Catalogue) (rows []objectRow) {
	for _, k := range c.Content().Classifications {
		rows = append(rows, objectRow{ID: k.ID.String(), Name: k.Name})
	}
	return rows
}

func classificationForm(c *metadata.Catalogue, id ident.ID) (string, []input) {
	k, ok := c.Classification(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	return k.Name, []input{textInput("name", k.Name)}
}

func classificationOf(form url.Values, _ *fault.List) admin.ClassificationPatch {
	return admin.ClassificationPatch{Name: sent(form, "name")}
}

func userRows(c *metadata.Catalogue) (rows []objectRow) {
	for _, u := range c.Content().Users {
		rows = append(rows, objectRow{ID: u.ID.String(), Name: u.Name, Faint: u.Inactive, Cells: []string{u.Email, c.Name(metadata.Users, u.RobotOf)}})
	}
	return rows
}

func userForm(c *metadata.Catalogue, id ident.ID) (string, []input) {
	u, ok := c.User(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	form := []input{textInput("name", u.Name), {Name: "email", Type: "email", Value: u.Email, Required: true},
		{Type: "choice", Choice: forms.ObjectChoice("robotOf", metadata.Users, u.RobotOf, c)}}
	if !id.IsNone() {
		form = append(form, input{Name: "inactive", Type: "checkbox", Checked: u.Inactive})
	}
	return u.Name, form
}

func userOf(form url.Values, _ *fault.List) admin.UserPatch {
	return admin.UserPatch{Name: sent(form, "name"), Email: sent(form, "email"), Inactive: checked(form, "inactive"), RobotOf: forms.Reference(form, "robotOf")}
}
