// Package kit is for the tests of the use cases: a store in memory, a clock, the objects that
// most tests share, and checks of faults and Changes.
package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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

// Memory is a store that is as simple as can be: every Commit copies everything.
// It refuses what breaks the contract between the tracker and the port.
type Memory struct {
	mu       sync.Mutex
	State    *State // never changes; replaced by Commit
	Reserved problem.ID
	Commits  []Committed // all, in order
}

// Committed is a Change with the states before and after it.
type Committed struct {
	store.Change
	Before, After *State
}

// State is everything that is stored at one moment.
type State struct {
	Problems map[problem.ID]*Record
	Content  metadata.Content
	Tokens   []access.Token
	Queries  []query.Saved
	Sessions []access.Session
	webhooks []webhook.Webhook
	Leases   map[string]lease.Lease
	Audit    []audit.Entry
	Feed     []event.Entry
	Replies  map[string]store.Reply // by user and key
	Versions store.Versions
	ruledOut map[ident.ID]bool
	Receipts map[ident.ID]store.Receipt
}

// Record is a problem with all that belongs to it.
type Record struct {
	Problem       problem.Problem
	Batch         ident.ID // see snapshot.Snapshot
	size          int64
	claim         problem.Claim
	Keywords      []problem.Keyword
	Comments      []problem.Comment
	attachments   []problem.Attachment
	Relationships []relationship.Relationship
	watchers      []ident.ID
	Readers       []ident.ID
	Log           []problem.LogEntry
	Savepoints    []snapshot.Savepoint
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{State: new(State).Clone()} }

// Clone returns a copy.
func (s *State) Clone() *State {
	c := *s
	c.Problems = make(map[problem.ID]*Record)
	for id, r := range s.Problems {
		c.Problems[id] = &Record{
			r.Problem, r.Batch, r.size, r.claim, slices.Clone(r.Keywords), slices.Clone(r.Comments), slices.Clone(r.attachments), slices.Clone(r.Relationships),
			slices.Clone(r.watchers), slices.Clone(r.Readers), slices.Clone(r.Log), slices.Clone(r.Savepoints),
		}
	}
	c.Content = metadata.Content{
		States:          slices.Clone(s.Content.States),
		Priorities:      slices.Clone(s.Content.Priorities),
		Classifications: slices.Clone(s.Content.Classifications),
		Components:      slices.Clone(s.Content.Components),
		Milestones:      slices.Clone(s.Content.Milestones),
		Users:           slices.Clone(s.Content.Users),
	}
	c.Sessions = slices.Clone(s.Sessions)
	c.webhooks, c.Leases = slices.Clone(s.webhooks), cloneMap(s.Leases)
	c.Tokens, c.Queries, c.Audit = slices.Clone(s.Tokens), slices.Clone(s.Queries), slices.Clone(s.Audit)
	c.Feed = slices.Clone(s.Feed)
	c.Replies = cloneMap(s.Replies)
	c.ruledOut, c.Receipts = cloneMap(s.ruledOut), cloneMap(s.Receipts)
	return &c
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	maps.Copy(c, m)
	return c
}

// View implements store.Store.
func (m *Memory) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	return fn(reader{m.Current()})
}

// Edit changes what is stored, past the rules of a Commit.
func (m *Memory) Edit(change func(*State)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m.State)
}

// Current returns the state of this moment. Nobody changes it.
func (m *Memory) Current() *State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.State
}

// Confirm implements store.Store.
func (m *Memory) Confirm(ctx context.Context, _ store.History) error { return store.Ended(ctx) }

// Versions implements store.Store.
func (m *Memory) Versions(ctx context.Context) (store.Versions, error) {
	return reader{m.Current()}.Versions(ctx)
}

// Reserve implements store.Store.
func (m *Memory) Reserve(context.Context) (problem.ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Reserved++
	return m.Reserved, nil
}

// Outcome implements store.Store.
func (m *Memory) Outcome(_ context.Context, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	receipt, ok := m.State.Receipts[batch]
	if !ok {
		m.State = m.State.Clone()
		m.State.ruledOut[batch] = true
	}
	return receipt, ok, nil
}

// Restore is none of the tracker's business.
func (m *Memory) Restore(context.Context, store.Archive) error {
	return fault.New(fault.Unsupported, "the tracker restores nothing")
}

// Close implements store.Store.
func (m *Memory) Close() error { return nil }

