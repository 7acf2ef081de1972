package store

import (
	"iter"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/webhook"
)

// Dossier is a problem with all its parts, independent of any user.
type Dossier struct {
	problem.Problem
	Keywords      []problem.Keyword           // must be sorted by name, by code point (READ-003)
	Log           []problem.LogEntry          // oldest first (COM-008)
	Comments      []problem.Comment           // oldest first (COM-008)
	Relationships []relationship.Relationship // must be sorted by Relationship.Compare (READ-004)
	Watchers      []ident.ID                  // must be in ascending order (READ-011)
	Readers       []ident.ID                  // users with a read mark; must be in ascending order (READ-011)
	Savepoints    []snapshot.Savepoint        // oldest first (COM-008)
	Attachments   []problem.Attachment        // in the order of their first put (COM-008)
}

// Size returns the size of the problem in bytes: see snapshot.Snapshot.
func (d Dossier) Size() int64 {
	size := problem.Size(d.Fields, d.Keywords, d.Comments, d.Attachments, d.Log)
	for _, s := range d.Savepoints {
		size += problem.SavedSize(s.Fields)
	}
	return size
}

// Archive is the whole content of a Store except short-lived data: batches,
// replies, sessions and leases.
type Archive struct {
	// Batch names this filling of the store. Each call of Restore gets a new one, and
	// so the batch distinguishes two stores filled with the same Archive. It does not
	// distinguish their problems: see BatchOf.
	Batch ident.ID
	// Catalogue is the number of the catalogue's version at the Archive's moment. It is
	// 0 only without metadata and users.
	Catalogue int64
	Metadata  metadata.Content
	Tokens    []access.Token    // in the order of their first put
	Queries   []query.Saved     // in the order of their first put
	Webhooks  []webhook.Webhook // in the order of their first put
	Audit     []audit.Entry     // oldest first
	// Problems are in ascending order of their numbers. An error ends them. They may
	// come from a stream: Restore must not range over them twice (RES-008).
	Problems iter.Seq2[Dossier, error]
	// Feed has the entries of the feed, in ascending order of their numbers and without
	// gaps. An error ends them. They come behind the Problems of the same stream: Restore
	// must range over the Problems first, and not twice over either (RES-008). Nil means
	// none.
	Feed iter.Seq2[event.Entry, error]
}

// Versions returns the versions of a store filled with the Archive, by the rules of
// Store.Restore (RES-003, RES-009).
func (a Archive) Versions() (v Versions) {
	catalogue := a.Catalogue
	m := a.Metadata
	if len(m.States)+len(m.Priorities)+len(m.Classifications)+len(m.Components)+len(m.Milestones)+len(m.Users) > 0 {
		catalogue = max(catalogue, 1)
	}
	if catalogue > 0 {
		v.Catalogue = ident.Version{Number: catalogue, Batch: a.Batch}
	}
	if len(a.Tokens) > 0 {
		v.Access = ident.Version{Number: 1, Batch: a.Batch}
	}
	return v
}

// BatchOf returns the batch of a restored problem: the batch of the Change that made
// its revision (RES-009). So a revision is the same in every store that receives it,
// and client caches stay valid (D20). Only a problem without a log has the batch of the
// filling.
func (a Archive) BatchOf(d Dossier) ident.ID {
	if len(d.Log) == 0 {
		return a.Batch
	}
	return d.Log[len(d.Log)-1].Batch
}

// Head returns a Change without a batch, for use by Restore. Its effects store
// everything but the problems. Archive.Versions returns the Versions after it.
func (a Archive) Head() Change {
	var effects []Effect
	for _, o := range a.Metadata.States {
		effects = append(effects, PutState{State: o})
	}
	for _, o := range a.Metadata.Priorities {
		effects = append(effects, PutPriority{Priority: o})
	}
	for _, o := range a.Metadata.Classifications {
		effects = append(effects, PutClassification{Classification: o})
	}
	for _, o := range a.Metadata.Components {
		effects = append(effects, PutComponent{Component: o})
	}
	for _, o := range a.Metadata.Milestones {
		effects = append(effects, PutMilestone{Milestone: o})
	}
	for _, o := range a.Metadata.Users {
		effects = append(effects, PutUser{User: o})
	}
	for _, o := range a.Tokens {
		effects = append(effects, PutToken{Token: o})
	}
	for _, o := range a.Queries {
		effects = append(effects, PutQuery{Query: o})
	}
	for _, o := range a.Webhooks {
		effects = append(effects, PutWebhook{Endpoint: o.Endpoint}, PutProgress{Webhook: o.ID, Progress: o.Progress})
	}
	for _, o := range a.Audit {
		effects = append(effects, AppendAudit{Entry: o})
	}
	return Change{Effects: effects}
}
