package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// newDirectory is the catalogue of the tests with two tokens of Bob's, one of them
// revoked, and one of Ann's.
func newDirectory() directory.Directory {
	return directory.Directory{Catalogue: kit.Catalogue, Access: ident.Version{Number: 70, Batch: kit.StoredBy}, Tokens: []access.Token{
		{ID: kit.ID(81), User: kit.Bob, Scope: access.Write, Digest: access.Digest{1}, Created: kit.Noon},
		{ID: kit.ID(82), User: kit.Bob, Scope: access.Read, Digest: access.Digest{2}, Created: kit.Noon, Revoked: kit.Noon.Add(time.Minute)},
		{ID: kit.ID(83), User: kit.Ann, Scope: access.Admin, Digest: access.Digest{3}, Created: kit.Noon},
	}}
}

// D2, D9, D30: a new user.
func TestCreateUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		p    UserPatch
		want user.User
	}{
		{"a name and an e-mail address", kit.Person("Dan", "Dan@Example.org"), user.User{Name: "Dan", Email: "Dan@Example.org"}},
		{"names need not be unique", kit.Person("Bob", "bob2@example.org"), user.User{Name: "Bob", Email: "bob2@example.org"}},
		{"D9: trimmed and in NFC", kit.Person(" Jose\u0301 ", " jose@example.org\n"), user.User{Name: "José", Email: "jose@example.org"}},
		{"inactive from the start", UserPatch{Name: patch.Set("Dan"), Email: patch.Set("dan@localhost"), Inactive: patch.Set(true)}, user.User{Name: "Dan", Email: "dan@localhost", Inactive: true}},
		{"ASCII letters are folded, no others", kit.Person("Dan", "ÁNN@example.org"), user.User{Name: "Dan", Email: "ÁNN@example.org"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			m := kit.At(kit.Now)
			d := newDirectory()
			change, a, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{}, c.p, user.User{}, written{Directory: d}, m)
			kit.NoError(t, err)
			if a.Value.ID.IsNone() || a.Value.ID == change.Batch {
				t.Errorf("the identifier %s is not the user's own", a.Value.ID)
			}
			c.want.ID = a.Value.ID
			kit.Equal(t, "answer", a.Value, c.want)
			kit.Equal(t, "new", a.New, true)
			kit.Equal(t, "version of the catalogue that he is in", a.Catalogue.Version, d.Catalogue.Version.Next(change.Batch))
			known, _ := a.Catalogue.User(c.want.ID)
			kit.Equal(t, "in the catalogue of the answer", known, c.want)
			kit.Equal(t, "effects", unaudited(change), []store.Effect{store.PutUser{User: c.want}})
			if len(change.Expect) == 0 || change.Expect[0] != (store.CatalogueAt{Version: kit.CatalogueVersion}) {
				t.Errorf("the change expects %+v, want the catalogue in which the address is free", change.Expect)
			}
			kit.Equal(t, "author", change.Author, kit.Ann)
		})
	}
}

func TestUserRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		p     UserPatch
		old   user.User
		kind  fault.Kind
		items []string
	}{
		{"D2: empty texts", kit.Person(" ", ""), user.User{}, fault.InvalidValue, []string{"invalid-value /name", "invalid-value /email"}},
		{"D2: 256 characters", kit.Person(strings.Repeat("é", 256), strings.Repeat("a", 250)+"@a.org"), user.User{}, fault.InvalidValue, []string{"invalid-value /name", "invalid-value /email"}},
		{"null", UserPatch{Name: patch.Null[string](), Email: patch.Null[string](), Inactive: patch.Null[bool]()}, user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"},
			fault.InvalidValue, []string{"invalid-value /name", "invalid-value /email", "invalid-value /inactive"}},
		{"D9: a control character", kit.Person("a\tb", "a@\x01.org"), user.User{}, fault.InvalidValue, []string{"invalid-value /name", "invalid-value /email"}},
		{"no address", kit.Person("Dan", "dan"), user.User{}, fault.InvalidValue, []string{"invalid-value /email"}},
		{"no local part", kit.Person("Dan", "@example.org"), user.User{}, fault.InvalidValue, []string{"invalid-value /email"}},
		{"no domain", kit.Person("Dan", "dan@"), user.User{}, fault.InvalidValue, []string{"invalid-value /email"}},
		{"a space inside", kit.Person("Dan", "dan dan@example.org"), user.User{}, fault.InvalidValue, []string{"invalid-value /email"}},
		{"D2: the address of another user, in another case", kit.Person("Dan", "BOB@Example.org"), user.User{}, fault.AlreadyExists, nil},
		{"D2: the address of an inactive user", UserPatch{Email: patch.Set("cat@example.org")}, user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"}, fault.AlreadyExists, nil},
		{"D18: 422 before 409", kit.Person("", "bob@example.org"), user.User{}, fault.InvalidValue, []string{"invalid-value /name"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{}, c.p, c.old, written{Directory: newDirectory()}, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, tracker.Answer[user.User]{})
		})
	}
}

