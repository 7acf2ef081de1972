package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/links"
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
	if err := q.takeLanguage(); err != nil {
		return answer{}, err
	}
	to := q.form.Get("to")
	if !ownPath(to) {
		to = "/problems"
	}
	return q.redirect(to), nil
}

// takeLanguage keeps the language that the form chooses.
func (q *request) takeLanguage() error {
	tag := q.form.Get("language")
	language, ok := texts.Find(tag)
	if !ok && tag != "" {
		return fault.New(fault.MalformedRequest, "there are no pages in this language")
	}
	c := q.languageCookie()
	c.Value, c.MaxAge = tag, languageAge
	if tag == "" {
		c.MaxAge = -1
	} else {
		q.language, q.chosen = language, true
	}
	http.SetCookie(q.w, &c)
	return nil
}

// againForm is the identifier of the form that an answer to a form has in it. Its buttons for a
// language send it without any effect but its page in this language.
const againForm = "again"

// inLanguage returns the answer to a form that chose a language: its page, without a write.
func inLanguage(rt route) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		switch {
		case rt.path == "/problems/bulk":
			q.form.Del("preview")
			q.form.Del("do")
			return changeProblems(q)
		case rt.path == "/problems/{problem}" && q.form.Has("base"):
			return q.conflictAgain()
		}
		return q.unsent()
	}
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
// form, because nobody can go back there; but the answers to some have a page of their own there.
func (q *request) at() string {
	path := strings.TrimPrefix(q.r.URL.Path, q.base)
	switch {
	case q.r.Method == http.MethodPost && path == "/sign-in":
		return path + links.Suffix(links.With(nil, "to", q.form.Get("to")))
	case q.r.Method == http.MethodPost && path != unsubscribePath:
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
