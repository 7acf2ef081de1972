package access

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// userCases are about users (D2, D30).
func userCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-USER-001", "D2, D30", "creating a user is answered with 201 and the user", userIsCreated),
		session.Extended("HTTP-USER-002", "D2, D18", "the faults of a user", faultsOfAUser),
		session.Extended("HTTP-USER-003", "D2", "e-mail addresses are unique without ASCII letter case; names need not be", emailsAreUnique),
		session.Extended("HTTP-USER-004", "D30", "PATCH sets what is given and leaves the rest", userIsPatched),
		session.Extended("HTTP-USER-005", "D30", "a user as it was read can be sent back", readUserCanBeSentBack),
		session.Extended("HTTP-USER-006", "D30", "users are listed by name, to every token, and an absent one is not-found", usersAreListed),
		session.Extended("HTTP-USER-007", "D30", "the ETag of users is the catalogue's version", etagOfUsersIsTheCatalogues),
		session.Extended("HTTP-USER-008", "D17", "only the scope admin writes users", usersNeedAdmin),
		session.Extended("HTTP-USER-009", "D17", "deactivating a user revokes the tokens for good", deactivationRevokesTokens),
		session.Extended("HTTP-USER-010", "D2", "a renamed user is shown by today's name in fields, comments, relationships and watchers", renamedUserShowsTodaysName),
		session.Extended("HTTP-USER-012", "D11, D30", "Ignored-Members names what the creation of a user or metadata object does not store, unless it makes no difference", creationsNameIgnoredMembers),
		session.Extended("HTTP-USER-013", "D33", "everybody chooses the own e-mail: everything at first", mailIsChosen),
		session.Extended("HTTP-USER-016", "D58", "everybody chooses the own preferences as a whole", preferencesAreChosen),
		session.Extended("HTTP-USER-014", "D2, D3", "a domain outside of ASCII, its ASCII form and its upper case are one address, stored in one form", internationalDomains),
		session.Extended("HTTP-USER-015", "D2", "an administrator says which person answers for a robot, and a robot answers for nobody", robots),
		session.Extended("HTTP-USER-011", "D2", "a new e-mail address is shown wherever the whole user is: in fields and among watchers", newEmailIsShown),
	}
}

func userIsCreated(s *session.Session) {
	name := s.Unique("ann")
	a := s.Admin.Post("/users", session.Encode(map[string]any{"name": " " + name + " ", "email": name + "@Example.org"})).Is(201)
	a.Members("", "identifier", "name", "email", "inactive", "robotOf").JSON()
	a.Has("/name", name).Has("/email", name+"@Example.org").Has("/inactive", false)
	if !session.UUIDForm.MatchString(a.Text("/identifier")) {
		s.Fatalf("%v\nhas no UUIDv7", a)
	}
	s.Admin.Get("/users/"+a.Text("/identifier")).Is(200).Has("", a.Value)
}

func preferencesAreChosen(s *session.Session) {
	bob, eve := s.User(), s.User()
	const path, all = "/me/preferences", `{"columns":"due,state","density":"compact","language":"de","timeZone":"Europe/Berlin","keys":false}`
	usual := bob.Get(path).Is(200).Has("", map[string]any{"columns": nil, "density": "comfortable", "language": nil, "timeZone": nil, "keys": true})
	bob.Put(path+"?dryRun=true", all).Is(200).Sends("Dry-Run", "true").Has("/density", "compact")
	bob.Get(path).Is(200).Has("", usual.Value)
	chosen := bob.Put(path, all).Is(200).Has("", map[string]any{"columns": "due,state", "density": "compact", "language": "de", "timeZone": "Europe/Berlin", "keys": false})
	bob.Put(path, all).Is(200).Has("", chosen.Value)
	bob.Get(path).Is(200).Has("", chosen.Value)
	eve.Get(path).Is(200).Has("", usual.Value)
	s.Admin.Get("/users/"+bob.Identifier).Is(200).Has("", bob.Object())
	for body, at := range map[string]string{
		`{"columns":"state,colour"}`: "/columns", `{"density":"loose"}`: "/density", `{"language":"tlh"}`: "/language",
		`{"timeZone":"Mars/Olympus"}`: "/timeZone", `{"timeZone":"../etc/passwd"}`: "/timeZone", `{"timeZone":""}`: "/timeZone",
	} {
		bob.Put(path, body).Fault(422, "invalid-value", at)
	}
	bob.Put(path, `{"keys":"off"}`).Fault(422, "invalid-type", "/keys")
	bob.Put(path, `{"user":"eve"}`).Fault(422, "unknown-field", "/user")
	s.UserWith("read").Put(path, `{}`).Fault(403, "forbidden")
	bob.Put(path, `{"keys":null,"density":"compact"}`).Is(200).Has("/columns", nil).Has("/density", "compact").Has("/keys", true)
	bob.Put(path, `{}`).Is(200).Has("", usual.Value)
}

