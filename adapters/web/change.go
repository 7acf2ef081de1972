package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker"
)

// newProblemPage is the form of a new problem.
type newProblemPage struct {
	layout
	Edit    forms.Form
	Comment string
	Once    string
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
	view := newProblemPage{layout: q.signedIn(q.say("new.title"), c).in("new"), Edit: forms.New(problem.Fields{}, 0, c), Comment: asked.Get("comment"), Once: q.NewRequestID()}
	view.Edit.Fill(asked)
	view.Edit.Texts[0].Focus = true
	return page("new", view), nil
}

// createProblem creates a problem, with a first comment if there is one. The comment is
// checked before, so a refused one leaves no problem. Both have a key: the form, sent again,
// makes up for what is missing.
func createProblem(q *request) (answer, error) {
	cmd := tracker.CreateProblem{ProblemPatch: forms.Patch(q.form)}
	comment := q.form.Get("comment")
	if comment != "" {
		if _, err := text.Comment.Apply(comment); err != nil {
			cmd.Faults.Add(fault.InvalidValue, fault.At("comment"), "%v", err)
		}
	}
	cmd.Idempotency = once(q, "problem", func(a tracker.Answer[store.Snapshot]) []byte { return []byte(formatID(a.Value.ID)) })
	created, err := q.Service.CreateProblem(q.context(), q.caller, cmd)
	if err != nil {
		return answer{}, err
	}
	id := created.Value.ID
	if created.Replay != nil {
		n, err := strconv.ParseInt(string(created.Replay), 10, 64)
		if err != nil {
			return answer{}, err
		}
		id = problem.ID(n)
	}
	if comment != "" {
		if err := q.comment(id, comment); err != nil {
			return answer{}, err
		}
	}
	return q.redirect("/problems/" + formatID(id)), nil
}

// comment adds a comment, once for each form.
func (q *request) comment(id problem.ID, text string) error {
	_, err := q.Service.AddComment(q.context(), q.caller, id, tracker.AddComment{
		Text: patch.Set(text), Idempotency: once(q, "comment", func(tracker.Answer[problem.Comment]) []byte { return []byte("added") }),
	})
	return err
}

// changeProblem sets the fields of a problem.
func changeProblem(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	revision, err := strconv.ParseInt(q.form.Get("revision"), 10, 64)
	if err != nil {
		return answer{}, fault.New(fault.MalformedRequest, "the form lacks the revision of the problem: load the page again")
	}
	now := revision
	for range mostAttempts {
		_, err = q.Service.UpdateProblem(q.context(), q.caller, id, tracker.UpdateProblem{ProblemPatch: forms.Patch(q.form), Revision: patch.Set(now)})
		if !fault.Is(err, fault.StaleRevision) {
			break
		}
		conflict, latest, err := q.conflict(id, revision)
		if conflict != nil && q.done(conflict) {
			return q.toProblem(""), nil
		}
		if err != nil || conflict != nil {
			return answer{status: http.StatusPreconditionFailed, name: "conflict", view: conflict}, err
		}
		now = latest
	}
	if err != nil {
		return answer{}, err
	}
	return q.toProblem(""), nil
}

// mostAttempts is how often a form is tried while others comment on the problem.
const mostAttempts = 5

// conflictPage shows two versions of a problem: that of the form, and the current one.
type conflictPage struct {
	layout
	ID      problem.ID
	Heading string
	Base    int64  // the revision that the form began with
	By      person // made the current one
	Rows    []forms.Conflict
	Edit    forms.Form // what the form sets, on top of the current revision
}

// conflict compares the revision of a form with the latest one. When nothing but a comment
// or the like came since, it returns only the latest revision: the form counts on top of it.
// Otherwise it returns a page with both versions, and the form again: with the values of the
// form where it changed any, and the current ones elsewhere.
func (q *request) conflict(id problem.ID, revision int64) (_ *conflictPage, latest int64, _ error) {
	now, err := q.Service.LoadProblem(q.context(), q.caller, id, 0)
	if err != nil {
		return nil, 0, err
	}
	if revision < 1 || revision > now.Revision {
		return nil, 0, fault.New(fault.MalformedRequest, "the problem has the revisions 1 to %d: load the page again", now.Revision)
	}
	base, err := q.Service.LoadProblemAsOf(q.context(), q.caller, id, 0, tracker.AsOf{Revision: revision})
	if err != nil {
		return nil, 0, err
	}
	if base.Value.Fields == now.Value.Fields {
		return nil, now.Revision, nil
	}
	merged, conflicts := forms.Merge(q.form, base.Value.Fields, now.Value.Fields, now.Catalogue)
	view := &conflictPage{
		layout: q.signedIn(q.say("conflict.title"), now.Catalogue).in("problems"),
		ID:     id, Heading: now.Value.Title, By: person{now.Catalogue.Name(metadata.Users, now.Value.Modifier), now.Value.Modified},
		Rows: conflicts, Edit: merged,
	}
	view.Edit.Revision, view.Base, view.Again = now.Revision, revision, againForm
	return view, now.Revision, nil
}

// conflictAgain returns the page of a conflict once more, for the same form.
func (q *request) conflictAgain() (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	base, _ := strconv.ParseInt(q.form.Get("base"), 10, 64) // a wrong one is no revision
	view, _, err := q.conflict(id, base)
	if err != nil {
		return answer{}, err
	}
	if view == nil {
		return q.unsent()
	}
	return answer{status: http.StatusPreconditionFailed, name: "conflict", view: view}, nil
}

// done reports whether the problem has all values that the form changed, as after the same form
// sent before: by a second click, or a reload of its answer.
func (q *request) done(c *conflictPage) bool {
	own := url.Values{}
	for _, row := range c.Rows {
		if row.Own {
			own[row.Field] = q.form[row.Field]
		}
	}
	again, err := q.Service.UpdateProblem(q.context(), q.caller, c.ID, tracker.UpdateProblem{
		Write: tracker.Write{DryRun: true}, ProblemPatch: forms.Patch(own), Revision: patch.Set(c.Edit.Revision),
	})
	return err == nil && again.Value.Revision == c.Edit.Revision
}
