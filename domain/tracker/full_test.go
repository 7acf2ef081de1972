package tracker

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// A problem that is full takes no more text, and nothing of what is refused is stored; but
// it can be closed, and related to the problem in which things go on. What it would have
// refused is refused in a dry run, too.
func TestFullProblem(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.core.MaxSize = 64 << 10
	id, next := s.create(t, "T"), s.create(t, "T, continued")
	comment := AddComment{Text: patch.Set(strings.Repeat("x", 20<<10))}
	for range 3 {
		_, err := s.AddComment(t.Context(), s.admin, id, comment)
		kit.NoError(t, err)
	}
	before, err := s.As(s.admin).Problem(t.Context(), id, shown)
	kit.NoError(t, err)
	for _, dry := range []bool{false, true} {
		comment.DryRun = dry
		_, err = s.AddComment(t.Context(), s.admin, id, comment)
		kit.WantFault(t, err, fault.InvalidValue)
		_, err = s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Write: Write{DryRun: dry}, Name: "x", Value: problem.Text(strings.Repeat("x", 10<<10))})
		kit.WantFault(t, err, fault.InvalidValue)
	}
	after, err := s.As(s.admin).Problem(t.Context(), id, shown)
	kit.NoError(t, err)
	kit.Equal(t, "the full problem", after.Value, before.Value)
	_, err = s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("In Progress")}})
	kit.NoError(t, err)
	_, err = s.AddRelationship(t.Context(), s.admin, id, relate(relationship.RelatedTo, next))
	kit.NoError(t, err)
}
