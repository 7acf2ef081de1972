package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/access"
)

// proxied adds headers to the requests of a browser, as a proxy does.
type proxied struct{ header http.Header }

func (p *proxied) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range p.header {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// name has the proxy send these lines of the header.
func (p *proxied) name(lines ...string) { p.header["X-Forwarded-Email"] = lines }

// behindProxy returns a site with two users, and a browser behind a proxy. The proxy may
// sign people in from these networks.
func behindProxy(t testing.TB, networks string, change ...func(*Options)) (*site, *browser, *proxied) {
	t.Helper()
	var trusted peer.Networks
	if err := trusted.UnmarshalText([]byte(networks)); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, append([]func(*Options){func(o *Options) { o.Proxy = &Proxy{"X-Forwarded-Email", trusted, access.Read} }}, change...)...)
	s.addUser(t, "Bo", "bo@example.org", false)
	s.addUser(t, "Cy", "cy@example.org", true)
	b, p := s.browser(t), &proxied{http.Header{}}
	b.Transport = p
	return s, b, p
}

func sessionCookie(p *shownPage) *http.Cookie { return cookieNamed(p, "problems-session") }

func TestProxySignsIn(t *testing.T) {
	t.Parallel()
	_, b, p := behindProxy(t, "127.0.0.1,::1")
	b.get("/settings").is(200).at("/sign-in?to=%2Fsettings").has("Token")
	p.name("BO@example.org")
	b.get("/settings?x=1").is(200).at("/settings?x=1").has("bo@example.org", "read", "this browser")
	if again := b.get("/problems").is(200); sessionCookie(again) != nil {
		t.Error("the second page begins another session")
	}
	// The scope of the setting holds.
	b.get("/problems/new").is(403)
	// A request past the header, such as one of a health check, changes nothing.
	p.header.Del("X-Forwarded-Email")
	b.get("/settings").is(200).at("/settings").has("bo@example.org")
	p.name("")
	b.get("/settings").is(200).at("/settings").has("bo@example.org")
}

func TestProxySignsInBelowABasePath(t *testing.T) {
	t.Parallel()
	_, b, p := behindProxy(t, "127.0.0.1,::1", func(o *Options) { o.BasePath = "/tracker" })
	p.name("bo@example.org")
	b.get("/tracker/settings?x=1").is(200).at("/tracker/settings?x=1").has("bo@example.org")
	b.post("/tracker/sign-out").is(200).at("/tracker/sign-out")
}

func TestProxyHeaderFromForeignAddresses(t *testing.T) {
	t.Parallel()
	loopback := func(o *Options) { o.TrustedProxies.Networks = peer.Loopback }
	_, b, p := behindProxy(t, "10.0.0.0/8", loopback)
	p.name("bo@example.org")
	// The address of the connection counts, whatever trusted proxies say about the client.
	p.header.Set("X-Forwarded-For", "10.0.0.1")
	p.header.Set("Forwarded", "for=10.0.0.1")
	b.get("/settings").is(200).at("/sign-in?to=%2Fsettings").has("Token")
	b.get("/sign-in").is(200).at("/sign-in").has("Token")
	// The header ends no session either.
	s, b, p := behindProxy(t, "10.0.0.0/8")
	b.post("/sign-in", "token", s.token.Reveal(), "to", "/settings").is(200).has("admin@localhost")
	p.name("bo@example.org", "bo@example.org")
	b.get("/settings").is(200).at("/settings").has("admin@localhost")
	b.post("/sign-out").is(200).at("/sign-in")
	// Without the setting the header is like any other.
	plain := newSite(t)
	b = plain.browser(t)
	p = &proxied{http.Header{}}
	b.Transport = p
	p.name("admin@localhost")
	b.get("/settings").is(200).at("/sign-in?to=%2Fsettings")
}

