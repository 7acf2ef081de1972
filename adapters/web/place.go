package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/problem"
)

// listPlace is the place of a problem in the list that its reader saw last.
type listPlace struct {
	To string // the address of the list
	// Previous and Next are the problems beside it; 0: there is none on the page of the list.
	Previous, Next problem.ID
	// Number is the number of its row, from 1; 0: the list did not have it. Of is how many there were.
	Number, Of int
}

// mostQuery is the most bytes of the query of a list in a cookie: browsers keep 4 KiB of one.
const mostQuery = 2500

// listCookie is the cookie with the list that a browser showed last. The list changes with each
// comment, and people go through it as they saw it.
func (h *Handler) listCookie() http.Cookie { return h.newCookie("problems-list") }

// remember keeps the list for the pages of its problems.
func (q *request) remember(query url.Values, rows []row) {
	c := q.listCookie()
	text := base64.RawURLEncoding.EncodeToString([]byte(query.Encode()))
	if len(text) > mostQuery {
		text = "" // the usual list
	}
	var value strings.Builder
	value.WriteString(text)
	for _, r := range rows {
		value.WriteString("." + formatID(r.ID))
	}
	c.Value = value.String()
	http.SetCookie(q.w, &c)
}

// forgetList has the browser forget the list.
func (q *request) forgetList() {
	c := q.listCookie()
	c.MaxAge = -1
	http.SetCookie(q.w, &c)
}

// place returns the place of a problem in the remembered list. Whatever a browser sends is a
// list: it leads only to pages that its user may see anyway.
func (q *request) place(id problem.ID) listPlace {
	place := listPlace{To: q.base + "/problems"}
	cookie, err := q.r.Cookie(q.listCookie().Name)
	if err != nil {
		return place
	}
	parts := strings.Split(cookie.Value, ".")
	if query, err := base64.RawURLEncoding.DecodeString(parts[0]); err == nil && len(query) > 0 {
		if values, err := url.ParseQuery(string(query)); err == nil {
			place.To += "?" + values.Encode()
		}
	}
	rows := parts[1:]
	at := slices.Index(rows, formatID(id))
	if at < 0 {
		return place
	}
	place.Number, place.Of = at+1, len(rows)
	if at > 0 {
		place.Previous, _ = problem.ParseID(rows[at-1])
	}
	if at+1 < len(rows) {
		place.Next, _ = problem.ParseID(rows[at+1])
	}
	return place
}
