package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// BenchmarkDecide is what a write costs beside its store: a decision from what was
// loaded.
func BenchmarkDecide(b *testing.B) {
	l := newLoaded(assigned(kit.Bob))
	link := newLinking(relationship.CauseOf)
	for _, c := range []struct {
		name   string
		decide func(changes.Moment) (store.Change, error)
		log    int // entries
	}{
		{"create", func(m changes.Moment) (store.Change, error) {
			cmd := CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("Login fails"), Priority: kit.Named("Low"), Assignee: kit.Named("Bob")}}
			change, _, err := decideCreate(by(kit.Ann), cmd, newCreation(), m)
			return change, err
		}, 1},
		{"patch a state", func(m changes.Moment) (store.Change, error) {
			cmd := UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}}
			change, _, err := decideUpdate(by(kit.Ann), cmd, l, m)
			return change, err
		}, 1},
		{"patch three fields", func(m changes.Moment) (store.Change, error) {
			cmd := UpdateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("Nobody can log in"), Priority: kit.Named("Urgent"), Assignee: kit.Named("Ann")}}
			change, _, err := decideUpdate(by(kit.Ann), cmd, l, m)
			return change, err
		}, 3},
		{"set a keyword", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideSetKeyword(by(kit.Ann), SetKeyword{Name: "team", Value: problem.Text("web")}, l, 9, m)
			return change, err
		}, 1},
		{"comment", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideComment(by(kit.Ann), AddComment{Text: patch.Set("It was the fuse.")}, repeatable{loaded: l}, m)
			return change, err
		}, 1},
		{"relate", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideRelate(by(kit.Ann), relate(relationship.ChildOf, 9), link, 9, m)
			return change, err
		}, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := kit.At(kit.Now)
			b.ReportAllocs()
			for b.Loop() {
				change, err := c.decide(m)
				if err != nil || len(change.Effects) == 0 || len(change.Log) != c.log {
					b.Fatalf("%d effects and %d log entries, error %v", len(change.Effects), len(change.Log), err)
				}
			}
		})
	}
}
