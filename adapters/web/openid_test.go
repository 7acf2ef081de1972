package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/user"
)

// openIDSite is a site with the origin http://tracker.test and a provider.
type openIDSite struct {
	*site
	provider *testProvider
	address  string       // of the listener
	ahead    atomic.Int64 // of the clock, a time.Duration
}

func newOpenIDSite(t testing.TB, change ...func(*Options)) *openIDSite {
	t.Helper()
	s := &openIDSite{provider: newTestProvider(t)}
	s.site = newSite(t, append([]func(*Options){func(o *Options) {
		o.Origin, o.Random, o.Now = "http://tracker.test", rand.Reader, func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
		o.OpenID = &OpenID{
			Issuer: s.provider.issuer(), ClientID: testClient, Secret: func() (string, error) { return testSecret, nil },
			Name: "Example & Co", Scope: access.Write,
		}
	}}, change...)...)
	s.address = s.Listener.Addr().String()
	s.URL = "http://tracker.test"
	return s
}

// browser returns a browser that finds tracker.test.
func (s *openIDSite) browser(t testing.TB) *browser {
	t.Helper()
	b := s.site.browser(t)
	var d net.Dialer
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "tracker.test:80" {
			address = s.address
		}
		return d.DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	b.Transport = transport
	return b
}

// stepwise returns a browser that does not follow redirections.
func (s *openIDSite) stepwise(t testing.TB) *browser {
	t.Helper()
	b := s.browser(t)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// callback has the browser begin a sign-in. It returns the path of the provider's answer.
func (s *openIDSite) callback(t testing.TB, b *browser) string {
	t.Helper()
	return s.callbackOf(t, b, b.get("/sign-in/openid").is(303))
}

// callbackOf returns the path of the provider's answer to a sign-in that has begun.
func (s *openIDSite) callbackOf(t testing.TB, b *browser, begun *shownPage) string {
	t.Helper()
	r, err := http.NewRequest("GET", begun.header.Get("Location"), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := b.do(r).is(302)
	back, ok := strings.CutPrefix(answer.header.Get("Location"), "http://tracker.test")
	if !ok {
		t.Fatalf("the provider sends the browser to %s", answer.header.Get("Location"))
	}
	return back
}

// attemptOf returns the last cookie of a sign-in that an answer sets.
func attemptOf(p *shownPage) (last *http.Cookie) {
	for _, c := range (&http.Response{Header: p.header}).Cookies() {
		if strings.Contains(c.Name, attemptName) {
			last = c
		}
	}
	return last
}

// cookieNamed returns the last cookie of this name that an answer sets.
func cookieNamed(p *shownPage, name string) (last *http.Cookie) {
	for _, c := range (&http.Response{Header: p.header}).Cookies() {
		if c.Name == name {
			last = c
		}
	}
	return last
}

func TestOpenID(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	b := s.browser(t)
	b.get("/settings").is(200).has("Sign in with Example & Co", "Or with a token")
	if n := s.provider.count("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("the provider was asked %d times before anybody wanted to sign in", n)
	}
	b.get("/sign-in/openid?to=%2Fsettings%3Fx%3D1").is(200).at("/settings?x=1").has("admin@localhost", "write", "this browser")
	// Everybody else finds the provider known.
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	if n, keys := s.provider.count("/.well-known/openid-configuration"), s.provider.count("/keys"); n != 1 || keys != 1 {
		t.Errorf("two sign-ins asked for the description %d times, and for the keys %d times; want once each", n, keys)
	}
	long := "/problems?predicate=" + strings.Repeat("%26", 600)
	s.browser(t).get("/sign-in/openid?to=" + url.QueryEscape(long)).at(long)
	for _, to := range []string{"//evil.example", "https://evil.example/", `/\evil.example`, "/" + strings.Repeat("x", 2048)} {
		s.browser(t).get("/sign-in/openid?to=" + url.QueryEscape(to)).is(200).at("/problems")
	}
}

func TestOpenIDBelowABasePath(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) { o.BasePath = "/tracker" })
	b := s.browser(t)
	page := b.get("/tracker/settings?x=1").is(200).at("/tracker/sign-in?to=%2Fsettings%3Fx%3D1")
	if !strings.Contains(page.body, `href="/tracker/sign-in/openid?to=%2fsettings%3fx%3d1"`) {
		t.Errorf("the page has no link to the provider:\n%s", page.body)
	}
	b.get("/tracker/sign-in/openid?to=%2Fsettings%3Fx%3D1").is(200).at("/tracker/settings?x=1").has("admin@localhost")
}

