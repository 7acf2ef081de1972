package httpsuite

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"
)

// tokenBody is the body of POST /tokens for a user's identifier and a scope.
func tokenBody(user, scope string) string {
	return fmt.Sprintf(`{"user":{"identifier":%q},"scope":%q}`, user, scope)
}

// tokenCases are about issuing and revoking tokens (D17, D30).
func tokenCases() []demand {
	return []demand{
		{extended, "HTTP-TOKEN-001", "D17, D30", "issuing is answered with 201 and, once, the token in its form", tokenIsIssuedOnce},
		{extended, "HTTP-TOKEN-002", "D30", "the list has every token but never the secret", tokenListHasNoSecrets},
		{extended, "HTTP-TOKEN-003", "D17, D30", "a revoked token is refused at once", revokedTokenIsRefused},
		{extended, "HTTP-TOKEN-004", "D17", "a token can expire, and is refused from then on, for reads and for writes", expiredTokenIsRefused},
		{extended, "HTTP-TOKEN-005", "D18, D30", "the faults of a token", faultsOfAToken},
		{extended, "HTTP-TOKEN-006", "D17", "only the scope admin issues and revokes tokens", tokensNeedAdmin},
		{extended, "HTTP-TOKEN-007", "D17", "admin includes write, and write includes read", scopesIncludeEachOther},
		{extended, "HTTP-TOKEN-008", "D9", "an expiry is a time in any zone, shown in UTC and cut to the millisecond", expiryInAnyZone},
		{extended, "HTTP-TOKEN-009", "D9", "a token expires at a time that RFC 3339 can write", expiryThatCannotBeWritten},
		{extended, "HTTP-TOKEN-010", "D17", "a revoked token is refused at once for every read and every write", revokedTokenIsRefusedEverywhere},
		{extended, "HTTP-TOKEN-011", "D17, D30", "what the list tells of a token is what it was issued with", listedTokenIsAsIssued},
	}
}

