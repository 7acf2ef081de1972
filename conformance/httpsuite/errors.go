package httpsuite

import (
	"net/url"
	"regexp"
	"strings"
)

// slugs are the kinds of errors in D18.
var slugs = []string{
	"malformed-json", "malformed-request", "invalid-predicate", "unauthenticated", "forbidden",
	"problem-not-found", "keyword-not-found", "relationship-not-found", "not-found", "method-not-allowed",
	"transition-not-allowed", "relationship-cycle", "relationship-conflict", "idempotency-conflict", "already-exists", "in-use", "metadata-cycle",
	"stale-revision", "too-large", "unsupported-media-type",
	"required-field", "invalid-value", "invalid-type", "unknown-field", "read-only-field", "metadata-not-found", "metadata-ambiguous",
	"validation-failed", "too-many-results", "query-too-expensive", "preview-required",
	"rate-limited", "internal", "unavailable", "outcome-unknown",
}

// later are the slugs of features missing from some servers.
var later = map[string]bool{
	"invalid-predicate": true, "metadata-cycle": true, "too-many-results": true, "query-too-expensive": true, "preview-required": true,
}

// inside are words about the inside of a program: its database, its language, its
// machine.
var inside = regexp.MustCompile(`(?i)SQLSTATE|\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|(unique|check|key) constraint|\bsqlite|\bpostgres|\bpgx\b|\bpq:|` +
	`\bgoroutine\b|\bpanic\b|\.(go|py|rb|js|ts|java|rs|c|php)[:(]\d|stack ?trace|traceback|\bexception\b|nil pointer|/(usr|home|var|app)/|\bdial tcp\b|connection refused`)

// parameter is a variable part of a path, of any name.
var parameter = regexp.MustCompile(`\{[^{}/]*\}`)

var resource = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)

// errorCases are about the form of errors and the pages outside the API (D18, D34). Every
// answer of the suite is checked for problem+json with the members of RFC 9457.
func errorCases() []demand {
	return []demand{
		{extended, "HTTP-ERROR-001", "D18", "each slug has a page that the server itself serves", errorPagesAreServed},
		{extended, "HTTP-ERROR-002", "D18", "an error has type, title, status, detail and instance, and errors only for bodies", errorMembers},
		{extended, "HTTP-ERROR-003", "D18", "instance is urn:request: and an identifier of the request, which differs from the next and repeats nothing insane that was sent", errorInstancesDiffer},
		{extended, "HTTP-ERROR-004", "D18", "nothing that the client sent is echoed beyond names of members", errorsEchoOnlyMemberNames},
		{extended, "HTTP-ERROR-005", "D18", "no error tells of the inside: no statement, no program's text, no address", errorsTellNothingOfTheInside},
		{extended, "HTTP-DOC-001", "D34", "/healthz and /readyz answer 200", probesAnswer200},
		{extended, "HTTP-DOC-002", "D34", "/openapi.json is OpenAPI 3.1 and has every operation", openAPIHasEveryOperation},
		{extended, "HTTP-DOC-003", "D34", "/docs works without internet: all it needs comes from the server", docsWorkOffline},
	}
}

func errorPagesAreServed(s *session) {
	for _, slug := range slugs {
		if later[slug] {
			continue
		}
		a := s.outside().get("/errors/" + slug).is(200)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.Contains(string(a.body), slug) {
			s.Fatalf("%v\nis no page about %s", a, slug)
		}
	}
}

func errorMembers(s *session) {
	a := s.admin.get("/problems/999999999999").fault(404, "problem-not-found")
	for member := range a.value.(map[string]any) {
		if !strings.Contains(" type title status detail instance errors ", " "+member+" ") {
			s.Fatalf("%v\nhas the member %s", a, member)
		}
	}
	s.admin.post("/problems", `{}`).fault(422, "required-field").members("", "type", "title", "status", "detail", "instance", "errors")
}

func errorInstancesDiffer(s *session) {
	a, b := s.admin.get("/nope").fault(404, "not-found"), s.admin.get("/nope").fault(404, "not-found")
	if a.text("/instance") == b.text("/instance") {
		s.Fatalf("two requests have the instance %s", a.text("/instance"))
	}
	for _, insane := range []string{"a b", "<script>", strings.Repeat("x", 5000), "a\"b", "é"} {
		if a := s.admin.get("/nope", with("X-Request-Id", insane)).is(404); a.text("/instance") == "urn:request:"+insane {
			s.Fatalf("%v\ntook the request id %.20q", a, insane)
		}
	}
}

