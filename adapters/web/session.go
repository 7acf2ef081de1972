package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker/sessions"
)

// cookie returns the cookie of a session without its value.
func (h *Handler) cookie() http.Cookie { return h.newCookie("problems-session") }

// newCookie returns a cookie without its value. The base path is part of its name: browsers
// also send the cookies of all parent paths. These may belong to another tracker, or to this
// one at an earlier path. Under https the prefix __Host- keeps all other hosts from setting
// it, those below the same domain too. The prefix needs the path "/": all services of the host
// receive the cookie. Browsers drop cookies with the prefix on plain HTTP.
func (h *Handler) newCookie(name string) http.Cookie {
	name += inCookieName(h.base)
	if h.Secure {
		return http.Cookie{Name: "__Host-" + name, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	}
	return http.Cookie{Name: name, Path: cmp.Or(h.base, "/"), HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// inCookieName returns a path as a part of the name of a cookie. No two paths have the same:
// trackers beside each other on one host would end each other's sessions.
func inCookieName(path string) string {
	var name strings.Builder
	for _, b := range []byte(path) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '-', b == '_':
			name.WriteByte(b)
		case b == '/':
			name.WriteByte('.')
		default:
			fmt.Fprintf(&name, "%%%02X", b)
		}
	}
	return name.String()
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
	q.caller, err = q.Service.Sessions.Recognize(ctx, key)
	return err
}

func severalSessions() error {
	return fault.New(fault.Unauthenticated, "your browser sends several sessions, and another service on this host may have made one of them: delete the cookies of this host, and sign in again")
}

// begin gives the browser a session. Every sign-in makes a new one, so a key planted in the
// browser before is of no use.
func (q *request) begin(s sessions.SignedIn) {
	c := q.cookie()
	c.Value = s.Key.Reveal()
	c.Expires = s.Session.Expires
	http.SetCookie(q.w, &c)
}

// forget has the browser forget its session, and what it has seen.
func (q *request) forget() {
	q.forgetList()
	c := q.cookie()
	c.MaxAge = -1
	http.SetCookie(q.w, &c)
}
