package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// language returns the language of a page, as the page and its header agree on it.
func (p *shownPage) language() string {
	p.t.Helper()
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "html" {
			if tag := attribute(n, "lang"); tag != p.header.Get("Content-Language") {
				p.t.Fatalf("%s is in %q, and its header says %q", p.path, tag, p.header.Get("Content-Language"))
			}
			return attribute(n, "lang")
		}
	}
	return ""
}

// in loads a page with a browser that asks for languages.
func (b *browser) in(accept, path string) *shownPage {
	b.t.Helper()
	r, err := http.NewRequest("GET", b.site.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept-Language", accept)
	return b.do(r)
}

// A choice of a person counts more than that of the browser, on each page, until it is
// taken back.
func TestLanguageIsChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The lamp is dark")
	if got := b.in("de", "/settings").language(); got != "de" {
		t.Fatalf("before a choice, the page is in %q", got)
	}
	settings := b.in("de", "/settings")
	if got := settings.form("/settings/preferences").Get("lang"); got != "" {
		t.Errorf("before a choice, %q is selected", got)
	}
	settings.submit("/language", "language", "en").is(200).at("/settings")
	for _, at := range []string{"/settings", path, "/problems?query=all", "/nowhere"} {
		if got := b.in("de", at).language(); got != "en" {
			t.Errorf("after the choice, %s is in %q", at, got)
		}
	}
	settings = b.in("de", "/settings")
	if got := settings.form("/settings/preferences").Get("lang"); got != "en" {
		t.Errorf("after the choice, %q is selected", got)
	}
	settings.submit("/settings/preferences", "lang", "")
	if got := b.in("de", path).language(); got != "de" {
		t.Errorf("after the choice was taken back, the page is in %q", got)
	}
}

// The foot of each page has the languages, each by its own name, and leads back to the page.
func TestLanguageInFoot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct {
		b    *browser
		path string
	}{{s.browser(t), "/sign-in?to=%2Fsettings"}, {s.browser(t), "/sign-in?code=x"}, {s.browser(t), "/sign-out"}, {s.signedIn(t), "/problems?query=all&title=a%26b"}, {s.signedIn(t), "/nowhere"}, {s.signedIn(t), s.problem(t, "The lamp is dark") + "/past?revision=1"}, {s.signedIn(t), s.problem(t, "a") + "/redaction"}} {
		page := c.b.in("en", c.path).has("English", "Deutsch")
		var buttons []string
		for n := range page.root.Descendants() {
			if n.Data == "button" && attribute(n, "name") == "language" {
				buttons = append(buttons, attribute(n, "lang")+" "+n.FirstChild.Data+" "+attribute(n, "aria-current"))
			}
		}
		if got := strings.Join(buttons, ", "); got != "en English true, de Deutsch " {
			t.Errorf("%s has the languages %q", c.path, got)
		}
		changed := page.submit("/language", "language", "de").at(c.path)
		if got := changed.language(); got != "de" {
			t.Errorf("%s is in %q after the choice", c.path, got)
		}
	}
	s.browser(t).post("/sign-in", "token", "x", "to", "/settings").is(http.StatusUnauthorized).submit("/language", "language", "de").at("/sign-in?to=%2Fsettings").has("Anmelden")
}

