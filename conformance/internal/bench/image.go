package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Image is the content of a store at one moment, in a form for comparison.
type Image struct {
	Problems   map[problem.ID]snapshot.Snapshot
	Watching   map[Mark]bool
	Read       map[Mark]bool
	Neighbours map[relationship.Type][]relationship.Relationship
	Catalogue  ident.Version
	Content    metadata.Content
	Versions   store.Versions
	Tokens     []access.Token
	Queries    []query.Saved
	Sessions   []access.Session
	Webhooks   []webhook.Webhook
	Audit      []audit.Entry
	Feed       []event.Entry
	Replies    map[ReplyKey]store.Reply
}

// Mark belongs to a user and a problem, such as a read mark.
type Mark struct {
	Problem problem.ID
	User    ident.ID
}

// ReplyKey names a stored answer: the keys of a user are unique, and users share none.
type ReplyKey struct {
	User ident.ID
	Key  string
}

// Scope is the extent of an image: the problems, users, keys and saved queries named by
// Changes.
type Scope struct {
	mu       sync.Mutex
	Problems map[problem.ID]bool
	Users    map[ident.ID]bool
	Keys     map[ReplyKey]bool
	Saved    map[ident.ID]ident.ID // saved queries with their owners
}

// NewScope returns an empty scope.
func NewScope() *Scope {
	return &Scope{
		Problems: make(map[problem.ID]bool),
		Users:    make(map[ident.ID]bool),
		Keys:     make(map[ReplyKey]bool),
		Saved:    make(map[ident.ID]ident.ID),
	}
}

// Add widens the scope by everything named in the change.
func (s *Scope) Add(change store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.CreateProblem:
			s.Problems[e.Problem.ID] = true
		case store.UpdateProblem:
			s.Problems[e.Problem.ID] = true
		case store.PutRelationship:
			s.Problems[e.Relationship.Owner] = true
		case store.Watch:
			s.Users[e.User] = true
		case store.MarkRead:
			s.Users[e.User] = true
		case store.PutQuery:
			s.Saved[e.Query.ID] = e.Query.Owner
		case store.KeepReply:
			s.Keys[ReplyKey{e.Reply.User, e.Reply.Key}] = true
		}
	}
}

// Read reads an image of the given scope.
func Read(ctx context.Context, r store.Reader, of *Scope) (Image, error) {
	of.mu.Lock()
	defer of.mu.Unlock()
	seen := Image{
		Problems:   make(map[problem.ID]snapshot.Snapshot),
		Watching:   make(map[Mark]bool),
		Read:       make(map[Mark]bool),
		Neighbours: make(map[relationship.Type][]relationship.Relationship),
		Replies:    make(map[ReplyKey]store.Reply),
	}
	if err := seen.readProblems(ctx, r, of); err != nil {
		return Image{}, err
	}
	if err := seen.compareDossiers(ctx, r, of); err != nil {
		return Image{}, err
	}
	if err := seen.readRelationships(ctx, r, of); err != nil {
		return Image{}, err
	}
	for _, k := range slices.SortedFunc(maps.Keys(of.Keys), ReplyKey.Compare) {
		reply, ok, err := r.Reply(ctx, k.User, k.Key)
		if err != nil {
			return Image{}, err
		}
		if ok {
			seen.Replies[k] = reply
		}
	}
	catalogue, err := r.Catalogue(ctx)
	if err != nil {
		return Image{}, err
	}
	seen.Catalogue, seen.Content = catalogue.Version, catalogue.Content()
	if seen.Versions, err = r.Versions(ctx); err != nil {
		return Image{}, err
	}
	if seen.Tokens, err = r.Tokens(ctx); err != nil {
		return Image{}, err
	}
	if seen.Queries, err = r.SavedQueries(ctx, ident.None); err != nil {
		return Image{}, err
	}
	if seen.Sessions, err = r.Sessions(ctx, ident.None); err != nil {
		return Image{}, err
	}
	if seen.Webhooks, err = r.Webhooks(ctx, 0, MostEntries); err != nil {
		return Image{}, err
	}
	if seen.Audit, err = r.Audit(ctx, 0, MostEntries); err != nil {
		return Image{}, err
	}
	seen.Feed, err = r.Feed(ctx, 1, MostEntries, math.MaxInt64)
	return seen, err
}

func (seen *Image) readRelationships(ctx context.Context, r store.Reader, of *Scope) error {
	for _, t := range relationship.Types() {
		sides, err := r.Neighbours(ctx, t, Owners(of))
		if err != nil {
			return err
		}
		slices.SortFunc(sides, CompareSides)
		seen.Neighbours[t] = sides
	}
	return nil
}

