package wire

import (
	"encoding/json"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/problem"
)

// AuditEntry is a line of the audit log.
type AuditEntry struct {
	Identifier      string          `json:"identifier" format:"uuid"`
	Type            string          `json:"type" enum:"Created,Changed"`
	CreationDate    time.Time       `json:"creationDate"`
	Author          *Reference      `json:"author" doc:"null for the service itself, and for its command line."`
	BatchIdentifier string          `json:"batchIdentifier" format:"uuid" doc:"The same for all entries of one request."`
	Kind            string          `json:"kind" enum:"state,priority,classification,component,milestone,user,token,webhook" doc:"Of the object."`
	Object          Reference       `json:"object" doc:"With the name that it had then; a token has that of its user, and a webhook the host of its receiver."`
	Field           *string         `json:"field" doc:"The member that changed; null for Created."`
	From            json.RawMessage `json:"from" doc:"What it was: a string, a number, true or false, an object, an array of objects, or null."`
	To              json.RawMessage `json:"to" doc:"What it became; for Created, the members of the object that are not null."`
}

// AuditEntry writes an entry of the audit log.
func (e *Encoder) AuditEntry(entry audit.Entry) {
	e.Open('{')
	e.key("identifier").ID(entry.ID)
	e.key("type").Text(string(entry.Type))
	e.key("creationDate").Time(entry.Created)
	e.key("author").UserRef(entry.Author)
	e.key("batchIdentifier").ID(entry.Batch)
	e.key("kind").Text(string(entry.Kind))
	e.key("object").Reference(entry.Object, entry.Name, true)
	e.key("field").nullText(problem.NullText{String: entry.Field, Valid: entry.Field != ""})
	e.key("from").JSON(entry.From.JSON())
	e.key("to").JSON(entry.To.JSON())
	e.Close('}')
}
