package access

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// tokenBody is the body of POST /tokens for a user's identifier and a scope.
func tokenBody(user, scope string) string {
	return fmt.Sprintf(`{"user":{"identifier":%q},"scope":%q}`, user, scope)
}

// tokenCases are about issuing and revoking tokens (D17, D30).
func tokenCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-TOKEN-001", "D17, D30", "issuing is answered with 201 and, once, the token in its form", tokenIsIssuedOnce),
		session.Extended("HTTP-TOKEN-002", "D30", "the list has every token but never the secret", tokenListHasNoSecrets),
		session.Extended("HTTP-TOKEN-003", "D17, D30", "a revoked token is refused at once", revokedTokenIsRefused),
		session.Extended("HTTP-TOKEN-004", "D17", "a token can expire, and is refused from then on, for reads and for writes", expiredTokenIsRefused),
		session.Extended("HTTP-TOKEN-005", "D18, D30", "the faults of a token", faultsOfAToken),
		session.Extended("HTTP-TOKEN-006", "D17", "only the scope admin issues and revokes tokens", tokensNeedAdmin),
		session.Extended("HTTP-TOKEN-007", "D17", "admin includes write, and write includes read", scopesIncludeEachOther),
		session.Extended("HTTP-TOKEN-008", "D9", "an expiry is a time in any zone, shown in UTC and cut to the millisecond", expiryInAnyZone),
		session.Extended("HTTP-TOKEN-009", "D9", "a token expires at a time that RFC 3339 can write", expiryThatCannotBeWritten),
		session.Extended("HTTP-TOKEN-010", "D17", "a revoked token is refused at once for every read and every write", revokedTokenIsRefusedEverywhere),
		session.Extended("HTTP-TOKEN-011", "D17, D30", "what the list tells of a token is what it was issued with", listedTokenIsAsIssued),
		session.Extended("HTTP-TOKEN-012", "D30, D41", "an invitation authenticates no request, and ends within 30 days", invitation),
		session.Extended("HTTP-TOKEN-013", "D17", "comment allows comments and attachments of one's own, report also new problems, and neither allows other writes", smallScopes),
		session.Extended("HTTP-TOKEN-014", "D50", "anybody issues, lists and revokes tokens for oneself, with the own scope at most and for 90 days at most", ownTokens),
	}
}