func TestOpenIDCookie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		secure     bool
		base       string
		name, path string
	}{
		{false, "", "problems-sign-in-STATE", "/"},
		{true, "", "__Host-problems-sign-in-STATE", "/"},
		{true, "/tracker", "__Host-problems-sign-in-STATE.tracker", "/"},
	} {
		s := newOpenIDSite(t, func(o *Options) { o.Secure, o.BasePath = c.secure, c.base })
		begun := s.stepwise(t).get(c.base + "/sign-in/openid?here=1").is(303)
		got := attemptOf(begun)
		if got == nil {
			t.Fatalf("%v: there is no cookie in %q", c, begun.header["Set-Cookie"])
		}
		if got.Name != strings.Replace(c.name, "STATE", got.Value[:attemptDigits], 1) || got.Path != c.path || got.Secure != c.secure || !got.HttpOnly || got.SameSite != http.SameSiteLaxMode || got.MaxAge != 600 {
			t.Errorf("%v: the cookie is %s", c, got)
		}
		to, err := url.Parse(begun.header.Get("Location"))
		if err != nil || to.Query().Get("redirect_uri") != "http://tracker.test"+c.base+"/sign-in/callback" {
			t.Errorf("%v: the browser is sent to %s", c, to)
		}
	}
}

// Each case breaks the provider in one way. No session begins, and the page has a sentence
// of this service alone.
func TestOpenIDRefuses(t *testing.T) {
	t.Parallel()
	claim := func(name string, value any) func(*testProvider) {
		return func(p *testProvider) { p.claims[name] = value }
	}
	about := func(name string, value any) func(*testProvider) {
		return func(p *testProvider) { p.about[name] = value }
	}
	const invalid = "The answer of Example & Co is not valid."
	for name, c := range map[string]struct {
		change func(*testProvider)
		status int
		want   string
	}{
		"wrong nonce":             {claim("nonce", "another"), 502, invalid},
		"no nonce":                {claim("nonce", nil), 502, invalid},
		"wrong audience":          {claim("aud", "another"), 502, invalid},
		"audiences without party": {claim("aud", []string{testClient, "another"}), 502, invalid},
		"another party":           {claim("azp", "another"), 502, invalid},
		"expired":                 {claim("exp", time.Now().Add(-2*time.Minute).Unix()), 502, invalid},
		"no expiry":               {claim("exp", nil), 502, invalid},
		"not yet valid":           {claim("nbf", time.Now().Add(time.Hour).Unix()), 502, invalid},
		"another issuer":          {claim("iss", "https://another.example"), 502, invalid},
		"unverified":              {claim("email_verified", false), 403, "no verified e-mail address"},
		"unverified as text":      {claim("email_verified", "false"), 403, "no verified e-mail address"},
		"verified by a number":    {claim("email_verified", 1), 403, "no verified e-mail address"},
		"verification absent":     {claim("email_verified", nil), 403, "no verified e-mail address"},
		"verified for another at UserInfo": {func(p *testProvider) {
			p.claims["email_verified"], p.info = nil, map[string]any{"sub": "8", "email": "admin@localhost", "email_verified": true}
		}, 502, invalid},
		"verified for nobody at UserInfo": {func(p *testProvider) {
			p.claims["email_verified"], p.info = nil, map[string]any{"email": "admin@localhost", "email_verified": true}
		}, 502, invalid},
		"unverified, whatever UserInfo says": {func(p *testProvider) {
			p.claims["email_verified"], p.info = false, map[string]any{"sub": "7", "email": "admin@localhost", "email_verified": true}
		}, 403, "no verified e-mail address"},
		"verified at UserInfo without the address": {func(p *testProvider) {
			p.claims["email_verified"], p.info = nil, map[string]any{"sub": "7", "email_verified": true}
		}, 403, "no verified e-mail address"},
		"unverified at UserInfo": {func(p *testProvider) {
			p.claims["email_verified"], p.info = nil, map[string]any{"sub": "7", "email": "admin@localhost", "email_verified": false}
		}, 403, "no verified e-mail address"},
		"no address":           {claim("email", nil), 403, "no verified e-mail address"},
		"address as a list":    {claim("email", []string{"admin@localhost"}), 502, invalid},
		"unknown address":      {claim("email", "<i>bo</i>@example.org"), 403, "Nobody here has the address <i>bo</i>@example.org. Ask an administrator"},
		"no signature":         {func(p *testProvider) { p.sign = unsigned }, 502, invalid},
		"signed by the secret": {func(p *testProvider) { p.sign = signer(p.t, jose.HS256, []byte(testSecret+testSecret), "1") }, 502, invalid},
		"signed by another key": {func(p *testProvider) {
			public := p.key
			p.rotate()
			p.sign = signer(p.t, jose.ES256, p.key, "1")
			p.key, p.keyID = public, 1
		}, 502, invalid},
		"no token":                {func(p *testProvider) { p.sign = func([]byte) string { return "" } }, 502, invalid},
		"description of another":  {about("issuer", "https://another.example"), 502, invalid},
		"no keys":                 {about("jwks_uri", nil), 502, invalid},
		"script for an endpoint":  {about("authorization_endpoint", "javascript:alert(1)"), 502, invalid},
		"endpoint without a host": {about("token_endpoint", "/token"), 502, invalid},
		"UserInfo of another": {func(p *testProvider) {
			p.claims["email"], p.info = nil, map[string]any{"sub": "8", "email": "admin@localhost", "email_verified": true}
		}, 502, invalid},
		"UserInfo unverified": {func(p *testProvider) {
			p.claims["email"], p.claims["email_verified"], p.info = nil, nil, map[string]any{"sub": "7", "email": "admin@localhost"}
		}, 403, "no verified e-mail address"},
		"UserInfo with too much": {func(p *testProvider) {
			p.claims["email"], p.info = nil, map[string]any{"sub": "7", "x": strings.Repeat("x", 2<<20)}
		}, 503, "Example & Co cannot be reached"},
		"description with too much": {about("x", strings.Repeat("x", 2<<20)), 503, "Example & Co cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOpenIDSite(t)
			s.provider.set(c.change)
			b := s.browser(t)
			page := b.get("/sign-in/openid").is(c.status).has(c.want, "Sign in with Example & Co")
			if strings.Contains(page.body, "<i>") {
				t.Errorf("the page has words of the provider as HTML:\n%s", page.body)
			}
			b.get("/settings").at("/sign-in?to=%2Fsettings")
			if users, err := s.service.Users().List(t.Context()); err != nil || len(users.Value) != 1 {
				t.Errorf("there are %d users, %v; want the administrator alone", len(users.Value), err)
			}
			if logged := strings.Contains(s.log.String(), "sign-in by OpenID Connect failed"); logged != (c.status != 403) {
				t.Errorf("the log is\n%s", s.log)
			}
			if strings.Contains(s.log.String(), "a secret") {
				t.Errorf("the log has the secret:\n%s", s.log)
			}
		})
	}
}

