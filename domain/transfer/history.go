package transfer

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// history follows the log of one problem. The entries have to lead from nothing to the
// problem, through all savepoints (D8).
type history struct {
	ids      map[ident.ID]Kind // of the log entries and comments
	comments []mentioned       // in the log
	files    []mentioned       // likewise

	fields   problem.Fields // after the entries so far
	set      bool           // whether the latest batch created the problem or set a field
	saved    int            // the number of matched savepoints
	modifier ident.ID       // the author of the latest change but of watchers
	modified time.Time
}

// mentioned is a comment or an attachment that a log entry is about.
type mentioned struct {
	id    ident.ID
	line  int64
	field string // of the entry
}

func (h *history) begin(p problem.Problem) {
	clear(h.ids)
	*h = history{ids: h.ids, comments: h.comments[:0], modified: p.Created}
}

// identify checks that the identifier is unique in the problem.
func (h *history) identify(c *Checker, id ident.ID, kind Kind) {
	if other, taken := h.ids[id]; taken {
		c.refuse("/identifier", "another %v of the problem has this already", other)
	}
	h.ids[id] = kind
}

func (c *Checker) logEntry(e problem.LogEntry) {
	c.belongs(e.Problem)
	c.identifier("/identifier", e.ID)
	c.history.identify(c, e.ID, KindLogEntry)
	c.identifier("/batchIdentifier", e.Batch)
	c.reference("/author", metadata.Users, e.Author)
	c.via(e.Via)
	c.moment("/creationDate", e.Created)
	c.history.follow(c, e)
	if c.fault == nil {
		c.shown(&e)
	}
	c.current.Log = append(c.current.Log, e)
}

// follow checks that an entry continues the log: one batch for each revision.
func (h *history) follow(c *Checker, e problem.LogEntry) {
	if len(c.current.Log) == 0 {
		h.start(c, e)
	} else {
		h.next(c, c.current.Log[len(c.current.Log)-1], e)
	}
	if e.Created.Before(h.modified) {
		c.refuse("/creationDate", "must not be earlier than that of the change before")
	}
	if e.Type.Modifies() {
		h.modifier, h.modified = e.Author, e.Created
	}
	h.set = h.set || e.Type == problem.ProblemCreated || e.Type == problem.FieldChanged
}

func (h *history) start(c *Checker, e problem.LogEntry) {
	switch {
	case e.Type != problem.ProblemCreated:
		c.refuse("/type", "must be %s: that is the first entry of every log", problem.ProblemCreated)
	case e.Revision != 1:
		c.refuse("/revision", "must be 1 in the first entry")
	case e.Author != c.current.Originator:
		c.refuse("/author", "must be the problem's originator in the first entry")
	case !e.Created.Equal(c.current.Created):
		c.refuse("/creationDate", "must be that of the problem in the first entry")
	}
}

func (h *history) next(c *Checker, before, e problem.LogEntry) {
	switch e.Revision {
	case before.Revision:
		switch {
		case e.Batch != before.Batch:
			c.refuse("/batchIdentifier", "must be that of the line before, which has the same revision")
		case e.Author != before.Author:
			c.refuse("/author", "must be that of the line before, which is of the same batch")
		case e.Via != before.Via:
			c.refuse("/via", "must be that of the line before, which is of the same batch")
		case !e.Created.Equal(before.Created):
			c.refuse("/creationDate", "must be that of the line before, which is of the same batch")
		}
	case before.Revision + 1:
		if e.Batch == before.Batch {
			c.refuse("/batchIdentifier", "must not be that of the line before, which has another revision")
		}
		h.closeBatch(c, before)
	default:
		c.refuse("/revision", "must be %d or %d: it starts at 1, and each batch raises it by 1", before.Revision, before.Revision+1)
	}
	if e.Type == problem.ProblemCreated {
		c.refuse("/type", "must not be %s: that is the first entry only", e.Type)
	}
}

// closeBatch checks the savepoint of a batch, if it has to have one. The given entry is
// the last of the batch.
func (h *history) closeBatch(c *Checker, last problem.LogEntry) {
	if !h.set {
		return
	}
	h.set = false
	if h.saved == len(c.current.Savepoints) {
		line := c.first[KindLogEntry] + int64(len(c.current.Log)) - 1
		c.refuseAt(line, "/batchIdentifier", "the batch has no savepoint, though it created the problem or changed a field")
		return
	}
	s := c.current.Savepoints[h.saved]
	line := c.first[KindSavepoint] + int64(h.saved)
	h.saved++
	switch {
	case s.Batch != last.Batch:
		c.refuseAt(line, "/batchIdentifier", "must be that of a batch in the log that created the problem or changed a field, in their order")
	case s.Revision != last.Revision:
		c.refuseAt(line, "/revision", "must be %d, that of the batch in the log", last.Revision)
	case s.Modifier != last.Author:
		c.refuseAt(line, "/modifier", "must be the author of the batch in the log")
	case !s.Modified.Equal(last.Created):
		c.refuseAt(line, "/modificationDate", "must be that of the batch in the log")
	default:
		compare(c, line, s.Fields, h.fields, "the log leads to another value")
	}
}

// close checks the problem against the end of its log and savepoints.
func (h *history) close(c *Checker) {
	p, line := c.current.Problem, c.first[KindProblem]
	if len(c.current.Log) == 0 {
		c.refuseAt(line, "", "has no log: its first entry is %s", problem.ProblemCreated)
		return
	}
	last := c.current.Log[len(c.current.Log)-1]
	h.closeBatch(c, last)
	if h.saved < len(c.current.Savepoints) {
		c.refuseAt(c.first[KindSavepoint]+int64(h.saved), "/batchIdentifier", "the log has no such batch that created the problem or changed a field")
	}
	for _, a := range h.comments {
		if h.ids[a.id] != KindComment {
			c.refuseAt(a.line, a.field, "the problem has no such comment")
		}
	}
	for _, a := range h.files {
		if h.ids[a.id] != KindAttachment {
			c.refuseAt(a.line, a.field, "the problem has no such attachment")
		}
	}
	h.corrections(c)
	if c.fault != nil {
		return
	}
	switch saved := c.current.Savepoints[h.saved-1]; {
	case p.Revision != last.Revision:
		c.refuseAt(line, "/revision", "must be %d, that of the last entry of the log", last.Revision)
	case p.Modifier != h.modifier:
		c.refuseAt(line, "/modifier", "must be the author of the last entry of the log but those about watchers")
	case !p.Modified.Equal(h.modified):
		c.refuseAt(line, "/modificationDate", "must be that of the last entry of the log but those about watchers")
	case p.Resolver != saved.Resolver:
		c.refuseAt(line, "/resolver", "must be that of the last savepoint")
	case !p.Resolved.Equal(saved.Resolved):
		c.refuseAt(line, "/resolveDate", "must be that of the last savepoint")
	default:
		compare(c, line, p.Fields, h.fields, "the log leads to another value")
	}
}

// compare refuses the first differing field on a line.
func compare(c *Checker, line int64, is, want problem.Fields, reason string) {
	for _, f := range clientFields {
		if !f.Same(&is, &want) {
			c.refuseAt(line, "/"+f.Name, "%s", reason)
		}
	}
}
