package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/adapters/web/internal/assets"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/adapters/web/internal/openid"
	"github.com/problemtracking/problems/adapters/web/internal/views"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// Options are the needs of the handler. Service, Limits, Logger, NewRequestID and Now
// have to be given.
type Options struct {
	Service *usecases.All
	// Codes are the codes for signing in without a token. nil: there are none.
	Codes *Codes
	// BasePath is the prefix of every path, such as "/tracker". Requests may lack it,
	// because a proxy may strip it. Empty for none.
	BasePath string
	// Origin is the origin of the pages for browsers, such as "https://example.org", if it
	// is known. Forms then work behind a proxy with another Host.
	Origin string
	// Secure is true when browsers use https: cookies then never go over plain HTTP.
	Secure bool
	// OpenID is the provider for signing in by OpenID Connect. nil: there is none.
	OpenID *OpenID
	// Proxy is the proxy in front that authenticates people. nil: there is none.
	Proxy *Proxy
	// Random is a source of random bytes fit for secrets. It has to be given with OpenID.
	Random io.Reader
	// Memory is the budget for forms and large pages. nil: no limit.
	Memory *budget.Budget
	Limits Limits
	// Stream, if not nil, counts a stream of the user until release. The stream has to end with
	// until. It fails with fault.RateLimited when there are too many.
	Stream func(user ident.ID) (until context.Context, release func(), err error)
	// Stopping, if not nil, ends when the server begins to stop: so do streams then.
	Stopping context.Context
	// TrustedProxies may name the client of a request.
	TrustedProxies peer.Proxies
	// Logger gets the causes of the statuses 500 and 503, because people do not.
	Logger *slog.Logger
	// NewRequestID names a request without a usable X-Request-Id, and each form.
	NewRequestID func() string
	Now          func() time.Time
	// Mail shows the choice of e-mail in the settings: the service sends some.
	Mail bool
	// Quiet reports whether the log omits causes of 503. nil: it has all.
	Quiet func() bool
	// Observe, if not nil, is called after every request, by its goroutine.
	Observe func(httpframe.Exchange)
}

// Limits bound the requests of one person.
type Limits struct {
	// FormBytes is the greatest length of the texts in a form.
	FormBytes int64
	// RequestTime is how long one request may take.
	RequestTime time.Duration
	// RatePerMinute is how many requests a session may make. 0: any number.
	RatePerMinute int
	// AddressRatePerMinute is how many requests may come from an address without a
	// session. 0: any number.
	AddressRatePerMinute int
}

// Handler is the client application.
type Handler struct {
	Options
	base     string
	rates    *httpframe.RateLimits
	cross    *http.CrossOriginProtection
	views    *views.Views
	assets   *assets.Assets
	markdown *markdown.Renderer
	openID   *openid.Provider // nil: there is none
	mux      *http.ServeMux
	framed   http.Handler
}

// New returns the client application. It fails when an option makes no sense.
func New(o Options) (*Handler, error) {
	if err := httpframe.CheckBasePath(o.BasePath); err != nil {
		return nil, fmt.Errorf("web: BasePath has %w", err)
	}
	if o.Limits.FormBytes <= 0 || o.Limits.RequestTime <= 0 || o.Limits.RatePerMinute < 0 || o.Limits.AddressRatePerMinute < 0 {
		return nil, fmt.Errorf("web: limits have to be positive: %+v", o.Limits)
	}
	h := &Handler{
		Options:  o,
		base:     o.BasePath,
		rates:    httpframe.NewRateLimits("session", o.Limits.RatePerMinute, o.Limits.AddressRatePerMinute, o.TrustedProxies, o.Now),
		cross:    http.NewCrossOriginProtection(),
		markdown: markdown.New(),
		mux:      http.NewServeMux(),
	}
	if o.Origin != "" {
		if err := h.cross.AddTrustedOrigin(o.Origin); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	// Mail programs post here without a session; the token in the URL authorises.
	h.cross.AddInsecureBypassPattern("POST " + h.base + unsubscribePath)
	if err := h.checkSignIns(); err != nil {
		return nil, err
	}
	h.assets = assets.New(h.base)
	h.views = views.New(h.base, h.assets.URL, o.Now)
	all := routes()
	for _, r := range slices.Concat(all, waysBack(all)) {
		h.mux.HandleFunc(r.method+" "+h.base+r.path, h.serve(r))
	}
	h.mux.Handle("GET "+h.base+assets.Path, h.assets)
	h.mux.HandleFunc("/", h.serve(route{open: true, do: nothing}))
	h.framed = httpframe.Wrap(httpframe.Options{
		RequestTime: o.Limits.RequestTime, Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost}, Memory: o.Memory,
		Logger: o.Logger, Quiet: o.Quiet,
		NewRequestID: o.NewRequestID, Now: o.Now, Observe: o.Observe,
		Fail: h.fail,
	}, http.HandlerFunc(h.route))
	return h, nil
}

