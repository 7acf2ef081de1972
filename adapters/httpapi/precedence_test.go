package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// One request with everything wrong that can be, put right one by one, in the order
// in which the faults have to be reported (D18).
func TestOrderOfErrors(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.Limits.RatePerMinute = 1 })
	f.send(t, request("GET", api+"/me", ""), 200, "") // the one request of this minute
	method, path, query := "DELETE", "/problemz/007", "?dryRun=1"
	header := http.Header{"Authorization": {"x"}, "Content-Type": {"text/html"}, "If-Match": {"2"}}
	body := `{"title":` + strings.Repeat(" ", 1<<20)
	step := func(status int, slug fault.Kind, repair func()) {
		t.Helper()
		r := request(method, api+path+query, body)
		r.Header = header
		f.send(t, r, status, slug)
		repair()
	}
	step(404, fault.NotFound, func() { path = "/problems/007" })
	step(405, fault.MethodNotAllowed, func() { method = "PATCH" })
	step(401, fault.Unauthenticated, func() { header.Set("Authorization", secretOf(access.Read).Reveal()) })
	step(403, fault.Forbidden, func() { header.Set("Authorization", secretOf(access.Admin).Reveal()) })
	step(429, fault.RateLimited, func() {
		f.Handler = setup(t).Handler
	})
	step(415, fault.UnsupportedMediaType, func() { header.Set("Content-Type", "application/merge-patch+json") })
	step(413, fault.TooLarge, func() { body = `{"title":` })
	step(400, fault.MalformedRequest, func() { query = "?dryRun=true" })
	step(400, fault.MalformedRequest, func() { header.Set("If-Match", `"2"`) })
	step(400, fault.MalformedJSON, func() { body = `{"title":null,"state":{"name":"Open"},"revision":2}` })
	step(404, fault.ProblemNotFound, func() { path = "/problems/99" })
	step(404, fault.ProblemNotFound, func() { path = "/problems/12" })
	step(412, fault.StaleRevision, func() { header.Del("If-Match") })
	step(412, fault.StaleRevision, func() { body = `{"title":null,"state":{"name":"Open"},"revision":3}` })
	step(422, fault.InvalidValue, func() { body = `{"state":{"name":"In Progress"},"revision":3}` })
	step(200, "", func() {})
}

func TestOrderOfErrorsInPaths(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		slug               fault.Kind
	}{
		{"GET", "/problems/007", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/+12", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/-12", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/0", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/abc", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/12.0", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/99999999999999999999", "", 404, fault.ProblemNotFound},
		{"GET", "/problems/%31%32", "", 200, ""},
		{"GET", "/problems/abc?x=1", "", 400, fault.MalformedRequest},
		{"PATCH", "/problems/abc", "{", 400, fault.MalformedJSON},
		{"PATCH", "/problems/abc", "[]", 404, fault.ProblemNotFound},
		{"DELETE", "/problems/abc/keywords/%00", "", 404, fault.ProblemNotFound},
		{"DELETE", "/problems/12/keywords/%00", "", 422, fault.InvalidValue},
		{"DELETE", "/problems/12/keywords/none", "", 404, fault.KeywordNotFound},
		{"DELETE", "/problems/12/relationships", `{"type":"X","problemIdentifier":"13"}`, 422, fault.ValidationFailed},
		{"DELETE", "/problems/12/relationships", `{"type":"CauseOf","problemIdentifier":13}`, 404, fault.RelationshipNotFound},
		{"GET", "/users/abc", "", 404, fault.NotFound},
		{"PATCH", "/users/abc", "{", 400, fault.MalformedJSON},
		{"PATCH", "/users/abc", "[]", 404, fault.NotFound},
		{"DELETE", "/tokens/abc", "", 404, fault.NotFound},
		{"DELETE", "/tokens/" + samples.Identifier(99).String(), "", 404, fault.NotFound},
	} {
		t.Run(c.method+c.path+c.body, func(t *testing.T) {
			f.send(t, request(c.method, api+c.path, c.body), c.status, c.slug)
		})
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for query, status := range map[string]int{
		"":                          200,
		"?":                         200,
		"?dryRun=true":              200,
		"?dryRun=false":             200,
		"?dryRun=1":                 400,
		"?dryRun=":                  400,
		"?dryRun":                   400,
		"?dryRun=TRUE":              400,
		"?dryrun=true":              400,
		"?dryRun=true&dryRun=true":  400,
		"?dryRun=true&dryRun=false": 400,
		"?dryRun=true&x":            400,
		"?dryRun=%zz":               400,
		"?dryRun=true;x=1":          400,
		"?=":                        400,
	} {
		before := len(f.changes)
		w := f.do(request("PATCH", api+"/problems/12"+query, `{"title":"another"}`))
		if w.Code != status {
			t.Errorf("%s: status %d, not %d", query, w.Code, status)
		}
		dry := status != 200 || strings.Contains(query, "true")
		if wrote := len(f.changes) > before; wrote == dry {
			t.Errorf("%s: written: %v", query, wrote)
		}
	}
	for path, want := range map[string]string{
		"/problems/search?predicate=title='a;b'": "a semicolon is sent as %3B",
		"/problems/search?predicate=title;":      "a semicolon is sent as %3B",
		"/problems/search?predicate=100%":        "a percent sign that means itself is sent as %25",
		"/problems?predicate=TRUEPREDICATE":      "append /search to the path",
	} {
		if w := f.send(t, request("GET", api+path, ""), 400, fault.MalformedRequest); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s does not say %q", path, w.Body, want)
		}
	}
	for _, query := range []string{"?dryRun=false", "?x=1", "?asof=1"} {
		f.send(t, request("GET", api+"/problems/12"+query, ""), 400, fault.MalformedRequest)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, e := range endpoints() {
		path := strings.NewReplacer("{identifier}", "12", "{keyword}", "a").Replace(e.Path)
		for _, scope := range access.Scopes() {
			w := f.do(request(e.Method, api+path, "x", "Authorization", "Bearer "+secretOf(scope).Reveal()))
			if forbidden := w.Code == http.StatusForbidden; forbidden == scope.Covers(e.scope) {
				t.Errorf("%s with scope %s: status %d", e.OperationID, scope, w.Code)
			}
		}
		w := f.send(t, request(e.Method, api+path, "", "Authorization", ""), 401, fault.Unauthenticated)
		if w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", e.OperationID)
		}
		r := request(e.Method, api+path, "")
		r.Header.Add("Authorization", secretOf(access.Admin).Reveal())
		f.send(t, r, 401, fault.Unauthenticated)
	}
}
