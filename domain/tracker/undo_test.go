package tracker

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// undo makes a dry run and then, after whatever happens between, the undo.
func (s *Service) undo(ctx context.Context, caller Caller, id problem.ID, batch ident.ID, scope string, between func(UndoneBatch)) (UndoneBatch, error) {
	cmd := Undo{Write: Write{DryRun: true}, Batch: batch, Scope: patch.Set(scope)}
	dry, err := s.UndoBatch(ctx, caller, id, cmd)
	if err != nil {
		return dry.Value, err
	}
	between(dry.Value)
	cmd.DryRun, cmd.Preview = false, dry.Value.Preview
	a, err := s.UndoBatch(ctx, caller, id, cmd)
	return a.Value, err
}

// sayUndo writes out what comes of an undo.
func sayUndo(u UndoneBatch) (lines []string) {
	for _, c := range u.Changes {
		for _, e := range c.Log {
			lines = append(lines, fmt.Sprintf("%d@%d %s %s: %s → %s", c.ID, c.Revision, e.Type, e.Field, e.From.JSON(), e.To.JSON()))
		}
	}
	for _, e := range u.Stays {
		lines = append(lines, fmt.Sprintf("%d %s %s: %s", e.Problem, e.Type, e.Field, e.Stays))
	}
	for _, r := range u.Refused {
		line := fmt.Sprintf("%d %s", r.ID, r.Err.Kind)
		for _, item := range r.Err.Items {
			line += " " + kit.Pointer(item.At)
		}
		lines = append(lines, line)
	}
	return lines
}

// lastBatch returns the batch of the latest revision of a problem.
func (s service) lastBatch(t *testing.T, id problem.ID) ident.ID {
	t.Helper()
	return s.load(t, id).Batch
}

