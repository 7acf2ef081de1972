package crash

import (
	"slices"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// kinds are the kinds of Changes with nothing else in them.
func kinds() []string {
	return []string{
		"token", "read mark", "log", "query", "reply", "comment", "keyword", "watcher", "audit", "user", "state", "savepoint",
		"update", "family", "expire", "dropped query", "session", "ended session", "webhook", "progress", "deleted webhook", "lease", "component", "event", "leaving watcher",
	}
}

// turned returns the kinds in a rotated order: the n-th of a run is the kind with the
// given index.
func turned(n, last int) []string {
	all := kinds()
	first := ((last-n+1)%len(all) + len(all)) % len(all)
	return slices.Concat(all[first:], all[:first])
}

// changeOfOne returns the Change of a single kind. All of them concern the one problem.
func changeOfOne(s harness.Statement) store.Change {
	common, who := s.Problems[0], idOf(s, 1)
	c := store.Change{Batch: s.Batch, At: timeOf(s), Author: who}
	add := func(effect store.Effect) { c.Effects = append(c.Effects, effect) }
	switch s.Only {
	case "token":
		token := access.Token{ID: idOf(s, 2), User: who, Scope: access.Read, Created: timeOf(s)}
		copy(token.Digest[:], s.Batch[:])
		add(store.PutToken{Token: token})
	case "read mark":
		add(store.MarkRead{Problem: common, User: who, Read: true})
	case "log":
		c.Log = append(c.Log, entryOf(s, 4, problem.Problem{ID: common, Revision: 1}))
	case "query":
		add(store.PutQuery{Query: query.Saved{ID: idOf(s, 2), Owner: who, Name: "Mine", Predicate: "watching = YES", Created: timeOf(s)}})
	case "dropped query":
		add(store.DropQuery{ID: idOf(s, 2)})
	case "session":
		session := access.Session{ID: idOf(s, 2), User: who, Scope: access.Read, Created: timeOf(s), Expires: timeOf(s).AddDate(0, 1, 0)}
		copy(session.Digest[:], s.Batch[:])
		add(store.PutSession{Session: session})
	case "ended session":
		add(store.DropSession{ID: idOf(s, 2)})
	case "webhook":
		add(store.PutWebhook{Endpoint: endpointOf(s)})
	case "progress":
		add(store.PutProgress{Webhook: idOf(s, 2), Progress: webhook.Progress{Epoch: 1, State: webhook.Active}})
	case "deleted webhook":
		add(store.DropWebhook{ID: idOf(s, 2)})
	case "lease":
		add(store.PutLease{Lease: lease.Lease{Name: "work", Version: s.Batch, Holder: who, State: "of " + s.Batch.String()}})
	case "reply":
		add(store.KeepReply{Reply: store.Reply{User: who, Key: s.Batch.String(), Created: timeOf(s), Body: s.Batch[:]}})
	case "comment":
		add(store.AddComment{Problem: common, Comment: commentOf(s, 2)})
	case "keyword":
		add(store.PutKeyword{Problem: common, Keyword: problem.Keyword{Name: s.Batch.String()}})
	case "watcher":
		add(store.Watch{Problem: common, User: who})
	case "leaving watcher":
		add(store.Unwatch{Problem: common, User: who})
	case "audit":
		add(store.AppendAudit{Entry: audit.Entry{ID: idOf(s, 2), Created: timeOf(s), Author: who, Batch: s.Batch, Type: audit.Created, Kind: audit.State, Object: idOf(s, 3), Name: "State"}})
	case "user":
		add(store.PutUser{User: user.User{ID: who, Name: "User " + s.Batch.String(), Email: s.Batch.String() + "@example.org"}})
	case "state":
		add(store.PutState{State: metadata.State{ID: idOf(s, 2), Name: "State " + s.Batch.String()}})
	case "component":
		add(store.PutComponent{Component: metadata.Component{ID: idOf(s, 2), Name: "Component " + s.Batch.String()}})
	case "savepoint":
		add(store.PutSavepoint{Problem: createdBy(s, 0)})
	case "update":
		add(store.UpdateProblem{Problem: createdBy(s, 0)})
	case "family":
		add(store.MoveFamily{Family: relationship.BlockerOf})
	case "event":
		add(store.Publish{Event: eventOf(s, createdBy(s, 0))})
	case "expire":
		add(store.Expire{Before: beginning.AddDate(-1, 0, 0)}) // older than everything
	}
	return c
}

// endpointOf returns the settings of the webhook of a statement.
func endpointOf(s harness.Statement) webhook.Endpoint {
	return webhook.Endpoint{
		ID: idOf(s, 2), Version: s.Batch, Owner: idOf(s, 1), Created: timeOf(s), URL: "https://example.org/" + s.Batch.String(), OnFailure: webhook.Wait, Active: true,
	}
}
