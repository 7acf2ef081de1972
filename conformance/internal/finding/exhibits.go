package finding

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// exhibits are a few problems with differences in everything searchable. Their numbers
// are 1, 2, 3, 5, 8 and 13.
type exhibits struct {
	bench.Holdings
	Ann, bo, cy            ident.ID // users
	open, progress, closed ident.ID // states
}

// on returns a moment of the month of findings.
func on(day int) time.Time { return time.Date(2026, time.March, day, 8, 0, 0, 0, time.UTC) }

// ExhibitsOf returns them, not yet stored.
func ExhibitsOf(b *bench.Bench) exhibits {
	x := exhibits{Ann: b.ID(), bo: b.ID(), cy: b.ID(), open: b.ID(), progress: b.ID(), closed: b.ID()}
	high, low, bug, task := b.ID(), b.ID(), b.ID(), b.ID()
	engine, pump, old, next, beta := b.ID(), b.ID(), b.ID(), b.ID(), b.ID()
	x.Metadata = metadata.Content{
		States: []metadata.State{
			{ID: x.open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{x.progress, x.closed}},
			{ID: x.progress, Name: "In Progress", Order: 2, Next: []ident.ID{x.open, x.closed}},
			{ID: x.closed, Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{x.open}},
		},
		Priorities:      []metadata.Priority{{ID: high, Name: "High", Order: 1}, {ID: low, Name: "Low", Order: 2}},
		Classifications: []metadata.Classification{{ID: bug, Name: "Bug"}, {ID: task, Name: "Task"}},
		Components: []metadata.Component{
			{ID: engine, Name: "Engine"}, {ID: pump, Name: "Pump", Parent: engine}, {ID: old, Name: "Old", Closed: true, Successor: pump},
		},
		Milestones: []metadata.Milestone{
			{ID: next, Name: "Next", Created: on(1)}, {ID: beta, Name: "Beta", Component: pump, Created: on(1), Start: on(1), End: on(20)},
		},
		Users: []user.User{
			{ID: x.Ann, Name: "Ann", Email: "ann@example.org"}, {ID: x.bo, Name: "Bo", Email: "bo@example.org"},
			{ID: x.cy, Name: "Cy", Email: "cy@example.org", Inactive: true},
		},
	}
	x.Add(b, problem.Problem{ID: 1, Fields: problem.Fields{Title: "API leaks", State: x.open, Priority: high, Classification: bug, Component: pump, Milestone: next, Assignee: x.Ann},
		Originator: x.Ann, Created: on(1), Modifier: x.bo, Modified: on(14), Revision: 4})
	x.Add(b, problem.Problem{ID: 2, Fields: problem.Fields{Title: "api documentation", State: x.progress, Priority: low, Component: engine, Milestone: beta},
		Originator: x.bo, Created: on(5), Modifier: x.bo, Modified: on(5), Revision: 1})
	x.Add(b, problem.Problem{ID: 3, Fields: problem.Fields{Title: "Crash", State: x.closed, Assignee: x.bo},
		Originator: x.Ann, Created: on(2), Modifier: x.Ann, Modified: on(12), Resolver: x.Ann, Resolved: on(12), Revision: 2})
	x.Add(b, problem.Problem{ID: 5, Fields: problem.Fields{Title: "\u00c9clair \u00fcber alles", State: x.open, Priority: high, Classification: task, Component: pump, Milestone: next, Assignee: x.bo},
		Originator: x.cy, Created: on(14), Modifier: x.cy, Modified: on(14), Revision: 7})
	x.Add(b, problem.Problem{ID: 8, Fields: problem.Fields{Title: "eclair UBER alles", State: x.progress, Priority: low, Component: old, Assignee: x.cy},
		Originator: x.Ann, Created: on(-59), Modifier: x.Ann, Modified: on(-59), Revision: 1})
	x.Add(b, problem.Problem{ID: 13, Fields: problem.Fields{Title: `100% of [a-z]* are \'quoted_'?`, State: x.open},
		Originator: x.bo, Created: findings.Add(-time.Millisecond), Modifier: x.bo, Modified: findings.Add(-time.Millisecond), Revision: 1})

	first, second, third := &x.Dossiers[0], &x.Dossiers[1], &x.Dossiers[2]
	first.Keywords = []problem.Keyword{{Name: "area", Value: problem.Text("Kitchen")}, {Name: "build", Value: problem.Text("")}, {Name: "price"}}
	first.Comments = []problem.Comment{
		{ID: b.ID(), Author: x.Ann, Created: on(13), Text: "Wet."}, {ID: b.ID(), Author: x.bo, Created: on(14), Text: "100% dry_"},
	}
	first.Watchers, first.Readers = []ident.ID{x.Ann, x.bo}, []ident.ID{x.Ann}
	commented, watched := first.Log[0], first.Log[0]
	commented.ID, commented.Type, commented.Author, commented.Created, commented.Revision = b.ID(), problem.CommentAdded, x.bo, on(14), 4
	watched.ID, watched.Type, watched.Author, watched.Revision = b.ID(), problem.WatcherAdded, x.bo, 2
	first.Log = append(first.Log, watched, commented)
	corrected := second.Log[0]
	corrected.ID, corrected.Type, corrected.Author, corrected.Revision = b.ID(), problem.CommentEdited, x.bo, 2
	second.Log = append(second.Log, corrected)
	first.Savepoints[0].Modifier, first.Savepoints[0].Modified = x.Ann, on(1)

	second.Keywords = []problem.Keyword{{Name: "AREA", Value: problem.Text("kitchen")}}
	second.Comments = []problem.Comment{{ID: b.ID(), Author: x.cy, Created: on(5), Text: "one\ntwo"}}
	second.Watchers, second.Readers = []ident.ID{x.bo}, []ident.ID{x.bo}
	third.Readers = []ident.ID{x.Ann, x.bo}
	created := third.Savepoints[0]
	created.Batch, created.State, created.Resolver, created.Resolved, created.Modified, created.Revision = b.ID(), x.open, ident.None, time.Time{}, on(2), 1
	third.Savepoints = []snapshot.Savepoint{created, third.Savepoints[0]}
	x.Dossiers[3].Keywords = []problem.Keyword{{Name: "\u00e9", Value: problem.Text("na\u00efve")}}
	x.Dossiers[3].Watchers = []ident.ID{x.cy}
	x.Dossiers[4].Readers = []ident.ID{x.cy}

	b.Relate(first, relationship.BlockedBy, second)
	b.Relate(first, relationship.BlockedBy, third)
	b.Relate(second, relationship.ParentOf, &x.Dossiers[3])
	b.Relate(&x.Dossiers[3], relationship.ParentOf, &x.Dossiers[4])
	b.Relate(third, relationship.DuplicateOf, first)
	return x
}

// Add adds a problem, as it was created.
func (x *exhibits) Add(b *bench.Bench, p problem.Problem) {
	batch := b.ID()
	x.Dossiers = append(x.Dossiers, store.Dossier{
		Problem:    p,
		Savepoints: []snapshot.Savepoint{{Batch: batch, Problem: p}},
		Log:        []problem.LogEntry{{ID: b.ID(), Problem: p.ID, Type: problem.ProblemCreated, Created: p.Created, Author: p.Originator, Batch: batch, To: problem.LogObject(), Revision: 1}},
	})
}

// numbers returns the identifiers of the found problems.
func numbers(hits []store.Hit) (ids []problem.ID) {
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// Without returns the numbers of the exhibits but some.
func Without(gone ...problem.ID) []problem.ID {
	return slices.DeleteFunc([]problem.ID{1, 2, 3, 5, 8, 13}, func(id problem.ID) bool { return slices.Contains(gone, id) })
}
