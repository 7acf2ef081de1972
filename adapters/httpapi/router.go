package httpapi

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// methods are all methods in use by the service.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// deeper are the paths that are deeper than keywordPath.
var deeper = regexp.MustCompile(`/problems/[^/]+/(attachments/[^/]+/bytes|batches/[^/]+/undo|comments/[^/]+/redactions)$`)

// keywordPath is the deepest path but those of deeper, as a pattern of ServeMux. Its last wildcard
// is for several segments: one for a single segment would not match "%2F", the keyword "/".
const keywordPath = "/problems/{identifier}/keywords/{keyword...}"

// canonicalPaths answers 404 to a path with empty, "." or ".." segments, except for the
// empty ones removed by singleSlash. ServeMux would redirect: nothing is there, and a
// redirected write is easily lost. It also answers 404 to paths deeper than any route,
// and to "*" except with OPTIONS. "OPTIONS *" asks for the methods of the whole server.
// It gives the request the URL without a doubled slash, and with the base path.
func canonicalPaths(s *server) http.Handler {
	deepest := strings.Count(s.BasePath+prefix+keywordPath, "/")
	nothing := s.public(s.nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && r.URL.EscapedPath() == "*" {
			w.Header().Set("Allow", strings.Join(append(slices.Clone(methods), http.MethodOptions), ", "))
			w.WriteHeader(http.StatusNoContent)
			return
		}
		r.URL = singleSlash(r.URL, "")
		if s.BasePath != "" {
			r.URL = singleSlash(r.URL, s.BasePath)
		}
		asked := r.URL.EscapedPath()
		if path.IsAbs(asked) && (asked == path.Clean(asked) || asked == s.BasePath+"/") {
			r.URL = s.withBase(r.URL)
			if depth := strings.Count(r.URL.EscapedPath(), "/"); depth <= deepest || depth == deepest+1 && deeper.MatchString(r.URL.EscapedPath()) {
				s.mux.ServeHTTP(w, r)
				return
			}
		}
		nothing(w, r)
	})
}

// withBase returns the URL of the request with the base path: links are made of it, and a
// proxy may have stripped it. It returns a URL unchanged if there is a route for it, or
// no route with the base path either.
func (s *server) withBase(at *url.URL) *url.URL {
	if s.BasePath == "" || strings.HasPrefix(at.Path, s.BasePath+prefix+"/") || len(s.allowed(at)) > 0 {
		return at
	}
	full := httpframe.Below(s.BasePath, at)
	if path := at.EscapedPath(); path == "/" || path == s.BasePath+"/" {
		full.Path, full.RawPath = s.BasePath, ""
	}
	if len(s.allowed(full)) > 0 {
		return full
	}
	return at
}

// singleSlash returns the URL without a second slash after the base. Clients with a final
// slash in the server URL send it. They are not redirected: many would repeat a POST as a
// GET, or without its token. A base needs no escapes.
func singleSlash(u *url.URL, base string) *url.URL {
	doubled := base + "//"
	if !strings.HasPrefix(u.Path, doubled) || u.RawPath != "" && !strings.HasPrefix(u.RawPath, doubled) {
		return u
	}
	single := *u
	cut := func(path string) string { return base + path[len(base)+1:] }
	single.Path = cut(u.Path)
	if u.RawPath != "" {
		single.RawPath = cut(u.RawPath)
	}
	return &single
}

// addUnmatched serves the paths without a route.
func (s *server) addUnmatched() {
	s.mux.HandleFunc("/", s.public(s.unmatched))
	// Without this, ServeMux would redirect to "keywords/".
	s.mux.HandleFunc(s.BasePath+prefix+path.Dir(keywordPath), s.public(s.nothing))
}

// nothing answers 404.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) { s.fail(w, r, s.notFound(r)) }

// unmatched answers requests without a route: OPTIONS on a known path, another method on
// a known path, and unknown paths.
func (s *server) unmatched(w http.ResponseWriter, r *http.Request) {
	allowed := s.allowed(r.URL)
	if len(allowed) == 0 {
		s.fail(w, r, s.notFound(r))
		return
	}
	w.Header().Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.fail(w, r, fault.New(fault.MethodNotAllowed, "the methods of this path are in the header Allow"))
}

// allowed returns the methods of the URL's path. An exact route takes precedence over an
// identifier: see hidden.
func (s *server) allowed(at *url.URL) []string {
	var allowed []string
	exact := false
	for _, method := range methods {
		_, pattern := s.mux.Handler(&http.Request{Method: method, URL: at})
		literal := pattern != "/" && !strings.Contains(pattern, "{")
		if literal && !exact {
			exact, allowed = true, nil
		}
		if pattern != "/" && literal == exact {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// hidden reports whether the request is for a path such as that of a search and not for this
// operation. A search has other methods, and ServeMux then takes "search" for an
// identifier.
func hidden(op *huma.Operation, r *http.Request) bool {
	list := path.Dir(op.Path)
	switch r.PathValue("identifier") {
	case "search":
		return strings.HasSuffix(op.Path, "/{identifier}") && isSearched(list)
	case "claim":
		return op.Path == "/problems/{identifier}"
	}
	return false
}

// notFound names the version of the API in answers to requests for another (D23).
func (s *server) notFound(r *http.Request) error {
	for _, base := range []string{s.BasePath, ""} { // a proxy may have stripped it
		rest, ok := strings.CutPrefix(r.URL.Path, base+"/api/")
		if asked, _, _ := strings.Cut(rest, "/"); ok && asked != Version {
			return fault.New(fault.NotFound, "the one version of this API is %s: its paths begin with %s", Version, s.BasePath+prefix)
		}
		if ok {
			break
		}
	}
	return fault.New(fault.NotFound, "there is nothing at this path; the paths of this API begin with %s", s.BasePath+prefix)
}