func tokenIsIssuedOnce(s *session.Session) {
	bob := s.User()
	a := s.Admin.Post("/tokens", tokenBody(bob.Identifier, "read")).Is(201)
	token := session.Secret(a)
	if !regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`).MatchString(token) || token[47:] != checksum(token[:47]) {
		s.Fatalf("%v\nhas no token in the form of D17", a)
	}
	a.Has("/scope", "read").Has("/user/identifier", bob.Identifier).Has("/expires", nil)
	s.As(token).Get("/me").Is(200).Has("/user", bob.Object())
}

func tokenListHasNoSecrets(s *session.Session) {
	bob := s.User()
	made := s.Admin.Post("/tokens", tokenBody(bob.Identifier, "write")).Is(201)
	found := false
	for list := range s.Admin.Pages("/tokens") {
		if session.SecretForm.Match(list.Body) || strings.Contains(string(list.Body), session.Secret(made)[4:12]) {
			s.Fatalf("the list shows a secret")
		}
		for i := range list.List("") {
			list.Lacks(fmt.Sprintf("/%d/token", i))
			found = found || list.Text(fmt.Sprintf("/%d/identifier", i)) == made.Text("/identifier")
		}
	}
	if !found {
		s.Fatalf("the list lacks %s", made.Text("/identifier"))
	}
}

func revokedTokenIsRefused(s *session.Session) {
	bob := s.User()
	made := s.Admin.Post("/tokens", tokenBody(bob.Identifier, "read")).Is(201)
	token := s.As(session.Secret(made))
	token.Get("/me").Is(200)
	a := s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
	if len(a.Body) > 0 {
		s.Fatalf("%v\nhas a body", a)
	}
	token.Get("/me").Fault(401, "unauthenticated")
	bob.Get("/me").Is(200)
	for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x"} {
		s.Admin.Delete("/tokens/"+identifier, "").Fault(404, "not-found")
	}
}

func expiredTokenIsRefused(s *session.Session) {
	// The server's clock counts, and the way to it may be long.
	for _, margin := range []time.Duration{time.Second, 5 * time.Second, 30 * time.Second} {
		if expires(s, margin) {
			return
		}
	}
	s.Fatalf("a token that expires in 30 s is refused already")
}

func faultsOfAToken(s *session.Session) {
	bob, eve := s.User(), s.User()
	s.Deactivate(eve)
	s.Admin.Post("/tokens", `{}`).Fault(422, "required-field", "/user", "/scope")
	s.Admin.Post("/tokens", tokenBody(bob.Identifier, "root")).Fault(422, "invalid-value", "/scope")
	s.Admin.Post("/tokens", tokenBody(bob.Identifier, "Admin")).Fault(422, "invalid-value", "/scope")
	s.Admin.Post("/tokens", tokenBody(eve.Identifier, "read")).Fault(422, "invalid-value", "/user")
	s.Admin.Post("/tokens", `{"user":{},"scope":"read"}`).Fault(422, "metadata-ambiguous", "/user")
	s.Admin.Post("/tokens", `{"user":{"email":"nobody@example.invalid"},"scope":"read"}`).Fault(422, "metadata-not-found", "/user")
	s.Admin.Post("/tokens", `{"user":"bob","scope":1}`).Fault(422, "invalid-type", "/user", "/scope")
	s.Admin.Post("/tokens", `{"user":{"identifier":`+session.Encode(bob.Identifier)+`},"scope":"read","expires":"tomorrow"}`).Fault(422, "", "/expires")
	s.Admin.Post("/tokens", `{"user":{"identifier":`+session.Encode(bob.Identifier)+`},"scope":"read","expires":"2001-01-01T00:00:00.000Z"}`).Fault(422, "invalid-value", "/expires")
	s.Admin.Post("/tokens", `{"user":{"identifier":`+session.Encode(bob.Identifier)+`},"scope":"read","expiry":null}`).Fault(422, "unknown-field", "/expiry")
}

func tokensNeedAdmin(s *session.Session) {
	bob, eve := s.User(), s.UserWith("read")
	for _, p := range []session.Person{bob, eve} {
		p.Post("/tokens", tokenBody(p.Identifier, "read")).Fault(403, "forbidden")
		p.Get("/tokens").Fault(403, "forbidden")
		p.Delete("/tokens/01890000-0000-7000-8000-000000000000", "").Fault(403, "forbidden")
	}
}

func scopesIncludeEachOther(s *session.Session) {
	p := s.Problem()
	s.As(s.Token(s.User().Identifier, "admin")).Post("/users", session.Encode(map[string]any{"name": "x", "email": s.Unique("x") + "@example.org"})).Is(201)
	for _, scope := range []string{"admin", "write"} {
		c := s.As(s.Token(s.User().Identifier, scope))
		c.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
		c.Get(p.Path).Is(200)
	}
}

func expiryInAnyZone(s *session.Session) {
	bob := s.User()
	s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"read","expires":"2131-01-01T01:00:00.123999999+02:00"}`).Is(201).
		Has("/expires", "2130-12-31T23:00:00.123Z")
	s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"read","expires":null}`).Is(201).Has("/expires", nil)
}

func expiryThatCannotBeWritten(s *session.Session) {
	for _, expires := range []string{"9999-12-31T23:59:59-23:59", "2020-01-01T00:00:00Z"} {
		s.Admin.Post("/tokens", `{"user":`+s.User().Part()+`,"scope":"read","expires":`+session.Encode(expires)+`}`).Fault(422, "invalid-value", "/expires")
	}
}

func invitation(s *session.Session) {
	bob := s.User()
	made := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"write","invitation":true}`).Is(201).Has("/invitation", true).Has("/revoked", nil)
	if made.Text("/expires") == "" {
		s.Fatalf("%v\nnever expires", made)
	}
	s.As(session.Secret(made)).Get("/me").Fault(401, "unauthenticated")
	s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
	s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"write","invitation":true,"expires":"2130-12-31T23:00:00.123Z"}`).Fault(422, "invalid-value", "/expires")
}

func revokedTokenIsRefusedEverywhere(s *session.Session) {
	bob, p := s.User(), s.Problem()
	made := s.Admin.Post("/tokens", tokenBody(bob.Identifier, "write")).Is(201)
	token := s.As(session.Secret(made))
	token.Get("/me").Is(200)
	token.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
	locked(s, token, p)
}

func listedTokenIsAsIssued(s *session.Session) {
	bob, issued := s.User(), map[string]*session.Answer{}
	for scope, expires := range map[string]string{"read": `"2130-12-31T23:00:00.123Z"`, "write": `null`, "admin": `"2131-01-01T00:00:00.000Z"`} {
		a := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"`+scope+`","expires":`+expires+`}`).Is(201).Has("/scope", scope).Has("/expires", session.Raw(expires))
		issued[a.Text("/identifier")] = a
	}
	for list := range s.Admin.Pages("/tokens") {
		for i, entry := range list.List("") {
			made := issued[list.Text(fmt.Sprintf("/%d/identifier", i))]
			members, _ := entry.(map[string]any)
			for _, name := range []string{"scope", "expires"} {
				if value, told := members[name]; told && made != nil && value != made.At("/"+name) {
					s.Fatalf("the list says %s %s of a token that was issued with %s", name, session.Encode(value), made.Part("/"+name))
				}
			}
		}
	}
}

