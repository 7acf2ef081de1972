package admin

import (
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// D24: a decision is a pure function.
func TestDecisionsArePure(t *testing.T) {
	t.Parallel()
	writeUser := func(p UserPatch, old user.User, d directory.Directory, m changes.Moment) (store.Change, any, error) {
		change, a, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{}, p, old, written{Directory: d}, m)
		return change, []any{a.Value, a.New, a.Catalogue.Version, a.Catalogue.Content()}, err // catalogues themselves are never equal
	}
	kit.Pure(t, "create user", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		return writeUser(kit.Person("Dan", "dan@example.org"), user.User{}, d, m)
	})
	kit.Pure(t, "deactivate user", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		u, _ := d.Catalogue.User(kit.Bob)
		return writeUser(UserPatch{Inactive: patch.Set(true)}, u, d, m)
	})
	kit.Pure(t, "issue token", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		return erased(decideToken(by(kit.Ann), CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read")}, kit.Secret, d, m))
	})
	kit.Pure(t, "seed", func() access.Secret { return kit.Secret }, func(s access.Secret, m changes.Moment) (store.Change, any, error) {
		return decideSeed(s, m), nil, nil
	})
}

func erased[T any](c store.Change, a core.Answer[T], err error) (store.Change, any, error) {
	return c, a, err
}
