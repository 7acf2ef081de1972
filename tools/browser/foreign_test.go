package browser

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// foreign is a site of somebody else. Its pages take what they do from their addresses.
type foreign struct{ port string }

// foreignPages are: a form that sends itself, a script that sends one, frames, and nothing.
var foreignPages = template.Must(template.New("").Parse(`
{{define "form"}}<form method="post" action="{{.Get "to"}}" enctype="{{.Get "as"}}">
{{range $name, $values := .}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}</form>
<script>document.forms[0].submit()</script>{{end}}
{{define "fetch"}}<script>
fetch({{.Get "to"}}, {method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams({{.Encode}})}).finally(() => document.title = "sent")
</script>{{end}}
{{define "frame"}}{{range .of}}<iframe src="{{.}}"></iframe>{{end}}{{with index .of 0}}<object type="text/html" data="{{.}}"></object><embed type="text/html" src="{{.}}">{{end}}{{end}}
{{define "plant"}}<title>Planted</title>{{end}}`))

func newForeign(t *testing.T) *foreign {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Referrer-Policy", query.Get("referrer"))
		if cookie := query.Get("cookie"); cookie != "" {
			w.Header().Set("Set-Cookie", cookie)
		}
		_ = foreignPages.ExecuteTemplate(w, strings.TrimPrefix(r.URL.Path, "/"), query)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return &foreign{port}
}

// at returns the address of a page on a host.
func (f *foreign) at(host, name string, parameters url.Values) string {
	return "http://" + host + ":" + f.port + "/" + name + "?" + parameters.Encode()
}

// on returns the scene with another host of the service.
func (s *scene) on(host string) *scene {
	s.Helper()
	at, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	other := *s
	other.url = "http://" + host + ":" + at.Port()
	return &other
}

// away opens an address outside of the service.
func (p *person) away(address string) error { return p.Do(chromedp.Navigate(address)) }

// movesAlone is what moves without a request of anybody else: the position of a webhook, and the last
// use of a token.
var movesAlone = regexp.MustCompile(`"(cursor|lastUse)":(null|"[^"]*")`)

// kept returns everything that the forms of TestFormsOfForeignPages would change.
func (s *scene) kept() string {
	s.Helper()
	var all strings.Builder
	for _, path := range []string{"/problems/1", "/problems/1/comments", "/users", "/tokens", "/webhooks", "/audit"} {
		status, text := s.call("GET", path, nil)
		if status != http.StatusOK {
			s.Fatalf("GET %s: %d %s", path, status, text)
		}
		all.Write(text)
	}
	return movesAlone.ReplaceAllString(all.String(), "")
}

