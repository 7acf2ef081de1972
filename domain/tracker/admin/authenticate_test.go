package admin

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// authenticated returns whether the service knows the token.
func authenticated(t *testing.T, s *Service, token IssuedToken) bool {
	t.Helper()
	caller, err := s.Authenticate(t.Context(), token.Secret)
	switch {
	case fault.Is(err, fault.Unauthenticated):
		return false
	case err != nil:
		t.Fatal(err)
	}
	kit.Equal(t, "caller", caller, tracker.Caller{User: token.User, Token: token.ID, Scope: token.Scope, Expires: token.Expires})
	return true
}

// D17: whatever is wrong with a token, the answer is the same.
func TestAuthenticateRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token, revoked := s.issue(t, access.Read), s.issue(t, access.Admin)
	_, err := s.RevokeToken(t.Context(), s.admin, revoked.ID, tracker.Write{})
	kit.NoError(t, err)
	var first string
	for name, secret := range map[string]access.Secret{
		"missing": {},
		"unknown": access.NewSecret([32]byte{9}),
		"revoked": revoked.Secret,
	} {
		_, err := s.Authenticate(t.Context(), secret)
		kit.WantFault(t, err, fault.Unauthenticated)
		if first == "" {
			first = err.Error()
		}
		kit.Equal(t, name, err.Error(), first)
		if strings.Contains(err.Error(), "pts_") {
			t.Errorf("%s: the error repeats the token: %v", name, err)
		}
	}
	if _, err := s.Authenticate(t.Context(), token.Secret); err != nil {
		t.Errorf("D17: a good token: %v", err)
	}
}

// D17: a token expires at its time, cached or not.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, err := s.CreateToken(t.Context(), s.admin, CreateToken{
		User: kit.Partial(kit.Object{"email": Email}), Scope: patch.Set("write"), Expires: patch.Set(kit.Noon.Add(500 * time.Millisecond)),
	})
	kit.NoError(t, err)
	kit.Equal(t, "before", authenticated(t, s.Service, a.Value), true)
	s.clock.Forward(499 * time.Millisecond)
	kit.Equal(t, "a millisecond before", authenticated(t, s.Service, a.Value), true)
	s.clock.Forward(time.Millisecond)
	kit.Equal(t, "then", authenticated(t, s.Service, a.Value), false)
}

// D17: a revocation, and the deactivation of a user, hold at once in the server
// that made them.
func TestRevocationHoldsAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.issue(t, access.Read)
	kit.Equal(t, "a new token", authenticated(t, s.Service, token), true)
	_, err := s.RevokeToken(t.Context(), s.admin, token.ID, tracker.Write{})
	kit.NoError(t, err)
	kit.Equal(t, "a revoked token", authenticated(t, s.Service, token), false)

	_, token = s.second(t, access.Read, time.Time{})
	kit.Equal(t, "another token", authenticated(t, s.Service, token), true)
	_, err = s.Users().Update(t.Context(), s.admin, token.User, UpdateObject[UserPatch]{Patch: UserPatch{Inactive: patch.Set(true)}})
	kit.NoError(t, err)
	kit.Equal(t, "the token of an inactive user", authenticated(t, s.Service, token), false)
	_, err = s.Users().Update(t.Context(), s.admin, token.User, UpdateObject[UserPatch]{Patch: UserPatch{Inactive: patch.Set(false)}})
	kit.NoError(t, err)
	kit.Equal(t, "the token of a user who is active again", authenticated(t, s.Service, token), false)
}