func TestOpenIDAccepts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testProvider){
		"a late clock":           func(p *testProvider) { p.claims["exp"] = time.Now().Add(-20 * time.Second).Unix() },
		"an early clock":         func(p *testProvider) { p.claims["nbf"] = time.Now().Add(2 * time.Minute).Unix() },
		"another case":           func(p *testProvider) { p.claims["email"] = "ADMIN@LocalHost" },
		"verified as text":       func(p *testProvider) { p.claims["email_verified"] = "true" },
		"audiences with a party": func(p *testProvider) { p.claims["aud"], p.claims["azp"] = []string{"x", testClient}, testClient },
		"secret in the form": func(p *testProvider) {
			p.about["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
		},
		"verified at UserInfo": func(p *testProvider) {
			p.claims["email_verified"], p.info = nil, map[string]any{"sub": "7", "email": "admin@localhost", "email_verified": true}
		},
		"UserInfo": func(p *testProvider) {
			p.claims["email"], p.claims["email_verified"] = nil, nil
			p.info = map[string]any{"sub": "7", "email": "admin@localhost", "email_verified": "true"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOpenIDSite(t)
			s.provider.set(change)
			s.browser(t).get("/sign-in/openid?to=%2Fsettings").is(200).at("/settings").has("admin@localhost")
		})
	}
}

