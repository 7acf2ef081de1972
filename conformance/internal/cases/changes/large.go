package changes

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Large are about Changes with many effects, or with many bytes. A store that divides
// them shows it when a later part is refused.
func Large() []bench.Case {
	return []bench.Case{{
		ID:   "COM-001/large-refused",
		Rule: "A Change with thousands of effects stores nothing of itself when its last effect is refused; its batch stays free.",
		Run:  func(b *bench.Bench) { refuseLarge(b, 4000, 1) },
	}, {
		ID:   "COM-001/large-text-refused",
		Rule: "A Change of many megabytes stores nothing of itself when its last effect is refused; its batch stays free.",
		Run:  func(b *bench.Bench) { refuseLarge(b, 8, 1<<20) },
	}, {
		ID:   "COM-013",
		Rule: "A Change of the greatest size is stored whole.",
		Run:  storeGreatest,
	}}
}

// refuseLarge commits a Change with so many comments of so many bytes. At first, the last
// effect creates a problem that exists.
func refuseLarge(b *bench.Bench, comments, size int) {
	taken := b.Create()
	created := b.Problem(b.Reserve())
	change := b.Change(store.CreateProblem{Problem: created})
	text := strings.Repeat("x", size)
	for range comments {
		change.Effects = append(change.Effects, store.AddComment{Problem: created.ID, Comment: b.Comment(text)})
	}
	change.Log = []problem.LogEntry{b.Entry(taken.ID), b.Entry(created.ID)}
	whole := change.Effects
	change.Effects = append(whole[:len(whole):len(whole)], store.CreateProblem{Problem: taken})
	b.Refuse(fmt.Sprintf("a Change with %d effects", len(change.Effects)), fault.Conflict, change)
	change.Effects = whole
	b.Commit(change)
	s := b.Load(created.ID, snapshot.Comments|snapshot.Log)
	b.Equal("the number of comments", comments, len(s.Comments))
	b.Equal("the number of log entries", 1, len(s.Log))
}

// storeGreatest commits many problems with a long comment each.
func storeGreatest(b *bench.Bench) {
	const problems = 1000
	change := b.Change()
	for range problems {
		change.Effects = append(change.Effects, store.CreateProblem{Problem: b.Problem(b.Reserve())})
	}
	sentence := "The pages of a book, of which each says a little more. "
	room := store.MostSize - change.Size() - problems*problem.Overhead
	// The fixture's comments have their text in HTML, too.
	text := strings.Repeat(sentence, int(room/problems)/(2*len(sentence)))
	for _, effect := range change.Effects {
		id := effect.(store.CreateProblem).Problem.ID
		change.Effects = append(change.Effects, store.AddComment{Problem: id, Comment: b.Comment(text)})
	}
	if size := change.Size(); size > store.MostSize || size < store.MostSize*99/100 {
		b.Failf("the case made a Change of %d bytes", size)
	}
	b.Commit(change)
	for _, effect := range change.Effects[problems:] {
		added := effect.(store.AddComment)
		b.Equal("the comments", []problem.Comment{added.Comment}, b.Load(added.Problem, snapshot.Comments).Comments)
	}
}