func TestProxyHeaderRefused(t *testing.T) {
	t.Parallel()
	const several = "does not name one person"
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"several headers":      {[]string{"bo@example.org", "bo@example.org"}, several},
		"an empty one beside":  {[]string{"", "bo@example.org"}, several},
		"list in one header":   {[]string{"bo@example.org,admin@localhost"}, several},
		"list with spaces":     {[]string{"bo@example.org, admin@localhost"}, several},
		"list of another kind": {[]string{"bo@example.org;admin@localhost"}, several},
		"name":                 {[]string{"bo"}, several},
		"address with a name":  {[]string{"Bo <bo@example.org>"}, several},
		"unknown user":         {[]string{"di@example.org"}, "Nobody here has the address di@example.org."},
		"inactive user":        {[]string{"cy@example.org"}, "The user with the address cy@example.org is inactive"},
		"markup":               {[]string{"<i>@example.org"}, "Nobody here has the address <i>@example.org."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b, p := behindProxy(t, "127.0.0.1,::1")
			p.name(c.lines...)
			page := b.get("/settings").is(403).at("/sign-in?to=%2Fsettings").has(c.want).lacks("Paste your token")
			if strings.Contains(page.body, "<i>") || sessionCookie(page) != nil {
				t.Errorf("the page begins a session, or has markup:\n%s", page.body)
			}
			// A session of anybody else ends.
			b = s.browser(t)
			p = &proxied{http.Header{}}
			b.Transport = p
			p.name("bo@example.org")
			b.get("/settings").is(200).at("/settings").has("bo@example.org")
			p.name(c.lines...)
			b.get("/settings").is(403).at("/sign-in?to=%2Fsettings").has(c.want)
			p.header.Del("X-Forwarded-Email")
			b.get("/settings").is(200).at("/sign-in?to=%2Fsettings")
		})
	}
}

func TestProxyComparesAddresses(t *testing.T) {
	t.Parallel()
	s, _, _ := behindProxy(t, "127.0.0.1,::1")
	s.addUser(t, "Mark", "mark@xn--BCHER-kva.example", false)
	for address, same := range provedAddresses {
		if strings.Trim(address, " ") != address || strings.ContainsAny(address, "\r\x00") {
			continue // HTTP removes spaces around the value, and refuses control characters
		}
		b, p := s.browser(t), &proxied{http.Header{}}
		b.Transport = p
		if p.name(address); same {
			b.get("/settings").is(200).at("/settings").has("mark@bücher.example")
			continue
		}
		b.get("/settings").is(403).has("does not name one person", "in NFC and without spaces")
		p.name("mark@bücher.example")
		b.get("/settings").is(200)
		p.name(address) // it ends the session
		b.get("/settings").is(403).at("/sign-in?to=%2Fsettings")
	}
}

// The proxy signs another person in: the session of the first one ends on the server too.
func TestProxyChangesUser(t *testing.T) {
	t.Parallel()
	s, b, p := behindProxy(t, "127.0.0.1,::1")
	p.name("bo@example.org")
	b.get("/settings").is(200).has("bo@example.org")
	old := b.Jar.Cookies(mustURL(t, s.URL))
	p.name("admin@localhost")
	b.get("/settings").is(200).at("/settings").has("admin@localhost").lacks("bo@example.org")
	former := s.browser(t)
	former.Jar.SetCookies(mustURL(t, s.URL), old)
	former.get("/settings").is(200).at("/sign-in?to=%2Fsettings")

	// A form of the former person is not carried out.
	p.name("bo@example.org")
	refused := b.post("/problems/new", "title", "The fuse blows").is(401).has("names another person than before; nothing was done")
	if c := sessionCookie(refused); c == nil || c.MaxAge >= 0 {
		t.Errorf("the cookie is %v after the end of the session", c)
	}
	b.get("/problems?query=all").is(200).lacks("The fuse blows")

	// Nor is it with a header that names two people, and the page says so.
	p.name("bo@example.org", "admin@localhost")
	b.post("/problems/new", "title", "The fuse blows").is(401).has("does not name one person; nothing was done")
	p.name("bo@example.org")
	b.get("/problems?query=all").is(200).lacks("The fuse blows")

	// A token of the same person gives a session with the token's scope, and the proxy
	// leaves it alone.
	p.name("admin@localhost")
	b = s.browser(t)
	b.Transport = p
	b.get("/sign-in?token=").is(200).has("Paste your token")
	b.post("/sign-in", "token", s.token.Reveal(), "to", "/settings").is(200).at("/settings").has("admin@localhost", "Scope admin")
}

