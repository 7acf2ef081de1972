package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/codes"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker/sessions"
)

// Codes are codes for signing in, each once, within an hour, and only in this process. The
// first start of a service prints a link with one. The zero Codes are empty.
type Codes = codes.Codes

// signInPage is the page for signing in.
type signInPage struct {
	layout
	To    string // the page to go on with, below the base path
	Code  string // a code for signing in once; empty: with a token
	Error string
	// Provider is the name of the provider of OpenID Connect; empty: there is none.
	Provider string
	// NoForm hides all ways to sign in, because none would help.
	NoForm bool
	// Right is where people can sign in instead of here; empty: it is here.
	Right string
}

// signInPage returns the page for signing in, and then going on.
func (q *request) signInPage(to string) signInPage {
	page := signInPage{layout: q.layout(q.say("sign-in.title")), To: to}
	if q.OpenID != nil {
		page.Provider = q.OpenID.Name
	}
	return page
}

// refuse answers a failed sign-in with its page.
func (q *request) refuse(status int, to, key string, args ...any) answer {
	view := q.signInPage(to)
	view.Error = q.say(key, args...)
	return answer{status: status, name: "sign-in", view: view}
}

// refuseAll is refuse without any way to sign in: none would help.
func (q *request) refuseAll(status int, to, key string, args ...any) answer {
	a := q.refuse(status, to, key, args...)
	view := a.view.(signInPage)
	view.NoForm = true
	a.view = view
	return a
}

// showSignIn shows the form. With a code in the query, the form has only a button: a GET
// changes nothing, so a program that looks at links uses up no code. A person known to
// the proxy needs no form.
func showSignIn(q *request) (answer, error) {
	query := q.r.URL.Query()
	to := destination(query.Get("to"))
	if !q.caller.User.IsNone() && !query.Has("code") {
		return q.redirect(to), nil
	}
	if a, ok := q.proveCookies(); ok {
		return a, nil
	}
	if !query.Has("code") && !query.Has("token") && q.r.Method == http.MethodGet {
		if a, ok, err := q.signInByProxy(to); ok || err != nil {
			return a, err
		}
	}
	view := q.signInPage(to)
	view.Code = query.Get("code")
	return page("sign-in", view), nil
}

// signIn begins a session: by a token, or by a code.
func signIn(q *request) (answer, error) {
	to := destination(q.form.Get("to"))
	if q.isPlain() {
		return q.elsewhere(q.form), nil
	}
	secret, undo, err := q.credential()
	var signed sessions.SignedIn
	if err == nil {
		signed, err = q.Service.Sessions.SignIn(q.context(), secret, q.r.UserAgent())
	}
	switch {
	case fault.Is(err, fault.Unauthenticated):
		if q.form.Has("code") {
			return q.refuse(http.StatusUnauthorized, to, "sign-in.code-used"), nil
		}
		return q.refuse(http.StatusUnauthorized, to, "sign-in.refused"), nil
	case err != nil:
		undo()
		return answer{}, err
	}
	q.begin(signed)
	return q.redirect(to), nil
}

// credential returns the token in the form, or that of the code in it. An invitation is a
// code that is its own token. The code is used up, unless undo is called. It fails with
// fault.Unauthenticated.
func (q *request) credential() (secret access.Secret, undo func(), err error) {
	if q.form.Has("code") {
		if secret, undo, ok := q.Codes.Take(q.form.Get("code"), q.Now()); ok {
			return secret, undo, nil
		}
		if secret, err := access.ParseSecret(q.form.Get("code")); err == nil {
			return secret, func() {}, nil
		}
		return access.Secret{}, nil, fault.New(fault.Unauthenticated, "the code is used up")
	}
	secret, err = access.ParseSecret(strings.TrimSpace(q.form.Get("token")))
	if err != nil {
		return secret, nil, fault.Wrap(fault.Unauthenticated, err, "this is no valid token")
	}
	return secret, func() {}, nil
}

// destination returns a path of this site to go on with after signing in.
func destination(to string) string {
	if !ownPath(to) || to == "/" || strings.HasPrefix(to, "/sign-") {
		return "/problems"
	}
	return to
}

// signInFirst answers a request without a session: a page leads to the form and back. A
// form is shown again, and nothing typed is lost. With several sessions, the page for signing
// in may see only one of them, and would lead back.
func (q *request) signInFirst(err error) (answer, error) {
	if q.r.Method == http.MethodPost || q.several {
		return answer{}, err
	}
	to := strings.TrimPrefix(q.r.URL.RequestURI(), q.base)
	if destination(to) == "/problems" {
		return q.redirect("/sign-in"), nil
	}
	return q.redirect("/sign-in?to=" + url.QueryEscape(to)), nil
}

// signOut ends the session. The form for signing in would begin another one when the
// proxy still knows the person, so a page says that.
func signOut(q *request) (answer, error) {
	if err := q.Service.Sessions.SignOut(q.context(), q.caller); err != nil {
		return answer{}, err
	}
	q.forget()
	if email, err := q.namedByProxy(); email != "" || err != nil {
		return q.redirect("/sign-out"), nil
	}
	return q.redirect("/sign-in"), nil
}

// showSignedOut says how to leave for good behind a proxy.
func showSignedOut(q *request) (answer, error) {
	if !q.caller.User.IsNone() {
		return q.redirect("/problems"), nil
	}
	return page("signed-out", q.layout(q.say("signed-out.title"))), nil
}
