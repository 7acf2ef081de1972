// Package dataset makes up the data of a tracker of any size, in the shape of real
// trackers. One of a hundred users owns three of ten problems; the others share the rest.
// Four of five problems are closed. Most are hardly touched, and a few have very long
// logs: the number of comments and further changes follows Zipf's law. One of twenty has
// a title in another script. Each problem has two keywords, one of five is planned for a
// milestone, and one of ten is blocked by the one before it.
package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// Users is how many users there are. The first is the administrator.
const Users = 100

// Busiest is the user, by number, with three of ten problems.
const Busiest = 1

// Owner draws a user, by number, with the weights of the problems' assignees.
func Owner(r *rand.Rand) int {
	if r.IntN(10) < 3 {
		return Busiest
	}
	return (Busiest + 1 + r.IntN(Users-1)) % Users
}

// Email returns the e-mail address of a user, by number.
func Email(n int) string {
	if n == 0 {
		return "admin@localhost"
	}
	return fmt.Sprintf("user%d@example.org", n)
}

// Tracker is a tracker made up while it is read, from its first problem to its last. It
// is a transfer.Reader for one reading.
type Tracker struct {
	problems  problem.ID
	content   metadata.Content // of the catalogue, in its order
	catalogue *metadata.Catalogue
	tokens    []access.Token
	ids       ident.Sequence
	blocking  ident.ID // the batch of the relationship between the latest problem and the next one
}

// version is the catalogue's version.
const version = 1

// start is when the first problem was created; the others follow by the second.
var start = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// New returns a tracker of the given number of problems, numbered from 1. The digests, at
// most as many as there are Users, belong to tokens of the first users: the
// administrator's has the scope admin, the others write. Equal arguments make equal
// trackers.
func New(problems problem.ID, digests ...access.Digest) *Tracker {
	t := &Tracker{problems: problems, ids: ident.NewSequence(start, [10]byte{})}
	open := metadata.State{ID: t.ids.Next(), Name: "Open", Initial: true, Order: 1}
	done := metadata.State{ID: t.ids.Next(), Name: "Closed", Resolved: true, Order: 2, Next: []ident.ID{open.ID}}
	open.Next = []ident.ID{done.ID}
	t.content.States = []metadata.State{open, done}
	for order, name := range []string{"Urgent", "High", "Normal", "Low"} {
		t.content.Priorities = append(t.content.Priorities, metadata.Priority{ID: t.ids.Next(), Name: name, Order: order + 1})
	}
	for n := range 10 {
		t.content.Components = append(t.content.Components, metadata.Component{ID: t.ids.Next(), Name: fmt.Sprintf("Component %d", n)})
	}
	for n := range 50 {
		name := "Next"
		if n > 0 {
			name = fmt.Sprintf("Milestone %d", n)
		}
		t.content.Milestones = append(t.content.Milestones, metadata.Milestone{ID: t.ids.Next(), Name: name, Created: start})
	}
	for n := range Users {
		name := "Administrator"
		if n > 0 {
			name = fmt.Sprintf("User %d", n)
		}
		t.content.Users = append(t.content.Users, user.User{ID: t.ids.Next(), Name: name, Email: Email(n)})
	}
	scope := access.Admin
	for n, digest := range digests {
		t.tokens = append(t.tokens, access.Token{ID: t.ids.Next(), User: t.content.Users[n].ID, Scope: scope, Digest: digest, Created: start})
		scope = access.Write
	}
	t.catalogue = metadata.NewCatalogue(ident.Version{Number: version}, t.content) // it brings the content into its order
	return t
}

// Archive returns the tracker as store.Store.Restore takes it.
func (t *Tracker) Archive() store.Archive {
	return store.Archive{Catalogue: version, Metadata: t.content, Tokens: t.tokens, Problems: func(yield func(store.Dossier, error) bool) {
		for id := problem.ID(1); id <= t.problems; id++ {
			if !yield(t.dossier(id), nil) {
				return
			}
		}
	}}
}

// Catalogue implements transfer.Reader.
func (t *Tracker) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return t.catalogue, nil
}

// Tokens implements transfer.Reader.
func (t *Tracker) Tokens(context.Context) ([]access.Token, error) { return t.tokens, nil }

// SavedQueries implements transfer.Reader.
func (t *Tracker) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) { return nil, nil }

// Webhooks implements transfer.Reader.
func (t *Tracker) Webhooks(context.Context, int, int) ([]webhook.Webhook, error) { return nil, nil }

// Feed implements transfer.Reader: nothing was published.
func (t *Tracker) Feed(context.Context, int64, int, int64) ([]event.Entry, error) {
	return nil, nil
}

// Audit implements transfer.Reader.
func (t *Tracker) Audit(context.Context, int, int) ([]audit.Entry, error) { return nil, nil }

// Problems implements transfer.Reader. The problems are made by Dossiers, and they are small:
// their sizes stay 0.
func (t *Tracker) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) (found []snapshot.Snapshot, _ error) {
	for _, id := range ids {
		if id >= 1 && id <= t.problems {
			found = append(found, snapshot.Snapshot{Problem: problem.Problem{ID: id}})
		}
	}
	return found, nil
}

// Dossiers implements transfer.Reader.
func (t *Tracker) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	var all []store.Dossier
	for id := after + 1; id <= t.problems && len(all) < limit; id++ {
		all = append(all, t.dossier(id))
	}
	return all, nil
}
