package bench

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// Furnished stores a problem with something of everything.
func (b *Bench) Furnished() problem.Problem {
	b.Helper()
	p, other := b.Create(), b.Create()
	change := b.Change(append(b.Pair(p.ID, relationship.RelatedTo, other.ID),
		store.PutSavepoint{Problem: p},
		store.AddComment{Problem: p.ID, Comment: b.Comment("a comment")},
		store.PutAttachment{Problem: p.ID, Attachment: b.Attachment()},
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "area", Value: problem.Text("kitchen")}},
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "price"}},
		store.Watch{Problem: p.ID, User: b.ID()},
		store.MarkRead{Problem: p.ID, User: b.ID(), Read: true},
	)...)
	change.Log = []problem.LogEntry{b.Entry(p.ID)}
	b.Commit(change)
	return p
}

// Attachment returns the record of a new attachment, deleted and with all members set.
func (b *Bench) Attachment() problem.Attachment {
	id := b.ID()
	return problem.Attachment{ID: id, Name: "a " + id.String() + ".png", MediaType: "image/png", Bytes: 1<<53 - 1, Digest: Fingerprint(7), Author: b.ID(), Created: b.Now(), Deleted: b.Now()}
}

// Claim returns a new claim with all members set.
func (b *Bench) Claim() problem.Claim {
	return problem.Claim{ID: b.ID(), Holder: b.ID(), Via: b.ID(), Expires: b.Now()}
}

// Objects returns one metadata object of each kind and a user, with all members set. They
// are not stored yet.
func (b *Bench) Objects() metadata.Content {
	state := metadata.State{ID: b.ID(), Resolved: true, Initial: true, Order: 7, Next: []ident.ID{b.ID(), b.ID(), b.ID()}}
	state.Name = "State " + state.ID.String()
	priority := metadata.Priority{ID: b.ID(), Order: -3}
	priority.Name = "Priority " + priority.ID.String()
	classification := metadata.Classification{ID: b.ID()}
	classification.Name = "Classification " + classification.ID.String()
	component := metadata.Component{ID: b.ID(), Closed: true, Successor: b.ID(), Parent: b.ID()}
	component.Name = "Component " + component.ID.String()
	milestone := metadata.Milestone{ID: b.ID(), Component: b.ID(), Created: b.Now(), Start: b.Now(), End: b.Now()}
	milestone.Name = "Milestone " + milestone.ID.String()
	person := user.User{ID: b.ID(), Inactive: true, RobotOf: b.ID(), Mail: user.MailMine, Preferences: "columns=due,state density=compact language=de timeZone=Europe/Berlin keys=off"}
	person.Name, person.Email = "User "+person.ID.String(), person.ID.String()+"@Example.org"
	return metadata.Content{
		States:          []metadata.State{state},
		Priorities:      []metadata.Priority{priority},
		Classifications: []metadata.Classification{classification},
		Components:      []metadata.Component{component},
		Milestones:      []metadata.Milestone{milestone},
		Users:           []user.User{person},
	}
}

// Bare strips the first object of each kind of all optional members.
func Bare(c metadata.Content) metadata.Content {
	state, component, milestone := &c.States[0], &c.Components[0], &c.Milestones[0]
	*state = metadata.State{ID: state.ID, Name: state.Name}
	*component = metadata.Component{ID: component.ID, Name: component.Name}
	*milestone = metadata.Milestone{ID: milestone.ID, Name: milestone.Name, Created: milestone.Created}
	c.Priorities[0].Order, c.Users[0].Inactive, c.Users[0].Mail, c.Users[0].Preferences, c.Users[0].RobotOf = 0, false, user.MailEverything, "", ident.None
	return c
}

// PutAll returns the effects for storing all objects.
func PutAll(c metadata.Content) []store.Effect {
	var effects []store.Effect
	for _, o := range c.States {
		effects = append(effects, store.PutState{State: o})
	}
	for _, o := range c.Priorities {
		effects = append(effects, store.PutPriority{Priority: o})
	}
	for _, o := range c.Classifications {
		effects = append(effects, store.PutClassification{Classification: o})
	}
	for _, o := range c.Components {
		effects = append(effects, store.PutComponent{Component: o})
	}
	for _, o := range c.Milestones {
		effects = append(effects, store.PutMilestone{Milestone: o})
	}
	for _, o := range c.Users {
		effects = append(effects, store.PutUser{User: o})
	}
	return effects
}

// Put adds the objects to the image as one Change does.
func (seen *Image) Put(c metadata.Content) {
	seen.Catalogue.Number++
	seen.Versions.Catalogue.Number++
	seen.Content = metadata.NewCatalogue(seen.Catalogue, metadata.Content{
		States:          slices.Concat(seen.Content.States, c.States),
		Priorities:      slices.Concat(seen.Content.Priorities, c.Priorities),
		Classifications: slices.Concat(seen.Content.Classifications, c.Classifications),
		Components:      slices.Concat(seen.Content.Components, c.Components),
		Milestones:      slices.Concat(seen.Content.Milestones, c.Milestones),
		Users:           slices.Concat(seen.Content.Users, c.Users),
	}).Content()
	for id := range seen.Problems {
		Edit(seen, id, func(s *snapshot.Snapshot) { s.Catalogue = seen.Catalogue })
	}
}

