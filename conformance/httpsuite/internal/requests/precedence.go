package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// attempt is a request with several possible flaws at once.
type attempt struct {
	version, method, path string
	token                 string
	mediaType, query      string
	body, tail            string // the tail makes malformed JSON of any body
	options               []session.Option
}

// flaw is one way to spoil an attempt, with its error.
type flaw struct {
	status int
	slug   string
	spoil  func(*attempt)
}

// commonFlaws are the flaws of every endpoint, in the order of D18.
func commonFlaws(s *session.Session, otherMethod, smallScope string) []flaw {
	s.Helper()
	return []flaw{
		{404, "not-found", func(a *attempt) { a.version = "/api/20151106" }},
		{405, "method-not-allowed", func(a *attempt) { a.method = otherMethod }},
		{401, "unauthenticated", func(a *attempt) { a.token = "pts_nonsense" }},
		{403, "forbidden", func(a *attempt) { a.token = smallScope }},
	}
}

// The flaws of bodies alone: of the media type, the size, the syntax.
var (
	mediaType = flaw{415, "unsupported-media-type", func(a *attempt) { a.mediaType = "application/xml" }}
	tooLarge  = flaw{413, "too-large", func(a *attempt) { a.body += strings.Repeat(" ", 1<<20) }}
	query     = flaw{400, "malformed-request", func(a *attempt) { a.query = "?dryRun=1" }}
	syntax    = flaw{400, "malformed-json", func(a *attempt) { a.tail = "}]" }}
)

// absent moves the attempt to a missing problem.
func absent(p session.Problem) flaw {
	return flaw{404, "problem-not-found", func(a *attempt) { a.path = strings.Replace(a.path, p.Path, "/problems/999999999999", 1) }}
}

// stale adds a false condition.
var stale = flaw{412, "stale-revision", func(a *attempt) { a.options = append(a.options, session.With("If-Match", `"999999"`)) }}

// body replaces the body by one with faults.
func body(status int, slug, text string) flaw {
	return flaw{status, slug, func(a *attempt) { a.body = text }}
}

// ladder demands, for each two flaws, the error of the first one.
func ladder(s *session.Session, base attempt, flaws ...flaw) {
	s.Helper()
	base.version, base.token = session.API, s.Admin.Token
	send := func(spoils ...flaw) *session.Answer {
		s.Helper()
		a := base
		for _, f := range spoils {
			f.spoil(&a)
		}
		options := append([]session.Option{session.Typed(a.mediaType)}, a.options...)
		c := s.Outside()
		c.Token = a.token
		return c.Do(a.method, a.version+a.path+a.query, a.body+a.tail, options...)
	}
	for i, first := range flaws {
		if a := send(first); a.Status != first.status || a.Slug() != first.slug {
			s.Errorf("%v\nwant %d %s", a, first.status, first.slug)
			continue
		}
		for _, second := range flaws[i+1:] {
			// The earlier flaw is applied last: it wins if both change the same part of
			// the request.
			if a := send(second, first); a.Status != first.status || a.Slug() != first.slug {
				s.Errorf("%v\nwant %d %s before %d %s", a, first.status, first.slug, second.status, second.slug)
			}
		}
	}
}

// join returns the common flaws and then the others.
func join(common []flaw, more ...flaw) []flaw { return append(common, more...) }

// precedenceCases are about the order of errors (D18). Each takes an endpoint through
// every pair of flaws.
func precedenceCases() []session.Case {
	const rule = "when several errors apply, the order of D18 decides"
	return []session.Case{
		session.Extended("HTTP-ORDER-001", "D18", rule+": W1", errorOrderOfCreation),
		session.Extended("HTTP-ORDER-002", "D18", rule+": W2", errorOrderOfUpdate),
		session.Extended("HTTP-ORDER-003", "D18", rule+": W3", errorOrderOfComment),
		session.Extended("HTTP-ORDER-004", "D18", rule+": W4", errorOrderOfKeyword),
		session.Extended("HTTP-ORDER-005", "D18", rule+": W5", errorOrderOfKeywordDeletion),
		session.Extended("HTTP-ORDER-006", "D18", rule+": W6", errorOrderOfRelationship),
		session.Extended("HTTP-ORDER-007", "D18", rule+": W7", errorOrderOfRelationshipDeletion),
		session.Extended("HTTP-ORDER-008", "D18", rule+": W8", errorOrderOfWatcher),
		session.Extended("HTTP-ORDER-009", "D18", rule+": R1 to R4", errorOrderOfReads),
		session.Extended("HTTP-ORDER-010", "D18", rule+": POST /users", errorOrderOfUsers),
		session.Extended("HTTP-ORDER-011", "D18, D11", "a stale revision in the body comes before the body's faults, and after a missing problem", staleRevisionBeforeFaults),
		session.Extended("HTTP-ORDER-012", "D18", "faults of the body come before a missing keyword or a forbidden transition", faultsBeforeMissingAndForbidden),
	}
}

