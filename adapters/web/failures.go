package web

import (
	"maps"
	"net/http"
	"slices"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// failurePage explains a failure, and keeps the typed text.
type failurePage struct {
	layout
	Status int
	// Detail names the fault and the right way.
	Detail string
	// Faults are the faults of single fields.
	Faults    []fieldFault
	RequestID string
	// Again, unless empty, is the form to send again: nothing typed is lost.
	Again  []hiddenField
	Action string
	SignIn bool // the remedy is to sign in
	Home   bool // there is a list to go to
}

type fieldFault struct{ Field, Detail string }

type hiddenField struct{ Name, Value string }

// repeatable are the kinds of failures after which the same form can succeed.
var repeatable = []fault.Kind{fault.Unauthenticated, fault.Unavailable, fault.UnknownOutcome, fault.RateLimited}

// fail answers with a page about an error.
func (q *request) fail(err error) {
	q.frame.Report(q.context(), err)
	f, kind := httpframe.Describe(err)
	view := failurePage{
		layout: q.layout(q.say("failure." + string(kind.Kind))), Status: kind.Status, Detail: q.sentence(f.Detail), RequestID: q.frame.RequestID,
		SignIn: kind.Kind == fault.Unauthenticated, Home: !q.caller.User.IsNone(),
	}
	for _, item := range f.Items {
		view.Faults = append(view.Faults, fieldFault{item.At.String(), item.Detail})
	}
	if q.r.Method == http.MethodPost && slices.Contains(repeatable, kind.Kind) && !q.form.Has("token") && !q.form.Has("code") {
		view.Action = q.r.URL.Path
		for _, name := range slices.Sorted(maps.Keys(q.form)) {
			for _, value := range q.form[name] {
				view.Again = append(view.Again, hiddenField{name, value})
			}
		}
	}
	q.w.Header().Set("Cache-Control", "private, no-store")
	body, err := q.views.execute(q.language, "failure", view)
	if err != nil {
		http.Error(q.w, http.StatusText(kind.Status), kind.Status)
		return
	}
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	q.w.Header().Set("Content-Language", q.language.Tag)
	httpframe.Send(q.w, q.r, kind.Status, body)
}

// fail answers a request without an action.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	h.newRequest(w, r).fail(err)
}

// sentence returns a text with a capital letter and a full stop.
func (q *request) sentence(text string) string { return sentence(text) }
