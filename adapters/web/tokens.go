package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// tokensPage lists all tokens, with a form for a new one.
type tokensPage struct {
	layout
	Kinds  []kindLink
	Rows   []tokenRow
	Users  forms.Choice
	Scopes []access.Scope
	// Secret is that of a token just made; empty: none was. It is shown once.
	Secret string
	// Invited is the person of an invitation just made; nil: it was another token.
	Invited *invited
}

// invited is a person with the link that signs in once.
type invited struct {
	Name, Email, Link string
	Expires           time.Time
}

type tokenRow struct {
	ID               string
	User, Name       string
	Scope            access.Scope
	Created, Expires time.Time
	LastUse          time.Time
	Valid            bool
	Invitation       bool
}

func newTokenRow(t access.Token, now time.Time) tokenRow {
	return tokenRow{
		ID: t.ID.String(), Name: t.Name, Scope: t.Scope, Created: t.Created, Expires: t.Expires, LastUse: t.LastUse,
		Valid: t.Valid(now), Invitation: t.Invitation,
	}
}

// tokenName returns the name in a form; an empty one is none.
func tokenName(form url.Values) (name patch.Field[string]) {
	if text := form.Get("name"); strings.TrimSpace(text) != "" {
		name = patch.Set(text)
	}
	return name
}

func showTokens(q *request) (answer, error) { return q.tokensPage(admin.IssuedToken{}) }

// tokensPage lists the valid tokens first, below one just made.
func (q *request) tokensPage(issued admin.IssuedToken) (answer, error) {
	all, err := q.Service.Tokens(q.context())
	if err != nil {
		return answer{}, err
	}
	c := all.Catalogue
	view := tokensPage{
		layout: q.signedIn(q.say("kind.tokens"), c).in("administration"), Kinds: q.kindLinks("tokens"),
		Users: forms.ObjectChoice("user", metadata.Users, ident.None, c), Scopes: access.Scopes(), Secret: issued.Secret.Reveal(),
	}
	view.Users.Required = true
	if u, ok := c.User(issued.User); ok && issued.Invitation {
		view.Invited = &invited{u.Name, u.Email, q.origin() + q.base + "/sign-in?" + url.Values{"code": {view.Secret}}.Encode(), issued.Expires}
	}
	var ended []tokenRow
	for i := len(all.Value) - 1; i >= 0; i-- {
		t := all.Value[i]
		row := newTokenRow(t, q.Now())
		row.User = c.Name(metadata.Users, t.User)
		if row.Valid {
			view.Rows = append(view.Rows, row)
		} else {
			ended = append(ended, row)
		}
	}
	view.Rows = append(view.Rows, ended...)
	return page("tokens", view), nil
}

// createToken answers with the page itself: the secret is in no address, and is not shown
// again.
func createToken(q *request) (answer, error) {
	var faults fault.List
	cmd := admin.CreateToken{User: forms.Reference(q.form, "user"), Scope: patch.Set(q.form.Get("scope")), Expires: calendar{q.Service.Zone()}.end(q.form, "expires", &faults)}
	cmd.Faults, cmd.Name = faults, tokenName(q.form)
	if q.form.Has("invitation") {
		cmd.Invitation = patch.Set(true)
	}
	issued, err := q.Service.CreateToken(q.context(), q.caller, cmd)
	if err != nil {
		return answer{}, err
	}
	return q.tokensPage(issued.Value)
}

func revokeToken(q *request) (answer, error) {
	id, err := q.objectID()
	if err == nil {
		_, err = q.Service.RevokeToken(q.context(), q.caller, id, tracker.Write{})
	}
	if err != nil {
		return answer{}, err
	}
	return q.redirect("/administration/tokens"), nil
}