// D2, D17: what a patch of a user does. Deactivating him revokes his tokens for
// good: no token that is made meanwhile escapes.
func TestUpdateUser(t *testing.T) {
	t.Parallel()
	old := user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"}
	put := func(u user.User) store.Effect { return store.PutUser{User: u} }
	revoked := newDirectory().Tokens[0]
	revoked.Revoked = kit.Now
	inCatalogue := store.CatalogueAt{Version: kit.CatalogueVersion}
	for _, c := range []struct {
		rule    string
		old     user.User
		p       UserPatch
		expect  []store.Expectation
		effects []store.Effect
	}{
		{"another name", old, UserPatch{Name: patch.Set("Rob")},
			[]store.Expectation{inCatalogue}, []store.Effect{put(user.User{ID: kit.Bob, Name: "Rob", Email: "bob@example.org"})}},
		{"his own address in another case", old, UserPatch{Email: patch.Set("Bob@example.org")},
			[]store.Expectation{inCatalogue}, []store.Effect{put(user.User{ID: kit.Bob, Name: "Bob", Email: "Bob@example.org"})}},
		{"D8: nothing else than before", old, UserPatch{Name: patch.Set("Bob "), Inactive: patch.Set(false)}, nil, nil},
		{"deactivated", old, UserPatch{Inactive: patch.Set(true)},
			[]store.Expectation{inCatalogue, store.AccessAt{Version: ident.Version{Number: 70, Batch: kit.StoredBy}}},
			[]store.Effect{put(user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org", Inactive: true}), store.PutToken{Token: revoked}}},
		{"reactivated: his tokens stay revoked", user.User{ID: kit.Cat, Name: "Cat", Email: "cat@example.org", Inactive: true}, UserPatch{Inactive: patch.Set(false)},
			[]store.Expectation{inCatalogue}, []store.Effect{put(user.User{ID: kit.Cat, Name: "Cat", Email: "cat@example.org"})}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{}, c.p, c.old, written{Directory: newDirectory()}, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "effects", unaudited(change), c.effects)
			kit.Expects(t, change, c.expect...)
			kit.Equal(t, "identifier", a.Value.ID, c.old.ID)
			kit.Equal(t, "new", a.New, false)
		})
	}
}

// D24: the answer of a dry run has no identifier of what is not there.
func TestCreateUserDryRun(t *testing.T) {
	t.Parallel()
	_, a, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{DryRun: true}, kit.Person("Dan", "dan@example.org"), user.User{}, written{Directory: newDirectory()}, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "user", a.Value, user.User{ID: ident.None, Name: "Dan", Email: "dan@example.org"})
}

// A condition holds for the objects that the change replaces, also when another server is
// faster.
func TestConditionOvertaken(t *testing.T) {
	t.Parallel()
	other := newService(t)
	bob, err := other.Users().Create(t.Context(), other.admin, CreateObject[UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
	kit.NoError(t, err)
	rename := func(name string) UpdateObject[UserPatch] {
		return UpdateObject[UserPatch]{Patch: UserPatch{Name: patch.Set(name)}, Condition: func(c *metadata.Catalogue) error {
			if now, _ := c.User(bob.Value.ID); now.Name != "Bob" {
				return fault.New(fault.StaleRevision, "the name is %s", now.Name)
			}
			return nil
		}}
	}
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.Users().Update(t.Context(), other.admin, bob.Value.ID, rename("Rob"))
		kit.NoError(t, err)
	})})
	_, err = s.Users().Update(t.Context(), s.admin, bob.Value.ID, rename("Robert"))
	kit.WantFault(t, err, fault.StaleRevision)
	now, err := other.Users().Load(t.Context(), bob.Value.ID)
	kit.NoError(t, err)
	kit.Equal(t, "name", now.Value.Name, "Rob")
}

// D17: of a token issued and its user deactivated at the same time by two servers,
// none is left valid, whoever is first.
func TestDeactivationOvertaken(t *testing.T) {
	t.Parallel()
	other := newService(t)
	bob, err := other.Users().Create(t.Context(), other.admin, CreateObject[UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
	kit.NoError(t, err)
	issue := CreateToken{User: kit.Named("Bob"), Scope: patch.Set("write")}
	deactivate := UpdateObject[UserPatch]{Patch: UserPatch{Inactive: patch.Set(true)}}

	var token IssuedToken
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		a, err := other.CreateToken(t.Context(), other.admin, issue)
		kit.NoError(t, err)
		token = a.Value
	})})
	_, err = s.Users().Update(t.Context(), s.admin, bob.Value.ID, deactivate)
	kit.NoError(t, err)
	kit.Equal(t, "issued first", authenticated(t, other.Service, token), false)

	_, err = other.Users().Update(t.Context(), other.admin, bob.Value.ID, UpdateObject[UserPatch]{Patch: UserPatch{Inactive: patch.Set(false)}})
	kit.NoError(t, err)
	s = other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.Users().Update(t.Context(), other.admin, bob.Value.ID, deactivate)
		kit.NoError(t, err)
	})})
	_, err = s.CreateToken(t.Context(), s.admin, issue)
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /user")
}

// D2: of two servers that give one address to two users, one is refused.
func TestAddressTakenMeanwhile(t *testing.T) {
	t.Parallel()
	other := newService(t)
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.Users().Create(t.Context(), other.admin, CreateObject[UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
		kit.NoError(t, err)
	})})
	_, err := s.Users().Create(t.Context(), s.admin, CreateObject[UserPatch]{Patch: kit.Person("Rob", "BOB@example.org")})
	kit.WantFault(t, err, fault.AlreadyExists)
}
