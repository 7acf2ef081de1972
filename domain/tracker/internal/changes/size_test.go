package changes

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func TestCheckSize(t *testing.T) {
	t.Parallel()
	const limit = 6400 // of which 100 are for what adds no text
	entry := func(of problem.LogType, field string) []problem.LogEntry {
		return []problem.LogEntry{{Problem: 7, Type: of, Field: field}}
	}
	update := func(size int64) store.Effect { return store.UpdateProblem{Problem: problem.Problem{ID: 7}, Size: size} }
	create := store.CreateProblem{Problem: problem.Problem{ID: 7}, Size: 6301}
	for _, c := range []struct {
		rule   string
		change store.Change
		fits   bool
	}{
		{"a comment up to the limit", store.Change{Effects: []store.Effect{update(6300)}, Log: entry(problem.CommentAdded, "comments")}, true},
		{"a comment above it", store.Change{Effects: []store.Effect{update(6301)}, Log: entry(problem.CommentAdded, "comments")}, false},
		{"a keyword above it", store.Change{Effects: []store.Effect{update(6301)}, Log: entry(problem.KeywordSet, "x")}, false},
		{"a title above it", store.Change{Effects: []store.Effect{update(6301)}, Log: entry(problem.FieldChanged, "title")}, false},
		{"a new problem above it", store.Change{Effects: []store.Effect{create}, Log: entry(problem.ProblemCreated, "")}, false},
		{"a state within the rest", store.Change{Effects: []store.Effect{update(6400)}, Log: entry(problem.FieldChanged, "state")}, true},
		{"a state above all", store.Change{Effects: []store.Effect{update(6401)}, Log: entry(problem.FieldChanged, "state")}, false},
		{"no keyword any more", store.Change{Effects: []store.Effect{update(6400)}, Log: entry(problem.KeywordDeleted, "x")}, true},
		{"the second of two", store.Change{Effects: []store.Effect{store.UpdateProblem{Problem: problem.Problem{ID: 6}}, update(6401)}, Log: entry(problem.RelationshipAdded, "ParentOf")}, false},
		{"no problem", store.Change{Effects: []store.Effect{store.PutUser{}}}, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			err := CheckSize(c.change, limit)
			if want := !c.fits; fault.Is(err, fault.InvalidValue) != want || (err != nil) != want {
				t.Errorf("got the error %v; want one: %v", err, want)
			}
		})
	}
}

func TestCheckSizeOfARequest(t *testing.T) {
	t.Parallel()
	comment := store.AddComment{Comment: problem.Comment{Text: strings.Repeat("x", store.MostSize/1000-problem.Overhead)}}
	many := make([]store.Effect, 1001)
	for i := range many {
		many[i] = comment
	}
	if err := CheckSize(store.Change{Effects: many[:1000]}, store.MostSize); err != nil {
		t.Errorf("a request of the greatest size: %v", err)
	}
	if err := CheckSize(store.Change{Effects: many}, store.MostSize); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a request above the greatest size: %v", err)
	}
}
