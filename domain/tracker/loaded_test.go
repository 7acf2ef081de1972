package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// by is a caller that may do everything the tracker decides about.
func by(who ident.ID) Caller { return Caller{User: who, Scope: access.Admin} }

// newLoaded is problem 7 in its third revision, made and last changed by Ann, as
// somebody sees it who has not read it. Nobody is assigned.
func newLoaded(edits ...func(*loaded)) loaded {
	l := loaded{
		Snapshot: snapshot.Snapshot{
			Problem: problem.Problem{
				ID:         7,
				Fields:     problem.Fields{Title: "Login fails", State: kit.Open, Priority: kit.Low},
				Originator: kit.Ann,
				Created:    kit.Noon.Add(-time.Hour),
				Modifier:   kit.Ann,
				Modified:   kit.Noon,
				Revision:   3,
			},
			Batch:     kit.StoredBy,
			Catalogue: kit.CatalogueVersion,
			Keywords: []problem.Keyword{
				{Name: "build", Value: problem.Text("1A2")},
				{Name: "regression"},
			},
		},
		catalogue: kit.Catalogue,
	}
	for _, edit := range edits {
		edit(&l)
	}
	return l
}

func in(state ident.ID) func(*loaded)     { return func(l *loaded) { l.State = state } }
func assigned(to ident.ID) func(*loaded)  { return func(l *loaded) { l.Assignee = to } }
func component(id ident.ID) func(*loaded) { return func(l *loaded) { l.Component = id } }
func read(l *loaded)                      { l.Read = true }

func resolvedBy(who ident.ID, when time.Time) func(*loaded) {
	return func(l *loaded) { l.State, l.Resolver, l.Resolved = kit.Closed, who, when }
}
