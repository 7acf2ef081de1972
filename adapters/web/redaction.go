package web

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// redactionPage is the form to redact a text, in a problem or in one comment, and the count of
// its places before it goes (D45).
type redactionPage struct {
	layout
	ID                problem.ID
	Form              string // its address, below the one of the problem
	Text, Replacement string
	Counted           bool
	Places            tracker.Places
}

func showRedaction(q *request) (answer, error) {
	view, _, err := q.redaction()
	return page("redaction", view), err
}

// redaction returns the empty form, and the comment in the path; none for the whole problem.
func (q *request) redaction() (view redactionPage, comment ident.ID, err error) {
	id, err := q.problemID()
	if err != nil {
		return view, comment, err
	}
	view = redactionPage{ID: id, Form: "/redaction", Replacement: problem.DefaultReplacement}
	if q.r.PathValue("comment") == "" {
		c, err := q.catalogue()
		view.layout = q.signedIn(q.say("redaction.title"), c).in("problems")
		return view, comment, err
	}
	a, c, err := q.commentInPath()
	if err == nil {
		err = q.mayCorrect(c)
	}
	if err != nil {
		return view, comment, err
	}
	view.layout = q.signedIn(q.say("redaction.comment"), a.Catalogue).in("problems")
	view.Form = "/comments/" + c.ID.String() + "/redaction"
	return view, c.ID, nil
}

// redact counts the places first, and redacts them after a confirmation.
func redact(q *request) (answer, error) {
	view, comment, err := q.redaction()
	if err != nil {
		return answer{}, err
	}
	view.Text, view.Replacement = q.form.Get("text"), q.form.Get("replacement")
	// What is redacted has been counted: another text is counted first.
	confirmed := q.form.Get("do") == "redact" && q.form.Get("counted") == view.Text && q.form.Get("by") == view.Replacement
	a, err := q.Service.Redact(q.context(), q.caller, view.ID, tracker.Redact{
		Write: tracker.Write{DryRun: !confirmed}, Comment: comment, Text: patch.Set(view.Text), Replacement: patch.Set(view.Replacement),
	})
	switch {
	case err != nil:
		return answer{}, err
	case confirmed && a.Value.Total() > 0:
		return q.toProblem("history"), nil
	}
	view.Counted, view.Places = true, a.Value
	return page("redaction", view), nil
}
