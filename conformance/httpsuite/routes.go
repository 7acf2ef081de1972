package httpsuite

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// route is a path of the API with its methods.
type route struct {
	path    string
	methods []string
}

// routes returns every path of the API of this suite, for the problem.
func routes(p problem) []route {
	all := []route{
		{"/problems", []string{"GET", "HEAD", "POST", "PATCH"}},
		{p.path, []string{"GET", "HEAD", "PATCH"}},
		{p.path + "/comments", []string{"GET", "HEAD", "POST"}},
		{p.keyword("k"), []string{"PUT", "PATCH", "DELETE"}},
		{p.path + "/relationships", []string{"GET", "HEAD", "PUT", "DELETE"}},
		{p.path + "/watchers", []string{"GET", "HEAD", "PUT"}},
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
	for _, kind := range kinds {
		all = append(all,
			route{kind.list, []string{"GET", "HEAD", "POST"}},
			route{kind.list + "/search", []string{"GET", "HEAD", "POST"}},
			route{kind.list + "/01890000-0000-7000-8000-000000000000", []string{"GET", "HEAD", "PATCH"}})
	}
	return all
}

// allowed returns the methods in the header Allow but OPTIONS, sorted.
func allowed(a *answer) []string {
	a.t.Helper()
	var methods []string
	for method := range strings.SplitSeq(strings.Join(a.header.Values("Allow"), ","), ",") {
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
func routeCases() []demand {
	return []demand{
		{extended, "HTTP-ROUTE-001", "D10, D18", "a method that a path does not have is 405, with Allow; OPTIONS answers with Allow", otherMethodIsNotAllowed},
		{extended, "HTTP-ROUTE-002", "D10", "paths have no methods but those of the contract", noMethodsBeyondTheContract},
		{extended, "HTTP-ROUTE-003", "D10", "HEAD has GET's headers and no body", headIsGetWithoutBody},
		{extended, "HTTP-ROUTE-004", "D18", "an unknown path is not-found, with or without a token", unknownPathIsNotFound},
		{extended, "HTTP-ROUTE-007", "D18, D34", "an unknown path outside the API is not-found", unknownPathOutsideTheAPI},
		{extended, "HTTP-ROUTE-008", "D18", "a second slash, of a client whose server URL ends in one, changes nothing: there is no redirect", secondSlashChangesNothing},
		{extended, "HTTP-ROUTE-005", "D23", "another version segment is 404 and names the only one", otherVersionIsNotFound},
		{extended, "HTTP-ROUTE-006", "D18", "unknown query parameters are malformed-request, on reads and writes", unknownParameterIsMalformed},
	}
}

func otherMethodIsNotAllowed(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, route := range routes(p) {
			options := s.as("").do("OPTIONS", route.path, "")
			if options.status != 200 && options.status != 204 {
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
				a := s.admin.do(method, route.path, "").fault(405, "method-not-allowed")
				if !slices.Equal(allowed(a), allowed(options)) {
					s.Fatalf("%v\nallows %q, but OPTIONS said %q", a, allowed(a), allowed(options))
				}
			}
		}
	})
}

func noMethodsBeyondTheContract(s *session) {
	p := s.problem()
	for _, route := range routes(p)[1:6] {
		slices.Sort(route.methods)
		if got := allowed(s.as("").do("OPTIONS", route.path, "")); !slices.Equal(got, route.methods) {
			s.Fatalf("%s allows %q, want %q", route.path, got, route.methods)
		}
	}
}

func headIsGetWithoutBody(s *session) {
	p := s.problem()
	for _, path := range []string{p.path, p.path + "/comments", p.path + "/relationships", p.path + "/watchers", "/users", "/me", "/states", "/problems/search?predicate=FALSEPREDICATE"} {
		headers := func(method string) http.Header {
			a := s.admin.do(method, path, "").is(200)
			if method == "HEAD" && len(a.body) > 0 {
				s.Fatalf("%v\nhas a body", a)
			}
			for _, own := range ownHeaders {
				a.header.Del(own)
			}
			return a.header
		}
		// Other cases make users meanwhile, so the ETag moves.
		s.eventually(func() bool {
			return maps.EqualFunc(headers("GET"), headers("HEAD"), slices.Equal)
		}, "HEAD %s has other headers than GET", path)
	}
	s.admin.do("HEAD", "/problems/999999999999", "").is(404)
	s.as("").do("HEAD", p.path, "").is(401)
}

func unknownPathIsNotFound(s *session) {
	for _, path := range []string{
		"/nope", "/problems/1/nope", "/problems/1/comments/1", "/problems/1/keywords", "/problems/1/keywords/", "/problems/1/keywords/a/b", "/Problems", "/problems/", "/problems/1/", "", "/",
	} {
		s.admin.get(path).fault(404, "not-found")
		s.as("").post(path, `{}`).fault(404, "not-found")
	}
}

func unknownPathOutsideTheAPI(s *session) {
	for _, path := range []string{"/nope", "/api", "/api/", "/errors/no-such-slug", "/healthz/x", "/metrics"} {
		s.outside().get(path).fault(404, "not-found")
	}
}

func secondSlashChangesNothing(s *session) {
	p := s.problem()
	slashed := *s.admin
	slashed.base = s.server.baseURL + "/" + api
	slashed.get(p.path).is(200).has("/identifier", p.id)
	slashed.post(p.path+"/comments", "text", plain()).is(201).has("/text", "text")
	slashed.put(p.keyword("a%2Fb"), `"v"`).is(201).has("/name", "a/b")
	key := s.unique("key")
	made := slashed.post("/problems", `{"title":"Once"}`, keyed(key)).is(201)
	s.admin.post("/problems", `{"title":"Once"}`, keyed(key)).is(201).sends("Idempotency-Replayed", "true").
		sends("Location", made.header.Get("Location")).has("", made.value)
	slashed.put("/users", `{}`).is(405)
	slashed.get("/nope").is(404)
	if a := slashed.do("OPTIONS", "/me", ""); !slices.Equal(allowed(a), []string{"GET", "HEAD"}) {
		s.Fatalf("%v\nallows %q", a, allowed(a))
	}
	for _, path := range []string{"/" + p.path, "/problems//" + p.path} {
		s.admin.get(path).fault(404, "not-found")
	}
}

func otherVersionIsNotFound(s *session) {
	for _, version := range []string{"20151104", "20151106", "v1", "2015110", "020151105"} {
		for _, path := range []string{"/problems", "/problems/1", "/me", "/nope"} {
			a := s.outside().get("/api/"+version+path).fault(404, "not-found")
			if !strings.Contains(a.text("/detail"), "20151105") {
				s.Fatalf("%v\ndoes not name 20151105", a)
			}
		}
	}
}

func unknownParameterIsMalformed(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, query := range []string{"?x=1", "?dryrun=true", "?DryRun=true", "?=", "?x", "?dryRun=true&x=1", "?%zz", "?a;b"} {
			s.admin.patch(p.path+query, `{"title":"x"}`).fault(400, "malformed-request")
			s.admin.put(p.keyword("k")+query, `"v"`).fault(400, "malformed-request")
			s.admin.delete(p.keyword("k")+query, "").fault(400, "malformed-request")
			s.admin.post(p.path+"/comments"+query, "x", plain()).fault(400, "malformed-request")
		}
		for _, path := range []string{p.path, p.path + "/comments", p.path + "/relationships", p.path + "/watchers", "/me", "/users", "/states", "/problems", "/audit", "/queries"} {
			s.admin.get(path+"?x=1").fault(400, "malformed-request")
			s.admin.get(path+"?dryRun=true").fault(400, "malformed-request")
		}
	})
}
