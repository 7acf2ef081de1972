package httpapi

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{
		"/x", "/api", "/api/", api, api + "/", api + "/problem", api + "/problems/", api + "/problems/12/",
		api + "/problems/12/x", api + "/problems/12/keywords", api + "/problems/12/keywords/", api + "/problems/12/keywords/a/b",
		api + "//problems/12", "//x", api + "/./problems/12", api + "/x/../problems/12", api + "/problems/12/.", api + "/problems/..",
		"/API/20151105/problems/12", api + "/Problems/12", "/healthz/", "/docs/", "/docs/x", "/errors/x", "/errors/", "/openapi.yaml",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "DELETE"} {
			w := f.send(t, request(method, path, "", "Authorization", ""), 404, fault.NotFound)
			if w.Header().Get("Location") != "" {
				t.Errorf("%s %s: sent elsewhere", method, path)
			}
			if path == "/errors/x" {
				break // the path exists for other methods to be refused
			}
		}
	}
}

// OPTIONS * is about the server as a whole (RFC 9110, section 9.3.7).
func TestOptionsOfTheServer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("OPTIONS", "*", "", "Authorization", ""), 204, "")
	header(t, w, map[string]string{"Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS", "X-Request-Id": "r1", "X-Content-Type-Options": "nosniff"})
	f.send(t, request("GET", "*", ""), 404, fault.NotFound)
}

// A path of another version, or of none, leads to the version that is there.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{"/api/20160101/problems", "/api/v2", "/api/2015110/problems/12", "/problems", "/events"} {
		if w := f.send(t, request("GET", path, ""), 404, fault.NotFound); !strings.Contains(w.Body.String(), "20151105") {
			t.Errorf("%s: the version is not named: %s", path, w.Body)
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for path, allow := range map[string]string{
		api + "/problems":                   "GET, HEAD, POST, PATCH, OPTIONS",
		api + "/problems/search":            "GET, HEAD, POST, OPTIONS",
		api + "/users/search":               "GET, HEAD, POST, OPTIONS",
		api + "/states/search":              "GET, HEAD, POST, OPTIONS",
		api + "/tokens/search":              "DELETE, OPTIONS",
		api + "/queries":                    "GET, HEAD, POST, OPTIONS",
		api + "/queries/x":                  "GET, HEAD, PATCH, DELETE, OPTIONS",
		api + "/problems/12":                "GET, HEAD, PATCH, OPTIONS",
		api + "/problems/007":               "GET, HEAD, PATCH, OPTIONS",
		api + "/problems/12/comments":       "GET, HEAD, POST, OPTIONS",
		api + "/problems/12/keywords/a%2Fb": "PUT, PATCH, DELETE, OPTIONS",
		api + "/problems/12/relationships":  "GET, HEAD, PUT, DELETE, OPTIONS",
		api + "/problems/12/watchers":       "GET, HEAD, PUT, OPTIONS",
		api + "/users":                      "GET, HEAD, POST, OPTIONS",
		api + "/users/x":                    "GET, HEAD, PATCH, OPTIONS",
		api + "/tokens":                     "GET, HEAD, POST, OPTIONS",
		api + "/tokens/x":                   "DELETE, OPTIONS",
		api + "/me":                         "GET, HEAD, OPTIONS",
		"/healthz":                          "GET, HEAD, OPTIONS",
		"/readyz":                           "GET, HEAD, OPTIONS",
		"/openapi.json":                     "GET, HEAD, OPTIONS",
		"/docs":                             "GET, HEAD, OPTIONS",
		"/errors":                           "GET, HEAD, OPTIONS",
		"/errors/too-large":                 "GET, HEAD, OPTIONS",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"} {
			r := request(method, path, "", "Authorization", "")
			allowed := strings.Contains(allow, method)
			switch {
			case method == "OPTIONS":
				if w := f.send(t, r, 204, ""); w.Header().Get("Allow") != allow || w.Body.Len() > 0 {
					t.Errorf("OPTIONS %s: Allow %s, not %s; body %s", path, w.Header().Get("Allow"), allow, w.Body)
				}
			case !allowed:
				if w := f.send(t, r, 405, fault.MethodNotAllowed); w.Header().Get("Allow") != allow {
					t.Errorf("%s %s: Allow %s, not %s", method, path, w.Header().Get("Allow"), allow)
				}
			case strings.HasPrefix(path, api):
				if w := f.do(r); w.Code != http.StatusUnauthorized {
					t.Errorf("%s %s: status %d without a token", method, path, w.Code)
				}
			default:
				if w := f.do(r); w.Code != http.StatusOK {
					t.Errorf("%s %s: status %d", method, path, w.Code)
				}
			}
		}
	}
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker/" })
	for path, status := range map[string]int{
		"/tracker" + api + "/problems/12": 200,
		"/tracker/openapi.json":           200,
		"/tracker/docs":                   200,
		"/tracker/errors/too-large":       200,
		"/healthz":                        200,
		"/readyz":                         200,
		"/tracker":                        200,
		"/tracker/":                       200,
		"/tracker/healthz":                200,
		"/tracker/readyz":                 200,
		"/tracker/tracker":                404,
		"/tracker/tracker/docs":           404,
		"/trackers":                       404,
		"/x":                              404,
		// A proxy may have stripped the base path.
		"/":                               200,
		"/docs":                           200,
		"/openapi.json":                   200,
		"/errors/too-large":               200,
		api + "/problems/12":              200,
		"//docs":                          200,
		api + "/problems/12/keywords/a":   405,
		api + "/problems/12/keywords/a/b": 404,
		"/tracker" + api + "/problems/12/keywords/a/b": 404,
	} {
		if w := f.do(request("GET", path, "")); w.Code != status {
			t.Errorf("%s: status %d, not %d", path, w.Code, status)
		}
	}
	w := f.do(request("POST", "/tracker"+api+"/problems", `{"title":"a"}`))
	if got := w.Header().Get("Location"); got != "/tracker"+api+"/problems/14" {
		t.Errorf("Location %s", got)
	}
	if w := f.do(request("GET", "/x", "")); !strings.Contains(w.Body.String(), `"type":"/tracker/errors/not-found"`) {
		t.Errorf("type without the base path: %s", w.Body)
	}
	for _, path := range []string{"/tracker/api/1/problems", "/api/1/problems"} {
		if w := f.do(request("GET", path, "")); !strings.Contains(w.Body.String(), `/tracker/api/20151105`) {
			t.Errorf("%s: the version is not named: %s", path, w.Body)
		}
	}
	if w := f.do(request("GET", "/tracker"+api+"/x", "")); strings.Contains(w.Body.String(), "version") {
		t.Errorf("the version is right, but the answer is %s", w.Body)
	}
	below := setup(t, func(o *Options) { o.BasePath = "/api" })
	if w := below.do(request("GET", "/api"+api+"/x", "")); strings.Contains(w.Body.String(), "version") {
		t.Errorf("the version is right, but the answer is %s", w.Body)
	}
}