// ServeHTTP serves a request for a page, a form or an asset.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.framed.ServeHTTP(w, r) }

// Serves reports whether the client application answers the request. Everything else is
// the API's. Both have the root: browsers get a page there. Browsers also get a page for
// a path of neither.
func (h *Handler) Serves(r *http.Request) bool {
	rest, within := strings.CutPrefix(h.withBase(r.URL).Path, h.base)
	first, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	if !within || apiPaths[first] {
		return false
	}
	if first != "" && ownPaths[first] {
		return true
	}
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && prefersPage(r.Header)
}

// apiPaths are the first segments of the paths of the API (D41).
var apiPaths = map[string]bool{"api": true, "docs": true, "errors": true, "healthz": true, "readyz": true, "openapi.json": true}

// ownPaths are the first segments of the paths of the client application.
var ownPaths = func() map[string]bool {
	own := map[string]bool{strings.Split(assets.Path, "/")[1]: true}
	for _, r := range routes() {
		own[strings.Split(r.path, "/")[1]] = true
	}
	delete(own, "{$}")
	return own
}()

// prefersPage reports whether a client names HTML among the types that it takes. Clients
// with "*/*" alone are programs.
func prefersPage(header http.Header) bool {
	return strings.Contains(strings.ToLower(strings.Join(header.Values("Accept"), ",")), "text/html")
}

// withBase returns the URL with the base path: a proxy may have stripped it.
func (h *Handler) withBase(at *url.URL) *url.URL {
	if h.base == "" || at.Path == h.base || strings.HasPrefix(at.Path, h.base+"/") {
		return at
	}
	return httpframe.Below(h.base, at)
}

