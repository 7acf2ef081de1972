package tracker

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/preview"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// Whatever moves between the preview and the change: nothing is stored.
func TestBulkAfterSomethingMoved(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(t *testing.T, s service){
		"a problem that changes": func(t *testing.T, s service) {
			_, err := s.AddComment(t.Context(), s.admin, 1, AddComment{Text: patch.Set("a")})
			kit.NoError(t, err)
		},
		"a problem that would not change": func(t *testing.T, s service) {
			_, err := s.AddWatcher(t.Context(), s.admin, 2, AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob"})})
			kit.NoError(t, err)
		},
		"one more matches":   func(t *testing.T, s service) { s.create(t, "T") },
		"one less matches":   func(t *testing.T, s service) { s.update(t, 1, titled("V")) },
		"another is changed": func(t *testing.T, s service) { s.update(t, 3, titled("T")) },
		"a value has another name": func(t *testing.T, s service) {
			_, err := s.Users().Update(t.Context(), s.admin, kit.Bob, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Rob")}})
			kit.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStocked()
			for _, title := range []string{"T", "T", "V"} {
				s.create(t, title)
			}
			s.update(t, 2, ProblemPatch{Assignee: kit.Partial(kit.Object{"identifier": kit.Bob.String()})})
			cmd := UpdateProblems{Predicate: patch.Set("title = 'T'"), ProblemPatch: ProblemPatch{Assignee: kit.Partial(kit.Object{"identifier": kit.Bob.String()})}}
			var moved *kit.State
			_, err := s.apply(t.Context(), s.admin, cmd, func(shown ChangedProblems) {
				kit.Equal(t, "preview", sayBulk(shown), []string{`1@2 assignee: null → ` + kit.Ref(kit.Bob, "Bob"), `2 unchanged`})
				move(t, s)
				moved = s.memory.Current()
			})
			kit.WantFault(t, err, fault.StaleRevision)
			if s.memory.Current() != moved {
				t.Error("something was stored")
			}
		})
	}
}

func (s service) update(t *testing.T, id problem.ID, p ProblemPatch) {
	t.Helper()
	_, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: p})
	kit.NoError(t, err)
}

// A problem that moves between the search and the commit, by another server: the
// commit fails, and the second look finds what has moved.
func TestBulkAgainstAnotherServer(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.create(t, "T")
	s.create(t, "T")
	other := newServer(s.memory, s.clock)
	commits := 0
	front := s.behind(kit.Hooked{OnCommit: func(next kit.CommitFunc, c store.Change) error {
		if commits++; commits == 1 {
			_, err := other.UpdateProblem(t.Context(), s.admin, 2, UpdateProblem{ProblemPatch: titled("V")})
			kit.NoError(t, err)
		}
		return next(c)
	}})
	_, err := front.apply(t.Context(), s.admin, UpdateProblems{Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: titled("U")}, func(ChangedProblems) {})
	kit.WantFault(t, err, fault.StaleRevision)
	kit.Equal(t, "commits", commits, 1)
	kit.Equal(t, "titles", []string{s.load(t, 1).Title, s.load(t, 2).Title}, []string{"T", "V"})
	kit.Equal(t, "locks left", front.core.Locks.Len(), 0)
}

// Within one process, a change of many problems waits for whoever is writing to one
// of them, and then sees what has moved, without a commit in vain.
func TestBulkTakesItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStocked()
		for range 3 {
			s.create(t, "T")
		}
		cmd := UpdateProblems{Write: Write{DryRun: true}, Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: titled("U")}
		dry, err := s.UpdateProblems(t.Context(), s.admin, cmd)
		kit.NoError(t, err)
		cmd.DryRun, cmd.Preview = false, dry.Value.Preview

		counted := new(kit.Calls)
		reached, proceed := make(chan bool), make(chan bool)
		front := s.behind(kit.Hooked{Calls: counted, OnCommit: kit.Once(func() { close(reached); <-proceed })})
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := front.AddComment(t.Context(), s.admin, 2, AddComment{Text: patch.Set("a")}); err != nil {
				t.Error(err)
			}
		})
		<-reached
		var outcome error
		group.Go(func() { _, outcome = front.UpdateProblems(t.Context(), s.admin, cmd) })
		synctest.Wait()
		kit.Equal(t, "commits while the comment is in flight", counted.Commits, 1)
		close(proceed)
		group.Wait()
		kit.WantFault(t, outcome, fault.StaleRevision)
		kit.Equal(t, "commits", counted.Commits, 1)
		kit.Equal(t, "locks left", front.core.Locks.Len(), 0)
	})
}

