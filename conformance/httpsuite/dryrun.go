package httpsuite

import (
	"fmt"
	"strings"
)

// dry is the parameter for a dry run.
const dry = "?dryRun=true"

// tokensOf counts the listed tokens of a user.
func tokensOf(s *session, p person) (n int) {
	s.Helper()
	for list := range s.admin.pages("/tokens") {
		for i := range list.list("") {
			if list.at(fmt.Sprintf("/%d/user/identifier", i)) == p.identifier {
				n++
			}
		}
	}
	return n
}

// dryRunCases are about dryRun=true (D24).
func dryRunCases() []demand {
	return []demand{
		{extended, "HTTP-DRY-001", "D24", "a dry W1 answers as W1 would, without identifier, Location and ETag, and stores nothing", dryCreationStoresNothing},
		{extended, "HTTP-DRY-002", "D24", "a dry write answers what would have been, says so, and stores nothing: W2 to W8", dryWritesStoreNothing},
		{extended, "HTTP-DRY-003", "D24", "a dry write of users and tokens stores nothing", dryUsersAndTokensStoreNothing},
		{extended, "HTTP-DRY-004", "D24", "a dry write that changes nothing, or is refused, answers as the write would", dryRunAnswersAsTheWriteWould},
		{extended, "HTTP-DRY-005", "D18", "any other value of dryRun is malformed-request and writes nothing; false writes", otherValuesOfDryRunAreMalformed},
		{extended, "HTTP-DRY-006", "D24", "a dry run checks an Idempotency-Key but does not keep it", dryRunKeepsNoIdempotencyKey},
		{extended, "HTTP-DRY-007", "D24", "what a dry W2 answers is what W2 then does", dryUpdateTellsTheUpdate},
		{extended, "HTTP-DRY-008", "D20, D24", "a dry W2 has no ETag: a later 304 must not take it for what is stored", dryUpdateHasNoETag},
		{extended, "HTTP-DRY-010", "D11, D24", "a dry W1 shows the keywords and their log entries, and checks them", dryCreationShowsKeywords},
		{extended, "HTTP-DRY-009", "D1, D24", "after a dry W1 there is no such problem", dryCreationMakesNoProblem},
	}
}

func dryCreationStoresNothing(s *session) {
	bob := s.user()
	a := bob.post("/problems"+dry, `{"title":" Lamp ","priority":{"name":"High"}}`).is(201).sends("Dry-Run", "true")
	a.lacks("/identifier").sends("Location", "").sends("ETag", "")
	a.members("", problemMembers[1:]...).has("/title", "Lamp").has("/priority/name", "High").has("/originator", bob.object()).has("/revision", 1)
	real := bob.post("/problems", `{"title":"x"}`).is(201).sends("Dry-Run", "")
	real.has("/title", "x")
}

func dryWritesStoreNothing(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	s.admin.put(p.keyword("k"), `"v"`).is(201)
	s.relate(p, "ParentOf", q)
	r := s.problem()
	revision := p.load(s.admin).revision()
	s.untouched(r, func() {
		s.untouched(q, func() {
			s.untouched(p, func() {
				for _, a := range []*answer{
					bob.patch(p.path+dry, `{"title":"New","state":{"name":"Closed"}}`).is(200).has("/title", "New").
						has("/state/name", "Closed").has("/revision", revision+1).has("/modifier", bob.object()),
					bob.post(p.path+"/comments"+dry, "text", plain()).is(201).has("/text", "text").has("/author", bob.ref()),
					bob.put(p.keyword("new")+dry, `"v"`).is(201).has("/value", "v"),
					bob.patch(p.keyword("k")+dry, `"w"`).is(200).has("/value", "w"),
					bob.delete(p.keyword("k")+dry, "").is(204),
					bob.put(p.path+"/relationships"+dry, link("CauseOf", r)).is(201).has("/type", "CauseOf"),
					bob.delete(p.path+"/relationships"+dry, link("ParentOf", q)).is(204),
					bob.put(p.path+"/watchers"+dry, bob.part()).is(201).has("", bob.object()),
				} {
					a.sends("Dry-Run", "true")
				}
				bob.patch(p.path+dry, `{"read":true}`).is(200).has("/read", true)
				p.load(bob.client).has("/read", false)
			})
		})
	})
}

func dryUsersAndTokensStoreNothing(s *session) {
	bob := s.user()
	email := s.unique("dry") + "@example.org"
	s.admin.post("/users"+dry, `{"name":"Dry","email":`+encode(email)+`}`).is(201).sends("Dry-Run", "true").has("/name", "Dry")
	s.admin.put(s.problem().path+"/watchers", `{"email":`+encode(email)+`}`).fault(422, "metadata-not-found")
	s.admin.patch("/users/"+bob.identifier+dry, `{"inactive":true}`).is(200).sends("Dry-Run", "true").has("/inactive", true)
	bob.get("/me").is(200).has("/user/inactive", false)
	tokens := tokensOf(s, bob)
	a := s.admin.post("/tokens"+dry, `{"user":`+bob.part()+`,"scope":"read"}`).is(201).sends("Dry-Run", "true")
	if token, _ := a.at("/token").(string); token != "" {
		s.as(token).get("/me").is(401)
	}
	if now := tokensOf(s, bob); now != tokens {
		s.Fatalf("%d tokens of one user became %d", tokens, now)
	}
	made := s.admin.post("/tokens", `{"user":`+bob.part()+`,"scope":"read"}`).is(201)
	s.admin.delete("/tokens/"+made.text("/identifier")+dry, "").is(204).sends("Dry-Run", "true")
	s.as(secret(made)).get("/me").is(200)
}