// Nobody can go back to the answer of a form. Its buttons for a language send the form in it once
// more, and nothing is done but its page in the language: the typed values stay.
func TestLanguageOfAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	stale := b.get(path)
	b.get(path).submit(path, "title", "The door is shut").is(200)
	for name, c := range map[string]struct {
		answer *shownPage
		action string
		typed  []string
		has    []string
	}{
		"two versions": {stale.submit(path, "title", "The door is red").is(412), path, []string{"title", "The door is blue"}, []string{"Dieses Problem wurde inzwischen geändert"}},
		"preview":      {b.post("/problems/bulk", "predicate", "identifier = 1", "priority", "", "read", "no").is(200), "/problems/bulk", nil, []string{"1 Problem würde geändert"}},
		"refused":      {b.post(path+"/relationships", "type", "ParentOf", "problem", "99999").is(422).has("No problem has this number").lacks("problemIdentifier", "identifier"), path + "/relationships", []string{"problem", "88888"}, []string{"Noch nicht gesendet"}},
		"mended":       {b.post("/administration/users", "name", "Bob", "email", "nonsense").is(422), "/administration/users", []string{"email", "bob@example.org"}, []string{"Noch nicht gesendet"}},
		"predicate":    {b.post("/problems/bulk", "predicate", "titel = 'x'").is(400), "/problems/bulk", nil, []string{"Zeile 1, Spalte 1: Diesen Schlüssel gibt es nicht."}},
	} {
		if !strings.Contains(c.answer.body, `form="again"`) {
			t.Errorf("%s: the page offers no language", name)
			continue
		}
		form := c.answer.form(c.action)
		form.Set("language", "de")
		for i := 0; i+1 < len(c.typed); i += 2 {
			form.Set(c.typed[i], c.typed[i+1])
		}
		var sent []string
		for field, values := range form {
			for _, value := range values {
				sent = append(sent, field, value)
			}
		}
		page := b.post(c.action, sent...).has(c.has...)
		if page.language() != "de" {
			t.Errorf("%s: the page is in %q", name, page.language())
		}
		if len(c.typed) > 1 && page.form(c.action).Get(c.typed[0]) != c.typed[1] {
			t.Errorf("%s: the form has %v", name, page.form(c.action))
		}
	}
	b.get(path).has("The door is shut").lacks("The door is blue")
	b.get("/administration/users").lacks("bob@example.org")
}

// The choice is a cookie for a year, below the base path. It leads to no other site, and
// other values are refused.
func TestLanguageCookie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*Options)
		base   string
		name   string
	}{
		{func(*Options) {}, "", "problems-language"},
		{func(o *Options) { o.BasePath = "/tracker" }, "/tracker", "problems-language.tracker"},
		{func(o *Options) { o.Secure = true }, "", "__Host-problems-language"},
	} {
		s := newSite(t, c.change)
		b := s.browser(t)
		b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for to, want := range map[string]string{"/settings?a=b": "/settings?a=b", "//evil.example": "/problems", "https://evil.example/": "/problems", `/\evil.example`: "/problems", "": "/problems"} {
			answer := b.post(c.base+"/language", "language", "de", "to", to).is(http.StatusSeeOther)
			if got := answer.header.Get("Location"); got != c.base+want {
				t.Errorf("%q leads to %q", to, got)
			}
			cookie, err := http.ParseSetCookie(answer.header.Get("Set-Cookie"))
			if err != nil {
				t.Fatal(err)
			}
			path := c.base
			if path == "" {
				path = "/"
			}
			if cookie.Name != c.name || cookie.Value != "de" || cookie.Path != path || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge < int((300*24*time.Hour).Seconds()) {
				t.Errorf("the cookie is %+v", cookie)
			}
		}
		for _, tag := range []string{"fr", "DE", "de\r\nSet-Cookie: a=b", strings.Repeat("d", 1000)} {
			refused := b.post(c.base+"/language", "language", tag).is(http.StatusBadRequest).has("There are no pages in this language.")
			if got := refused.header.Get("Set-Cookie"); got != "" {
				t.Errorf("%q sets the cookie %q", tag, got)
			}
		}
	}
}

// A cookie with another value counts for nothing.
func TestForeignLanguageCookie(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, value := range []string{"fr", "", "<script>"} {
		r, err := http.NewRequest("GET", s.URL+"/sign-in", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", "problems-language="+value)
		r.Header.Set("Accept-Language", "de")
		if got := s.browser(t).do(r).is(200).language(); got != "de" {
			t.Errorf("with the cookie %q the page is in %q", value, got)
		}
	}
}