// A client whose server URL ends in a slash sends it twice. It is answered as if it had
// sent one, by the router and the operations alike: a redirect would lose bodies.
func TestServerURLThatEndsInASlash(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tracker"} {
		f := setup(t, func(o *Options) { o.BasePath = base })
		doubled := []string{base + "/"}
		if base != "" {
			doubled = append(doubled, "/"+base, "/"+base+"/")
		}
		for _, c := range []struct {
			method, path, body string
			headers            []string
		}{
			{"GET", api + "/problems/12", "", nil},
			{"HEAD", api + "/problems/12", "", nil},
			{"GET", api + "/problems?limit=1", "", nil}, // with a link
			{"POST", api + "/problems", `{"title":"a"}`, []string{"Idempotency-Key", "k"}},
			{"DELETE", api + "/problems/12/keywords/a%2Fb", "", nil},
			{"PUT", api + "/problems/12/keywords/a%2F%2Fb?dryRun=true", `"v"`, nil},
			{"PUT", api + "/users", "", nil},
			{"OPTIONS", api + "/problems", "", nil},
			{"GET", api + "/problems/12", "", []string{"Authorization", ""}},
			{"GET", api + "/nope", "", nil},
			{"GET", api + "/", "", nil},
			{"GET", "/api/1/problems", "", nil},
			{"GET", "/openapi.json", "", nil},
			{"GET", "/errors/too-large", "", nil},
			{"GET", "/healthz", "", nil},
			{"GET", "/%2Fapi", "", nil},
			{"GET", "/", "", nil},
		} {
			f.hits = []store.Hit{{ID: 12}, {ID: 12}}
			send := func(base string) (*httptest.ResponseRecorder, httpframe.Exchange) {
				w := f.do(request(c.method, base+c.path, c.body, c.headers...))
				return w, f.exchanges[len(f.exchanges)-1]
			}
			want, observed := send(base)
			if c.method == "POST" { // which is replayed
				want.Header().Set("Idempotency-Replayed", "true")
				observed.Replayed = true
			}
			for _, other := range doubled {
				got, seen := send(other)
				if got.Code != want.Code || got.Body.String() != want.Body.String() || !reflect.DeepEqual(got.Header(), want.Header()) {
					t.Errorf("%s %s%s: %d %v %s, but with one slash %d %v %s", c.method, other, c.path, got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
				}
				if seen != observed {
					t.Errorf("%s %s%s is observed as %+v, but with one slash as %+v", c.method, other, c.path, seen, observed)
				}
			}
		}
		if len(f.exchanges) == 0 || f.exchanges[0].Route != base+api+"/problems/{identifier}" {
			t.Errorf("routes are not observed: %+v", f.exchanges)
		}
		for _, path := range []string{"//" + base + "/" + api + "/problems/12", base + "//" + api + "/problems/12", base + "/api//" + Version + "/problems/12", base + api + "//problems/12"} {
			if path == base+"/"+api+"/problems/12" {
				continue
			}
			f.send(t, request("GET", path, ""), 404, fault.NotFound)
		}
	}
}

