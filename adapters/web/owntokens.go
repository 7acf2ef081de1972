package web

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// ownTokensPath is the page on which people make tokens for themselves (D50). The command line
// opens it.
const ownTokensPath = "/me/tokens"

// ownTokensPage lists the tokens of a person that work, the newest first.
type ownTokensPage struct {
	layout
	Rows   []tokenRow
	Scopes []access.Scope // that the person may give
	Wanted access.Scope
	// Latest is the last day of a new token, and Usual the one in the form.
	Latest, Usual string
	// Secret is that of a token just made; empty: none was. It is shown once.
	Secret string
}

// usualTokenLife is the life of a token unless somebody chooses another one.
const usualTokenLife = 30 * 24 * time.Hour

func showOwnTokens(q *request) (answer, error) { return q.ownTokensPage("") }

func (q *request) ownTokensPage(secret string) (answer, error) {
	all, err := q.Service.OwnTokens(q.context(), q.caller)
	if err != nil {
		return answer{}, err
	}
	// Such a day ends a day later at most.
	day := func(after time.Duration) string { return q.Now().In(q.Service.Zone()).Add(after).Format(time.DateOnly) }
	view := ownTokensPage{
		layout: q.signedIn(q.say("tokens.title"), all.Catalogue).in("settings"), Secret: secret,
		Latest: day(access.MostOwnLife - 24*time.Hour), Usual: day(usualTokenLife), Wanted: access.Write,
	}
	for _, scope := range access.Scopes() {
		if q.caller.Scope.Covers(scope) {
			view.Scopes = append(view.Scopes, scope)
		}
	}
	if !q.caller.Scope.Covers(access.Write) {
		view.Wanted = q.caller.Scope
	}
	for _, t := range slices.Backward(all.Value) {
		if t.Valid(q.Now()) && !t.Invitation {
			view.Rows = append(view.Rows, newTokenRow(t, q.Now()))
		}
	}
	return page("own-tokens", view), nil
}

// createOwnToken answers with the page itself: the secret is in no address, and is not shown
// again.
func createOwnToken(q *request) (answer, error) {
	var faults fault.List
	cmd := admin.CreateOwnToken{Scope: patch.Set(q.form.Get("scope")), Expires: calendar{q.Service.Zone()}.end(q.form, "expires", &faults)}
	cmd.Faults, cmd.Name = faults, tokenName(q.form)
	issued, err := q.Service.CreateOwnToken(q.context(), q.caller, cmd)
	if err != nil {
		return answer{}, err
	}
	return q.ownTokensPage(issued.Value.Secret.Reveal())
}

func revokeOwnToken(q *request) (answer, error) {
	id, err := q.objectID()
	if err == nil {
		_, err = q.Service.RevokeOwnToken(q.context(), q.caller, id, tracker.Write{})
	}
	if err != nil {
		return answer{}, err
	}
	return q.redirect(ownTokensPath), nil
}