// Commit implements store.Store.
func (m *Memory) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Receipt{}, fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	if receipt, ok := m.State.Receipts[c.Batch]; ok {
		return receipt, nil
	}
	if m.State.ruledOut[c.Batch] {
		return store.Receipt{}, fault.New(fault.Abandoned, "this batch never happens")
	}
	next := m.State.Clone()
	for _, e := range c.Expect {
		if !next.holds(e) {
			return store.Receipt{}, fault.New(fault.Conflict, "%T%+v does not hold", e, e)
		}
	}
	for _, e := range c.Effects {
		if err := next.apply(c, e); err != nil {
			return store.Receipt{}, err
		}
	}
	for _, e := range c.Log {
		next.Problems[e.Problem].Log = append(next.Problems[e.Problem].Log, e)
	}
	next.enter(c)
	next.count(c)
	receipt := store.Receipt{Batch: c.Batch, Position: int64(len(m.Commits) + 1)}
	next.Receipts[c.Batch] = receipt
	m.Commits = append(m.Commits, Committed{c, m.State, next})
	m.State = next
	return receipt, nil
}

// SetBack takes the last commit back, as a fail-over does to a server that was the
// only one to have it.
func (m *Memory) SetBack() {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.Commits) - 1
	m.State, m.Commits = m.Commits[last].Before, m.Commits[:last]
}

func (s *State) holds(e store.Expectation) bool {
	switch e := e.(type) {
	case store.ProblemAt:
		r := s.Problems[e.ID]
		return r != nil && r.Problem.Revision == e.Revision && r.Batch == e.Batch
	case store.ClaimAt:
		r := s.Problems[e.Problem]
		return r != nil && r.claim.ID == e.Claim && r.claim.Expires.Equal(e.Expires)
	case store.CatalogueAt:
		return s.Versions.Catalogue == e.Version
	case store.AccessAt:
		return s.Versions.Access == e.Version
	case store.KeyUnused:
		reply, kept := s.Replies[replyKey(e.User, e.Key)]
		return !kept || reply.Created.Before(e.Since)
	case store.StateUnused:
		for _, r := range s.Problems {
			if r.Problem.State == e.State {
				return false
			}
		}
		return true
	case store.WebhookAt:
		return slices.ContainsFunc(s.webhooks, func(w webhook.Webhook) bool { return w.ID == e.ID && w.Version == e.Version })
	case store.LeaseAt:
		return s.Leases[e.Name].Version == e.Version
	case store.StoreEmpty:
		return len(s.Problems)+len(s.Queries)+len(s.webhooks)+len(s.Audit) == 0 && s.Versions == store.Versions{}
	}
	panic(fmt.Sprintf("unknown expectation %T", e))
}

func replyKey(who ident.ID, key string) string { return who.String() + " " + key }

// count raises the versions that the change outdates, by 1 each.
func (s *State) count(c store.Change) {
	s.Versions = s.Versions.After(c)
}

