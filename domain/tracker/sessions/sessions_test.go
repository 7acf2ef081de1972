package sessions

import (
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/stage"
	"github.com/problemtracking/problems/domain/user"
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

// server returns what another server does on a store.
func (s service) server(on store.Store) service {
	s.Tracker = s.Server(on, nil)
	s.Service = New(s.Tracker.Core(core.Insider{}))
	return s
}

func (s service) signIn(t *testing.T, secret access.Secret) (SignedIn, tracker.Caller) {
	t.Helper()
	signed, err := s.SignIn(t.Context(), secret, "Browser 1.0")
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.Recognize(t.Context(), signed.Key)
	if err != nil {
		t.Fatal(err)
	}
	return signed, caller
}

func (s service) refuses(t *testing.T, key access.SessionKey) {
	t.Helper()
	if caller, err := s.Recognize(t.Context(), key); !fault.Is(err, fault.Unauthenticated) || caller != (tracker.Caller{}) {
		t.Errorf("the session is of %+v (%v), want a refusal", caller, err)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, secret := s.Member(t, "Ann", access.Write)
	before := s.Memory.Current().Versions
	signed, caller := s.signIn(t, secret)
	want := tracker.Caller{User: ann.User, Token: ann.Token, Scope: access.Write, Expires: signed.Session.Expires, Session: signed.Session.ID}
	kit.Equal(t, "caller", caller, want)
	kit.Equal(t, "expiry", signed.Session.Expires, signed.Session.Created.Add(sessionLife))
	kit.Equal(t, "agent", signed.Session.Agent, "Browser 1.0")
	kit.Equal(t, "versions: neither tokens nor metadata change", s.Memory.Current().Versions, before)
	if _, err := s.SignIn(t.Context(), access.NewSecret([32]byte{9}), ""); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an unknown token signs in: %v", err)
	}
	s.refuses(t, access.SessionKey{})
	s.refuses(t, access.NewSessionKey([32]byte{7}))
	again, _ := s.signIn(t, secret)
	if again.Key.Reveal() == signed.Key.Reveal() || again.Session.ID == signed.Session.ID {
		t.Error("two sessions have one key")
	}
}

// What ends a session: its time, its token, its user, signing out, and the user's own list.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, service, tracker.Caller) error{
		"time":     func(_ *testing.T, s service, _ tracker.Caller) error { s.Clock.Forward(sessionLife); return nil },
		"sign out": func(t *testing.T, s service, c tracker.Caller) error { return s.SignOut(t.Context(), c) },
		"list": func(t *testing.T, s service, c tracker.Caller) error {
			return s.End(t.Context(), tracker.Caller{User: c.User, Scope: access.Read}, c.Session)
		},
		"administrator": func(t *testing.T, s service, c tracker.Caller) error { return s.End(t.Context(), s.Admin, c.Session) },
		"revocation": func(t *testing.T, s service, c tracker.Caller) error {
			_, err := s.Administration.RevokeToken(t.Context(), s.Admin, c.Token, tracker.Write{})
			return err
		},
		"deactivation": func(t *testing.T, s service, c tracker.Caller) error {
			_, err := s.Administration.Users().Update(t.Context(), s.Admin, c.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			_, secret := s.Member(t, "Ann", access.Write)
			signed, caller := s.signIn(t, secret)
			if err := end(t, s, caller); err != nil {
				t.Fatal(err)
			}
			s.refuses(t, signed.Key)
			if err := s.SignOut(t.Context(), caller); err != nil {
				t.Errorf("signing out once more fails: %v", err)
			}
		})
	}
}