func mailIsChosen(s *session.Session) {
	bob, eve := s.User(), s.User()
	bob.Get("/me/mail").Is(200).Members("", "mail").Has("/mail", "everything")
	for _, choice := range []string{"mine", "none", "everything", "none", "none"} {
		bob.Put("/me/mail", `{"mail":"`+choice+`"}`).Is(200).Has("", map[string]any{"mail": choice})
		bob.Get("/me/mail").Is(200).Has("/mail", choice)
		eve.Get("/me/mail").Is(200).Has("/mail", "everything")
	}
	bob.Put("/me/mail?dryRun=true", `{"mail":"mine"}`).Is(200).Sends("Dry-Run", "true").Has("/mail", "mine")
	bob.Get("/me/mail").Is(200).Has("/mail", "none")
	s.Admin.Get("/users/"+bob.Identifier).Is(200).Has("", bob.Object())
	bob.Put("/me/mail", `{}`).Fault(422, "required-field", "/mail")
	bob.Put("/me/mail", `{"mail":"weekly"}`).Fault(422, "invalid-value", "/mail")
	bob.Put("/me/mail", `{"mail":null}`).Fault(422, "", "/mail")
	bob.Put("/me/mail", `{"mail":7}`).Fault(422, "invalid-type", "/mail")
	bob.Put("/me/mail", `{"mail":"none","user":"eve"}`).Fault(422, "unknown-field", "/user")
	s.UserWith("read").Put("/me/mail", `{"mail":"mine"}`).Fault(403, "forbidden")
}

func robots(s *session.Session) {
	ann, bot, other := s.User(), s.User(), s.User()
	of := func(p session.Person) string { return `{"robotOf":{"identifier":"` + p.Identifier + `"}}` }
	s.Admin.Patch("/users/"+bot.Identifier, of(ann)).Is(200).Has("/robotOf", ann.Ref())
	bot.Get("/me").Is(200).Has("/user/robotOf", ann.Ref())
	bot.Post("/problems", `{"title":"Made by a robot"}`).Is(201).Has("/originator/robotOf", ann.Ref())
	ann.Patch("/users/"+other.Identifier, of(ann)).Fault(403, "forbidden")
	for who, by := range map[*session.Person]session.Person{&other: bot, &ann: other, &bot: bot} {
		s.Admin.Patch("/users/"+who.Identifier, of(by)).Fault(422, "invalid-value", "/robotOf")
	}
	s.Admin.Patch("/users/"+bot.Identifier, `{"robotOf":null}`).Is(200).Has("", bot.Object())
}

func faultsOfAUser(s *session.Session) {
	s.Admin.Post("/users", `{}`).Fault(422, "required-field", "/name", "/email")
	s.Admin.Post("/users", `{"name":7,"email":[],"inactive":"no"}`).Fault(422, "invalid-type", "/name", "/email", "/inactive")
	s.Admin.Post("/users", `{"name":"`+strings.Repeat("x", 256)+`","email":" "}`).Fault(422, "invalid-value", "/name", "/email")
	s.Admin.Post("/users", `{"name":"a\u0000b","email":"a\nb@example.org"}`).Fault(422, "invalid-value", "/name", "/email")
	s.Admin.Post("/users", `{"name":"x","email":"nowhere"}`).Fault(422, "invalid-value", "/email")
	s.Admin.Post("/users", `{"name":"x","email":"x@example.org","Name":"y"}`).Fault(422, "unknown-field", "/Name")
	s.Admin.Post("/users", `[]`).Fault(422, "invalid-type", "")
	s.Admin.Post("/users", ``).Fault(400, "malformed-json")
	s.Admin.Post("/users", `x`, session.Plain()).Fault(415, "unsupported-media-type")
}

