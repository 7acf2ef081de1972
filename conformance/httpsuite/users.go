package httpsuite

import (
	"fmt"
	"strings"
)

// userCases are about users (D2, D30).
func userCases() []demand {
	return []demand{
		{extended, "HTTP-USER-001", "D2, D30", "creating a user is answered with 201 and the user", userIsCreated},
		{extended, "HTTP-USER-002", "D2, D18", "the faults of a user", faultsOfAUser},
		{extended, "HTTP-USER-003", "D2", "e-mail addresses are unique without ASCII letter case; names need not be", emailsAreUnique},
		{extended, "HTTP-USER-004", "D30", "PATCH sets what is given and leaves the rest", userIsPatched},
		{extended, "HTTP-USER-005", "D30", "a user as it was read can be sent back", readUserCanBeSentBack},
		{extended, "HTTP-USER-006", "D30", "users are listed by name, to every token, and an absent one is not-found", usersAreListed},
		{extended, "HTTP-USER-007", "D30", "the ETag of users is the catalogue's version", etagOfUsersIsTheCatalogues},
		{extended, "HTTP-USER-008", "D17", "only the scope admin writes users", usersNeedAdmin},
		{extended, "HTTP-USER-009", "D17", "deactivating a user revokes the tokens for good", deactivationRevokesTokens},
		{extended, "HTTP-USER-010", "D2", "a renamed user is shown by today's name in fields, comments, relationships and watchers", renamedUserShowsTodaysName},
		{extended, "HTTP-USER-012", "D11, D30", "Ignored-Members names what the creation of a user or metadata object does not store, unless it makes no difference", creationsNameIgnoredMembers},
		{extended, "HTTP-USER-011", "D2", "a new e-mail address is shown wherever the whole user is: in fields and among watchers", newEmailIsShown},
	}
}

func userIsCreated(s *session) {
	name := s.unique("ann")
	a := s.admin.post("/users", encode(map[string]any{"name": " " + name + " ", "email": name + "@Example.org"})).is(201)
	a.members("", "identifier", "name", "email", "inactive").json()
	a.has("/name", name).has("/email", name+"@Example.org").has("/inactive", false)
	if !uuidForm.MatchString(a.text("/identifier")) {
		s.Fatalf("%v\nhas no UUIDv7", a)
	}
	s.admin.get("/users/"+a.text("/identifier")).is(200).has("", a.value)
}

func faultsOfAUser(s *session) {
	s.admin.post("/users", `{}`).fault(422, "required-field", "/name", "/email")
	s.admin.post("/users", `{"name":7,"email":[],"inactive":"no"}`).fault(422, "invalid-type", "/name", "/email", "/inactive")
	s.admin.post("/users", `{"name":"`+strings.Repeat("x", 256)+`","email":" "}`).fault(422, "invalid-value", "/name", "/email")
	s.admin.post("/users", `{"name":"a\u0000b","email":"a\nb@example.org"}`).fault(422, "invalid-value", "/name", "/email")
	s.admin.post("/users", `{"name":"x","email":"nowhere"}`).fault(422, "invalid-value", "/email")
	s.admin.post("/users", `{"name":"x","email":"x@example.org","Name":"y"}`).fault(422, "unknown-field", "/Name")
	s.admin.post("/users", `[]`).fault(422, "invalid-type", "")
	s.admin.post("/users", ``).fault(400, "malformed-json")
	s.admin.post("/users", `x`, plain()).fault(415, "unsupported-media-type")
}

func emailsAreUnique(s *session) {
	bob := s.user()
	for _, email := range []string{bob.email, strings.ToUpper(bob.email), " " + strings.ToLower(bob.email)} {
		s.admin.post("/users", encode(map[string]any{"name": "x", "email": email})).fault(409, "already-exists")
	}
	s.admin.post("/users", encode(map[string]any{"name": bob.name, "email": "another." + bob.email})).is(201)
}

func userIsPatched(s *session) {
	bob, eve := s.user(), s.user()
	path := "/users/" + bob.identifier
	s.admin.patch(path, `{}`).is(200).has("", bob.object())
	s.admin.patch(path, `{"name":"Bob"}`).is(200).has("/name", "Bob").has("/email", bob.email)
	s.admin.patch(path, `{"email":`+encode(strings.ToUpper(bob.email))+`}`).is(200).has("/email", strings.ToUpper(bob.email)).has("/name", "Bob")
	s.admin.patch(path, `{"email":`+encode(eve.email)+`}`).fault(409, "already-exists")
	s.admin.patch(path, `{"name":null,"email":null,"inactive":null}`).fault(422, "", "/name", "/email", "/inactive")
	s.admin.patch(path, `{"nmae":"x"}`).fault(422, "unknown-field", "/nmae")
	s.admin.get(path).is(200).has("/name", "Bob")
}