// A revocation of which nobody knows whether it was stored holds at once, if it
// was.
func TestRevocationOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.issue(t, access.Read)
	s = s.behind(kit.Hooked{
		OnCommit: func(next kit.CommitFunc, c store.Change) error {
			kit.NoError(t, next(c))
			return fault.New(fault.UnknownOutcome, "the connection broke")
		},
		OnOutcome: func(context.Context, ident.ID) (bool, error) { return false, fault.New(fault.Unavailable, "away") },
	})
	kit.Equal(t, "before", authenticated(t, s.Service, token), true)
	_, err := s.RevokeToken(t.Context(), s.admin, token.ID, tracker.Write{})
	kit.WantFault(t, err, fault.UnknownOutcome)
	kit.Equal(t, "after", authenticated(t, s.Service, token), false)
}

// D17: what another server revoked or issued is seen within CacheFor; until then
// the store is not asked, and then only for its versions, unless they changed.
func TestTokensAreKeptForCacheFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	counted := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: counted})
	asked := func() [2]int { return [2]int{counted.Versions, counted.Views} }

	kit.Equal(t, "first", authenticated(t, s.Service, token), true)
	kit.Equal(t, "versions and tokens asked", asked(), [2]int{1, 1})
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, tracker.Write{})
	kit.NoError(t, err)

	s.clock.Forward(time.Second - 1)
	kit.Equal(t, "just before a second has passed", authenticated(t, s.Service, token), true)
	kit.Equal(t, "versions and tokens asked", asked(), [2]int{1, 1})
	s.clock.Forward(1)
	kit.Equal(t, "after a second", authenticated(t, s.Service, token), false)
	kit.Equal(t, "versions and tokens asked", asked(), [2]int{2, 2})

	s.clock.Forward(time.Second)
	kit.Equal(t, "after another second", authenticated(t, s.Service, token), false)
	kit.Equal(t, "versions asked, not tokens", asked(), [2]int{3, 2})
	s.clock.Forward(time.Second - 1)
	kit.Equal(t, "within the next one", authenticated(t, s.Service, token), false)
	kit.Equal(t, "nothing asked", asked(), [2]int{3, 2})
}

// A token works as soon as it was made, by whichever server; one that nobody made
// costs no more than a look at the versions.
func TestUnknownTokenIsAskedFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	counted := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: counted})
	kit.Equal(t, "one that was there", authenticated(t, s.Service, other.issue(t, access.Read)), true)
	kit.Equal(t, "one made since", authenticated(t, s.Service, other.issue(t, access.Read)), true)
	views := counted.Views
	kit.Equal(t, "one that nobody made", authenticated(t, s.Service, IssuedToken{Secret: access.NewSecret([32]byte{9})}), false)
	kit.Equal(t, "views for that", counted.Views-views, 0)
}

// A flood of tokens that nobody made does not reach the store, while all tokens of
// this server work at once, and those of others after CacheFor.
func TestRecognize(t *testing.T) {
	t.Parallel()
	other := newService(t)
	known := other.issue(t, access.Read)
	counted := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: counted})
	recognized := func(token IssuedToken) bool {
		t.Helper()
		caller, err := s.Recognize(t.Context(), token.Secret)
		if err != nil {
			kit.WantFault(t, err, fault.Unauthenticated)
			return false
		}
		kit.Equal(t, "caller", caller, tracker.Caller{User: token.User, Token: token.ID, Scope: token.Scope, Expires: token.Expires})
		return true
	}
	kit.Equal(t, "one that was there", recognized(known), true)
	asked := counted.Versions
	for i := range 100 {
		kit.Equal(t, "one that nobody made", recognized(IssuedToken{Secret: access.NewSecret([32]byte{9, byte(i)})}), false)
	}
	kit.Equal(t, "known amid others", recognized(known), true)
	foreign := other.issue(t, access.Read)
	kit.Equal(t, "one that another server has just made", recognized(foreign), false)
	kit.Equal(t, "versions asked for these", counted.Versions-asked, 0)
	s.clock.Forward(time.Second)
	kit.Equal(t, "one that another server made a second ago", recognized(foreign), true)
	kit.Equal(t, "one of this server", recognized(s.issue(t, access.Read)), true)
	_, err := s.RevokeToken(t.Context(), s.admin, known.ID, tracker.Write{})
	kit.NoError(t, err)
	kit.Equal(t, "one that was revoked here", recognized(known), false)
}