func TestProxySignOut(t *testing.T) {
	t.Parallel()
	_, b, p := behindProxy(t, "127.0.0.1,::1")
	p.name("bo@example.org")
	b.get("/problems").is(200).at("/problems")
	b.get("/sign-out").is(200).at("/problems") // nobody has signed out
	out := b.post("/sign-out").is(200).at("/sign-out").has("You are signed out", "the next page signs you in again")
	if sessionCookie(out) != nil {
		t.Error("the page after the end of the session begins another one")
	}
	b.get("/problems").is(200).at("/problems")
}

// Only the page for signing in begins a session, by GET alone, and at most once for a
// browser without cookies.
func TestProxySessionsAreFew(t *testing.T) {
	t.Parallel()
	s, b, p := behindProxy(t, "127.0.0.1,::1")
	p.name("admin@localhost")
	b.Jar = nil
	b.get("/settings").is(400).has("your browser keeps no cookie of this site.")
	r, err := http.NewRequest("HEAD", s.URL+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	if head := b.do(r).is(200); sessionCookie(head) != nil {
		t.Error("HEAD begins a session")
	}
	b.post("/problems/new", "title", "x").is(401)
	sessions, err := s.service.Sessions.Own(t.Context(), s.admin)
	if err != nil {
		t.Fatal(err)
	}
	mine := slices.DeleteFunc(sessions.Value, func(x access.Session) bool { return x.User != s.admin.User })
	if len(mine) != 1 {
		t.Errorf("there are %d sessions, want 1", len(mine))
	}
}

// The page for signing in begins no session as a part of a page of another site. In a window
// of its own it does.
func TestProxySessionsOfOtherSites(t *testing.T) {
	t.Parallel()
	_, b, p := behindProxy(t, "127.0.0.1,::1")
	p.name("bo@example.org")
	for _, site := range []string{"cross-site", "same-site"} {
		p.header.Set("Sec-Fetch-Site", site)
		for _, part := range []string{"image", "iframe", "script", "empty"} {
			p.header.Set("Sec-Fetch-Dest", part)
			if page := b.get("/sign-in").is(200).at("/sign-in"); sessionCookie(page) != nil {
				t.Errorf("as %s of a %s page it begins a session", part, site)
			}
		}
	}
	p.header.Set("Sec-Fetch-Dest", "document")
	b.get("/sign-in?to=%2Fsettings").is(200).at("/settings")
	b.post("/sign-out")
	// The script loads pages of its own site, and follows their redirections.
	p.header.Set("Sec-Fetch-Site", "same-origin")
	p.header.Set("Sec-Fetch-Dest", "empty")
	b.get("/settings").is(200).at("/settings")
}

// With several sessions in the browser, another one would not help. The page says why.
func TestProxyAndSeveralSessions(t *testing.T) {
	t.Parallel()
	s, b, p := behindProxy(t, "127.0.0.1,::1")
	p.name("bo@example.org")
	other := s.browser(t)
	other.post("/sign-in", "token", s.token.Reveal()).is(200)
	at := mustURL(t, s.URL+"/sign-in")
	session := other.Jar.Cookies(at)[0]
	session.Path = "/"
	planted := *session
	planted.Path = "/sign-in"
	b.Jar.SetCookies(at, []*http.Cookie{session, &planted})
	if page := b.get("/sign-in").is(401).has("Your browser sends several sessions"); sessionCookie(page) != nil {
		t.Error("the page begins one more session")
	}
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestProxyOptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proxy Proxy
		ok    bool
	}{
		"complete":    {Proxy{"X-User", peer.Loopback, access.Read}, true},
		"no header":   {Proxy{"", peer.Loopback, access.Read}, false},
		"no networks": {Proxy{"X-User", peer.Networks{}, access.Read}, false},
		"wrong scope": {Proxy{"X-User", peer.Loopback, "all"}, false},
	} {
		_, err := New(Options{Proxy: &c.proxy, Limits: Limits{FormBytes: 1, RequestTime: time.Second}, Now: time.Now})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
