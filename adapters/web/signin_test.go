package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser(t)
	b.get("/problems?query=all").is(200).at("/sign-in?to=%2Fproblems%3Fquery%3Dall").has("Token")
	b.post("/sign-in", "token", "pts_wrong", "to", "/settings").is(401).has("no valid token").lacks("pts_wrong")
	b.post("/sign-in", "token", " "+s.token.Reveal()+"\n", "to", "/settings").is(200).at("/settings").has("admin@localhost", "this browser")
	b.get("/").is(200).at("/problems").has("All open")
	b.get("/sign-in").at("/problems")
	b.post("/sign-out").is(200).at("/sign-in")
	b.get("/settings").at("/sign-in?to=%2Fsettings")
}

// Whoever has planted a key in a browser knows no key after the sign-in.
func TestSignInMakesANewSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cookie := func(b *browser) string {
		u, _ := url.Parse(s.URL)
		for _, c := range b.Jar.Cookies(u) {
			return c.Value
		}
		t.Fatal("there is no cookie")
		return ""
	}
	b := s.signedIn(t)
	first := cookie(b)
	b.post("/sign-in", "token", s.token.Reveal()).is(200)
	if cookie(b) == first {
		t.Error("the second sign-in has the key of the first")
	}
}

// Another service on the host has planted a second session, for some pages alone. Such a page
// says so: one that led to the sign-in would be led back by the first session, and so on.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mallory := s.as(t, "Mallory", access.Write)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	planted := *mallory.Jar.Cookies(at)[0]
	planted.Path = "/problems"
	b := s.signedIn(t)
	b.Jar.SetCookies(at, []*http.Cookie{&planted})
	const says = "Your browser sends several sessions, and another service on this host may have made one of them: delete the cookies of this host"
	b.get("/problems").is(401).has(says, "Sign in").lacks("Mallory", "Administrator")
	if kept := b.post("/problems/new", "title", "The door is open").is(401).has(says).form("/problems/new"); kept.Get("title") != "The door is open" {
		t.Errorf("the form has %v", kept)
	}
	b.get("/settings").is(200).has("admin@localhost")
	b.get("/sign-in").is(401).at("/problems")
}

func TestCookie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		secure     bool
		base       string
		name, path string
	}{
		{false, "", "problems-session", "/"},
		{false, "/tracker", "problems-session.tracker", "/tracker"},
		{false, "/tracker/old-b_1.x~", "problems-session.tracker.old-b_1%2Ex%7E", "/tracker/old-b_1.x~"},
		{true, "", "__Host-problems-session", "/"},
		{true, "/tracker", "__Host-problems-session.tracker", "/"},
		{true, "/tracker/old", "__Host-problems-session.tracker.old", "/"},
		{true, "/tracker.old", "__Host-problems-session.tracker%2Eold", "/"},
	} {
		s := newSite(t, func(o *Options) { o.Secure, o.BasePath = c.secure, c.base })
		b := s.browser(t)
		b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		p := b.post(c.base+"/sign-in", "token", s.token.Reveal()).is(http.StatusSeeOther)
		if p.header.Get("Location") != c.base+"/problems" {
			t.Errorf("with %+v, the sign-in leads to %s", c, p.header.Get("Location"))
		}
		set, err := http.ParseSetCookie(p.header.Get("Set-Cookie"))
		if err != nil {
			t.Fatal(err)
		}
		if set.Name != c.name || set.Path != c.path || set.Secure != c.secure || !set.HttpOnly || set.SameSite != http.SameSiteLaxMode || set.Domain != "" || len(set.Value) != 43 {
			t.Errorf("with %+v, the cookie is %v", c, set)
		}
	}
}

