package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// noon is the time of the tests.
var noon = time.Date(2015, time.November, 5, 12, 0, 0, 0, time.UTC)

func id(n byte) ident.ID { return ident.ID{15: n} }

// The objects of the tests' catalogue.
var (
	ann, bob           = id(1), id(2)
	open, done         = id(3), id(4)
	high, low          = id(5), id(6)
	task               = id(7)
	server, api, login = id(8), id(9), id(10)
	spring             = id(11)
)

func catalogue() *metadata.Catalogue {
	return metadata.NewCatalogue(ident.Version{Number: 7}, metadata.Content{
		Users: []user.User{{ID: ann, Name: "Ann", Email: "ann@example.org"}, {ID: bob, Name: "Bob", Email: "bob@example.org", Inactive: true}},
		States: []metadata.State{
			{ID: open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{done}},
			{ID: done, Name: "Done", Resolved: true, Order: 2},
		},
		Priorities:      []metadata.Priority{{ID: high, Name: "High", Order: 1}, {ID: low, Name: "Low", Order: 2}},
		Classifications: []metadata.Classification{{ID: task, Name: "Task"}},
		Components: []metadata.Component{
			{ID: server, Name: "Server"},
			{ID: api, Name: "API", Parent: server, Successor: login},
			{ID: login, Name: "Login", Parent: server, Closed: true},
		},
		Milestones: []metadata.Milestone{{ID: spring, Name: "Spring", Component: server, Created: noon, End: noon.AddDate(0, 6, 0)}},
	})
}

// archive is a store.Reader on dossiers with counters of its calls. Empty parts are
// nil, as in some stores.
type archive struct {
	store.Reader // the tests use no other methods
	dossiers     []store.Dossier
	one, many    int // calls of Problem and Problems
	err          error
	size         int64 // of all problems
}

func (a *archive) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	i := slices.IndexFunc(a.dossiers, func(d store.Dossier) bool { return d.ID > after })
	if i < 0 || a.err != nil {
		return nil, a.err
	}
	rest := a.dossiers[i:]
	return rest[:min(limit, len(rest))], nil
}

func (a *archive) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	a.one++
	found, err := a.load([]problem.ID{id}, as, parts)
	if err == nil && len(found) == 0 {
		err = fault.New(fault.ProblemNotFound, "none")
	}
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	return found[0], nil
}

func (a *archive) Problems(_ context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	a.many++
	return a.load(ids, as, parts)
}

func (a *archive) load(ids []problem.ID, as ident.ID, parts snapshot.Parts) (found []snapshot.Snapshot, err error) {
	if parts.Has(snapshot.IfSmall) && a.size > snapshot.Small {
		parts = 0
	}
	for _, id := range ids {
		for _, d := range a.dossiers {
			if d.ID == id {
				s := strip(Snapshot(d, as), parts)
				s.Size = a.size
				found = append(found, s)
			}
		}
	}
	return found, a.err
}

// strip leaves only the parts, and nil for the empty ones.
func strip(s snapshot.Snapshot, parts snapshot.Parts) snapshot.Snapshot {
	full := s
	s.Keywords, s.Log, s.Comments, s.Relationships, s.Watchers, s.Savepoints, s.Attachments = nil, nil, nil, nil, nil, nil, nil
	if parts.Has(snapshot.Keywords) {
		s.Keywords = append(s.Keywords, full.Keywords...)
	}
	if parts.Has(snapshot.Log) {
		s.Log = append(s.Log, full.Log...)
	}
	if parts.Has(snapshot.Attachments) {
		s.Attachments = append(s.Attachments, full.Attachments...)
	}
	if parts.Has(snapshot.Comments) {
		s.Comments = append(s.Comments, full.Comments...)
	}
	if parts.Has(snapshot.Relationships) {
		s.Relationships = append(s.Relationships, full.Relationships...)
	}
	if parts.Has(snapshot.Watchers) {
		s.Watchers = append(s.Watchers, full.Watchers...)
	}
	if parts.Has(snapshot.Savepoints) {
		s.Savepoints = append(s.Savepoints, full.Savepoints...)
	}
	return s
}

