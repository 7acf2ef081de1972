package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// proofCookie is a cookie that browsers keep where they keep that of a session.
func (h *Handler) proofCookie() http.Cookie { return h.newCookie("problems-cookies") }

// keepsCookies reports whether the browser has shown that it keeps cookies of this address.
func (q *request) keepsCookies() bool { return len(q.r.CookiesNamed(q.proofCookie().Name)) > 0 }

// origin returns the origin of the pages: that for people, or the one of the request.
func (q *request) origin() string {
	switch {
	case q.Origin != "":
		return q.Origin
	case q.Secure:
		return "https://" + q.r.Host
	}
	return "http://" + q.r.Host
}

// proveCookies answers a request for the page for signing in, unless the browser keeps cookies. On
// plain HTTP, browsers drop the cookies of a service with https. A person would send a token, and
// get the empty form again. So the first answer sets a cookie, and has the browser come back. The
// second one says what is wrong, before anybody sends a secret.
func (q *request) proveCookies() (answer, bool) {
	if !q.Secure || q.keepsCookies() {
		return answer{}, false
	}
	query := q.r.URL.Query()
	if query.Has("cookies") {
		return q.elsewhere(query), true
	}
	c := q.proofCookie()
	c.Value = "1"
	http.SetCookie(q.w, &c)
	query.Set("cookies", "1")
	return q.redirect("/sign-in?" + query.Encode()), true
}

// isPlain reports whether a form comes from a page on plain HTTP, where the browser would drop the
// session.
func (q *request) isPlain() bool {
	return q.Secure && strings.HasPrefix(q.r.Header.Get("Origin"), "http://") && !q.keepsCookies()
}

// elsewhere is the page for signing in at an address without cookies. It leads to the address for
// people, with the same code and page to go on with.
func (q *request) elsewhere(sent url.Values) answer {
	to := destination(sent.Get("to"))
	if q.Origin == "" {
		return q.refuseAll(http.StatusBadRequest, to, "sign-in.no-cookies")
	}
	again := url.Values{"to": {to}}
	if sent.Has("code") {
		again.Set("code", sent.Get("code"))
	}
	a := q.refuseAll(http.StatusBadRequest, to, "sign-in.elsewhere", q.Origin+cmp.Or(q.base, "/"))
	view := a.view.(signInPage)
	view.Right = q.Origin + q.base + "/sign-in?" + again.Encode()
	a.view = view
	return a
}