// A token that another server revokes ends the session once this one looks.
func TestSessionEndsOnAnotherServer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, secret := s.Member(t, "Ann", access.Write)
	signed, caller := s.signIn(t, secret)
	other := s.server(s.Memory)
	if _, err := other.Administration.RevokeToken(t.Context(), s.Admin, caller.Token, tracker.Write{}); err != nil {
		t.Fatal(err)
	}
	s.Clock.Forward(2 * time.Second)
	s.refuses(t, signed.Key)
	one, _ := s.Member(t, "Bob", access.Write)
	begun, err := s.SignInUser(t.Context(), one.User, access.Write, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.End(t.Context(), one, begun.Session.ID); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, begun.Key)
}

// D41: an invitation authenticates nobody. It begins one session, on whatever server and of
// however many sign-ins at once. The session outlives it.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.Member(t, "Ann", access.Read)
	invite := func() admin.IssuedToken {
		a, err := s.Administration.CreateToken(t.Context(), s.Admin, admin.CreateToken{User: patch.Set(kit.Identified(ann.User)), Scope: patch.Set("write"), Invitation: patch.Set(true)})
		kit.NoError(t, err)
		return a.Value
	}
	issued := invite()
	kit.Equal(t, "expiry", issued.Expires, issued.Created.Add(access.InvitationLife))
	if _, err := s.Administration.Authenticate(t.Context(), issued.Secret); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an invitation authenticates: %v", err)
	}
	other := s.server(s.Memory)
	var signed atomic.Pointer[SignedIn]
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			begun, err := []service{s, other}[i%2].SignIn(t.Context(), issued.Secret, "")
			switch {
			case err == nil && !signed.CompareAndSwap(nil, &begun):
				t.Error("it signs in twice")
			case err != nil && !fault.Is(err, fault.Unauthenticated):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if signed.Load() == nil {
		t.Fatal("it signs nobody in")
	}
	s.Clock.Forward(access.InvitationLife)
	caller, err := s.Recognize(t.Context(), signed.Load().Key)
	kit.NoError(t, err)
	kit.Equal(t, "caller", caller, tracker.Caller{User: ann.User, Scope: access.Write, Expires: signed.Load().Session.Expires, Session: signed.Load().Session.ID})

	for why, end := range map[string]func(admin.IssuedToken) error{
		"late": func(admin.IssuedToken) error { s.Clock.Forward(access.InvitationLife); return nil },
		"revoked": func(i admin.IssuedToken) error {
			_, err := other.Administration.RevokeToken(t.Context(), s.Admin, i.ID, tracker.Write{})
			return err
		},
	} {
		issued := invite()
		kit.NoError(t, end(issued))
		if _, err := s.SignIn(t.Context(), issued.Secret, ""); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%s, it signs in: %v", why, err)
		}
	}
}

func TestSessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.Member(t, "Ann", access.Write)
	issued, err := s.Administration.CreateToken(t.Context(), s.Admin, admin.CreateToken{
		User: patch.Set(kit.Identified(ann.User)), Scope: patch.Set("read"), Expires: patch.Set(s.Clock.Now().Add(time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	signed, _ := s.signIn(t, issued.Value.Secret)
	kit.Equal(t, "expiry", signed.Session.Expires, issued.Value.Expires)
	s.Clock.Forward(time.Hour)
	s.refuses(t, signed.Key)
}

func TestSignInUser(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.Member(t, "Ann", access.Write)
	signed, err := s.SignInUser(t.Context(), ann.User, access.Read, "x")
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.Recognize(t.Context(), signed.Key)
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "caller", caller, tracker.Caller{User: ann.User, Scope: access.Read, Expires: signed.Session.Expires, Session: signed.Session.ID})
	if _, err := s.SignInUser(t.Context(), kit.ID(99), access.Read, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an unknown user signs in: %v", err)
	}
	if _, err := s.Administration.Users().Update(t.Context(), s.Admin, ann.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, signed.Key)
	if _, err := s.Administration.Users().Update(t.Context(), s.Admin, ann.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(false)}}); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, signed.Key) // for good
	if _, err := s.Administration.Users().Update(t.Context(), s.Admin, ann.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignInUser(t.Context(), ann.User, access.Read, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an inactive user signs in: %v", err)
	}
}

