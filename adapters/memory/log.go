package memory

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// entry is a problem.LogEntry in about half of the memory: logs are the largest part of a
// tracker.
type entry struct {
	id, batch ident.ID
	author    *author // in memory common to all
	created   int64   // Unix milliseconds
	revision  int64
	*content
}

// content is a log entry without its author, problem and time. It never changes, and most
// entries share it with others.
type content struct {
	kind     problem.LogType
	field    string
	from, to problem.LogValue
}

// entry returns the log entry as it is kept.
func (i interned) entry(e problem.LogEntry) entry {
	return entry{
		id: e.ID, batch: e.Batch, author: i.author(e.Author, e.Via), created: e.Created.UnixMilli(), revision: e.Revision,
		content: i.content(content{e.Type, e.Field, e.From, e.To}),
	}
}

// logOf returns the log of a problem as it is read.
func logOf(owner problem.ID, log []entry) []problem.LogEntry {
	if len(log) == 0 {
		return nil
	}
	read := make([]problem.LogEntry, len(log))
	for i := range log {
		e := &log[i]
		read[i] = problem.LogEntry{
			ID: e.id, Problem: owner, Type: e.kind, Created: timeOf(e.created), Author: e.author.user, Via: e.author.via, Batch: e.batch,
			Field: e.field, From: e.from, To: e.to, Revision: e.revision,
		}
	}
	return read
}
