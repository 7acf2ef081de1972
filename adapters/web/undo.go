package web

import (
	"cmp"
	"net/http"

	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/undo"
)

// undoPage shows what an undo takes back, before or after it (D47).
type undoPage struct {
	layout
	ID      problem.ID
	Batch   ident.ID
	Scope   string
	Changes []bulkChange
	Stays   []undoKept
	Refused []bulkRefusal
	Preview string
	// Moved: something else goes back than the page before has shown.
	Moved bool
	Done  bool
	// New is the batch of the undo, and First a problem that has it. An undo without an effect
	// has none.
	New   string
	First problem.ID
}

// undoKept is a change that stays.
type undoKept struct {
	ID     problem.ID
	Change history.Change
	Reason undo.Reason
}

// showUndo shows what would go back.
func showUndo(q *request) (answer, error) {
	cmd := q.undo(q.r.URL.Query().Get("scope"))
	return q.answerUndo(cmd, http.StatusOK)
}

// undoBatch makes the undo that the page before has shown. It shows another one when something
// has moved since.
func undoBatch(q *request) (answer, error) {
	cmd := q.undo(q.form.Get("scope"))
	preview, err := tracker.ParsePreview(q.form.Get("preview"))
	if err != nil {
		return answer{}, err
	}
	cmd.DryRun, cmd.Preview = false, &preview
	a, err := q.answerUndo(cmd, http.StatusOK)
	if fault.Is(err, fault.StaleRevision) || fault.Is(err, fault.PreviewRequired) {
		cmd.DryRun, cmd.Preview = true, nil
		return q.answerUndo(cmd, http.StatusPreconditionFailed)
	}
	return a, err
}

// undo returns the dry run of the undo in the path.
func (q *request) undo(scope string) tracker.Undo {
	batch, _ := ident.Parse(q.r.PathValue("batch")) // none is found for any other text
	return tracker.Undo{Write: tracker.Write{DryRun: true}, Batch: batch, Scope: patch.Set(cmp.Or(scope, tracker.UndoOfProblem))}
}

func (q *request) answerUndo(cmd tracker.Undo, status int) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	a, err := q.Service.UndoBatch(q.context(), q.caller, id, cmd)
	if err != nil {
		return answer{}, err
	}
	view := undoPage{
		layout: q.signedIn(q.say("undo.title"), a.Catalogue).in("problems"), ID: id, Batch: cmd.Batch, Scope: cmd.Scope.Value,
		Moved: status == http.StatusPreconditionFailed, Done: !cmd.DryRun,
	}
	for _, p := range a.Value.Changes {
		change := bulkChange{ID: p.ID}
		for _, e := range p.Log {
			change.Fields = append(change.Fields, history.ChangeOf(e))
		}
		view.Changes = append(view.Changes, change)
	}
	for _, e := range a.Value.Stays {
		view.Stays = append(view.Stays, undoKept{e.Problem, history.ChangeOf(e.LogEntry), e.Stays})
	}
	for _, r := range a.Value.Refused {
		view.Refused = append(view.Refused, bulkRefusal{r.ID, texts.Sentence(r.Err.Detail)})
	}
	if a.Value.Preview != nil {
		view.Preview = a.Value.Preview.String()
	}
	if !a.Value.Batch.IsNone() {
		view.New, view.First = a.Value.Batch.String(), view.Changes[0].ID
	}
	return answer{status: status, name: "undo", view: view}, nil
}