// expires issues a token that expires after the margin and demands that it then
// does. It reports false when the token was refused before it could be used once.
func expires(s *session.Session, margin time.Duration) bool {
	s.Helper()
	bob := s.User()
	now, err := time.Parse(time.RFC3339, s.Admin.Post("/problems", `{"title":"What time is it?"}`).Is(201).Text("/creationDate"))
	if err != nil {
		s.Fatalf("the time of the server: %v", err)
	}
	at := now.Add(margin).UTC().Format("2006-01-02T15:04:05.000Z")
	made := s.Admin.Post("/tokens", fmt.Sprintf(`{"user":{"email":%q},"scope":"write","expires":%q}`, bob.Email, at))
	if made.Status == 422 {
		return false // it is in the past already
	}
	made.Is(201).Has("/expires", at)
	token := s.As(session.Secret(made))
	if first := token.Get("/me"); first.Status == 401 {
		return false
	} else {
		first.Is(200).Has("/expires", at)
	}
	// The moment has to pass: no event tells of it.
	select {
	case <-time.After(margin):
	case <-s.Context().Done():
	}
	s.Eventually(func() bool { return token.Get("/me").Status == 401 }, "the token of %s still works", at)
	token.Get("/me").Fault(401, "unauthenticated")
	locked(s, token, s.Problem())
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
func locked(s *session.Session, token *session.Client, p session.Problem) {
	s.Helper()
	s.Untouched(p, func() {
		for _, a := range []*session.Answer{
			token.Get(p.Path), token.Get(p.Path + "/comments"), token.Get(p.Path + "/relationships"), token.Get(p.Path + "/watchers"),
			token.Post("/problems", `{"title":"x"}`),
			token.Patch(p.Path, `{"title":"x"}`),
			token.Post(p.Path+"/comments", "text", session.Plain()),
			token.Put(p.Keyword("k"), `"v"`),
			token.Delete(p.Keyword("k"), ""),
			token.Put(p.Path+"/relationships", session.Link("RelatedTo", p)),
			token.Delete(p.Path+"/relationships", session.Link("RelatedTo", p)),
			token.Put(p.Path+"/watchers", `{}`),
		} {
			a.Fault(401, "unauthenticated")
		}
	})
}

func smallScopes(s *session.Session) {
	p, theirs := s.Problem(), s.Problem()
	comment := s.Admin.Post(theirs.Path+"/comments", `{"text":"A."}`).Is(201).Text("/identifier")
	for scope, create := range map[string]int{"comment": 403, "report": 201} {
		by := s.UserWith(scope)
		own := p.Path + "/comments/" + by.Post(p.Path+"/comments", `{"text":"A."}`).Is(201).Text("/identifier")
		by.Patch(own, `{"text":"B."}`).Is(200)
		by.Delete(own, "").Is(204)
		by.Patch(theirs.Path+"/comments/"+comment, `{"text":"B."}`).Fault(403, "forbidden")
		by.Delete(theirs.Path+"/comments/"+comment, "").Fault(403, "forbidden")
		for path, body := range map[string]string{
			"/problems": `{"title":"T"}`, "/problems/report": `{"keyword":{"name":"a","value":` + session.Encode(s.Unique("a")) + `},"problem":{"title":"T"}}`,
		} {
			if a := by.Post(path, body); a.Status != create {
				s.Fatalf("%v\nwith the scope %s, want %d", a, scope, create)
			}
		}
		s.Untouched(p, func() {
			by.Patch(p.Path, `{"title":"U"}`).Fault(403, "forbidden")
			by.Put(p.Keyword("a"), `"b"`).Fault(403, "forbidden")
			by.Put(p.Path+"/claim", `{"lease":60}`).Fault(403, "forbidden")
			by.Post("/queries", `{"name":"a","predicate":"TRUEPREDICATE"}`).Fault(403, "forbidden")
		})
	}
}

func ownTokens(s *session.Session) {
	bob, eve := s.UserWith("report"), s.User()
	made := bob.Post("/me/tokens", `{"scope":"comment","name":" CI "}`).Is(201).Has("/scope", "comment").Has("/name", "CI").Has("/lastUse", nil).Has("/user/identifier", bob.Identifier)
	token := s.As(session.Secret(made))
	token.Get("/me").Is(200).Has("/user", bob.Object()).Has("/scope", "comment").Has("/expires", made.At("/expires"))
	bob.Get("/me/tokens").Is(200).Counts("", 2).Has("/0/name", nil).Has("/1/name", "CI").Has("/1/identifier", made.At("/identifier")).Lacks("/1/token")
	// A token makes none that lasts longer, or may do more.
	child := token.Post("/me/tokens", `{"scope":"read"}`).Is(201)
	if child.Text("/expires") > made.Text("/expires") {
		s.Fatalf("%v\nlasts longer than %v", child, made)
	}
	token.Post("/me/tokens", `{"scope":"report"}`).Fault(422, "invalid-value", "/scope")
	bob.Post("/me/tokens", `{"scope":"read","expires":"2131-01-01T00:00:00.000Z"}`).Fault(422, "invalid-value", "/expires")
	bob.Post("/me/tokens", `{"scope":"read","user":`+eve.Part()+`}`).Fault(422, "unknown-field", "/user")
	bob.Post("/me/tokens", `{"scope":"read","name":""}`).Fault(422, "invalid-value", "/name")
	bob.Post("/me/tokens", `{}`).Fault(422, "required-field", "/scope")
	bob.Post("/me/tokens?dryRun=true", `{"scope":"read"}`).Is(201).Lacks("/token").Lacks("/identifier")
	path := "/me/tokens/" + made.Text("/identifier")
	eve.Delete(path, "").Fault(404, "not-found")
	bob.Delete(path, "").Is(204).Empty()
	token.Get("/me").Fault(401, "unauthenticated")
	bob.Get("/me").Is(200)
}
