package access

import (
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// authCases are about the rights of tokens (D17, D33).
func authCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-AUTH-001", "spec section 5, D17", "the token alone is accepted, and after the words Bearer, Token and Ship", tokenFormsInTheHeader),
		session.Extended("HTTP-AUTH-002", "D17", "missing, malformed, unknown and revoked tokens are answered alike: 401 with WWW-Authenticate", badTokensLookAlike),
		session.Extended("HTTP-AUTH-003", "D17", "the scope read allows every read and no write", readScopeReadsAndNeverWrites),
		session.Extended("HTTP-AUTH-004", "D33", "/me tells the user, the scope and the expiry", meTellsUserScopeAndExpiry),
		session.Extended("HTTP-AUTH-005", "D17, D34", "without a token there are the pages outside the API, and OPTIONS", openPagesNeedNoToken),
		session.Extended("HTTP-AUTH-006", "D17", "CORS is off unless it is set", corsIsOff),
		session.Core("HTTP-AUTH-007", "spec section 5", "a request without a token, or with one that is not known, is refused and does nothing", strangersAreRefused),
		session.Extended("HTTP-AUTH-008", "D17, D18", "no error repeats a token", errorsRepeatNoToken),
		session.Extended("HTTP-AUTH-009", "D17, D24", "a dry run needs the scope that the write needs", dryRunNeedsTheScopeOfTheWrite),
	}
}

func tokenFormsInTheHeader(s *session.Session) {
	bob := s.User()
	for _, word := range []string{"", "Bearer ", "Token ", "Ship ", "bearer ", "TOKEN "} {
		bob.Post("/problems", `{"title":"x"}`, session.With("Authorization", word+bob.Token)).Is(201).Has("/originator", bob.Object())
	}
}

