package records

import (
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// claimCases are about claims (D49).
func claimCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-CLAIM-001", "D49, D10", "a free problem is claimed with 201; one that is held is 409 with holder and expiry, also for its holder", claimIsTaken),
		session.Extended("HTTP-CLAIM-002", "D49, D20", "the header Claim extends the claim, without a revision or an entry of the log; the ETag of the claim changes", claimIsExtended),
		session.Extended("HTTP-CLAIM-003", "D49, D8", "a holder ends the claim, and so does anybody else; the log names who, insignificantly, and an end without a claim changes nothing", claimIsEnded),
		session.Extended("HTTP-CLAIM-004", "D49, D18", "any write of a problem with the header Claim is done under its current claim alone; elsewhere the header is malformed-request", writesUnderClaim),
		session.Extended("HTTP-CLAIM-005", "D49", "a move into a resolved state ends the claim, in the batch of the move", resolvingEndsClaim),
		session.Extended("HTTP-CLAIM-006", "D49, D31", "many callers at once each claim another problem, in the order asked for, without claimed ones; then there is none, which is 204", everybodyClaimsAnother),
		session.Extended("HTTP-CLAIM-007", "D49, D21", "the same key gets the same claim, and a 204 is not kept", claimOnce),
		session.Extended("HTTP-CLAIM-008", "D49, D22", "who waits gets a problem as soon as one is free", claimAfterWait),
		session.Extended("HTTP-CLAIM-009", "D49, D31, D36", "fields has the claim; with asOf it is null; predicates have claimed, blocked, and the keys of the claim", claimIsShown),
		session.Extended("HTTP-CLAIM-010", "D49, D24", "a dry run claims nothing; a lease is 30 to 86,400 seconds, and a wait 0 to 60", claimBodies),
	}
}

const lease = `{"lease":600}`

// claimed takes the claim of a problem, and returns it with the header to name it.
func claimed(c *session.Client, p session.Problem) (*session.Answer, session.Option) {
	a := c.Put(p.Path+"/claim", lease).Is(201)
	return a, session.With("Claim", a.Text("/identifier"))
}

// among is a predicate for these problems alone, of all that others have.
func among(problems ...session.Problem) string {
	var ids []string
	for _, p := range problems {
		ids = append(ids, fmt.Sprint(p.ID))
	}
	return "identifier IN {" + strings.Join(ids, ", ") + "}"
}

// next is the body of a request for one of the problems.
func next(predicate, more string) string {
	return `{"predicate":` + session.Encode(predicate) + more + `,"lease":600}`
}

