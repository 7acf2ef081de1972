package tracker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// apply makes a dry run and then, after whatever happens between, the change.
func (s *Service) apply(ctx context.Context, caller Caller, cmd UpdateProblems, between func(ChangedProblems)) (ChangedProblems, error) {
	cmd.DryRun, cmd.Preview = true, nil
	dry, err := s.UpdateProblems(ctx, caller, cmd)
	if err != nil {
		return dry.Value, err
	}
	between(dry.Value)
	cmd.DryRun, cmd.Preview = false, dry.Value.Preview
	a, err := s.UpdateProblems(ctx, caller, cmd)
	return a.Value, err
}

// What is applied is what was previewed: in one Change, to the same problems, with
// the same outcome as W2 has for each of them alone. If any is refused, nothing is
// stored. Afterwards the preview is worth nothing.
func TestBulkDoesWhatWasPreviewed(t *testing.T) {
	t.Parallel()
	rng := kit.Rand(t)
	applied, refused := 0, 0
	for run := 0; run < 150 || run < 2000 && (applied < 10 || refused < 10); run++ {
		s := newStocked()
		for range rng.IntN(6) {
			s.create(t, pick(rng, "T", "U"))
		}
		for range 10 {
			if n := len(s.memory.Current().Problems); n > 0 {
				_, _ = s.writeSomething(t, rng, n)
			}
		}
		cmd := UpdateProblems{
			Predicate: patch.Set(pick(rng, "TRUEPREDICATE", "title = 'T'", "state.resolved = NO", "assignee.identifier = $ApiUser", "NOT (state.name IN {'Open'})",
				"read = NO", "creationDate <= NOW() AND ANY keywords.name = 'a'", "identifier > 2")),
			ProblemPatch: somePatch(rng),
		}
		caller := by(pick(rng, kit.Ann, kit.Bob))
		s.clock.Forward(pick(rng, 0, time.Second, -time.Hour))
		before, commits := s.memory.Current(), len(s.memory.Commits)
		alone := s.alone(t, caller, cmd)
		var shown ChangedProblems
		got, err := s.apply(t.Context(), caller, cmd, func(preview ChangedProblems) {
			shown = preview
			if s.memory.Current() != before {
				t.Fatal("the dry run has stored something")
			}
		})
		kit.Equal(t, "outcomes", outcomes(shown), alone.outcomes)
		if len(shown.Refused) > 0 {
			refused++
			kit.WantFault(t, err, shown.Refused[0].Err.Kind)
			if s.memory.Current() != before {
				t.Fatal("a change was stored though a problem refuses it")
			}
			continue
		}
		kit.NoError(t, err)
		preview := shown.Preview
		shown.Preview, shown.Batch = nil, got.Batch
		kit.Equal(t, "what was done", got, shown)
		if len(got.Changes) == 0 {
			kit.Equal(t, "commits", len(s.memory.Commits), commits)
			continue
		}
		applied++
		if log := s.memory.Commits[commits].Log; len(log) > 0 {
			kit.Equal(t, "batch", got.Batch, log[0].Batch)
		}
		kit.Equal(t, "commits", len(s.memory.Commits), commits+1)
		checkCommit(t, s.memory.Commits[commits])
		for id, rec := range s.memory.Current().Problems {
			kit.Equal(t, fmt.Sprintf("fields of problem %d", id), rec.Problem.Fields, alone.after.Problems[id].Problem.Fields)
			kit.Equal(t, fmt.Sprintf("revision of problem %d", id), rec.Problem.Revision, alone.after.Problems[id].Problem.Revision)
			kit.Equal(t, fmt.Sprintf("who resolved problem %d", id), rec.Problem.Resolver, alone.after.Problems[id].Problem.Resolver)
			kit.Equal(t, fmt.Sprintf("readers of problem %d", id), sorted(rec.Readers), sorted(alone.after.Problems[id].Readers))
		}
		cmd.Preview = preview
		_, err = s.UpdateProblems(t.Context(), caller, cmd)
		kit.WantFault(t, err, fault.StaleRevision)
	}
	if applied < 10 || refused < 10 {
		t.Errorf("%d changes were applied and %d refused: too few to tell", applied, refused)
	}
}

func sorted(ids []ident.ID) []ident.ID {
	return slices.SortedFunc(slices.Values(ids), ident.ID.Compare)
}

func somePatch(rng *rand.Rand) (p ProblemPatch) {
	if rng.IntN(2) == 0 {
		p.State = kit.Named(pick(rng, "Open", "In Progress", "Closed", "Archived"))
	}
	if rng.IntN(3) == 0 {
		p.Title = patch.Set(pick(rng, "T", "U"))
	}
	if rng.IntN(3) == 0 {
		p.Assignee = pick(rng, kit.Named("Ann"), kit.Named("Bob"), kit.Named("Cat"), patch.Null[metadata.Partial]())
	}
	if rng.IntN(4) == 0 {
		p.Read = patch.Set(rng.IntN(2) == 0)
	}
	return p
}

// alone is what came of the same patch by W2, problem by problem.
type alone struct {
	outcomes map[problem.ID]string
	after    *kit.State
}

// alone applies the patch with W2 to each problem that is found, in a copy of the
// store.
func (s service) alone(t *testing.T, caller Caller, cmd UpdateProblems) alone {
	t.Helper()
	copied := &kit.Memory{State: s.memory.Current()}
	server := newServer(copied, s.clock)
	found, err := server.As(caller).Search(t.Context(), SearchProblems{Search: Search{Predicate: cmd.Predicate}})
	kit.NoError(t, err)
	a := alone{outcomes: map[problem.ID]string{}}
	for _, p := range found.First.Value {
		b, err := server.UpdateProblem(t.Context(), caller, p.ID, UpdateProblem{ProblemPatch: cmd.ProblemPatch})
		switch {
		case err != nil:
			a.outcomes[p.ID] = string(kindOf(err))
		case b.Revision > p.Revision, b.Value.Read != p.Read && cmd.Read.Sent:
			a.outcomes[p.ID] = fmt.Sprintf("revision %d", b.Revision)
		default:
			a.outcomes[p.ID] = "unchanged"
		}
	}
	a.after = copied.Current()
	return a
}

func outcomes(c ChangedProblems) map[problem.ID]string {
	all := map[problem.ID]string{}
	for _, change := range c.Changes {
		all[change.ID] = fmt.Sprintf("revision %d", change.Revision)
	}
	for _, id := range c.Unchanged {
		all[id] = "unchanged"
	}
	for _, r := range c.Refused {
		all[r.ID] = string(r.Err.Kind)
	}
	return all
}