// D47: what goes back, what stays and what is refused. Problem 1 is set up before the batch,
// which is its revision of that moment; problem 2 is another one.
func TestUndo(t *testing.T) {
	t.Parallel()
	writer := by(kit.Bob)
	writer.Scope = access.Write
	set := func(id problem.ID, p ProblemPatch) func(*testing.T, service) {
		return func(t *testing.T, s service) { s.update(t, id, p) }
	}
	keyword := func(value string) func(*testing.T, service) {
		return func(t *testing.T, s service) {
			_, err := s.SetKeyword(t.Context(), s.admin, 1, SetKeyword{Name: "floor", Value: problem.Text(value)})
			kit.NoError(t, err)
		}
	}
	add := func(from, to problem.ID) func(*testing.T, service) {
		return func(t *testing.T, s service) {
			_, err := s.AddRelationship(t.Context(), s.admin, from, relate("ParentOf", to))
			kit.NoError(t, err)
		}
	}
	remove := func(from, to problem.ID) func(*testing.T, service) {
		return func(t *testing.T, s service) {
			_, err := s.DeleteRelationship(t.Context(), s.admin, from, relate("ParentOf", to))
			kit.NoError(t, err)
		}
	}
	all := func(p ProblemPatch) func(*testing.T, service) {
		return func(t *testing.T, s service) {
			_, err := s.apply(t.Context(), s.admin, UpdateProblems{Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: p}, func(ChangedProblems) {})
			kit.NoError(t, err)
		}
	}
	comment := func(t *testing.T, s service) {
		_, err := s.UpdateProblem(t.Context(), s.admin, 1, UpdateProblem{ProblemPatch: titled("U"), Comment: patch.Set("a")})
		kit.NoError(t, err)
	}
	var none []func(*testing.T, service)
	type steps = []func(*testing.T, service)
	for _, c := range []struct {
		rule   string
		caller Caller
		scope  string
		before steps
		batch  func(*testing.T, service)
		after  steps
		want   []string
	}{
		{"fields go back, also to null", writer, UndoOfProblem, none, set(1, ProblemPatch{Title: patch.Set("U"), Assignee: kit.Named("Ann")}), none,
			[]string{`1@3 FieldChanged title: "U" → "T"`, `1@3 FieldChanged assignee: ` + kit.Ref(kit.Ann, "Ann") + ` → null`}},
		{"a state goes back without a transition", writer, UndoOfProblem, steps{set(1, ProblemPatch{State: kit.Named("Closed")})}, set(1, ProblemPatch{State: kit.Named("Archived")}), none,
			[]string{`1@4 FieldChanged state: ` + kit.Ref(kit.Archived, "Archived") + ` → ` + kit.Ref(kit.Closed, "Closed")}},
		{"what has moved on stays, though it is the same again", writer, UndoOfProblem, none, set(1, ProblemPatch{Title: patch.Set("U"), Assignee: kit.Named("Ann")}),
			steps{set(1, titled("V")), set(1, titled("U"))},
			[]string{`1@5 FieldChanged assignee: ` + kit.Ref(kit.Ann, "Ann") + ` → null`, `1 FieldChanged title: moved-on`}},
		{"a user and a component out of use by now are refused", writer, UndoOfProblem, steps{set(1, ProblemPatch{Assignee: kit.Named("Bob"), Component: kit.Named("Core")})},
			set(1, ProblemPatch{Assignee: kit.Named("Ann"), Component: patch.Null[metadata.Partial](), Title: patch.Set("U")}),
			steps{func(t *testing.T, s service) {
				_, err := s.Users().Update(t.Context(), s.admin, kit.Bob, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
				kit.NoError(t, err)
				_, err = s.Components().Update(t.Context(), s.admin, kit.CoreID, admin.UpdateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Closed: patch.Set(true)}})
				kit.NoError(t, err)
			}},
			[]string{"1 invalid-value /component /assignee"}},
		{"a keyword gets its former value", writer, UndoOfProblem, steps{keyword("kitchen")}, keyword("cellar"), none, []string{`1@4 KeywordSet floor: "cellar" → "kitchen"`}},
		{"a new keyword goes", writer, UndoOfProblem, none, keyword("cellar"), none, []string{`1@3 KeywordDeleted floor: "cellar" → null`}},
		{"a relationship goes, with its mirror", writer, UndoOfProblem, none, add(1, 2), none,
			[]string{`1@3 RelationshipDeleted ParentOf: {"problemIdentifier":2} → null`, `2@3 RelationshipDeleted ChildOf: {"problemIdentifier":1} → null`}},
		{"a relationship comes back, from the whole batch once", writer, UndoOfBatch, steps{add(1, 2)}, remove(1, 2), none,
			[]string{`1@4 RelationshipAdded ParentOf: null → {"problemIdentifier":2}`, `2@4 RelationshipAdded ChildOf: null → {"problemIdentifier":1}`}},
		{"a relationship that would close a cycle is refused", writer, UndoOfProblem, steps{add(1, 2)}, remove(1, 2), steps{add(2, 3), add(3, 1)}, []string{"1 relationship-cycle"}},
		{"somebody else's comment stays, and the rest of its batch goes back", writer, UndoOfProblem, none, comment, none,
			[]string{`1@3 FieldChanged title: "U" → "T"`, `1 CommentAdded comments: forbidden`}},
		{"all problems of the batch", writer, UndoOfBatch, steps{set(2, titled("U"))}, all(titled("U")), steps{set(3, titled("V"))},
			[]string{`1@3 FieldChanged title: "U" → "T"`, `3 FieldChanged title: moved-on`}},
		{"of the batch, the problem alone", writer, UndoOfProblem, none, all(titled("U")), none, []string{`1@3 FieldChanged title: "U" → "T"`}},
		{"a creation stays", writer, UndoOfProblem, none, func(*testing.T, service) {}, none, []string{`1 ProblemCreated : permanent`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := newStocked()
			for range 3 {
				s.create(t, "T")
			}
			for _, step := range c.before {
				step(t, s)
			}
			s.clock.Forward(time.Second)
			c.batch(t, s)
			batch := s.lastBatch(t, 1)
			for _, step := range c.after {
				step(t, s)
			}
			commits := len(s.memory.Commits)
			var shown UndoneBatch
			got, err := s.undo(t.Context(), c.caller, 1, batch, c.scope, func(dry UndoneBatch) { shown = dry })
			kit.Equal(t, "preview", sayUndo(shown), c.want)
			if len(shown.Refused) > 0 {
				kit.WantFault(t, err, shown.Refused[0].Err.Kind, itemsOf(shown.Refused[0].Err)...)
				kit.Equal(t, "commits", len(s.memory.Commits), commits)
				return
			}
			kit.NoError(t, err)
			kit.Equal(t, "result", sayUndo(got), c.want)
			if len(got.Changes) == 0 {
				kit.Equal(t, "commits", len(s.memory.Commits), commits)
				return
			}
			kit.Equal(t, "commits", len(s.memory.Commits), commits+1)
			for _, change := range got.Changes {
				kit.Equal(t, "batch", s.load(t, change.ID).Batch, got.Batch)
			}
			checkCommit(t, s.memory.Commits[commits])
			checkPairs(t, s.memory.Current())
		})
	}
}

