package tracker

import (
	"context"
	"errors"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// writes are all writes, in forms that change something in the store that a
// service with the problems 1 and 2 has.
func writes(s service, other admin.IssuedToken) map[string]func(context.Context, Write) error {
	administrator := kit.Partial(kit.Object{"identifier": s.admin.User.String()})
	return map[string]func(context.Context, Write) error{
		"CreateProblem": func(ctx context.Context, w Write) error {
			a, err := s.CreateProblem(ctx, s.admin, CreateProblem{Write: w, ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)})
			if err == nil && (a.Value.ID != 0) == w.DryRun {
				err = errors.New("D24: a dry run, and it alone, answers without identifier")
			}
			return err
		},
		"UpdateProblem": func(ctx context.Context, w Write) error {
			_, err := s.UpdateProblem(ctx, s.admin, 1, UpdateProblem{Write: w, ProblemPatch: titled("another")})
			return err
		},
		"UpdateProblems": func(ctx context.Context, w Write) error {
			cmd := UpdateProblems{Write: Write{DryRun: true}, ProblemPatch: titled("another"), Predicate: patch.Set("identifier = 1")}
			a, err := s.UpdateProblems(ctx, s.admin, cmd)
			if err == nil && !w.DryRun {
				cmd.Write, cmd.Preview = w, a.Value.Preview
				_, err = s.UpdateProblems(ctx, s.admin, cmd)
			}
			return err
		},
		"AddComment": func(ctx context.Context, w Write) error {
			_, err := s.AddComment(ctx, s.admin, 1, AddComment{Write: w, Text: patch.Set("a"), Idempotency: keyed[problem.Comment](1)})
			return err
		},
		"SetKeyword": func(ctx context.Context, w Write) error {
			_, err := s.SetKeyword(ctx, s.admin, 1, SetKeyword{Write: w, Name: "k"})
			return err
		},
		"DeleteKeyword": func(ctx context.Context, w Write) error {
			_, err := s.DeleteKeyword(ctx, s.admin, 2, DeleteKeyword{Write: w, Name: "there"})
			return err
		},
		"AddRelationship": func(ctx context.Context, w Write) error {
			cmd := relate(relationship.ParentOf, 2)
			cmd.Write = w
			_, err := s.AddRelationship(ctx, s.admin, 1, cmd)
			return err
		},
		"DeleteRelationship": func(ctx context.Context, w Write) error {
			cmd := relate(relationship.RelatedTo, 2)
			cmd.Write = w
			_, err := s.DeleteRelationship(ctx, s.admin, 1, cmd)
			return err
		},
		"AddWatcher": func(ctx context.Context, w Write) error {
			_, err := s.AddWatcher(ctx, s.admin, 1, AddWatcher{Write: w, User: administrator.Value})
			return err
		},
		"StopWatching": func(ctx context.Context, w Write) error {
			_, err := s.StopWatching(ctx, s.admin, 2, w)
			return err
		},
		"Create a user": func(ctx context.Context, w Write) error {
			_, err := s.Users().Create(ctx, s.admin, admin.CreateObject[admin.UserPatch]{Write: w, Patch: kit.Person("Bob", "bob@example.org")})
			return err
		},
		"Update a user": func(ctx context.Context, w Write) error {
			_, err := s.Users().Update(ctx, s.admin, s.admin.User, admin.UpdateObject[admin.UserPatch]{Write: w, Patch: admin.UserPatch{Name: patch.Set("Root")}})
			return err
		},
		"Create a state": func(ctx context.Context, w Write) error {
			_, err := s.States().Create(ctx, s.admin, admin.CreateObject[admin.StatePatch]{Write: w, Patch: admin.StatePatch{Name: patch.Set("New")}})
			return err
		},
		"Update a state": func(ctx context.Context, w Write) error {
			c, err := s.core.Catalogue(ctx)
			if err != nil {
				return err
			}
			unused := c.Content().States[1].ID
			_, err = s.States().Update(ctx, s.admin, unused, admin.UpdateObject[admin.StatePatch]{Write: w, Patch: admin.StatePatch{Resolved: patch.Set(true)}})
			return err
		},
		"CreateToken": func(ctx context.Context, w Write) error {
			_, err := s.CreateToken(ctx, s.admin, admin.CreateToken{Write: w, User: administrator, Scope: patch.Set("read")})
			return err
		},
		"RevokeToken": func(ctx context.Context, w Write) error {
			_, err := s.RevokeToken(ctx, s.admin, other.ID, w)
			return err
		},
	}
}

// newWritable returns a service on whose store all of writes change something, and
// a token to be revoked.
func newWritable(t *testing.T) (service, admin.IssuedToken) {
	t.Helper()
	s := newService(t)
	one, two := s.create(t, "1"), s.create(t, "2")
	_, err := s.SetKeyword(t.Context(), s.admin, two, SetKeyword{Name: "there"})
	kit.NoError(t, err)
	_, err = s.AddRelationship(t.Context(), s.admin, one, relate(relationship.RelatedTo, two))
	kit.NoError(t, err)
	_, err = s.AddWatcher(t.Context(), s.admin, two, AddWatcher{User: kit.Identified(s.admin.User)})
	kit.NoError(t, err)
	return s, s.issue(t, "read")
}

// D24: a dry run of any write stores nothing, not even a reserved number; the same
// write without it does.
func TestDryRun(t *testing.T) {
	t.Parallel()
	for name := range writes(service{}, admin.IssuedToken{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, token := newWritable(t)
			before := s.memory.Current()
			counted := new(kit.Calls)
			write := writes(s.behind(kit.Hooked{Calls: counted}), token)[name]

			kit.NoError(t, write(t.Context(), Write{DryRun: true}))
			kit.Equal(t, "commits", counted.Commits, 0)
			kit.Equal(t, "reserved numbers", counted.Reserves, 0)
			if s.memory.Current() != before {
				t.Error("the dry run changed the store")
			}
			kit.NoError(t, write(t.Context(), Write{}))
			kit.Equal(t, "commits without dry run", counted.Commits, 1)
		})
	}
}

// A request that is over before it begins does nothing, and says so in a way that
// a client can repeat.
func TestCancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name := range writes(service{}, admin.IssuedToken{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, token := newWritable(t)
			before := s.memory.Current()
			err := writes(s, token)[name](ctx, Write{})
			kit.WantFault(t, err, fault.Unavailable)
			if s.memory.Current() != before {
				t.Error("the store changed")
			}
			kit.Equal(t, "locks left", s.core.Locks.Len(), 0)
		})
	}
}