// An answer is good for the browser with the cookie, for ten minutes, and once.
func TestOpenIDStateIsBound(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	const lost = "This sign-in is used up, too old, or of another browser."

	b := s.stepwise(t)
	back := s.callback(t, b)
	s.stepwise(t).get(back).is(400).has(lost) // an attacker's own code in another browser
	b.get("/sign-in/callback?state=&code=x").is(400).has(lost)
	b.get("/sign-in/callback?code=x").is(400).has(lost)
	b.get("/sign-in/callback").is(400).has(lost)

	// Anybody can call the callback: that does not disturb a sign-in.
	b.get("/sign-in/callback?state=guessed&code=x").is(400)
	kept := b.Jar.Cookies(&url.URL{Scheme: "http", Host: "tracker.test"})
	done := b.get(back).is(303)
	if used := attemptOf(done); used == nil || used.MaxAge >= 0 {
		t.Errorf("the cookie of the sign-in is %v after it", used)
	}
	if again := b.get(back).is(303); again.header.Get("Location") != "/problems" { // the session is there
		t.Errorf("the used answer leads to %s", again.header.Get("Location"))
	}
	b.post("/sign-out")
	b.get(back).is(400).has(lost)

	// With the cookie put back, the provider refuses the code.
	thief := s.stepwise(t)
	thief.Jar.SetCookies(&url.URL{Scheme: "http", Host: "tracker.test"}, kept)
	thief.get(back).is(502).has("is not valid")
	thief.get("/settings").is(303)

	slow := s.stepwise(t)
	back = s.callback(t, slow)
	s.ahead.Store(int64(attemptLife + time.Second))
	slow.get(back).is(400).has(lost)
	s.ahead.Store(0)

	// A site beside this one has planted a second cookie.
	two := s.stepwise(t)
	back = s.callback(t, two)
	two.Jar.SetCookies(&url.URL{Scheme: "http", Host: "tracker.test", Path: "/sign-in/"}, []*http.Cookie{{Name: attemptName + stateIn(t, back)[:attemptDigits], Value: "x", Path: "/sign-in"}})
	two.get(back).is(400).has(lost)
}

func stateIn(t testing.TB, path string) string {
	t.Helper()
	at, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return at.Query().Get("state")
}

// Tabs of one browser sign in at the same time, each with its own page to go on with. The
// oldest gives way to the sixth, or to long addresses.
func TestOpenIDInTabs(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	b := s.stepwise(t)
	begin := func(to string) string {
		return s.callbackOf(t, b, b.get("/sign-in/openid?to="+url.QueryEscape(to)).is(303))
	}
	goesOn := func(back, to string) {
		t.Helper()
		if got := b.get(back).is(303).header.Get("Location"); got != to {
			t.Errorf("the sign-in leads to %s, want %s", got, to)
		}
	}
	first, second := begin("/settings"), begin("/milestones")
	goesOn(second, "/milestones")
	goesOn(first, "/settings")
	// Who has a session goes on, whatever the provider says.
	third := begin("/settings")
	s.provider.set(func(p *testProvider) { p.claims["nonce"] = "another" })
	goesOn(third, "/settings")
	goesOn("/sign-in/callback?error=access_denied&state="+stateIn(t, begin("/milestones")), "/milestones")
	s.provider.set(func(p *testProvider) { delete(p.claims, "nonce") })
	b.post("/sign-out").is(303)

	long := "/problems?predicate=" + strings.Repeat("%26", 600)
	for _, c := range []struct {
		to   string
		most int
	}{{"/settings", mostBegun}, {long, 2}} {
		var all []string
		for range c.most + 1 {
			all = append(all, begin(c.to))
		}
		b.get(all[0]).is(400)
		for i := c.most; i > 0; i-- {
			goesOn(all[i], c.to)
		}
		b.post("/sign-out").is(303)
	}
}