// route serves a request by its path, after the checks that need no session.
func (h *Handler) route(w http.ResponseWriter, r *http.Request) {
	h.secure(w.Header())
	r.URL = h.withBase(r.URL)
	if r.URL.Path == h.base {
		root := *r.URL
		root.Path, root.RawPath = h.base+"/", ""
		r.URL = &root
	}
	if err := h.cross.Check(r); err != nil {
		h.fail(w, r, fault.Wrap(fault.Forbidden, err, "this form was sent by a page of another site; nothing was done"))
		return
	}
	if r.URL.Path != path.Clean(r.URL.Path) && r.URL.Path != h.base+"/" && !strings.HasPrefix(r.URL.Path, h.base+assets.Path) {
		h.serve(route{open: true, do: nowhere})(w, r)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// secure sets the headers for browsers. A page loads and runs nothing but the assets of
// this handler. With "no-referrer" some browsers would send "Origin: null" with forms,
// and every form would be refused.
func (h *Handler) secure(header http.Header) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
	header.Set("Referrer-Policy", "same-origin")
	if h.Secure { // browsers ignore it on plain HTTP, and complain
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// route is a page, or the action of a form.
type route struct {
	method string
	path   string // below the base path
	scope  access.Scope
	open   bool // needs no session
	do     func(*request) (answer, error)
}

// serve answers the requests of a route: session, rate, scope, form, then the action.
func (h *Handler) serve(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, no-store") // after signing out, "back" shows none of it
		q := h.newRequest(w, r)
		a, err := q.answer(rt)
		if err != nil {
			q.fail(err)
			return
		}
		q.send(a)
	}
}

// answer runs the common checks, then the action.
func (q *request) answer(rt route) (answer, error) {
	unknown := q.authenticate()
	if err := q.guard(rt, unknown); err != nil {
		return answer{}, err
	}
	if rt.open {
		return rt.do(q)
	}
	if q.form.Has("language") {
		if err := q.takeLanguage(); err != nil {
			return answer{}, err
		}
		q.form.Del("language")
		rt.do = inLanguage(rt)
	}
	if fault.Is(unknown, fault.Unauthenticated) {
		return q.signInFirst(unknown)
	}
	if unknown != nil {
		return answer{}, unknown
	}
	if err := q.frame.Admit(q.caller.User); err != nil {
		return answer{}, err
	}
	if !q.caller.Scope.Covers(rt.scope) {
		return answer{}, fault.New(fault.Forbidden, "this needs the scope %s, and you signed in with the scope %s", rt.scope, q.caller.Scope)
	}
	if err := forms.Identify(q.form, q.catalogue); err != nil {
		return answer{}, err
	}
	return rt.do(q)
}

// authenticate finds the caller by the session. It fails when the caller is unknown.
func (q *request) authenticate() error {
	if err := q.recognize(q.context()); err != nil {
		return err
	}
	if err := q.compareWithProxy(); err != nil {
		return err
	}
	q.frame.Token = q.caller.Token
	q.prefer()
	return nil
}

// guard checks the rate, the form and the query. unknown is the error of authenticate. A
// caller beyond the rate still gets the form read: the page about it keeps what was typed.
func (q *request) guard(rt route, unknown error) error {
	var limited error
	switch {
	case unknown == nil:
		limited = q.rates.TakeCaller(q.caller.Session, q.w.Header())
	case rt.open || fault.Is(unknown, fault.Unauthenticated):
		if err := q.rates.TakeAddress(q.r, q.w.Header()); err != nil {
			return err
		}
	}
	if q.r.Method == http.MethodPost && rt.path != unsubscribePath && rt.path != attachPath {
		if err := q.readForm(); err != nil {
			return err
		}
	}
	if limited != nil {
		return limited
	}
	if _, err := url.ParseQuery(q.r.URL.RawQuery); err != nil {
		return fault.New(fault.MalformedRequest, "the address is not a list of name=value after its question mark")
	}
	return nil
}

// nothing is the answer of a path without a page, or without this method.
func nothing(q *request) (answer, error) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if _, pattern := q.mux.Handler(&http.Request{Method: method, URL: q.r.URL}); pattern != "/" {
			q.w.Header().Add("Allow", method)
		}
	}
	if q.w.Header().Get("Allow") != "" {
		return answer{}, fault.New(fault.MethodNotAllowed, "this address has another method: see the header Allow")
	}
	return nowhere(q)
}

// nowhere is the answer of an address without a page.
func nowhere(*request) (answer, error) {
	return answer{}, fault.New(fault.NotFound, "there is no page at this address")
}