func errorsEchoOnlyMemberNames(s *session) {
	const mark = "hunter2"
	p := s.problem()
	for _, a := range []*answer{
		s.admin.get("/" + mark),
		s.outside().get("/api/" + mark + "/problems"),
		s.admin.get("/problems/" + mark),
		s.admin.do(mark, "/problems", ""),
		s.admin.get(p.path + "?" + mark + "=1"),
		s.admin.patch(p.path+"?dryRun="+mark, `{}`),
		s.admin.patch(p.path, mark),
		s.admin.patch(p.path, `{"title":"x"}`, typed("application/"+mark)),
		s.admin.patch(p.path, `{"title":"x"}`, with("If-Match", `"`+mark+`"`)),
		s.admin.patch(p.path, `{"title":["`+mark+`"],"priority":{"name":"`+mark+`"},"state":"`+mark+`"}`),
		s.admin.delete(p.keyword(mark), ""),
		s.admin.put(p.path+"/relationships", `{"type":"`+mark+`","problemIdentifier":"`+mark+`"}`),
		s.admin.put(p.path+"/watchers", `{"email":"`+mark+`"}`),
		s.as("").get("/me", with("Authorization", mark)),
	} {
		if a.status < 400 || strings.Contains(string(a.body), mark) {
			s.Errorf("%v\nechoes what was sent, or is no error", a)
		}
	}
}

func errorsTellNothingOfTheInside(s *session) {
	bob, p := s.user(), s.problem()
	s.relate(p, "ParentOf", s.problem())
	for _, nasty := range []string{"'", `"; DROP TABLE problems; --`, "$1", "%s%n", "\\", "../../etc/passwd", "{{7*7}}", "\u0000"} {
		text := encode(nasty)
		for _, a := range []*answer{
			s.admin.get("/problems/" + url.PathEscape(nasty)),
			s.admin.get("/users/" + url.PathEscape(nasty)),
			s.admin.delete("/tokens/"+url.PathEscape(nasty), ""),
			s.admin.delete(p.keyword(url.PathEscape(nasty)), ""),
			s.admin.post("/problems", `{"title":"x","assignee":{"identifier":`+text+`},"priority":{"name":`+text+`}}`),
			s.admin.put(p.path+"/watchers", `{"email":`+text+`}`),
			s.admin.put(p.path+"/relationships", `{"type":`+text+`,"problemIdentifier":9223372036854775807}`),
			s.admin.post("/tokens", `{"user":{"identifier":`+text+`},"scope":`+text+`}`),
			s.admin.post("/users", encode(map[string]any{"name": bob.name, "email": bob.email})),
			s.as("").get("/me", with("Authorization", url.QueryEscape(nasty))),
		} {
			if found := inside.Find(a.refused().body); found != nil {
				s.Fatalf("%v\ntells of the inside: %q", a, found)
			}
		}
	}
}

func probesAnswer200(s *session) {
	s.alive("/healthz").is(200)
	s.alive("/readyz").is(200)
}

func openAPIHasEveryOperation(s *session) {
	a := s.outside().get("/openapi.json").is(200)
	if !strings.HasPrefix(a.text("/openapi"), "3.1") {
		s.Fatalf("the version is %s", a.text("/openapi"))
	}
	has := func(method, path string) bool {
		paths, _ := a.at("/paths").(map[string]any)
		for key, item := range paths {
			if strings.HasSuffix(parameter.ReplaceAllString(key, "{}"), path) && at(item, "/"+method) != nil {
				return true
			}
		}
		return false
	}
	for _, operation := range []string{
		"post /problems", "get /problems/{identifier}", "patch /problems/{identifier}",
		"get /problems/{identifier}/comments", "post /problems/{identifier}/comments",
		"put /problems/{identifier}/keywords/{keyword}", "patch /problems/{identifier}/keywords/{keyword}", "delete /problems/{identifier}/keywords/{keyword}",
		"get /problems/{identifier}/relationships", "put /problems/{identifier}/relationships", "delete /problems/{identifier}/relationships",
		"get /problems/{identifier}/watchers", "put /problems/{identifier}/watchers",
		"get /users", "post /users", "get /users/{identifier}", "patch /users/{identifier}",
		"get /tokens", "post /tokens", "delete /tokens/{identifier}", "get /me",
	} {
		if method, path, _ := strings.Cut(operation, " "); !has(method, parameter.ReplaceAllString(path, "{}")) {
			s.Errorf("/openapi.json lacks %s", operation)
		}
	}
}

func docsWorkOffline(s *session) {
	page := "/docs"
	a := s.outside().get(page)
	if a.status/100 == 3 {
		page = "/docs/"
		a = s.outside().get(page)
	}
	a.is(200)
	base, _ := url.Parse(s.server.baseURL + page)
	for _, match := range resource.FindAllStringSubmatch(string(a.body), -1) {
		link, err := base.Parse(match[1])
		if err != nil || link.Scheme == "data" {
			continue
		}
		path, own := strings.CutPrefix(link.String(), s.server.baseURL)
		if !own {
			s.Fatalf("/docs needs %s", link)
		}
		s.outside().get(path).is(200)
	}
}