// A sign-in begins at the address to which the provider sends the browser back.
func TestOpenIDBeginsAtThePublicAddress(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := newOpenIDSite(t, func(o *Options) { o.Secure, o.BasePath = secure, "/tracker" })
		if !secure {
			s.URL = "http://" + s.address
		}
		begun := s.stepwise(t).get("/tracker/sign-in/openid?to=%2Fsettings").is(303)
		if got, want := begun.header.Get("Location"), "http://tracker.test/tracker/sign-in/openid?here=1&to=%2Fsettings"; got != want || attemptOf(begun) != nil {
			t.Errorf("the browser is sent to %s, want %s", got, want)
		}
	}
}

// A code of another sign-in does not fit the verifier and the nonce of this one.
func TestOpenIDCodeIsBound(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	attacker, victim := s.stepwise(t), s.stepwise(t)
	theirs, err := url.Parse(s.callback(t, attacker))
	if err != nil {
		t.Fatal(err)
	}
	own, err := url.Parse(s.callback(t, victim))
	if err != nil {
		t.Fatal(err)
	}
	query := own.Query()
	query.Set("code", theirs.Query().Get("code"))
	victim.get("/sign-in/callback?" + query.Encode()).is(502).has("is not valid")
	victim.get("/settings").is(303)
}

func TestOpenIDAnswersWithAnError(t *testing.T) {
	t.Parallel()
	for failure, c := range map[string]struct {
		status int
		want   string
	}{
		"access_denied":           {403, "Example & Co did not let you in."},
		"server_error":            {503, "Example & Co cannot be reached"},
		"temporarily_unavailable": {503, "Example & Co cannot be reached"},
		"invalid_scope":           {502, "The answer of Example & Co is not valid."},
		"<script>alert(1)":        {502, "The answer of Example & Co is not valid."},
	} {
		s := newOpenIDSite(t)
		b := s.stepwise(t)
		begun, err := url.Parse(b.get("/sign-in/openid?to=%2Fsettings").is(303).header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		answer := url.Values{"state": {begun.Query().Get("state")}, "error": {failure}, "error_description": {"<script>alert(2)</script>"}}
		page := b.get("/sign-in/callback?" + answer.Encode()).is(c.status).has(c.want).lacks("alert")
		if to := page.form("/sign-in").Get("to"); to != "/settings" {
			t.Errorf("%s: the form goes on with %q", failure, to)
		}
		b.get("/sign-in/callback?" + answer.Encode()).is(400)
		if n := s.provider.count("/token"); n != 0 {
			t.Errorf("%s: the provider was asked for a token", failure)
		}
	}
	s := newOpenIDSite(t)
	b := s.stepwise(t)
	back := s.callback(t, b)
	b.get(strings.Replace(back, "iss=", "iss=https%3A%2F%2Fanother.example%2F&iss=", 1)).is(502).has("is not valid")
}

func TestOpenIDKeysRotate(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	old := signer(t, jose.ES256, s.provider.key, "1")
	s.provider.set((*testProvider).rotate)
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	s.provider.set(func(p *testProvider) { p.sign = old })
	s.browser(t).get("/sign-in/openid").is(502)
}

// The service starts without its provider, and waits for it only for a while.
func TestOpenIDProviderAway(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) { o.OpenID.Timeout = 200 * time.Millisecond })
	const away = "Example & Co cannot be reached for the moment."
	only := func(path string, do func(http.ResponseWriter, *http.Request)) {
		s.provider.set(func(p *testProvider) {
			p.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, path) {
					do(w, r)
					return true
				}
				return false
			}
		})
	}
	broken := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<b>down</b>", http.StatusBadGateway) }
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

	only("", broken)
	s.browser(t).get("/sign-in").is(200).has("Sign in with Example & Co")
	s.browser(t).get("/sign-in/openid").is(503).has(away).lacks("down")
	only("", never)
	s.browser(t).get("/sign-in/openid").is(503).has(away)
	only("", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	s.browser(t).get("/sign-in/openid").is(503).has(away)
	only("", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://another.example/", http.StatusFound)
	})
	s.browser(t).get("/sign-in/openid").is(503).has(away)
}

