package tracker

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

// memory is a store that is as simple as can be: every Commit copies everything.
// It refuses what breaks the contract between the tracker and the port.
type memory struct {
	mu       sync.Mutex
	state    *state // never changes; replaced by Commit
	reserved problem.ID
	commits  []committed // all, in order
}

// committed is a Change with the states before and after it.
type committed struct {
	store.Change
	before, after *state
}

// state is everything that is stored at one moment.
type state struct {
	problems map[problem.ID]*record
	content  metadata.Content
	tokens   []access.Token
	queries  []query.Saved
	sessions []access.Session
	webhooks []webhook.Webhook
	leases   map[string]lease.Lease
	audit    []audit.Entry
	feed     []event.Entry
	replies  map[string]store.Reply // by user and key
	versions store.Versions
	ruledOut map[ident.ID]bool
	receipts map[ident.ID]store.Receipt
}

// record is a problem with all that belongs to it.
type record struct {
	problem       problem.Problem
	batch         ident.ID // see snapshot.Snapshot
	size          int64
	claim         problem.Claim
	keywords      []problem.Keyword
	comments      []problem.Comment
	attachments   []problem.Attachment
	relationships []relationship.Relationship
	watchers      []ident.ID
	readers       []ident.ID
	log           []problem.LogEntry
	savepoints    []snapshot.Savepoint
}

func newMemory() *memory { return &memory{state: new(state).clone()} }

func (s *state) clone() *state {
	c := *s
	c.problems = make(map[problem.ID]*record)
	for id, r := range s.problems {
		c.problems[id] = &record{
			r.problem, r.batch, r.size, r.claim, slices.Clone(r.keywords), slices.Clone(r.comments), slices.Clone(r.attachments), slices.Clone(r.relationships),
			slices.Clone(r.watchers), slices.Clone(r.readers), slices.Clone(r.log), slices.Clone(r.savepoints),
		}
	}
	c.content = metadata.Content{
		States:          slices.Clone(s.content.States),
		Priorities:      slices.Clone(s.content.Priorities),
		Classifications: slices.Clone(s.content.Classifications),
		Components:      slices.Clone(s.content.Components),
		Milestones:      slices.Clone(s.content.Milestones),
		Users:           slices.Clone(s.content.Users),
	}
	c.sessions = slices.Clone(s.sessions)
	c.webhooks, c.leases = slices.Clone(s.webhooks), cloneMap(s.leases)
	c.tokens, c.queries, c.audit = slices.Clone(s.tokens), slices.Clone(s.queries), slices.Clone(s.audit)
	c.feed = slices.Clone(s.feed)
	c.replies = cloneMap(s.replies)
	c.ruledOut, c.receipts = cloneMap(s.ruledOut), cloneMap(s.receipts)
	return &c
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	maps.Copy(c, m)
	return c
}

func (m *memory) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	return fn(reader{m.current()})
}

func (m *memory) current() *state {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

func (m *memory) Confirm(ctx context.Context, _ store.History) error { return store.Ended(ctx) }

func (m *memory) Versions(ctx context.Context) (store.Versions, error) {
	return reader{m.current()}.Versions(ctx)
}

func (m *memory) Reserve(context.Context) (problem.ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved++
	return m.reserved, nil
}

func (m *memory) Outcome(_ context.Context, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	receipt, ok := m.state.receipts[batch]
	if !ok {
		m.state = m.state.clone()
		m.state.ruledOut[batch] = true
	}
	return receipt, ok, nil
}

// Restore is none of the tracker's business.
func (m *memory) Restore(context.Context, store.Archive) error {
	return fault.New(fault.Unsupported, "the tracker restores nothing")
}

func (m *memory) Close() error { return nil }

func (m *memory) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Receipt{}, fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	if receipt, ok := m.state.receipts[c.Batch]; ok {
		return receipt, nil
	}
	if m.state.ruledOut[c.Batch] {
		return store.Receipt{}, fault.New(fault.Abandoned, "this batch never happens")
	}
	next := m.state.clone()
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
		next.problems[e.Problem].log = append(next.problems[e.Problem].log, e)
	}
	next.enter(c)
	next.count(c)
	receipt := store.Receipt{Batch: c.Batch, Position: int64(len(m.commits) + 1)}
	next.receipts[c.Batch] = receipt
	m.commits = append(m.commits, committed{c, m.state, next})
	m.state = next
	return receipt, nil
}

