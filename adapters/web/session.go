package web

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// cookie returns the cookie of a session without its value.
func (h *Handler) cookie() http.Cookie { return h.newCookie("problems-session") }

// newCookie returns a cookie without its value. The base path is part of its name: browsers
// send the cookies of all paths above as well, which may be those of another tracker, or of
// this one before it moved. Under https the name has a prefix, so that no other site of the
// host can set it. The prefix __Host- needs the path "/". Browsers drop both prefixes on
// plain HTTP.
func (h *Handler) newCookie(name string) http.Cookie {
	name += strings.Map(inCookieName, h.base)
	c := http.Cookie{Name: name, Path: cmp.Or(h.base, "/"), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if h.Secure {
		c.Secure = true
		c.Name = "__Host-" + name
		if h.base != "" {
			c.Name = "__Secure-" + name
		}
	}
	return c
}

// inCookieName replaces a character that the name of a cookie cannot have. The paths above a
// path are shorter, and so are their names: they stay apart.
func inCookieName(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return r
	}
	return '.'
}

// recognize finds the caller of the session in the cookie. It fails with
// fault.Unauthenticated.
func (q *request) recognize(ctx context.Context) error {
	cookies := q.r.CookiesNamed(q.cookie().Name)
	if len(cookies) != 1 { // several: a site beside this one may have set one
		return fault.New(fault.Unauthenticated, "you are not signed in")
	}
	key, err := access.ParseSessionKey(cookies[0].Value)
	if err != nil {
		return fault.New(fault.Unauthenticated, "you are not signed in")
	}
	q.caller, err = q.Service.RecognizeSession(ctx, key)
	return err
}

// begin gives the browser a session. Every sign-in makes a new one, so a key planted in the
// browser before is of no use.
func (q *request) begin(s tracker.SignedIn) {
	c := q.cookie()
	c.Value = s.Key.Reveal()
	c.Expires = s.Session.Expires
	http.SetCookie(q.w, &c)
}

// forget has the browser forget its session.
func (q *request) forget() {
	c := q.cookie()
	c.MaxAge = -1
	http.SetCookie(q.w, &c)
}