// slow returns a server with the same data whose store takes a second for every
// answer about the versions, and then gives it or fails as it is told.
func (s service) slow(counted *kit.Calls, fail func() error) service {
	return s.behind(kit.Hooked{Calls: counted, OnVersions: func(ctx context.Context) error {
		select {
		case <-time.After(time.Second):
			return fail()
		case <-ctx.Done():
			return store.Ended(ctx)
		}
	}})
}

// away is the error of a store that cannot be reached.
func away() error { return fault.New(fault.Unavailable, "away") }

// Many requests that find the tokens outdated ask the store once.
func TestTokensAreAskedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counted := new(kit.Calls)
		s := newService(t).slow(counted, func() error { return nil })
		errs, took := kit.AtOnce(10, func(int) error {
			_, err := s.Authenticate(t.Context(), kit.Secret)
			return err
		})
		for _, err := range errs {
			kit.NoError(t, err)
		}
		kit.Equal(t, "time", took, time.Second)
		kit.Equal(t, "versions asked", counted.Versions, 1)
		kit.Equal(t, "views", counted.Views, 1)
	})
}

// While the store is away, nobody waits for longer than the one who asks it, and
// the next one asks again.
func TestTokensFailForAllAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counted := new(kit.Calls)
		failure := away
		s := newService(t).slow(counted, func() error { return failure() })
		authenticate := func(i int) error {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond) // not all at the same moment
			_, err := s.Authenticate(t.Context(), kit.Secret)
			return err
		}
		errs, took := kit.AtOnce(12, authenticate)
		for _, err := range errs {
			kit.WantFault(t, err, fault.Unavailable)
		}
		kit.Equal(t, "time", took, time.Second)
		kit.Equal(t, "versions asked", counted.Versions, 1)

		failure = func() error { return nil }
		errs, took = kit.AtOnce(1, authenticate)
		kit.NoError(t, errs[0])
		kit.Equal(t, "time once it is back", took, time.Second)
	})
}

// A store that does not answer at all is given up before the request is.
func TestSilentStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t).behind(kit.Hooked{OnVersions: func(ctx context.Context) error {
			<-ctx.Done()
			return store.Ended(ctx)
		}})
		errs, took := kit.AtOnce(3, func(int) error {
			_, err := s.Authenticate(t.Context(), kit.Secret)
			return err
		})
		for _, err := range errs {
			kit.WantFault(t, err, fault.Unavailable)
		}
		kit.Equal(t, "time", took, 5*time.Second)
	})
}

// Requests with tokens that nobody made share an answer that was asked for since
// they came, and do not keep those with good ones waiting.
func TestUnknownTokensAreAskedForTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counted := new(kit.Calls)
		s := newService(t).slow(counted, func() error { return nil })
		_, err := s.Authenticate(t.Context(), kit.Secret)
		kit.NoError(t, err)
		asked := counted.Versions
		unknown := access.NewSecret([32]byte{9})
		errs, took := kit.AtOnce(20, func(i int) error {
			if i == 19 {
				_, err := s.Authenticate(t.Context(), kit.Secret)
				return err
			}
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			s.clock.Forward(10 * time.Millisecond)
			_, err := s.Authenticate(t.Context(), unknown)
			return err
		})
		for _, err := range errs[:19] {
			kit.WantFault(t, err, fault.Unauthenticated)
		}
		kit.NoError(t, errs[19])
		// Those who came while the first was asking wait for a second answer.
		kit.Equal(t, "time", took, 2*time.Second)
		kit.Equal(t, "versions asked", counted.Versions-asked, 2)
	})
}