// setBack takes the last commit back, as a fail-over does to a server that was the
// only one to have it.
func (m *memory) setBack() {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.commits) - 1
	m.state, m.commits = m.commits[last].before, m.commits[:last]
}

func (s *state) holds(e store.Expectation) bool {
	switch e := e.(type) {
	case store.ProblemAt:
		r := s.problems[e.ID]
		return r != nil && r.problem.Revision == e.Revision && r.batch == e.Batch
	case store.ClaimAt:
		r := s.problems[e.Problem]
		return r != nil && r.claim.ID == e.Claim && r.claim.Expires.Equal(e.Expires)
	case store.CatalogueAt:
		return s.versions.Catalogue == e.Version
	case store.AccessAt:
		return s.versions.Access == e.Version
	case store.KeyUnused:
		reply, kept := s.replies[replyKey(e.User, e.Key)]
		return !kept || reply.Created.Before(e.Since)
	case store.StateUnused:
		for _, r := range s.problems {
			if r.problem.State == e.State {
				return false
			}
		}
		return true
	case store.WebhookAt:
		return slices.ContainsFunc(s.webhooks, func(w webhook.Webhook) bool { return w.ID == e.ID && w.Version == e.Version })
	case store.LeaseAt:
		return s.leases[e.Name].Version == e.Version
	case store.StoreEmpty:
		return len(s.problems)+len(s.queries)+len(s.webhooks)+len(s.audit) == 0 && s.versions == store.Versions{}
	}
	panic(fmt.Sprintf("unknown expectation %T", e))
}

func replyKey(who ident.ID, key string) string { return who.String() + " " + key }

// count raises the versions that the change outdates, by 1 each.
func (s *state) count(c store.Change) {
	s.versions = s.versions.After(c)
}