// A page of another origin sends forms in the name of somebody who is signed in: nothing
// changes, and the answer is 403. Beside loopback, browsers say nothing about the site of
// a form on plain HTTP but its origin. Other ports, and other names below one domain, are the
// same site, so cookies come along.
func TestFormsOfForeignPages(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	f := newForeign(t)
	s.api("POST", "/problems", map[string]any{"title": "The safe is closed"})
	hook := s.api("POST", "/webhooks", map[string]any{"url": "https://hooks.example.org/", "predicate": "FALSEPREDICATE"})["identifier"].(string)
	user := s.api("POST", "/users", map[string]any{"name": "Mallory", "email": "mallory@example.org"})["identifier"].(string)
	forms := []struct {
		path   string
		fields url.Values
	}{
		{"/problems/1", url.Values{"comment": {"Forged"}}},
		{"/administration/tokens", url.Values{"user": {user}, "scope": {"admin"}}},
		{"/administration/webhooks/" + hook + "/delete", nil},
		{"/sign-out", nil},
	}
	for name, c := range map[string]struct {
		own, foreign string
		forms        int // how many of them are tried
	}{
		"port":      {"127.0.0.1", "127.0.0.1", 2},
		"subdomain": {"tracker.example", "pages.tracker.example", len(forms)},
		"site":      {"tracker.example", "evil.example", 1},
		"loopback":  {"127.0.0.1", "evil.example", 1},
	} {
		t.Run(name, func(t *testing.T) {
			own := *s.on(c.own)
			own.TB = t
			p := own.signedIn(s.token)
			before := s.kept()
			send := func(page, path string, fields url.Values, more ...string) {
				t.Helper()
				all := url.Values{"to": {own.url + path}}
				maps.Copy(all, fields)
				for i := 0; i < len(more); i += 2 {
					all.Set(more[i], more[i+1])
				}
				p.Requests()
				p.must(p.away(f.at(c.foreign, page, all)), p.Until("document.readyState === 'complete' && (document.title === 'sent' || location.href.startsWith('"+own.url+"'))"))
			}
			refused := func(path string, fields url.Values, more ...string) {
				t.Helper()
				send("form", path, fields, more...)
				var statuses []int
				for _, r := range p.Requests() {
					if r.URL == own.url+path {
						statuses = append(statuses, r.Status)
					}
				}
				if len(statuses) != 1 || statuses[0] != http.StatusForbidden {
					t.Errorf("the form %v for %s has the statuses %v, want 403", more, path, statuses)
				}
			}
			for _, form := range forms[:c.forms] {
				refused(form.path, form.fields)
			}
			first := forms[0]
			send("fetch", first.path, first.fields) // its page learns no status, and neither does the test
			if c.forms > 1 {
				refused(first.path, first.fields, "referrer", "no-referrer") // its origin is "null"
				refused(first.path, first.fields, "as", "text/plain")
			}
			if after := s.kept(); after != before {
				t.Errorf("something has changed: %s\nwas %s", after, before)
			}
			p.must(p.Open("/problems/1"), p.Shows("The safe is closed"))
		})
	}
	// From its own pages, the service takes the same forms.
	p := s.signedIn(s.token)
	for _, form := range forms {
		ctx, cancel := context.WithTimeout(p.ctx, Patience)
		status, err := chromedp.Run(ctx, chromedp.Evaluate[int](fmt.Sprintf("fetch(%q, {method: 'POST', body: new URLSearchParams(%q)}).then(r => r.status)", form.path, form.fields.Encode()), chromedp.EvalAwaitPromise))
		cancel()
		if err != nil || status != http.StatusOK {
			t.Errorf("the own form for %s has the status %d (%v)", form.path, status, err)
		}
	}
}

// A page of another origin shows no page of the service in a frame: nobody clicks on a button
// below something else.
func TestFramesOfForeignPages(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	f := newForeign(t)
	s.api("POST", "/problems", map[string]any{"title": "The safe is closed"})
	for name, c := range map[string]struct{ own, foreign string }{
		"port":      {"127.0.0.1", "127.0.0.1"},
		"subdomain": {"tracker.example", "pages.tracker.example"},
	} {
		t.Run(name, func(t *testing.T) {
			own := *s.on(c.own)
			own.TB = t
			p := own.signedIn(s.token)
			// framed opens frames with all pages, and two more with the first one.
			framed := func(addresses ...string) (shown, blocked []string) {
				t.Helper()
				p.must(p.away(f.at(c.foreign, "frame", url.Values{"of": addresses})), p.Until("document.readyState === 'complete'"))
				tree, err := chromedp.Call(p.ctx, page.GetFrameTree, cdp.Empty{})
				if err != nil {
					t.Fatal(err)
				}
				for _, child := range tree.FrameTree.ChildFrames {
					if blockedURL := child.Frame.UnreachableURL; blockedURL != "" {
						blocked = append(blocked, blockedURL)
					} else {
						shown = append(shown, child.Frame.URL)
					}
				}
				return shown, blocked
			}
			if shown, blocked := framed(f.at(c.foreign, "plant", nil)); len(shown) != 3 || len(blocked) != 0 {
				t.Fatalf("of a page without protection, frames show %q and not %q", shown, blocked)
			}
			var all []string
			for _, path := range []string{"/problems/1", "/problems?query=all", "/settings", "/sign-in?code=x", "/nowhere", "/docs", "/errors", "/api/20151105/problems"} {
				all = append(all, own.url+path)
			}
			shown, blocked := framed(all...)
			for _, address := range all {
				if !slices.Contains(blocked, address) {
					t.Errorf("%s is in a frame", address)
				}
			}
			if len(shown) > 0 {
				t.Errorf("frames show %q", shown)
			}
		})
	}
}

