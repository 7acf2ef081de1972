package tracker

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
)

// Users returns all users, by name.
func (s *Service) Users(ctx context.Context) (Answer[[]user.User], error) {
	c, err := s.catalogue(ctx)
	if err != nil {
		return Answer[[]user.User]{}, err
	}
	return Answer[[]user.User]{Value: c.Content().Users, Catalogue: c}, nil
}

// User returns one user. It fails with fault.NotFound.
func (s *Service) User(ctx context.Context, id ident.ID) (Answer[user.User], error) {
	c, err := s.catalogue(ctx)
	if err != nil {
		return Answer[user.User]{}, err
	}
	u, ok := c.User(id)
	if !ok {
		return Answer[user.User]{}, userNotFound()
	}
	return Answer[user.User]{Value: u, Catalogue: c}, nil
}

func userNotFound() error { return fault.New(fault.NotFound, "there is no user with this identifier") }

func (s *Service) catalogue(ctx context.Context) (c *metadata.Catalogue, err error) {
	err = s.store.View(ctx, func(r store.Reader) error {
		c, err = s.cache.catalogueNow(ctx, r)
		return err
	})
	return c, err
}

// directory is what changes of users and tokens are decided from.
type directory struct {
	catalogue *metadata.Catalogue
	tokens    []access.Token
	access    int64 // the version of the tokens
}

func (s *Service) loadDirectory(ctx context.Context, r store.Reader) (d directory, err error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return d, err
	}
	if d.catalogue, err = s.cache.catalogueAt(ctx, r, versions.Catalogue); err != nil {
		return d, err
	}
	d.access = versions.Access
	d.tokens, err = r.Tokens(ctx)
	return d, err
}

// onDirectory runs a command about users and tokens.
func onDirectory[T any](ctx context.Context, s *Service, dryRun bool,
	decide func(directory, moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return run(ctx, s, command[directory, T]{
		slots:  []slot{{kind: slotCatalogue}},
		dryRun: dryRun,
		load:   s.loadDirectory,
		decide: decide,
	})
}

// CreateUser creates a user. It fails with fault.AlreadyExists when the e-mail
// address is taken.
func (s *Service) CreateUser(ctx context.Context, caller Caller, cmd CreateUser) (Answer[user.User], error) {
	for _, required := range []struct {
		sent    bool
		pointer string
	}{{cmd.Name.Sent, "/name"}, {cmd.Email.Sent, "/email"}} {
		if !required.sent && !cmd.Faults.Covers(required.pointer) {
			cmd.Faults.Add(fault.RequiredField, required.pointer, "a user needs a name and an e-mail address")
		}
	}
	return onDirectory(ctx, s, cmd.DryRun, func(d directory, m moment) (store.Change, Answer[user.User], error) {
		return decideUser(caller, cmd.Write, cmd.UserPatch, user.User{}, d, m)
	})
}

// UpdateUser sets fields of a user. Making a user inactive revokes his tokens for
// good (D17), also when he is the last administrator: who has lost a token must be
// able to shut it out, and the command line makes new ones. It fails with fault.NotFound, and with fault.AlreadyExists when the
// e-mail address is taken.
func (s *Service) UpdateUser(ctx context.Context, caller Caller, id ident.ID, cmd UpdateUser) (Answer[user.User], error) {
	return onDirectory(ctx, s, cmd.DryRun, func(d directory, m moment) (store.Change, Answer[user.User], error) {
		old, ok := d.catalogue.User(id)
		if !ok {
			return store.Change{}, Answer[user.User]{}, userNotFound()
		}
		return decideUser(caller, cmd.Write, cmd.UserPatch, old, d, m)
	})
}

// decideUser applies the patch to old, which is the zero User when it is to be
// created.
func decideUser(caller Caller, w Write, p UserPatch, old user.User, d directory, m moment) (store.Change, Answer[user.User], error) {
	faults := w.Faults
	u := p.apply(old, &faults)
	if err := faults.Err(); err != nil {
		return store.Change{}, Answer[user.User]{}, err
	}
	if other, taken := d.catalogue.UserByEmail(u.Email); taken && other.ID != old.ID {
		return store.Change{}, Answer[user.User]{}, fault.New(fault.AlreadyExists, "another user has this e-mail address")
	}
	created := old.ID.IsNone()
	st := newStep(m, caller.User)
	if created {
		u.ID = st.ids.Next()
	}
	if u != old {
		st.resolvedBy(d.catalogue.Version)
		st.putUser(u, old)
	}
	if u.Inactive && !old.Inactive {
		st.expect(store.AccessAt{Version: d.access}) // or a token just made would live on
		for _, token := range d.tokens {
			if token.User == u.ID && token.Revoked.IsZero() {
				token.Revoked = st.At
				st.putToken(token, u.Name, false)
			}
		}
	}
	if w.DryRun && created {
		u.ID = ident.None
	}
	return st.Change, Answer[user.User]{Value: u, Catalogue: d.catalogue, New: created}, nil
}

func (p UserPatch) apply(u user.User, faults *fault.List) user.User {
	if p.Name.Sent {
		u.Name = line(text.Name, p.Name, "/name", faults)
	}
	if p.Email.Sent {
		u.Email = line(text.Name, p.Email, "/email", faults)
		local, domain, _ := strings.Cut(u.Email, "@")
		if !faults.Covers("/email") && (local == "" || domain == "" || strings.ContainsFunc(u.Email, unicode.IsSpace)) {
			faults.Add(fault.InvalidValue, "/email", "must be an e-mail address, such as ann@example.org")
		}
	}
	if p.Inactive.Null {
		faults.Add(fault.InvalidValue, "/inactive", "cannot be null: send true or false")
	} else if p.Inactive.Sent {
		u.Inactive = p.Inactive.Value
	}
	return u
}

// findToken returns the token with the given identifier.
func (d directory) findToken(id ident.ID) (access.Token, bool) {
	i := slices.IndexFunc(d.tokens, func(t access.Token) bool { return t.ID == id })
	if i < 0 {
		return access.Token{}, false
	}
	return d.tokens[i], true
}
