package httpsuite

import (
	"strings"
)

// authCases are about the rights of tokens (D17, D33).
func authCases() []demand {
	return []demand{
		{core, "HTTP-AUTH-001", "spec section 5, D17", "the token alone is accepted, and after the words Bearer, Token and Ship", tokenFormsInTheHeader},
		{extended, "HTTP-AUTH-002", "D17", "missing, malformed, unknown and revoked tokens are answered alike: 401 with WWW-Authenticate", badTokensLookAlike},
		{extended, "HTTP-AUTH-003", "D17", "the scope read allows every read and no write", readScopeReadsAndNeverWrites},
		{extended, "HTTP-AUTH-004", "D33", "/me tells the user, the scope and the expiry", meTellsUserScopeAndExpiry},
		{extended, "HTTP-AUTH-005", "D17, D34", "without a token there are the pages outside the API, and OPTIONS", openPagesNeedNoToken},
		{extended, "HTTP-AUTH-006", "D17", "CORS is off unless it is set", corsIsOff},
		{core, "HTTP-AUTH-007", "spec section 5", "a request without a token, or with one that is not known, is refused and does nothing", strangersAreRefused},
		{extended, "HTTP-AUTH-008", "D17, D18", "no error repeats a token", errorsRepeatNoToken},
		{extended, "HTTP-AUTH-009", "D17, D24", "a dry run needs the scope that the write needs", dryRunNeedsTheScopeOfTheWrite},
	}
}

func tokenFormsInTheHeader(s *session) {
	bob := s.user()
	for _, word := range []string{"", "Bearer ", "Token ", "Ship ", "bearer ", "TOKEN "} {
		bob.post("/problems", `{"title":"x"}`, with("Authorization", word+bob.token)).is(201).has("/originator", bob.object())
	}
}

func badTokensLookAlike(s *session) {
	bob, p := s.user(), s.problem()
	made := s.admin.post("/tokens", `{"user":`+bob.part()+`,"scope":"write"}`).is(201)
	s.admin.delete("/tokens/"+made.text("/identifier"), "").is(204)
	if !tokenForm.MatchString(bob.token) {
		s.Fatalf("a token has not the form of D17")
	}
	unknown := "pts_" + strings.Repeat("0", 43)
	swapped := []byte(bob.token)
	swapped[10], swapped[11] = swapped[11]^1, swapped[10]
	var first *answer
	for _, value := range []string{
		"", "x", "Bearer", "Bearer x", "Basic dXNlcjpwYXNz", "Digest " + bob.token, "Bearer Bearer " + bob.token, bob.token + ",", bob.token + " " + bob.token,
		bob.token[:len(bob.token)-1], bob.token + "0", string(swapped), strings.ToLower(bob.token), unknown + checksum(unknown), secret(made), "pts_", "\xff",
	} {
		for _, path := range []string{"/me", p.path, "/users", "/tokens"} {
			a := s.as("").get(path, with("Authorization", value)).fault(401, "unauthenticated")
			if first == nil {
				first = a
			}
			if a.header.Get("WWW-Authenticate") == "" || a.header.Get("WWW-Authenticate") != first.header.Get("WWW-Authenticate") || a.text("/detail") != first.text("/detail") {
				s.Fatalf("%v\nfor %q differs from\n%v", a, value, first)
			}
		}
	}
}

func readScopeReadsAndNeverWrites(s *session) {
	bob, p := s.userWith("read"), s.problem()
	for _, path := range []string{p.path, p.path + "/comments", p.path + "/relationships", p.path + "/watchers", "/me", "/users"} {
		bob.get(path).is(200)
	}
	s.untouched(p, func() {
		for _, a := range []*answer{
			bob.post("/problems", `{"title":"x"}`),
			bob.patch(p.path, `{"title":"x"}`),
			bob.post(p.path+"/comments", "text", plain()),
			bob.put(p.keyword("k"), `"v"`),
			bob.patch(p.keyword("k"), `"v"`),
			bob.delete(p.keyword("k"), ""),
			bob.put(p.path+"/relationships", link("ParentOf", p)),
			bob.delete(p.path+"/relationships", link("ParentOf", p)),
			bob.put(p.path+"/watchers", bob.part()),
			bob.patch(p.path+"?dryRun=true", `{"title":"x"}`),
		} {
			a.fault(403, "forbidden")
		}
	})
}