func emailsAreUnique(s *session.Session) {
	bob := s.User()
	for _, email := range []string{bob.Email, strings.ToUpper(bob.Email), " " + strings.ToLower(bob.Email)} {
		s.Admin.Post("/users", session.Encode(map[string]any{"name": "x", "email": email})).Fault(409, "already-exists")
	}
	s.Admin.Post("/users", session.Encode(map[string]any{"name": bob.Name, "email": "another." + bob.Email})).Is(201)
}

func internationalDomains(s *session.Session) {
	name := s.Unique("ann")
	body := func(domain string) string {
		return session.Encode(map[string]any{"name": name, "email": name + "@" + domain})
	}
	id := s.Admin.Post("/users", body("Mail.XN--BCHER-KVA.Example")).Is(201).Has("/email", name+"@mail.bücher.example").Text("/identifier")
	for _, same := range []string{"mail.bücher.example", "MAIL.BÜCHER.Example", "mail.bu\u0308cher.example", "mail.xn--bcher-kva.example"} {
		s.Admin.Post("/users", body(same)).Fault(409, "already-exists")
		s.Admin.Patch("/users/"+id, body(same)).Is(200).Has("/email", name+"@mail.bücher.example")
		s.Admin.Post("/problems", `{"title":"x","assignee":{"email":`+session.Encode(name+"@"+same)+`}}`).Is(201).Has("/assignee/identifier", id)
	}
	for _, none := range []string{"mail.ｂücher.example", "mail.bücher。example", "mail.☃.example", "mail.bü_cher.example", "mail.İstanbul.example"} {
		s.Admin.Post("/users", body(none)).Fault(422, "invalid-value", "/email")
	}
	s.Admin.Post("/users", body("mail.xn--n3h.example")).Is(201).Has("/email", name+"@mail.xn--n3h.example")
}

func userIsPatched(s *session.Session) {
	bob, eve := s.User(), s.User()
	path := "/users/" + bob.Identifier
	s.Admin.Patch(path, `{}`).Is(200).Has("", bob.Object())
	s.Admin.Patch(path, `{"name":"Bob"}`).Is(200).Has("/name", "Bob").Has("/email", bob.Email)
	s.Admin.Patch(path, `{"email":`+session.Encode(strings.ToUpper(bob.Email))+`}`).Is(200).Has("/email", strings.ToUpper(bob.Email)).Has("/name", "Bob")
	s.Admin.Patch(path, `{"email":`+session.Encode(eve.Email)+`}`).Fault(409, "already-exists")
	s.Admin.Patch(path, `{"name":null,"email":null,"inactive":null}`).Fault(422, "", "/name", "/email", "/inactive")
	s.Admin.Patch(path, `{"nmae":"x"}`).Fault(422, "unknown-field", "/nmae")
	s.Admin.Get(path).Is(200).Has("/name", "Bob")
}

func readUserCanBeSentBack(s *session.Session) {
	bob := s.User()
	read := s.Admin.Get("/users/" + bob.Identifier).Is(200)
	s.Admin.Patch("/users/"+bob.Identifier, string(read.Body)).Is(200).Has("", read.Value)
}

func usersAreListed(s *session.Session) {
	bob := s.UserWith("read")
	found := false
	for a := range bob.Pages("/users") {
		last := ""
		for i := range a.List("") {
			pointer := fmt.Sprintf("/%d", i)
			a.Members(pointer, "identifier", "name", "email", "inactive", "robotOf")
			if name := a.Text(pointer + "/name"); name < last {
				s.Fatalf("the name %q comes after %q", name, last)
			} else {
				last = name
			}
			found = found || a.Text(pointer+"/identifier") == bob.Identifier
		}
	}
	if !found {
		s.Fatalf("the list lacks %s", bob.Name)
	}
	for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x", "7"} {
		bob.Get("/users/"+identifier).Fault(404, "not-found")
		s.Admin.Patch("/users/"+identifier, `{"name":"x"}`).Fault(404, "not-found")
	}
}

