package tracker

import (
	"reflect"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// A decision is a pure function: from the same inputs it comes out the same, and
// it leaves them as they were. So it can be made again, and tried (D24).
func TestDecisionsArePure(t *testing.T) {
	t.Parallel()
	full := func() loaded {
		return newLoaded(assigned(kit.Bob), resolvedBy(kit.Ann, kit.Noon), func(l *loaded) {
			l.Watchers = append(make([]ident.ID, 0, 9), kit.Ann, kit.Eve1)
			l.Log, l.Read = nil, true
		})
	}
	pure(t, "create", newCreation, func(c creation, m changes.Moment) (store.Change, any, error) {
		return erased(decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: echo(newLoaded()).ProblemPatch, Idempotency: keyed[snapshot.Snapshot](1)}, c, m))
	})
	pure(t, "update", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUpdate(by(kit.Ann), UpdateProblem{ProblemPatch: ProblemPatch{
			Title: patch.Set("U"), State: kit.Named("Open"), Assignee: kit.Named("Ann"), Read: patch.Set(false),
		}}, l, m))
	})
	pure(t, "update at fault", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUpdate(by(kit.Ann), UpdateProblem{
			ProblemPatch: ProblemPatch{Title: patch.Set(""), State: kit.Named("x"), Milestone: kit.Named("1.0")},
			Service:      sentBack(kit.Object{"originator": 2, "resolver": 3, "keywords": 4, "creationDate": 5, "resolveDate": 6}),
		}, l, m))
	})
	pure(t, "comment", func() repeatable { return repeatable{loaded: full()} }, func(c repeatable, m changes.Moment) (store.Change, any, error) {
		return erased(decideComment(by(kit.Ann), AddComment{Text: patch.Set("a")}, c, m))
	})
	pure(t, "set keyword", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideSetKeyword(by(kit.Ann), SetKeyword{Name: "a"}, l, 9, m))
	})
	pure(t, "delete keyword", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideDeleteKeyword(by(kit.Ann), DeleteKeyword{Name: "build"}, l, m))
	})
	linked := func() linking { return newLinking(relationship.CauseOf, relationship.RelatedTo) }
	pure(t, "relate", linked, func(l linking, m changes.Moment) (store.Change, any, error) {
		return erased(decideRelate(by(kit.Ann), relate(relationship.ChildOf, 9), l, 9, m))
	})
	pure(t, "unrelate", linked, func(l linking, m changes.Moment) (store.Change, any, error) {
		return erased(decideUnrelate(by(kit.Ann), relate(relationship.CauseOf, 9), l, m))
	})
	pure(t, "watch", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideWatcher(by(kit.Ann), AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob"})}, l, 9, m))
	})
	pure(t, "stop watching", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUnwatch(by(kit.Ann), Write{}, l, m))
	})
	writeUser := func(p UserPatch, old user.User, d directory.Directory, m changes.Moment) (store.Change, any, error) {
		change, a, err := new(Service).Users().decide(by(kit.Ann), Write{}, p, old, written{Directory: d}, m)
		return change, []any{a.Value, a.New, a.Catalogue.Version, a.Catalogue.Content()}, err // catalogues themselves are never equal
	}
	pure(t, "create user", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		return writeUser(person("Dan", "dan@example.org"), user.User{}, d, m)
	})
	pure(t, "deactivate user", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		u, _ := d.Catalogue.User(kit.Bob)
		return writeUser(UserPatch{Inactive: patch.Set(true)}, u, d, m)
	})
	pure(t, "issue token", newDirectory, func(d directory.Directory, m changes.Moment) (store.Change, any, error) {
		return erased(decideToken(by(kit.Ann), CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read")}, kit.Secret, d, m))
	})
	pure(t, "save query", func() saving { return saving{catalogue: kit.Catalogue} }, func(of saving, m changes.Moment) (store.Change, any, error) {
		return erased(decideSave(by(kit.Ann), SaveQuery{Name: patch.Set("Mine"), Predicate: patch.Set("creationDate < NOW()"), Sort: patch.Set("title")}, of, 9, m))
	})
	pure(t, "seed", func() access.Secret { return kit.Secret }, func(s access.Secret, m changes.Moment) (store.Change, any, error) {
		return decideSeed(s, m), nil, nil
	})
}

func erased[T any](c store.Change, a Answer[T], err error) (store.Change, any, error) {
	return c, a, err
}

func pure[I any](t *testing.T, name string, input func() I, decide func(I, changes.Moment) (store.Change, any, error)) {
	t.Helper()
	given, m := input(), kit.At(kit.Now)
	change, answer, err := decide(given, m)
	unaltered := reflect.DeepEqual(given, input()) && reflect.DeepEqual(m, kit.At(kit.Now)) &&
		reflect.DeepEqual(kit.Catalogue.Content(), metadata.NewCatalogue(ident.Version{}, kit.NewContent()).Content())
	if !unaltered {
		t.Errorf("%s: the decision altered what it was made from", name)
	}
	change2, answer2, err2 := decide(given, m)
	if !reflect.DeepEqual([]any{change, answer, err}, []any{change2, answer2, err2}) {
		t.Errorf("%s: decided anew, it comes out otherwise:\n%+v %+v %v\n%+v %+v %v", name, change, answer, err, change2, answer2, err2)
	}
	if change.Empty() == (err == nil) {
		t.Errorf("%s: the decision is not worth the test: %+v, error %v", name, change, err)
	}
}