func (s *state) apply(c store.Change, e store.Effect) error {
	switch e := e.(type) {
	case store.CreateProblem:
		if s.problems[e.Problem.ID] != nil {
			return fault.New(fault.Conflict, "the number %d is not free", e.Problem.ID)
		}
		s.problems[e.Problem.ID] = &record{problem: e.Problem, batch: c.Batch, size: e.Size}
	case store.UpdateProblem:
		r := s.problems[e.Problem.ID]
		r.problem, r.batch, r.size = e.Problem, c.Batch, e.Size
	case store.PutSavepoint:
		r := s.problems[e.Problem.ID]
		r.savepoints = append(r.savepoints, snapshot.Savepoint{Batch: c.Batch, Problem: e.Problem})
	case store.AddComment:
		r := s.problems[e.Problem]
		r.comments = append(r.comments, e.Comment)
	case store.PutAttachment:
		r := s.problems[e.Problem]
		r.attachments = put(slices.Clone(r.attachments), e.Attachment, func(a problem.Attachment) string { return a.ID.String() })
	case store.PutClaim:
		s.problems[e.Problem].claim = e.Claim
	case store.PutComment:
		r := s.problems[e.Problem]
		r.comments = put(r.comments, e.Comment, func(c problem.Comment) string { return c.ID.String() })
	case store.PutKeyword:
		r := s.problems[e.Problem]
		r.keywords = put(r.keywords, e.Keyword, func(k problem.Keyword) string { return k.Name })
		slices.SortFunc(r.keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	case store.DropKeyword:
		r := s.problems[e.Problem]
		r.keywords = slices.DeleteFunc(r.keywords, func(k problem.Keyword) bool { return k.Name == e.Name })
	case store.PutRelationship:
		r := s.problems[e.Relationship.Owner]
		if slices.ContainsFunc(r.relationships, func(have relationship.Relationship) bool { return have.Compare(e.Relationship) == 0 }) {
			return fault.New(fault.Conflict, "%+v is there already", e.Relationship)
		}
		r.relationships = append(r.relationships, e.Relationship)
		slices.SortFunc(r.relationships, relationship.Relationship.Compare)
	case store.DropRelationship:
		r := s.problems[e.Owner]
		r.relationships = slices.DeleteFunc(r.relationships, func(have relationship.Relationship) bool { return have.Type == e.Type && have.Other == e.Other })
	case store.Watch:
		r := s.problems[e.Problem]
		r.watchers = put(r.watchers, e.User, ident.ID.String)
	case store.MarkRead:
		r := s.problems[e.Problem]
		r.readers = slices.DeleteFunc(r.readers, func(id ident.ID) bool { return id == e.User })
		if e.Read {
			r.readers = append(r.readers, e.User)
		}
	case store.ForgetReads:
		r := s.problems[e.Problem]
		r.readers = slices.DeleteFunc(r.readers, func(id ident.ID) bool { return id != e.But })
	case store.PutState:
		s.content.States = put(s.content.States, e.State, func(o metadata.State) string { return o.ID.String() })
	case store.PutPriority:
		s.content.Priorities = put(s.content.Priorities, e.Priority, func(o metadata.Priority) string { return o.ID.String() })
	case store.PutClassification:
		s.content.Classifications = put(s.content.Classifications, e.Classification, func(o metadata.Classification) string { return o.ID.String() })
	case store.PutComponent:
		s.content.Components = put(s.content.Components, e.Component, func(o metadata.Component) string { return o.ID.String() })
	case store.PutMilestone:
		s.content.Milestones = put(s.content.Milestones, e.Milestone, func(o metadata.Milestone) string { return o.ID.String() })
	case store.PutUser:
		s.content.Users = put(s.content.Users, e.User, func(u user.User) string { return u.ID.String() })
	case store.PutToken:
		s.tokens = put(s.tokens, e.Token, func(t access.Token) string { return t.ID.String() })
	case store.MarkUsed:
		for _, t := range s.tokens {
			if t.ID == e.Token && t.LastUse.Before(e.At) {
				t.LastUse = e.At
				s.tokens = put(s.tokens, t, func(t access.Token) string { return t.ID.String() })
			}
		}
	case store.AppendAudit:
		s.audit = append(s.audit, e.Entry)
	case store.RewriteAudit:
		for _, entry := range e.Entries {
			s.audit = put(s.audit, entry, func(a audit.Entry) string { return a.ID.String() })
		}
	case store.Rewrite:
		r := s.problems[e.Problem]
		for _, entry := range e.Log {
			r.log = put(r.log, entry, func(l problem.LogEntry) string { return l.ID.String() })
		}
	case store.EmptyReplies:
		for key, r := range s.replies {
			if r.About.Within(e.About) {
				r.Body = nil
				s.replies[key] = r
			}
		}
	case store.PutQuery:
		s.queries = put(s.queries, e.Query, func(q query.Saved) string { return q.ID.String() })
	case store.DropQuery:
		s.queries = slices.DeleteFunc(s.queries, func(q query.Saved) bool { return q.ID == e.ID })
	case store.PutSession:
		s.sessions = put(s.sessions, e.Session, func(s access.Session) string { return s.ID.String() })
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
		if s.leases == nil {
			s.leases = make(map[string]lease.Lease)
		}
		s.leases[e.Lease.Name] = e.Lease
	case store.DropSession:
		s.sessions = slices.DeleteFunc(s.sessions, func(s access.Session) bool { return s.ID == e.ID })
	case store.Unwatch:
		r := s.problems[e.Problem]
		r.watchers = slices.DeleteFunc(r.watchers, func(id ident.ID) bool { return id == e.User })
	case store.KeepReply:
		s.replies[replyKey(e.Reply.User, e.Reply.Key)] = e.Reply
	case store.Publish: // see enter
	case store.ForgetFeed:
		s.forgetFeed(e.Through)
	case store.Expire:
		maps.DeleteFunc(s.replies, func(_ string, r store.Reply) bool { return r.Created.Before(e.Before) })
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
type reader struct{ *state }

func (r reader) Problem(_ context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	rec := r.problems[id]
	if rec == nil {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "no problem %d", id)
	}
	shown := snapshot.Snapshot{
		Problem:        rec.problem,
		Batch:          rec.batch,
		Size:           rec.size,
		Claim:          rec.claim,
		Catalogue:      r.versions.Catalogue,
		Watching:       slices.Contains(rec.watchers, as),
		Read:           slices.Contains(rec.readers, as),
		ReadByAssignee: slices.Contains(rec.readers, rec.problem.Assignee),
	}
	if parts.Has(snapshot.IfSmall) && shown.Size > snapshot.Small {
		return shown, nil
	}
	if parts.Has(snapshot.Keywords) {
		shown.Keywords = append([]problem.Keyword{}, rec.keywords...)
	}
	if parts.Has(snapshot.Log) {
		shown.Log = append([]problem.LogEntry{}, rec.log...)
	}
	if parts.Has(snapshot.Comments) {
		shown.Comments = append([]problem.Comment{}, rec.comments...)
	}
	if parts.Has(snapshot.Attachments) {
		shown.Attachments = slices.Clone(rec.attachments)
	}
	if parts.Has(snapshot.Watchers) {
		shown.Watchers = append([]ident.ID{}, rec.watchers...)
	}
	if parts.Has(snapshot.Savepoints) {
		shown.Savepoints = append([]snapshot.Savepoint{}, rec.savepoints...)
	}
	if parts.Has(snapshot.Relationships) {
		shown.Relationships = []snapshot.Related{}
		for _, link := range rec.relationships {
			other := r.problems[link.Other].problem
			shown.Relationships = append(shown.Relationships, snapshot.Related{Relationship: link, OtherTitle: other.Title, OtherState: other.State})
		}
	}
	return shown, nil
}

func (r reader) Log(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	return store.Portion(r.problems[id].log, skip, limit, budget, (*problem.LogEntry).Size), nil
}

func (r reader) Comments(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	return store.Portion(r.problems[id].comments, skip, limit, budget, (*problem.Comment).Size), nil
}

func (r reader) Neighbours(_ context.Context, t relationship.Type, owners []problem.ID) (all []relationship.Relationship, err error) {
	for _, id := range owners {
		if rec := r.problems[id]; rec != nil {
			for _, link := range rec.relationships {
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
	return metadata.NewCatalogue(r.versions.Catalogue, r.clone().content), nil
}

func (r reader) Versions(ctx context.Context) (store.Versions, error) {
	if err := ctx.Err(); err != nil {
		return store.Versions{}, fault.Wrap(fault.Unavailable, err, "the time ran out")
	}
	return r.versions, nil
}

func (r reader) Tokens(context.Context) ([]access.Token, error) { return slices.Clone(r.tokens), nil }

func (r reader) Reply(_ context.Context, who ident.ID, key string) (store.Reply, bool, error) {
	reply, ok := r.replies[replyKey(who, key)]
	return reply, ok, nil
}

// Oldest knows replies only: here, batches are not forgotten.
func (r reader) Oldest(context.Context) (at time.Time, ok bool, err error) {
	for _, reply := range r.replies {
		if !ok || reply.Created.Before(at) {
			at, ok = reply.Created, true
		}
	}
	return at, ok, nil
}
