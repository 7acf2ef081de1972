package crash

import (
	"encoding/binary"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// Kind is a kind of Change with one effect, or with one log entry.
type Kind struct {
	Name   string
	Effect func(harness.Statement) store.Effect // nil: the Change has only a log entry
}

// Kinds returns all kinds. Every effect has a kind, because a store may sync some Changes
// and forget others. The first kind creates the problem of the child, and later ones change it.
func Kinds() []Kind {
	return append(kindsOfProblems(), kindsOfObjects()...)
}

// kindsOfProblems returns the kinds for problems and what belongs to them.
func kindsOfProblems() []Kind {
	return []Kind{
		{"problem", func(s harness.Statement) store.Effect { return store.CreateProblem{Problem: createdBy(s, 1)} }},
		{"update", func(s harness.Statement) store.Effect { return store.UpdateProblem{Problem: createdBy(s, 0)} }},
		{"savepoint", func(s harness.Statement) store.Effect { return store.PutSavepoint{Problem: createdBy(s, 0)} }},
		{"log", nil},
		{"comment", func(s harness.Statement) store.Effect {
			return store.AddComment{Problem: s.Problems[1], Comment: commentOfChild(s)}
		}},
		{"edited comment", func(s harness.Statement) store.Effect {
			return store.PutComment{Problem: s.Problems[1], Comment: commentOfChild(s).Place()}
		}},
		{"attachment", func(s harness.Statement) store.Effect {
			return store.PutAttachment{Problem: s.Problems[1], Attachment: problem.Attachment{ID: idOf(s, 2), Name: "a.png", MediaType: "image/png", Bytes: 1, Author: idOf(s, 1), Created: timeOf(s)}}
		}},
		{"claim", func(s harness.Statement) store.Effect {
			return store.PutClaim{Problem: s.Problems[1], Claim: problem.Claim{ID: idOf(s, 3), Holder: idOf(s, 1), Via: idOf(s, 2), Expires: timeOf(s)}}
		}},
		{"keyword", func(s harness.Statement) store.Effect {
			return store.PutKeyword{Problem: s.Problems[1], Keyword: problem.Keyword{Name: "one"}}
		}},
		{"dropped keyword", func(s harness.Statement) store.Effect {
			return store.DropKeyword{Problem: s.Problems[1], Name: "one"}
		}},
		{"relationship", func(s harness.Statement) store.Effect {
			return store.PutRelationship{Relationship: relationship.Relationship{
				Owner: s.Problems[0], Type: relationship.RelatedTo, Other: s.Problems[1], Created: timeOf(s), Author: idOf(s, 1),
			}}
		}},
		{"dropped relationship", func(s harness.Statement) store.Effect {
			return store.DropRelationship{Owner: s.Problems[0], Type: relationship.RelatedTo, Other: s.Problems[1]}
		}},
		{"watcher", func(s harness.Statement) store.Effect { return store.Watch{Problem: s.Problems[0], User: idOf(s, 1)} }},
		{"leaving watcher", func(s harness.Statement) store.Effect {
			return store.Unwatch{Problem: s.Problems[0], User: idOf(s, 1)}
		}},
		{"read mark", func(s harness.Statement) store.Effect {
			return store.MarkRead{Problem: s.Problems[0], User: idOf(s, 1), Read: true}
		}},
		{"forgotten read marks", func(s harness.Statement) store.Effect {
			return store.ForgetReads{Problem: s.Problems[0], But: idOf(s, 1)}
		}},
		{"event", func(s harness.Statement) store.Effect { return store.Publish{Event: eventOf(s, createdBy(s, 0))} }},
		{"rewritten texts", func(s harness.Statement) store.Effect { return store.Rewrite{Problem: s.Problems[1]} }}, // none
		{"rewritten audit log", func(harness.Statement) store.Effect { return store.RewriteAudit{} }},                // none
		{"forgotten events", func(harness.Statement) store.Effect { return store.ForgetFeed{} }},                     // it forgets none
	}
}

// kindsOfObjects returns the kinds for everything else.
func kindsOfObjects() []Kind {
	return []Kind{
		{"state", func(s harness.Statement) store.Effect {
			return store.PutState{State: metadata.State{ID: idOf(s, 2), Name: nameOf(s)}}
		}},
		{"priority", func(s harness.Statement) store.Effect {
			return store.PutPriority{Priority: metadata.Priority{ID: idOf(s, 2), Name: nameOf(s)}}
		}},
		{"classification", func(s harness.Statement) store.Effect {
			return store.PutClassification{Classification: metadata.Classification{ID: idOf(s, 2), Name: nameOf(s)}}
		}},
		{"component", func(s harness.Statement) store.Effect {
			return store.PutComponent{Component: metadata.Component{ID: idOf(s, 2), Name: nameOf(s)}}
		}},
		{"milestone", func(s harness.Statement) store.Effect {
			return store.PutMilestone{Milestone: metadata.Milestone{ID: idOf(s, 2), Name: nameOf(s), Created: timeOf(s)}}
		}},
		{"user", func(s harness.Statement) store.Effect {
			return store.PutUser{User: user.User{ID: idOf(s, 1), Name: nameOf(s), Email: s.Batch.String() + "@example.org"}}
		}},
		{"token", func(s harness.Statement) store.Effect {
			token := access.Token{ID: idOf(s, 2), User: idOf(s, 1), Scope: access.Read, Created: timeOf(s)}
			copy(token.Digest[:], s.Batch[:])
			return store.PutToken{Token: token}
		}},
		{"last use of a token", func(s harness.Statement) store.Effect { return store.MarkUsed{Token: idOf(s, 2), At: timeOf(s)} }}, // of none
		{"session", func(s harness.Statement) store.Effect {
			session := access.Session{ID: idOf(s, 2), User: idOf(s, 1), Scope: access.Read, Created: timeOf(s), Expires: timeOf(s).AddDate(0, 1, 0)}
			copy(session.Digest[:], s.Batch[:])
			return store.PutSession{Session: session}
		}},
		{"ended session", func(s harness.Statement) store.Effect { return store.DropSession{ID: idOf(s, 2)} }},
		{"query", func(s harness.Statement) store.Effect {
			return store.PutQuery{Query: query.Saved{ID: idOf(s, 2), Owner: idOf(s, 1), Name: "Mine", Predicate: "watching = YES", Created: timeOf(s)}}
		}},
		{"dropped query", func(s harness.Statement) store.Effect { return store.DropQuery{ID: idOf(s, 2)} }},
		{"webhook", func(s harness.Statement) store.Effect { return store.PutWebhook{Endpoint: endpointOf(s)} }},
		{"progress", func(s harness.Statement) store.Effect {
			return store.PutProgress{Webhook: idOf(s, 2), Progress: webhook.Progress{Epoch: 1, State: webhook.Active}}
		}},
		{"deleted webhook", func(s harness.Statement) store.Effect { return store.DropWebhook{ID: idOf(s, 2)} }},
		{"lease", func(s harness.Statement) store.Effect {
			return store.PutLease{Lease: lease.Lease{Name: "work", Version: s.Batch, Holder: idOf(s, 1), State: "of " + s.Batch.String()}}
		}},
		{"audit", func(s harness.Statement) store.Effect {
			return store.AppendAudit{Entry: audit.Entry{ID: idOf(s, 2), Created: timeOf(s), Author: idOf(s, 1), Batch: s.Batch, Type: audit.Created, Kind: audit.State, Object: idOf(s, 3), Name: "State"}}
		}},
		{"reply", func(s harness.Statement) store.Effect {
			return store.KeepReply{Reply: store.Reply{User: idOf(s, 1), Key: s.Batch.String(), Created: timeOf(s), Body: s.Batch[:]}}
		}},
		{"emptied replies", func(s harness.Statement) store.Effect {
			return store.EmptyReplies{About: store.About{Problem: s.Problems[0]}} // none
		}},
		{"expire", func(harness.Statement) store.Effect {
			return store.Expire{Before: beginning.AddDate(-1, 0, 0)} // older than everything
		}},
	}
}

// names returns the names of all kinds.
func names() (all []string) {
	for _, k := range Kinds() {
		all = append(all, k.Name)
	}
	return all
}

// changeOfOne returns the Change of a single kind. Its problems are the common one, and the
// one that the child creates first.
func changeOfOne(s harness.Statement) store.Change {
	c := store.Change{Batch: s.Batch, At: timeOf(s), Author: idOf(s, 1)}
	for _, k := range Kinds() {
		switch {
		case k.Name != s.Only:
		case k.Effect == nil:
			c.Log = append(c.Log, entryOf(s, 4, problem.Problem{ID: s.Problems[0], Revision: 1}))
		default:
			c.Effects = append(c.Effects, k.Effect(s))
		}
	}
	return c
}

// commentOfChild returns the only comment of the problem that the child creates first.
func commentOfChild(s harness.Statement) problem.Comment {
	c := commentOf(s, 2)
	c.ID = ident.ID{6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint32(c.ID[12:], uint32(s.Problems[1]))
	return c
}

// nameOf returns the name of the object of a statement.
func nameOf(s harness.Statement) string { return "Object " + s.Batch.String() }

// endpointOf returns the settings of the webhook of a statement.
func endpointOf(s harness.Statement) webhook.Endpoint {
	return webhook.Endpoint{
		ID: idOf(s, 2), Version: s.Batch, Owner: idOf(s, 1), Created: timeOf(s), URL: "https://example.org/" + s.Batch.String(), OnFailure: webhook.Wait, Active: true,
	}
}
