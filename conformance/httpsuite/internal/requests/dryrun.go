package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// dry is the parameter for a dry run.
const dry = "?dryRun=true"

// tokensOf counts the listed tokens of a user.
func tokensOf(s *session.Session, p session.Person) (n int) {
	s.Helper()
	for list := range s.Admin.Pages("/tokens") {
		for i := range list.List("") {
			if list.At(fmt.Sprintf("/%d/user/identifier", i)) == p.Identifier {
				n++
			}
		}
	}
	return n
}

// dryRunCases are about dryRun=true (D24).
func dryRunCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-DRY-001", "D24", "a dry W1 answers as W1 would, without identifier, Location and ETag, and stores nothing", dryCreationStoresNothing),
		session.Extended("HTTP-DRY-002", "D24", "a dry write answers what would have been, says so, and stores nothing: W2 to W8", dryWritesStoreNothing),
		session.Extended("HTTP-DRY-003", "D24", "a dry write of users and tokens stores nothing", dryUsersAndTokensStoreNothing),
		session.Extended("HTTP-DRY-004", "D24", "a dry write that changes nothing, or is refused, answers as the write would", dryRunAnswersAsTheWriteWould),
		session.Extended("HTTP-DRY-005", "D18", "any other value of dryRun is malformed-request and writes nothing; false writes", otherValuesOfDryRunAreMalformed),
		session.Extended("HTTP-DRY-006", "D24", "a dry run checks an Idempotency-Key but does not keep it", dryRunKeepsNoIdempotencyKey),
		session.Extended("HTTP-DRY-007", "D24", "what a dry W2 answers is what W2 then does", dryUpdateTellsTheUpdate),
		session.Extended("HTTP-DRY-008", "D20, D24", "a dry W2 has no ETag: a later 304 must not take it for what is stored", dryUpdateHasNoETag),
		session.Extended("HTTP-DRY-010", "D11, D24", "a dry W1 shows the keywords and their log entries, and checks them", dryCreationShowsKeywords),
		session.Extended("HTTP-DRY-009", "D1, D24", "after a dry W1 there is no such problem", dryCreationMakesNoProblem),
	}
}

func dryCreationStoresNothing(s *session.Session) {
	bob := s.User()
	a := bob.Post("/problems"+dry, `{"title":" Lamp ","priority":{"name":"High"}}`).Is(201).Sends("Dry-Run", "true")
	a.Lacks("/identifier").Sends("Location", "").Sends("ETag", "")
	a.Members("", session.ProblemMembers[1:]...).Has("/title", "Lamp").Has("/priority/name", "High").Has("/originator", bob.Object()).Has("/revision", 1)
	real := bob.Post("/problems", `{"title":"x"}`).Is(201).Sends("Dry-Run", "")
	real.Has("/title", "x")
}

func dryWritesStoreNothing(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	s.Relate(p, "ParentOf", q)
	r := s.Problem()
	revision := p.Load(s.Admin).Revision()
	s.Untouched(r, func() {
		s.Untouched(q, func() {
			s.Untouched(p, func() {
				for _, a := range []*session.Answer{
					bob.Patch(p.Path+dry, `{"title":"New","state":{"name":"Closed"}}`).Is(200).Has("/title", "New").
						Has("/state/name", "Closed").Has("/revision", revision+1).Has("/modifier", bob.Object()),
					bob.Post(p.Path+"/comments"+dry, "text", session.Plain()).Is(201).Has("/text", "text").Has("/author", bob.Ref()),
					bob.Put(p.Keyword("new")+dry, `"v"`).Is(201).Has("/value", "v"),
					bob.Patch(p.Keyword("k")+dry, `"w"`).Is(200).Has("/value", "w"),
					bob.Delete(p.Keyword("k")+dry, "").Is(204),
					bob.Put(p.Path+"/relationships"+dry, session.Link("CauseOf", r)).Is(201).Has("/type", "CauseOf"),
					bob.Delete(p.Path+"/relationships"+dry, session.Link("ParentOf", q)).Is(204),
					bob.Put(p.Path+"/watchers"+dry, bob.Part()).Is(201).Has("", bob.Object()),
				} {
					a.Sends("Dry-Run", "true")
				}
				bob.Patch(p.Path+dry, `{"read":true}`).Is(200).Has("/read", true)
				p.Load(bob.Client).Has("/read", false)
			})
		})
	})
}

