package httpapi

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// The records of this file are the examples of the OpenAPI document. They are
// written by the same encoder as real answers, so that they cannot differ in form.

var (
	sampleTime = time.Date(2015, time.November, 5, 9, 30, 0, 125e6, time.UTC)
	sampleAnn  = user.User{ID: sampleID(1), Name: "Ann", Email: "ann@example.org"}
	sampleBob  = user.User{ID: sampleID(2), Name: "Bob", Email: "bob@example.org"}

	sampleOpen     = metadata.State{ID: sampleID(3), Name: "Open", Initial: true, Order: 1, Next: []ident.ID{sampleID(4)}}
	sampleProgress = metadata.State{ID: sampleID(4), Name: "In Progress", Order: 2, Next: []ident.ID{sampleID(3), sampleID(19)}}
	sampleClosed   = metadata.State{ID: sampleID(19), Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{sampleID(3)}}

	samplePriority       = metadata.Priority{ID: sampleID(5), Name: "High", Order: 2}
	sampleClassification = metadata.Classification{ID: sampleID(6), Name: "Incorrect Behavior"}
	sampleServer         = metadata.Component{ID: sampleID(7), Name: "Server"}
	sampleAccounts       = metadata.Component{ID: sampleID(8), Name: "Accounts", Parent: sampleID(7)}
	sampleMilestone      = metadata.Milestone{ID: sampleID(9), Name: "Spring", Component: sampleID(7), Created: sampleTime, End: sampleTime.AddDate(0, 6, 0)}

	sampleToken = access.Token{ID: sampleID(15), User: sampleAnn.ID, Scope: access.Write, Created: sampleTime,
		Expires: time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)}
)

// sampleID returns the n-th identifier of the samples.
func sampleID(n int) ident.ID {
	ids := ident.NewSequence(time.Date(2015, time.November, 5, 0, 0, 0, 0, time.UTC), [10]byte{})
	id := ids.Next()
	for range n {
		id = ids.Next()
	}
	return id
}

// sampleSecret returns the secret that anybody can guess.
func sampleSecret() access.Secret { return access.NewSecret([32]byte{}) }

// sampleVersion is that of the catalogue.
var sampleVersion = ident.Version{Number: 14, Batch: sampleID(19)}

func sampleCatalogue() *metadata.Catalogue {
	return metadata.NewCatalogue(sampleVersion, metadata.Content{
		States:          []metadata.State{sampleOpen, sampleProgress, sampleClosed},
		Priorities:      []metadata.Priority{samplePriority},
		Classifications: []metadata.Classification{sampleClassification},
		Components:      []metadata.Component{sampleServer, sampleAccounts},
		Milestones:      []metadata.Milestone{sampleMilestone},
		Users:           []user.User{sampleAnn, sampleBob},
	})
}

func sampleSnapshot() store.Snapshot {
	return store.Snapshot{
		Problem: problem.Problem{
			ID: 12,
			Fields: problem.Fields{
				Title:          "The login page answers slowly",
				State:          sampleProgress.ID,
				Priority:       sampleID(5),
				Classification: sampleID(6),
				Component:      sampleID(8),
				Milestone:      sampleID(9),
				Assignee:       sampleAnn.ID,
			},
			Originator: sampleBob.ID,
			Created:    sampleTime,
			Modifier:   sampleAnn.ID,
			Modified:   sampleTime.Add(time.Hour),
			Revision:   3,
		},
		Batch:          sampleID(13),
		Catalogue:      sampleVersion,
		Watching:       false,
		Read:           true,
		ReadByAssignee: true,
		Keywords:       []problem.Keyword{{Name: "customer"}, {Name: "version", Value: problem.Text("7.4.1")}},
		Log: []problem.LogEntry{
			{
				ID: sampleID(10), Problem: 12, Type: problem.ProblemCreated, Created: sampleTime, Author: sampleBob.ID, Batch: sampleID(11), Revision: 1,
				To: problem.LogObject(
					problem.LogMember{Name: "title", Value: problem.LogText("The login page answers slowly")},
					problem.LogMember{Name: "state", Value: problem.LogRef(sampleOpen.ID, sampleOpen.Name)},
				),
			},
			{
				ID: sampleID(12), Problem: 12, Type: problem.FieldChanged, Created: sampleTime.Add(time.Hour), Author: sampleAnn.ID, Batch: sampleID(13), Revision: 3,
				Field: "state", From: problem.LogRef(sampleOpen.ID, sampleOpen.Name), To: problem.LogRef(sampleProgress.ID, sampleProgress.Name),
			},
		},
	}
}