func itemsOf(e *fault.Error) (items []string) {
	for _, item := range e.Items {
		items = append(items, string(item.Kind)+" "+kit.Pointer(item.At))
	}
	return items
}

// D47, D18: what is refused before anything goes back, in this order.
func TestUndoRefuses(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id := s.create(t, "T")
	s.update(t, id, titled("U"))
	batch := s.lastBatch(t, id)
	before := s.memory.Current()
	dry, old := Write{DryRun: true}, Write{IfMatch: &Match{Revisions: []int64{1}}}
	for _, c := range []struct {
		rule  string
		id    problem.ID
		cmd   Undo
		kind  fault.Kind
		items []string
	}{
		{"no problem", 7, Undo{Write: old}, fault.ProblemNotFound, nil},
		{"another revision", id, Undo{Write: old}, fault.StaleRevision, nil},
		{"no scope", id, Undo{}, fault.RequiredField, []string{"required-field /scope"}},
		{"an unknown scope", id, Undo{Scope: patch.Set("all")}, fault.InvalidValue, []string{"invalid-value /scope"}},
		{"no preview", id, Undo{Scope: patch.Set(UndoOfProblem)}, fault.PreviewRequired, nil},
		{"no such batch", id, Undo{Write: dry, Scope: patch.Set(UndoOfBatch), Batch: kit.ID(99)}, fault.NotFound, nil},
		{"the preview of something else", id, Undo{Scope: patch.Set(UndoOfProblem), Batch: batch, Preview: &Preview{Now: kit.Noon}}, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := s.UndoBatch(t.Context(), s.admin, c.id, c.cmd)
			kit.WantFault(t, err, c.kind, c.items...)
			if s.memory.Current() != before {
				t.Error("something was stored")
			}
		})
	}
	for name, move := range map[string]func(){
		"nothing of the undo has moved": func() {
			_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
			kit.NoError(t, err)
		},
	} {
		_, err := s.undo(t.Context(), s.admin, id, batch, UndoOfBatch, func(UndoneBatch) { move() })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.update(t, id, titled("U"))
	_, err := s.undo(t.Context(), s.admin, id, s.lastBatch(t, id), UndoOfBatch, func(UndoneBatch) { s.update(t, id, titled("V")) })
	kit.WantFault(t, err, fault.StaleRevision)
	kit.Equal(t, "title", s.load(t, id).Title, "V")
}

// content is what an undo brings back of problems.
func (s service) content(problems int) (all []string) {
	for id := problem.ID(1); int(id) <= problems; id++ {
		p := s.memory.Current().Problems[id]
		line := fmt.Sprintf("%d: %+v %+v", id, p.Problem.Fields, p.Keywords)
		for _, r := range p.Relationships {
			line += fmt.Sprintf(" %s %d", r.Type, r.Other)
		}
		for _, c := range problem.Present(slices.Clone(p.Comments)) {
			line += fmt.Sprintf(" %v %q %v", c.ID, c.Text, c.HTML)
		}
		all = append(all, line)
	}
	return all
}

