package tracker

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
)

var testSecret = access.NewSecret([32]byte{31: 1})

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
		{"without expiry", CreateToken{User: partial(object{"email": "bob@example.org"}), Scope: patch.Set("read")}, bob, access.Read, time.Time{}},
		{"null is no expiry", CreateToken{User: named("Ann"), Scope: patch.Set("admin"), Expires: patch.Null[time.Time]()}, ann, access.Admin, time.Time{}},
		{"D9: the expiry in UTC, cut to the millisecond",
			CreateToken{User: named("Ann"), Scope: patch.Set("write"), Expires: patch.Set(now.Add(time.Second + 1234567).In(time.FixedZone("", 3600)))},
			ann, access.Write, now.Add(time.Second + time.Millisecond)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			d := newDirectory()
			change, a, err := decideToken(by(ann), c.cmd, testSecret, d, at(now))
			noError(t, err)
			want := access.Token{ID: a.Value.ID, User: c.user, Scope: c.scope, Digest: testSecret.Digest(), Created: now, Expires: c.expires}
			if a.Value.ID.IsNone() || a.Value.ID == change.Batch {
				t.Errorf("the identifier %s is not the token's own", a.Value.ID)
			}
			equal(t, "answer", a, Answer[IssuedToken]{Value: IssuedToken{want, testSecret}, Catalogue: d.catalogue, New: true})
			equal(t, "effects", unaudited(change), []store.Effect{store.PutToken{Token: want}})
			expects(t, change, store.CatalogueAt{Version: catalogueVersion}) // or the user could be deactivated meanwhile
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
		{"an empty name", CreateToken{User: named("Bob"), Scope: patch.Set("read"), Name: patch.Set("")}, fault.InvalidValue, []string{"invalid-value /name"}},
		{"no such scope", CreateToken{User: named("Bob"), Scope: patch.Set("Read")}, fault.InvalidValue, []string{"invalid-value /scope"}},
		{"D3: several users", CreateToken{User: named("Eve"), Scope: patch.Set("read")}, fault.MetadataAmbiguous, []string{"metadata-ambiguous /user"}},
		{"D2: an inactive user", CreateToken{User: named("Cat"), Scope: patch.Set("read")}, fault.InvalidValue, []string{"invalid-value /user"}},
		{"an expiry that is over", CreateToken{User: named("Bob"), Scope: patch.Set("read"), Expires: patch.Set(now)}, fault.InvalidValue, []string{"invalid-value /expires"}},
		{"an expiry within this millisecond", CreateToken{User: named("Bob"), Scope: patch.Set("read"), Expires: patch.Set(now.Add(999_999))}, fault.InvalidValue, []string{"invalid-value /expires"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideToken(by(ann), c.cmd, testSecret, newDirectory(), at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[IssuedToken]{})
		})
	}
}

// D24: a dry run issues nothing that could be taken for a token.
func TestCreateTokenDryRun(t *testing.T) {
	t.Parallel()
	_, a, err := decideToken(by(ann), CreateToken{Write: Write{DryRun: true}, User: named("Bob"), Scope: patch.Set("read")}, testSecret, newDirectory(), at(now))
	noError(t, err)
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
	_, err := s.RevokeToken(t.Context(), s.admin, issued.ID, Write{})
	noError(t, err)
	revoked := s.tokens(t)[1]
	equal(t, "revoked", revoked.Revoked, s.clock.now())

	s.clock.forward(time.Hour)
	_, err = s.RevokeToken(t.Context(), s.admin, issued.ID, Write{})
	noError(t, err)
	equal(t, "revoked again", s.tokens(t)[1], revoked)

	_, err = s.RevokeToken(t.Context(), s.admin, testID(99), Write{})
	wantFault(t, err, fault.NotFound)
}