// Token returns a new token with all members set. It is not stored yet.
func (b *Bench) Token() access.Token {
	t := access.Token{ID: b.ID(), User: b.ID(), Scope: access.Admin, Created: b.Now(), Expires: b.Now(), Revoked: b.Now(), Invitation: true, LastUse: b.Now()}
	t.Name = "Token " + t.ID.String()
	copy(t.Digest[:], t.ID[:])
	copy(t.Digest[16:], t.User[:])
	return t
}

// Audited returns a new entry of the audit log with all members set. It is not stored
// yet.
func (b *Bench) Audited() audit.Entry {
	return audit.Entry{
		ID: b.ID(), Created: b.Now(), Author: b.Author, Batch: b.ID(), Type: audit.Changed, Kind: audit.State,
		Object: b.ID(), Name: "State", Field: "name", From: problem.LogText("before"), To: problem.LogText("after"),
	}
}

// Query returns a new saved query with all members set. It is not stored yet.
func (b *Bench) Query(owner ident.ID) query.Saved {
	q := query.Saved{ID: b.ID(), Owner: owner, Predicate: "title CONTAINS[c] 'API'", Sort: "-modificationDate,identifier", Columns: "due,state", Shared: true, Created: b.Now()}
	q.Name = "Query " + q.ID.String()
	return q
}

// Queries returns saved queries of several owners, each with a smaller identifier
// and an earlier time than the one before. The last has no order of its own.
func (b *Bench) Queries(n int) []query.Saved {
	owners := []ident.ID{b.ID(), b.ID()}
	queries := make([]query.Saved, n)
	for i := range slices.Backward(queries) {
		queries[i] = b.Query(owners[i%len(owners)])
	}
	queries[n-1].Sort = ""
	return queries
}

// Session returns a new session with all members set. It is not stored yet.
func (b *Bench) Session(user ident.ID) access.Session {
	s := access.Session{ID: b.ID(), User: user, Token: b.ID(), Scope: access.Write, Agent: "Browser 1.0", Created: b.Now()}
	s.Expires = s.Created.AddDate(0, 1, 0)
	copy(s.Digest[:], s.ID[:])
	s.Digest[31] = 1
	return s
}

// Endpoint returns the settings of a new webhook with all members set. They are not stored
// yet.
func (b *Bench) Endpoint() webhook.Endpoint {
	return webhook.Endpoint{
		ID: b.ID(), Version: b.ID(), Owner: b.ID(), Created: b.Now(), URL: "https://example.org/hook?to=you",
		Types: []event.Type{event.ProblemCreated, event.ProblemChanged}, Predicate: "watching = YES", OnFailure: webhook.Park, Active: true,
		Secret: webhook.SecretRef{Key: webhook.KeyID{1, 7: 255}, Generation: 3, Rotated: b.Now(), RotatedBefore: b.Now()},
		Epoch:  3, From: event.Cursor{Number: 7, Index: 2, Batch: b.ID()},
	}
}

// Progress returns the progress of a webhook with all members set.
func (b *Bench) Progress() webhook.Progress {
	c := event.Cursor{Number: 8, Index: 1, Batch: b.ID()}
	return webhook.Progress{
		Epoch: 3, Cursor: c, State: webhook.Stopped, Reason: "it had to", Failures: 4, Next: b.Now(), Parked: 5,
		Deliveries: []webhook.Delivery{
			{Event: c, Type: event.ProblemChanged, Attempt: 3, At: b.Now(), Duration: 1500 * time.Millisecond, Status: 500, Error: "status 500", Outcome: webhook.Failed, Next: b.Now()},
			{Event: c, Type: event.ProblemCreated, Attempt: 1, At: b.Now(), Outcome: webhook.Delivered},
		},
	}
}

// Lease returns a new lease with all members set.
func (b *Bench) Lease(name string) lease.Lease {
	return lease.Lease{Name: name, Version: b.ID(), Holder: b.ID(), State: "state " + b.ID().String()}
}

// Trail returns entries of the audit log, each with a smaller identifier and an earlier
// time than the one before. The last lacks all optional members.
func (b *Bench) Trail(n int) []audit.Entry {
	entries := make([]audit.Entry, n)
	for i := range slices.Backward(entries) {
		entries[i] = b.Audited()
	}
	last := &entries[n-1]
	last.Type, last.Kind, last.Author, last.Field, last.From = audit.Created, audit.Token, ident.None, "", ""
	return entries
}

// Fingerprint returns 32 different bytes, one of them zero.
func Fingerprint(first byte) (f [32]byte) {
	for i := range f {
		f[i] = first + byte(i)*7
	}
	f[16] = 0
	return f
}
