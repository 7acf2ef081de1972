package erasure

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/stage"
	"github.com/problemtracking/problems/domain/tracker/sessions"
)

// service is the Service of a Stage.
type service struct {
	*Service
	stage.Stage
}

func newService(t *testing.T) service {
	s := stage.New(t, rand.Reader)
	return service{New(s.Tracker.Core(core.Insider{})), s}
}

// leaver is a service with a user who has left traces in four of five problems.
func leaver(t *testing.T) (service, ident.ID) {
	t.Helper()
	s := newService(t)
	a, err := s.Administration.Users().Create(t.Context(), s.Admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Ann Lee"), Email: patch.Set("ann@example.org")}})
	kit.NoError(t, err)
	who := a.Value.ID
	_, err = s.Administration.CreateToken(t.Context(), s.Admin, admin.CreateToken{User: kit.Named("Ann Lee"), Scope: patch.Set("write"), Name: patch.Set("Ann Lee's laptop")})
	kit.NoError(t, err)
	_, err = sessions.New(s.Tracker.Core(core.Insider{})).SignInUser(t.Context(), who, access.Write, "a browser")
	kit.NoError(t, err)
	caller := tracker.Caller{User: who, Scope: access.Write}
	for _, title := range []string{"plain", "watched", "assigned", "renamed", "Ask Ann Lee"} {
		s.Problem(t, title)
	}
	_, err = s.Tracker.AddWatcher(t.Context(), caller, 2, tracker.AddWatcher{User: kit.AsPartial(kit.Object{"name": "Ann Lee"})})
	kit.NoError(t, err)
	for _, name := range []string{"Ann Lee", "Ann Low"} {
		_, err = s.Administration.Users().Update(t.Context(), s.Admin, who, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name)}})
		kit.NoError(t, err)
		for _, to := range []patch.Field[string]{patch.Set(name), {}} {
			cmd := tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Assignee: patch.Null[metadata.Partial]()}}
			if to.Sent {
				cmd.Assignee = kit.Named(name)
			}
			_, err = s.Tracker.UpdateProblem(t.Context(), s.Admin, 3, cmd)
			kit.NoError(t, err)
		}
	}
	for _, title := range []string{"ASK ANN LOW", "plain"} {
		_, err = s.Tracker.UpdateProblem(t.Context(), s.Admin, 1, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}})
		kit.NoError(t, err)
	}
	_, err = s.Tracker.SaveQuery(t.Context(), caller, tracker.SaveQuery{Name: patch.Set("Of Ann"), Predicate: patch.Set("TRUEPREDICATE")})
	kit.NoError(t, err)
	_, err = s.Tracker.SaveQuery(t.Context(), caller, tracker.SaveQuery{Name: patch.Set("Of the team"), Predicate: patch.Set("TRUEPREDICATE"), Shared: patch.Set(true)})
	kit.NoError(t, err)
	_, err = s.Tracker.AddComment(t.Context(), caller, 4, tracker.AddComment{Text: patch.Set("I am ann@example.org.")})
	kit.NoError(t, err)
	_, err = s.Administration.Users().Update(t.Context(), s.Admin, who, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Ann Lee")}})
	kit.NoError(t, err)
	return s, who
}

