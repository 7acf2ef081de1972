package web

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// sample is a value of a field.
type sample struct {
	sent  string // in a form
	shown string // on a page
}

// sample returns a value of a field that differs from that in the form. Each has another
// number from 0.
func (p *shownPage) sample(f *problem.Field, number int) sample {
	p.t.Helper()
	if f.Kind() == problem.TextField {
		value := strings.Fields("first second third fourth")[number] + " " + f.Name
		return sample{value, value}
	}
	if f.Kind() == problem.DateField {
		value := strings.Fields("2024-02-29 1900-01-01 9999-12-31 2026-10-31")[number]
		return sample{value, value}
	}
	for n := range p.root.Descendants() {
		if n.Data != "select" || attribute(n, "name") != f.Name {
			continue
		}
		for o := range n.Descendants() {
			value := attribute(o, "value")
			if o.Data != "option" || value == "" || value == forms.Keep || hasAttribute(o, "selected") {
				continue
			}
			if number == 0 {
				return sample{value, strings.Replace(o.FirstChild.Data, "Me", "Administrator", 1)}
			}
			number--
		}
	}
	p.t.Fatalf("%s has too few values for %s:\n%s", p.path, f.Name, p.body)
	return sample{}
}

// samples returns a value for each of the fields, and the pairs of a form.
func (p *shownPage) samples(fields []*problem.Field, number int) (values map[string]sample, pairs []string) {
	p.t.Helper()
	values = map[string]sample{}
	for _, f := range fields {
		values[f.Name] = p.sample(f, number)
		pairs = append(pairs, f.Name, values[f.Name].sent)
	}
	return values, pairs
}

// offers checks that people can set each of the fields in the form with this action, and that
// it has these values.
func (p *shownPage) offers(action string, fields []*problem.Field, values map[string]sample) {
	p.t.Helper()
	form := p.form(action)
	for _, f := range fields {
		if !p.input(action, f.Name) {
			p.t.Errorf("%s: the form lacks the field %s", p.path, f.Name)
		}
		if want, ok := values[f.Name]; ok && form.Get(f.Name) != want.sent {
			p.t.Errorf("%s: the form has %q in the field %s, want %q", p.path, form.Get(f.Name), f.Name, want.sent)
		}
	}
}

// input reports whether the form with this action has an input that people see.
func (p *shownPage) input(action, name string) bool {
	for form := range p.root.Descendants() {
		if form.Data != "form" || attribute(form, "action") != action {
			continue
		}
		for n := range p.inputsOf(form) {
			if attribute(n, "name") == name && attribute(n, "type") != "hidden" {
				return true
			}
		}
	}
	return false
}

// rows returns the texts of the cells behind each heading of the rows of a table.
func (p *shownPage) rows() map[string][]string {
	rows := map[string][]string{}
	for n := range p.root.Descendants() {
		if n.Data != "th" || attribute(n, "scope") != "row" {
			continue
		}
		var cells []string
		for cell := n.NextSibling; cell != nil; cell = cell.NextSibling {
			if cell.Type == html.ElementNode {
				cells = append(cells, textOf(cell))
			}
		}
		rows[textOf(n)] = cells
	}
	return rows
}

// facts returns the values of the list of fields by their labels.
func (p *shownPage) facts() map[string]string {
	facts := map[string]string{}
	for n := range p.root.Descendants() {
		if n.Data == "dt" && attribute(n.Parent.Parent, "class") == "facts" {
			facts[textOf(n)] = textOf(n.NextSibling)
		}
	}
	return facts
}

// textOf returns the text of an element.
func textOf(n *html.Node) string {
	var all strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			all.WriteString(d.Data)
		}
	}
	return all.String()
}