func dryRunAnswersAsTheWriteWould(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path+dry, `{}`).is(200).sends("Dry-Run", "true").has("/revision", 1)
		s.admin.patch(p.path+dry, `{"title":""}`).fault(422, "invalid-value", "/title")
		s.admin.patch(p.path+dry, `{"title":"x"}`, with("If-Match", `"9"`)).fault(412, "stale-revision")
		s.admin.post("/problems"+dry, `{"title":"x","state":{"name":"Closed"}}`).fault(409, "transition-not-allowed")
		s.admin.delete(p.keyword("none")+dry, "").fault(404, "keyword-not-found")
		s.admin.put("/problems/999999999999/watchers"+dry, `{}`).fault(404, "problem-not-found")
	})
}

func otherValuesOfDryRunAreMalformed(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, query := range []string{"dryRun=1", "dryRun=TRUE", "dryRun=True", "dryRun=", "dryRun", "dryRun=yes", "dryRun=0", "dryRun=%20true", "dryRun=true&dryRun=true", "dryRun=true&dryRun=false"} {
			s.admin.patch(p.path+"?"+query, `{"title":"x"}`).fault(400, "malformed-request")
			s.admin.post(p.path+"/comments?"+query, "x", plain()).fault(400, "malformed-request")
			s.admin.put(p.keyword("k")+"?"+query, `"v"`).fault(400, "malformed-request")
			s.admin.delete(p.path+"/relationships?"+query, link("ParentOf", p)).fault(400, "malformed-request")
			s.admin.post("/users?"+query, `{"name":"x","email":"x@example.org"}`).fault(400, "malformed-request")
		}
	})
	s.admin.patch(p.path+"?dryRun=false", `{"title":"Written"}`).is(200).sends("Dry-Run", "")
	s.admin.patch(p.path+"?dryRu%6e=false", `{"title":"Again"}`).is(200)
	p.load(s.admin).has("/title", "Again")
}

func dryRunKeepsNoIdempotencyKey(s *session) {
	p, key := s.problem(), s.unique("key")
	s.admin.post(p.path+"/comments"+dry, "text", plain(), keyed(key)).is(201).sends("Dry-Run", "true")
	s.admin.post(p.path+"/comments"+dry, "other text", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "")
	s.admin.post(p.path+"/comments", "text", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "")
	s.admin.post("/problems"+dry, `{"title":"x"}`, keyed(key)).fault(409, "idempotency-conflict")
	s.admin.post("/problems"+dry, `{"title":"x"}`, keyed("a b")).fault(400, "malformed-request")
}

func dryUpdateTellsTheUpdate(s *session) {
	p := s.create(s.admin, `"priority":{"name":"Low"}`)
	body := `{"title":"Same","state":{"name":"Closed"},"priority":null}`
	tried, done := s.admin.patch(p.path+dry, body).is(200), s.admin.patch(p.path, body).is(200)
	for _, member := range []string{"identifier", "title", "state", "priority", "revision", "read", "resolver", "keywords"} {
		done.has("/"+member, tried.at("/"+member))
	}
	for i := range done.list("/logs") {
		for _, member := range []string{"type", "field", "from", "to"} {
			pointer := fmt.Sprintf("/logs/%d/%s", i, member)
			done.has(pointer, tried.at(pointer))
		}
	}
	if strings.Count(string(tried.body), "FieldChanged") != 3 {
		s.Fatalf("%v\nhas not three log entries", tried)
	}
}

func dryUpdateHasNoETag(s *session) {
	p := s.problem()
	s.admin.patch(p.path+dry, `{"title":"Phantom"}`).is(200).sends("ETag", "").has("/title", "Phantom")
}

func dryCreationShowsKeywords(s *session) {
	body := `{"title":"Phantom","keywords":[{"name":"color","value":"red"},{"name":"a"}]}`
	tried := s.admin.post("/problems"+dry, body).is(201).sends("Dry-Run", "true").lacks("/identifier")
	done := s.admin.post("/problems", body).is(201)
	done.has("/keywords", tried.at("/keywords")).counts("/keywords", 2).counts("/logs", len(tried.list("/logs")))
	s.admin.post("/problems"+dry, `{"title":"x","keywords":[{"name":"a"},{"name":"a"}]}`).fault(422, "invalid-value", "/keywords/1/name")
}

func dryCreationMakesNoProblem(s *session) {
	before, title := s.problem(), s.unique("Phantom")
	s.admin.post("/problems"+dry, `{"title":`+encode(title)+`}`).is(201).sends("Dry-Run", "true")
	after := s.problem()
	// A stored problem would have a number between the two. Others may make
	// problems as well, and numbers have gaps.
	for id := before.id + 1; id < min(after.id, before.id+500); id++ {
		if a := s.admin.get(fmt.Sprint("/problems/", id)); a.status == 200 && a.text("/title") == title {
			s.Fatalf("%v\nwas stored by a dry run", a)
		}
	}
}