func TestOpenIDTokenEndpointAway(t *testing.T) {
	t.Parallel()
	at := func(s *openIDSite, do func(http.ResponseWriter, *http.Request)) {
		s.provider.set(func(p *testProvider) {
			p.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/token") {
					return false
				}
				_ = r.ParseForm() // or the server does not notice the end of the connection
				do(w, r)
				return true
			}
		})
	}
	s := newOpenIDSite(t)
	at(s, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<b>down</b>", http.StatusBadGateway) })
	s.browser(t).get("/sign-in/openid").is(503).has("cannot be reached for the moment").lacks("down")
	s.provider.set(func(p *testProvider) { p.answer = nil })
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")

	slow := newOpenIDSite(t, func(o *Options) { o.OpenID.Timeout = 500 * time.Millisecond })
	at(slow, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	slow.browser(t).get("/sign-in/openid").is(503).has("cannot be reached for the moment")
}

// Many people at once cost the provider one description of itself.
func TestOpenIDAsksOnce(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	var all sync.WaitGroup
	for range 16 {
		b := s.stepwise(t)
		all.Go(func() {
			response, err := b.Get(s.URL + "/sign-in/openid")
			if err != nil {
				t.Error(err)
				return
			}
			if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusSeeOther {
				t.Errorf("the status is %d, %v", response.StatusCode, err)
			}
		})
	}
	all.Wait()
	if n := s.provider.count("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the description was loaded %d times; want once", n)
	}
}

// Endpoints found earlier stay in use while the provider does not describe itself.
func TestOpenIDDescriptionGrowsOld(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	s.provider.set(func(p *testProvider) { p.claims["exp"] = time.Now().Add(24 * time.Hour).Unix() })
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	s.ahead.Store(int64(2 * time.Hour))
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	if n := s.provider.count("/.well-known/openid-configuration"); n != 2 {
		t.Errorf("the description was loaded %d times; want twice", n)
	}
	s.ahead.Store(int64(4 * time.Hour))
	s.provider.set(func(p *testProvider) { p.about["issuer"] = "https://another.example" })
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
}

// A description that does not arrive holds up nobody who knows an earlier one.
func TestOpenIDDescriptionHangs(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) { o.OpenID.Timeout = 2 * time.Second })
	s.provider.set(func(p *testProvider) { p.claims["exp"] = time.Now().Add(24 * time.Hour).Unix() })
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
	s.ahead.Store(int64(2 * time.Hour))
	s.provider.set(func(p *testProvider) {
		p.answer = func(_ http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/openid-configuration") {
				return false
			}
			<-r.Context().Done()
			return true
		}
	})
	s.browser(t).get("/sign-in/openid").is(200).at("/problems")
}

