package tracker

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
)

// authenticated returns whether the service knows the token.
func authenticated(t *testing.T, s *Service, token IssuedToken) bool {
	t.Helper()
	caller, err := s.Authenticate(t.Context(), token.Secret.Reveal())
	switch {
	case fault.Is(err, fault.Unauthenticated):
		return false
	case err != nil:
		t.Fatal(err)
	}
	equal(t, "caller", caller, Caller{User: token.User, Token: token.ID, Scope: token.Scope, Expires: token.Expires})
	return true
}

// D17: whatever is wrong with a token, the answer is the same.
func TestAuthenticateRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token, revoked := s.issue(t, access.Read), s.issue(t, access.Admin)
	_, err := s.RevokeToken(t.Context(), s.admin, revoked.ID, Write{})
	noError(t, err)
	good := token.Secret.Reveal()
	var first string
	for name, header := range map[string]string{
		"missing":                         "",
		"of another scheme":               "Basic " + good,
		"cut short":                       good[:len(good)-1],
		"too long":                        good + "0",
		"with a wrong checksum":           access.NewSecret([32]byte{9}).Reveal()[:47] + good[47:],
		"unknown":                         access.NewSecret([32]byte{9}).Reveal(),
		"revoked":                         revoked.Secret.Reveal(),
		"twice":                           good + " " + good,
		"of a scheme that is no such one": "Bearer Bearer " + good,
	} {
		_, err := s.Authenticate(t.Context(), header)
		wantFault(t, err, fault.Unauthenticated)
		if first == "" {
			first = err.Error()
		}
		equal(t, name, err.Error(), first)
		if strings.Contains(err.Error(), "pts_") {
			t.Errorf("%s: the error repeats the token: %v", name, err)
		}
	}
	for _, scheme := range []string{"", "Bearer ", "bearer ", "Token ", "Ship "} {
		if _, err := s.Authenticate(t.Context(), scheme+good); err != nil {
			t.Errorf("D17: a token after %q: %v", scheme, err)
		}
	}
}

// D17: a token expires at its time, cached or not.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, err := s.CreateToken(t.Context(), s.admin, CreateToken{
		User: partial(object{"email": AdminEmail}), Scope: patch.Set("write"), Expires: patch.Set(noon.Add(500 * time.Millisecond)),
	})
	noError(t, err)
	equal(t, "before", authenticated(t, s.Service, a.Value), true)
	s.clock.forward(499 * time.Millisecond)
	equal(t, "a millisecond before", authenticated(t, s.Service, a.Value), true)
	s.clock.forward(time.Millisecond)
	equal(t, "then", authenticated(t, s.Service, a.Value), false)
}

// D17: a revocation, and the deactivation of a user, hold at once in the server
// that made them.
func TestRevocationHoldsAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.issue(t, access.Read)
	equal(t, "a new token", authenticated(t, s.Service, token), true)
	_, err := s.RevokeToken(t.Context(), s.admin, token.ID, Write{})
	noError(t, err)
	equal(t, "a revoked token", authenticated(t, s.Service, token), false)

	token = s.issue(t, access.Read)
	equal(t, "another token", authenticated(t, s.Service, token), true)
	_, err = s.UpdateUser(t.Context(), s.admin, token.User, UpdateUser{UserPatch: UserPatch{Inactive: patch.Set(true)}})
	noError(t, err)
	equal(t, "the token of an inactive user", authenticated(t, s.Service, token), false)
	_, err = s.UpdateUser(t.Context(), s.admin, token.User, UpdateUser{UserPatch: UserPatch{Inactive: patch.Set(false)}})
	noError(t, err)
	equal(t, "the token of a user who is active again", authenticated(t, s.Service, token), false)
}

// A revocation of which nobody knows whether it was stored holds at once, if it
// was.
func TestRevocationOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.issue(t, access.Read)
	s = s.behind(hooked{
		commit: func(next commitFunc, c store.Change) error {
			noError(t, next(c))
			return fault.New(fault.UnknownOutcome, "the connection broke")
		},
		outcome: func(context.Context, ident.ID) (bool, error) { return false, fault.New(fault.Unavailable, "away") },
	})
	equal(t, "before", authenticated(t, s.Service, token), true)
	_, err := s.RevokeToken(t.Context(), s.admin, token.ID, Write{})
	wantFault(t, err, fault.Unavailable)
	equal(t, "after", authenticated(t, s.Service, token), false)
}

