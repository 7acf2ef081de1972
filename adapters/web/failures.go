package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// failurePage explains a failure, and keeps the typed text.
type failurePage struct {
	layout
	Status int // 0: nothing failed, and nothing was sent
	// Help says in the language of the reader what Detail says in English. It is empty for
	// readers of English.
	Help string
	// Detail names the fault and the right way.
	Detail string
	// Faults are the faults of single fields.
	Faults    []fieldFault
	RequestID string
	// File is the one that was refused, and Attached are those before it in the form.
	File, Attached string
	// Kept, unless empty, are the fields of the form to send again: nothing typed is lost.
	Kept   []keptField
	Action string
	// Back is the address of the page with the form; empty: it is not known.
	Back   string
	SignIn bool // the remedy is to sign in
	Home   bool // there is a list to go to
}

// fieldFault is a fault of a field. Label is the key of the text on the form, and Field the name
// of a field without one.
type fieldFault struct{ Label, Field, Detail string }

type hiddenField struct{ Name, Value string }

// keptField is a field of a refused form.
type keptField struct {
	Name, Value string
	Label       string // key of the text; empty: nobody typed it
	Long        bool   // has several lines
	// Input, if not nil, is the field as its form offers it.
	Input *input
}

// repeatable are the kinds of failures after which the same form can succeed.
var repeatable = []fault.Kind{fault.Unauthenticated, fault.Unavailable, fault.UnknownOutcome, fault.RateLimited}

// storeless are the kinds of failures that leave no catalogue to ask for.
var storeless = []fault.Kind{fault.Unauthenticated, fault.Unavailable, fault.UnknownOutcome, fault.RateLimited, fault.Internal}

// typed are the labels of the fields that people type into, as keys of texts. The fields of
// problems are not among them.
var typed = map[string]string{
	"comment": "new.comment", "text": "failure.text", "replacement": "redaction.replacement", "name": "kind.name", "value": "keyword.value", "keyword": "bulk.keyword", "without": "bulk.without",
	"problem": "relationship.problem", "predicate": "list.predicate", "sort": "list.sort",
	"email": "kind.email", "order": "kind.order", "start": "kind.start", "end": "kind.end", "expires": "token.expires",
	"url": "kind.url", "cursor": "webhook.cursor", "timeZone": "settings.zone",
}

// typedLabel returns the label of a field that people type into; empty for other fields.
func typedLabel(name string) string {
	if f := problem.FieldNamed(name); f != nil && f.Client && f.To == "" {
		return forms.NewTextBox(f, "").Label
	}
	return typed[name]
}

// fail answers with a page about an error.
func (q *request) fail(err error) {
	q.frame.Report(q.context(), err)
	f, kind := httpframe.Describe(err)
	c := q.failureCatalogue(kind.Kind)
	view := failurePage{
		layout: q.failureLayout(kind.Kind, c), Status: kind.Status, Detail: texts.Sentence(f.Detail), RequestID: q.frame.RequestID,
		SignIn: kind.Kind == fault.Unauthenticated, Home: !q.caller.User.IsNone(),
	}
	if q.language.Tag != "en" {
		view.Help = q.say("failure.help." + string(kind.Kind))
	}
	if file, ok := errors.AsType[*fileFault](err); ok {
		view.File, view.Attached = file.name, strings.Join(file.added, ", ")
	}
	for _, item := range f.Items {
		if item.At == otherProblem {
			view.Title, view.Help, view.Detail = q.say("failure.problem-not-found"), q.say("failure.number"), ""
			continue
		}
		view.Faults = append(view.Faults, newFieldFault(item))
	}
	if len(view.Faults) == 1 { // the list names its field
		view.Detail = ""
	}
	if kind.Kind == fault.Unavailable {
		q.w.Header().Set("Retry-After", "1")
	}
	if q.r.Method == http.MethodPost {
		view.keep(q, kind.Kind, c)
	}
	q.w.Header().Set("Cache-Control", "private, no-store")
	body, err := q.views.Render(q.language, q.zone(), "failure", view, q.room)
	if err != nil {
		http.Error(q.w, http.StatusText(kind.Status), kind.Status)
		return
	}
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	q.w.Header().Set("Content-Language", q.language.Tag)
	httpframe.Send(q.w, q.r, kind.Status, body)
}

// keep adds the form of the request, to send it again.
func (v *failurePage) keep(q *request, kind fault.Kind, c *metadata.Catalogue) {
	v.Kept, v.Action, v.Back = q.kept(kind, c), q.r.URL.Path, q.back()
	switch {
	case len(v.Kept) > 0:
		v.Again = againForm
	case strings.HasPrefix(v.Back, q.base):
		v.At = cmp.Or(strings.TrimPrefix(v.Back, q.base), "/")
	}
}