func tokenIsIssuedOnce(s *session) {
	bob := s.user()
	a := s.admin.post("/tokens", tokenBody(bob.identifier, "read")).is(201)
	token := secret(a)
	if !regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`).MatchString(token) || token[47:] != checksum(token[:47]) {
		s.Fatalf("%v\nhas no token in the form of D17", a)
	}
	a.has("/scope", "read").has("/user/identifier", bob.identifier).has("/expires", nil)
	s.as(token).get("/me").is(200).has("/user", bob.object())
}

func tokenListHasNoSecrets(s *session) {
	bob := s.user()
	made := s.admin.post("/tokens", tokenBody(bob.identifier, "write")).is(201)
	found := false
	for list := range s.admin.pages("/tokens") {
		if secretForm.Match(list.body) || strings.Contains(string(list.body), secret(made)[4:12]) {
			s.Fatalf("the list shows a secret")
		}
		for i := range list.list("") {
			list.lacks(fmt.Sprintf("/%d/token", i))
			found = found || list.text(fmt.Sprintf("/%d/identifier", i)) == made.text("/identifier")
		}
	}
	if !found {
		s.Fatalf("the list lacks %s", made.text("/identifier"))
	}
}

func revokedTokenIsRefused(s *session) {
	bob := s.user()
	made := s.admin.post("/tokens", tokenBody(bob.identifier, "read")).is(201)
	token := s.as(secret(made))
	token.get("/me").is(200)
	a := s.admin.delete("/tokens/"+made.text("/identifier"), "").is(204)
	if len(a.body) > 0 {
		s.Fatalf("%v\nhas a body", a)
	}
	token.get("/me").fault(401, "unauthenticated")
	bob.get("/me").is(200)
	for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x"} {
		s.admin.delete("/tokens/"+identifier, "").fault(404, "not-found")
	}
}

func expiredTokenIsRefused(s *session) {
	// The server's clock counts, and the way to it may be long.
	for _, margin := range []time.Duration{time.Second, 5 * time.Second, 30 * time.Second} {
		if expires(s, margin) {
			return
		}
	}
	s.Fatalf("a token that expires in 30 s is refused already")
}

func faultsOfAToken(s *session) {
	bob, eve := s.user(), s.user()
	s.deactivate(eve)
	s.admin.post("/tokens", `{}`).fault(422, "required-field", "/user", "/scope")
	s.admin.post("/tokens", tokenBody(bob.identifier, "root")).fault(422, "invalid-value", "/scope")
	s.admin.post("/tokens", tokenBody(bob.identifier, "Admin")).fault(422, "invalid-value", "/scope")
	s.admin.post("/tokens", tokenBody(eve.identifier, "read")).fault(422, "invalid-value", "/user")
	s.admin.post("/tokens", `{"user":{},"scope":"read"}`).fault(422, "metadata-ambiguous", "/user")
	s.admin.post("/tokens", `{"user":{"email":"nobody@example.invalid"},"scope":"read"}`).fault(422, "metadata-not-found", "/user")
	s.admin.post("/tokens", `{"user":"bob","scope":1}`).fault(422, "invalid-type", "/user", "/scope")
	s.admin.post("/tokens", `{"user":{"identifier":`+encode(bob.identifier)+`},"scope":"read","expires":"tomorrow"}`).fault(422, "", "/expires")
	s.admin.post("/tokens", `{"user":{"identifier":`+encode(bob.identifier)+`},"scope":"read","expires":"2001-01-01T00:00:00.000Z"}`).fault(422, "invalid-value", "/expires")
	s.admin.post("/tokens", `{"user":{"identifier":`+encode(bob.identifier)+`},"scope":"read","expiry":null}`).fault(422, "unknown-field", "/expiry")
}

func tokensNeedAdmin(s *session) {
	bob, eve := s.user(), s.userWith("read")
	for _, p := range []person{bob, eve} {
		p.post("/tokens", tokenBody(p.identifier, "read")).fault(403, "forbidden")
		p.get("/tokens").fault(403, "forbidden")
		p.delete("/tokens/01890000-0000-7000-8000-000000000000", "").fault(403, "forbidden")
	}
}

func scopesIncludeEachOther(s *session) {
	p := s.problem()
	s.as(s.token(s.user().identifier, "admin")).post("/users", encode(map[string]any{"name": "x", "email": s.unique("x") + "@example.org"})).is(201)
	for _, scope := range []string{"admin", "write"} {
		c := s.as(s.token(s.user().identifier, scope))
		c.post(p.path+"/comments", "text", plain()).is(201)
		c.get(p.path).is(200)
	}
}

func expiryInAnyZone(s *session) {
	bob := s.user()
	s.admin.post("/tokens", `{"user":`+bob.part()+`,"scope":"read","expires":"2131-01-01T01:00:00.123999999+02:00"}`).is(201).
		has("/expires", "2130-12-31T23:00:00.123Z")
	s.admin.post("/tokens", `{"user":`+bob.part()+`,"scope":"read","expires":null}`).is(201).has("/expires", nil)
}

func expiryThatCannotBeWritten(s *session) {
	for _, expires := range []string{"9999-12-31T23:59:59-23:59", "2020-01-01T00:00:00Z"} {
		s.admin.post("/tokens", `{"user":`+s.user().part()+`,"scope":"read","expires":`+encode(expires)+`}`).fault(422, "invalid-value", "/expires")
	}
}

func revokedTokenIsRefusedEverywhere(s *session) {
	bob, p := s.user(), s.problem()
	made := s.admin.post("/tokens", tokenBody(bob.identifier, "write")).is(201)
	token := s.as(secret(made))
	token.get("/me").is(200)
	token.post(p.path+"/comments", "text", plain()).is(201)
	s.admin.delete("/tokens/"+made.text("/identifier"), "").is(204)
	locked(s, token, p)
}

func listedTokenIsAsIssued(s *session) {
	bob, issued := s.user(), map[string]*answer{}
	for scope, expires := range map[string]string{"read": `"2130-12-31T23:00:00.123Z"`, "write": `null`, "admin": `"2131-01-01T00:00:00.000Z"`} {
		a := s.admin.post("/tokens", `{"user":`+bob.part()+`,"scope":"`+scope+`","expires":`+expires+`}`).is(201).has("/scope", scope).has("/expires", raw(expires))
		issued[a.text("/identifier")] = a
	}
	for list := range s.admin.pages("/tokens") {
		for i, entry := range list.list("") {
			made := issued[list.text(fmt.Sprintf("/%d/identifier", i))]
			members, _ := entry.(map[string]any)
			for _, name := range []string{"scope", "expires"} {
				if value, told := members[name]; told && made != nil && value != made.at("/"+name) {
					s.Fatalf("the list says %s %s of a token that was issued with %s", name, encode(value), made.part("/"+name))
				}
			}
		}
	}
}

// expires issues a token that expires after the margin and demands that it then
// does. It reports false when the token was refused before it could be used once.
func expires(s *session, margin time.Duration) bool {
	s.Helper()
	bob := s.user()
	now, err := time.Parse(time.RFC3339, s.admin.post("/problems", `{"title":"What time is it?"}`).is(201).text("/creationDate"))
	if err != nil {
		s.Fatalf("the time of the server: %v", err)
	}
	at := now.Add(margin).UTC().Format("2006-01-02T15:04:05.000Z")
	made := s.admin.post("/tokens", fmt.Sprintf(`{"user":{"email":%q},"scope":"write","expires":%q}`, bob.email, at))
	if made.status == 422 {
		return false // it is in the past already
	}
	made.is(201).has("/expires", at)
	token := s.as(secret(made))
	if first := token.get("/me"); first.status == 401 {
		return false
	} else {
		first.is(200).has("/expires", at)
	}
	// The moment has to pass: no event tells of it.
	select {
	case <-time.After(margin):
	case <-s.Context().Done():
	}
	s.eventually(func() bool { return token.get("/me").status == 401 }, "the token of %s still works", at)
	token.get("/me").fault(401, "unauthenticated")
	locked(s, token, s.problem())
	return true
}

// checksum is the CRC-32 of the text in six base62 digits (D17).
func checksum(text string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := crc32.ChecksumIEEE([]byte(text))
	b := make([]byte, 6)
	for i := range b {
		b[len(b)-1-i] = alphabet[sum%62]
		sum /= 62
	}
	return string(b)
}

// locked demands that the token is good for nothing about a problem: R1 to R4 and
// W1 to W8 are refused, and do nothing.
func locked(s *session, token *client, p problem) {
	s.Helper()
	s.untouched(p, func() {
		for _, a := range []*answer{
			token.get(p.path), token.get(p.path + "/comments"), token.get(p.path + "/relationships"), token.get(p.path + "/watchers"),
			token.post("/problems", `{"title":"x"}`),
			token.patch(p.path, `{"title":"x"}`),
			token.post(p.path+"/comments", "text", plain()),
			token.put(p.keyword("k"), `"v"`),
			token.delete(p.keyword("k"), ""),
			token.put(p.path+"/relationships", link("RelatedTo", p)),
			token.delete(p.path+"/relationships", link("RelatedTo", p)),
			token.put(p.path+"/watchers", `{}`),
		} {
			a.fault(401, "unauthenticated")
		}
	})
}
