package admin

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// D17, D30: a token is issued to a user, with a scope and an optional expiry; only
// the digest of its secret is stored.
func TestCreateToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		cmd     CreateToken
		user    ident.ID
		scope   access.Scope
		expires time.Time
	}{
		{"without expiry", CreateToken{User: kit.Partial(kit.Object{"email": "bob@example.org"}), Scope: patch.Set("read")}, kit.Bob, access.Read, time.Time{}},
		{"null is no expiry", CreateToken{User: kit.Named("Ann"), Scope: patch.Set("admin"), Expires: patch.Null[time.Time]()}, kit.Ann, access.Admin, time.Time{}},
		{"D9: the expiry in UTC, cut to the millisecond",
			CreateToken{User: kit.Named("Ann"), Scope: patch.Set("write"), Expires: patch.Set(kit.Now.Add(time.Second + 1234567).In(time.FixedZone("", 3600)))},
			kit.Ann, access.Write, kit.Now.Add(time.Second + time.Millisecond)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			d := newDirectory()
			change, a, err := decideToken(by(kit.Ann), c.cmd, kit.Secret, d, kit.At(kit.Now))
			kit.NoError(t, err)
			want := access.Token{ID: a.Value.ID, User: c.user, Scope: c.scope, Digest: kit.Secret.Digest(), Created: kit.Now, Expires: c.expires}
			if a.Value.ID.IsNone() || a.Value.ID == change.Batch {
				t.Errorf("the identifier %s is not the token's own", a.Value.ID)
			}
			kit.Equal(t, "answer", a, tracker.Answer[IssuedToken]{Value: IssuedToken{want, kit.Secret}, Catalogue: d.Catalogue, New: true})
			kit.Equal(t, "effects", unaudited(change), []store.Effect{store.PutToken{Token: want}})
			kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion}) // or the user could be deactivated meanwhile
		})
	}
}

func TestCreateTokenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		cmd   CreateToken
		kind  fault.Kind
		items []string
	}{
		{"no members", CreateToken{}, fault.RequiredField, []string{"required-field /user", "required-field /scope"}},
		{"null", CreateToken{User: patch.Null[metadata.Partial](), Scope: patch.Null[string]()}, fault.InvalidValue, []string{"invalid-value /user", "invalid-value /scope"}},
		{"an empty name", CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read"), Name: patch.Set("")}, fault.InvalidValue, []string{"invalid-value /name"}},
		{"no such scope", CreateToken{User: kit.Named("Bob"), Scope: patch.Set("Read")}, fault.InvalidValue, []string{"invalid-value /scope"}},
		{"D3: several users", CreateToken{User: kit.Named("Eve"), Scope: patch.Set("read")}, fault.MetadataAmbiguous, []string{"metadata-ambiguous /user"}},
		{"D2: an inactive user", CreateToken{User: kit.Named("Cat"), Scope: patch.Set("read")}, fault.InvalidValue, []string{"invalid-value /user"}},
		{"an expiry that is over", CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read"), Expires: patch.Set(kit.Now)}, fault.InvalidValue, []string{"invalid-value /expires"}},
		{"an expiry within this millisecond", CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read"), Expires: patch.Set(kit.Now.Add(999_999))}, fault.InvalidValue, []string{"invalid-value /expires"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideToken(by(kit.Ann), c.cmd, kit.Secret, newDirectory(), kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, tracker.Answer[IssuedToken]{})
		})
	}
}

// D24: a dry run issues nothing that could be taken for a token.
func TestCreateTokenDryRun(t *testing.T) {
	t.Parallel()
	_, a, err := decideToken(by(kit.Ann), CreateToken{Write: tracker.Write{DryRun: true}, User: kit.Named("Bob"), Scope: patch.Set("read")}, kit.Secret, newDirectory(), kit.At(kit.Now))
	kit.NoError(t, err)
	if !a.Value.ID.IsNone() || a.Value.Secret != (access.Secret{}) {
		t.Errorf("the token %s has a secret or an identifier", a.Value.ID)
	}
}

// D17: revoking holds for good; again, it changes nothing; an unknown token is
// not found.
func TestRevokeToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	issued := s.issue(t, access.Read)
	_, err := s.RevokeToken(t.Context(), s.admin, issued.ID, tracker.Write{})
	kit.NoError(t, err)
	revoked := s.tokens(t)[1]
	kit.Equal(t, "revoked", revoked.Revoked, s.clock.Now())

	s.clock.Forward(time.Hour)
	_, err = s.RevokeToken(t.Context(), s.admin, issued.ID, tracker.Write{})
	kit.NoError(t, err)
	kit.Equal(t, "revoked again", s.tokens(t)[1], revoked)

	_, err = s.RevokeToken(t.Context(), s.admin, kit.ID(99), tracker.Write{})
	kit.WantFault(t, err, fault.NotFound)
}

