package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// Proxy are the settings for a proxy in front that authenticates people (D41). The proxy has
// to remove the header from requests of clients.
type Proxy struct {
	// Header is the name of the header with the e-mail address of a person.
	Header string
	// Networks are the addresses of the proxy. The header counts only on their own
	// connections: an address in X-Forwarded-For proves nothing here.
	Networks peer.Networks
	// Scope is the scope of all sessions that begin in this way.
	Scope access.Scope
}

// namedByProxy returns the e-mail address in the header of the proxy, or "" when the
// request does not come from the proxy or the header is empty. It fails with
// fault.Forbidden when the header does not have one address: an attacker could have added
// the other one.
func (q *request) namedByProxy() (string, error) {
	p := q.Proxy
	if p == nil || !p.Networks.Contain(peer.Client(q.r.RemoteAddr, nil, peer.Proxies{})) {
		return "", nil
	}
	lines := q.r.Header.Values(p.Header)
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return "", nil
	}
	if len(lines) > 1 || strings.ContainsAny(lines[0], ",;") {
		return "", fault.New(fault.Forbidden, "the header %s of the proxy has to have one e-mail address", p.Header)
	}
	if err := user.CheckProved(lines[0]); err != nil {
		return "", fault.New(fault.Forbidden, "the header %s of the proxy has %+q: it %v", p.Header, lines[0], err)
	}
	return lines[0], nil
}

// compareWithProxy ends the session when the proxy names another person than the session's
// user, or does not name one person. It then fails with fault.Unauthenticated. A form is not
// carried out: the person before the browser may not have filled it in.
func (q *request) compareWithProxy() error {
	email, unclear := q.namedByProxy()
	if unclear == nil && email == "" {
		return nil
	}
	reason := "does not name one person"
	if unclear == nil {
		me, err := q.Service.Users().Load(q.context(), q.caller.User)
		if err != nil {
			q.caller = tracker.Caller{}
			return err
		}
		if user.FoldEmail(me.Value.Email) == user.FoldEmail(email) {
			return nil
		}
		reason = "names another person than before"
	}
	err := q.Service.Sessions.SignOut(q.context(), q.caller)
	q.caller = tracker.Caller{}
	if err != nil {
		return err
	}
	q.forget()
	return fault.New(fault.Unauthenticated, "the proxy in front of this service %s; nothing was done", reason)
}

// signInByProxy begins a session for the person named by the proxy, or refuses the person. It
// returns false, and no answer, when the proxy names nobody.
//
// It is a change by a GET, as the end of a sign-in with OpenID Connect is (D41). The proxy
// authenticates each request, so the session adds nothing to the rights of the browser: no
// other site gains anything by a link to it. A page of another site could load this one as a
// hundred images, and so end all other sessions of the person: there it begins none. The browser
// has to come back with the cookie before it goes on, or a browser without cookies would begin
// one session after another.
func (q *request) signInByProxy(to string) (answer, bool, error) {
	refuse := func(status int, key string, args ...any) (answer, bool, error) {
		return q.refuseAll(status, to, key, args...), true, nil // the session of another person would end at once
	}
	email, err := q.namedByProxy()
	switch {
	case err != nil:
		q.Logger.WarnContext(q.context(), "sign-in by the header of a proxy failed", "request", q.frame.RequestID, "cause", err)
		return refuse(http.StatusForbidden, "proxy.header")
	case email == "" || q.isPartOfAnotherSite():
		return answer{}, false, nil
	case q.several:
		return answer{}, true, severalSessions()
	case q.r.URL.Query().Has("proxy"):
		return refuse(http.StatusBadRequest, "sign-in.no-cookies")
	}
	u, known, err := q.userByEmail(email)
	switch {
	case err != nil:
		return answer{}, true, err
	case !known:
		return refuse(http.StatusForbidden, "sign-in.unknown", email)
	}
	ok, err := q.beginFor(u, q.Proxy.Scope)
	switch {
	case err != nil:
		return answer{}, true, err
	case !ok:
		return refuse(http.StatusForbidden, "sign-in.inactive", email)
	}
	return q.redirect("/sign-in?proxy=1&to=" + url.QueryEscape(to)), true, nil
}

// isPartOfAnotherSite reports whether a page of another site loads this one as a part of
// itself. Browsers say so over https and on loopback.
func (q *request) isPartOfAnotherSite() bool {
	site := q.r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && q.r.Header.Get("Sec-Fetch-Dest") != "document"
}