func TestSessionsOfOthers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, hers := s.Member(t, "Ann", access.Write)
	_, his := s.Member(t, "Bob", access.Write)
	first, ann := s.signIn(t, hers)
	second, _ := s.signIn(t, hers)
	theirs, bob := s.signIn(t, his)
	list, err := s.Own(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "sessions, the newest first", list.Value, []access.Session{second.Session, first.Session})
	for _, id := range []ident.ID{theirs.Session.ID, kit.ID(77), ident.None} {
		if err := s.End(t.Context(), ann, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("session %v ends: %v", id, err)
		}
	}
	if _, err := s.Recognize(t.Context(), theirs.Key); err != nil {
		t.Error(err)
	}
	if err := s.End(t.Context(), bob, theirs.Session.ID); err != nil {
		t.Error(err)
	}
}

func TestMostSessions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, secret := s.Member(t, "Ann", access.Write)
	first, _ := s.signIn(t, secret)
	second, _ := s.signIn(t, secret)
	other, err := s.SignInUser(t.Context(), ann.User, access.Write, "")
	if err != nil {
		t.Fatal(err)
	}
	for range mostSessionsOfToken - 1 {
		s.signIn(t, secret)
	}
	s.refuses(t, first.Key)
	for _, kept := range []SignedIn{second, other} {
		if _, err := s.Recognize(t.Context(), kept.Key); err != nil {
			t.Errorf("a further session has ended too: %v", err)
		}
	}
	if list, err := s.Own(t.Context(), ann); err != nil || len(list.Value) != mostSessionsOfToken+1 {
		t.Errorf("there are %d sessions (%v), want %d", len(list.Value), err, mostSessionsOfToken+1)
	}
}

func TestCrowdedOut(t *testing.T) {
	t.Parallel()
	token := func(n int) (id ident.ID) {
		if n > 0 {
			id = ident.ID{1, byte(n)}
		}
		return id
	}
	for _, c := range []struct {
		rule string
		has  []int // sessions of token 0, which is none, 1, 2, …; those of 1 are the oldest, 0 the newest
		of   int
		want []int // the tokens of the sessions that end
	}{
		{"the first session", nil, 0, nil},
		{"a token below its most", []int{0, mostSessionsOfToken - 1}, 1, nil},
		{"a token with its most", []int{5, mostSessionsOfToken, 5}, 1, []int{1}},
		{"a token with more, of an earlier version", []int{0, mostSessions}, 1, same(mostSessions-mostSessionsOfToken+1, 1)},
		{"a provider below the most of a user", []int{mostSessions - 1}, 0, nil},
		{"a provider with the most of a user", []int{mostSessions}, 0, []int{0}},
		{"another token ends one of the provider", []int{mostSessions}, 1, []int{0}},
		{"a new token ends one of the token with most", []int{1, 20, 20, 20, 20, 19}, 6, []int{1}},
		{"a token with few ends one of the token with most", []int{61, 19, 20}, 1, []int{0}},
		{"one session of each token: the oldest ends", append([]int{0}, same(mostSessions, 1)...), 0, []int{1}},
	} {
		var sessions []access.Session
		for n := 1; n <= len(c.has); n++ {
			for range c.has[n%len(c.has)] {
				sessions = append(sessions, access.Session{ID: ident.ID{2, byte(len(sessions))}, Token: token(n % len(c.has))})
			}
		}
		var ended []ident.ID
		for i := range c.want {
			nth := 0
			for _, s := range sessions { // the oldest of the token, after those before it in want
				if s.Token == token(c.want[i]) {
					if nth == i {
						ended = append(ended, s.ID)
						break
					}
					nth++
				}
			}
		}
		kit.Equal(t, c.rule, crowdedOut(sessions, token(c.of)), ended)
	}
}

// same returns n times the same number.
func same(n, number int) []int { return slices.Repeat([]int{number}, n) }

