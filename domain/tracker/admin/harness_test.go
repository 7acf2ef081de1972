package admin

import (
	"crypto/rand"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

type problems = tracker.Service

// service is the use cases on a store in memory that was seeded, as the administrator uses them.
type service struct {
	*Service
	*problems
	memory *kit.Memory
	clock  *kit.Clock
	admin  tracker.Caller
}

// newServer returns the use cases of one server process.
func newServer(s store.Store, c *kit.Clock) service {
	return limited(s, c, tracker.DefaultLimits())
}

func limited(s store.Store, c *kit.Clock, limits tracker.Limits) service {
	server := tracker.New(tracker.Options{Store: s, Now: c.Now, Random: rand.Reader, Limits: limits})
	return service{Service: New(server.Core(core.Insider{})), problems: server, clock: c}
}

func newService(t testing.TB) service {
	t.Helper()
	memory := kit.NewMemory()
	s := newServer(memory, kit.NewClock())
	s.memory = memory
	_, err := s.Seed(t.Context(), kit.Secret)
	kit.NoError(t, err)
	s.admin, err = s.Authenticate(t.Context(), kit.Secret)
	kit.NoError(t, err)
	return s
}

// behind returns the same service with hooks before its store.
func (s service) behind(h kit.Hooked) service {
	h.Store = s.memory
	hooked := newServer(&h, s.clock)
	s.Service, s.problems = hooked.Service, hooked.problems
	return s
}

// by is a caller that may do everything the service decides about.
func by(who ident.ID) tracker.Caller { return tracker.Caller{User: who, Scope: access.Admin} }

// create creates a problem and returns its number.
func (s service) create(t testing.TB, title string) problem.ID {
	t.Helper()
	a, err := s.CreateProblem(t.Context(), s.admin, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}})
	kit.NoError(t, err)
	return a.Value.ID
}

// issue creates a token for the administrator.
func (s service) issue(t *testing.T, scope access.Scope) IssuedToken {
	t.Helper()
	a, err := s.CreateToken(t.Context(), s.admin, CreateToken{User: patch.Set(kit.Identified(s.admin.User)), Scope: patch.Set(string(scope))})
	kit.NoError(t, err)
	return a.Value
}

func (s service) tokens(t *testing.T) []access.Token {
	t.Helper()
	a, err := s.Tokens(t.Context())
	kit.NoError(t, err)
	return a.Value
}

// member creates a user with a token and returns the caller with it.
func (s service) member(t *testing.T, name string, scope access.Scope) tracker.Caller {
	t.Helper()
	u, err := s.Users().Create(t.Context(), s.admin, CreateObject[UserPatch]{Patch: kit.Person(name, name+"@example.org")})
	kit.NoError(t, err)
	a, err := s.CreateToken(t.Context(), s.admin, CreateToken{User: patch.Set(kit.Identified(u.Value.ID)), Scope: patch.Set(string(scope))})
	kit.NoError(t, err)
	return tracker.Caller{User: u.Value.ID, Token: a.Value.ID, Scope: scope}
}

// load returns a problem.
func (s service) load(t *testing.T, id problem.ID) snapshot.Snapshot {
	t.Helper()
	a, err := s.As(s.admin).Problem(t.Context(), id, 0)
	kit.NoError(t, err)
	return a.Value
}
