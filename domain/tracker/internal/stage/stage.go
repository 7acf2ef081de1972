// Package stage is for the tests of the use cases outside of the tracker's own package.
package stage

import (
	"io"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/webhook"
)

// Stage is a tracker on a store in memory that was seeded, with its administrator.
type Stage struct {
	Tracker        *tracker.Service
	Administration *admin.Service
	Memory         *kit.Memory
	Clock          *kit.Clock
	Admin          tracker.Caller
	random         io.Reader
}

// New returns a Stage. Its identifiers and secrets are from random.
func New(t testing.TB, random io.Reader) Stage {
	t.Helper()
	s := Stage{Memory: kit.NewMemory(), Clock: kit.NewClock(), random: random}
	s.Tracker = s.Server(s.Memory, Key)
	s.Administration = admin.New(s.Tracker.Core(core.Insider{}))
	_, err := s.Administration.Seed(t.Context(), kit.Secret)
	if err == nil {
		s.Admin, err = s.Administration.Authenticate(t.Context(), kit.Secret)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Server returns a tracker like that of another server, with a key. nil: it has none.
func (s Stage) Server(on store.Store, key func() (webhook.Key, error)) *tracker.Service {
	return tracker.New(tracker.Options{Store: on, Now: s.Clock.Now, Random: s.random, Limits: tracker.DefaultLimits(), WebhookKey: key})
}

// Key returns kit.Key.
func Key() (webhook.Key, error) { return kit.Key, nil }

// Problem creates a problem and returns its number.
func (s Stage) Problem(t testing.TB, title string) problem.ID {
	t.Helper()
	a, err := s.Tracker.CreateProblem(t.Context(), s.Admin, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value.ID
}

// Member creates a user with a token and returns both.
func (s Stage) Member(t *testing.T, name string, scope access.Scope) (tracker.Caller, access.Secret) {
	t.Helper()
	u, err := s.Administration.Users().Create(t.Context(), s.Admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := s.Administration.CreateToken(t.Context(), s.Admin, admin.CreateToken{User: patch.Set(kit.Identified(u.Value.ID)), Scope: patch.Set(string(scope))})
	if err != nil {
		t.Fatal(err)
	}
	return tracker.Caller{User: u.Value.ID, Token: issued.Value.ID, Scope: scope}, issued.Value.Secret
}