// D47: the undo of a batch that nobody has touched gives the state before, and its own undo
// brings the values back, whatever the batch was. Only comments stay deleted.
func TestUndoIsTheWayBack(t *testing.T) {
	t.Parallel()
	const problems, least, most = 4, 200, 4000
	kinds := []string{"update", "comment", "set keyword", "delete keyword", "relate", "unrelate", "correct", "undo"}
	rng := kit.Rand(t)
	s := newStocked()
	for range problems {
		id := s.create(t, "T")
		for range 20 {
			_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
			kit.NoError(t, err)
		}
	}
	undone := map[string]int{}
	lacking := func() bool {
		return slices.ContainsFunc(kinds, func(what string) bool { return undone[what] == 0 })
	}
	for step := 0; step < least || step < most && lacking(); step++ {
		s.clock.Forward(pick(rng, 0, time.Millisecond, time.Second, -time.Minute))
		before, commits := s.content(problems), len(s.memory.Commits)
		what, err := s.writeSomething(t, rng, problems)
		after := s.content(problems)
		if err != nil || len(s.memory.Commits) == commits || len(s.memory.Commits[commits].Log) == 0 {
			continue
		}
		e := s.memory.Commits[commits].Log[0]
		permanent := slices.ContainsFunc(s.memory.Commits[commits].Log, func(e problem.LogEntry) bool { return e.Type == problem.CommentDeleted })
		got, err := s.undo(t.Context(), s.admin, e.Problem, e.Batch, UndoOfBatch, func(UndoneBatch) {})
		kit.NoError(t, err)
		if permanent {
			continue
		}
		kit.Equal(t, "after the undo of "+what, s.content(problems), before)
		if len(got.Changes) == 0 {
			continue
		}
		undone[what]++
		_, err = s.undo(t.Context(), s.admin, e.Problem, got.Batch, UndoOfBatch, func(UndoneBatch) {})
		kit.NoError(t, err)
		if e.Type != problem.CommentAdded {
			kit.Equal(t, "after the undo of the undo of "+what, s.content(problems), after)
		}
	}
	if lacking() {
		t.Errorf("of %q, %d steps undid %v", kinds, most, undone)
	}
	for _, c := range s.memory.Commits {
		checkCommit(t, c)
	}
	checkPairs(t, s.memory.Current())
}

// A problem above snapshot.Small is read in portions, with the same result.
func TestUndoInALargeProblem(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id, other := s.create(t, "T"), s.create(t, "T")
	_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
	kit.NoError(t, err)
	said := s.lastBatch(t, id)
	_, err = s.AddRelationship(t.Context(), s.admin, id, relate("ParentOf", other))
	kit.NoError(t, err)
	related := s.lastBatch(t, id)
	for i := range 1200 {
		_, err := s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Name: "floor", Value: problem.Text(fmt.Sprint(i))})
		kit.NoError(t, err)
	}
	keyed := s.lastBatch(t, id)
	if size := s.load(t, id).Size; size <= snapshot.Small {
		t.Fatalf("the problem has %d bytes", size)
	}
	for _, batch := range []ident.ID{said, related, keyed} {
		got, err := s.undo(t.Context(), s.admin, id, batch, UndoOfBatch, func(UndoneBatch) {})
		kit.NoError(t, err)
		if len(got.Stays)+len(got.Refused) > 0 || len(got.Changes) == 0 {
			t.Errorf("undo of %v: %q", batch, sayUndo(got))
		}
	}
	after, err := s.As(s.admin).Problem(t.Context(), id, snapshot.Keywords|snapshot.Relationships)
	kit.NoError(t, err)
	kit.Equal(t, "keywords", after.Value.Keywords, []problem.Keyword{{Name: "floor", Value: problem.Text("1198")}})
	kit.Equal(t, "relationships", len(after.Value.Relationships), 0)
}
