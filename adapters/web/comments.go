package web

import (
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// commentPage is the form to edit a comment, or the question before its deletion (D44).
type commentPage struct {
	layout
	ID      problem.ID
	Comment ident.ID
	Text    string
	Edited  string // tells apart the versions of the comment
	Delete  bool
	// HTML is true for a comment with HTML of a client, which goes when its text changes.
	HTML bool
	// Now is what the comment says by now, beside the Text that was sent too late.
	Now string
}

func showEditComment(q *request) (answer, error) { return q.correction("comment.edit-title", false) }

func showDeleteComment(q *request) (answer, error) { return q.correction("comment.delete-title", true) }

func (q *request) correction(title string, deletion bool) (answer, error) {
	a, c, err := q.commentInPath()
	if err == nil {
		err = q.mayCorrect(c)
	}
	if err != nil {
		return answer{}, err
	}
	return page("comment", q.commentPage(title, a, c, deletion)), nil
}

// mayCorrect refuses the forms about a comment of somebody else.
func (q *request) mayCorrect(c problem.Comment) error {
	if c.Author != q.caller.User && !q.caller.Scope.Covers(access.Admin) {
		return fault.New(fault.Forbidden, "only its author and administrators correct a comment")
	}
	return nil
}

func (q *request) commentPage(title string, a tracker.Answer[snapshot.Snapshot], c problem.Comment, deletion bool) commentPage {
	return commentPage{
		layout: q.signedIn(q.say(title), a.Catalogue).in("problems"),
		ID:     a.Value.ID, Comment: c.ID, Text: c.Text, Edited: version(c), Delete: deletion, HTML: c.HTML.Valid,
	}
}

// commentInPath returns the comment in the path, with its problem.
func (q *request) commentInPath() (a tracker.Answer[snapshot.Snapshot], c problem.Comment, err error) {
	id, err := q.problemID()
	if err != nil {
		return a, c, err
	}
	if a, err = q.as().Problem(q.context(), id, 0); err != nil {
		return a, c, err
	}
	c, found, err := q.findComment(a.Value, q.r.PathValue("comment"))
	if err == nil && !found {
		err = fault.New(fault.CommentNotFound, "the problem has no such comment: it may have been deleted")
	}
	return a, c, err
}

// findComment returns a comment of a problem by its identifier. It finds no deleted one.
func (q *request) findComment(s snapshot.Snapshot, id string) (c problem.Comment, found bool, err error) {
	for part, err := range q.as().Comments(q.context(), s, 0, math.MaxInt) {
		if err != nil {
			return c, false, err
		}
		for _, c := range part {
			if c.ID.String() == id {
				return c, !c.Deleted, nil
			}
		}
	}
	return c, false, nil
}

// version tells apart the versions of a comment.
func version(c problem.Comment) string {
	if c.Edited.IsZero() {
		return ""
	}
	return c.Edited.Format(time.RFC3339Nano)
}

// mostAttempts is how often a form is tried while others change the problem.
const mostAttempts = 5

// editComment changes the text of a comment, unless it was edited since the form was shown.
func editComment(q *request) (answer, error) {
	text := strings.ReplaceAll(q.form.Get("text"), "\r\n", "\n")
	return q.correct(func(a tracker.Answer[snapshot.Snapshot], c problem.Comment) (*commentPage, error) {
		switch {
		case text == c.Text: // its HTML stays, too
			return nil, nil
		case version(c) != q.form.Get("edited"):
			view := q.commentPage("comment.edit-title", a, c, false)
			view.Now, view.Text = c.Text, text
			return &view, nil
		}
		_, err := q.Service.EditComment(q.context(), q.caller, a.Value.ID, tracker.EditComment{Write: at(a.Revision), Comment: c.ID, Text: patch.Set(text)})
		return nil, err
	}, "comment-"+q.r.PathValue("comment"))
}

// deleteComment deletes a comment, unless it was edited since the form was shown.
func deleteComment(q *request) (answer, error) {
	return q.correct(func(a tracker.Answer[snapshot.Snapshot], c problem.Comment) (*commentPage, error) {
		if version(c) != q.form.Get("edited") {
			view := q.commentPage("comment.delete-title", a, c, true)
			view.Now = c.Text
			return &view, nil
		}
		_, err := q.Service.DeleteComment(q.context(), q.caller, a.Value.ID, tracker.DeleteComment{Write: at(a.Revision), Comment: c.ID})
		return nil, err
	}, "history")
}

// at is the condition that the problem is at this revision.
func at(revision int64) tracker.Write {
	return tracker.Write{IfMatch: &tracker.Match{Revisions: []int64{revision}}}
}

// correct corrects the comment in the path, or shows a page about a form that came too late.
// Other changes of the problem do not matter.
func (q *request) correct(do func(tracker.Answer[snapshot.Snapshot], problem.Comment) (*commentPage, error), anchor string) (answer, error) {
	for attempt := 1; ; attempt++ {
		a, c, err := q.commentInPath()
		if err != nil {
			return answer{}, err
		}
		late, err := do(a, c)
		switch {
		case fault.Is(err, fault.StaleRevision) && attempt < mostAttempts:
		case err != nil:
			return answer{}, err
		case late != nil:
			return answer{status: http.StatusPreconditionFailed, name: "comment", view: *late}, nil
		default:
			return q.toProblem(anchor), nil
		}
	}
}
