package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// BenchmarkDecide is what a write costs beside its store: a decision from what was
// loaded.
func BenchmarkDecide(b *testing.B) {
	l := newLoaded(assigned(bob))
	link := newLinking(relationship.CauseOf)
	for _, c := range []struct {
		name   string
		decide func(changes.Moment) (store.Change, error)
		log    int // entries
	}{
		{"create", func(m changes.Moment) (store.Change, error) {
			cmd := CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("Login fails"), Priority: named("Low"), Assignee: named("Bob")}}
			change, _, err := decideCreate(by(ann), cmd, newCreation(), m)
			return change, err
		}, 1},
		{"patch a state", func(m changes.Moment) (store.Change, error) {
			cmd := UpdateProblem{ProblemPatch: ProblemPatch{State: named("Closed")}}
			change, _, err := decideUpdate(by(ann), cmd, l, m)
			return change, err
		}, 1},
		{"patch three fields", func(m changes.Moment) (store.Change, error) {
			cmd := UpdateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("Nobody can log in"), Priority: named("Urgent"), Assignee: named("Ann")}}
			change, _, err := decideUpdate(by(ann), cmd, l, m)
			return change, err
		}, 3},
		{"set a keyword", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideSetKeyword(by(ann), SetKeyword{Name: "team", Value: problem.Text("web")}, l, 9, m)
			return change, err
		}, 1},
		{"comment", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideComment(by(ann), AddComment{Text: patch.Set("It was the fuse.")}, repeatable{loaded: l}, m)
			return change, err
		}, 1},
		{"relate", func(m changes.Moment) (store.Change, error) {
			change, _, err := decideRelate(by(ann), relate(relationship.ChildOf, 9), link, 9, m)
			return change, err
		}, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := at(now)
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