func (s *State) apply(c store.Change, e store.Effect) error {
	switch e := e.(type) {
	case store.CreateProblem:
		if s.Problems[e.Problem.ID] != nil {
			return fault.New(fault.Conflict, "the number %d is not free", e.Problem.ID)
		}
		s.Problems[e.Problem.ID] = &Record{Problem: e.Problem, Batch: c.Batch, size: e.Size}
	case store.UpdateProblem:
		r := s.Problems[e.Problem.ID]
		r.Problem, r.Batch, r.size = e.Problem, c.Batch, e.Size
	case store.PutSavepoint:
		r := s.Problems[e.Problem.ID]
		r.Savepoints = append(r.Savepoints, snapshot.Savepoint{Batch: c.Batch, Problem: e.Problem})
	case store.AddComment:
		r := s.Problems[e.Problem]
		r.Comments = append(r.Comments, e.Comment)
	case store.PutAttachment:
		r := s.Problems[e.Problem]
		r.attachments = put(slices.Clone(r.attachments), e.Attachment, func(a problem.Attachment) string { return a.ID.String() })
	case store.PutClaim:
		s.Problems[e.Problem].claim = e.Claim
	case store.PutComment:
		r := s.Problems[e.Problem]
		r.Comments = put(r.Comments, e.Comment, func(c problem.Comment) string { return c.ID.String() })
	case store.PutKeyword:
		r := s.Problems[e.Problem]
		r.Keywords = put(r.Keywords, e.Keyword, func(k problem.Keyword) string { return k.Name })
		slices.SortFunc(r.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	case store.DropKeyword:
		r := s.Problems[e.Problem]
		r.Keywords = slices.DeleteFunc(r.Keywords, func(k problem.Keyword) bool { return k.Name == e.Name })
	case store.PutRelationship:
		r := s.Problems[e.Relationship.Owner]
		if slices.ContainsFunc(r.Relationships, func(have relationship.Relationship) bool { return have.Compare(e.Relationship) == 0 }) {
			return fault.New(fault.Conflict, "%+v is there already", e.Relationship)
		}
		r.Relationships = append(r.Relationships, e.Relationship)
		slices.SortFunc(r.Relationships, relationship.Relationship.Compare)
	case store.DropRelationship:
		r := s.Problems[e.Owner]
		r.Relationships = slices.DeleteFunc(r.Relationships, func(have relationship.Relationship) bool { return have.Type == e.Type && have.Other == e.Other })
	case store.Watch:
		r := s.Problems[e.Problem]
		r.watchers = put(r.watchers, e.User, ident.ID.String)
	case store.MarkRead:
		r := s.Problems[e.Problem]
		r.Readers = slices.DeleteFunc(r.Readers, func(id ident.ID) bool { return id == e.User })
		if e.Read {
			r.Readers = append(r.Readers, e.User)
		}
	case store.ForgetReads:
		r := s.Problems[e.Problem]
		r.Readers = slices.DeleteFunc(r.Readers, func(id ident.ID) bool { return id != e.But })
	case store.PutState:
		s.Content.States = put(s.Content.States, e.State, func(o metadata.State) string { return o.ID.String() })
	case store.PutPriority:
		s.Content.Priorities = put(s.Content.Priorities, e.Priority, func(o metadata.Priority) string { return o.ID.String() })
	case store.PutClassification:
		s.Content.Classifications = put(s.Content.Classifications, e.Classification, func(o metadata.Classification) string { return o.ID.String() })
	case store.PutComponent:
		s.Content.Components = put(s.Content.Components, e.Component, func(o metadata.Component) string { return o.ID.String() })
	case store.PutMilestone:
		s.Content.Milestones = put(s.Content.Milestones, e.Milestone, func(o metadata.Milestone) string { return o.ID.String() })
	case store.PutUser:
		s.Content.Users = put(s.Content.Users, e.User, func(u user.User) string { return u.ID.String() })
	case store.PutToken:
		s.Tokens = put(s.Tokens, e.Token, func(t access.Token) string { return t.ID.String() })
	case store.MarkUsed:
		for _, t := range s.Tokens {
			if t.ID == e.Token && t.LastUse.Before(e.At) {
				t.LastUse = e.At
				s.Tokens = put(s.Tokens, t, func(t access.Token) string { return t.ID.String() })
			}
		}
	case store.AppendAudit:
		s.Audit = append(s.Audit, e.Entry)
	case store.RewriteAudit:
		for _, entry := range e.Entries {
			s.Audit = put(s.Audit, entry, func(a audit.Entry) string { return a.ID.String() })
		}
	case store.Rewrite:
		r := s.Problems[e.Problem]
		for _, entry := range e.Log {
			r.Log = put(r.Log, entry, func(l problem.LogEntry) string { return l.ID.String() })
		}
	case store.EmptyReplies:
		for key, r := range s.Replies {
			if r.About.Within(e.About) {
				r.Body = nil
				s.Replies[key] = r
			}
		}
	case store.PutQuery:
		s.Queries = put(s.Queries, e.Query, func(q query.Saved) string { return q.ID.String() })
	case store.DropQuery:
		s.Queries = slices.DeleteFunc(s.Queries, func(q query.Saved) bool { return q.ID == e.ID })
	case store.PutSession:
		s.Sessions = put(s.Sessions, e.Session, func(s access.Session) string { return s.ID.String() })
	case store.PutWebhook:
		i := slices.IndexFunc(s.webhooks, func(w webhook.Webhook) bool { return w.ID == e.Endpoint.ID })
		if i < 0 {
			i = len(s.webhooks)
			s.webhooks = append(s.webhooks, webhook.Webhook{})
		}
		s.webhooks[i].Endpoint = e.Endpoint
	case store.DropWebhook:
		s.webhooks = slices.DeleteFunc(s.webhooks, func(w webhook.Webhook) bool { return w.ID == e.ID })
	case store.PutProgress:
		for i, w := range s.webhooks {
			if w.ID == e.Webhook {
				s.webhooks[i].Progress = e.Progress
			}
		}
	case store.PutLease:
		if s.Leases == nil {
			s.Leases = make(map[string]lease.Lease)
		}
		s.Leases[e.Lease.Name] = e.Lease
	case store.DropSession:
		s.Sessions = slices.DeleteFunc(s.Sessions, func(s access.Session) bool { return s.ID == e.ID })
	case store.Unwatch:
		r := s.Problems[e.Problem]
		r.watchers = slices.DeleteFunc(r.watchers, func(id ident.ID) bool { return id == e.User })
	case store.KeepReply:
		s.Replies[replyKey(e.Reply.User, e.Reply.Key)] = e.Reply
	case store.Publish: // see enter
	case store.ForgetFeed:
		s.forgetFeed(e.Through)
	case store.Expire:
		maps.DeleteFunc(s.Replies, func(_ string, r store.Reply) bool { return r.Created.Before(e.Before) })
	default:
		panic(fmt.Sprintf("unknown effect %T", e))
	}
	return nil
}

// put replaces the element with the same key, or appends.
func put[T any](list []T, element T, key func(T) string) []T {
	i := slices.IndexFunc(list, func(have T) bool { return key(have) == key(element) })
	if i < 0 {
		return append(list, element)
	}
	list[i] = element
	return list
}

// reader reads from one state.
type reader struct{ of *State }

func (r reader) Problem(_ context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	rec := r.of.Problems[id]
	if rec == nil {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "no problem %d", id)
	}
	shown := snapshot.Snapshot{
		Problem:        rec.Problem,
		Batch:          rec.Batch,
		Size:           rec.size,
		Claim:          rec.claim,
		Catalogue:      r.of.Versions.Catalogue,
		Watching:       slices.Contains(rec.watchers, as),
		Read:           slices.Contains(rec.Readers, as),
		ReadByAssignee: slices.Contains(rec.Readers, rec.Problem.Assignee),
	}
	if parts.Has(snapshot.IfSmall) && shown.Size > snapshot.Small {
		return shown, nil
	}
	if parts.Has(snapshot.Keywords) {
		shown.Keywords = append([]problem.Keyword{}, rec.Keywords...)
	}
	if parts.Has(snapshot.Log) {
		shown.Log = append([]problem.LogEntry{}, rec.Log...)
	}
	if parts.Has(snapshot.Comments) {
		shown.Comments = append([]problem.Comment{}, rec.Comments...)
	}
	if parts.Has(snapshot.Attachments) {
		shown.Attachments = slices.Clone(rec.attachments)
	}
	if parts.Has(snapshot.Watchers) {
		shown.Watchers = append([]ident.ID{}, rec.watchers...)
	}
	if parts.Has(snapshot.Savepoints) {
		shown.Savepoints = append([]snapshot.Savepoint{}, rec.Savepoints...)
	}
	if parts.Has(snapshot.Relationships) {
		shown.Relationships = []snapshot.Related{}
		for _, link := range rec.Relationships {
			other := r.of.Problems[link.Other].Problem
			shown.Relationships = append(shown.Relationships, snapshot.Related{Relationship: link, OtherTitle: other.Title, OtherState: other.State})
		}
	}
	return shown, nil
}

