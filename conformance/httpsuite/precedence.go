package httpsuite

import (
	"fmt"
	"strings"
)

// attempt is a request with several possible flaws at once.
type attempt struct {
	version, method, path string
	token                 string
	mediaType, query      string
	body, tail            string // the tail makes malformed JSON of any body
	options               []option
}

// flaw is one way to spoil an attempt, with its error.
type flaw struct {
	status int
	slug   string
	spoil  func(*attempt)
}

// commonFlaws are the flaws of every endpoint, in the order of D18.
func commonFlaws(s *session, otherMethod, smallScope string) []flaw {
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
func absent(p problem) flaw {
	return flaw{404, "problem-not-found", func(a *attempt) { a.path = strings.Replace(a.path, p.path, "/problems/999999999999", 1) }}
}

// stale adds a false condition.
var stale = flaw{412, "stale-revision", func(a *attempt) { a.options = append(a.options, with("If-Match", `"999999"`)) }}

// body replaces the body by one with faults.
func body(status int, slug, text string) flaw {
	return flaw{status, slug, func(a *attempt) { a.body = text }}
}

// ladder demands, for each two flaws, the error of the first one.
func ladder(s *session, base attempt, flaws ...flaw) {
	s.Helper()
	base.version, base.token = api, s.admin.token
	send := func(spoils ...flaw) *answer {
		s.Helper()
		a := base
		for _, f := range spoils {
			f.spoil(&a)
		}
		options := append([]option{typed(a.mediaType)}, a.options...)
		c := s.outside()
		c.token = a.token
		return c.do(a.method, a.version+a.path+a.query, a.body+a.tail, options...)
	}
	for i, first := range flaws {
		if a := send(first); a.status != first.status || a.slug() != first.slug {
			s.Errorf("%v\nwant %d %s", a, first.status, first.slug)
			continue
		}
		for _, second := range flaws[i+1:] {
			// The earlier flaw is applied last: it wins if both change the same part of
			// the request.
			if a := send(second, first); a.status != first.status || a.slug() != first.slug {
				s.Errorf("%v\nwant %d %s before %d %s", a, first.status, first.slug, second.status, second.slug)
			}
		}
	}
}

// join returns the common flaws and then the others.
func join(common []flaw, more ...flaw) []flaw { return append(common, more...) }

// precedenceCases are about the order of errors (D18). Each takes an endpoint through
// every pair of flaws.
func precedenceCases() []demand {
	const rule = "when several errors apply, the order of D18 decides"
	return []demand{
		{extended, "HTTP-ORDER-001", "D18", rule + ": W1", errorOrderOfCreation},
		{extended, "HTTP-ORDER-002", "D18", rule + ": W2", errorOrderOfUpdate},
		{extended, "HTTP-ORDER-003", "D18", rule + ": W3", errorOrderOfComment},
		{extended, "HTTP-ORDER-004", "D18", rule + ": W4", errorOrderOfKeyword},
		{extended, "HTTP-ORDER-005", "D18", rule + ": W5", errorOrderOfKeywordDeletion},
		{extended, "HTTP-ORDER-006", "D18", rule + ": W6", errorOrderOfRelationship},
		{extended, "HTTP-ORDER-007", "D18", rule + ": W7", errorOrderOfRelationshipDeletion},
		{extended, "HTTP-ORDER-008", "D18", rule + ": W8", errorOrderOfWatcher},
		{extended, "HTTP-ORDER-009", "D18", rule + ": R1 to R4", errorOrderOfReads},
		{extended, "HTTP-ORDER-010", "D18", rule + ": POST /users", errorOrderOfUsers},
		{extended, "HTTP-ORDER-011", "D18, D11", "a stale revision in the body comes before the body's faults, and after a missing problem", staleRevisionBeforeFaults},
		{extended, "HTTP-ORDER-012", "D18", "faults of the body come before a missing keyword or a forbidden transition", faultsBeforeMissingAndForbidden},
	}
}

func errorOrderOfCreation(s *session) {
	ladder(s, attempt{method: "POST", path: "/problems", mediaType: "application/json", body: `{"title":"x"}`},
		join(commonFlaws(s, "DELETE", s.userWith("read").token), mediaType, tooLarge, query, syntax,
			body(422, "unknown-field", `{"title":"x","state":{"name":"Closed"},"colour":1}`),
			body(409, "transition-not-allowed", `{"title":"x","state":{"name":"Closed"}}`))...)
}

func errorOrderOfUpdate(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	s.untouched(p, func() {
		ladder(s, attempt{method: "PATCH", path: p.path, mediaType: "application/json", body: `{"title":"x"}`},
			join(commonFlaws(s, "PUT", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", `{"state":{"name":"In Progress"},"colour":1}`),
				body(409, "transition-not-allowed", `{"state":{"name":"In Progress"}}`))...)
	})
}

func errorOrderOfComment(s *session) {
	p, key := s.problem(), s.unique("key")
	s.admin.post(p.path+"/comments", "first", plain(), with("Idempotency-Key", key)).is(201)
	again := flaw{409, "idempotency-conflict", func(a *attempt) { a.options = append(a.options, with("Idempotency-Key", key)) }}
	s.untouched(p, func() {
		ladder(s, attempt{method: "POST", path: p.path + "/comments", mediaType: "application/json", body: `{"text":"x"}`},
			join(commonFlaws(s, "PUT", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "invalid-value", `{"text":""}`), again)...)
	})
}

func errorOrderOfKeyword(s *session) {
	p := s.problem()
	for _, method := range []string{"PUT", "PATCH"} {
		s.untouched(p, func() {
			ladder(s, attempt{method: method, path: p.keyword("k"), mediaType: "application/json", body: `"v"`},
				join(commonFlaws(s, "POST", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
					body(422, "invalid-type", `7`))...)
		})
	}
}

func errorOrderOfKeywordDeletion(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		ladder(s, attempt{method: "DELETE", path: p.keyword("none")},
			join(commonFlaws(s, "POST", s.userWith("read").token), query, absent(p), stale,
				flaw{404, "keyword-not-found", func(*attempt) {}})...)
	})
}

func errorOrderOfRelationship(s *session) {
	p, q, r := s.problem(), s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	s.untouched(p, func() {
		ladder(s, attempt{method: "PUT", path: p.path + "/relationships", mediaType: "application/json", body: link("ParentOf", r)},
			join(commonFlaws(s, "POST", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", fmt.Sprintf(`{"type":"ChildOf","problemIdentifier":%d,"colour":1}`, q.id)),
				body(409, "relationship-conflict", link("ChildOf", q)))...)
	})
}

func errorOrderOfRelationshipDeletion(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	s.untouched(p, func() {
		ladder(s, attempt{method: "DELETE", path: p.path + "/relationships", mediaType: "application/json", body: link("ParentOf", q)},
			join(commonFlaws(s, "POST", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", fmt.Sprintf(`{"type":"ChildOf","problemIdentifier":%d,"colour":1}`, q.id)),
				body(404, "relationship-not-found", link("ChildOf", q)))...)
	})
}

func errorOrderOfWatcher(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		ladder(s, attempt{method: "PUT", path: p.path + "/watchers", mediaType: "application/json", body: s.user().part()},
			join(commonFlaws(s, "POST", s.userWith("read").token), mediaType, tooLarge, query, syntax, absent(p), stale,
				body(422, "unknown-field", `{"mail":"x"}`))...)
	})
}

func errorOrderOfReads(s *session) {
	p := s.problem()
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		flaws := commonFlaws(s, "BREW", "")
		ladder(s, attempt{method: "GET", path: p.path + part}, join(flaws[:3:3], query, absent(p))...)
	}
}

