package samples

import (
	"cmp"
	"crypto/sha256"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/erasure"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// The objects of the samples. They refer to each other, as in a small tracker.
var (
	// Time is the time of all that happens in the samples. Its milliseconds are not 0: they
	// show the form of times.
	Time = time.Date(2015, time.November, 5, 9, 30, 0, 125e6, time.UTC)
	// Ann has the Token, and Bob is another user.
	Ann = user.User{ID: Identifier(1), Name: "Ann", Email: "ann@example.org"}
	Bob = user.User{ID: Identifier(2), Name: "Bob", Email: "bob@example.org"}

	// Open is the initial state. It leads to Progress, and from there to Closed, the resolved one.
	Open     = metadata.State{ID: Identifier(3), Name: "Open", Initial: true, Order: 1, Next: []ident.ID{Identifier(4)}}
	Progress = metadata.State{ID: Identifier(4), Name: "In Progress", Order: 2, Next: []ident.ID{Identifier(3), Identifier(19)}}
	Closed   = metadata.State{ID: Identifier(19), Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{Identifier(3)}}

	// The other metadata: Accounts is a part of Server, and the Milestone is for Server alone.
	Priority       = metadata.Priority{ID: Identifier(5), Name: "High", Order: 2}
	Classification = metadata.Classification{ID: Identifier(6), Name: "Incorrect Behavior"}
	Server         = metadata.Component{ID: Identifier(7), Name: "Server"}
	Accounts       = metadata.Component{ID: Identifier(8), Name: "Accounts", Parent: Identifier(7)}
	Milestone      = metadata.Milestone{ID: Identifier(9), Name: "Spring", Component: Identifier(7), Created: Time, End: Time.AddDate(0, 6, 0)}

	// Token is a token of Ann, with an expiry.
	Token = access.Token{ID: Identifier(15), User: Ann.ID, Scope: access.Write, Created: Time, Name: "CI",
		Expires: time.Date(2030, time.December, 31, 23, 59, 59, 999e6, time.UTC)}
)

// Identifier returns the n-th identifier of the samples.
func Identifier(n int) ident.ID {
	ids := ident.NewSequence(time.Date(2015, time.November, 5, 0, 0, 0, 0, time.UTC), [10]byte{})
	id := ids.Next()
	for range n {
		id = ids.Next()
	}
	return id
}

// Secret returns a predictable secret.
func Secret() access.Secret { return access.NewSecret([32]byte{}) }

// Version is the version of the catalogue.
var Version = ident.Version{Number: 14, Batch: Identifier(19)}

// Catalogue returns the metadata of the samples.
func Catalogue() *metadata.Catalogue {
	return metadata.NewCatalogue(Version, metadata.Content{
		States:          []metadata.State{Open, Progress, Closed},
		Priorities:      []metadata.Priority{Priority},
		Classifications: []metadata.Classification{Classification},
		Components:      []metadata.Component{Server, Accounts},
		Milestones:      []metadata.Milestone{Milestone},
		Users:           []user.User{Ann, Bob},
	})
}

// Snapshot returns a problem with two log entries.
func Snapshot() snapshot.Snapshot {
	return snapshot.Snapshot{
		Problem: problem.Problem{
			ID:         12,
			Fields:     filled(problem.Fields{Title: "The login page answers slowly", State: Progress.ID}),
			Originator: Bob.ID,
			Created:    Time,
			Modifier:   Ann.ID,
			Modified:   Time.Add(time.Hour),
			Revision:   3,
		},
		Batch:          Identifier(13),
		Catalogue:      Version,
		Watching:       false,
		Read:           true,
		ReadByAssignee: true,
		Keywords:       []problem.Keyword{{Name: "customer"}, {Name: "version", Value: problem.Text("7.4.1")}},
		Log: []problem.LogEntry{
			{
				ID: Identifier(10), Problem: 12, Type: problem.ProblemCreated, Created: Time, Author: Bob.ID, Batch: Identifier(11), Revision: 1,
				To: problem.LogObject(
					problem.LogMember{Name: "title", Value: problem.LogText("The login page answers slowly")},
					problem.LogMember{Name: "state", Value: problem.LogRef(Open.ID, Open.Name)},
				),
			},
			{
				ID: Identifier(12), Problem: 12, Type: problem.FieldChanged, Created: Time.Add(time.Hour), Author: Ann.ID, Via: Token.ID, Batch: Identifier(13), Revision: 3,
				Field: "state", From: problem.LogRef(Open.ID, Open.Name), To: problem.LogRef(Progress.ID, Progress.Name),
			},
		},
	}
}

// filled returns the fields with a value in each of them.
func filled(f problem.Fields) problem.Fields {
	for _, field := range problem.ClientFields() {
		problem.ClientValue(field, &f, filler{})
	}
	return f
}

// filler gives a field without a value one of its kind.
type filler struct{}

// Text implements problem.ClientKinds, as do the methods below.
func (filler) Text(f *problem.Field, value *string) (none struct{}) {
	*value = cmp.Or(*value, f.Label["en"])
	return none
}

// Reference gives the only object of a kind, or the one that the other members fit.
func (filler) Reference(f *problem.Field, value *ident.ID) (none struct{}) {
	*value = cmp.Or(*value, map[metadata.Kind]ident.ID{
		metadata.Priorities: Priority.ID, metadata.Classifications: Classification.ID,
		metadata.Components: Accounts.ID, metadata.Milestones: Milestone.ID, metadata.Users: Ann.ID,
	}[f.To])
	return none
}

// Date gives the day of the samples.
func (filler) Date(_ *problem.Field, value *date.Date) (none struct{}) {
	*value = cmp.Or(*value, date.Of(Time))
	return none
}

// Created returns the result of the example of createProblem.
func Created() snapshot.Snapshot {
	return snapshot.Snapshot{
		Problem: problem.Problem{
			ID:         14,
			Fields:     problem.Fields{Title: "The login page answers slowly", State: Open.ID, Priority: Identifier(5), Assignee: Ann.ID},
			Originator: Ann.ID,
			Created:    Time,
			Modifier:   Ann.ID,
			Modified:   Time,
			Revision:   1,
		},
		Batch:          Identifier(18),
		Catalogue:      Version,
		Read:           true,
		ReadByAssignee: true,
		Keywords:       []problem.Keyword{{Name: "version", Value: problem.Text("7.4.1")}},
		Log: []problem.LogEntry{{
			ID: Identifier(17), Problem: 14, Type: problem.ProblemCreated, Created: Time, Author: Ann.ID, Via: Token.ID, Batch: Identifier(18),
			To: problem.LogObject(
				problem.LogMember{Name: "title", Value: problem.LogText("The login page answers slowly")},
				problem.LogMember{Name: "state", Value: problem.LogRef(Open.ID, Open.Name)},
				problem.LogMember{Name: "priority", Value: problem.LogRef(Identifier(5), "High")},
				problem.LogMember{Name: "assignee", Value: problem.LogRef(Ann.ID, Ann.Name)},
			),
		}, {
			ID: Identifier(26), Problem: 14, Type: problem.KeywordSet, Created: Time, Author: Ann.ID, Via: Token.ID, Batch: Identifier(18),
			Field: "version", To: problem.LogText("7.4.1"),
		}},
	}
}

// Reported returns the result of the example of reportProblem: there was no such problem.
func Reported() snapshot.Snapshot {
	s := Created()
	s.Assignee, s.ReadByAssignee, s.Keywords = ident.None, false, []problem.Keyword{{Name: "alert", Value: problem.Text("login-slow")}}
	created, keyword := s.Log[0], s.Log[1]
	created.To = problem.LogObject(
		problem.LogMember{Name: "title", Value: problem.LogText(s.Title)},
		problem.LogMember{Name: "state", Value: problem.LogRef(Open.ID, Open.Name)},
		problem.LogMember{Name: "priority", Value: problem.LogRef(Identifier(5), "High")},
	)
	keyword.Field, keyword.To = "alert", problem.LogText("login-slow")
	s.Log = []problem.LogEntry{created, keyword}
	return s
}

// Updated returns the result of the example of updateProblem.
func Updated() snapshot.Snapshot {
	s := Snapshot()
	cleared := s.Log[1]
	cleared.ID, cleared.Field = Identifier(16), "milestone"
	cleared.From, cleared.To = problem.LogRef(s.Milestone, "Spring"), ""
	s.Milestone, s.Log = ident.None, []problem.LogEntry{s.Log[1], cleared}
	return s
}

// Query returns a saved query.
func Query() query.Saved {
	return query.Saved{ID: Identifier(30), Owner: Ann.ID, Name: "Mine, the latest first",
		Predicate: "state.resolved = NO AND assignee.identifier = $ApiUser", Sort: "-modificationDate", Columns: "state,priority,due", Created: Time}
}

// Audit returns the audit log of the example of updateState, run after the first start.
func Audit() []audit.Entry {
	ref := func(s metadata.State) problem.LogValue { return problem.LogRef(s.ID, s.Name) }
	return []audit.Entry{
		{
			ID: Identifier(21), Created: Time, Batch: Identifier(22), Type: audit.Created, Kind: audit.Priority, Object: Priority.ID, Name: Priority.Name,
			To: problem.LogObject(
				problem.LogMember{Name: "name", Value: problem.LogText(Priority.Name)},
				problem.LogMember{Name: "order", Value: problem.LogNumber(Priority.Order)},
			),
		},
		{
			ID: Identifier(23), Created: Time.Add(time.Hour), Author: Ann.ID, Batch: Identifier(24), Type: audit.Changed, Kind: audit.State, Object: Open.ID, Name: Open.Name,
			Field: "nextStates", From: problem.LogArray(ref(Progress)), To: problem.LogArray(ref(Progress), ref(Closed)),
		},
	}
}

// Events returns two events of the feed: of the problem, and of the audit log.
func Events() []tracker.PublishedEvent {
	s, entry := Snapshot(), Audit()[1]
	logged := s.Log[1]
	return []tracker.PublishedEvent{
		{
			Event: event.Event{
				Type: event.ProblemChanged, Problem: s.ID, Title: s.Title, State: s.State, Revision: logged.Revision,
				Lines: []event.Line{{ID: logged.ID, Type: string(logged.Type), Field: logged.Field, From: logged.From, To: logged.To}},
			},
			Cursor: event.Cursor{Number: 41, Index: 1, Batch: logged.Batch}, Batch: logged.Batch, At: logged.Created, Author: logged.Author, Via: logged.Via, ViaName: Token.Name,
		},
		{
			Event: event.Event{
				Type: event.TypeOf(entry.Kind, false), Kind: entry.Kind, Object: entry.Object, Name: entry.Name,
				Lines: []event.Line{{ID: entry.ID, Type: string(entry.Type), Field: entry.Field, From: entry.From, To: entry.To}},
			},
			Cursor: event.Cursor{Number: 42, Index: 1, Batch: entry.Batch}, Batch: entry.Batch, At: entry.Created, Author: entry.Author,
		},
	}
}

// EditedComment returns the comment after an edit.
func EditedComment() problem.Comment {
	c := Comment()
	c.Text, c.Edited, c.Editor = "Seen again on the third server.", Time.Add(time.Minute), Ann.ID
	return c
}

// Places returns the places of the text in the example of redactProblem.
func Places() tracker.Places {
	return tracker.Places{Comments: 1}
}

// Erasure returns the erasure of Bob, at its end.
func Erasure() erasure.Erasure {
	return erasure.Erasure{User: Bob.Erase(), State: erasure.State{
		Done: true, Through: 12, Audit: 1, Tokens: 1, Sessions: 2, Saved: 1, Problems: 3, Log: 4, Watches: 1, Texts: []problem.ID{12},
	}}
}

// Comment returns a comment of the problem.
func Comment() problem.Comment {
	return problem.Comment{ID: Identifier(14), Author: Ann.ID, Via: Token.ID, Created: Time, Text: "Seen again on the second server."}
}

// Attachment returns an attachment of the problem.
func Attachment() problem.Attachment {
	return problem.Attachment{ID: Identifier(32), Name: "screen shot.png", MediaType: "image/png", Bytes: 4, Digest: sha256.Sum256([]byte("test")), Author: Ann.ID, Created: Time}
}

// Claim returns a claim of the problem.
func Claim() problem.Claim {
	return problem.Claim{ID: Identifier(33), Holder: Ann.ID, Via: Token.ID, Expires: Time.Add(2*time.Hour + 10*time.Minute)}
}

// TokenNames returns the name of each token in a sample.
func TokenNames(ident.ID) string { return Token.Name }

// Claimed returns the result of the example of claimNext.
func Claimed() snapshot.Snapshot {
	s := Snapshot()
	s.Claim, s.Revision = Claim(), 4
	s.Log = []problem.LogEntry{{
		ID: Identifier(35), Problem: 12, Type: problem.ClaimTaken, Created: Time.Add(2 * time.Hour), Author: Ann.ID, Via: Token.ID, Batch: Identifier(36), Revision: 4,
		Field: "claim", To: s.Claim.Log(problem.LogRef(Ann.ID, Ann.Name)),
	}}
	return s
}

// Related returns a relationship of the problem.
func Related() snapshot.Related {
	return snapshot.Related{
		Relationship: relationship.Relationship{Owner: 12, Type: relationship.ParentOf, Other: 13, Created: Time, Author: Ann.ID},
		OtherTitle:   "Passwords are hashed twice",
		OtherState:   Open.ID,
	}
}

// Changes returns the result of the example of updateProblems with dryRun.
func Changes() tracker.ChangedProblems {
	return tracker.ChangedProblems{
		Changes: []tracker.ProblemChange{{ID: 12, Revision: 4, Fields: []tracker.FieldChange{
			{Type: problem.FieldChanged, Field: "state", From: problem.LogRef(Progress.ID, Progress.Name), To: problem.LogRef(Closed.ID, Closed.Name)},
		}}},
		Preview: &tracker.Preview{Now: Time},
	}
}

// Undone returns the result of the example of undoBatch with dryRun.
func Undone() tracker.UndoneBatch {
	moved := Snapshot().Log[1]
	back := moved
	back.From, back.To = moved.To, moved.From
	return tracker.UndoneBatch{
		Changes: []tracker.UndoneProblem{{ID: 12, Revision: 4, Log: []problem.LogEntry{back}}},
		Preview: &tracker.Preview{Now: Time},
	}
}

// NewWebhook returns a webhook without deliveries.
func NewWebhook() webhook.Webhook {
	return webhook.Webhook{Endpoint: webhook.Endpoint{
		ID: Identifier(20), Version: Identifier(21), Owner: Ann.ID, Created: Time, URL: "https://hooks.example.org/problems",
		Types: []event.Type{event.ProblemCreated, event.ProblemChanged}, Predicate: "priority.name = 'High'", OnFailure: webhook.Wait, Active: true,
		Secret: webhook.SecretRef{Key: webhook.NewKey([32]byte{}).ID(), Generation: 1}, Epoch: 1,
	}}
}

// Webhook returns a webhook that waits, after parked events and a last failed attempt.
func Webhook() webhook.Webhook {
	w := NewWebhook()
	w.Progress = webhook.Progress{
		Epoch: 1, Cursor: event.Cursor{Number: 7, Index: 1, Batch: Identifier(16)}, State: webhook.Waiting, Failures: 9, Parked: 2,
		Reason: "10 attempts to deliver one event have failed; the last one: the receiver answered with status 503",
		Deliveries: []webhook.Delivery{{
			Event: event.Cursor{Number: 8, Index: 1, Batch: Identifier(17)}, Type: event.ProblemChanged, Attempt: 9, At: Time, Duration: 120 * time.Millisecond,
			Status: 503, Error: "the receiver answered with status 503", Outcome: webhook.Failed, Next: Time.Add(24 * time.Hour),
		}},
	}
	return w
}

// Resumed returns that webhook after it was resumed.
func Resumed() webhook.Webhook {
	w := Webhook()
	w.Endpoint = w.Begin(w.Progress.Cursor)
	return w
}

// Retrying returns a webhook with a further attempt ahead.
func Retrying() webhook.Webhook {
	w := NewWebhook()
	w.Progress = webhook.Progress{Epoch: 1, State: webhook.Active, Failures: 1, Next: Time.Add(5 * time.Second)}
	return w
}

// WebhookSecret returns a predictable secret.
func WebhookSecret() webhook.Secret { return webhook.NewKey([32]byte{}).Secret(Identifier(20), 1) }

// WebhookTest returns the attempt of a test.
func WebhookTest() webhook.Attempt {
	return webhook.Attempt{At: Time, Duration: 42 * time.Millisecond, Status: 204}
}