// Three who send one preview at once: one of them changes the problems, once. So with
// two servers, unless only read marks change: these make no revision, and to set them
// twice is to set them.
func TestBulkTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for round := range 20 {
		s := newStocked()
		for range 5 {
			s.create(t, "T")
		}
		cmd := UpdateProblems{Predicate: patch.Set("title = 'T'"), ProblemPatch: titled("U")}
		other := newServer(s.memory, s.clock)
		if round%2 == 0 {
			cmd.ProblemPatch, other = ProblemPatch{Read: patch.Set(false)}, s.Service
		}
		cmd.DryRun = true
		dry, err := s.UpdateProblems(t.Context(), s.admin, cmd)
		kit.NoError(t, err)
		cmd.DryRun, cmd.Preview = false, dry.Value.Preview
		servers := []*Service{s.Service, s.Service, other}
		errs := make([]error, len(servers))
		var group sync.WaitGroup
		for i, server := range servers {
			group.Go(func() { _, errs[i] = server.UpdateProblems(t.Context(), s.admin, cmd) })
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				kit.WantFault(t, err, fault.StaleRevision)
			}
		}
		kit.Equal(t, "how many have changed the problems", won, 1)
		kit.Equal(t, "commits", len(s.memory.Commits), 6)
	}
}

// Without a preview, or with an old one, nothing is changed, and nothing searched.
func TestBulkNeedsPreview(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.create(t, "T")
	before := s.memory.Current()
	cmd := UpdateProblems{Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: titled("U")}
	_, err := s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.PreviewRequired)
	_, err = s.apply(t.Context(), s.admin, cmd, func(ChangedProblems) { s.clock.Forward(preview.Lifetime + time.Millisecond) })
	kit.WantFault(t, err, fault.PreviewRequired)
	cmd.Predicate = patch.Set("title =")
	_, err = s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.InvalidPredicate)
	cmd.Saved = patch.Set(kit.ID(99))
	_, err = s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.MalformedRequest)
	cmd.Predicate = patch.Null[string]()
	_, err = s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.NotFound)
	if s.memory.Current() != before {
		t.Error("something was stored")
	}
}

// NOW() is that of the preview, as long as that is good.
func TestBulkKeepsNow(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.create(t, "T")
	cmd := UpdateProblems{Predicate: patch.Set("creationDate >= FUNCTION(NOW(), 'dateByAddingMinutes:', -1)"), ProblemPatch: titled("U")}
	got, err := s.apply(t.Context(), s.admin, cmd, func(ChangedProblems) { s.clock.Forward(10 * time.Minute) })
	kit.NoError(t, err)
	kit.Equal(t, "done", sayBulk(got), []string{`1@2 title: "T" → "U"`})
	kit.Equal(t, "time of the change", s.load(t, 1).Modified, kit.Noon.Add(10*time.Minute))
}

// A dry run with a preview says whether that is still good (D24).
func TestBulkDryRunOfPreview(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.create(t, "T")
	cmd := UpdateProblems{Write: Write{DryRun: true}, Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: titled("U")}
	dry, err := s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.NoError(t, err)
	cmd.Preview = dry.Value.Preview
	s.clock.Forward(time.Minute)
	again, err := s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.NoError(t, err)
	kit.Equal(t, "the second dry run", again.Value, dry.Value)
	s.update(t, 1, titled("V"))
	_, err = s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.StaleRevision)
}

// As many as may be changed at once are; one more is too many, also for a dry run.
func TestBulkLimit(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id := s.create(t, "T")
	crowd := s.memory.Current().Clone()
	for len(crowd.Problems) < MostChanged {
		p := *crowd.Problems[id]
		p.Problem.ID = problem.ID(len(crowd.Problems) + 1)
		crowd.Problems[p.Problem.ID] = &p
	}
	s.memory.State = crowd
	s.memory.Reserved = MostChanged
	cmd := UpdateProblems{Predicate: patch.Set("title = 'T'"), ProblemPatch: titled("U")}
	got, err := s.apply(t.Context(), s.admin, cmd, func(ChangedProblems) {})
	kit.NoError(t, err)
	kit.Equal(t, "changes", len(got.Changes), MostChanged)

	s.create(t, "U")
	cmd.Predicate = patch.Set("title = 'U'")
	_, err = s.apply(t.Context(), s.admin, cmd, func(ChangedProblems) { t.Error("there is a preview of too many") })
	kit.WantFault(t, err, fault.TooManyResults)
	cmd.Preview = &Preview{Now: kit.Noon}
	_, err = s.UpdateProblems(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.TooManyResults)
}

// A store that fails is not taken for a refusal.
func TestBulkStoreFails(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.create(t, "T")
	before := s.memory.Current()
	away := errors.New("away")
	front := s.behind(kit.Hooked{OnCommit: func(kit.CommitFunc, store.Change) error { return fault.Wrap(fault.Unavailable, away, "away") }})
	_, err := front.apply(t.Context(), s.admin, UpdateProblems{Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: titled("U")}, func(ChangedProblems) {})
	kit.WantFault(t, err, fault.Unavailable)
	if s.memory.Current() != before {
		t.Error("something was stored")
	}
	kit.Equal(t, "locks left", front.core.Locks.Len(), 0)
}
