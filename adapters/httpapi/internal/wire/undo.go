package wire

import (
	"encoding/json"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/undo"
)

// UndoScope says where a batch is undone.
type UndoScope struct {
	Scope string   `json:"scope" enum:"here,batch" doc:"here: in the problem of the path. batch: in all problems that the batch has changed."`
	_     struct{} `additionalProperties:"false"`
}

// UndoneBatch is the result of an undo. Its lists are by identifier.
type UndoneBatch struct {
	BatchIdentifier *string         `json:"batchIdentifier" format:"uuid" doc:"The new batch; null in a dry run, and when nothing went back."`
	Changes         []UndoneProblem `json:"changes" nullable:"false"`
	Stays           []KeptEntry     `json:"stays" nullable:"false" doc:"What of the batch stays as it is."`
	Refused         []Refusal       `json:"refused" nullable:"false" doc:"Those that cannot go back. While there are any, nothing goes back."`
	Preview         *string         `json:"preview" doc:"To be sent with the same request, in the parameter preview, within 15 minutes; null when the batch was undone."`
}

// UndoneProblem is what goes back in one problem.
type UndoneProblem struct {
	Identifier int64         `json:"identifier" minimum:"1"`
	Revision   int64         `json:"revision" minimum:"1" doc:"The one that the undo makes."`
	Changes    []UndoneEntry `json:"changes" nullable:"false"`
}

// UndoneEntry is a change that the undo makes, as the log shows it.
type UndoneEntry struct {
	Type  string          `json:"type"`
	Field string          `json:"field"`
	From  json.RawMessage `json:"from" doc:"A string, an object or null."`
	To    json.RawMessage `json:"to" doc:"A string, an object or null."`
}

// KeptEntry is an entry of the batch that stays.
type KeptEntry struct {
	Identifier int64           `json:"identifier" minimum:"1" doc:"The problem."`
	Type       string          `json:"type"`
	Field      *string         `json:"field"`
	From       json.RawMessage `json:"from" doc:"A string, an object or null."`
	To         json.RawMessage `json:"to" doc:"A string, an object or null."`
	Reason     string          `json:"reason" enum:"moved-on,permanent,forbidden" doc:"moved-on: a later entry of the log is about the same. permanent: such a change never goes back. forbidden: it is somebody else's comment."`
}

// UndoneBatch writes the result of an undo.
func (e *Encoder) UndoneBatch(u tracker.UndoneBatch) {
	e.Open('{')
	e.batch(u.Batch)
	e.key("changes")
	List(e, u.Changes, func(c tracker.UndoneProblem) {
		e.Open('{')
		e.key("identifier").Int(int64(c.ID))
		e.key("revision").Int(c.Revision)
		e.key("changes")
		List(e, c.Log, func(entry problem.LogEntry) {
			e.Open('{')
			e.logChange(entry)
			e.Close('}')
		})
		e.Close('}')
	})
	e.key("stays")
	List(e, u.Stays, func(entry undo.Entry) {
		e.Open('{')
		e.key("identifier").Int(int64(entry.Problem))
		e.logChange(entry.LogEntry)
		e.key("reason").Text(string(entry.Stays))
		e.Close('}')
	})
	e.key("refused")
	List(e, u.Refused, e.refusal)
	e.preview(u.Preview)
	e.Close('}')
}

// logChange writes the members of a log entry that say what has changed.
func (e *Encoder) logChange(entry problem.LogEntry) {
	e.key("type").Text(string(entry.Type))
	e.key("field").textOrNull(entry.Field)
	e.key("from").JSON(entry.From.JSON())
	e.key("to").JSON(entry.To.JSON())
}

// batch writes the batch of a change that may not have been made.
func (e *Encoder) batch(id ident.ID) {
	e.key("batchIdentifier")
	if id.IsNone() {
		e.null()
	} else {
		e.ID(id)
	}
}

// preview writes the permit for the change of a dry run.
func (e *Encoder) preview(p *tracker.Preview) {
	e.key("preview")
	if p == nil {
		e.null()
	} else {
		e.Text(p.String())
	}
}
