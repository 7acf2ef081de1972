package admin

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/user"
)

// Email is the e-mail address of the first administrator (D35).
const Email = "admin@localhost"

// Seed fills an empty store with the basics of a new service: states, priorities and
// classifications (D2), and a first administrator with the given token. For a store
// with data, it does nothing and returns false. Of several servers that start at once
// on one store, one seeds it.
func (s *Service) Seed(ctx context.Context, admin access.Secret) (seeded bool, err error) {
	// A store with data gets no write, and no caller learns of one. So there is nothing
	// to confirm.
	if v, err := s.core.Store.Versions(ctx); err != nil || v != (store.Versions{}) {
		return false, err
	}
	answer, err := core.Run(ctx, s.core, core.Command[store.Versions, core.Answer[bool]]{
		Locks: []writerlocks.Key{writerlocks.Catalogue()},
		Load:  func(ctx context.Context, r store.Reader) (store.Versions, error) { return r.Versions(ctx) },
		Decide: func(v store.Versions, m changes.Moment) (store.Change, core.Answer[bool], error) {
			if v != (store.Versions{}) {
				return store.Change{}, core.Answer[bool]{Value: false}, nil
			}
			return decideSeed(admin, m), core.Answer[bool]{Value: true}, nil
		},
	})
	return answer.Value, err
}

func decideSeed(admin access.Secret, m changes.Moment) store.Change {
	cb := changes.NewBuilder(m, changes.Author{})
	cb.AddExpect(store.StoreEmpty{})

	open := metadata.State{ID: cb.NextID(), Name: "Open", Initial: true, Order: 1}
	inProgress := metadata.State{ID: cb.NextID(), Name: "In Progress", Order: 2}
	closed := metadata.State{ID: cb.NextID(), Name: "Closed", Resolved: true, Order: 3}
	open.Next = []ident.ID{inProgress.ID, closed.ID}
	inProgress.Next = []ident.ID{open.ID, closed.ID}
	closed.Next = []ident.ID{open.ID}
	content := metadata.Content{States: []metadata.State{open, inProgress, closed}}
	for i, name := range []string{"Urgent", "High", "Normal", "Low"} {
		content.Priorities = append(content.Priorities, metadata.Priority{ID: cb.NextID(), Name: name, Order: i + 1})
	}
	for _, name := range []string{"Feature", "Enhancement", "Incorrect Behavior", "Task"} {
		content.Classifications = append(content.Classifications, metadata.Classification{ID: cb.NextID(), Name: name})
	}
	c := metadata.NewCatalogue(ident.Version{}.Next(cb.Batch), content.Clone()) // to log the references of the states
	putNew(cb, &kinds.States, content.States, c)
	putNew(cb, &kinds.Priorities, content.Priorities, c)
	putNew(cb, &kinds.Classifications, content.Classifications, c)

	administrator := user.User{ID: cb.NextID(), Name: "Administrator", Email: Email}
	putNew(cb, &kinds.Users, []user.User{administrator}, c)
	directory.PutToken(cb, access.Token{
		ID:      cb.NextID(),
		User:    administrator.ID,
		Scope:   access.Admin,
		Digest:  admin.Digest(),
		Created: cb.At,
	}, administrator.Name, true)
	return cb.Change
}

// putNew stores new objects and logs them.
func putNew[T, P any](cb *changes.Builder, r *kinds.Rules[T, P], objects []T, c *metadata.Catalogue) {
	for _, o := range objects {
		cb.AuditCreated(changes.Audited{Kind: audit.Kind(r.Kind), ID: *r.ID(&o), Name: r.Name(&o)}, r.Members(o, c))
		cb.AddEffect(r.Put(o))
	}
}