// routes returns all pages and forms.
func routes() []route {
	return []route{
		{"GET", "/{$}", access.Read, false, home},
		{"GET", "/sign-in", "", true, showSignIn},
		{"POST", "/sign-in", "", true, signIn},
		{"GET", "/sign-in/openid", "", true, beginOpenID},
		{"GET", openIDCallback, "", true, finishOpenID},
		{"GET", "/sign-out", "", true, showSignedOut},
		{"POST", "/sign-out", access.Read, false, signOut},
		{"GET", "/settings", access.Read, false, showSettings},
		{"POST", "/settings/sessions/{id}/end", access.Read, false, endSession},
		{"GET", ownTokensPath, access.Read, false, showOwnTokens},
		{"POST", ownTokensPath, access.Read, false, createOwnToken},
		{"POST", ownTokensPath + "/{id}/revoke", access.Read, false, revokeOwnToken},
		{"POST", "/settings/mail", access.Write, false, chooseMail},
		{"POST", "/settings/preferences", access.Write, false, choosePreferences},
		{"POST", "/language", "", true, chooseLanguage},
		{"GET", unsubscribePath, "", true, showUnsubscribe},
		{"POST", unsubscribePath, "", true, unsubscribe},

		{"GET", "/keys", access.Read, false, showKeys},
		{"POST", "/keys", access.Read, false, chooseKeys},

		{"GET", "/live", access.Read, false, showLive},
		{"GET", "/find", access.Read, false, showFind},

		{"GET", "/problems", access.Read, false, showProblems},
		{"GET", boardPath, access.Read, false, showBoard},
		{"POST", boardPath, access.Write, false, moveCard},
		{"GET", "/problems/csv", access.Read, false, exportProblems},
		{"GET", "/problems/filter", access.Read, false, filterProblems},
		{"GET", "/problems/new", access.Report, false, showNewProblem},
		{"POST", "/problems/new", access.Report, false, createProblem},
		{"GET", "/problems/bulk", access.Write, false, showBulk},
		{"POST", "/problems/bulk", access.Write, false, changeProblems},
		{"GET", "/changes", access.Read, false, showChanges},
		{"GET", "/people", access.Read, false, showPeople},
		{"GET", "/queries/counts", access.Read, false, showCounts},
		{"POST", "/queries", access.Write, false, saveQuery},
		{"POST", "/queries/{id}", access.Write, false, changeQuery},
		{"POST", "/queries/{id}/share", access.Write, false, shareQuery},
		{"POST", "/queries/{id}/delete", access.Write, false, deleteQuery},

		{"GET", "/problems/{problem}", access.Read, false, showProblem},
		{"POST", "/problems/{problem}", access.Write, false, changeProblem},
		{"GET", "/problems/{problem}/graph", access.Read, false, showGraph},
		{"GET", "/problems/{problem}/past", access.Read, false, showPast},
		{"GET", "/problems/{problem}/batches/{batch}/undo", access.Write, false, showUndo},
		{"POST", "/problems/{problem}/batches/{batch}/undo", access.Write, false, undoBatch},
		{"POST", "/problems/{problem}/read", access.Write, false, markRead},
		{"GET", "/problems/{problem}/comments/{comment}/edit", access.Comment, false, showEditComment},
		{"POST", "/problems/{problem}/comments/{comment}/edit", access.Comment, false, editComment},
		{"GET", "/problems/{problem}/comments/{comment}/delete", access.Comment, false, showDeleteComment},
		{"POST", "/problems/{problem}/comments/{comment}/delete", access.Comment, false, deleteComment},
		{"GET", "/problems/{problem}/redaction", access.Admin, false, showRedaction},
		{"POST", "/problems/{problem}/redaction", access.Admin, false, redact},
		{"GET", "/problems/{problem}/comments/{comment}/redaction", access.Write, false, showRedaction},
		{"POST", "/problems/{problem}/comments/{comment}/redaction", access.Write, false, redact},
		{"POST", attachPath, access.Comment, false, addAttachments},
		{"POST", attachPath + "/delete", access.Comment, false, deleteAttachment},
		{"GET", attachPath + "/{attachment}/{name}", access.Read, false, showFile},
		{"POST", "/problems/{problem}/keywords", access.Write, false, setKeyword},
		{"POST", "/problems/{problem}/keywords/delete", access.Write, false, deleteKeyword},
		{"POST", "/problems/{problem}/relationships", access.Write, false, relate},
		{"POST", "/problems/{problem}/relationships/delete", access.Write, false, unrelate},
		{"POST", "/problems/{problem}/watchers", access.Write, false, addWatcher},
		{"POST", "/problems/{problem}/watchers/leave", access.Write, false, stopWatching},
		{"POST", "/problems/{problem}/assign", access.Write, false, assignToMe},
		{"POST", "/problems/{problem}/claim", access.Write, false, takeClaim},
		{"POST", "/problems/{problem}/claim/end", access.Write, false, endClaim},

		{"GET", "/milestones", access.Read, false, showMilestones},
		{"GET", "/milestones/{id}", access.Read, false, showMilestone},

		{"GET", "/administration", access.Read, false, showAdministration},
		{"GET", "/administration/{kind}", access.Read, false, showObjects},
		{"POST", "/administration/{kind}", access.Write, false, createObject},
		{"GET", "/administration/{kind}/{id}", access.Read, false, showObject},
		{"POST", "/administration/{kind}/{id}", access.Write, false, changeObject},
		{"GET", "/administration/users/{id}/erasure", access.Admin, false, showErasure},
		{"POST", "/administration/users/{id}/erasure", access.Admin, false, eraseUser},
		{"GET", "/administration/tokens", access.Admin, false, showTokens},
		{"POST", "/administration/tokens", access.Admin, false, createToken},
		{"POST", "/administration/tokens/{id}/revoke", access.Admin, false, revokeToken},
		{"GET", "/administration/queries", access.Read, false, showQueries},
		{"GET", "/administration/sessions", access.Admin, false, showSessions},
		{"POST", "/administration/sessions/{id}/end", access.Admin, false, endSessionOf},
		{"GET", hooks, access.Admin, false, showWebhooks},
		{"POST", hooks, access.Admin, false, createWebhook},
		{"GET", hooks + "/{id}", access.Admin, false, showWebhook},
		{"POST", hooks + "/{id}", access.Admin, false, changeWebhook},
		{"POST", hooks + "/{id}/test", access.Admin, false, testWebhook},
		{"POST", hooks + "/{id}/secret", access.Admin, false, rotateWebhook},
		{"POST", hooks + "/{id}/resume", access.Admin, false, resumeWebhook},
		{"POST", hooks + "/{id}/stop", access.Admin, false, stopWebhook},
		{"POST", hooks + "/{id}/replay", access.Admin, false, replayWebhook},
		{"GET", hooks + "/{id}/delete", access.Admin, false, showDeleteWebhook},
		{"POST", hooks + "/{id}/delete", access.Admin, false, deleteWebhook},
		{"GET", "/administration/audit", access.Admin, false, showAudit},
	}
}