func TestHousekeepForgetsSessions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, secret := s.Member(t, "Ann", access.Write)
	s.signIn(t, secret)
	s.Clock.Forward(time.Hour)
	kept, _ := s.signIn(t, secret)
	s.Clock.Forward(sessionLife - time.Hour)
	if err := s.Housekeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left []access.Session
	if err := s.Memory.View(t.Context(), func(r store.Reader) (err error) {
		left, err = r.Sessions(t.Context(), ann.User)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "sessions", left, []access.Session{kept.Session})
}

func TestAgentName(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"": "", " Browser\t1.0\r\n": "Browser 1.0", "a\x00b": "a b", "\xff": "\uFFFD", strings.Repeat("ä", 300): strings.Repeat("ä", 255),
	} {
		if got := agentName(agent); got != want {
			t.Errorf("%q is stored as %q", agent, got)
		}
	}
}

// An administrator sees the sessions of all users, or of one, as far as a limit.
func TestSessionsOf(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, annSecret := s.Member(t, "Ann", access.Write)
	bob, bobSecret := s.Member(t, "Bob", access.Read)
	first, _ := s.signIn(t, annSecret)
	second, _ := s.signIn(t, bobSecret)
	third, _ := s.signIn(t, annSecret)
	for name, c := range map[string]struct {
		who   ident.ID
		limit int
		want  []ident.ID
		more  bool
	}{
		"all":         {ident.None, 10, []ident.ID{third.Session.ID, second.Session.ID, first.Session.ID}, false},
		"the newest":  {ident.None, 2, []ident.ID{third.Session.ID, second.Session.ID}, true},
		"exactly all": {ident.None, 3, []ident.ID{third.Session.ID, second.Session.ID, first.Session.ID}, false},
		"of Ann":      {ann.User, 10, []ident.ID{third.Session.ID, first.Session.ID}, false},
		"of Bob":      {bob.User, 10, []ident.ID{second.Session.ID}, false},
	} {
		a, more, err := s.List(t.Context(), c.who, c.limit)
		kit.NoError(t, err)
		var got []ident.ID
		for _, session := range a.Value {
			got = append(got, session.ID)
		}
		kit.Equal(t, name, got, c.want)
		kit.Equal(t, name+": more", more, c.more)
	}
	_, err := s.Administration.RevokeToken(t.Context(), s.Admin, ann.Token, tracker.Write{})
	kit.NoError(t, err)
	a, more, err := s.List(t.Context(), ident.None, 1)
	kit.NoError(t, err)
	if len(a.Value) != 1 || a.Value[0].ID != second.Session.ID || more {
		t.Errorf("after the revocation the sessions are %+v (more: %t)", a.Value, more)
	}
}

// D58: a request of a session has the preferences of its user.
func TestSessionHasPreferences(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := s.Administration.SetPreferences(t.Context(), s.Admin, admin.SetPreferences{Columns: patch.Set("due, state"), Density: patch.Set("compact"), Language: patch.Set("de"), TimeZone: patch.Set("Europe/Berlin"), Keys: patch.Set(false)})
	kit.NoError(t, err)
	signed, err := s.SignInUser(t.Context(), s.Admin.User, access.Write, "")
	kit.NoError(t, err)
	caller, err := s.Recognize(t.Context(), signed.Key)
	kit.NoError(t, err)
	kit.Equal(t, "choices", caller.Preferences.Choices(), user.Choices{Columns: "due,state", Compact: true, Language: "de", TimeZone: "Europe/Berlin", KeysOff: true})
}

// D50: a sign-in is a use of its token.
func TestSignInIsAUse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, secret := s.Member(t, "Ann", access.Write)
	s.Clock.Forward(time.Minute)
	s.signIn(t, secret)
	kit.NoError(t, s.Administration.RecordUses(t.Context()))
	a, err := s.Administration.Tokens(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "last use", a.Value[1].LastUse, s.Clock.Now())
}
