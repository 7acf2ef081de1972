package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/webhook"
)

// testKey is the key behind the links in e-mail.
var testKey = webhook.NewKey([32]byte{1})

// site is a client application over a store in memory, with a first administrator.
type site struct {
	*httptest.Server
	service *usecases.All
	store   *flaky
	codes   *Codes
	log     *bytes.Buffer
	token   access.Secret
	secure  bool
	admin   tracker.Caller
	// ahead is how far the clock of the service is ahead, in nanoseconds.
	ahead atomic.Int64
	// receiver takes the messages of webhooks.
	receiver *receiver
}

// receiver takes the messages of webhooks, and answers all of them alike.
type receiver struct {
	answer atomic.Pointer[webhook.Attempt]
}

// Send is of webhook.Sender.
func (r *receiver) Send(context.Context, string, webhook.Message) webhook.Attempt {
	return *r.answer.Load()
}

// flaky is a store that can be away.
type flaky struct {
	store.Store
	away   atomic.Bool            // all reads fail
	viewed atomic.Pointer[func()] // if not nil, is called after each View
	// refuse, if not nil, is asked before each Commit.
	refuse atomic.Pointer[func(store.Change) error]
}

// View is of store.Store.
func (f *flaky) View(ctx context.Context, do func(store.Reader) error) error {
	if f.away.Load() {
		return fault.New(fault.Unavailable, "away")
	}
	err := f.Store.View(ctx, do)
	if viewed := f.viewed.Load(); viewed != nil {
		(*viewed)()
	}
	return err
}

// Versions is of store.Store.
func (f *flaky) Versions(ctx context.Context) (store.Versions, error) {
	if f.away.Load() {
		return store.Versions{}, fault.New(fault.Unavailable, "away")
	}
	return f.Store.Versions(ctx)
}

// Commit is of store.Store.
func (f *flaky) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	if refuse := f.refuse.Load(); refuse != nil {
		if err := (*refuse)(c); err != nil {
			return store.Receipt{}, err
		}
	}
	return f.Store.Commit(ctx, c)
}

func newSite(t testing.TB, change ...func(*Options)) *site {
	t.Helper()
	return newSiteIn(t, time.UTC, change...)
}

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// newSiteIn returns a site with dates in a zone.
func newSiteIn(t testing.TB, zone *time.Location, change ...func(*Options)) *site {
	t.Helper()
	s := &site{codes: &Codes{}, log: &bytes.Buffer{}, receiver: &receiver{}}
	s.receiver.answer.Store(&webhook.Attempt{Status: http.StatusNoContent, Duration: 15 * time.Millisecond})
	inMemory, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.store = &flaky{Store: inMemory}
	s.service = usecases.New(tracker.Options{Store: s.store, Now: s.now, Zone: zone, Random: rand.Reader, Limits: tracker.DefaultLimits(), Files: files.NewMemory(time.Now), WebhookKey: func() (webhook.Key, error) { return testKey, nil }}, s.receiver)
	if s.token, err = s.service.NewSecret(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.Seed(t.Context(), s.token); err != nil {
		t.Fatal(err)
	}
	if s.admin, err = s.service.Authenticate(t.Context(), s.token); err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	o := Options{
		Service: s.service, Codes: s.codes, Limits: Limits{FormBytes: 1 << 20, RequestTime: 30 * time.Second},
		Logger: slog.New(slog.NewTextHandler(s.log, nil)), NewRequestID: func() string { return fmt.Sprint("r", requests.Add(1)) }, Now: s.now,
	}
	for _, c := range change {
		c(&o)
	}
	s.secure = o.Secure
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// browser is a browser without JavaScript.
type browser struct {
	t    testing.TB
	site *site
	*http.Client
}

func (s *site) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, s, &http.Client{Jar: jar}}
}

// signedIn returns a browser of the administrator.
func (s *site) signedIn(t testing.TB) *browser {
	t.Helper()
	b := s.browser(t)
	b.post("/sign-in", "token", s.token.Reveal()).is(http.StatusOK)
	return b
}

// as returns a browser of a new user with a token of this scope.
func (s *site) as(t testing.TB, name string, scope access.Scope) *browser {
	t.Helper()
	u, err := s.service.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{
		Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(strings.ToLower(name) + "@example.org")},
	})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := s.service.CreateToken(t.Context(), s.admin, admin.CreateToken{User: patch.Set(forms.ByID(u.Value.ID)), Scope: patch.Set(string(scope))})
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser(t)
	b.post("/sign-in", "token", issued.Value.Secret.Reveal()).is(http.StatusOK)
	return b
}

// problem creates a problem and returns its path.
func (s *site) problem(t testing.TB, title string) string {
	t.Helper()
	a, err := s.service.CreateProblem(t.Context(), s.admin, tracker.CreateProblem{ProblemPatch: problem.Patch{Title: patch.Set(title)}})
	if err != nil {
		t.Fatal(err)
	}
	return "/problems/" + formatID(a.Value.ID)
}

