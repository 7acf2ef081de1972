package requests

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// route is a path of the API with its methods.
type route struct {
	path    string
	methods []string
}

// routes returns every path of the API of this suite, for the problem.
func routes(p session.Problem) []route {
	all := []route{
		{"/problems", []string{"GET", "HEAD", "POST", "PATCH"}},
		{p.Path, []string{"GET", "HEAD", "PATCH"}},
		{p.Path + "/comments", []string{"GET", "HEAD", "POST"}},
		{p.Keyword("k"), []string{"PUT", "PATCH", "DELETE"}},
		{p.Path + "/relationships", []string{"GET", "HEAD", "PUT", "DELETE"}},
		{p.Path + "/watchers", []string{"GET", "HEAD", "PUT"}},
		{"/users", []string{"GET", "HEAD", "POST"}},
		{"/users/01890000-0000-7000-8000-000000000000", []string{"GET", "HEAD", "PATCH"}},
		{"/tokens", []string{"GET", "HEAD", "POST"}},
		{"/tokens/01890000-0000-7000-8000-000000000000", []string{"DELETE"}},
		{"/me", []string{"GET", "HEAD"}},
		{"/audit", []string{"GET", "HEAD"}},
		{"/queries", []string{"GET", "HEAD", "POST"}},
		{"/queries/01890000-0000-7000-8000-000000000000", []string{"GET", "HEAD", "DELETE"}},
		{"/problems/search", []string{"GET", "HEAD", "POST"}},
		{"/users/search", []string{"GET", "HEAD", "POST"}},
	}
	for _, kind := range session.Kinds {
		all = append(all,
			route{kind.List, []string{"GET", "HEAD", "POST"}},
			route{kind.List + "/search", []string{"GET", "HEAD", "POST"}},
			route{kind.List + "/01890000-0000-7000-8000-000000000000", []string{"GET", "HEAD", "PATCH"}})
	}
	return all
}

// allowed returns the methods in the header Allow but OPTIONS, sorted.
func allowed(a *session.Answer) []string {
	a.T.Helper()
	var methods []string
	for method := range strings.SplitSeq(strings.Join(a.Header.Values("Allow"), ","), ",") {
		if method = strings.TrimSpace(method); method != "" && method != "OPTIONS" {
			methods = append(methods, method)
		}
	}
	slices.Sort(methods)
	return methods
}

// ownHeaders are headers of one answer alone, and headers from proxies on the way. HEAD
// may leave out the length of the body (RFC 9110, section 9.3.2).
var ownHeaders = []string{
	"Date", "Age", "Via", "X-Request-Id", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
	"Ratelimit", "Ratelimit-Policy", "Server-Timing", "Set-Cookie",
}

// routeCases are about paths, methods and versions (D10, D18, D23).
func routeCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-ROUTE-001", "D10, D18", "a method that a path does not have is 405, with Allow; OPTIONS answers with Allow", otherMethodIsNotAllowed),
		session.Extended("HTTP-ROUTE-002", "D10", "paths have no methods but those of the contract", noMethodsBeyondTheContract),
		session.Extended("HTTP-ROUTE-003", "D10", "HEAD has GET's headers and no body", headIsGetWithoutBody),
		session.Extended("HTTP-ROUTE-004", "D18", "an unknown path is not-found, with or without a token", unknownPathIsNotFound),
		session.Extended("HTTP-ROUTE-007", "D18, D34", "an unknown path outside the API is not-found", unknownPathOutsideTheAPI),
		session.Extended("HTTP-ROUTE-008", "D18", "a second slash, of a client whose server URL ends in one, changes nothing: there is no redirect", secondSlashChangesNothing),
		session.Extended("HTTP-ROUTE-005", "D23", "another version segment is 404 and names the only one", otherVersionIsNotFound),
		session.Extended("HTTP-ROUTE-006", "D18", "unknown query parameters are malformed-request, on reads and writes", unknownParameterIsMalformed),
	}
}

func otherMethodIsNotAllowed(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, route := range routes(p) {
			options := s.As("").Do("OPTIONS", route.path, "")
			if options.Status != 200 && options.Status != 204 {
				s.Fatalf("%v\nwant 200 or 204", options)
			}
			for _, method := range route.methods {
				if !slices.Contains(allowed(options), method) {
					s.Fatalf("%v\nallows %q, which lacks %s", options, allowed(options), method)
				}
			}
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} {
				if slices.Contains(allowed(options), method) {
					continue
				}
				a := s.Admin.Do(method, route.path, "").Fault(405, "method-not-allowed")
				if !slices.Equal(allowed(a), allowed(options)) {
					s.Fatalf("%v\nallows %q, but OPTIONS said %q", a, allowed(a), allowed(options))
				}
			}
		}
	})
}