func claimIsTaken(s *session.Session) {
	bob, p := s.User(), s.Problem()
	s.Admin.Get(p.Path+"/claim").Is(200).Has("", nil)
	made, _ := claimed(bob.Client, p)
	made.Members("", "identifier", "holder", "via", "expires").Timed("/expires").Has("/holder", bob.Ref())
	made.Sends("Problem-Revision", "2")
	s.Untouched(p, func() {
		for _, c := range []*session.Client{bob.Client, s.Admin} {
			c.Put(p.Path+"/claim", lease).Fault(409, "claimed").Has("/claim", made.Value)
		}
		s.Admin.Get(p.Path+"/claim").Is(200).Has("", made.Value)
		s.Admin.Put(p.Path+"/claim", lease, session.With("If-Match", `"1"`)).Fault(412, "stale-revision")
	})
	named := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"write","name":"CI"}`).Is(201)
	via, other := map[string]any{"identifier": named.At("/identifier"), "name": "CI"}, s.Problem()
	s.As(session.Secret(named)).Put(other.Path+"/claim", lease).Is(201).Has("/via", via)
	s.Eventually(func() bool { return session.Encode(s.Admin.Get(other.Path+"/claim").At("/via")) == session.Encode(via) }, "the claim does not show the token %v", via)
	s.UserWith("read").Put(s.Problem().Path+"/claim", lease).Fault(403, "forbidden")
}

func claimIsExtended(s *session.Session) {
	p := s.Problem()
	made, header := claimed(s.Admin, p)
	tag := s.Admin.Get(p.Path + "/claim").Is(200).ETag()
	s.Unchanged(s.Admin, p.Path+"/claim")
	extended := s.Admin.Put(p.Path+"/claim", `{"lease":86400}`, header).Is(200).Has("/identifier", made.Text("/identifier")).Sends("Problem-Revision", "2")
	if extended.Text("/expires") <= made.Text("/expires") {
		s.Fatalf("%v\ndoes not expire after %v", extended, made.At("/expires"))
	}
	p.Load(s.Admin).Has("/revision", 2).Counts("/logs", 2)
	s.Admin.Get(p.Path+"/claim", session.With("If-None-Match", tag)).Is(200).Has("", extended.Value)
}

func claimIsEnded(s *session.Session) {
	bob, p := s.User(), s.Problem()
	made, header := claimed(bob.Client, p)
	bob.Delete(p.Path+"/claim", "", header).Is(204).Empty().Sends("Problem-Revision", "3")
	claimed(bob.Client, p)
	s.Admin.Delete(p.Path+"/claim", "").Is(204).Empty()
	a := p.Load(s.Admin).Counts("/logs", 5).Has("/modifier", p.Load(s.Admin).At("/originator"))
	shown := map[string]any{"identifier": made.Text("/identifier"), "holder": bob.Ref(), "expires": made.Text("/expires")}
	a.Has("/logs/1/type", "ClaimTaken").Has("/logs/1/field", "claim").Has("/logs/1/isSignificant", false).Has("/logs/1/from", nil).Has("/logs/1/to", shown)
	a.Has("/logs/2/type", "ClaimEnded").Has("/logs/2/isSignificant", false).Has("/logs/2/from", shown).Has("/logs/2/to", nil).Has("/logs/2/author/identifier", bob.Identifier)
	if a.Text("/logs/4/author/identifier") == bob.Identifier {
		s.Fatalf("%v\ndoes not name who ended the claim", a)
	}
	s.Untouched(p, func() {
		s.Admin.Delete(p.Path+"/claim", "").Is(204)
		s.Admin.Delete(p.Path+"/claim", "", header).Fault(412, "claim-lost")
		s.Admin.Put(p.Path+"/claim", lease, header).Fault(412, "claim-lost")
	})
}

func writesUnderClaim(s *session.Session) {
	p, other := s.Problem(), s.Problem()
	_, lost := claimed(s.Admin, other)
	_, header := claimed(s.Admin, p)
	writes := func(with session.Option) []*session.Answer {
		return []*session.Answer{
			s.Admin.Patch(p.Path, `{"title":"T"}`, with),
			s.Admin.Post(p.Path+"/comments", `{"text":"Seen."}`, with),
			s.Admin.Put(p.Keyword("a"), `"b"`, with),
			s.Admin.Put(p.Path+"/relationships", fmt.Sprintf(`{"type":"RelatedTo","problemIdentifier":%d}`, other.ID), with),
			s.Admin.Put(p.Path+"/watchers", s.User().Part(), with),
			s.Admin.Post(p.Path+"/attachments", "x", named("a.txt"), with),
			s.Admin.Delete(p.Keyword("a"), "", with),
		}
	}
	s.Untouched(p, func() {
		for _, a := range writes(lost) {
			a.Fault(412, "claim-lost")
		}
	})
	for _, a := range writes(header) {
		if a.Status/100 != 2 {
			s.Fatalf("%v\nis refused under the current claim", a)
		}
	}
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"title":"U"}`, session.With("Claim", "mine")).Fault(400, "malformed-request")
		s.Admin.Patch("/problems?dryRun=true&predicate=FALSEPREDICATE", `{"title":"U"}`, header).Fault(400, "malformed-request")
		s.Admin.Post("/problems", `{"title":"U"}`, header).Fault(400, "malformed-request")
		s.Admin.Patch(p.Path, `{"title":"U"}`, header, session.With("If-Match", `"1"`)).Fault(412, "stale-revision")
	})
}

func resolvingEndsClaim(s *session.Session) {
	p := s.Problem()
	_, header := claimed(s.Admin, p)
	a := s.Admin.Patch(p.Path, `{"state":{"name":"Closed"}}`, header).Is(200).Counts("/logs", 2).Has("/logs/1/type", "ClaimEnded")
	a.Has("/logs/1/batchIdentifier", a.At("/logs/0/batchIdentifier"))
	s.Admin.Get(p.Path+"/claim").Is(200).Has("", nil)
	s.Admin.Post(p.Path+"/comments", `{"text":"Again."}`, header).Fault(412, "claim-lost")
}

func everybodyClaimsAnother(s *session.Session) {
	const n = 6
	bob := s.User()
	problems := make([]session.Problem, n)
	for i := range problems {
		problems[i] = s.Create(bob.Client)
	}
	taken, _ := claimed(s.Admin, problems[0])
	body := next(among(problems...), `,"sort":"-identifier"`)
	first := s.Admin.Post("/problems/claim?fields=identifier,claim", body).Is(200).Members("", "identifier", "claim").Has("/identifier", problems[n-1].ID)
	s.Admin.Get(problems[n-1].Path+"/claim").Is(200).Has("", first.At("/claim"))
	answers := session.Together(n, func(int) *session.Answer { return bob.Post("/problems/claim", body) })
	seen := map[int64]bool{problems[0].ID: true, problems[n-1].ID: true}
	for _, a := range answers {
		if a.Status == 204 {
			continue
		}
		id := a.Is(200).Number("/identifier")
		if seen[id] {
			s.Fatalf("%v\nwas claimed by somebody else", a)
		}
		seen[id] = true
		a.Has("/claim/holder", bob.Ref()).Counts("/logs", 1).Has("/logs/0/type", "ClaimTaken")
	}
	if len(seen) != n || session.Count(answers, 204) != 2 {
		s.Fatalf("of 4 free problems, %d were claimed, and %d of 6 callers got none", len(seen)-2, session.Count(answers, 204))
	}
	s.Admin.Post("/problems/claim", body).Is(204).Empty()
	s.Admin.Get(problems[0].Path+"/claim").Is(200).Has("", taken.Value)
	s.Admin.Get("/problems/claim").Fault(405, "method-not-allowed")
}