func errorOrderOfCreation(s *session.Session) {
	ladder(s, attempt{method: "POST", path: "/problems", mediaType: "application/json", body: `{"title":"x"}`},
		join(commonFlaws(s, "DELETE", s.UserWith("read").Token), mediaType, tooLarge, query, syntax,
			body(422, "unknown-field", `{"title":"x","state":{"name":"Closed"},"colour":1}`),
			body(409, "transition-not-allowed", `{"title":"x","state":{"name":"Closed"}}`))...)
}

func errorOrderOfUpdate(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	s.Untouched(p, func() {
		ladder(s, attempt{method: "PATCH", path: p.Path, mediaType: "application/json", body: `{"title":"x"}`},
			join(commonFlaws(s, "PUT", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", `{"state":{"name":"In Progress"},"colour":1}`),
				body(409, "transition-not-allowed", `{"state":{"name":"In Progress"}}`))...)
	})
}

func errorOrderOfComment(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	s.Admin.Post(p.Path+"/comments", "first", session.Plain(), session.With("Idempotency-Key", key)).Is(201)
	again := flaw{409, "idempotency-conflict", func(a *attempt) { a.options = append(a.options, session.With("Idempotency-Key", key)) }}
	s.Untouched(p, func() {
		ladder(s, attempt{method: "POST", path: p.Path + "/comments", mediaType: "application/json", body: `{"text":"x"}`},
			join(commonFlaws(s, "PUT", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "invalid-value", `{"text":""}`), again)...)
	})
}

func errorOrderOfKeyword(s *session.Session) {
	p := s.Problem()
	for _, method := range []string{"PUT", "PATCH"} {
		s.Untouched(p, func() {
			ladder(s, attempt{method: method, path: p.Keyword("k"), mediaType: "application/json", body: `"v"`},
				join(commonFlaws(s, "POST", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
					body(422, "invalid-type", `7`))...)
		})
	}
}

func errorOrderOfKeywordDeletion(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		ladder(s, attempt{method: "DELETE", path: p.Keyword("none")},
			join(commonFlaws(s, "POST", s.UserWith("read").Token), query, absent(p), stale,
				flaw{404, "keyword-not-found", func(*attempt) {}})...)
	})
}

func errorOrderOfRelationship(s *session.Session) {
	p, q, r := s.Problem(), s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Untouched(p, func() {
		ladder(s, attempt{method: "PUT", path: p.Path + "/relationships", mediaType: "application/json", body: session.Link("ParentOf", r)},
			join(commonFlaws(s, "POST", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", fmt.Sprintf(`{"type":"ChildOf","problemIdentifier":%d,"colour":1}`, q.ID)),
				body(409, "relationship-conflict", session.Link("ChildOf", q)))...)
	})
}

func errorOrderOfRelationshipDeletion(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Untouched(p, func() {
		ladder(s, attempt{method: "DELETE", path: p.Path + "/relationships", mediaType: "application/json", body: session.Link("ParentOf", q)},
			join(commonFlaws(s, "POST", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", fmt.Sprintf(`{"type":"ChildOf","problemIdentifier":%d,"colour":1}`, q.ID)),
				body(404, "relationship-not-found", session.Link("ChildOf", q)))...)
	})
}

func errorOrderOfWatcher(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		ladder(s, attempt{method: "PUT", path: p.Path + "/watchers", mediaType: "application/json", body: s.User().Part()},
			join(commonFlaws(s, "POST", s.UserWith("read").Token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", `{"mail":"x"}`))...)
	})
}

func errorOrderOfReads(s *session.Session) {
	p := s.Problem()
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		flaws := commonFlaws(s, "BREW", "")
		ladder(s, attempt{method: "GET", path: p.Path + part}, join(flaws[:3:3], query, absent(p))...)
	}
}

func errorOrderOfUsers(s *session.Session) {
	bob := s.User()
	ladder(s, attempt{method: "POST", path: "/users", mediaType: "application/json", body: `{"name":"x","email":"x@example.org"}`},
		join(commonFlaws(s, "DELETE", bob.Token), mediaType, tooLarge, query, syntax,
			body(422, "unknown-field", `{"name":"x","email":`+session.Encode(bob.Email)+`,"colour":1}`),
			body(409, "already-exists", `{"name":"x","email":`+session.Encode(bob.Email)+`}`))...)
}

func staleRevisionBeforeFaults(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"revision":9,"title":""}`).Fault(412, "stale-revision")
	s.Admin.Patch(p.Path, `{"revision":9,"colour":1,"identifier":0}`).Fault(412, "stale-revision")
	s.Admin.Patch("/problems/999999999999", `{"revision":9}`).Fault(404, "problem-not-found")
}

func faultsBeforeMissingAndForbidden(s *session.Session) {
	p := s.Problem()
	s.Admin.Delete(p.Keyword("%2E%2E"), "").Fault(422, "invalid-value")
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`).Is(200)
	s.Admin.Patch(p.Path, `{"state":{"name":"In Progress"},"priority":{}}`).Fault(422, "metadata-ambiguous", "/priority")
}
