package httpapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/domain/fault"
)

// The root says where things are, and all that it names is there.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, path string }{
		{"", "/"}, {"/tracker", "/tracker"}, {"/tracker", "/tracker/"}, {"/tracker", "/"},
	} {
		f := setup(t, func(o *Options) { o.BasePath = c.base })
		var index map[string]string
		w := f.send(t, request("GET", c.path, "", "Authorization", ""), 200, "")
		header(t, w, map[string]string{"Content-Type": mediaJSON, "Vary": "Accept", "X-Content-Type-Options": "nosniff"})
		if err := json.Unmarshal(w.Body.Bytes(), &index); err != nil {
			t.Fatalf("%s: %v: %s", c.path, err, w.Body)
		}
		if index["api"] != c.base+prefix {
			t.Errorf("%s: the API is said to be at %s", c.path, index["api"])
		}
		index["api"] += "/me"
		for _, name := range []string{"api", "documentation", "openapi", "errors", "healthz", "readyz"} {
			f.send(t, request("GET", index[name], ""), 200, "")
			if !strings.HasPrefix(index[name], c.base+"/") {
				t.Errorf("%s: %s is said to be at %s", c.path, name, index[name])
			}
		}

		page := f.send(t, request("GET", c.path, "", "Authorization", "", "Accept", "text/html"), 200, "")
		header(t, page, map[string]string{"Content-Type": "text/html; charset=utf-8", "Vary": "Accept, Accept-Encoding", "Content-Security-Policy": pages.Policy})
		links := regexp.MustCompile(`<a href="(/[^"]*)">`).FindAllStringSubmatch(page.Body.String(), -1)
		if len(links) < 3 {
			t.Errorf("%s: the page has %d links: %s", c.path, len(links), page.Body)
		}
		for _, link := range links {
			f.send(t, request("GET", link[1], "", "Authorization", ""), 200, "")
		}

		for _, media := range []string{mediaJSON, "text/html"} {
			get, head := f.do(request("GET", c.path, "", "Accept", media)), f.do(request("HEAD", c.path, "", "Accept", media))
			if head.Code != 200 || head.Body.Len() > 0 || head.Header().Get("Content-Length") != get.Header().Get("Content-Length") || head.Header().Get("Content-Type") != get.Header().Get("Content-Type") {
				t.Errorf("HEAD %s: status %d, %v", c.path, head.Code, head.Header())
			}
		}
		refused := f.send(t, request("POST", c.path, "{}"), 405, fault.MethodNotAllowed)
		header(t, refused, map[string]string{"Allow": "GET, HEAD, OPTIONS"})
		header(t, f.send(t, request("OPTIONS", c.path, ""), 204, ""), map[string]string{"Allow": "GET, HEAD, OPTIONS"})
	}
}

// Browsers get a page, and everybody else JSON, whatever it accepts.
func TestIndexByAccept(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for accept, html := range map[string]bool{
		"":                                  false,
		"*/*":                               false,
		"application/json":                  false,
		"text/plain":                        false,
		"text/html;q=0":                     false,
		"text/html":                         true,
		"Text/HTML, */*":                    true,
		"nonsense;;,":                       false,
		"text/html;q=0.5,*":                 true,
		"application/json, text/html;q=0.9": false,
		"application/json;q=0.8, text/html;q=0.9":                         true,
		"application/json, text/plain, */*":                               false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
	} {
		w := f.send(t, request("GET", "/", "", "Accept", accept), 200, "")
		if got := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); got != html {
			t.Errorf("Accept %q: a page %t", accept, got)
		}
	}
	r := request("GET", "/", "")
	r.Header["Accept"] = []string{"application/json;q=0.1", "text/html"}
	if w := f.send(t, r, http.StatusOK, ""); !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("of two lines of Accept, the answer is %s", w.Header().Get("Content-Type"))
	}
}

// Metrics and logs know the root by its path.
func TestRouteOfIndex(t *testing.T) {
	t.Parallel()
	for base, route := range map[string]string{"": "/", "/tracker": "/tracker"} {
		f := setup(t, func(o *Options) { o.BasePath = base })
		f.send(t, request("GET", route, ""), 200, "")
		if got := f.exchanges[0].Route; got != route {
			t.Errorf("the route is %q, not %q", got, route)
		}
	}
}