func TestOpenIDCreatesUsers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		claims map[string]any
		want   user.User // without an e-mail address: refused
	}{
		"name":         {map[string]any{"email": "Bo@Example.org", "name": " Bo Ek "}, user.User{Name: "Bo Ek", Email: "Bo@Example.org"}},
		"no name":      {map[string]any{"email": "bo@example.org", "name": nil}, user.User{Name: "bo@example.org", Email: "bo@example.org"}},
		"long name":    {map[string]any{"email": "bo@example.org", "name": long}, user.User{Name: "bo@example.org", Email: "bo@example.org"}},
		"name in two":  {map[string]any{"email": "bo@example.org", "name": "Bo\nEk"}, user.User{Name: "bo@example.org", Email: "bo@example.org"}},
		"decomposed":   {map[string]any{"email": "bo\u0308@example.org", "name": "Bo"}, user.User{}},
		"with spaces":  {map[string]any{"email": " bo@example.org ", "name": "Bo"}, user.User{}},
		"ASCII domain": {map[string]any{"email": "bo@XN--BCHER-KVA.example", "name": "Bo"}, user.User{Name: "Bo", Email: "bo@bücher.example"}},
		"no address":   {map[string]any{"email": "bo"}, user.User{}},
		"long address": {map[string]any{"email": long + "@example.org"}, user.User{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOpenIDSite(t, func(o *Options) { o.OpenID.CreateUsers, o.OpenID.Scope = true, access.Read })
			s.provider.set(func(p *testProvider) { p.claims = c.claims })
			first := s.browser(t).get("/sign-in/openid?to=%2Fsettings")
			if c.want.Email == "" {
				first.is(403).has("cannot be the address of a user here")
				return
			}
			first.is(200).at("/settings").has(c.want.Email, "read")
			s.browser(t).get("/sign-in/openid?to=%2Fsettings").is(200).at("/settings").has(c.want.Email)
			users, err := s.service.Users().List(t.Context())
			if err != nil || len(users.Value) != 2 {
				t.Fatalf("there are %d users, %v; want 2", len(users.Value), err)
			}
			if got, _ := users.Catalogue.UserByEmail(c.want.Email); got.Name != c.want.Name || got.Email != c.want.Email {
				t.Errorf("the user is %+v, want %+v", got, c.want)
			}
		})
	}
}

// provedAddresses are addresses of a person who signs in. Those with true are those of the user
// mark@bücher.example. All others are refused, even to a server that creates users.
var provedAddresses = map[string]bool{
	"mark@bücher.example": true, "Mark@BÜCHER.Example": true, "MARK@xn--bcher-kva.example": true, "mark@XN--BCHER-KVA.EXAMPLE": true,
	"mar\u212A@bücher.example": false, "mark@bu\u0308cher.example": false, "mark@ｂücher.example": false, "mark@bücher。example": false,
	"\u00a0mark@bücher.example": false, "mark@bücher.example\u2003": false, "mark@bücher.example\u200b": false,
	"mark@bücher.example\u0085": false, " mark@bücher.example": false, "mark@bücher.example\r\n": false, "mark@bücher.example\x00": false,
}

func TestOpenIDComparesAddresses(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) { o.OpenID.CreateUsers = true })
	s.addUser(t, "Mark", "mark@BÜCHER.example", false)
	for address, same := range provedAddresses {
		s.provider.set(func(p *testProvider) { p.claims["email"] = address })
		if page := s.browser(t).get("/sign-in/openid?to=%2Fsettings"); same {
			page.is(200).at("/settings").has("mark@bücher.example")
		} else {
			page.is(403).has(strconv.QuoteToASCII(address) + ", cannot be the address of a user here.")
		}
	}
	if users, err := s.service.Users().List(t.Context()); err != nil || len(users.Value) != 2 {
		t.Errorf("there are %d users, %v; want 2", len(users.Value), err)
	}
	if !strings.Contains(s.log.String(), "must be in NFC") {
		t.Errorf("the log has no cause:\n%s", s.log)
	}
}

// addUser creates a user, perhaps an inactive one.
func (s *site) addUser(t testing.TB, name, email string, inactive bool) {
	t.Helper()
	if _, err := s.service.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{
		Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(email), Inactive: patch.Set(inactive)},
	}); err != nil {
		t.Fatal(err)
	}
}

func TestOpenIDRefusesInactiveUsers(t *testing.T) {
	t.Parallel()
	for _, create := range []bool{false, true} {
		s := newOpenIDSite(t, func(o *Options) { o.OpenID.CreateUsers = create })
		s.addUser(t, "Bo", "bo@example.org", true)
		s.provider.set(func(p *testProvider) { p.claims["email"] = "BO@example.org" })
		b := s.browser(t)
		b.get("/sign-in/openid").is(403).has("The user with the address BO@example.org is inactive here.")
		b.get("/settings").at("/sign-in?to=%2Fsettings")
	}
}