// Whoever asks the store asks for all: that his own request ends is nothing to the
// others.
func TestTokensAreAskedForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counted := new(kit.Calls)
		s := newService(t).slow(counted, func() error { return nil })
		errs, took := kit.AtOnce(3, func(i int) error {
			ctx := t.Context()
			if i == 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
				defer cancel()
			} else {
				time.Sleep(50 * time.Millisecond) // after the first
			}
			began := time.Now()
			_, err := s.Authenticate(ctx, kit.Secret)
			if i == 0 {
				kit.Equal(t, "time of the one who gives up", time.Since(began), 100*time.Millisecond)
			}
			return err
		})
		kit.WantFault(t, errs[0], fault.Unavailable)
		kit.NoError(t, errs[1])
		kit.NoError(t, errs[2])
		kit.Equal(t, "time", took, time.Second)
		kit.Equal(t, "versions asked", counted.Versions, 1)
	})
}

// A revocation holds at once, also for requests that come while the tokens are
// being asked for.
func TestRevocationWhileTokensAreAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		other := newService(t)
		token := other.issue(t, access.Read)
		s := other.slow(new(kit.Calls), func() error { return nil })
		errs, _ := kit.AtOnce(2, func(i int) error {
			if i == 1 {
				time.Sleep(500 * time.Millisecond) // while the first is asking
				if _, err := s.RevokeToken(t.Context(), s.admin, token.ID, tracker.Write{}); err != nil {
					return err
				}
			}
			_, err := s.Authenticate(t.Context(), token.Secret)
			return err
		})
		kit.WantFault(t, errs[1], fault.Unauthenticated)
	})
}

// A clock that steps back does not keep tokens for longer.
func TestTokensWhenClockStepsBack(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	s := newServer(other.memory, other.clock)
	kit.Equal(t, "before", authenticated(t, s.Service, token), true)
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, tracker.Write{})
	kit.NoError(t, err)
	other.clock.Forward(-time.Hour)
	kit.Equal(t, "an hour earlier", authenticated(t, s.Service, token), false)
}

// D17: CacheFor is the operator's to set.
func TestCacheFor(t *testing.T) {
	t.Parallel()
	other := newService(t)
	token := other.issue(t, access.Read)
	s := New(tracker.New(tracker.Options{Store: other.memory, Now: other.clock.Now, CacheFor: time.Minute}).Core(core.Insider{}))
	kit.Equal(t, "before", authenticated(t, s, token), true)
	_, err := other.RevokeToken(t.Context(), other.admin, token.ID, tracker.Write{})
	kit.NoError(t, err)
	other.clock.Forward(time.Minute - 1)
	kit.Equal(t, "just before a minute has passed", authenticated(t, s, token), true)
	other.clock.Forward(1)
	kit.Equal(t, "after a minute", authenticated(t, s, token), false)
}

// Nobody is let in on the word of a store that does not answer.
func TestAuthenticateWithoutStore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.clock.Forward(time.Hour)
	_, err := s.Authenticate(ctx, kit.Secret)
	kit.WantFault(t, err, fault.Unavailable)
}

// A catalogue that another server changed is never shown at its old version: the
// snapshot names the new one.
func TestCatalogueIsNeverBehind(t *testing.T) {
	t.Parallel()
	other := newService(t)
	s := newServer(other.memory, other.clock)
	id := other.create(t, "T")
	for _, name := range []string{"Root", "Boss", "Chief"} {
		_, err := other.Users().Update(t.Context(), other.admin, other.admin.User, UpdateObject[UserPatch]{Patch: UserPatch{Name: patch.Set(name)}})
		kit.NoError(t, err)
		a, err := s.As(other.admin).Problem(t.Context(), id, 0)
		kit.NoError(t, err)
		kit.Equal(t, "originator", a.Catalogue.Name(metadata.Users, a.Value.Originator), name)
		u, err := s.Users().Load(t.Context(), other.admin.User)
		kit.NoError(t, err)
		kit.Equal(t, "user", u.Value.Name, name)
	}
}