// Browsers drop the cookies of a service with https on plain HTTP. A person learns that before
// sending a token, and nothing begins or is used up.
func TestSignInOnPlainHTTP(t *testing.T) {
	t.Parallel()
	s, b, p := behindProxy(t, "127.0.0.1,::1", func(o *Options) { o.Secure, o.BasePath, o.Origin = true, "/tracker", "https://tracker.example" })
	code, err := s.codes.Issue(s.token, strings.NewReader("012345678901234567890"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leads := func(page *shownPage, to string) {
		t.Helper()
		page.is(400).has("your browser keeps no cookie here", "https://tracker.example/tracker").lacks("Paste your token")
		if got := attribute(find(find(page.root, "main"), "a"), "href"); got != "https://tracker.example/tracker/sign-in?"+to {
			t.Errorf("the page leads to %s, want %s", got, to)
		}
	}
	b.Jar = nil // as for the cookies of a service with https
	leads(b.get("/tracker/problems/1"), "to=%2Fproblems%2F1")
	leads(b.get("/tracker/sign-in?code="+code), "code="+code+"&to=%2Fproblems")
	p.name("admin@localhost")
	leads(b.get("/tracker/settings"), "to=%2Fsettings")
	s.secure = false // the page is on plain HTTP
	leads(b.post("/tracker/sign-in", "token", s.token.Reveal(), "to", "/settings"), "to=%2Fsettings")
	leads(b.post("/tracker/sign-in", "code", code), "code="+code+"&to=%2Fproblems")
	if sessions, err := s.service.Sessions.Own(t.Context(), s.admin); err != nil || len(sessions.Value) != 0 {
		t.Errorf("there are the sessions %v (%v)", sessions, err)
	}
	s.secure, p.header = true, http.Header{}

	// At the right address, the first answer comes back with its cookie.
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	first := b.get("/tracker/sign-in?to=%2Fsettings").is(303)
	kept := cookieNamed(first, "__Host-problems-cookies.tracker")
	if kept == nil || !kept.Secure {
		t.Fatalf("the proof is %v", kept)
	}
	p.header.Set("Cookie", kept.Name+"="+kept.Value)
	b.get(first.header.Get("Location")).is(200).has("Paste your token")
	b.post("/tracker/sign-in", "code", code).is(303)

	// With a certificate and without an address for people, the page has no link.
	_, b, _ = behindProxy(t, "127.0.0.1", func(o *Options) { o.Secure = true })
	b.Jar = nil
	b.get("/problems").is(400).has("Allow cookies here").lacks("Go to")
}

// Browsers send the cookies of all paths above, and over HTTPS those of all trackers of the
// host. Each tracker leaves those of the others alone.
func TestTrackersBesideOneAnother(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		var at, keys []string
		for _, base := range []string{"", "/tracker", "/tracker/old", "/tracker.old"} {
			s := newSite(t, func(o *Options) { o.Secure, o.BasePath = secure, base })
			b := s.browser(t)
			b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			set := b.post(base+"/sign-in", "token", s.token.Reveal()).is(http.StatusSeeOther).header.Get("Set-Cookie")
			cookie, err := http.ParseSetCookie(set)
			if err != nil {
				t.Fatal(err)
			}
			at, keys = append(at, base), append(keys, cookie.Name+"="+cookie.Value)
			r := httptest.NewRequest("GET", base+"/problems", nil)
			r.Header.Set("Cookie", strings.Join(keys, "; "))
			w := httptest.NewRecorder()
			s.Config.Handler.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				t.Errorf("secure %t: %s/problems answers %d with the cookies of %q", secure, base, w.Code, at)
			}
		}
	}
}

func TestCodeWorksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	code, err := s.codes.Issue(s.token, strings.NewReader("012345678901234567890"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	link := "/sign-in?code=" + code
	preview := s.browser(t).get(link).is(200).has("This link signs you in once.") // as a program that looks at links does
	if strings.Contains(preview.header.Get("Set-Cookie"), "session") {
		t.Error("a GET signs in")
	}
	b := s.browser(t)
	b.get(link).submit("/sign-in").is(200).at("/problems")
	s.browser(t).get(link).submit("/sign-in").is(401).has("used already")

	old, err := s.codes.Issue(s.token, strings.NewReader("another-source-of-bytes"), time.Now().Add(-2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	s.browser(t).post("/sign-in", "code", old).is(401).has("too old")
}

// An administrator gets a link for somebody, who signs in with it, once.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.signedIn(t)
	admin.post("/administration/users", "name", "Ann", "email", "ann@example.org").is(200)
	var its string
	for n := range admin.get("/administration/users").root.Descendants() {
		if n.Data == "a" && attribute(n, "aria-label") == "Invite Ann" {
			its, _, _ = strings.Cut(attribute(n, "href"), "#")
		}
	}
	made := admin.get(its).is(200).has("Invitation").submit("/administration/tokens", "scope", "write").
		is(200).has("Give this link to Ann.", "Write to ann@example.org", "read and write", "invitation")
	link, ok := strings.CutPrefix(textOf(find(find(made.root, "main"), "pre")), s.URL)
	if !ok {
		t.Fatalf("the link leads to %s", link)
	}
	s.browser(t).get(link).is(200).has("This link signs you in once.")
	ann := s.browser(t)
	ann.get(link).submit("/sign-in").is(200).at("/problems")
	ann.get("/settings").has("Ann")
	s.browser(t).get(link).submit("/sign-in").is(401).has("used already")
	admin.get("/administration/tokens").has("ended").lacks("pts_")
}

// A code that could sign in nobody, because the store was away, works once more.
func TestCodeOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	code, err := s.codes.Issue(s.token, strings.NewReader("012345678901234567890"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	page := s.browser(t).get("/sign-in?code=" + code).is(200)
	s.store.away.Store(true)
	page.submit("/sign-in").is(503)
	s.store.away.Store(false)
	page.submit("/sign-in").is(200).at("/problems")
	s.browser(t).post("/sign-in", "code", code).is(401).has("used already")
}

func TestDestination(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/problems/7?x=1": "/problems/7?x=1", "/settings": "/settings",
		"": "/problems", "problems": "/problems", "//evil.example": "/problems", "https://evil.example/": "/problems", `/\evil.example`: "/problems",
		"/\t/evil.example": "/problems", "javascript:alert(1)": "/problems", "/sign-out": "/problems", "///evil": "/problems",
	} {
		if got := destination(to); got != want {
			t.Errorf("destination(%q) is %q, want %q", to, got, want)
		}
	}
}

// A form of another site changes nothing, whichever way browsers tell.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	for name, header := range map[string]http.Header{
		"another origin":      {"Origin": {"https://evil.example"}},
		"no origin of a page": {"Origin": {"null"}},
		"fetch metadata":      {"Sec-Fetch-Site": {"cross-site"}},
		"another port":        {"Origin": {"http://127.0.0.1:1"}},
	} {
		r, err := http.NewRequest("POST", s.URL+path, strings.NewReader("comment=spam"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if p := b.do(r); p.status != http.StatusForbidden {
			t.Errorf("%s has the status %d", name, p.status)
		}
	}
	b.get(path).is(200).lacks("spam")
}

// The typed text of somebody who was signed out meanwhile is still there.
func TestFormWithoutSessionIsKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	form := b.get(path)
	b.post("/sign-out")
	kept := b.post(path, "comment", "typed for an hour", "once", "k1").is(401).has("What you typed is kept")
	b.post("/sign-in", "token", s.token.Reveal()).is(200)
	kept.submit(path).is(200).has("typed for an hour")
	_ = form
	// A token is never written into a page.
	if p := s.browser(t).post("/settings", "token", s.token.Reveal()); strings.Contains(p.body, s.token.Reveal()) {
		t.Error("the page has the token")
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	reader := s.as(t, "Rita", access.Read)
	reader.get(path).is(200).has("The door is open").lacks("New comment", "Save", "Stop watching", "Administration")
	reader.post(path, "comment", "no").is(403)
	reader.get("/problems/new").is(403)
	reader.get("/administration/tokens").is(403)
	writer := s.as(t, "Willi", access.Write)
	writer.get(path).has("New comment").lacks("Administration")
	writer.post("/administration/states", "name", "Odd").is(403)
	writer.post("/administration/milestones", "name", "Spring").is(200).has("Spring")
	writer.post("/administration/tokens", "scope", "admin").is(403)
}
