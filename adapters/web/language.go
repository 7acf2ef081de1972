package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
)

// languageAge is how many seconds a browser keeps the choice of a language: a year.
const languageAge = 365 * 24 * 60 * 60

// languageChoice is a language to choose for pages.
type languageChoice struct {
	Tag, Name string
	// Current is whether the page is in it.
	Current bool
}

// languageCookie returns the cookie with the choice of a language, without its value.
func (h *Handler) languageCookie() http.Cookie { return h.newCookie("problems-language") }

// languageOf returns the language of a page: the chosen one, or else the best for the
// browser. It also reports whether somebody has chosen.
func (h *Handler) languageOf(r *http.Request) (language *texts.Language, chosen bool) {
	if cookie, err := r.Cookie(h.languageCookie().Name); err == nil {
		if language, ok := texts.Find(cookie.Value); ok {
			return language, true
		}
	}
	return texts.Choose(r.Header.Get("Accept-Language")), false
}

// chooseLanguage keeps the choice of a language in the browser, and goes back to the page.
// An empty choice leaves it to the browser.
func chooseLanguage(q *request) (answer, error) {
	tag := q.form.Get("language")
	if _, ok := texts.Find(tag); !ok && tag != "" {
		return answer{}, fault.New(fault.MalformedRequest, "there are no pages in this language")
	}
	c := q.languageCookie()
	c.Value, c.MaxAge = tag, languageAge
	if tag == "" {
		c.MaxAge = -1
	}
	http.SetCookie(q.w, &c)
	to := q.form.Get("to")
	if !ownPath(to) {
		to = "/problems"
	}
	return q.redirect(to), nil
}

// languages returns the choices of a language.
func (q *request) languages() []languageChoice {
	var all []languageChoice
	for _, l := range texts.Languages() {
		all = append(all, languageChoice{l.Tag, l.Name, l == q.language})
	}
	return all
}

// at returns the address of the page below the base path. It returns "" for the answer to a
// form, because nobody can go back there.
func (q *request) at() string {
	if q.r.Method == http.MethodPost {
		return ""
	}
	return strings.TrimPrefix(q.r.URL.RequestURI(), q.base)
}

// ownPath reports whether a text is a path of this site, as a form or a link has it: never
// another site's.
func ownPath(to string) bool {
	u, err := url.Parse(to)
	return err == nil && !u.IsAbs() && u.Host == "" && u.Opaque == "" && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.ContainsAny(to, "\\\t\r\n")
}