func errorOrderOfUsers(s *session) {
	bob := s.user()
	ladder(s, attempt{method: "POST", path: "/users", mediaType: "application/json", body: `{"name":"x","email":"x@example.org"}`},
		join(commonFlaws(s, "DELETE", bob.token), mediaType, tooLarge, query, syntax,
			body(422, "unknown-field", `{"name":"x","email":`+encode(bob.email)+`,"colour":1}`),
			body(409, "already-exists", `{"name":"x","email":`+encode(bob.email)+`}`))...)
}

func staleRevisionBeforeFaults(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"revision":9,"title":""}`).fault(412, "stale-revision")
	s.admin.patch(p.path, `{"revision":9,"colour":1,"identifier":0}`).fault(412, "stale-revision")
	s.admin.patch("/problems/999999999999", `{"revision":9}`).fault(404, "problem-not-found")
}

func faultsBeforeMissingAndForbidden(s *session) {
	p := s.problem()
	s.admin.delete(p.keyword("%2E%2E"), "").fault(422, "invalid-value")
	s.admin.patch(p.path, `{"state":{"name":"Closed"}}`).is(200)
	s.admin.patch(p.path, `{"state":{"name":"In Progress"},"priority":{}}`).fault(422, "metadata-ambiguous", "/priority")
}