func dryUsersAndTokensStoreNothing(s *session.Session) {
	bob := s.User()
	email := s.Unique("dry") + "@example.org"
	s.Admin.Post("/users"+dry, `{"name":"Dry","email":`+session.Encode(email)+`}`).Is(201).Sends("Dry-Run", "true").Has("/name", "Dry")
	s.Admin.Put(s.Problem().Path+"/watchers", `{"email":`+session.Encode(email)+`}`).Fault(422, "metadata-not-found")
	s.Admin.Patch("/users/"+bob.Identifier+dry, `{"inactive":true}`).Is(200).Sends("Dry-Run", "true").Has("/inactive", true)
	bob.Get("/me").Is(200).Has("/user/inactive", false)
	tokens := tokensOf(s, bob)
	a := s.Admin.Post("/tokens"+dry, `{"user":`+bob.Part()+`,"scope":"read"}`).Is(201).Sends("Dry-Run", "true")
	if token, _ := a.At("/token").(string); token != "" {
		s.As(token).Get("/me").Is(401)
	}
	if now := tokensOf(s, bob); now != tokens {
		s.Fatalf("%d tokens of one user became %d", tokens, now)
	}
	made := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"read"}`).Is(201)
	s.Admin.Delete("/tokens/"+made.Text("/identifier")+dry, "").Is(204).Sends("Dry-Run", "true")
	s.As(session.Secret(made)).Get("/me").Is(200)
}

func dryRunAnswersAsTheWriteWould(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path+dry, `{}`).Is(200).Sends("Dry-Run", "true").Has("/revision", 1)
		s.Admin.Patch(p.Path+dry, `{"title":""}`).Fault(422, "invalid-value", "/title")
		s.Admin.Patch(p.Path+dry, `{"title":"x"}`, session.With("If-Match", `"9"`)).Fault(412, "stale-revision")
		s.Admin.Post("/problems"+dry, `{"title":"x","state":{"name":"Closed"}}`).Fault(409, "transition-not-allowed")
		s.Admin.Delete(p.Keyword("none")+dry, "").Fault(404, "keyword-not-found")
		s.Admin.Put("/problems/999999999999/watchers"+dry, `{}`).Fault(404, "problem-not-found")
	})
}

func otherValuesOfDryRunAreMalformed(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, query := range []string{"dryRun=1", "dryRun=TRUE", "dryRun=True", "dryRun=", "dryRun", "dryRun=yes", "dryRun=0", "dryRun=%20true", "dryRun=true&dryRun=true", "dryRun=true&dryRun=false"} {
			s.Admin.Patch(p.Path+"?"+query, `{"title":"x"}`).Fault(400, "malformed-request")
			s.Admin.Post(p.Path+"/comments?"+query, "x", session.Plain()).Fault(400, "malformed-request")
			s.Admin.Put(p.Keyword("k")+"?"+query, `"v"`).Fault(400, "malformed-request")
			s.Admin.Delete(p.Path+"/relationships?"+query, session.Link("ParentOf", p)).Fault(400, "malformed-request")
			s.Admin.Post("/users?"+query, `{"name":"x","email":"x@example.org"}`).Fault(400, "malformed-request")
		}
	})
	s.Admin.Patch(p.Path+"?dryRun=false", `{"title":"Written"}`).Is(200).Sends("Dry-Run", "")
	s.Admin.Patch(p.Path+"?dryRu%6e=false", `{"title":"Again"}`).Is(200)
	p.Load(s.Admin).Has("/title", "Again")
}

func dryRunKeepsNoIdempotencyKey(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	s.Admin.Post(p.Path+"/comments"+dry, "text", session.Plain(), keyed(key)).Is(201).Sends("Dry-Run", "true")
	s.Admin.Post(p.Path+"/comments"+dry, "other text", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "")
	s.Admin.Post(p.Path+"/comments", "text", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "")
	s.Admin.Post("/problems"+dry, `{"title":"x"}`, keyed(key)).Fault(409, "idempotency-conflict")
	s.Admin.Post("/problems"+dry, `{"title":"x"}`, keyed("a b")).Fault(400, "malformed-request")
}

func dryUpdateTellsTheUpdate(s *session.Session) {
	p := s.Create(s.Admin, `"priority":{"name":"Low"}`)
	body := `{"title":"Same","state":{"name":"Closed"},"priority":null}`
	tried, done := s.Admin.Patch(p.Path+dry, body).Is(200), s.Admin.Patch(p.Path, body).Is(200)
	for _, member := range []string{"identifier", "title", "state", "priority", "revision", "read", "resolver", "keywords"} {
		done.Has("/"+member, tried.At("/"+member))
	}
	for i := range done.List("/logs") {
		for _, member := range []string{"type", "field", "from", "to"} {
			pointer := fmt.Sprintf("/logs/%d/%s", i, member)
			done.Has(pointer, tried.At(pointer))
		}
	}
	if strings.Count(string(tried.Body), "FieldChanged") != 3 {
		s.Fatalf("%v\nhas not three log entries", tried)
	}
}

func dryUpdateHasNoETag(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path+dry, `{"title":"Phantom"}`).Is(200).Sends("ETag", "").Has("/title", "Phantom")
}

func dryCreationShowsKeywords(s *session.Session) {
	body := `{"title":"Phantom","keywords":[{"name":"color","value":"red"},{"name":"a"}]}`
	tried := s.Admin.Post("/problems"+dry, body).Is(201).Sends("Dry-Run", "true").Lacks("/identifier")
	done := s.Admin.Post("/problems", body).Is(201)
	done.Has("/keywords", tried.At("/keywords")).Counts("/keywords", 2).Counts("/logs", len(tried.List("/logs")))
	s.Admin.Post("/problems"+dry, `{"title":"x","keywords":[{"name":"a"},{"name":"a"}]}`).Fault(422, "invalid-value", "/keywords/1/name")
}

func dryCreationMakesNoProblem(s *session.Session) {
	before, title := s.Problem(), s.Unique("Phantom")
	s.Admin.Post("/problems"+dry, `{"title":`+session.Encode(title)+`}`).Is(201).Sends("Dry-Run", "true")
	after := s.Problem()
	// A stored problem would have a number between the two. Others may make
	// problems as well, and numbers have gaps.
	for id := before.ID + 1; id < min(after.ID, before.ID+500); id++ {
		if a := s.Admin.Get(fmt.Sprint("/problems/", id)); a.Status == 200 && a.Text("/title") == title {
			s.Fatalf("%v\nwas stored by a dry run", a)
		}
	}
}
