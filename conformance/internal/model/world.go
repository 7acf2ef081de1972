package model

import (
	"maps"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
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

// World is the content of the model at one moment.
type World struct {
	Of              *Kept // with their batches
	Position        int64 // of the last Change
	Counters        store.Versions
	AllProblems     map[problem.ID]problem.Problem
	Batches         map[problem.ID]ident.ID // of the last write of each problem
	Sizes           map[problem.ID]int64    // in bytes
	Keywords        map[named]problem.Keyword
	Relationships   map[Link]relationship.Relationship
	watchers        map[bench.Mark]bool
	readers         map[bench.Mark]bool
	Logs            []problem.LogEntry
	AllComments     []store.AddComment
	Attachments     []store.PutAttachment
	Claims          map[problem.ID]problem.Claim
	Savepoints      []snapshot.Savepoint
	States          map[ident.ID]metadata.State
	Priorities      map[ident.ID]metadata.Priority
	Classifications map[ident.ID]metadata.Classification
	Components      map[ident.ID]metadata.Component
	Milestones      map[ident.ID]metadata.Milestone
	Users           map[ident.ID]user.User
	AllTokens       []access.Token
	Queries         []query.Saved
	AllSessions     []access.Session
	AllWebhooks     []webhook.Webhook
	Leases          map[string]lease.Lease
	AuditLog        []audit.Entry
	Events          []event.Entry // the feed
	Replies         map[bench.ReplyKey]store.Reply
}

type named struct {
	problem problem.ID
	name    string
}

// Link names a relationship from the side of its owner.
type Link struct {
	Owner problem.ID
	Type  relationship.Type
	Other problem.ID
}

// NewWorld returns the content of an empty store. Set Of before you call Oldest.
func NewWorld() *World {
	return &World{
		AllProblems:     make(map[problem.ID]problem.Problem),
		Batches:         make(map[problem.ID]ident.ID),
		Sizes:           make(map[problem.ID]int64),
		Keywords:        make(map[named]problem.Keyword),
		Claims:          make(map[problem.ID]problem.Claim),
		Relationships:   make(map[Link]relationship.Relationship),
		watchers:        make(map[bench.Mark]bool),
		readers:         make(map[bench.Mark]bool),
		States:          make(map[ident.ID]metadata.State),
		Priorities:      make(map[ident.ID]metadata.Priority),
		Classifications: make(map[ident.ID]metadata.Classification),
		Components:      make(map[ident.ID]metadata.Component),
		Milestones:      make(map[ident.ID]metadata.Milestone),
		Users:           make(map[ident.ID]user.User),
		Replies:         make(map[bench.ReplyKey]store.Reply),
		Leases:          make(map[string]lease.Lease),
	}
}

// Clone returns a copy for the next Change. The two share objects: a Change replaces these, and
// never alters them.
func (w *World) Clone() *World {
	return &World{
		Of:              w.Of,
		Position:        w.Position,
		Counters:        w.Counters,
		AllProblems:     maps.Clone(w.AllProblems),
		Batches:         maps.Clone(w.Batches),
		Sizes:           maps.Clone(w.Sizes),
		Keywords:        maps.Clone(w.Keywords),
		Relationships:   maps.Clone(w.Relationships),
		watchers:        maps.Clone(w.watchers),
		readers:         maps.Clone(w.readers),
		Logs:            slices.Clone(w.Logs),
		AllComments:     slices.Clone(w.AllComments),
		Attachments:     slices.Clone(w.Attachments),
		Claims:          maps.Clone(w.Claims),
		Savepoints:      slices.Clone(w.Savepoints),
		States:          maps.Clone(w.States),
		Priorities:      maps.Clone(w.Priorities),
		Classifications: maps.Clone(w.Classifications),
		Components:      maps.Clone(w.Components),
		Milestones:      maps.Clone(w.Milestones),
		Users:           maps.Clone(w.Users),
		AllTokens:       slices.Clone(w.AllTokens),
		Queries:         slices.Clone(w.Queries),
		AllSessions:     slices.Clone(w.AllSessions),
		AllWebhooks:     bench.CloneWebhooks(w.AllWebhooks),
		Leases:          maps.Clone(w.Leases),
		AuditLog:        slices.Clone(w.AuditLog),
		Events:          slices.Clone(w.Events),
		Replies:         maps.Clone(w.Replies),
	}
}

// Expect fails with fault.Conflict when the expectation does not hold, and with
// fault.Unsupported when it is of an unknown kind.
func (w *World) Expect(expectation store.Expectation) error {
	holds := false
	switch e := expectation.(type) {
	case store.ProblemAt:
		p, ok := w.AllProblems[e.ID]
		holds = ok && p.Revision == e.Revision && w.Batches[e.ID] == e.Batch
	case store.ClaimAt:
		_, ok := w.AllProblems[e.Problem]
		holds = ok && w.Claims[e.Problem].ID == e.Claim && w.Claims[e.Problem].Expires.Equal(e.Expires)
	case store.CatalogueAt:
		holds = w.Counters.Catalogue == e.Version
	case store.AccessAt:
		holds = w.Counters.Access == e.Version
	case store.KeyUnused:
		reply, ok := w.Replies[bench.ReplyKey{User: e.User, Key: e.Key}]
		holds = !ok || reply.Created.Before(e.Since)
	case store.StateUnused:
		holds = true
		for _, p := range w.AllProblems {
			holds = holds && p.State != e.State
		}
	case store.WebhookAt:
		i := slices.IndexFunc(w.AllWebhooks, func(h webhook.Webhook) bool { return h.ID == e.ID })
		holds = i >= 0 && w.AllWebhooks[i].Version == e.Version
	case store.LeaseAt:
		holds = w.Leases[e.Name].Version == e.Version
	case store.StoreEmpty:
		holds = len(w.AllProblems) == 0 && w.Counters == store.Versions{} && len(w.Queries) == 0 && len(w.AllSessions) == 0 && len(w.AllWebhooks) == 0 && len(w.AuditLog) == 0 && len(w.Events) == 0
	default:
		return fault.New(fault.Unsupported, "the model does not know %T", expectation)
	}
	if !holds {
		return fault.New(fault.Conflict, "%+v does not hold", expectation)
	}
	return nil
}

// Run applies the effects and the log entries, and raises the versions. It fails with
// fault.Conflict or fault.Unsupported, and leaves the effects before that: so run it on a Clone.
func (w *World) Run(change store.Change) error {
	var catalogue, tokens bool
	for _, effect := range change.Effects {
		if err := w.apply(change.Batch, effect); err != nil {
			return err
		}
		switch effect.(type) {
		case store.PutState, store.PutPriority, store.PutClassification, store.PutComponent, store.PutMilestone, store.PutUser:
			catalogue = true
		case store.PutToken:
			tokens = true
		}
	}
	w.Logs = append(w.Logs, change.Log...)
	if catalogue {
		w.Counters.Catalogue = w.Counters.Catalogue.Next(change.Batch)
	}
	if tokens {
		w.Counters.Access = w.Counters.Access.Next(change.Batch)
	}
	return nil
}

// Put stores a problem of this size by the batch.
func (w *World) Put(p problem.Problem, size int64, batch ident.ID) {
	w.AllProblems[p.ID], w.Sizes[p.ID], w.Batches[p.ID] = p, size, batch
}

func (w *World) apply(batch ident.ID, effect store.Effect) error {
	switch e := effect.(type) {
	case store.CreateProblem:
		if _, ok := w.AllProblems[e.Problem.ID]; ok {
			return fault.New(fault.Conflict, "the problem exists")
		}
		w.Put(e.Problem, e.Size, batch)
	case store.UpdateProblem:
		if _, ok := w.AllProblems[e.Problem.ID]; !ok {
			return fault.New(fault.Conflict, "the problem does not exist")
		}
		w.Put(e.Problem, e.Size, batch)
	case store.PutSavepoint:
		w.Savepoints = append(w.Savepoints, snapshot.Savepoint{Batch: batch, Problem: e.Problem})
	case store.AddComment:
		w.AllComments = append(w.AllComments, e)
	case store.PutComment:
		i := slices.IndexFunc(w.AllComments, func(c store.AddComment) bool { return c.Problem == e.Problem && c.Comment.ID == e.Comment.ID })
		if i < 0 {
			return fault.New(fault.Conflict, "the comment does not exist")
		}
		w.AllComments[i] = store.AddComment(e)
	case store.PutAttachment:
		i := slices.IndexFunc(w.Attachments, func(a store.PutAttachment) bool { return a.Problem == e.Problem && a.Attachment.ID == e.Attachment.ID })
		if i < 0 {
			w.Attachments = append(w.Attachments, e)
		} else {
			w.Attachments[i] = e
		}
	case store.PutClaim:
		if _, ok := w.AllProblems[e.Problem]; !ok {
			return fault.New(fault.Conflict, "the problem does not exist")
		}
		w.Claims[e.Problem] = e.Claim
	case store.PutKeyword:
		w.Keywords[named{e.Problem, e.Keyword.Name}] = e.Keyword
	case store.DropKeyword:
		delete(w.Keywords, named{e.Problem, e.Name})
	case store.PutRelationship:
		l := Link{e.Relationship.Owner, e.Relationship.Type, e.Relationship.Other}
		if _, ok := w.Relationships[l]; ok {
			return fault.New(fault.Conflict, "the relationship exists")
		}
		w.Relationships[l] = e.Relationship
	case store.DropRelationship:
		delete(w.Relationships, Link{e.Owner, e.Type, e.Other})
	case store.Watch:
		w.watchers[bench.Mark{Problem: e.Problem, User: e.User}] = true
	case store.Unwatch:
		delete(w.watchers, bench.Mark{Problem: e.Problem, User: e.User})
	case store.MarkRead:
		w.readers[bench.Mark{Problem: e.Problem, User: e.User}] = e.Read
	case store.ForgetReads:
		maps.DeleteFunc(w.readers, func(f bench.Mark, _ bool) bool { return f.Problem == e.Problem && f.User != e.But })
	case store.PutState:
		e.State.Next = slices.Clone(e.State.Next)
		w.States[e.State.ID] = e.State
	case store.PutPriority:
		w.Priorities[e.Priority.ID] = e.Priority
	case store.PutClassification:
		w.Classifications[e.Classification.ID] = e.Classification
	case store.PutComponent:
		w.Components[e.Component.ID] = e.Component
	case store.PutMilestone:
		w.Milestones[e.Milestone.ID] = e.Milestone
	case store.PutUser:
		w.Users[e.User.ID] = e.User
	case store.PutToken:
		w.AllTokens = put(w.AllTokens, e.Token, func(t access.Token) bool { return t.ID == e.Token.ID })
	case store.MarkUsed:
		for i, t := range w.AllTokens {
			if t.ID == e.Token && t.LastUse.Before(e.At) {
				w.AllTokens = slices.Clone(w.AllTokens)
				w.AllTokens[i].LastUse = e.At
			}
		}
	case store.Publish: // see Enter
	case store.ForgetFeed:
		for len(w.Events) > 1 && w.Events[0].Number <= e.Through {
			w.Events = w.Events[1:]
		}
	case store.AppendAudit:
		w.AuditLog = append(w.AuditLog, e.Entry)
	case store.PutQuery:
		w.Queries = put(w.Queries, e.Query, func(q query.Saved) bool { return q.ID == e.Query.ID })
	case store.DropQuery:
		w.Queries = slices.DeleteFunc(w.Queries, func(q query.Saved) bool { return q.ID == e.ID })
	case store.PutSession:
		w.AllSessions = put(w.AllSessions, e.Session, func(s access.Session) bool { return s.ID == e.Session.ID })
	case store.DropSession:
		w.AllSessions = slices.DeleteFunc(w.AllSessions, func(s access.Session) bool { return s.ID == e.ID })
	case store.PutWebhook:
		i := slices.IndexFunc(w.AllWebhooks, func(h webhook.Webhook) bool { return h.ID == e.Endpoint.ID })
		if i < 0 {
			i = len(w.AllWebhooks)
			w.AllWebhooks = append(w.AllWebhooks, webhook.Webhook{})
		}
		w.AllWebhooks[i].Endpoint = e.Endpoint
		w.AllWebhooks[i] = w.AllWebhooks[i].Clone()
	case store.DropWebhook:
		w.AllWebhooks = slices.DeleteFunc(w.AllWebhooks, func(h webhook.Webhook) bool { return h.ID == e.ID })
	case store.PutProgress:
		for i, h := range w.AllWebhooks {
			if h.ID == e.Webhook {
				h.Progress = e.Progress
				w.AllWebhooks[i] = h.Clone()
			}
		}
	case store.PutLease:
		w.Leases[e.Lease.Name] = e.Lease
	case store.Rewrite:
		return w.rewrite(e)
	case store.RewriteAudit:
		return w.rewriteAudit(e)
	case store.EmptyReplies:
		for key, r := range w.Replies {
			if r.About.Within(e.About) {
				r.Body = nil
				w.Replies[key] = r
			}
		}
	case store.KeepReply:
		e.Reply.Body = slices.Clone(e.Reply.Body)
		w.Replies[bench.ReplyKey{User: e.Reply.User, Key: e.Reply.Key}] = e.Reply
	case store.Expire:
		maps.DeleteFunc(w.Replies, func(_ bench.ReplyKey, r store.Reply) bool { return r.Created.Before(e.Before) })
	default:
		return fault.New(fault.Unsupported, "the model does not know %T", effect)
	}
	return nil
}

// put returns the list with the object in the place of the same one, or else at the end.
func put[T any](all []T, one T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = one
		return all
	}
	return append(all, one)
}

// Restore adds a problem and all its parts. Its revision gets the batch.
func (w *World) Restore(d store.Dossier, batch ident.ID) {
	w.Put(d.Problem, d.Size(), batch)
	for _, k := range d.Keywords {
		w.Keywords[named{d.ID, k.Name}] = k
	}
	for _, r := range d.Relationships {
		w.Relationships[Link{r.Owner, r.Type, r.Other}] = r
	}
	for _, id := range d.Watchers {
		w.watchers[bench.Mark{Problem: d.ID, User: id}] = true
	}
	for _, id := range d.Readers {
		w.readers[bench.Mark{Problem: d.ID, User: id}] = true
	}
	for _, c := range d.Comments {
		w.AllComments = append(w.AllComments, store.AddComment{Problem: d.ID, Comment: c})
	}
	for _, a := range d.Attachments {
		w.Attachments = append(w.Attachments, store.PutAttachment{Problem: d.ID, Attachment: a})
	}
	w.Logs = append(w.Logs, d.Log...)
	w.Savepoints = append(w.Savepoints, d.Savepoints...)
}
