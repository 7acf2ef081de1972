package requests

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
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
func errorCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-ERROR-001", "D18", "each slug has a page that the server itself serves", errorPagesAreServed),
		session.Extended("HTTP-ERROR-002", "D18", "an error has type, title, status, detail and instance, and errors only for bodies", errorMembers),
		session.Extended("HTTP-ERROR-003", "D18", "instance is urn:request: and an identifier of the request, which differs from the next and repeats nothing insane that was sent", errorInstancesDiffer),
		session.Extended("HTTP-ERROR-004", "D18", "nothing that the client sent is echoed beyond names of members", errorsEchoOnlyMemberNames),
		session.Extended("HTTP-ERROR-005", "D18", "no error tells of the inside: no statement, no program's text, no address", errorsTellNothingOfTheInside),
		session.Extended("HTTP-DOC-001", "D34", "/healthz and /readyz answer 200", probesAnswer200),
		session.Extended("HTTP-DOC-002", "D34", "/openapi.json is OpenAPI 3.1 and has every operation", openAPIHasEveryOperation),
		session.Extended("HTTP-DOC-003", "D34", "/docs works without internet: all it needs comes from the server", docsWorkOffline),
	}
}

func errorPagesAreServed(s *session.Session) {
	for _, slug := range slugs {
		if later[slug] {
			continue
		}
		a := s.Outside().Get("/errors/" + slug).Is(200)
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || !strings.Contains(string(a.Body), slug) {
			s.Fatalf("%v\nis no page about %s", a, slug)
		}
	}
}

func errorMembers(s *session.Session) {
	a := s.Admin.Get("/problems/999999999999").Fault(404, "problem-not-found")
	for member := range a.Value.(map[string]any) {
		if !strings.Contains(" type title status detail instance errors ", " "+member+" ") {
			s.Fatalf("%v\nhas the member %s", a, member)
		}
	}
	s.Admin.Post("/problems", `{}`).Fault(422, "required-field").Members("", "type", "title", "status", "detail", "instance", "errors")
}

func errorInstancesDiffer(s *session.Session) {
	a, b := s.Admin.Get("/nope").Fault(404, "not-found"), s.Admin.Get("/nope").Fault(404, "not-found")
	if a.Text("/instance") == b.Text("/instance") {
		s.Fatalf("two requests have the instance %s", a.Text("/instance"))
	}
	for _, insane := range []string{"a b", "<script>", strings.Repeat("x", 5000), "a\"b", "é"} {
		if a := s.Admin.Get("/nope", session.With("X-Request-Id", insane)).Is(404); a.Text("/instance") == "urn:request:"+insane {
			s.Fatalf("%v\ntook the request id %.20q", a, insane)
		}
	}
}

func errorsEchoOnlyMemberNames(s *session.Session) {
	const mark = "hunter2"
	p := s.Problem()
	for _, a := range []*session.Answer{
		s.Admin.Get("/" + mark),
		s.Outside().Get("/api/" + mark + "/problems"),
		s.Admin.Get("/problems/" + mark),
		s.Admin.Do(mark, "/problems", ""),
		s.Admin.Get(p.Path + "?" + mark + "=1"),
		s.Admin.Patch(p.Path+"?dryRun="+mark, `{}`),
		s.Admin.Patch(p.Path, mark),
		s.Admin.Patch(p.Path, `{"title":"x"}`, session.Typed("application/"+mark)),
		s.Admin.Patch(p.Path, `{"title":"x"}`, session.With("If-Match", `"`+mark+`"`)),
		s.Admin.Patch(p.Path, `{"title":["`+mark+`"],"priority":{"name":"`+mark+`"},"state":"`+mark+`"}`),
		s.Admin.Delete(p.Keyword(mark), ""),
		s.Admin.Put(p.Path+"/relationships", `{"type":"`+mark+`","problemIdentifier":"`+mark+`"}`),
		s.Admin.Put(p.Path+"/watchers", `{"email":"`+mark+`"}`),
		s.As("").Get("/me", session.With("Authorization", mark)),
	} {
		if a.Status < 400 || strings.Contains(string(a.Body), mark) {
			s.Errorf("%v\nechoes what was sent, or is no error", a)
		}
	}
}

func errorsTellNothingOfTheInside(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Relate(p, "ParentOf", s.Problem())
	for _, nasty := range []string{"'", `"; DROP TABLE problems; --`, "$1", "%s%n", "\\", "../../etc/passwd", "{{7*7}}", "\u0000"} {
		text := session.Encode(nasty)
		for _, a := range []*session.Answer{
			s.Admin.Get("/problems/" + url.PathEscape(nasty)),
			s.Admin.Get("/users/" + url.PathEscape(nasty)),
			s.Admin.Delete("/tokens/"+url.PathEscape(nasty), ""),
			s.Admin.Delete(p.Keyword(url.PathEscape(nasty)), ""),
			s.Admin.Post("/problems", `{"title":"x","assignee":{"identifier":`+text+`},"priority":{"name":`+text+`}}`),
			s.Admin.Put(p.Path+"/watchers", `{"email":`+text+`}`),
			s.Admin.Put(p.Path+"/relationships", `{"type":`+text+`,"problemIdentifier":9223372036854775807}`),
			s.Admin.Post("/tokens", `{"user":{"identifier":`+text+`},"scope":`+text+`}`),
			s.Admin.Post("/users", session.Encode(map[string]any{"name": bob.Name, "email": bob.Email})),
			s.As("").Get("/me", session.With("Authorization", url.QueryEscape(nasty))),
		} {
			if found := inside.Find(a.Refused().Body); found != nil {
				s.Fatalf("%v\ntells of the inside: %q", a, found)
			}
		}
	}
}

func probesAnswer200(s *session.Session) {
	s.Alive("/healthz").Is(200)
	s.Alive("/readyz").Is(200)
}

func openAPIHasEveryOperation(s *session.Session) {
	a := s.Outside().Get("/openapi.json").Is(200)
	if !strings.HasPrefix(a.Text("/openapi"), "3.1") {
		s.Fatalf("the version is %s", a.Text("/openapi"))
	}
	has := func(method, path string) bool {
		paths, _ := a.At("/paths").(map[string]any)
		for key, item := range paths {
			if strings.HasSuffix(parameter.ReplaceAllString(key, "{}"), path) && session.At(item, "/"+method) != nil {
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

func docsWorkOffline(s *session.Session) {
	page := "/docs"
	a := s.Outside().Get(page)
	if a.Status/100 == 3 {
		page = "/docs/"
		a = s.Outside().Get(page)
	}
	a.Is(200)
	base, _ := url.Parse(s.Server.BaseURL + page)
	for _, match := range resource.FindAllStringSubmatch(string(a.Body), -1) {
		link, err := base.Parse(match[1])
		if err != nil || link.Scheme == "data" {
			continue
		}
		path, own := strings.CutPrefix(link.String(), s.Server.BaseURL)
		if !own {
			s.Fatalf("/docs needs %s", link)
		}
		s.Outside().Get(path).Is(200)
	}
}