// D46: nothing but texts that people wrote has the name and the address, whenever a server dies.
func TestErasure(t *testing.T) {
	t.Parallel()
	s, who := leaver(t)
	would, err := s.Begin(t.Context(), s.Admin, who, tracker.Write{DryRun: true}, 100)
	kit.NoError(t, err)
	some, err := s.Begin(t.Context(), s.Admin, who, tracker.Write{DryRun: true}, 2)
	kit.NoError(t, err)
	kit.Equal(t, "the dry run of two problems", []any{some.Value.Through, some.Value.Done, some.Value.Texts}, []any{problem.ID(2), false, []problem.ID{1}})
	begun, err := s.Begin(t.Context(), s.Admin, who, tracker.Write{}, 0)
	kit.NoError(t, err)
	if _, err := s.Administration.Users().Update(t.Context(), s.Admin, who, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Ann")}}); !fault.Is(err, fault.InUse) {
		t.Errorf("the erased user is changed: %v", err)
	}
	died := errors.New("kill -9")
	for commits := 1; ; commits++ { // a server that dies after some commits, and another one goes on
		server := New(s.Server(&kit.Hooked{Store: s.Memory, OnCommit: func(next kit.CommitFunc, c store.Change) error {
			if commits--; commits < 0 {
				return fault.Wrap(fault.Internal, died, "the server dies")
			}
			return next(c)
		}}, stage.Key).Core(core.Insider{}))
		worker := server.NewWorker(true, nil)
		for worked := true; worked && err == nil; {
			worked, err = worker.Work(t.Context(), s.Clock.Now())
		}
		if err == nil {
			break
		}
		if !errors.Is(err, died) || commits > 100 {
			t.Fatal(err)
		}
		err, commits = nil, max(commits, 0)+3
	}
	done, err := s.Load(t.Context(), who)
	kit.NoError(t, err)
	want := State{
		By: s.Admin.User, Done: true, Through: 5, Audit: begun.Value.Audit, Tokens: 1, Sessions: 1, Saved: 1, Problems: 2, Log: 5, Watches: 1,
		Texts: []problem.ID{1, 4, 5},
	}
	kit.Equal(t, "the erasure", done.Value.State, want)
	kit.Equal(t, "the user", done.Value.User, begun.Value.User.Erase())
	kit.Equal(t, "the dry run", would.Value.State, want)
	kit.Equal(t, "its user", would.Value.User.Name, "Ann Lee")
	now := s.Memory.Current()
	kit.Equal(t, "queries that stay: the shared one", len(now.Queries), 1)
	if held := fmt.Sprintf("%+v %+v %+v %+v %+v %+v", now.Tokens, now.Audit, now.Content.Users, now.Leases, now.Sessions, now.Queries); strings.Contains(held, "Ann") || strings.Contains(held, "ann@") {
		t.Errorf("the store has the name or the address:\n%s", held)
	}
	redacted := 0
	for id := problem.ID(1); id <= 5; id++ {
		a, err := s.Tracker.As(s.Admin).Problem(t.Context(), id, ^snapshot.Parts(0))
		kit.NoError(t, err)
		of := a.Value
		for _, e := range of.Log {
			if strings.Contains(string(e.From+e.To), "Ann L") && e.Type != problem.ProblemCreated {
				t.Errorf("the log of problem %d has the name: %+v", id, e)
			}
			if e.Type == problem.Redacted {
				redacted++
			}
		}
		kit.Equal(t, "the watchers", len(of.Watchers) > 0 && of.Watchers[0] == who, false)
		if size := problem.Size(of.Fields, of.Keywords, of.Comments, of.Attachments, of.Log); size > of.Size {
			t.Errorf("problem %d has the size %d, and at least %d bytes", id, of.Size, size)
		}
	}
	kit.Equal(t, "entries about it", redacted, 2)
	again, err := s.Begin(t.Context(), s.Admin, who, tracker.Write{}, 0)
	kit.NoError(t, err)
	kit.Equal(t, "a repeat", again.Value, done.Value)
}

// A server leaves the work to the holder of the lease until that is silent; then it goes on.
func TestErasureGoesOn(t *testing.T) {
	t.Parallel()
	s, who := leaver(t)
	_, err := s.Begin(t.Context(), s.Admin, who, tracker.Write{}, 0)
	kit.NoError(t, err)
	one, two := s.NewWorker(false, nil), s.NewWorker(false, nil)
	for i, c := range []struct {
		worker *Worker
		worked bool
	}{{one, true}, {two, false}, {two, true}, {two, false}} {
		worked, err := c.worker.Work(t.Context(), s.Clock.Now())
		kit.NoError(t, err)
		kit.Equal(t, fmt.Sprint("work ", i), worked, c.worked)
		if i == 1 {
			s.Clock.Forward(lease.Patience)
		}
	}
	_, err = s.Begin(t.Context(), s.Admin, s.Admin.User, tracker.Write{}, 0)
	kit.WantFault(t, err, fault.InUse)
	_, err = s.Begin(t.Context(), s.Admin, ident.ID{15: 99}, tracker.Write{}, 0)
	kit.WantFault(t, err, fault.NotFound)
	_, err = s.Load(t.Context(), s.Admin.User)
	kit.WantFault(t, err, fault.NotFound)
	_, err = s.Administration.Users().Create(t.Context(), s.Admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("x"), Email: patch.Set("x@Erased.invalid")}})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /email")
}