// D17: what another server revoked or issued is seen within CacheFor; until then
// the store is not asked, and then only for its versions, unless they changed.
func TestTokensAreKeptForCacheFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	counted := new(calls)
	s := other.behind(hooked{calls: counted})
	asked := func() [2]int { return [2]int{counted.versions, counted.views} }

	equal(t, "first", authenticated(t, s.Service, token), true)
	equal(t, "versions and tokens asked", asked(), [2]int{1, 1})
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, Write{})
	noError(t, err)

	s.clock.forward(time.Second - 1)
	equal(t, "just before a second has passed", authenticated(t, s.Service, token), true)
	equal(t, "versions and tokens asked", asked(), [2]int{1, 1})
	s.clock.forward(1)
	equal(t, "after a second", authenticated(t, s.Service, token), false)
	equal(t, "versions and tokens asked", asked(), [2]int{2, 2})

	s.clock.forward(time.Second)
	equal(t, "after another second", authenticated(t, s.Service, token), false)
	equal(t, "versions asked, not tokens", asked(), [2]int{3, 2})
	s.clock.forward(time.Second - 1)
	equal(t, "within the next one", authenticated(t, s.Service, token), false)
	equal(t, "nothing asked", asked(), [2]int{3, 2})
}

// A token works as soon as it was made, by whichever server; one that nobody made
// costs no more than a look at the versions.
func TestUnknownTokenIsAskedFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	counted := new(calls)
	s := other.behind(hooked{calls: counted})
	equal(t, "one that was there", authenticated(t, s.Service, other.issue(t, access.Read)), true)
	equal(t, "one made since", authenticated(t, s.Service, other.issue(t, access.Read)), true)
	views := counted.views
	equal(t, "one that nobody made", authenticated(t, s.Service, IssuedToken{Secret: access.NewSecret([32]byte{9})}), false)
	equal(t, "views for that", counted.views-views, 0)
}

// Many requests that find the tokens outdated ask the store once.
func TestTokensAreAskedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		counted := new(calls)
		s = s.behind(hooked{calls: counted})
		leave, err := s.queue.enter(t.Context(), slot{kind: slotAccess})
		noError(t, err)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := s.Authenticate(t.Context(), testSecret.Reveal()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		leave()
		all.Wait()
		equal(t, "versions asked", counted.versions, 1)
		equal(t, "views", counted.views, 1)
	})
}

// A clock that steps back does not keep tokens for longer.
func TestTokensWhenClockStepsBack(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	s := newServer(other.memory, other.clock)
	equal(t, "before", authenticated(t, s, token), true)
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, Write{})
	noError(t, err)
	other.clock.forward(-time.Hour)
	equal(t, "an hour earlier", authenticated(t, s, token), false)
}

// D17: CacheFor is the operator's to set.
func TestCacheFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	s := New(Options{Store: other.memory, Now: other.clock.now, CacheFor: time.Minute})
	equal(t, "before", authenticated(t, s, token), true)
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, Write{})
	noError(t, err)
	other.clock.forward(time.Minute - 1)
	equal(t, "just before a minute has passed", authenticated(t, s, token), true)
	other.clock.forward(1)
	equal(t, "after a minute", authenticated(t, s, token), false)
}

// Nobody is let in on the word of a store that does not answer.
func TestAuthenticateWithoutStore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.clock.forward(time.Hour)
	_, err := s.Authenticate(ctx, testSecret.Reveal())
	wantFault(t, err, fault.Unavailable)
}

// catalogues is a reader with nothing but a catalogue of the given version.
type catalogues struct {
	store.Reader
	version int64
	loaded  *int
}

func (c catalogues) Catalogue(context.Context) (*metadata.Catalogue, error) {
	*c.loaded++
	return metadata.NewCatalogue(c.version, metadata.Content{}), nil
}

// A reader gets the catalogue of its own moment, and the cache keeps the newest:
// a view that began earlier may end later.
func TestCatalogueNeverGoesBack(t *testing.T) {
	t.Parallel()
	var c cache
	loaded := 0
	for _, step := range []struct {
		rule         string
		version      int64
		kept, loaded int64
	}{
		{"the first is loaded", 2, 2, 1},
		{"the same is not loaded again", 2, 2, 1},
		{"a newer one takes its place", 3, 3, 2},
		{"an older one is loaded, but not kept", 2, 3, 3},
		{"the newer one is still there", 3, 3, 3},
	} {
		got, err := c.catalogueAt(t.Context(), catalogues{version: step.version, loaded: &loaded}, step.version)
		noError(t, err)
		equal(t, step.rule, [3]int64{got.Version, c.catalogue.Load().Version, int64(loaded)}, [3]int64{step.version, step.kept, step.loaded})
	}
}

// A catalogue that another server changed is never shown at its old version: the
// snapshot names the new one.
func TestCatalogueIsNeverBehind(t *testing.T) {
	t.Parallel()
	other := newService(t)
	s := newServer(other.memory, other.clock)
	id := other.create(t, "T")
	for _, name := range []string{"Root", "Boss", "Chief"} {
		_, err := other.UpdateUser(t.Context(), other.admin, other.admin.User, UpdateUser{UserPatch: UserPatch{Name: patch.Set(name)}})
		noError(t, err)
		a, err := s.LoadProblem(t.Context(), other.admin, id, 0)
		noError(t, err)
		equal(t, "originator", a.Catalogue.Name(metadata.Users, a.Value.Originator), name)
		u, err := s.User(t.Context(), other.admin.User)
		noError(t, err)
		equal(t, "user", u.Value.Name, name)
	}
}