// Each page about the fields of a problem has all fields set by clients.
func TestPagesHaveAllFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other, reader := s.signedIn(t), s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Read)
	for _, name := range []string{"One", "Two", "Three", "Four"} {
		b.post("/administration/components", "name", name).is(200)
		b.post("/administration/milestones", "name", name).is(200)
		b.post("/administration/users", "name", name, "email", name+"@example.org").is(200)
	}
	states := b.get("/problems/bulk?problem=1")
	b.post("/administration/states", "name", "Heard", "initial", "yes", "order", "9",
		"next", states.choose("state", "Open"), "next", states.choose("state", "In Progress"), "next", states.choose("state", "Closed")).is(200)
	all := problem.ClientFields()
	label := func(f *problem.Field) string { return texts.Languages()[0].Say("field." + f.Name) }

	// A new problem, and its page for writers and readers.
	form := b.get("/problems/new").is(200)
	form.offers("/problems/new", all, nil)
	first, pairs := form.samples(all, 0)
	path := form.submit("/problems/new", pairs...).is(200).path
	stale := b.get(path)
	stale.offers(path, all, first)
	facts := reader.get(path).is(200).has(first["title"].shown).facts()
	for _, f := range all {
		if got, want := facts[label(f)], first[f.Name].shown; f.Name != "title" && got != want {
			t.Errorf("readers see %q in the field %s, want %q", got, f.Name, want)
		}
	}

	// Two people change all fields.
	second, pairs := stale.samples(all, 1)
	other.get(path).submit(path, pairs...).is(200)
	third, pairs := stale.samples(all, 2)
	conflict := stale.submit(path, pairs...).is(412)
	conflict.offers(path, all, third)
	past := b.get(path + "/past?revision=1").is(200)
	for _, f := range all {
		was := ""
		if f.Kind() == problem.TextField {
			was = "first" // a deleted word stands before its replacement
		}
		one, two, three := first[f.Name].shown, second[f.Name].shown, third[f.Name].shown
		if got, want := conflict.rows()[label(f)], []string{one, was + two, was + three}; !slices.Equal(got, want) {
			t.Errorf("the field %s in the conflict is %q, want %q", f.Name, got, want)
		}
		if got, want := past.rows()[label(f)], []string{one, two}; !slices.Equal(got, want) {
			t.Errorf("the field %s in the past is %q, want %q", f.Name, got, want)
		}
	}

	// A form for many problems leaves the title of each alone.
	many := slices.DeleteFunc(problem.ClientFields(), func(f *problem.Field) bool { return f.To == "" && f.Required })
	bulk := b.get("/problems/bulk?problem=1").is(200)
	bulk.offers("/problems/bulk", many, nil)
	if bulk.input("/problems/bulk", "title") {
		t.Error("the form for many problems has a title")
	}
	bulk.submit("/problems/bulk").is(200).has("0 problems would change")
	fourth, pairs := bulk.samples(many, 0)
	bulk.submit("/problems/bulk", pairs...).is(200).has("1 problem would change").submit("/problems/bulk").is(200)
	b.get(path).offers(path, many, fourth)

	// A refused form keeps the typed texts, for people to change.
	refused := b.get("/problems/new").submit("/problems/new", append(pairs, "title", "first title", "comment", "bell \x00")...).is(422)
	for _, f := range problem.FieldsOf(problem.TextField) {
		refused.offers("/problems/new", []*problem.Field{f}, map[string]sample{f.Name: {sent: "first " + f.Name}})
	}
}

// The input for a text has the bounds of its field. A field of several lines has a text area.
func TestTextBoxes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := s.Config.Handler.(*Handler)
	boxes := []forms.TextBox{
		forms.NewTextBox(&problem.Field{Name: "title", Required: true, Rule: text.Rule{Min: 1, Max: 9, Line: true}}, forms.Keep),
		forms.NewTextBox(&problem.Field{Name: "user", Rule: text.Rule{MaxBytes: 9}}, "\none\ntwo"),
	}
	for i := range boxes {
		boxes[i].Keep = true
	}
	body, err := h.views.Render(texts.Languages()[0], nil, "bulk", bulkPage{Texts: boxes}, func(int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<label class="field"><span>Title</span><input name="title" value="keep" required maxlength="9" dir="auto"><small class="help">Type a text, or “keep”`,
		"<label class=\"field\"><span>User</span><textarea name=\"user\" rows=\"8\" dir=\"auto\">\n\none\ntwo</textarea><small class=\"help\">Type a text",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the form lacks %s:\n%s", want, body)
		}
	}
}
