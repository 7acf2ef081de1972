package tracker

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
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
			err := checkSize(c.change, limit)
			if c.fits {
				noError(t, err)
				return
			}
			wantFault(t, err, fault.InvalidValue)
		})
	}
}

// A problem that is full takes no more text, and nothing of what is refused is stored; but
// it can be closed, and related to the problem in which things go on. What it would have
// refused is refused in a dry run, too.
func TestFullProblem(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.limits.Size = 64 << 10
	id, next := s.create(t, "T"), s.create(t, "T, continued")
	comment := AddComment{Text: patch.Set(strings.Repeat("x", 20<<10))}
	for range 3 {
		_, err := s.AddComment(t.Context(), s.admin, id, comment)
		noError(t, err)
	}
	before, err := s.LoadProblem(t.Context(), s.admin, id, shown)
	noError(t, err)
	for _, dry := range []bool{false, true} {
		comment.DryRun = dry
		_, err = s.AddComment(t.Context(), s.admin, id, comment)
		wantFault(t, err, fault.InvalidValue)
		_, err = s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Write: Write{DryRun: dry}, Name: "x", Value: problem.Text(strings.Repeat("x", 10<<10))})
		wantFault(t, err, fault.InvalidValue)
	}
	after, err := s.LoadProblem(t.Context(), s.admin, id, shown)
	noError(t, err)
	equal(t, "the full problem", after.Value, before.Value)
	_, err = s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{State: named("In Progress")}})
	noError(t, err)
	_, err = s.AddRelationship(t.Context(), s.admin, id, relate(relationship.RelatedTo, next))
	noError(t, err)
}
