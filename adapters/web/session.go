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
// also send the cookies of all parent paths. These may belong to another tracker, or to this
// one at an earlier path. Under https a prefix of the name keeps other sites of the host
// from setting it. The prefix __Host- needs the path "/". Browsers drop cookies with either
// prefix on plain HTTP.
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

// inCookieName replaces a character not allowed in the name of a cookie. Parent paths are
// shorter, and so are their names: they stay distinct.
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
	if len(cookies) == 0 {
		return fault.New(fault.Unauthenticated, "you are not signed in")
	}
	if q.several = len(cookies) > 1; q.several {
		return severalSessions()
	}
	key, err := access.ParseSessionKey(cookies[0].Value)
	if err != nil {
		return fault.New(fault.Unauthenticated, "you are not signed in")
	}
	q.caller, err = q.Service.RecognizeSession(ctx, key)
	return err
}

func severalSessions() error {
	return fault.New(fault.Unauthenticated, "your browser sends several sessions, and another service on this host may have made one of them: delete the cookies of this host, and sign in again")
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
