package sessions

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

func (s service) setInactive(t *testing.T, id ident.ID, inactive bool) {
	t.Helper()
	_, err := s.Administration.Users().Update(t.Context(), s.Admin, id, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(inactive)}})
	kit.NoError(t, err)
}

// D41: a deactivation ends a session for good, as it does with a token.
func TestSessionStaysEndedAfterReactivation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, secret := s.Member(t, "Ann", access.Write)
	byToken, _ := s.signIn(t, secret)
	byName, err := s.SignInUser(t.Context(), ann.User, access.Write, "")
	kit.NoError(t, err)
	bob, _ := s.Member(t, "Bob", access.Write)
	other, err := s.SignInUser(t.Context(), bob.User, access.Write, "")
	kit.NoError(t, err)

	s.setInactive(t, ann.User, true)
	s.setInactive(t, ann.User, false)
	s.refuses(t, byToken.Key)
	s.refuses(t, byName.Key)
	_, err = s.Recognize(t.Context(), other.Key)
	kit.NoError(t, err)
	again, err := s.SignInUser(t.Context(), ann.User, access.Write, "")
	kit.NoError(t, err)
	_, err = s.Recognize(t.Context(), again.Key)
	kit.NoError(t, err)
}

// overtaken does something else between the decision about a Change and its first Commit.
type overtaken struct {
	store.Store
	first func()
}

func (d *overtaken) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	if first := d.first; first != nil {
		d.first = nil
		first()
	}
	return d.Store.Commit(ctx, change)
}

// A sign-in can overtake a deactivation, and leave a session behind. A reactivation does
// not revive it.
func TestDeactivationOvertakenBySignIn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.Member(t, "Ann", access.Write)
	var signed SignedIn
	slow := s.server(&overtaken{s.Memory, func() {
		var err error
		signed, err = s.SignInUser(t.Context(), ann.User, access.Write, "")
		kit.NoError(t, err)
	}})
	slow.setInactive(t, ann.User, true)
	s.refuses(t, signed.Key)
	s.setInactive(t, ann.User, false)
	s.refuses(t, signed.Key)
}

// A sign-in that a deactivation overtakes is refused, or the session would begin to work
// with a reactivation.
func TestSignInOvertakenByDeactivation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.Member(t, "Ann", access.Write)
	slow := s.server(&overtaken{s.Memory, func() { s.setInactive(t, ann.User, true) }})
	if _, err := slow.SignInUser(t.Context(), ann.User, access.Write, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("the sign-in ends with %v, want a refusal", err)
	}
}

// A session works at once on a server that has not yet heard of its new token.
func TestSessionOfNewTokenOnAnotherServer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	old, secret := s.Member(t, "Ann", access.Write)
	other := s.server(s.Memory)
	_, err := other.Administration.Authenticate(t.Context(), secret) // the other server now has the tokens
	kit.NoError(t, err)

	issued, err := s.Administration.CreateToken(t.Context(), s.Admin, admin.CreateToken{User: patch.Set(kit.Identified(old.User)), Scope: patch.Set("read")})
	kit.NoError(t, err)
	signed, want := s.signIn(t, issued.Value.Secret)
	caller, err := other.Recognize(t.Context(), signed.Key)
	kit.NoError(t, err)
	kit.Equal(t, "caller", caller, want)
}

// The list has exactly the sessions that work.
func TestSessionsOfRevokedTokens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, secret := s.Member(t, "Ann", access.Write)
	s.signIn(t, secret)
	kept, err := s.SignInUser(t.Context(), ann.User, access.Write, "")
	kit.NoError(t, err)
	_, err = s.Administration.RevokeToken(t.Context(), s.Admin, ann.Token, tracker.Write{})
	kit.NoError(t, err)
	list, err := s.Own(t.Context(), tracker.Caller{User: ann.User, Scope: access.Write, Session: kept.Session.ID})
	kit.NoError(t, err)
	kit.Equal(t, "sessions", list.Value, []access.Session{kept.Session})
}

// A caller has no more rights than both the session and its token.
func TestSessionHasTheSmallerScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ session, token, want access.Scope }{
		{access.Admin, access.Read, access.Read},
		{access.Read, access.Admin, access.Read},
		{access.Write, access.Write, access.Write},
	} {
		t.Run(fmt.Sprint(c.session, " of ", c.token), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			ann, _ := s.Member(t, "Ann", c.token)
			key := access.NewSessionKey([32]byte{1})
			at := s.Clock.Now()
			_, err := s.Memory.Commit(t.Context(), store.Change{Batch: kit.ID(40), At: at, Effects: []store.Effect{store.PutSession{Session: access.Session{
				ID: kit.ID(41), User: ann.User, Token: ann.Token, Scope: c.session, Digest: key.Digest(), Created: at, Expires: at.Add(time.Hour),
			}}}})
			kit.NoError(t, err)
			caller, err := s.Recognize(t.Context(), key)
			kit.NoError(t, err)
			kit.Equal(t, "scope", caller.Scope, c.want)
		})
	}
}

// counting counts the reads and the Changes of a store, and the effects of each Change.
type counting struct {
	store.Store
	views   int
	effects []int
}

func (c *counting) View(ctx context.Context, fn func(store.Reader) error) error {
	c.views++
	return c.Store.View(ctx, fn)
}

func (c *counting) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	c.effects = append(c.effects, len(change.Effects))
	return c.Store.Commit(ctx, change)
}

// However many sessions have expired, one Change forgets a bounded number, and all are read
// but once.
func TestSessionsAreForgottenInPortions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	at := s.Clock.Now()
	const expired = 2*forgottenAtOnce + 1
	change := store.Change{Batch: kit.ID(40), At: at}
	for i := range expired + 1 {
		key := access.NewSessionKey([32]byte{1, byte(i), byte(i >> 8)})
		session := access.Session{ID: ident.ID{1, byte(i), byte(i >> 8)}, User: s.Admin.User, Scope: access.Read, Digest: key.Digest(), Created: at, Expires: at}
		if i == expired {
			session.Expires = at.Add(time.Hour)
		}
		change.Effects = append(change.Effects, store.PutSession{Session: session})
	}
	_, err := s.Memory.Commit(t.Context(), change)
	kit.NoError(t, err)

	counted := &counting{Store: s.Memory}
	kit.NoError(t, s.server(counted).Housekeep(t.Context()))
	kit.Equal(t, "effects of the Changes", counted.effects, []int{forgottenAtOnce, forgottenAtOnce, 1})
	kit.Equal(t, "reads", counted.views, 1)
	list, err := s.Own(t.Context(), s.Admin)
	kit.NoError(t, err)
	kit.Equal(t, "sessions left", len(list.Value), 1)
}