// shownPage is a page in a browser.
type shownPage struct {
	t      testing.TB
	b      *browser
	status int
	header http.Header
	path   string // after redirections
	body   string
	root   *html.Node
}

func (b *browser) do(r *http.Request) *shownPage {
	b.t.Helper()
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
	}
	response, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	return &shownPage{b.t, b, response.StatusCode, response.Header, response.Request.URL.RequestURI(), string(body), root}
}

func (b *browser) get(path string) *shownPage {
	b.t.Helper()
	r, err := http.NewRequest("GET", b.site.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

// post sends a form, as a page of the site does.
func (b *browser) post(path string, pairs ...string) *shownPage {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequest("POST", b.site.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	origin := b.site.URL
	if b.site.secure { // a proxy speaks https with the browser
		origin = strings.Replace(origin, "http://", "https://", 1)
	}
	r.Header.Set("Origin", origin)
	return b.do(r)
}

func (p *shownPage) is(status int) *shownPage {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s has the status %d, want %d:\n%s", p.path, p.status, status, p.text())
	}
	return p
}

func (p *shownPage) at(path string) *shownPage {
	p.t.Helper()
	if p.path != path {
		p.t.Fatalf("the page is %s, want %s", p.path, path)
	}
	return p
}

// has checks that the text of the page has these parts.
func (p *shownPage) has(parts ...string) *shownPage {
	p.t.Helper()
	text := p.text()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.t.Fatalf("%s lacks %q:\n%s", p.path, part, text)
		}
	}
	return p
}

func (p *shownPage) lacks(parts ...string) *shownPage {
	p.t.Helper()
	text := p.text()
	for _, part := range parts {
		if strings.Contains(text, part) {
			p.t.Fatalf("%s has %q:\n%s", p.path, part, text)
		}
	}
	return p
}

// find checks that the source of the page has these parts.
func (p *shownPage) find(parts ...string) *shownPage {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.body, part) {
			p.t.Fatalf("%s lacks %q:\n%s", p.path, part, p.body)
		}
	}
	return p
}

// text returns the text of the page, with single spaces.
func (p *shownPage) text() string {
	var words []string
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" {
			more := strings.Fields(n.Data)
			if before := n.PrevSibling; before != nil && before.Data == "wbr" && len(more) > 0 { // one word
				words[len(words)-1] += more[0]
				more = more[1:]
			}
			words = append(words, more...)
		}
	}
	return strings.Join(words, " ")
}

// attribute returns an attribute of an element.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// form returns the fields of the form with this action, as a browser would send them.
func (p *shownPage) form(action string) url.Values {
	p.t.Helper()
	for n := range p.root.Descendants() {
		if n.Data == "form" && attribute(n, "action") == action {
			return p.fieldsOf(n)
		}
	}
	p.t.Fatalf("%s has no form for %s:\n%s", p.path, action, p.body)
	return nil
}

// inputsOf yields the inputs of a form: inside of it, or elsewhere with its identifier.
func (p *shownPage) inputsOf(form *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range p.root.Descendants() {
			if n.Type != html.ElementNode || attribute(n, "name") == "" {
				continue
			}
			mine := hasAttribute(n, "form") && attribute(n, "form") == attribute(form, "id")
			for up := n; up != nil && !hasAttribute(n, "form") && !mine; up = up.Parent {
				mine = up == form
			}
			if mine && !yield(n) {
				return
			}
		}
	}
}

func (p *shownPage) fieldsOf(form *html.Node) url.Values {
	values := url.Values{}
	for n := range p.inputsOf(form) {
		name := attribute(n, "name")
		switch n.Data {
		case "input":
			if attribute(n, "type") != "checkbox" || hasAttribute(n, "checked") {
				values.Add(name, attribute(n, "value"))
			}
		case "textarea":
			text := ""
			if n.FirstChild != nil {
				text = n.FirstChild.Data
			}
			values.Add(name, text)
		case "select":
			values.Add(name, selected(n))
		}
	}
	return values
}

func hasAttribute(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func selected(n *html.Node) (value string) {
	first := true
	for o := range n.Descendants() {
		if o.Data == "option" && (first || hasAttribute(o, "selected")) {
			value, first = attribute(o, "value"), false
		}
	}
	return value
}

// submit sends the form with this action, with some values changed.
func (p *shownPage) submit(action string, pairs ...string) *shownPage {
	p.t.Helper()
	values := p.form(action)
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	var all []string
	for name, some := range values {
		for _, value := range some {
			all = append(all, name, value)
		}
	}
	return p.b.post(action, all...)
}

// choose returns the value of an option by its name.
func (p *shownPage) choose(field, name string) string {
	p.t.Helper()
	for n := range p.root.Descendants() {
		if n.Data != "select" || attribute(n, "name") != field {
			continue
		}
		for o := range n.Descendants() {
			if o.Data == "option" && o.FirstChild != nil && o.FirstChild.Data == name {
				return attribute(o, "value")
			}
		}
	}
	p.t.Fatalf("%s has no option %q for %s", p.path, name, field)
	return ""
}