// Where a proxy strips the base path, answers lead to the paths before the proxy, and
// are the same otherwise.
func TestStrippedBasePath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"/tracker", "/api", "/a/b", "/api/20151105"} {
		f := setup(t, func(o *Options) { o.BasePath = base })
		for _, path := range []string{
			api + "/problems/12", api + "/problems/12?limit=1", api + "/problems/12/comments", api + "/problems/12/watchers",
			api + "/states", api + "/users?x=1", "/openapi.json", "/docs", "/docs/style.css", "/errors", "/errors/internal", "/healthz", "/",
		} {
			full, stripped := f.do(request("GET", base+path, "")), f.do(request("GET", path, ""))
			if full.Code != stripped.Code || full.Body.String() != stripped.Body.String() || !reflect.DeepEqual(full.Header(), stripped.Header()) {
				t.Errorf("%s below %s: status %d and %v, stripped %d and %v", path, base, full.Code, full.Header(), stripped.Code, stripped.Header())
			}
		}
		w := f.send(t, request("POST", api+"/problems", `{"title":"a"}`), 201, "")
		header(t, w, map[string]string{"Location": base + api + "/problems/14"})
		w = f.send(t, request("PUT", api+"/problems/12/keywords/a%2Fb", `"c"`), 201, "")
		if !strings.Contains(w.Body.String(), `"a/b"`) {
			t.Errorf("the keyword a/b is %s", w.Body)
		}
		if route := f.exchanges[len(f.exchanges)-1].Route; route != base+api+"/problems/{identifier}/keywords/{keyword}" {
			t.Errorf("the route is %s", route)
		}
	}
}

// A write and its repetition are one, also when only one of them went through a proxy
// that strips the base path.
func TestRepetitionPastTheProxy(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	for _, repeated := range []struct{ base, replayed string }{{"/tracker", ""}, {"", "true"}} {
		w := f.send(t, request("POST", repeated.base+api+"/problems", `{"title":"a"}`, "Idempotency-Key", "k"), 201, "")
		header(t, w, map[string]string{"Idempotency-Replayed": repeated.replayed, "Location": "/tracker" + api + "/problems/14"})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	good := Options{Limits: DefaultLimits()}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Options){
		"relative base path":  func(o *Options) { o.BasePath = "tracker" },
		"base path with dots": func(o *Options) { o.BasePath = "/a/../b" },
		"base path pattern":   func(o *Options) { o.BasePath = "/{a}" },
		"double slash":        func(o *Options) { o.BasePath = "/a//b" },
		"health checks":       func(o *Options) { o.BasePath = "/healthz" },
		"no time":             func(o *Options) { o.Limits.RequestTime = 0 },
		"no depth":            func(o *Options) { o.Limits.JSONDepth = 0 },
		"no body":             func(o *Options) { o.Limits.BodyBytes = 0 },
		"negative rate":       func(o *Options) { o.Limits.RatePerMinute = -1 },
	} {
		o := good
		spoil(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	preflight := func() *http.Request {
		return request("OPTIONS", api+"/problems", "", "Authorization", "", "Origin", "https://a.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,claim,content-type")
	}
	off := setup(t)
	header(t, off.send(t, preflight(), 204, ""), map[string]string{"Access-Control-Allow-Origin": "", "Allow": "GET, HEAD, POST, PATCH, OPTIONS"})

	on := setup(t, func(o *Options) { o.CORSOrigins = []string{"https://a.example"} })
	header(t, on.send(t, preflight(), 204, ""), map[string]string{"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Allow-Credentials": "", "Allow": "GET, HEAD, POST, PATCH, OPTIONS"})
	w := on.send(t, request("GET", api+"/problems/12", "", "Origin", "https://a.example"), 200, "")
	header(t, w, map[string]string{"Access-Control-Allow-Origin": "https://a.example", "Vary": "Origin, Authorization"})
	w = on.send(t, request("GET", api+"/problems/12", "", "Origin", "https://b.example"), 200, "")
	header(t, w, map[string]string{"Access-Control-Allow-Origin": ""})
}