func etagOfUsersIsTheCatalogues(s *session.Session) {
	bob := s.User()
	for _, path := range []string{"/users", "/users/" + bob.Identifier} {
		s.Unchanged(s.Admin, path)
		before := s.Admin.Get(path).Is(200).ETag()
		s.Admin.Patch("/users/"+bob.Identifier, `{"name":`+session.Encode(s.Unique("bob"))+`}`).Is(200)
		s.Admin.Get(path, session.With("If-None-Match", before)).Is(200)
	}
}

func usersNeedAdmin(s *session.Session) {
	bob, eve := s.User(), s.UserWith("read")
	for _, p := range []session.Person{bob, eve} {
		p.Post("/users", `{"name":"x","email":"x@example.org"}`).Fault(403, "forbidden")
		p.Patch("/users/"+bob.Identifier, `{"name":"x"}`).Fault(403, "forbidden")
	}
}

func deactivationRevokesTokens(s *session.Session) {
	bob := s.User()
	bob.Get("/me").Is(200)
	s.Admin.Patch("/users/"+bob.Identifier, `{"inactive":true}`).Is(200).Has("/inactive", true)
	bob.Get("/me").Fault(401, "unauthenticated")
	s.Admin.Patch("/users/"+bob.Identifier, `{"inactive":false}`).Is(200).Has("/inactive", false)
	bob.Get("/me").Fault(401, "unauthenticated")
	s.As(s.Token(bob.Identifier, "read")).Get("/me").Is(200)
}

func renamedUserShowsTodaysName(s *session.Session) {
	bob := s.User()
	p, q := s.Create(bob.Client), s.Problem()
	bob.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	bob.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201)
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	name := s.Unique("renamed")
	s.Admin.Patch("/users/"+bob.Identifier, `{"name":`+session.Encode(name)+`}`).Is(200)
	p.Load(s.Admin).Has("/originator/name", name).Has("/modifier/name", name)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/author/name", name)
	s.Admin.Get(p.Path+"/relationships").Is(200).Has("/0/author/name", name)
	s.Admin.Get(p.Path+"/watchers").Is(200).Has("/0/name", name)
}

func creationsNameIgnoredMembers(s *session.Session) {
	const foreign = `"identifier":"01890000-0000-7000-8000-000000000000"`
	for _, query := range []string{"?dryRun=true", ""} {
		name := s.Unique("user")
		s.Admin.Post("/users"+query, `{"name":"x","email":"`+name+`@example.org",`+foreign+`}`).Is(201).Ignores("identifier")
		s.Admin.Post("/users"+query, `{"name":"x","email":"`+name+`-2@example.org","identifier":null}`).Is(201).Ignores()
		s.Admin.Post("/milestones"+query, `{"name":"`+name+`","creationDate":"2001-02-03T04:05:06.000Z",`+foreign+`}`).Is(201).Ignores("creationDate", "identifier")
		s.Admin.Post("/components"+query, `{"name":"`+name+`","fullName":"`+name+`"}`).Is(201).Ignores()
		s.Admin.Post("/components"+query, `{"name":"`+name+`-2","fullName":"x"}`).Is(201).Ignores("fullName")
	}
}

func newEmailIsShown(s *session.Session) {
	bob := s.User()
	p := s.Create(bob.Client, `"assignee":`+bob.Part())
	bob.Put(p.Path+"/watchers", bob.Part()).Is(201)
	bob.Email = s.Unique("moved") + "@example.org"
	s.Admin.Patch("/users/"+bob.Identifier, `{"email":`+session.Encode(bob.Email)+`}`).Is(200).Has("", bob.Object())
	s.Admin.Get(p.Path+"/watchers").Is(200).Has("", []any{bob.Object()})
	p.Load(s.Admin).Has("/originator", bob.Object()).Has("/modifier", bob.Object()).Has("/assignee", bob.Object())
	bob.Get("/me").Is(200).Has("/user", bob.Object())
}