// unsent is the answer to a form that chooses a language: it was not sent for more. The page has
// the form again.
func (q *request) unsent() (answer, error) {
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	view := failurePage{layout: q.signedIn(q.say("failure.unsent"), c), RequestID: q.frame.RequestID, Home: true}
	view.keep(q, fault.InvalidValue, c)
	return page("failure", view), nil
}

// newFieldFault returns a fault with the label of its field.
func newFieldFault(item fault.Item) fieldFault {
	name := item.At.String()
	f := fieldFault{Label: typedLabel(strings.TrimPrefix(name, "/")), Field: name, Detail: item.Detail}
	if field := problem.FieldNamed(name); field != nil {
		f.Label = "field." + field.Name
	}
	return f
}

// failureCatalogue returns the catalogue for a page about a failure; nil if the store is away
// or nobody is signed in.
func (q *request) failureCatalogue(kind fault.Kind) *metadata.Catalogue {
	if q.caller.User.IsNone() || slices.Contains(storeless, kind) {
		return nil
	}
	c, err := q.catalogue()
	if err != nil {
		return nil
	}
	return c
}

// failureLayout returns the layout of a page about a failure. With a catalogue, it has the
// navigation.
func (q *request) failureLayout(kind fault.Kind, c *metadata.Catalogue) layout {
	title := q.say("failure." + string(kind))
	if c == nil {
		return q.layout(title)
	}
	return q.signedIn(title, c)
}

// kept returns the fields of a refused form. It returns nil when people can correct none of
// them, and the same form would be refused again. It never returns a secret.
func (q *request) kept(kind fault.Kind, c *metadata.Catalogue) (fields []keptField) {
	if q.form.Has("token") || q.form.Has("code") {
		return nil
	}
	again := slices.Contains(repeatable, kind)
	inputs := q.inputs(c)
	worth := again || len(inputs) > 0
	for _, name := range slices.Sorted(maps.Keys(q.form)) {
		// What the person saw is out of date, and the page says so.
		outdated := name == "preview" && !again || name == was && kind == fault.StaleRevision
		if outdated || slices.ContainsFunc(inputs, func(i input) bool { return i.Name == name }) {
			continue
		}
		for _, value := range q.form[name] {
			field := q.keptField(name, value)
			worth = worth || field.Label != "" && strings.TrimSpace(value) != ""
			fields = append(fields, field)
		}
	}
	if !worth {
		return nil
	}
	for i := range inputs {
		fields = append(fields, keptField{Input: &inputs[i]})
	}
	return fields
}

// keptField returns a text of a refused form.
func (q *request) keptField(name, value string) keptField {
	field := keptField{Name: name, Value: value}
	if !q.deletes() {
		field.Label = typedLabel(name)
	}
	field.Long = name == "comment" || name == "text" || name == "predicate" || strings.Contains(value, "\n")
	return field
}

// deletes reports whether the form of the request deletes something. Nobody types into it.
func (q *request) deletes() bool { return strings.HasSuffix(q.r.URL.Path, "/delete") }

// inputs returns the inputs of a refused form that are more than a text, with the sent
// values. The form of an object has all its inputs: browsers leave out empty boxes.
func (q *request) inputs(c *metadata.Catalogue) (inputs []input) {
	if c == nil || q.deletes() {
		return nil
	}
	if k, err := q.kind(); err == nil {
		id, _ := ident.Parse(q.r.PathValue("id")) // a new object has none
		_, form := k.form(c, id)
		return refill(form, q.form, c)
	}
	for _, name := range slices.Sorted(maps.Keys(q.form)) {
		if choice, ok := forms.Sent(name, q.form.Get(name), c); ok {
			choice.Keep = q.r.URL.Path == q.base+"/problems/bulk"
			inputs = append(inputs, input{Name: name, Type: "choice", Choice: choice})
		}
	}
	if q.form.Has("type") {
		inputs = append(inputs, input{Name: "type", Type: "choice", Choice: q.relationshipChoice(q.form.Get("type"))})
	}
	return inputs
}

// back returns the address of the page that has the form; empty if it is not known.
func (q *request) back() string {
	if id, err := q.problemID(); err == nil {
		return q.base + "/problems/" + formatID(id)
	}
	if k, err := q.kind(); err == nil {
		return q.base + "/administration/" + k.slug
	}
	if path := strings.TrimPrefix(q.r.URL.Path, q.base); path == hooks || strings.HasPrefix(path, hooks+"/") {
		if id, err := q.objectID(); err == nil {
			return q.base + hookPath(id)
		}
		return q.base + hooks
	}
	return ""
}

// fail answers a request without an action.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	h.newRequest(w, r).fail(err)
}
