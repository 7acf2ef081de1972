package web

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/web/internal/keys"
	"github.com/problemtracking/problems/domain/fault"
)

// keysPage lists the keys, and turns them off and on.
type keysPage struct {
	layout
	Groups []keyGroup
}

// keyGroup are the keys of one place.
type keyGroup struct {
	Place string
	Keys  []keys.Key
}

// keysCookie returns the cookie of a browser without keys, without its value.
func (h *Handler) keysCookie() http.Cookie { return h.newCookie("problems-keys") }

// keysOff reports whether somebody has turned the keys off in this browser, or prefers them off.
func (q *request) keysOff() bool {
	if cookie, err := q.r.Cookie(q.keysCookie().Name); err == nil {
		return cookie.Value == "off"
	}
	return q.preferred.KeysOff
}

func showKeys(q *request) (answer, error) {
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	view := keysPage{layout: q.signedIn(q.say("keys.title"), c)}
	for _, place := range keys.Places {
		view.Groups = append(view.Groups, keyGroup{place, keys.Of(place)})
	}
	return page("keys", view), nil
}

// chooseKeys turns the keys of this browser off or on.
func chooseKeys(q *request) (answer, error) {
	c := q.keysCookie()
	c.Value, c.MaxAge = q.form.Get("keys"), languageAge
	if c.Value != "on" && c.Value != "off" {
		return answer{}, fault.New(fault.MalformedRequest, "keys are on or off")
	}
	http.SetCookie(q.w, &c)
	return q.redirect("/keys"), nil
}
