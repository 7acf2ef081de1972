package admin

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// inactive is the command that deactivates a user.
func inactive(w tracker.Write) UpdateObject[UserPatch] {
	return UpdateObject[UserPatch]{Write: w, Patch: UserPatch{Inactive: patch.Set(true)}}
}

// second makes another user with a token of the given scope and expiry.
func (s service) second(t *testing.T, scope access.Scope, expires time.Time) (ident.ID, IssuedToken) {
	t.Helper()
	u, err := s.Users().Create(t.Context(), s.admin, CreateObject[UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
	kit.NoError(t, err)
	cmd := CreateToken{User: kit.Named("Bob"), Scope: patch.Set(string(scope))}
	if !expires.IsZero() {
		cmd.Expires = patch.Set(expires)
	}
	a, err := s.CreateToken(t.Context(), s.admin, cmd)
	kit.NoError(t, err)
	return u.Value.ID, a.Value
}

// Whatever would leave no valid token of scope admin is refused, in a dry run too, and
// changes nothing. Those who work on the store itself may do it.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		others  func(*testing.T, service)
		refused bool
	}{
		{"no other token", func(*testing.T, service) {}, true},
		{"another user's token of scope write", func(t *testing.T, s service) { s.second(t, access.Write, time.Time{}) }, true},
		{"another user's token of scope admin", func(t *testing.T, s service) { s.second(t, access.Admin, time.Time{}) }, false},
		{"one that has expired", func(t *testing.T, s service) {
			s.second(t, access.Admin, s.clock.Now().Add(time.Minute))
			s.clock.Forward(time.Minute)
		}, true},
		{"one that is revoked", func(t *testing.T, s service) {
			_, token := s.second(t, access.Admin, time.Time{})
			_, err := s.RevokeToken(t.Context(), s.admin, token.ID, tracker.Write{})
			kit.NoError(t, err)
		}, true},
		{"one of a user who is inactive", func(t *testing.T, s service) {
			bob, _ := s.second(t, access.Admin, time.Time{})
			_, err := s.Users().Update(t.Context(), s.admin, bob, inactive(tracker.Write{}))
			kit.NoError(t, err)
		}, true},
	} {
		for how, do := range map[string]func(service, *testing.T, tracker.Write) error{
			"revoke": func(s service, t *testing.T, w tracker.Write) error {
				_, err := s.RevokeToken(t.Context(), s.admin, s.admin.Token, w)
				return err
			},
			"deactivate": func(s service, t *testing.T, w tracker.Write) error {
				_, err := s.Users().Update(t.Context(), s.admin, s.admin.User, inactive(w))
				return err
			},
		} {
			t.Run(how+": "+c.rule, func(t *testing.T) {
				t.Parallel()
				s := newService(t)
				c.others(t, s)
				before := s.tokens(t)
				if c.refused {
					for _, w := range []tracker.Write{{}, {DryRun: true}} {
						kit.WantFault(t, do(s, t, w), fault.InUse)
					}
					kit.Equal(t, "tokens", s.tokens(t), before)
					kit.NoError(t, do(s, t, tracker.Write{LastAdmin: true}))
				} else {
					kit.NoError(t, do(s, t, tracker.Write{}))
				}
				_, err := s.Authenticate(t.Context(), kit.Secret)
				kit.WantFault(t, err, fault.Unauthenticated)
			})
		}
	}
}

// Once nobody can administer the service, nothing is left to be protected.
func TestLastAdministratorIsGone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	reader := s.issue(t, access.Read)
	_, err := s.RevokeToken(t.Context(), s.admin, s.admin.Token, tracker.Write{LastAdmin: true})
	kit.NoError(t, err)
	_, err = s.RevokeToken(t.Context(), s.admin, reader.ID, tracker.Write{})
	kit.NoError(t, err)
	_, err = s.Users().Update(t.Context(), s.admin, s.admin.User, inactive(tracker.Write{}))
	kit.NoError(t, err)
}

// A user can give up all tokens but one, and deactivate anybody else.
func TestLastAdministratorKeepsOneToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.issue(t, access.Admin)
	_, err := s.RevokeToken(t.Context(), s.admin, s.admin.Token, tracker.Write{})
	kit.NoError(t, err)
	_, err = s.RevokeToken(t.Context(), s.admin, other.ID, tracker.Write{})
	kit.WantFault(t, err, fault.InUse)
	bob, _ := s.second(t, access.Write, time.Time{})
	_, err = s.Users().Update(t.Context(), s.admin, bob, inactive(tracker.Write{}))
	kit.NoError(t, err)
}

// Of two administrators who lock each other out through two servers at the same time,
// one is refused, whichever way they do it.
func TestAdministratorsLockEachOtherOut(t *testing.T) {
	t.Parallel()
	type how func(t *testing.T, s *Service, by tracker.Caller, user, token ident.ID) error
	revoke := func(t *testing.T, s *Service, by tracker.Caller, _, token ident.ID) error {
		_, err := s.RevokeToken(t.Context(), by, token, tracker.Write{})
		return err
	}
	deactivate := func(t *testing.T, s *Service, by tracker.Caller, user, _ ident.ID) error {
		_, err := s.Users().Update(t.Context(), by, user, inactive(tracker.Write{}))
		return err
	}
	for name, ways := range map[string][2]how{
		"both revoke":                {revoke, revoke},
		"both deactivate":            {deactivate, deactivate},
		"one revokes, is overtaken":  {revoke, deactivate},
		"one deactivates, overtaken": {deactivate, revoke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := newService(t)
			bob, token := other.second(t, access.Admin, time.Time{})
			byBob := tracker.Caller{User: bob, Token: token.ID, Scope: access.Admin}
			s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
				kit.NoError(t, ways[1](t, other.Service, byBob, other.admin.User, other.admin.Token))
			})})
			kit.WantFault(t, ways[0](t, s.Service, s.admin, bob, token.ID), fault.InUse)
			_, err := other.Authenticate(t.Context(), token.Secret)
			kit.NoError(t, err)
		})
	}
}