// sampleCreated returns what the example of createProblem leads to.
func sampleCreated() store.Snapshot {
	return store.Snapshot{
		Problem: problem.Problem{
			ID:         14,
			Fields:     problem.Fields{Title: "The login page answers slowly", State: sampleOpen.ID, Priority: sampleID(5), Assignee: sampleAnn.ID},
			Originator: sampleAnn.ID,
			Created:    sampleTime,
			Modifier:   sampleAnn.ID,
			Modified:   sampleTime,
			Revision:   1,
		},
		Batch:          sampleID(18),
		Catalogue:      sampleVersion,
		Read:           true,
		ReadByAssignee: true,
		Keywords:       []problem.Keyword{{Name: "version", Value: problem.Text("7.4.1")}},
		Log: []problem.LogEntry{{
			ID: sampleID(17), Problem: 14, Type: problem.ProblemCreated, Created: sampleTime, Author: sampleAnn.ID, Batch: sampleID(18),
			To: problem.LogObject(
				problem.LogMember{Name: "title", Value: problem.LogText("The login page answers slowly")},
				problem.LogMember{Name: "state", Value: problem.LogRef(sampleOpen.ID, sampleOpen.Name)},
				problem.LogMember{Name: "priority", Value: problem.LogRef(sampleID(5), "High")},
				problem.LogMember{Name: "assignee", Value: problem.LogRef(sampleAnn.ID, sampleAnn.Name)},
			),
		}, {
			ID: sampleID(26), Problem: 14, Type: problem.KeywordSet, Created: sampleTime, Author: sampleAnn.ID, Batch: sampleID(18),
			Field: "version", To: problem.LogText("7.4.1"),
		}},
	}
}

// sampleUpdated returns what the example of updateProblem leads to.
func sampleUpdated() store.Snapshot {
	s := sampleSnapshot()
	cleared := s.Log[1]
	cleared.ID, cleared.Field = sampleID(16), "milestone"
	cleared.From, cleared.To = problem.LogRef(s.Milestone, "Spring"), ""
	s.Milestone, s.Log = ident.None, []problem.LogEntry{s.Log[1], cleared}
	return s
}

func sampleQuery() query.Saved {
	return query.Saved{ID: sampleID(30), Owner: sampleAnn.ID, Name: "Mine, the latest first",
		Predicate: "state.resolved = NO AND assignee.identifier = $ApiUser", Sort: "-modificationDate", Created: sampleTime}
}

// sampleAudit is what the example of updateState leads to, after the first start.
func sampleAudit() []audit.Entry {
	ref := func(s metadata.State) problem.LogValue { return problem.LogRef(s.ID, s.Name) }
	return []audit.Entry{
		{
			ID: sampleID(21), Created: sampleTime, Batch: sampleID(22), Type: audit.Created, Kind: audit.Priority, Object: samplePriority.ID, Name: samplePriority.Name,
			To: problem.LogObject(
				problem.LogMember{Name: "name", Value: problem.LogText(samplePriority.Name)},
				problem.LogMember{Name: "order", Value: problem.LogNumber(samplePriority.Order)},
			),
		},
		{
			ID: sampleID(23), Created: sampleTime.Add(time.Hour), Author: sampleAnn.ID, Batch: sampleID(24), Type: audit.Changed, Kind: audit.State, Object: sampleOpen.ID, Name: sampleOpen.Name,
			Field: "nextStates", From: problem.LogArray(ref(sampleProgress)), To: problem.LogArray(ref(sampleProgress), ref(sampleClosed)),
		},
	}
}

func sampleComment() problem.Comment {
	return problem.Comment{ID: sampleID(14), Author: sampleAnn.ID, Created: sampleTime, Text: "Seen again on the second server."}
}

func sampleRelated() store.Related {
	return store.Related{
		Relationship: relationship.Relationship{Owner: 12, Type: relationship.ParentOf, Other: 13, Created: sampleTime, Author: sampleAnn.ID},
		OtherTitle:   "Passwords are hashed twice",
		OtherState:   sampleOpen.ID,
	}
}

// sampleChanges returns what the dry run of the example of updateProblems leads to.
func sampleChanges() tracker.ChangedProblems {
	return tracker.ChangedProblems{
		Changes: []tracker.ProblemChange{{ID: 12, Revision: 4, Fields: []tracker.FieldChange{
			{Field: "state", From: problem.LogRef(sampleProgress.ID, sampleProgress.Name), To: problem.LogRef(sampleClosed.ID, sampleClosed.Name)},
		}}},
		Preview: &tracker.Preview{Now: sampleTime},
	}
}
