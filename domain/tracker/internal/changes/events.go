package changes

import (
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Publish adds the events of the Change to its effects: one for each problem with log
// entries, and one for each object with audit entries, in the order of their first entry
// (D39). A Change without such entries, such as a read mark, is no event.
func Publish(change *store.Change) {
	for _, e := range Events(*change) {
		change.Effects = append(change.Effects, store.Publish{Event: e})
	}
}

// Events returns the events of a Change.
func Events(change store.Change) []event.Event {
	var events []event.Event
	problems := make(map[problem.ID]problem.Problem)
	created := make(map[problem.ID]bool)
	objects := make(map[ident.ID]int) // by object, the index of its event
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.CreateProblem:
			problems[e.Problem.ID], created[e.Problem.ID] = e.Problem, true
		case store.UpdateProblem:
			problems[e.Problem.ID] = e.Problem
		case store.AppendAudit:
			i, found := objects[e.Entry.Object]
			if !found {
				i = len(events)
				objects[e.Entry.Object] = i
				events = append(events, event.Event{Type: event.TypeOf(e.Entry.Kind, false), Kind: e.Entry.Kind, Object: e.Entry.Object})
			}
			if e.Entry.Type == audit.Created {
				events[i].Type = event.TypeOf(e.Entry.Kind, true)
			}
			events[i].Name = e.Entry.Name
			events[i].Lines = append(events[i].Lines, event.Line{
				ID: e.Entry.ID, Type: string(e.Entry.Type), Field: e.Entry.Field, From: e.Entry.From, To: e.Entry.To,
			})
		}
	}
	logged := make(map[problem.ID]int) // by problem, the index of its event
	for _, entry := range change.Log {
		i, found := logged[entry.Problem]
		if !found {
			i = len(events)
			logged[entry.Problem] = i
			p := problems[entry.Problem]
			of := event.ProblemChanged
			if created[entry.Problem] {
				of = event.ProblemCreated
			}
			events = append(events, event.Event{Type: of, Problem: entry.Problem, Title: p.Title, State: p.State, Revision: entry.Revision})
		}
		events[i].Lines = append(events[i].Lines, event.Line{
			ID: entry.ID, Type: string(entry.Type), Field: entry.Field, From: entry.From, To: entry.To,
		})
	}
	return events
}