// sample is a problem with a value everywhere.
func sample() store.Dossier {
	p := problem.Problem{
		ID:         12,
		Fields:     problem.Fields{Title: "The API is slow", State: done, Priority: high, Classification: task, Component: api, Milestone: spring, Assignee: ann, Due: date.Of(noon)},
		Originator: bob, Created: noon.Add(-time.Hour),
		Modifier: ann, Modified: noon.Add(-time.Minute),
		Resolver: ann, Resolved: noon.Add(-time.Minute),
		Revision: 3,
	}
	before := p
	before.State, before.Resolver, before.Resolved, before.Modifier, before.Modified = open, ident.None, time.Time{}, bob, before.Created
	return store.Dossier{
		Problem:       p,
		Keywords:      []problem.Keyword{{Name: "customer"}, {Name: "version", Value: problem.Text("7.4")}},
		Log:           []problem.LogEntry{{ID: id(20), Problem: 12, Type: problem.ProblemCreated, Created: p.Created, Author: bob}, {ID: id(21), Problem: 12, Type: problem.WatcherAdded, Created: noon, Author: ann}},
		Comments:      []problem.Comment{{ID: id(22), Author: bob, Created: noon, Text: "Seen again."}},
		Attachments:   []problem.Attachment{{ID: id(40), Deleted: noon}, {ID: id(41), Name: "a.png", MediaType: "image/png", Bytes: 7, Author: bob}},
		Relationships: []relationship.Relationship{{Owner: 12, Type: relationship.BlockedBy, Other: 13}, {Owner: 12, Type: relationship.ClonedFrom, Other: 99}},
		Watchers:      []ident.ID{bob},
		Readers:       []ident.ID{ann},
		Savepoints:    []snapshot.Savepoint{{Batch: id(23), Problem: before}, {Batch: id(24), Problem: p}},
	}
}

// other is the blocker of the sample.
func other() store.Dossier {
	return store.Dossier{
		Problem:       problem.Problem{ID: 13, Fields: problem.Fields{Title: "The disk is slow", State: open}, Originator: bob, Created: noon, Modifier: bob, Modified: noon, Revision: 1},
		Comments:      []problem.Comment{{ID: id(25), Author: ann, Created: noon, Text: "Ordered a new one."}},
		Relationships: []relationship.Relationship{{Owner: 13, Type: relationship.BlockerOf, Other: 12}},
	}
}

func compile(t testing.TB, text string, root predicate.Entity) *predicate.Plan {
	t.Helper()
	plan, err := check.Compile(text, root, predicate.Env{Now: noon, User: ann})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return plan
}

func order(t testing.TB, sort string, root predicate.Entity) []predicate.Order {
	t.Helper()
	if sort == "" {
		return nil
	}
	keys, err := check.CompileOrder(sort, root)
	if err != nil {
		t.Fatalf("%s: %v", sort, err)
	}
	return keys
}

// randomDossiers makes problems, many of them with the same values.
func randomDossiers(r *rand.Rand, n int) []store.Dossier {
	pick := func(ids ...ident.ID) ident.ID { return ids[r.IntN(len(ids))] }
	var all []store.Dossier
	for i := range n {
		p := problem.Problem{
			ID: problem.ID(i*2 + 1),
			Fields: problem.Fields{
				Title: []string{"Slow", "slow", "Ünclear", "empty"}[r.IntN(4)], State: pick(open, done), Priority: pick(high, low, ident.None),
				Component: pick(server, api, login, ident.None), Assignee: pick(ann, bob, ident.None),
			},
			Originator: pick(ann, bob), Created: noon.Add(-time.Duration(r.IntN(3)) * 24 * time.Hour),
			Modifier: pick(ann, bob), Modified: noon, Revision: int64(1 + r.IntN(9)),
		}
		d := store.Dossier{Problem: p, Savepoints: []snapshot.Savepoint{{Batch: id(99), Problem: p}}}
		if r.IntN(2) == 0 {
			d.Watchers, d.Readers = []ident.ID{ann}, []ident.ID{ann, bob}
		}
		for _, name := range []string{"a", "b"} {
			if r.IntN(2) == 0 {
				d.Keywords = append(d.Keywords, problem.Keyword{Name: name, Value: problem.NullText{String: "1", Valid: r.IntN(2) == 0}})
			}
		}
		if i > 0 && r.IntN(2) == 0 {
			link := relationship.Relationship{Owner: p.ID, Type: relationship.BlockedBy, Other: problem.ID(1 + 2*r.IntN(i))}
			d.Relationships = append(d.Relationships, link)
			at := &all[(link.Other-1)/2]
			at.Relationships = append(at.Relationships, link.Mirror())
		}
		d.Comments = append(d.Comments, problem.Comment{ID: ident.ID{0: 1, 15: byte(i)}, Author: pick(ann, bob), Created: noon, Text: strings.Repeat("x", r.IntN(3)+1)})
		all = append(all, d)
	}
	return all
}
