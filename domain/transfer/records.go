package transfer

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// auditPage is the number of audit entries in one read.
const auditPage = 1000

// Reader is the part of store.Reader used by Records. The methods have the contracts of store.Reader.
type Reader interface {
	Catalogue(ctx context.Context) (*metadata.Catalogue, error)
	Tokens(ctx context.Context) ([]access.Token, error)
	SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error)
	Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error)
	Audit(ctx context.Context, after, limit int) ([]audit.Entry, error)
	store.DossierReader
	Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error)
}

// Records returns the whole content of the store at the Reader's moment. An error ends
// the records, and is the Reader's own. The records do not depend on the kind of store:
// a store loaded from records gives the same records again.
func Records(ctx context.Context, r Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		catalogue, err := r.Catalogue(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		tokens, err := r.Tokens(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		queries, err := r.SavedQueries(ctx, ident.None)
		if err != nil {
			yield(nil, err)
			return
		}
		hooks, err := r.Webhooks(ctx, 0, math.MaxInt)
		if err != nil {
			yield(nil, err)
			return
		}
		all := put(func(record Record) bool { return yield(record, nil) })
		// A version above MaxInteger is lowered to it. This is harmless: after loading,
		// its batch is new.
		if !all(Start{Catalogue: min(catalogue.Version.Number, MaxInteger)}) || !all.metadata(catalogue.Content()) ||
			!each(all, tokens, func(t access.Token) Record { return Token{t} }) ||
			!each(all, queries, func(q query.Saved) Record { return SavedQuery{q} }) ||
			!each(all, hooks, webhookRecord) {
			return
		}
		fail := func(err error) { yield(nil, err) }
		if !all.audit(ctx, r, fail) {
			return
		}
		last, ok := all.dossiers(ctx, r, fail)
		if ok && all.feed(ctx, r, fail) {
			all(End{Next: last + 1})
		}
	}
}

// audit puts the entries of the audit log. It returns false when the records have ended.
func (all put) audit(ctx context.Context, r Reader, fail func(error)) bool {
	for skip, full := 0, true; full; skip += auditPage {
		entries, err := r.Audit(ctx, skip, auditPage)
		if err != nil {
			fail(err)
			return false
		}
		if !each(all, entries, func(e audit.Entry) Record { return AuditEntry{e} }) {
			return false
		}
		full = len(entries) == auditPage
	}
	return true
}

// dossiers puts all problems, and returns the last one. ok is false when the records have
// ended.
func (all put) dossiers(ctx context.Context, r Reader, fail func(error)) (last problem.ID, ok bool) {
	for d, err := range store.AllDossiers(ctx, r) {
		if err != nil {
			fail(err)
			return last, false
		}
		if !all.dossier(&d) {
			return last, false
		}
		last = d.ID
	}
	return last, true
}

// webhookRecord leaves out the deliveries: they are a help for the search of a fault, and
// not needed to go on.
func webhookRecord(w webhook.Webhook) Record {
	w.Progress.Deliveries = nil
	return Webhook{w}
}

// One read of the feed has at most so many entries, and about so many bytes.
const (
	feedPage  = 1000
	feedBytes = 8 << 20
)

// feed puts all events. It calls failed for an error of the Reader.
func (all put) feed(ctx context.Context, r Reader, failed func(error)) bool {
	for next := int64(1); ; {
		entries, err := r.Feed(ctx, next, feedPage, feedBytes)
		if err != nil {
			failed(err)
			return false
		}
		if len(entries) == 0 {
			return true
		}
		for _, entry := range entries {
			next = entry.Number + 1
			if !each(all, entry.Events, func(e event.Event) Record {
				return Event{entry.Number, entry.Batch, entry.At, entry.Author, entry.Via, e}
			}) {
				return false
			}
		}
	}
}

// put takes a record and reports whether to continue.
type put func(Record) bool

func (all put) metadata(c metadata.Content) bool {
	return sorted(all, c.States, func(o metadata.State) (ident.ID, Record) { return o.ID, State{o} }) &&
		sorted(all, c.Priorities, func(o metadata.Priority) (ident.ID, Record) { return o.ID, Priority{o} }) &&
		sorted(all, c.Classifications, func(o metadata.Classification) (ident.ID, Record) { return o.ID, Classification{o} }) &&
		sorted(all, c.Components, func(o metadata.Component) (ident.ID, Record) { return o.ID, Component{o} }) &&
		sorted(all, c.Milestones, func(o metadata.Milestone) (ident.ID, Record) { return o.ID, Milestone{o} }) &&
		sorted(all, c.Users, func(o user.User) (ident.ID, Record) { return o.ID, User{o} })
}

// sorted puts objects in the order of their identifiers. It does not change the slice.
func sorted[T any](all put, objects []T, record func(T) (ident.ID, Record)) bool {
	type keyed struct {
		id ident.ID
		Record
	}
	records := make([]keyed, len(objects))
	for i, o := range objects {
		records[i].id, records[i].Record = record(o)
	}
	slices.SortFunc(records, func(a, b keyed) int { return a.id.Compare(b.id) })
	for _, r := range records {
		if !all(r.Record) {
			return false
		}
	}
	return true
}

func (all put) dossier(d *store.Dossier) bool {
	return all(Problem{d.Problem}) &&
		each(all, d.Savepoints, func(s snapshot.Savepoint) Record { return Savepoint{s} }) &&
		each(all, d.Log, func(e problem.LogEntry) Record { return LogEntry{e} }) &&
		each(all, d.Comments, func(c problem.Comment) Record { return Comment{d.ID, c} }) &&
		each(all, d.Keywords, func(k problem.Keyword) Record { return Keyword{d.ID, k} }) &&
		each(all, d.Relationships, func(r relationship.Relationship) Record { return Relationship{r} }) &&
		each(all, d.Watchers, func(id ident.ID) Record { return Watcher{d.ID, id} }) &&
		each(all, d.Readers, func(id ident.ID) Record { return ReadMark{d.ID, id} }) &&
		each(all, d.Attachments, func(a problem.Attachment) Record { return Attachment{d.ID, a} })
}

func each[T any](all put, parts []T, record func(T) Record) bool {
	for _, part := range parts {
		if !all(record(part)) {
			return false
		}
	}
	return true
}
