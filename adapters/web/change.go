package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// newProblemPage is the form of a new problem.
type newProblemPage struct {
	layout
	Edit  forms.Form
	Box   commentBox
	Wrong string // why the form was refused; empty: it was not
	Once  string
}

// newProblemPage returns the form of a new problem with these values.
func (q *request) newProblemPage(values url.Values, c *metadata.Catalogue) newProblemPage {
	view := newProblemPage{layout: q.signedIn(q.say("new.title"), c).in("new"), Edit: forms.New(problem.Fields{}, 0, c), Once: q.NewRequestID()}
	view.Box = commentBox{Label: "new.comment", Rows: 8, Text: values.Get("comment")}
	q.ownFirst(view.Edit.Choices)
	view.Edit.Fill(values)
	view.Edit.Texts[0].Focus = true
	return view
}

// showNewProblem shows the form of a new problem. The address may fill it in, by the names of
// its fields: such a link is a template for a report.
func showNewProblem(q *request) (answer, error) {
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return answer{}, err
	}
	c := states.Catalogue
	asked := q.r.URL.Query()
	if err := forms.Identify(asked, func() (*metadata.Catalogue, error) { return c, nil }); err != nil {
		return answer{}, err
	}
	return page("new", q.newProblemPage(asked, c)), nil
}

// createProblem creates a problem, with a first comment if there is one.
func createProblem(q *request) (answer, error) {
	cmd := tracker.CreateProblem{ProblemPatch: forms.Patch(q.form), Comment: q.typedComment()}
	cmd.Idempotency = once(q, "problem", func(a tracker.Answer[snapshot.Snapshot]) []byte { return []byte(formatID(a.Value.ID)) })
	created, err := q.Service.CreateProblem(q.context(), q.caller, cmd)
	if wrong := q.refused(err); wrong != nil {
		c, err := q.catalogue()
		if err != nil {
			return answer{}, err
		}
		view := q.newProblemPage(q.form, c)
		view.Wrong, view.Again = wrong.mark(&view.Edit, &view.Box), againForm
		return answer{status: wrong.status, name: "new", view: view}, nil
	}
	if err != nil {
		return answer{}, err
	}
	if created.Replay != nil {
		return q.redirect("/problems/" + string(created.Replay)), nil
	}
	return q.redirect("/problems/" + formatID(created.Value.ID)), nil
}

// typedComment returns the comment of a form; none if nobody wrote any.
func (q *request) typedComment() patch.Field[string] {
	if text := q.form.Get("comment"); strings.TrimSpace(text) != "" {
		return patch.Set(text)
	}
	return patch.Field[string]{}
}

// changeProblem sets the fields of a problem, and adds a comment, as one change. A button can
// move the problem to a state, too.
func changeProblem(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	if q.form.Has("preview") {
		view, err := q.typedAgain(id, nil)
		return page("problem", view), err
	}
	if then := q.form.Get("then"); then != "" {
		q.form.Set("state", then)
	}
	cmd := tracker.UpdateProblem{ProblemPatch: forms.Patch(q.form), Comment: q.typedComment()}
	if q.form.Has("revision") || cmd.ProblemPatch != (problem.Patch{}) {
		if cmd.Base, err = q.revision("revision"); err != nil {
			return answer{}, err
		}
	}
	anchor := ""
	switch {
	case cmd.Comment.Sent:
		anchor = "comment"
		cmd.Idempotency = once(q, "change", func(tracker.Answer[snapshot.Snapshot]) []byte { return []byte("changed") })
	case q.form.Has("do"):
		cmd.Faults.Add(fault.RequiredField, fault.At("comment"), "write a comment first")
	}
	_, err = q.Service.UpdateProblem(q.context(), q.caller, id, cmd)
	if fields := clashes(err); len(fields) > 0 {
		return q.conflict(id, cmd.Base.Value, fields)
	}
	if wrong := q.refused(err); wrong != nil {
		view, err := q.typedAgain(id, wrong)
		return answer{status: wrong.status, name: "problem", view: view}, err
	}
	if err != nil {
		return answer{}, err
	}
	return q.toProblem(anchor), nil
}

// revision returns a revision in the form, such as the one that it began with.
func (q *request) revision(name string) (patch.Field[int64], error) {
	revision, err := strconv.ParseInt(q.form.Get(name), 10, 64)
	if err != nil {
		return patch.Field[int64]{}, fault.New(fault.MalformedRequest, "the form lacks the revision of the problem: load the page again")
	}
	return patch.Set(revision), nil
}

// clashes returns the fields in conflict of a refused change (D52).
func clashes(err error) (fields []string) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.StaleRevision {
		for _, item := range f.Items {
			fields = append(fields, item.At.String())
		}
	}
	return fields
}

// conflictPage shows two versions of the fields that both the form and others since have changed.
type conflictPage struct {
	layout
	ID      problem.ID
	Heading string
	Base    int64  // the revision that the form began with
	By      person // made the current one
	Rows    []forms.Conflict
	Edit    forms.Form // the fields in conflict, with the values of the form
	Kept    []hiddenField
	Comment string
}

// conflict compares the revision of a form with the latest one, in these fields. The page has
// the form again, on top of the latest revision.
func (q *request) conflict(id problem.ID, revision int64, fields []string) (answer, error) {
	now, err := q.as().Problem(q.context(), id, 0)
	if err != nil {
		return answer{}, err
	}
	base, err := q.as().ProblemAsOf(q.context(), id, 0, tracker.AsOf{Revision: revision})
	if err != nil {
		return answer{}, err
	}
	merged, rows := forms.Merge(q.form, base.Value.Fields, now.Value.Fields, now.Catalogue)
	view := conflictPage{
		layout: q.signedIn(q.say("conflict.title"), now.Catalogue).in("problems"),
		ID:     id, Heading: now.Value.Title, By: person{now.Catalogue.Name(metadata.Users, now.Value.Modifier), now.Value.Modified},
		Edit: merged, Base: revision, Comment: q.form.Get("comment"),
	}
	view.Edit.Revision, view.Again = now.Value.Revision, againForm
	both := func(field string) bool { return slices.Contains(fields, field) }
	for _, r := range rows {
		switch {
		case both(r.Field):
			view.Rows = append(view.Rows, r)
		case r.Own:
			view.Kept = append(view.Kept, hiddenField{r.Field, q.form.Get(r.Field)})
		}
	}
	view.Kept = append(view.Kept, hiddenField{"once", q.form.Get("once")})
	view.Edit.Texts = slices.DeleteFunc(view.Edit.Texts, func(b forms.TextBox) bool { return !both(b.Field) })
	view.Edit.Choices = slices.DeleteFunc(view.Edit.Choices, func(c forms.Choice) bool { return !both(c.Field) })
	return answer{status: http.StatusPreconditionFailed, name: "conflict", view: view}, nil
}

// conflictAgain returns the page of a conflict once more, for the same form.
func (q *request) conflictAgain() (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	base, err := q.revision("base")
	if err != nil {
		return answer{}, err
	}
	_, err = q.Service.UpdateProblem(q.context(), q.caller, id, tracker.UpdateProblem{
		Write: tracker.Write{DryRun: true}, ProblemPatch: forms.Patch(q.form), Base: base,
	})
	if fields := clashes(err); len(fields) > 0 {
		return q.conflict(id, base.Value, fields)
	}
	return q.unsent()
}