// D50: people make tokens for themselves, with a smaller scope and a shorter life than their own.
func TestOwnTokens(t *testing.T) {
	t.Parallel()
	longest := kit.Now.Add(access.MostOwnLife)
	for _, c := range []struct {
		rule    string
		caller  tracker.Caller
		cmd     CreateOwnToken
		expires time.Time
		items   []string
	}{
		{"the scope of the caller", tracker.Caller{Scope: access.Report}, CreateOwnToken{Scope: patch.Set("report")}, longest, nil},
		{"an expiry", tracker.Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(kit.Now.Add(time.Hour))}, kit.Now.Add(time.Hour), nil},
		{"until the token of the caller ends", tracker.Caller{Scope: access.Admin, Token: kit.ID(84)}, CreateOwnToken{Scope: patch.Set("read")}, kit.Now.Add(time.Hour), nil},
		{"until the token of a session ends", tracker.Caller{Scope: access.Admin, Token: kit.ID(84), Session: kit.ID(9)}, CreateOwnToken{Scope: patch.Set("read")}, kit.Now.Add(time.Hour), nil},
		{"longer than a session without a token", tracker.Caller{Scope: access.Admin, Expires: kit.Now.Add(time.Hour), Session: kit.ID(9)}, CreateOwnToken{Scope: patch.Set("read")}, longest, nil},
		{"a name of two lines", tracker.Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Name: patch.Set("a\nb")}, longest, []string{"invalid-value /name"}},
		{"no scope", tracker.Caller{Scope: access.Admin}, CreateOwnToken{}, longest, []string{"required-field /scope"}},
		{"no such scope", tracker.Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("root")}, longest, []string{"invalid-value /scope"}},
		{"a greater scope", tracker.Caller{Scope: access.Comment}, CreateOwnToken{Scope: patch.Set("report")}, longest, []string{"invalid-value /scope"}},
		{"91 days", tracker.Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(longest.Add(time.Millisecond))}, longest, []string{"invalid-value /expires"}},
		{"an expiry that is over", tracker.Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(kit.Now)}, longest, []string{"invalid-value /expires"}},
		{"after the token of the caller", tracker.Caller{Scope: access.Admin, Token: kit.ID(84)},
			CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(kit.Now.Add(2 * time.Hour))}, longest, []string{"invalid-value /expires"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.caller.User = kit.Bob
			d := newDirectory()
			d.Tokens = append(d.Tokens, access.Token{ID: kit.ID(84), User: kit.Bob, Created: kit.Noon, Expires: kit.Now.Add(time.Hour)})
			change, a, err := decideOwnToken(c.caller, c.cmd, kit.Secret, d, kit.At(kit.Now))
			if c.items != nil {
				kit.WantFault(t, err, kit.FaultOf(t, err).Kind, c.items...)
				kit.Nothing(t, change)
				return
			}
			kit.NoError(t, err)
			kit.Equal(t, "token", a.Value.Token, access.Token{ID: a.Value.ID, User: kit.Bob, Scope: access.Scope(c.cmd.Scope.Value), Digest: kit.Secret.Digest(), Created: kit.Now, Expires: c.expires})
			kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion}) // or the user could be deactivated meanwhile
		})
	}
	crowded := newDirectory()
	for range access.MostOwn {
		crowded.Tokens = append(crowded.Tokens, access.Token{User: kit.Bob, Created: kit.Now})
	}
	_, _, err := decideOwnToken(by(kit.Bob), CreateOwnToken{Scope: patch.Set("read")}, kit.Secret, crowded, kit.At(kit.Now))
	kit.WantFault(t, err, fault.InvalidValue)
	_, _, err = decideOwnToken(by(kit.Cat), CreateOwnToken{Scope: patch.Set("read")}, kit.Secret, newDirectory(), kit.At(kit.Now))
	kit.WantFault(t, err, fault.Unauthenticated)
}

// D50: one sees and revokes the own tokens alone.
func TestOwnTokensAreOnesOwn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bob := s.member(t, "Bob", access.Read)
	made, err := s.CreateOwnToken(t.Context(), bob, CreateOwnToken{Scope: patch.Set("read"), Name: patch.Set("CI")})
	kit.NoError(t, err)
	kit.Equal(t, "name", made.Value.Name, "CI")
	kit.Equal(t, "valid", authenticated(t, s.Service, made.Value), true)
	list, err := s.OwnTokens(t.Context(), bob)
	kit.NoError(t, err)
	kit.Equal(t, "own tokens", len(list.Value), 2)
	_, err = s.RevokeOwnToken(t.Context(), bob, s.admin.Token, tracker.Write{})
	kit.WantFault(t, err, fault.NotFound)
	_, err = s.RevokeOwnToken(t.Context(), bob, made.Value.ID, tracker.Write{})
	kit.NoError(t, err)
	kit.Equal(t, "valid", authenticated(t, s.Service, made.Value), false)
}

// D50: the last use of a token costs no request a write, and no server a load of the tokens. A
// failed write loses no use, and no use goes back.
func TestRecordUses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	issued := s.issue(t, access.Read)
	kit.NoError(t, s.RecordUses(t.Context())) // that of newService
	used := func() time.Time { return s.tokens(t)[1].LastUse }
	kit.Equal(t, "before the first use", used(), time.Time{})

	var counted kit.Calls
	fails := true
	h := s.behind(kit.Hooked{Calls: &counted, OnCommit: func(next kit.CommitFunc, c store.Change) error {
		if fails {
			return fault.New(fault.Unavailable, "away")
		}
		return next(c)
	}})
	for range 3 {
		s.clock.Forward(time.Second)
		_, err := h.Authenticate(t.Context(), issued.Secret)
		kit.NoError(t, err)
	}
	last := s.clock.Now()
	kit.Equal(t, "writes of requests", counted.Commits, 0)
	kit.WantFault(t, h.RecordUses(t.Context()), fault.Unavailable)
	fails = false
	before, err := s.memory.Versions(t.Context())
	kit.NoError(t, err)
	kit.NoError(t, h.RecordUses(t.Context()))
	kit.Equal(t, "last use", used(), last)
	after, err := s.memory.Versions(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "versions", after, before)

	commits := counted.Commits
	kit.NoError(t, h.RecordUses(t.Context()))
	kit.Equal(t, "writes without a use", counted.Commits, commits)
	s.clock.Forward(-time.Hour)
	_, err = h.Authenticate(t.Context(), issued.Secret)
	kit.NoError(t, err)
	kit.NoError(t, h.RecordUses(t.Context()))
	kit.Equal(t, "after a step of the clock", used(), last)
}
