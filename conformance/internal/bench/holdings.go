package bench

import (
	"context"
	"fmt"
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
	"github.com/problemtracking/problems/domain/webhook"
)

// Holdings is the content of an Archive, or the same as shown by a store.
type Holdings struct {
	Metadata metadata.Content
	Tokens   []access.Token
	Queries  []query.Saved
	Webhooks []webhook.Webhook
	Audit    []audit.Entry
	Feed     []event.Entry
	Dossiers []store.Dossier
	Versions store.Versions
	Batch    ident.ID // of the Archive, for the Versions; none in the content of a store
}

// Archive returns the Archive of the holdings.
func (h Holdings) Archive() store.Archive {
	return h.Interrupted(func(int) error { return nil })
}

// FeedInterrupted returns the Archive of the holdings. It calls before with the number of
// entries of the feed so far: before each entry, and after the last. An error from before
// ends the feed.
func (h Holdings) FeedInterrupted(before func(yielded int) error) store.Archive {
	archive := h.Archive()
	archive.Feed = func(yield func(event.Entry, error) bool) {
		for i := range len(h.Feed) + 1 {
			if err := before(i); err != nil {
				yield(event.Entry{}, err)
				return
			}
			if i == len(h.Feed) || !yield(h.Feed[i], nil) {
				return
			}
		}
	}
	return archive
}

// Interrupted returns the Archive of the holdings. It calls before with the number of
// problems so far: before each problem, and after the last. An error from before ends the
// problems.
func (h Holdings) Interrupted(before func(yielded int) error) store.Archive {
	problems := func(yield func(store.Dossier, error) bool) {
		for i := range len(h.Dossiers) + 1 {
			if err := before(i); err != nil {
				yield(store.Dossier{}, err)
				return
			}
			if i == len(h.Dossiers) || !yield(h.Dossiers[i], nil) {
				return
			}
		}
	}
	return store.Archive{
		Batch:     h.Batch,
		Catalogue: h.Versions.Catalogue.Number,
		Metadata:  h.Metadata,
		Tokens:    h.Tokens,
		Queries:   h.Queries,
		Webhooks:  h.Webhooks,
		Audit:     h.Audit,
		Problems:  iter.Seq2[store.Dossier, error](problems),
		Feed: func(yield func(event.Entry, error) bool) {
			for _, e := range h.Feed {
				if !yield(e, nil) {
					return
				}
			}
		},
	}
}

// Clone returns a deep copy.
func (h Holdings) Clone() Holdings {
	h.Metadata = Ordered(h.Metadata)
	for i := range h.Metadata.States {
		h.Metadata.States[i].Next = slices.Clone(h.Metadata.States[i].Next)
	}
	h.Tokens, h.Dossiers = slices.Clone(h.Tokens), slices.Clone(h.Dossiers)
	h.Queries, h.Audit = slices.Clone(h.Queries), slices.Clone(h.Audit)
	h.Webhooks, h.Feed = CloneWebhooks(h.Webhooks), CloneFeed(h.Feed)
	for i := range h.Dossiers {
		d := &h.Dossiers[i]
		d.Keywords, d.Log, d.Comments = slices.Clone(d.Keywords), slices.Clone(d.Log), slices.Clone(d.Comments)
		d.Relationships, d.Savepoints = slices.Clone(d.Relationships), slices.Clone(d.Savepoints)
		d.Watchers, d.Readers = slices.Clone(d.Watchers), slices.Clone(d.Readers)
		d.Attachments = slices.Clone(d.Attachments)
	}
	return h
}

// Shown returns the view of a store filled with the holdings.
func (h Holdings) Shown() Holdings {
	var v store.Versions
	number := h.Versions.Catalogue.Number
	if len(PutAll(h.Metadata)) > 0 {
		number = max(number, 1)
	}
	if number > 0 {
		v.Catalogue = ident.Version{Number: number, Batch: h.Batch}
	}
	if len(h.Tokens) > 0 {
		v.Access = ident.Version{Number: 1, Batch: h.Batch}
	}
	h.Metadata, h.Versions, h.Batch = Ordered(h.Metadata), v, ident.None
	return h
}

// Ordered returns the content as a Catalogue has it.
func Ordered(c metadata.Content) metadata.Content {
	return metadata.NewCatalogue(ident.Version{}, metadata.Content{
		States:          slices.Clone(c.States),
		Priorities:      slices.Clone(c.Priorities),
		Classifications: slices.Clone(c.Classifications),
		Components:      slices.Clone(c.Components),
		Milestones:      slices.Clone(c.Milestones),
		Users:           slices.Clone(c.Users),
	}).Content()
}