func claimOnce(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	key := session.With("Idempotency-Key", s.Unique("key"))
	none := next(among(p)+" AND claimed = YES", "")
	s.Admin.Post("/problems/claim", none, key).Is(204)
	body := next(among(p, q), "")
	first := s.Admin.Post("/problems/claim", body, key).Is(200)
	s.Admin.Post("/problems/claim", body, key).Is(200).Sends("Idempotency-Replayed", "true").Has("", first.Value)
	s.Admin.Post("/problems/claim", next(among(q), ""), key).Fault(409, "idempotency-conflict")
	s.Admin.Get(q.Path+"/claim").Is(200).Has("", nil)

	key = session.With("Idempotency-Key", s.Unique("key"))
	taken := s.Admin.Put(q.Path+"/claim", lease, key).Is(201)
	again := s.Admin.Put(q.Path+"/claim", lease, key).Is(201).Sends("Idempotency-Replayed", "true").Has("", taken.Value)
	s.Admin.Put(s.Problem().Path+"/claim", lease, key).Fault(409, "idempotency-conflict")
	// An extension is repeated, so it needs no key.
	s.Admin.Put(q.Path+"/claim", lease, key, session.With("Claim", again.Text("/identifier"))).Is(200).Sends("Idempotency-Replayed", "")
}

func claimAfterWait(s *session.Session) {
	p := s.Problem()
	_, header := claimed(s.Admin, p)
	body := next(among(p), `,"wait":60`)
	got := make(chan *session.Answer)
	began := time.Now()
	go func() { got <- s.Admin.Post("/problems/claim", body) }()
	time.Sleep(time.Second) // the other request has to wait already
	s.Admin.Delete(p.Path+"/claim", "", header).Is(204)
	(<-got).Is(200).Has("/identifier", p.ID)
	if waited := time.Since(began); waited > 30*time.Second {
		s.Fatalf("the problem was free at once, and somebody waited %v for it", waited)
	}
	s.Admin.Post("/problems/claim", next(among(p), `,"wait":1`)).Is(204)
}

func claimIsShown(s *session.Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	s.Relate(q, "BlockedBy", p)
	made, _ := claimed(bob.Client, p)
	s.Admin.Get(p.Path).Is(200).Lacks("/claim")
	s.Admin.Get(p.Path+"?fields=claim").Is(200).Has("/claim", made.Value)
	s.Admin.Get(p.Path+"?fields=claim.holder.name&asOf=2").Is(200).Has("/claim", nil)
	s.Admin.Get(session.Lookup("/problems/search", "predicate", among(p, q), "fields", "identifier,claim.holder")).Is(200).
		Has("", []any{map[string]any{"identifier": p.ID, "claim": map[string]any{"holder": bob.Ref()}}, map[string]any{"identifier": q.ID, "claim": nil}})
	for predicate, want := range map[string]session.Problem{
		"claimed = YES": p, "claimed = NO": q, "blocked = YES": q, "blocked != YES": p,
		"claim.holder.identifier = '" + bob.Identifier + "'": p, "claim.holder = nil": q, "claim.expires > NOW()": p,
		"ANY relationships.child.identifier = " + fmt.Sprint(p.ID) + " AND SUBQUERY(relationships, $r, $r.child.claimed = YES).@count = 1": q,
	} {
		s.Admin.Search("/problems", among(p, q)+" AND "+predicate).Is(200).Problems(want)
	}
	s.Admin.Get(session.Lookup("/problems/search", "predicate", "claimed")).Fault(400, "invalid-predicate")
	s.Admin.Get(session.Lookup("/problems/search", "predicate", "blocked = 'yes'")).Fault(400, "invalid-predicate")
}

func claimBodies(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Put(p.Path+"/claim?dryRun=true", lease).Is(201).Sends("Dry-Run", "true")
		s.Admin.Post("/problems/claim?dryRun=true", next(among(p), "")).Is(200).Has("/identifier", p.ID)
		for body, slug := range map[string]string{`{}`: "required-field", `{"lease":29}`: "invalid-value", `{"lease":86401}`: "invalid-value", `{"lease":null}`: "invalid-value", `{"lease":"1"}`: "invalid-type"} {
			s.Admin.Put(p.Path+"/claim", body).Fault(422, slug, "/lease")
			s.Admin.Post("/problems/claim", body).Fault(422, slug, "/lease")
		}
		s.Admin.Post("/problems/claim", next(among(p), `,"wait":61`)).Fault(422, "invalid-value", "/wait")
		s.Admin.Post("/problems/claim", next("titel = 1", "")).Fault(400, "invalid-predicate")
		s.Admin.Get(p.Path+"/claim").Is(200).Has("", nil)
	})
}