// A person of another domain is refused like without new users, and may come in by an
// administrator all the same.
func TestOpenIDCreatesUsersOfDomains(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) {
		o.OpenID.CreateUsers, o.OpenID.CreateDomains, o.OpenID.Scope = true, []string{"example.org"}, access.Admin
	})
	s.addUser(t, "Ann", "ann@elsewhere.example", false)
	for email, want := range map[string]int{"bo@EXAMPLE.org": 200, "eve@elsewhere.example": 403, "eve@example.org.elsewhere.example": 403, "eve@sub.example.org": 403, "ann@elsewhere.example": 200} {
		s.provider.set(func(p *testProvider) { p.claims["email"] = email })
		answer := s.browser(t).get("/sign-in/openid?to=%2Fsettings").is(want)
		if want == 403 {
			answer.has("Nobody here has the address " + email)
		}
	}
	users, err := s.service.Users().List(t.Context())
	if err != nil || len(users.Value) != 3 {
		t.Errorf("there are %d users, %v; want 3", len(users.Value), err)
	}
}

func TestOpenIDSecretIsAway(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t, func(o *Options) { o.OpenID.Secret = func() (string, error) { return "", errors.New("no such file") } })
	s.browser(t).get("/sign-in/openid").is(502).has("is not valid").lacks("file")
	if !strings.Contains(s.log.String(), "no such file") {
		t.Errorf("the log is\n%s", s.log)
	}
}

// Programs that look at links use up nothing. Without a provider there is no page.
func TestOpenIDMethods(t *testing.T) {
	t.Parallel()
	s := newOpenIDSite(t)
	b := s.stepwise(t)
	back := s.callback(t, b)
	for _, path := range []string{"/sign-in/openid", back} {
		r, err := http.NewRequest("HEAD", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if head := b.do(r).is(405); head.header.Get("Allow") != "GET" || head.header.Get("Set-Cookie") != "" {
			t.Errorf("HEAD %s: %v", path, head.header)
		}
		b.post(strings.Split(path, "?")[0]).is(405)
	}
	b.get(back).is(303)
	without := newSite(t)
	without.browser(t).get("/sign-in").is(200).lacks("Sign in with")
	without.browser(t).get("/sign-in/openid").is(404)
	without.browser(t).get("/sign-in/callback").is(404)
}

func TestOpenIDOptions(t *testing.T) {
	t.Parallel()
	secret := func() (string, error) { return "x", nil }
	complete := OpenID{Issuer: "https://id.example", ClientID: "c", Secret: secret, Scope: access.Read}
	for name, c := range map[string]struct {
		change func(*Options, *OpenID)
		ok     bool
	}{
		"complete":              {func(*Options, *OpenID) {}, true},
		"no issuer":             {func(_ *Options, i *OpenID) { i.Issuer = "" }, false},
		"issuer without a host": {func(_ *Options, i *OpenID) { i.Issuer = "id.example" }, false},
		"no client":             {func(_ *Options, i *OpenID) { i.ClientID = "" }, false},
		"no secret":             {func(_ *Options, i *OpenID) { i.Secret = nil }, false},
		"no scope":              {func(_ *Options, i *OpenID) { i.Scope = "" }, false},
		"no origin":             {func(o *Options, _ *OpenID) { o.Origin = "" }, false},
		"no random bytes":       {func(o *Options, _ *OpenID) { o.Random = nil }, false},
	} {
		id := complete
		o := Options{
			Origin: "https://tracker.example", Random: rand.Reader, OpenID: &id, Limits: Limits{FormBytes: 1, RequestTime: time.Second},
			NewRequestID: func() string { return "r" }, Now: time.Now,
		}
		c.change(&o, &id)
		h, err := New(o)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && h.OpenID.Name != "id.example" {
			t.Errorf("%s: the provider's name is %q", name, h.OpenID.Name)
		}
	}
}