// Hold reads holdings from a Reader.
func Hold(ctx context.Context, r store.Reader) (h Holdings, err error) {
	if h.Dossiers, err = Dossiers(ctx, r, 100); err != nil {
		return h, fmt.Errorf("Dossiers: %w", err)
	}
	catalogue, err := r.Catalogue(ctx)
	if err != nil {
		return h, fmt.Errorf("Catalogue: %w", err)
	}
	h.Metadata = catalogue.Content()
	if h.Tokens, err = r.Tokens(ctx); err != nil {
		return h, fmt.Errorf("Tokens: %w", err)
	}
	if h.Queries, err = r.SavedQueries(ctx, ident.None); err != nil {
		return h, fmt.Errorf("SavedQueries: %w", err)
	}
	if h.Webhooks, err = r.Webhooks(ctx, 0, MostEntries); err != nil {
		return h, fmt.Errorf("Webhooks: %w", err)
	}
	if h.Audit, err = r.Audit(ctx, 0, MostEntries); err != nil {
		return h, fmt.Errorf("Audit: %w", err)
	}
	if h.Feed, err = r.Feed(ctx, 1, MostEntries, math.MaxInt64); err != nil {
		return h, fmt.Errorf("Feed: %w", err)
	}
	if h.Versions, err = r.Versions(ctx); err != nil {
		return h, fmt.Errorf("Versions: %w", err)
	}
	if catalogue.Version != h.Versions.Catalogue {
		return h, fmt.Errorf("the catalogue has the version %v where Versions has %v", catalogue.Version, h.Versions.Catalogue)
	}
	return h, nil
}

// Dossiers reads the dossiers of all problems, so many at a time.
func Dossiers(ctx context.Context, r store.Reader, limit int) (all []store.Dossier, err error) {
	after := problem.ID(0)
	for {
		page, err := r.Dossiers(ctx, after, limit)
		if err != nil {
			return nil, err
		}
		if len(page) > limit {
			return nil, fmt.Errorf("it returned %d problems where at most %d were asked for", len(page), limit)
		}
		for _, d := range page {
			if d.ID <= after {
				return nil, fmt.Errorf("it returned problem %d after problem %d", d.ID, after)
			}
			after = d.ID
		}
		all = append(all, page...)
		if len(page) < limit {
			return all, nil
		}
	}
}

// Held reads the holdings of the store in one View.
func (b *Bench) Held() (h Holdings, err error) {
	err = b.Store.View(b.Ctx, func(r store.Reader) (err error) {
		h, err = Hold(b.Ctx, r)
		return err
	})
	return h, err
}

// Shows ends the case unless the store shows exactly the holdings: no other problems,
// metadata or tokens.
func (b *Bench) Shows(what string, h Holdings) {
	b.Helper()
	got, err := b.Held()
	b.Must("reading "+what, err)
	b.Equal(what, h.Shown(), got)
}

// Restore restores an Archive without a reason to refuse it.
func (b *Bench) Restore(h Holdings) {
	b.Helper()
	b.Seen.Hold(h)
	b.Must("Restore", b.Store.Restore(b.Ctx, h.Archive()))
}

// Hold widens the scope by everything named in the holdings.
func (s *Scope) Hold(h Holdings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range h.Dossiers {
		s.Problems[d.ID] = true
		for _, user := range slices.Concat(d.Watchers, d.Readers) {
			s.Users[user] = true
		}
	}
	for _, q := range h.Queries {
		s.Saved[q.ID] = q.Owner
	}
}

// Holdings returns something of everything, with problems of the given numbers.
func (b *Bench) Holdings(numbers ...problem.ID) Holdings {
	full, lean := b.Objects(), Bare(b.Objects())
	h := Holdings{Batch: b.ID(), Versions: Counting(1<<40, 0), Metadata: metadata.Content{
		States:          slices.Concat(full.States, lean.States),
		Priorities:      slices.Concat(full.Priorities, lean.Priorities),
		Classifications: slices.Concat(full.Classifications, lean.Classifications),
		Components:      slices.Concat(full.Components, lean.Components),
		Milestones:      slices.Concat(full.Milestones, lean.Milestones),
		Users:           slices.Concat(full.Users, lean.Users),
	}}
	for _, id := range b.Backwards(3) {
		token := b.Token()
		token.ID = id
		h.Tokens = append(h.Tokens, token)
	}
	last := &h.Tokens[2]
	*last = access.Token{ID: last.ID, Digest: last.Digest, User: last.User, Created: last.Created}
	h.Queries, h.Audit = b.Queries(3), b.Trail(3)
	h.Webhooks = []webhook.Webhook{{Endpoint: b.Endpoint(), Progress: b.Progress()}, {Endpoint: b.Endpoint()}}
	h.Feed = b.Feed(41, 3)
	for _, id := range numbers {
		h.Dossiers = append(h.Dossiers, b.Dossier(id))
	}
	for i := 1; i < len(numbers); i++ {
		b.Relate(&h.Dossiers[i-1], relationship.ParentOf, &h.Dossiers[i])
		b.Relate(&h.Dossiers[i], relationship.RelatedTo, &h.Dossiers[0])
	}
	return h
}