func badTokensLookAlike(s *session.Session) {
	bob, p := s.User(), s.Problem()
	made := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"write"}`).Is(201)
	s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
	if !session.TokenForm.MatchString(bob.Token) {
		s.Fatalf("a token has not the form of D17")
	}
	unknown := "pts_" + strings.Repeat("0", 43)
	swapped := []byte(bob.Token)
	swapped[10], swapped[11] = swapped[11]^1, swapped[10]
	var first *session.Answer
	for _, value := range []string{
		"", "x", "Bearer", "Bearer x", "Basic dXNlcjpwYXNz", "Digest " + bob.Token, "Bearer Bearer " + bob.Token, bob.Token + ",", bob.Token + " " + bob.Token,
		bob.Token[:len(bob.Token)-1], bob.Token + "0", string(swapped), strings.ToLower(bob.Token), unknown + checksum(unknown), session.Secret(made), "pts_", "\xff",
	} {
		for _, path := range []string{"/me", p.Path, "/users", "/tokens"} {
			a := s.As("").Get(path, session.With("Authorization", value)).Fault(401, "unauthenticated")
			if first == nil {
				first = a
			}
			if a.Header.Get("WWW-Authenticate") == "" || a.Header.Get("WWW-Authenticate") != first.Header.Get("WWW-Authenticate") || a.Text("/detail") != first.Text("/detail") {
				s.Fatalf("%v\nfor %q differs from\n%v", a, value, first)
			}
		}
	}
}

func readScopeReadsAndNeverWrites(s *session.Session) {
	bob, p := s.UserWith("read"), s.Problem()
	for _, path := range []string{p.Path, p.Path + "/comments", p.Path + "/relationships", p.Path + "/watchers", "/me", "/users"} {
		bob.Get(path).Is(200)
	}
	s.Untouched(p, func() {
		for _, a := range []*session.Answer{
			bob.Post("/problems", `{"title":"x"}`),
			bob.Patch(p.Path, `{"title":"x"}`),
			bob.Post(p.Path+"/comments", "text", session.Plain()),
			bob.Put(p.Keyword("k"), `"v"`),
			bob.Patch(p.Keyword("k"), `"v"`),
			bob.Delete(p.Keyword("k"), ""),
			bob.Put(p.Path+"/relationships", session.Link("ParentOf", p)),
			bob.Delete(p.Path+"/relationships", session.Link("ParentOf", p)),
			bob.Put(p.Path+"/watchers", bob.Part()),
			bob.Patch(p.Path+"?dryRun=true", `{"title":"x"}`),
		} {
			a.Fault(403, "forbidden")
		}
	})
}

func meTellsUserScopeAndExpiry(s *session.Session) {
	for _, scope := range []string{"read", "write"} {
		bob := s.UserWith(scope)
		bob.Get("/me").Is(200).Members("", "user", "scope", "expires").Has("/user", bob.Object()).Has("/scope", scope).Has("/expires", nil)
	}
	s.Admin.Get("/me").Is(200).Has("/scope", "admin")
}

func openPagesNeedNoToken(s *session.Session) {
	for _, path := range []string{"/openapi.json", "/docs", "/errors/forbidden"} {
		if a := s.Outside().Get(path); a.Status != 200 && a.Status/100 != 3 {
			s.Fatalf("%v\nwant it without a token", a)
		}
	}
	s.Alive("/healthz").Is(200)
	s.Alive("/readyz").Is(200)
	if a := s.As("").Do("OPTIONS", "/problems", ""); a.Status/100 != 2 {
		s.Fatalf("%v\nwant it without a token", a)
	}
}

func corsIsOff(s *session.Session) {
	a := s.Admin.Get("/me", session.With("Origin", "https://example.org")).Is(200)
	b := s.As("").Do("OPTIONS", "/problems", "", session.With("Origin", "https://example.org"), session.With("Access-Control-Request-Method", "POST"))
	a.Sends("Access-Control-Allow-Origin", "")
	b.Sends("Access-Control-Allow-Origin", "")
}

func strangersAreRefused(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, c := range []*session.Client{s.As(""), s.As("pts_" + strings.Repeat("0", 49)), s.As("Bearer")} {
			c.Get(p.Path).Refused()
			c.Get(p.Path + "/comments").Refused()
			c.Post("/problems", `{"title":"x"}`).Refused()
			c.Patch(p.Path, `{"title":"x"}`).Refused()
			c.Post(p.Path+"/comments", "x", session.Plain()).Refused()
			c.Put(p.Keyword("k"), `"v"`).Refused()
		}
	})
}

func errorsRepeatNoToken(s *session.Session) {
	bob := s.UserWith("read")
	for _, a := range []*session.Answer{
		bob.Post("/problems", `{"title":"x"}`),
		bob.Get("/problems/999999999999"),
		bob.Get("/nope"),
		bob.Get("/me", session.With("Authorization", "Bearer "+bob.Token+"x")),
		s.Admin.Post("/problems", `{"title":`+session.Encode(bob.Token)+`,"state":`+session.Encode(bob.Token)+`}`),
	} {
		if a.Refused(); strings.Contains(string(a.Body), bob.Token) {
			s.Fatalf("%v\nrepeats the token", a)
		}
	}
}

func dryRunNeedsTheScopeOfTheWrite(s *session.Session) {
	const dry = "?dryRun=true"
	bob, p := s.UserWith("read"), s.Problem()
	for _, a := range []*session.Answer{
		bob.Post("/problems"+dry, `{"title":"x"}`),
		bob.Patch(p.Path+dry, `{"title":"x"}`),
		bob.Post(p.Path+"/comments"+dry, "text", session.Plain()),
		bob.Put(p.Keyword("k")+dry, `"v"`),
		bob.Delete(p.Keyword("k")+dry, ""),
		bob.Put(p.Path+"/relationships"+dry, session.Link("ParentOf", p)),
		bob.Delete(p.Path+"/relationships"+dry, session.Link("ParentOf", p)),
		bob.Put(p.Path+"/watchers"+dry, bob.Part()),
		s.User().Post("/users"+dry, `{"name":"x","email":"x@example.org"}`),
		s.User().Post("/tokens"+dry, `{"user":`+bob.Part()+`,"scope":"read"}`),
	} {
		a.Fault(403, "forbidden").Sends("Dry-Run", "")
	}
}