// sessionCookie is the name of the cookie of a session, on plain HTTP and without a base path.
const sessionCookie = "problems-session"

// with returns where the service leads a browser with this key of a session, or the page if
// it shows one.
func (s *scene) with(key, path string) (to, body string) {
	s.Helper()
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.AddCookie(&http.Cookie{Name: sessionCookie, Value: key})
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.Header.Get("Location"), string(text)
}

// keys returns the keys of sessions that the browser sends to the root of the service.
func (p *person) keys() (keys []string) {
	p.TB.Helper()
	found, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{p.scene.url + "/"}})
	if err != nil {
		p.TB.Fatal(err)
	}
	for _, c := range found.Cookies {
		if c.Name == sessionCookie {
			keys = append(keys, c.Value)
		}
	}
	return keys
}

// Another service on the host plants a cookie, so that it knows the session of whoever signs
// in. Signing in makes a new session, and the planted key opens nothing of it.
func TestPlantedSession(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:")
	f := newForeign(t)
	token := s.member("Mallory")
	plant := func(p *person, key, path string) {
		t.Helper()
		p.must(p.away(f.at("127.0.0.1", "plant", url.Values{"cookie": {sessionCookie + "=" + key + "; Path=" + path}})), p.Until("document.title === 'Planted'"))
	}
	signIn := func(p *person) {
		t.Helper()
		p.must(p.Type("input[name=token]", s.token), p.Click("main button"), p.Shows("All open"), p.Shows("Administrator"), p.Until("document.cookie === ''"))
	}
	replaced := func(p *person, planted string) {
		t.Helper()
		keys := p.keys()
		if len(keys) != 1 || keys[0] == planted {
			t.Fatalf("after the sign-in, the browser sends the keys %q, and %q was planted", keys, planted)
		}
		if to, body := s.with(keys[0], "/settings"); to != "" || !strings.Contains(body, "admin@localhost") {
			t.Errorf("the new key leads to %q and shows %s", to, body)
		}
	}

	// The key of no session.
	ended := s.signInAs("x", token)
	own := s.person()
	plant(own, ended, "/")
	own.must(own.Open("/settings"), own.Shows("Mallory"), own.Click(`form[action="/sign-out"] button`), own.Shows("Token"))
	plant(own, ended, "/")
	if keys := own.keys(); len(keys) != 1 || keys[0] != ended {
		t.Fatalf("nothing is planted: the keys are %q", keys)
	}
	own.must(own.Open("/sign-in"), own.Shows("Token"))
	signIn(own)
	replaced(own, ended)
	if to, _ := s.with(ended, "/settings"); !strings.HasPrefix(to, "/sign-in") {
		t.Errorf("the planted key of no session leads to %q", to)
	}

	// The key of a session, planted while the form is open.
	living := s.signInAs("x", token)
	other := s.person()
	other.must(other.Open("/sign-in"), other.Shows("Token"))
	if _, err := chromedp.Call(other.ctx, network.SetCookie, network.SetCookieParams{Name: sessionCookie, Value: living, URL: s.url + "/"}); err != nil {
		t.Fatal(err)
	}
	signIn(other)
	replaced(other, living)
	if to, body := s.with(living, "/settings"); to != "" || !strings.Contains(body, "mallory@example.org") || strings.Contains(body, "Administrator") {
		t.Errorf("the planted key leads to %q and shows %s", to, body)
	}

	// A key for some pages alone: browsers send it first, and the service takes none of the two.
	plant(other, living, "/problems")
	other.must(other.Open("/problems"), other.Shows("Your browser sends several sessions"), other.Open("/settings"), other.Shows("admin@localhost"))
}
