package web

import (
	"errors"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
)

// refusal is an error about the inputs of a form. The page of the form shows it beside them.
type refusal struct {
	status int
	wrong  string
	faults map[string]string // by the name of the input
}

// refused returns the refusal of a form of a problem; nil for an error about anything but its
// inputs.
func (q *request) refused(err error) *refusal {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	items := f.Items
	if f.Kind == fault.TransitionNotAllowed {
		items = []fault.Item{{Kind: f.Kind, Detail: f.Detail, At: fault.At("state")}}
	}
	_, kind := httpframe.Describe(err)
	r := &refusal{kind.Status, q.say("failure."+string(f.Kind)) + ".", map[string]string{}}
	for _, item := range items {
		name := item.At.String()
		field := problem.FieldNamed(name)
		if name != "comment" && (field == nil || !field.Client) {
			return nil
		}
		r.faults[name] = q.wordsOf(item, field)
	}
	if len(items) == 0 {
		return nil
	}
	q.frame.Report(q.context(), err)
	return r
}

// wordsOf says what is wrong with an input. Details are in English: other languages say what
// would be right.
func (q *request) wordsOf(item fault.Item, field *problem.Field) string {
	switch {
	case q.language.Tag == "en":
		return texts.Sentence(item.Detail)
	case item.Kind != fault.InvalidValue:
		return q.say("failure.help." + string(item.Kind))
	case field == nil:
		return q.say("wrong.comment")
	case field.Kind() == problem.DateField:
		return q.say("wrong.date")
	case field.Kind() == problem.TextField:
		return q.say("wrong.text", field.Rule.Max)
	}
	return q.say("wrong.reference")
}

// mark puts the faults beside their inputs, and returns what is wrong with the form.
func (r *refusal) mark(edit *forms.Form, box *commentBox) string {
	if r == nil {
		return ""
	}
	for _, control := range edit.Controls() {
		control.Fault = r.faults[control.Field]
	}
	box.Fault = r.faults["comment"]
	return r.wrong
}
