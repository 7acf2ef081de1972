package directory

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/erasure"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/user"
)

// local reaches the users and tokens in a store.
type local struct {
	service *usecases.All
	store   store.Store
	eraser  *erasure.Worker
}

// operator is the caller on a store: everybody with access to the store may do anything,
// without being a user of the service.
var operator = tracker.Caller{Scope: access.Admin}

// Local returns the directory in a store, and closes the store in the end. The store must
// have been seeded: a user in an empty store would prevent the seed for good.
func Local(ctx context.Context, service *usecases.All, s store.Store) (Directory, error) {
	l := &local{service, s, service.Erasures.NewWorker(false, nil)}
	users, err := l.Users(ctx)
	if err == nil && len(users) == 0 {
		err = errors.New(`the store is empty: start "problems serve" on it once`)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *local) Close() error { return l.store.Close() }

func (l *local) Users(ctx context.Context) ([]User, error) {
	answer, err := l.service.Users().List(ctx)
	if err != nil {
		return nil, sentence(err)
	}
	users := make([]User, 0, len(answer.Value))
	for _, u := range answer.Value {
		users = append(users, userOf(u, answer.Catalogue))
	}
	return users, nil
}

func (l *local) AddUser(ctx context.Context, name, email string) (User, error) {
	answer, err := l.service.Users().Create(ctx, operator, admin.CreateObject[admin.UserPatch]{
		Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(email)},
	})
	return userOf(answer.Value, answer.Catalogue), sentence(err)
}

func (l *local) Deactivate(ctx context.Context, userID string, lastAdmin bool) (User, error) {
	id, err := ident.Parse(userID)
	if err != nil {
		return User{}, err
	}
	answer, err := l.service.Users().Update(ctx, operator, id, admin.UpdateObject[admin.UserPatch]{
		Write: tracker.Write{LastAdmin: lastAdmin},
		Patch: admin.UserPatch{Inactive: patch.Set(true)},
	})
	return userOf(answer.Value, answer.Catalogue), sentence(err)
}

// Erase implements Directory. It does a part of the erasure unless a server does.
func (l *local) Erase(ctx context.Context, userID string, dryRun, lastAdmin bool) (Erasure, error) {
	id, err := ident.Parse(userID)
	if err != nil {
		return Erasure{}, err
	}
	answer, err := l.service.Erasures.Begin(ctx, operator, id, tracker.Write{DryRun: dryRun, LastAdmin: lastAdmin}, math.MaxInt)
	if err == nil && !dryRun && !answer.Value.Done {
		if _, err = l.eraser.Work(ctx, time.Now()); err == nil || fault.Is(err, fault.Unavailable) {
			answer, err = l.service.Erasures.Load(ctx, id)
		}
	}
	if err != nil {
		return Erasure{}, sentence(err)
	}
	e := Erasure{
		User: userOf(answer.Value.User, answer.Catalogue), Done: answer.Value.Done, Through: int64(answer.Value.Through),
		Problems: answer.Value.Problems, Log: answer.Value.Log, Watches: answer.Value.Watches,
		Audit: answer.Value.Audit, Tokens: answer.Value.Tokens, Sessions: answer.Value.Sessions, Saved: answer.Value.Saved,
	}
	for _, id := range answer.Value.Texts {
		e.Texts = append(e.Texts, int64(id))
	}
	for _, id := range answer.Value.Queries {
		e.Queries = append(e.Queries, id.String())
	}
	for _, id := range answer.Value.Webhooks {
		e.Webhooks = append(e.Webhooks, id.String())
	}
	return e, nil
}

func (l *local) Tokens(ctx context.Context) ([]Token, error) {
	answer, err := l.service.Tokens(ctx)
	if err != nil {
		return nil, sentence(err)
	}
	tokens := make([]Token, 0, len(answer.Value))
	for _, t := range answer.Value {
		tokens = append(tokens, tokenOf(t, answer.Catalogue))
	}
	return tokens, nil
}

func (l *local) CreateToken(ctx context.Context, userID, scope, name string, expires time.Time) (Token, error) {
	command := admin.CreateToken{
		User:  patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(userID)}),
		Scope: patch.Set(scope),
	}
	if name != "" {
		command.Name = patch.Set(name)
	}
	if !expires.IsZero() {
		command.Expires = patch.Set(expires)
	}
	answer, err := l.service.CreateToken(ctx, operator, command)
	if err != nil {
		return Token{}, sentence(err)
	}
	token := tokenOf(answer.Value.Token, answer.Catalogue)
	token.Secret = answer.Value.Secret.Reveal()
	return token, nil
}

func (l *local) RevokeToken(ctx context.Context, tokenID string, lastAdmin bool) error {
	id, err := ident.Parse(tokenID)
	if err != nil {
		return errors.New(`that is not the identifier of a token: "problems token list" shows them`)
	}
	_, err = l.service.RevokeToken(ctx, operator, id, tracker.Write{LastAdmin: lastAdmin})
	return sentence(err)
}

func userOf(u user.User, c *metadata.Catalogue) User {
	shown := User{Identifier: u.ID.String(), Name: u.Name, Email: u.Email, Inactive: u.Inactive}
	if !u.RobotOf.IsNone() {
		shown.RobotOf = &client.Reference{Identifier: u.RobotOf.String(), Name: c.Name(metadata.Users, u.RobotOf)}
	}
	return shown
}

func tokenOf(t access.Token, c *metadata.Catalogue) Token {
	token := Token{
		Identifier:   t.ID.String(),
		User:         client.Reference{Identifier: t.User.String(), Name: c.Name(metadata.Users, t.User)},
		Scope:        string(t.Scope),
		CreationDate: t.Created,
		Expires:      optional(t.Expires),
		Revoked:      optional(t.Revoked),
		LastUse:      optional(t.LastUse),
		Invitation:   t.Invitation,
	}
	if t.Name != "" {
		token.Name = &t.Name
	}
	return token
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// sentence returns the text of a fault. Unlike a client of the API, the person at the
// store gets the cause.
func sentence(err error) error {
	if refused := config.ClockRefused(err); refused != err {
		return refused
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	text := f.Detail
	if len(f.Items) > 0 {
		var items []string
		for _, item := range f.Items {
			if !item.At.Whole() {
				item.Detail = item.At.String() + ": " + item.Detail
			}
			items = append(items, item.Detail)
		}
		text = strings.Join(items, "; ")
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return errors.New(text)
}