// MostEntries is more than the audit log of any case has.
const MostEntries = 1 << 20

func (seen *Image) readProblems(ctx context.Context, r store.Reader, of *Scope) error {
	users := slices.SortedFunc(maps.Keys(of.Users), ident.ID.Compare)
	for _, id := range Owners(of) {
		s, err := r.Problem(ctx, id, ident.None, Everything)
		if fault.Is(err, fault.ProblemNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		slices.SortFunc(s.Watchers, ident.ID.Compare)
		seen.Problems[id] = s
		for _, user := range users {
			s, err := r.Problem(ctx, id, user, 0)
			if err != nil {
				return err
			}
			seen.Watching[Mark{id, user}] = s.Watching
			seen.Read[Mark{id, user}] = s.Read
		}
	}
	return nil
}

// compareDossiers returns an error unless Dossiers and Problem show the same of the
// problems.
func (seen *Image) compareDossiers(ctx context.Context, r store.Reader, of *Scope) error {
	all, err := Dossiers(ctx, r, len(seen.Problems)/2+1) // two pages
	if err != nil {
		return fmt.Errorf("Dossiers: %w", err)
	}
	found := make(map[problem.ID]bool)
	for _, d := range all {
		s, known := seen.Problems[d.ID]
		if !known {
			continue
		}
		found[d.ID] = true
		if s.ReadByAssignee != slices.Contains(d.Readers, s.Assignee) {
			return fmt.Errorf("Dossiers does not agree with Problem on whether the assignee has read problem %d", d.ID)
		}
		want := DossierOf(s)
		for _, user := range slices.SortedFunc(maps.Keys(of.Users), ident.ID.Compare) {
			if seen.Read[Mark{d.ID, user}] {
				want.Readers = append(want.Readers, user)
			}
		}
		d.Readers = slices.DeleteFunc(d.Readers, func(user ident.ID) bool { return !of.Users[user] })
		if unlike := Difference(want, d); unlike != "" {
			return fmt.Errorf("Dossiers does not agree with Problem on problem %d: %s", d.ID, unlike)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(seen.Problems)) {
		if !found[id] {
			return fmt.Errorf("Dossiers does not show problem %d, which Problem does", id)
		}
	}
	return nil
}

// Owners returns the problems of the scope in ascending order.
func Owners(of *Scope) []problem.ID {
	return slices.Sorted(maps.Keys(of.Problems))
}

// Sorted returns the Snapshot with its watchers in order. Stores return them in any
// order.
func Sorted(s snapshot.Snapshot) snapshot.Snapshot {
	slices.SortFunc(s.Watchers, ident.ID.Compare)
	return s
}

// Clone returns a deep copy: the memory of an image may belong to the store.
func (seen Image) Clone() Image {
	problems := make(map[problem.ID]snapshot.Snapshot, len(seen.Problems))
	for id, s := range seen.Problems {
		s.Keywords = slices.Clone(s.Keywords)
		s.Log = slices.Clone(s.Log)
		s.Comments = slices.Clone(s.Comments)
		s.Relationships = slices.Clone(s.Relationships)
		s.Watchers = slices.Clone(s.Watchers)
		s.Savepoints = slices.Clone(s.Savepoints)
		s.Attachments = slices.Clone(s.Attachments)
		problems[id] = s
	}
	seen.Problems = problems
	seen.Tokens, seen.Queries, seen.Audit = slices.Clone(seen.Tokens), slices.Clone(seen.Queries), slices.Clone(seen.Audit)
	seen.Sessions = slices.Clone(seen.Sessions)
	seen.Webhooks = CloneWebhooks(seen.Webhooks)
	seen.Feed = CloneFeed(seen.Feed)
	seen.Content.States = slices.Clone(seen.Content.States)
	for i := range seen.Content.States {
		seen.Content.States[i].Next = slices.Clone(seen.Content.States[i].Next)
	}
	replies := make(map[ReplyKey]store.Reply, len(seen.Replies))
	for key, reply := range seen.Replies {
		reply.Body = slices.Clone(reply.Body)
		replies[key] = reply
	}
	seen.Replies = replies
	return seen
}

// Compare orders keys by user, then text.
func (k ReplyKey) Compare(other ReplyKey) int {
	return cmp.Or(k.User.Compare(other.User), cmp.Compare(k.Key, other.Key))
}

// CloneWebhooks returns a deep copy.
func CloneWebhooks(all []webhook.Webhook) []webhook.Webhook {
	all = slices.Clone(all)
	for i, w := range all {
		all[i] = w.Clone()
	}
	return all
}