// UpTo returns the numbers from 1 to n.
func UpTo(n int) []problem.ID {
	numbers := make([]problem.ID, n)
	for i := range numbers {
		numbers[i] = problem.ID(i + 1)
	}
	return numbers
}

// Dossier returns a dossier with something of everything but relationships. Its ordered
// lists run against identifiers and times.
func (b *Bench) Dossier(id problem.ID) store.Dossier {
	d := store.Dossier{
		Problem: b.Problem(id),
		Keywords: []problem.Keyword{
			{Name: "Area", Value: problem.Text("kitchen\u2028")}, {Name: "empty", Value: problem.Text("")}, {Name: "none"},
			{Name: "\u00e9t\u00e9", Value: problem.Text("\U0001f600")}, {Name: "\uff5e"}, {Name: "\U0001f600"},
		},
		Watchers:    []ident.ID{b.ID(), b.ID(), b.ID()},
		Readers:     []ident.ID{b.ID(), b.ID()},
		Attachments: []problem.Attachment{b.Attachment(), b.Attachment(), {ID: b.ID(), Name: "\u00e9.\U0001f600", Created: b.Now()}},
	}
	d.Revision = 1 << 40
	// The assignee has a smaller identifier than the others.
	d.Readers = slices.Insert(d.Readers, 0, d.Assignee)
	var h History
	change := b.Change()
	for age, own := range b.Backwards(3) {
		h.Append(b, d.Problem, own, age, &change)
	}
	h.Comments[0].HTML, h.Comments[1].HTML = problem.Text("<p>markup</p>"), problem.Text("")
	h.Comments[0].Edited, h.Comments[0].Editor = b.Now(), b.ID()
	h.Comments[2] = h.Comments[2].Place()
	h.Log[1].Type, h.Log[1].Field, h.Log[1].From, h.Log[1].To = problem.ProblemCreated, "", "", problem.LogRef(b.ID(), "after")
	d.Log, d.Comments, d.Savepoints = h.Log, h.Comments, h.Savepoints
	d.Savepoints[1].Problem = problem.Problem{ID: id, Fields: problem.Fields{Title: "bare", State: b.ID()}, Originator: b.ID(), Created: b.Now(), Modifier: b.ID(), Modified: b.Now(), Revision: 1}
	d.Savepoints[2].Batch = b.ID()
	return d
}

// Relate adds both sides of a relationship, unless they are there.
func (b *Bench) Relate(owner *store.Dossier, t relationship.Type, other *store.Dossier) {
	side := relationship.Relationship{Owner: owner.ID, Type: t, Other: other.ID, Created: b.Now(), Author: b.Author}
	insert := func(d *store.Dossier, side relationship.Relationship) {
		if i, found := slices.BinarySearchFunc(d.Relationships, side, relationship.Relationship.Compare); !found {
			d.Relationships = slices.Insert(d.Relationships, i, side)
		}
	}
	insert(owner, side)
	insert(other, side.Mirror())
}

// Makes returns the Changes for the problem of a dossier: one for each batch of a
// savepoint, and one for the rest. Relationships are left out, because they need the
// other problems.
func (b *Bench) Makes(d store.Dossier) []store.Change {
	first := b.Change(store.CreateProblem{Problem: d.Problem, Size: d.Size()})
	for _, k := range slices.Backward(d.Keywords) {
		first.Effects = append(first.Effects, store.PutKeyword{Problem: d.ID, Keyword: k})
	}
	for _, c := range d.Comments {
		first.Effects = append(first.Effects, store.AddComment{Problem: d.ID, Comment: c})
	}
	for _, a := range d.Attachments {
		first.Effects = append(first.Effects, store.PutAttachment{Problem: d.ID, Attachment: a})
	}
	for _, user := range slices.Backward(d.Watchers) {
		first.Effects = append(first.Effects, store.Watch{Problem: d.ID, User: user})
	}
	for _, user := range slices.Backward(d.Readers) {
		first.Effects = append(first.Effects, store.MarkRead{Problem: d.ID, User: user, Read: true})
	}
	first.Log = d.Log
	changes := []store.Change{first}
	for i, saved := range d.Savepoints {
		if i == 0 || saved.Batch != d.Savepoints[i-1].Batch {
			change := b.Change()
			change.Batch = saved.Batch
			changes = append(changes, change)
		}
		last := &changes[len(changes)-1]
		last.Effects = append(last.Effects, store.PutSavepoint{Problem: saved.Problem})
	}
	return changes
}

// DossierOf returns the dossier of a problem, but for its readers.
func DossierOf(s snapshot.Snapshot) store.Dossier {
	d := store.Dossier{
		Problem:     s.Problem,
		Keywords:    s.Keywords,
		Log:         s.Log,
		Comments:    s.Comments,
		Watchers:    slices.SortedFunc(slices.Values(s.Watchers), ident.ID.Compare),
		Savepoints:  s.Savepoints,
		Attachments: s.Attachments,
	}
	for _, related := range s.Relationships {
		d.Relationships = append(d.Relationships, related.Relationship)
	}
	return d
}