func noMethodsBeyondTheContract(s *session.Session) {
	p := s.Problem()
	for _, route := range routes(p)[1:6] {
		slices.Sort(route.methods)
		if got := allowed(s.As("").Do("OPTIONS", route.path, "")); !slices.Equal(got, route.methods) {
			s.Fatalf("%s allows %q, want %q", route.path, got, route.methods)
		}
	}
}

func headIsGetWithoutBody(s *session.Session) {
	p := s.Problem()
	for _, path := range []string{p.Path, p.Path + "/comments", p.Path + "/relationships", p.Path + "/watchers", "/users", "/me", "/states", "/problems/search?predicate=FALSEPREDICATE"} {
		headers := func(method string) http.Header {
			a := s.Admin.Do(method, path, "").Is(200)
			if method == "HEAD" && len(a.Body) > 0 {
				s.Fatalf("%v\nhas a body", a)
			}
			for _, own := range ownHeaders {
				a.Header.Del(own)
			}
			return a.Header
		}
		// Other cases make users meanwhile, so the ETag moves.
		s.Eventually(func() bool {
			return maps.EqualFunc(headers("GET"), headers("HEAD"), slices.Equal)
		}, "HEAD %s has other headers than GET", path)
	}
	s.Admin.Do("HEAD", "/problems/999999999999", "").Is(404)
	s.As("").Do("HEAD", p.Path, "").Is(401)
}

func unknownPathIsNotFound(s *session.Session) {
	for _, path := range []string{
		"/nope", "/problems/1/nope", "/problems/1/comments/1/2", "/problems/1/keywords", "/problems/1/keywords/", "/problems/1/keywords/a/b", "/Problems", "/problems/", "/problems/1/", "", "/",
	} {
		s.Admin.Get(path).Fault(404, "not-found")
		s.As("").Post(path, `{}`).Fault(404, "not-found")
	}
}

func unknownPathOutsideTheAPI(s *session.Session) {
	for _, path := range []string{"/nope", "/api", "/api/", "/errors/no-such-slug", "/healthz/x", "/metrics"} {
		s.Outside().Get(path).Fault(404, "not-found")
	}
}

func secondSlashChangesNothing(s *session.Session) {
	p := s.Problem()
	slashed := *s.Admin
	slashed.Base = s.Server.BaseURL + "/" + session.API
	slashed.Get(p.Path).Is(200).Has("/identifier", p.ID)
	slashed.Post(p.Path+"/comments", "text", session.Plain()).Is(201).Has("/text", "text")
	slashed.Put(p.Keyword("a%2Fb"), `"v"`).Is(201).Has("/name", "a/b")
	key := s.Unique("key")
	made := slashed.Post("/problems", `{"title":"Once"}`, keyed(key)).Is(201)
	s.Admin.Post("/problems", `{"title":"Once"}`, keyed(key)).Is(201).Sends("Idempotency-Replayed", "true").
		Sends("Location", made.Header.Get("Location")).Has("", made.Value)
	slashed.Put("/users", `{}`).Is(405)
	slashed.Get("/nope").Is(404)
	if a := slashed.Do("OPTIONS", "/me", ""); !slices.Equal(allowed(a), []string{"GET", "HEAD"}) {
		s.Fatalf("%v\nallows %q", a, allowed(a))
	}
	for _, path := range []string{"/" + p.Path, "/problems//" + p.Path} {
		s.Admin.Get(path).Fault(404, "not-found")
	}
}

func otherVersionIsNotFound(s *session.Session) {
	for _, version := range []string{"20151104", "20151106", "v1", "2015110", "020151105"} {
		for _, path := range []string{"/problems", "/problems/1", "/me", "/nope"} {
			a := s.Outside().Get("/api/"+version+path).Fault(404, "not-found")
			if !strings.Contains(a.Text("/detail"), "20151105") {
				s.Fatalf("%v\ndoes not name 20151105", a)
			}
		}
	}
}

func unknownParameterIsMalformed(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, query := range []string{"?x=1", "?dryrun=true", "?DryRun=true", "?=", "?x", "?dryRun=true&x=1", "?%zz", "?a;b"} {
			s.Admin.Patch(p.Path+query, `{"title":"x"}`).Fault(400, "malformed-request")
			s.Admin.Put(p.Keyword("k")+query, `"v"`).Fault(400, "malformed-request")
			s.Admin.Delete(p.Keyword("k")+query, "").Fault(400, "malformed-request")
			s.Admin.Post(p.Path+"/comments"+query, "x", session.Plain()).Fault(400, "malformed-request")
		}
		for _, path := range []string{p.Path, p.Path + "/comments", p.Path + "/relationships", p.Path + "/watchers", "/me", "/users", "/states", "/problems", "/audit", "/queries"} {
			s.Admin.Get(path+"?x=1").Fault(400, "malformed-request")
			s.Admin.Get(path+"?dryRun=true").Fault(400, "malformed-request")
		}
	})
}
