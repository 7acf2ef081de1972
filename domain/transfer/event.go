package transfer

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// event checks an event of the feed (D39). Titles and names are historical, and the values
// of lines stay byte for byte: consumers may have seen them.
func (c *Checker) event(e Event) {
	c.numbered(e)
	c.identifier("/batchIdentifier", e.Batch)
	c.moment("/creationDate", e.At)
	if !e.Author.IsNone() {
		c.reference("/author", metadata.Users, e.Author)
	}
	c.via(e.Via)
	switch {
	case !slices.Contains(event.Types(), e.Type):
		c.refuse("/type", "must be one of: %s", list(event.Types()))
	case e.Type == event.ProblemCreated || e.Type == event.ProblemChanged:
		c.problemEvent(e.Event)
	default:
		c.administrationEvent(e.Event)
	}
	if len(e.Lines) == 0 {
		c.refuse("/lines", "must not be empty")
	}
	for i, l := range e.Lines {
		c.eventLine(Pointer("/lines", fmt.Sprint(i)), l)
	}
	c.latestEvent = e
}

// numbered checks that an event continues its entry, or begins the next one.
func (c *Checker) numbered(e Event) {
	before := c.latestEvent
	switch {
	case e.Number < 1 || e.Number > MaxInteger:
		c.refuse("/number", "must be an integer from 1 to %d", int64(MaxInteger))
	case before.Number == 0 || e.Number == before.Number+1:
		if before.Number != 0 && e.Batch == before.Batch {
			c.refuse("/batchIdentifier", "must not be that of the line before, which has another number")
		}
	case e.Number != before.Number:
		c.refuse("/number", "must be %d or %d: entries are numbered without gaps", before.Number, before.Number+1)
	case e.Batch != before.Batch:
		c.refuse("/batchIdentifier", "must be that of the line before, which has the same number")
	case !e.At.Equal(before.At):
		c.refuse("/creationDate", "must be that of the line before, which has the same number")
	case e.Author != before.Author:
		c.refuse("/author", "must be that of the line before, which has the same number")
	case e.Via != before.Via:
		c.refuse("/via", "must be that of the line before, which has the same number")
	}
}

func (c *Checker) problemEvent(e event.Event) {
	if !c.graph.has(e.Problem) {
		c.refuse("/problem", "%s", noProblem(e.Problem))
	}
	if e.Revision < 1 {
		c.refuse("/revision", "must be at least 1")
	}
	c.text("/title", text.Rule{}, e.Title)
	c.reference("/state", metadata.States, e.State)
	if e.Kind != "" || !e.Object.IsNone() || e.Name != "" {
		c.refuse("/objectKind", "must be null, as object and name: the event is about a problem")
	}
}

func (c *Checker) administrationEvent(e event.Event) {
	c.audited(audit.Entry{Kind: e.Kind, Object: e.Object})
	if e.Type != event.TypeOf(e.Kind, true) && e.Type != event.TypeOf(e.Kind, false) {
		c.refuse("/type", "must be %s or %s, for its kind of object", event.TypeOf(e.Kind, true), event.TypeOf(e.Kind, false))
	}
	c.text("/name", text.Rule{}, e.Name)
	if e.Problem != 0 || e.Revision != 0 || e.Title != "" || !e.State.IsNone() {
		c.refuse("/problem", "must be null, as revision, title and state: the event is about an object of administration")
	}
}

func (c *Checker) eventLine(at string, l event.Line) {
	c.identifier(at+"/identifier", l.ID)
	if l.Type == "" {
		c.refuse(at+"/type", "must not be empty")
	}
	for name, value := range map[string]problem.LogValue{"/from": l.From, "/to": l.To} {
		if value != "" && !json.Valid([]byte(value)) {
			c.refuse(at+name, "must be JSON text, or null")
		}
	}
}
