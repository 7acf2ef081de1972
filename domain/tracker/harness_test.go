package tracker

import (
	"crypto/rand"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/webhook"
)

// NewServer returns a service like that of one server process.
func newServer(s store.Store, c *kit.Clock) *Service {
	return New(Options{Store: s, Now: c.Now, Random: rand.Reader, Limits: DefaultLimits()})
}

type administration = admin.Service

// service is a service on a store in memory that was seeded, as the administrator
// uses it.
type service struct {
	*Service
	*administration
	memory *kit.Memory
	clock  *kit.Clock
	admin  Caller
}

func newService(t testing.TB) service {
	t.Helper()
	s := service{memory: kit.NewMemory(), clock: kit.NewClock()}
	s.use(newServer(s.memory, s.clock))
	s.admin = seeded(t, s.Service)
	return s
}

// seeded fills the empty store of a server, and returns the administrator.
func seeded(t testing.TB, server *Service) Caller {
	t.Helper()
	office := admin.New(server.Core(core.Insider{}))
	_, err := office.Seed(t.Context(), kit.Secret)
	kit.NoError(t, err)
	caller, err := office.Authenticate(t.Context(), kit.Secret)
	kit.NoError(t, err)
	return caller
}

// use lets s be the use cases of another server.
func (s *service) use(server *Service) {
	s.Service, s.administration = server, admin.New(server.Core(core.Insider{}))
}

// newHookService is newService with a key for webhooks.
func newHookService(t *testing.T) service {
	t.Helper()
	s := newService(t)
	s.use(newHookServer(s))
	return s
}

// newHookServer returns a server on the store of s, with a key for webhooks.
func newHookServer(s service) *Service {
	return New(Options{
		Store: s.memory, Now: s.clock.Now, Random: rand.Reader, Limits: DefaultLimits(),
		WebhookKey: func() (webhook.Key, error) { return kit.Key, nil },
	})
}

// behind returns the same service with hooks before its store.
func (s service) behind(h kit.Hooked) service {
	h.Store = s.memory
	s.use(newServer(&h, s.clock))
	return s
}

// create creates a problem and returns its number.
func (s service) create(t testing.TB, title string) problem.ID {
	t.Helper()
	a, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled(title)})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value.ID
}

// load returns a problem with all its parts.
func (s service) load(t *testing.T, id problem.ID) snapshot.Snapshot {
	t.Helper()
	a, err := s.As(s.admin).Problem(t.Context(), id, ^snapshot.Parts(0))
	if err != nil {
		t.Fatal(err)
	}
	return a.Value
}

// issue creates a token for the administrator.
func (s service) issue(t *testing.T, scope access.Scope) admin.IssuedToken {
	t.Helper()
	a, err := s.CreateToken(t.Context(), s.admin, admin.CreateToken{
		User:  kit.Partial(kit.Object{"identifier": s.admin.User.String()}),
		Scope: patch.Set(string(scope)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value
}

// member creates a user with a token and returns both.
func (s service) member(t *testing.T, name string, scope access.Scope) (Caller, access.Secret) {
	t.Helper()
	u, err := s.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := s.CreateToken(t.Context(), s.admin, admin.CreateToken{User: patch.Set(kit.Identified(u.Value.ID)), Scope: patch.Set(string(scope))})
	if err != nil {
		t.Fatal(err)
	}
	return Caller{User: u.Value.ID, Token: issued.Value.ID, Scope: scope}, issued.Value.Secret
}

// knows returns whether the server knows the token.
func (s service) knows(t *testing.T, token admin.IssuedToken) bool {
	t.Helper()
	_, err := s.Authenticate(t.Context(), token.Secret)
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		t.Fatal(err)
	}
	return err == nil
}