// Scopes returns the scope of each page and form by method and path, such as
// "POST /problems/new". It leaves out the ones that need no session.
func Scopes() map[string]access.Scope {
	scopes := map[string]access.Scope{}
	for _, r := range routes() {
		if !r.open {
			scopes[r.method+" "+r.path] = r.scope
		}
	}
	for _, k := range kinds(time.UTC) {
		scopes["POST /administration/"+k.slug], scopes["POST /administration/"+k.slug+"/{id}"] = k.scope, k.scope
	}
	return scopes
}

// waysBack returns a page for each form without one at its address: it leads to the nearest
// page above. The answer to a form has the address of the form, and a reload asks for it.
func waysBack(all []route) (ways []route) {
	pages := map[string]bool{}
	for _, r := range all {
		pages[r.path] = pages[r.path] || r.method == http.MethodGet
	}
	for _, r := range all {
		if pages[r.path] {
			continue
		}
		above := r.path
		for above != "" && !pages[above] {
			above = above[:strings.LastIndexByte(above, '/')]
		}
		depth := strings.Count(above, "/")
		ways = append(ways, route{http.MethodGet, r.path, access.Read, false, func(q *request) (answer, error) {
			segments := strings.Split(strings.TrimPrefix(q.r.URL.EscapedPath(), q.base), "/")
			return q.redirect(cmp.Or(strings.Join(segments[:depth+1], "/"), "/problems")), nil
		}})
	}
	return ways
}

// home leads to the list of problems.
func home(q *request) (answer, error) { return q.redirect("/problems"), nil }

// context returns the context of the request.
func (q *request) context() context.Context { return q.r.Context() }
