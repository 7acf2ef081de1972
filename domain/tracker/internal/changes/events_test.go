package changes

import (
	"reflect"
	"testing"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func TestEventsOf(t *testing.T) {
	t.Parallel()
	one, two := ident.ID{15: 1}, ident.ID{15: 2}
	lamp := problem.Problem{ID: 7, Fields: problem.Fields{Title: "Lamp", State: one}, Revision: 3}
	door := problem.Problem{ID: 8, Fields: problem.Fields{Title: "Door", State: two}, Revision: 1}
	entry := func(id byte, of problem.ID, kind problem.LogType, field string, revision int64) problem.LogEntry {
		return problem.LogEntry{ID: ident.ID{0: id}, Problem: of, Type: kind, Field: field, From: "1", To: "2", Revision: revision}
	}
	line := func(id byte, kind, field string) event.Line {
		return event.Line{ID: ident.ID{0: id}, Type: kind, Field: field, From: "1", To: "2"}
	}
	audited := func(id byte, of audit.Type, object ident.ID, name, field string) store.Effect {
		return store.AppendAudit{Entry: audit.Entry{ID: ident.ID{0: id}, Type: of, Kind: audit.User, Object: object, Name: name, Field: field, From: "1", To: "2"}}
	}
	for _, test := range []struct {
		rule   string
		change store.Change
		want   []event.Event
	}{
		{"nothing logged is no event", store.Change{Effects: []store.Effect{
			store.MarkRead{Problem: 7, User: one, Read: true}, store.PutQuery{}, store.KeepReply{}, store.UpdateProblem{Problem: lamp},
		}}, nil},
		{"a created problem", store.Change{
			Effects: []store.Effect{store.CreateProblem{Problem: door}},
			Log:     []problem.LogEntry{entry(1, 8, problem.ProblemCreated, "", 1)},
		}, []event.Event{{Type: event.ProblemCreated, Problem: 8, Title: "Door", State: two, Revision: 1, Lines: []event.Line{line(1, "ProblemCreated", "")}}}},
		{"several problems, each once, in the order of the log", store.Change{
			Effects: []store.Effect{store.UpdateProblem{Problem: door}, store.UpdateProblem{Problem: lamp}},
			Log: []problem.LogEntry{
				entry(1, 7, problem.FieldChanged, "title", 3), entry(2, 8, problem.KeywordSet, "area", 1), entry(3, 7, problem.FieldChanged, "state", 3),
			},
		}, []event.Event{
			{Type: event.ProblemChanged, Problem: 7, Title: "Lamp", State: one, Revision: 3, Lines: []event.Line{line(1, "FieldChanged", "title"), line(3, "FieldChanged", "state")}},
			{Type: event.ProblemChanged, Problem: 8, Title: "Door", State: two, Revision: 1, Lines: []event.Line{line(2, "KeywordSet", "area")}},
		}},
		{"administration, with the newest name", store.Change{Effects: []store.Effect{
			audited(1, audit.Changed, one, "Ann", "name"), audited(2, audit.Created, two, "Bob", ""), audited(3, audit.Changed, one, "Anna", "email"),
		}}, []event.Event{
			{Type: "user.changed", Kind: audit.User, Object: one, Name: "Anna", Lines: []event.Line{line(1, "Changed", "name"), line(3, "Changed", "email")}},
			{Type: "user.created", Kind: audit.User, Object: two, Name: "Bob", Lines: []event.Line{line(2, "Created", "")}},
		}},
	} {
		if got := Events(test.change); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", test.rule, got, test.want)
		}
	}
}
