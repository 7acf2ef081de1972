package wire

import (
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// Event is an event of the feed (D39).
type Event struct {
	Identifier      string        `json:"identifier" doc:"Opaque. It is the cursor behind this event, too."`
	Type            string        `json:"type" enum:"problem.created,problem.changed,state.created,state.changed,priority.created,priority.changed,classification.created,classification.changed,component.created,component.changed,milestone.created,milestone.changed,user.created,user.changed,token.created,token.changed,webhook.created,webhook.changed"`
	Timestamp       time.Time     `json:"timestamp"`
	Author          *Reference    `json:"author" doc:"null for the service itself, and for its command line."`
	Via             *TokenRef     `json:"via" doc:"The token of the author; null for a session, and without an author."`
	BatchIdentifier string        `json:"batchIdentifier" format:"uuid" doc:"The same for all events of one request."`
	Problem         *EventProblem `json:"problem" doc:"null for an event of metadata, users, tokens and webhooks."`
	Logs            []LogEntry    `json:"logs" nullable:"false" doc:"The new entries in the problem's log; empty for an event of metadata, users, tokens and webhooks."`
	Audit           []AuditEntry  `json:"audit,omitempty" doc:"The new entries in the audit log; only for an event of metadata, users, tokens and webhooks."`
}

// EventProblem is the problem of an event, right after the event.
type EventProblem struct {
	Identifier int64     `json:"identifier" minimum:"1"`
	Title      string    `json:"title"`
	State      Reference `json:"state" doc:"With today's name."`
	Revision   int64     `json:"revision" minimum:"1"`
}

// Event writes an event of the feed.
func (e *Encoder) Event(v tracker.PublishedEvent) { e.event(v, v.Cursor.String()) }

// ServerSent writes an event of the feed as a server-sent event.
func (e *Encoder) ServerSent(v tracker.PublishedEvent) {
	id := v.Cursor.String()
	e.Buf = append(append(append(e.Buf, "id: "...), id...), "\ndata: "...)
	e.event(v, id)
	e.Buf = append(e.Buf, "\n\n"...)
}

func (e *Encoder) event(v tracker.PublishedEvent, id string) {
	name := v.ViaName // alone: the function would keep the whole event
	e.TokenNames = func(ident.ID) string { return name }
	e.Open('{')
	e.key("identifier").Text(id)
	e.key("type").Text(string(v.Type))
	e.key("timestamp").Time(v.At)
	e.key("author").UserRef(v.Author)
	e.via(v.Via)
	e.key("batchIdentifier").ID(v.Batch)
	if v.Admin() {
		e.key("problem").null()
		e.key("logs").Open('[')
		e.Close(']')
		e.key("audit")
		e.eventAudit(v)
	} else {
		e.key("problem").eventProblem(v)
		e.key("logs")
		e.eventLog(v)
	}
	e.Close('}')
}

func (e *Encoder) eventProblem(v tracker.PublishedEvent) {
	e.Open('{')
	e.key("identifier").Int(int64(v.Problem))
	e.key("title").Text(v.Title)
	e.key("state").StateRef(v.State)
	e.key("revision").Int(v.Revision)
	e.Close('}')
}

func (e *Encoder) eventLog(v tracker.PublishedEvent) {
	e.Open('[')
	for _, l := range v.Lines {
		e.logEntry(problem.LogEntry{
			ID: l.ID, Problem: v.Problem, Type: problem.LogType(l.Type), Created: v.At, Author: v.Author, Via: v.Via, Batch: v.Batch,
			Field: l.Field, From: l.From, To: l.To, Revision: v.Revision,
		})
	}
	e.Close(']')
}

func (e *Encoder) eventAudit(v tracker.PublishedEvent) {
	e.Open('[')
	for _, l := range v.Lines {
		e.AuditEntry(audit.Entry{
			ID: l.ID, Created: v.At, Author: v.Author, Batch: v.Batch, Type: audit.Type(l.Type), Kind: v.Kind,
			Object: v.Object, Name: v.Name, Field: l.Field, From: l.From, To: l.To,
		})
	}
	e.Close(']')
}