func (r reader) Log(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	return store.Portion(r.of.Problems[id].Log, skip, limit, budget, (*problem.LogEntry).Size), nil
}

func (r reader) Comments(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	return store.Portion(r.of.Problems[id].Comments, skip, limit, budget, (*problem.Comment).Size), nil
}

func (r reader) Neighbours(_ context.Context, t relationship.Type, owners []problem.ID) (all []relationship.Relationship, err error) {
	for _, id := range owners {
		if rec := r.of.Problems[id]; rec != nil {
			for _, link := range rec.Relationships {
				if link.Type == t {
					all = append(all, link)
				}
			}
		}
	}
	return all, nil
}

// History implements store.Reader. There is but one.
func (reader) History() store.History { return 0 }

func (r reader) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return metadata.NewCatalogue(r.of.Versions.Catalogue, r.of.Clone().Content), nil
}

func (r reader) Versions(ctx context.Context) (store.Versions, error) {
	if err := ctx.Err(); err != nil {
		return store.Versions{}, fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	return r.of.Versions, nil
}

func (r reader) Tokens(context.Context) ([]access.Token, error) {
	return slices.Clone(r.of.Tokens), nil
}

func (r reader) Reply(_ context.Context, who ident.ID, key string) (store.Reply, bool, error) {
	reply, ok := r.of.Replies[replyKey(who, key)]
	return reply, ok, nil
}

// Oldest knows replies only: here, batches are not forgotten.
func (r reader) Oldest(context.Context) (at time.Time, ok bool, err error) {
	for _, reply := range r.of.Replies {
		if !ok || reply.Created.Before(at) {
			at, ok = reply.Created, true
		}
	}
	return at, ok, nil
}