func meTellsUserScopeAndExpiry(s *session) {
	for _, scope := range []string{"read", "write"} {
		bob := s.userWith(scope)
		bob.get("/me").is(200).members("", "user", "scope", "expires").has("/user", bob.object()).has("/scope", scope).has("/expires", nil)
	}
	s.admin.get("/me").is(200).has("/scope", "admin")
}

func openPagesNeedNoToken(s *session) {
	for _, path := range []string{"/openapi.json", "/docs", "/errors/forbidden"} {
		if a := s.outside().get(path); a.status != 200 && a.status/100 != 3 {
			s.Fatalf("%v\nwant it without a token", a)
		}
	}
	s.alive("/healthz").is(200)
	s.alive("/readyz").is(200)
	if a := s.as("").do("OPTIONS", "/problems", ""); a.status/100 != 2 {
		s.Fatalf("%v\nwant it without a token", a)
	}
}

func corsIsOff(s *session) {
	a := s.admin.get("/me", with("Origin", "https://example.org")).is(200)
	b := s.as("").do("OPTIONS", "/problems", "", with("Origin", "https://example.org"), with("Access-Control-Request-Method", "POST"))
	a.sends("Access-Control-Allow-Origin", "")
	b.sends("Access-Control-Allow-Origin", "")
}

func strangersAreRefused(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, c := range []*client{s.as(""), s.as("pts_" + strings.Repeat("0", 49)), s.as("Bearer")} {
			c.get(p.path).refused()
			c.get(p.path + "/comments").refused()
			c.post("/problems", `{"title":"x"}`).refused()
			c.patch(p.path, `{"title":"x"}`).refused()
			c.post(p.path+"/comments", "x", plain()).refused()
			c.put(p.keyword("k"), `"v"`).refused()
		}
	})
}

func errorsRepeatNoToken(s *session) {
	bob := s.userWith("read")
	for _, a := range []*answer{
		bob.post("/problems", `{"title":"x"}`),
		bob.get("/problems/999999999999"),
		bob.get("/nope"),
		bob.get("/me", with("Authorization", "Bearer "+bob.token+"x")),
		s.admin.post("/problems", `{"title":`+encode(bob.token)+`,"state":`+encode(bob.token)+`}`),
	} {
		if a.refused(); strings.Contains(string(a.body), bob.token) {
			s.Fatalf("%v\nrepeats the token", a)
		}
	}
}

func dryRunNeedsTheScopeOfTheWrite(s *session) {
	const dry = "?dryRun=true"
	bob, p := s.userWith("read"), s.problem()
	for _, a := range []*answer{
		bob.post("/problems"+dry, `{"title":"x"}`),
		bob.patch(p.path+dry, `{"title":"x"}`),
		bob.post(p.path+"/comments"+dry, "text", plain()),
		bob.put(p.keyword("k")+dry, `"v"`),
		bob.delete(p.keyword("k")+dry, ""),
		bob.put(p.path+"/relationships"+dry, link("ParentOf", p)),
		bob.delete(p.path+"/relationships"+dry, link("ParentOf", p)),
		bob.put(p.path+"/watchers"+dry, bob.part()),
		s.user().post("/users"+dry, `{"name":"x","email":"x@example.org"}`),
		s.user().post("/tokens"+dry, `{"user":`+bob.part()+`,"scope":"read"}`),
	} {
		a.fault(403, "forbidden").sends("Dry-Run", "")
	}
}
