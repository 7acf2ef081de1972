package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
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
	kit.Pure(t, "create", newCreation, func(c creation, m changes.Moment) (store.Change, any, error) {
		return erased(decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: echo(newLoaded()).ProblemPatch, Idempotency: keyed[snapshot.Snapshot](1)}, c, m))
	})
	kit.Pure(t, "update", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUpdate(by(kit.Ann), UpdateProblem{ProblemPatch: ProblemPatch{
			Title: patch.Set("U"), State: kit.Named("Open"), Assignee: kit.Named("Ann"), Read: patch.Set(false),
		}}, l, m))
	})
	kit.Pure(t, "update at fault", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUpdate(by(kit.Ann), UpdateProblem{
			ProblemPatch: ProblemPatch{Title: patch.Set(""), State: kit.Named("x"), Milestone: kit.Named("1.0")},
			Service:      kit.SentBack(kit.Object{"originator": 2, "resolver": 3, "keywords": 4, "creationDate": 5, "resolveDate": 6}),
		}, l, m))
	})
	kit.Pure(t, "comment", func() repeatable { return repeatable{loaded: full()} }, func(c repeatable, m changes.Moment) (store.Change, any, error) {
		return erased(decideComment(by(kit.Ann), AddComment{Text: patch.Set("a")}, c, m))
	})
	kit.Pure(t, "set keyword", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideSetKeyword(by(kit.Ann), SetKeyword{Name: "a"}, l, 9, m))
	})
	kit.Pure(t, "delete keyword", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideDeleteKeyword(by(kit.Ann), DeleteKeyword{Name: "build"}, l, m))
	})
	linked := func() linking { return newLinking(relationship.CauseOf, relationship.RelatedTo) }
	kit.Pure(t, "relate", linked, func(l linking, m changes.Moment) (store.Change, any, error) {
		return erased(decideRelate(by(kit.Ann), relate(relationship.ChildOf, 9), l, 9, m))
	})
	kit.Pure(t, "unrelate", linked, func(l linking, m changes.Moment) (store.Change, any, error) {
		return erased(decideUnrelate(by(kit.Ann), relate(relationship.CauseOf, 9), l, m))
	})
	kit.Pure(t, "watch", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideWatcher(by(kit.Ann), AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob"})}, l, 9, m))
	})
	kit.Pure(t, "stop watching", full, func(l loaded, m changes.Moment) (store.Change, any, error) {
		return erased(decideUnwatch(by(kit.Ann), Write{}, l, m))
	})
	kit.Pure(t, "save query", func() saving { return saving{catalogue: kit.Catalogue} }, func(of saving, m changes.Moment) (store.Change, any, error) {
		return erased(decideSave(by(kit.Ann), SaveQuery{Name: patch.Set("Mine"), Predicate: patch.Set("creationDate < NOW()"), Sort: patch.Set("title")}, of, 9, m))
	})
}

func erased[T any](c store.Change, a Answer[T], err error) (store.Change, any, error) {
	return c, a, err
}
