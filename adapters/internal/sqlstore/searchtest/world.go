// Package searchtest compares the searches of a store with package search, and its indexes
// with those that searches count on. Content and queries are random, with hostile ones among
// them.
package searchtest

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// texts are the parts of random texts: words in different case and with accents, special
// characters of SQL, LIKE, GLOB and JSON, controls, and characters of every length.
var texts = []string{
	"API", "api", "Crème", "creme", "CRÈME", "Straße", "STRASSE", "İstanbul", "ısı", "ÅNGSTRÖM", "ångström", "ſ", "K", "Σς",
	"'", `"`, "`", `\`, "%", "_", "*", "?", "[a-z]", "]", "[", "^", "{", "$1", ":x", "--", ";", "'; DROP TABLE problems; --",
	"\t", "\n", "\x01", "\x7f", "\u0085", "\u2028", "<&>", "😀", "👩‍🚀", "e\u0323\u0302", "각", "가", "\ufffd", "\ufeff", "\U0010ffff", " ", "",
	"NULL", "nil", "0", "1", "TRUE",
}

var start = time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)

// world is some content, with a source of randomness.
type world struct {
	*rand.Rand
	ids      ident.Sequence
	content  metadata.Content
	dossiers []store.Dossier
	texts    []string // of the content
}

func newWorld(seed uint64, problems int) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 0)), ids: ident.NewSequence(start, [10]byte{})}
	for i, name := range []string{"Open", "In Work", "Réview", "Closed", "closed"} {
		w.content.States = append(w.content.States, metadata.State{ID: w.ids.Next(), Name: name, Resolved: i > 2, Initial: i == 0, Order: i % 4})
	}
	for i := range w.content.States {
		w.content.States[i].Next = []ident.ID{w.content.States[(i+1)%5].ID}
	}
	for i, name := range []string{"High", "Low", "low"} {
		w.content.Priorities = append(w.content.Priorities, metadata.Priority{ID: w.ids.Next(), Name: name, Order: i})
	}
	for _, name := range []string{"Bug", "Änderung"} {
		w.content.Classifications = append(w.content.Classifications, metadata.Classification{ID: w.ids.Next(), Name: name})
	}
	for i, name := range []string{"Server", "API", "Storage", "Client"} {
		c := metadata.Component{ID: w.ids.Next(), Name: name, Closed: i == 3}
		if i == 1 || i == 2 {
			c.Parent = w.content.Components[i-1].ID
		}
		w.content.Components = append(w.content.Components, c)
	}
	for i, name := range []string{"Next", "next", "Later"} {
		m := metadata.Milestone{ID: w.ids.Next(), Name: name, Created: w.time()}
		if i > 0 {
			m.Component, m.Start, m.End = w.content.Components[i].ID, w.time(), w.time()
		}
		w.content.Milestones = append(w.content.Milestones, m)
	}
	for i, name := range []string{"Ann", "ann", "Bo", "Zoë", "O'Neil", "%_"} {
		u := user.User{ID: w.ids.Next(), Name: name, Inactive: i == 2}
		if i != 1 {
			u.Email = strings.Repeat("x", i) + "@example.org"
		}
		w.content.Users = append(w.content.Users, u)
	}
	for id := problem.ID(1); len(w.dossiers) < problems; id += problem.ID(1 + w.IntN(3)) {
		w.dossiers = append(w.dossiers, w.dossier(id))
	}
	w.relate()
	return w
}

// archive returns the content for a Restore.
func (w *world) archive() store.Archive {
	var problems iter.Seq2[store.Dossier, error] = func(yield func(store.Dossier, error) bool) {
		for _, d := range w.dossiers {
			if !yield(d, nil) {
				return
			}
		}
	}
	return store.Archive{Catalogue: 1, Metadata: w.content, Problems: problems}
}

func (w *world) time() time.Time {
	return start.Add(time.Duration(w.IntN(20)) * 12 * time.Hour).Add(time.Duration(w.IntN(3)) * time.Millisecond)
}

func (w *world) text() string {
	var b strings.Builder
	for range 1 + w.IntN(4) {
		b.WriteString(texts[w.IntN(len(texts))])
	}
	if w.IntN(60) == 0 {
		b.WriteString(strings.Repeat("long 😀ä", 4000))
	}
	w.texts = append(w.texts, b.String())
	return b.String()
}

func pick[T any](w *world, list []T) T { return list[w.IntN(len(list))] }

func (w *world) user() ident.ID { return pick(w, w.content.Users).ID }

// object returns an object of a kind.
func (w *world) object(kind metadata.Kind) ident.ID {
	switch kind {
	case metadata.States:
		return pick(w, w.content.States).ID
	case metadata.Priorities:
		return pick(w, w.content.Priorities).ID
	case metadata.Classifications:
		return pick(w, w.content.Classifications).ID
	case metadata.Components:
		return pick(w, w.content.Components).ID
	case metadata.Milestones:
		return pick(w, w.content.Milestones).ID
	default:
		return w.user()
	}
}

func (w *world) problem(id problem.ID) problem.Problem {
	p := problem.Problem{ID: id, Originator: w.user(), Created: w.time(), Modifier: w.user(), Modified: w.time(), Revision: int64(1 + w.IntN(9))}
	for _, f := range problem.ClientFields() {
		if f.Required || w.IntN(3) > 0 {
			problem.ClientValue(f, &p.Fields, choosing{w})
		}
	}
	if w.IntN(2) == 0 {
		p.Resolver, p.Resolved = w.user(), w.time()
	}
	return p
}

// choosing chooses values of fields.
type choosing struct{ *world }

// Text implements problem.ClientKinds, as do the methods below.
func (c choosing) Text(_ *problem.Field, text *string) (none struct{}) {
	*text = c.text()
	return none
}

// Reference chooses an object of the catalogue.
func (c choosing) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	*id = c.object(f.To)
	return none
}

// Date chooses a day among those of the times.
func (c choosing) Date(_ *problem.Field, d *date.Date) (none struct{}) {
	*d = date.Of(c.time())
	return none
}

func (w *world) dossier(id problem.ID) store.Dossier {
	d := store.Dossier{Problem: w.problem(id)}
	for range w.IntN(3) {
		d.Savepoints = append(d.Savepoints, snapshot.Savepoint{Batch: w.ids.Next(), Problem: w.problem(id)})
	}
	for range w.IntN(3) {
		d.Comments = append(d.Comments, problem.Comment{ID: w.ids.Next(), Author: w.user(), Created: w.time(), Text: w.text() + "x"})
	}
	for range w.IntN(3) {
		types := []problem.LogType{problem.ProblemCreated, problem.FieldChanged, problem.WatcherAdded, problem.WatcherRemoved, problem.CommentAdded}
		d.Log = append(d.Log, problem.LogEntry{ID: w.ids.Next(), Problem: id, Type: pick(w, types), Created: w.time(), Author: w.user(), Batch: w.ids.Next(), Revision: 1})
	}
	names := map[string]bool{}
	for range w.IntN(4) {
		names[pick(w, texts)+"k"] = true
	}
	for name := range names {
		k := problem.Keyword{Name: name}
		d.Keywords = append(d.Keywords, k)
	}
	slices.SortFunc(d.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	for i := range d.Keywords {
		if w.IntN(3) > 0 {
			d.Keywords[i].Value = problem.Text(w.text())
		}
	}
	for _, u := range w.content.Users {
		if w.IntN(4) == 0 {
			d.Watchers = append(d.Watchers, u.ID)
		}
		if w.IntN(3) == 0 {
			d.Readers = append(d.Readers, u.ID)
		}
	}
	return d
}

// relate adds relationships, both sides of each.
func (w *world) relate() {
	for range len(w.dossiers) {
		a, b := pick(w, w.dossiers).ID, pick(w, w.dossiers).ID
		if a == b {
			continue
		}
		t := pick(w, relationship.Types())
		w.side(relationship.Relationship{Owner: a, Type: t, Other: b, Created: start, Author: w.user()})
		w.side(relationship.Relationship{Owner: b, Type: t.Mirror(), Other: a, Created: start, Author: w.user()})
	}
	for i := range w.dossiers {
		slices.SortFunc(w.dossiers[i].Relationships, relationship.Relationship.Compare)
	}
}

func (w *world) side(r relationship.Relationship) {
	i := slices.IndexFunc(w.dossiers, func(d store.Dossier) bool { return d.ID == r.Owner })
	all := &w.dossiers[i].Relationships
	if !slices.ContainsFunc(*all, func(o relationship.Relationship) bool { return o.Type == r.Type && o.Other == r.Other }) {
		*all = append(*all, r)
	}
}