// D50: people make tokens for themselves, with a smaller scope and a shorter life than their own.
func TestOwnTokens(t *testing.T) {
	t.Parallel()
	longest := now.Add(access.MostOwnLife)
	for _, c := range []struct {
		rule    string
		caller  Caller
		cmd     CreateOwnToken
		expires time.Time
		items   []string
	}{
		{"the scope of the caller", Caller{Scope: access.Report}, CreateOwnToken{Scope: patch.Set("report")}, longest, nil},
		{"an expiry", Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(now.Add(time.Hour))}, now.Add(time.Hour), nil},
		{"until the token of the caller ends", Caller{Scope: access.Admin, Token: testID(84)}, CreateOwnToken{Scope: patch.Set("read")}, now.Add(time.Hour), nil},
		{"until the token of a session ends", Caller{Scope: access.Admin, Token: testID(84), Session: testID(9)}, CreateOwnToken{Scope: patch.Set("read")}, now.Add(time.Hour), nil},
		{"longer than a session without a token", Caller{Scope: access.Admin, Expires: now.Add(time.Hour), Session: testID(9)}, CreateOwnToken{Scope: patch.Set("read")}, longest, nil},
		{"a name of two lines", Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Name: patch.Set("a\nb")}, longest, []string{"invalid-value /name"}},
		{"no scope", Caller{Scope: access.Admin}, CreateOwnToken{}, longest, []string{"required-field /scope"}},
		{"no such scope", Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("root")}, longest, []string{"invalid-value /scope"}},
		{"a greater scope", Caller{Scope: access.Comment}, CreateOwnToken{Scope: patch.Set("report")}, longest, []string{"invalid-value /scope"}},
		{"91 days", Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(longest.Add(time.Millisecond))}, longest, []string{"invalid-value /expires"}},
		{"an expiry that is over", Caller{Scope: access.Admin}, CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(now)}, longest, []string{"invalid-value /expires"}},
		{"after the token of the caller", Caller{Scope: access.Admin, Token: testID(84)},
			CreateOwnToken{Scope: patch.Set("read"), Expires: patch.Set(now.Add(2 * time.Hour))}, longest, []string{"invalid-value /expires"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.caller.User = bob
			d := newDirectory()
			d.tokens = append(d.tokens, access.Token{ID: testID(84), User: bob, Created: noon, Expires: now.Add(time.Hour)})
			change, a, err := decideOwnToken(c.caller, c.cmd, testSecret, d, at(now))
			if c.items != nil {
				wantFault(t, err, faultOf(t, err).Kind, c.items...)
				nothing(t, change)
				return
			}
			noError(t, err)
			equal(t, "token", a.Value.Token, access.Token{ID: a.Value.ID, User: bob, Scope: access.Scope(c.cmd.Scope.Value), Digest: testSecret.Digest(), Created: now, Expires: c.expires})
			expects(t, change, store.CatalogueAt{Version: catalogueVersion}) // or the user could be deactivated meanwhile
		})
	}
	crowded := newDirectory()
	for range access.MostOwn {
		crowded.tokens = append(crowded.tokens, access.Token{User: bob, Created: now})
	}
	_, _, err := decideOwnToken(by(bob), CreateOwnToken{Scope: patch.Set("read")}, testSecret, crowded, at(now))
	wantFault(t, err, fault.InvalidValue)
	_, _, err = decideOwnToken(by(cat), CreateOwnToken{Scope: patch.Set("read")}, testSecret, newDirectory(), at(now))
	wantFault(t, err, fault.Unauthenticated)
}

// D50: one sees and revokes the own tokens alone.
func TestOwnTokensAreOnesOwn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bob, _ := s.member(t, "Bob", access.Read)
	made, err := s.CreateOwnToken(t.Context(), bob, CreateOwnToken{Scope: patch.Set("read"), Name: patch.Set("CI")})
	noError(t, err)
	equal(t, "name", made.Value.Name, "CI")
	equal(t, "valid", authenticated(t, s.Service, made.Value), true)
	list, err := s.As(bob).OwnTokens(t.Context())
	noError(t, err)
	equal(t, "own tokens", len(list.Value), 2)
	_, err = s.RevokeOwnToken(t.Context(), bob, s.admin.Token, Write{})
	wantFault(t, err, fault.NotFound)
	_, err = s.RevokeOwnToken(t.Context(), bob, made.Value.ID, Write{})
	noError(t, err)
	equal(t, "valid", authenticated(t, s.Service, made.Value), false)
}

// D50: the last use of a token costs no request a write, and no server a load of the tokens. A
// failed write loses no use, and no use goes back.
func TestRecordUses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	issued := s.issue(t, access.Read)
	noError(t, s.RecordUses(t.Context())) // that of newService
	used := func() time.Time { return s.tokens(t)[1].LastUse }
	equal(t, "before the first use", used(), time.Time{})

	var counted calls
	fails := true
	h := s.behind(hooked{calls: &counted, commit: func(next commitFunc, c store.Change) error {
		if fails {
			return fault.New(fault.Unavailable, "away")
		}
		return next(c)
	}})
	for range 3 {
		s.clock.forward(time.Second)
		_, err := h.Authenticate(t.Context(), issued.Secret)
		noError(t, err)
	}
	last := s.clock.now()
	equal(t, "writes of requests", counted.commits, 0)
	wantFault(t, h.RecordUses(t.Context()), fault.Unavailable)
	fails = false
	before, err := s.memory.Versions(t.Context())
	noError(t, err)
	noError(t, h.RecordUses(t.Context()))
	equal(t, "last use", used(), last)
	after, err := s.memory.Versions(t.Context())
	noError(t, err)
	equal(t, "versions", after, before)

	commits := counted.commits
	noError(t, h.RecordUses(t.Context()))
	equal(t, "writes without a use", counted.commits, commits)
	s.clock.forward(-time.Hour)
	_, err = h.SignIn(t.Context(), issued.Secret, "")
	noError(t, err)
	noError(t, h.RecordUses(t.Context()))
	equal(t, "after a step of the clock", used(), last)
}
