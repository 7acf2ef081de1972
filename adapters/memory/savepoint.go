package memory

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// savepoint is a store.Savepoint as it is kept, in about half of the memory. What it
// refers to is in memory that all share.
type savepoint struct {
	batch                                                           ident.ID
	title                                                           string
	state, priority, classification, component, milestone, assignee *ident.ID
	originator, modifier, resolver                                  *ident.ID
	created, modified, resolved                                     int64 // Unix milliseconds
	revision                                                        int64
}

// savepoint returns the savepoint of a problem as it is kept.
func (i interned) savepoint(batch ident.ID, p *problem.Problem) savepoint {
	return savepoint{
		batch: batch, title: p.Title,
		state: i.id(p.State), priority: i.id(p.Priority), classification: i.id(p.Classification),
		component: i.id(p.Component), milestone: i.id(p.Milestone), assignee: i.id(p.Assignee),
		originator: i.id(p.Originator), modifier: i.id(p.Modifier), resolver: i.id(p.Resolver),
		created: p.Created.UnixMilli(), modified: p.Modified.UnixMilli(), resolved: p.Resolved.UnixMilli(),
		revision: p.Revision,
	}
}

// historyOf returns the savepoints of a problem as they are read.
func historyOf(owner problem.ID, savepoints []savepoint) []store.Savepoint {
	if len(savepoints) == 0 {
		return nil
	}
	read := make([]store.Savepoint, len(savepoints))
	for i := range savepoints {
		s := &savepoints[i]
		read[i] = store.Savepoint{Batch: s.batch, Problem: problem.Problem{
			ID: owner,
			Fields: problem.Fields{
				Title: s.title, State: *s.state, Priority: *s.priority, Classification: *s.classification,
				Component: *s.component, Milestone: *s.milestone, Assignee: *s.assignee,
			},
			Originator: *s.originator, Created: timeOf(s.created), Modifier: *s.modifier, Modified: timeOf(s.modified),
			Resolver: *s.resolver, Resolved: timeOf(s.resolved), Revision: s.revision,
		}}
	}
	return read
}

// timeOf returns the time of Unix milliseconds, which for those of the zero time is the
// zero time.
func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