func readUserCanBeSentBack(s *session) {
	bob := s.user()
	read := s.admin.get("/users/" + bob.identifier).is(200)
	s.admin.patch("/users/"+bob.identifier, string(read.body)).is(200).has("", read.value)
}

func usersAreListed(s *session) {
	bob := s.userWith("read")
	found := false
	for a := range bob.pages("/users") {
		last := ""
		for i := range a.list("") {
			pointer := fmt.Sprintf("/%d", i)
			a.members(pointer, "identifier", "name", "email", "inactive")
			if name := a.text(pointer + "/name"); name < last {
				s.Fatalf("the name %q comes after %q", name, last)
			} else {
				last = name
			}
			found = found || a.text(pointer+"/identifier") == bob.identifier
		}
	}
	if !found {
		s.Fatalf("the list lacks %s", bob.name)
	}
	for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x", "7"} {
		bob.get("/users/"+identifier).fault(404, "not-found")
		s.admin.patch("/users/"+identifier, `{"name":"x"}`).fault(404, "not-found")
	}
}

func etagOfUsersIsTheCatalogues(s *session) {
	bob := s.user()
	for _, path := range []string{"/users", "/users/" + bob.identifier} {
		s.unchanged(s.admin, path)
		before := s.admin.get(path).is(200).etag()
		s.admin.patch("/users/"+bob.identifier, `{"name":`+encode(s.unique("bob"))+`}`).is(200)
		s.admin.get(path, with("If-None-Match", before)).is(200)
	}
}

func usersNeedAdmin(s *session) {
	bob, eve := s.user(), s.userWith("read")
	for _, p := range []person{bob, eve} {
		p.post("/users", `{"name":"x","email":"x@example.org"}`).fault(403, "forbidden")
		p.patch("/users/"+bob.identifier, `{"name":"x"}`).fault(403, "forbidden")
	}
}

func deactivationRevokesTokens(s *session) {
	bob := s.user()
	bob.get("/me").is(200)
	s.admin.patch("/users/"+bob.identifier, `{"inactive":true}`).is(200).has("/inactive", true)
	bob.get("/me").fault(401, "unauthenticated")
	s.admin.patch("/users/"+bob.identifier, `{"inactive":false}`).is(200).has("/inactive", false)
	bob.get("/me").fault(401, "unauthenticated")
	s.as(s.token(bob.identifier, "read")).get("/me").is(200)
}

func renamedUserShowsTodaysName(s *session) {
	bob := s.user()
	p, q := s.create(bob.client), s.problem()
	bob.post(p.path+"/comments", "text", plain()).is(201)
	bob.put(p.path+"/relationships", link("ParentOf", q)).is(201)
	bob.put(p.path+"/watchers", bob.part()).is(201)
	name := s.unique("renamed")
	s.admin.patch("/users/"+bob.identifier, `{"name":`+encode(name)+`}`).is(200)
	p.load(s.admin).has("/originator/name", name).has("/modifier/name", name)
	s.admin.get(p.path+"/comments").is(200).has("/0/author/name", name)
	s.admin.get(p.path+"/relationships").is(200).has("/0/author/name", name)
	s.admin.get(p.path+"/watchers").is(200).has("/0/name", name)
}

func creationsNameIgnoredMembers(s *session) {
	const foreign = `"identifier":"01890000-0000-7000-8000-000000000000"`
	for _, query := range []string{"?dryRun=true", ""} {
		name := s.unique("user")
		s.admin.post("/users"+query, `{"name":"x","email":"`+name+`@example.org",`+foreign+`}`).is(201).ignores("identifier")
		s.admin.post("/users"+query, `{"name":"x","email":"`+name+`-2@example.org","identifier":null}`).is(201).ignores()
		s.admin.post("/milestones"+query, `{"name":"`+name+`","creationDate":"2001-02-03T04:05:06.000Z",`+foreign+`}`).is(201).ignores("creationDate", "identifier")
		s.admin.post("/components"+query, `{"name":"`+name+`","fullName":"`+name+`"}`).is(201).ignores()
		s.admin.post("/components"+query, `{"name":"`+name+`-2","fullName":"x"}`).is(201).ignores("fullName")
	}
}

func newEmailIsShown(s *session) {
	bob := s.user()
	p := s.create(bob.client, `"assignee":`+bob.part())
	bob.put(p.path+"/watchers", bob.part()).is(201)
	bob.email = s.unique("moved") + "@example.org"
	s.admin.patch("/users/"+bob.identifier, `{"email":`+encode(bob.email)+`}`).is(200).has("", bob.object())
	s.admin.get(p.path+"/watchers").is(200).has("", []any{bob.object()})
	p.load(s.admin).has("/originator", bob.object()).has("/modifier", bob.object()).has("/assignee", bob.object())
	bob.get("/me").is(200).has("/user", bob.object())
}
