package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// keyed sends an Idempotency-Key.
func keyed(key string) session.Option { return session.With("Idempotency-Key", key) }

// idempotencyCases are about the Idempotency-Key (D21).
func idempotencyCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-IDEM-001", "D21", "the same W1 again gets the first answer, byte for byte, and makes nothing", creationIsReplayed),
		session.Extended("HTTP-IDEM-002", "D21", "the same W3 again gets the first answer, byte for byte, and adds nothing", commentIsReplayed),
		session.Extended("HTTP-IDEM-003", "D21", "anything different under the same key is idempotency-conflict", otherRequestUnderAKeyConflicts),
		session.Extended("HTTP-IDEM-004", "D21", "a key is the user's own, whichever token is used", keyBelongsToTheUser),
		session.Extended("HTTP-IDEM-005", "D21", "a key is 1 to 255 visible characters, bare or quoted", formOfAKey),
		session.Extended("HTTP-IDEM-006", "D21", "answers of 400 and above are not kept", refusalsAreNotReplayed),
		session.Extended("HTTP-IDEM-007", "D21", "duplicates in flight wait for the first: one effect, one answer", duplicatesInFlightWait),
		session.Extended("HTTP-IDEM-008", "D21", "different requests in flight under one key: one wins, the others conflict", differentRequestsInFlightConflict),
		session.Extended("HTTP-IDEM-009", "D21", "a replay is answered whatever has become of the problem's revision", replayIgnoresLaterRevisions),
		session.Extended("HTTP-IDEM-011", "D11, D21", "a W1 with keywords is replayed with them and with its Ignored-Members, and sets nothing again", creationWithKeywordsIsReplayed),
		session.Extended("HTTP-IDEM-012", "D21", "users, metadata objects and saved queries are created once under a key, and the first answer comes again", otherCreationsAreReplayed),
		session.Extended("HTTP-IDEM-013", "D17, D21", "a token is not issued under a key, whose answer would keep it: the key is refused, and nothing is done", tokenTakesNoKey),
		session.Extended("HTTP-IDEM-014", "D21", "PUT and DELETE need no key, and take one as if it were not there", otherMethodsIgnoreAKey),
		session.Extended("HTTP-IDEM-010", "D17, D18, D21", "a token with the scope read is forbidden, and gets no replay of what the user did with another", readScopeGetsNoReplay),
	}
}

func creationIsReplayed(s *session.Session) {
	key, body := s.Unique("key"), `{"title":"Once"}`
	first := s.Admin.Post("/problems", body, keyed(key)).Is(201).Sends("Idempotency-Replayed", "")
	s.Admin.Patch("/problems/"+first.Part("/identifier"), `{"title":"Changed since"}`).Is(200)
	again := s.Admin.Post("/problems", body, keyed(key)).Is(201).Sends("Idempotency-Replayed", "true")
	if string(first.Body) != string(again.Body) {
		s.Fatalf("first\n%s\nagain\n%s", first.Body, again.Body)
	}
	for _, name := range []string{"Location", "ETag", "Content-Type", "Problem-Revision"} {
		again.Sends(name, first.Header.Get(name))
	}
}

func commentIsReplayed(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	first := s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "")
	s.Untouched(p, func() {
		for range 3 {
			again := s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "true")
			if string(first.Body) != string(again.Body) || again.Revision() != first.Revision() {
				s.Fatalf("first\n%v\nagain\n%v", first, again)
			}
		}
	})
}

func otherRequestUnderAKeyConflicts(s *session.Session) {
	p, q, key := s.Problem(), s.Problem(), s.Unique("key")
	s.Admin.Post(p.Path+"/comments", `{"text":"Once"}`, keyed(key)).Is(201)
	s.Untouched(p, func() {
		s.Untouched(q, func() {
			s.Admin.Post(p.Path+"/comments", `{"text":"Twice"}`, keyed(key)).Fault(409, "idempotency-conflict")
			s.Admin.Post(p.Path+"/comments", `{"text": "Once"}`, keyed(key)).Fault(409, "idempotency-conflict")
			s.Admin.Post(p.Path+"/comments", `{"text":"Once"}`, session.Plain(), keyed(key)).Fault(409, "idempotency-conflict")
			s.Admin.Post(p.Path+"/comments?dryRun=false", `{"text":"Once"}`, keyed(key)).Fault(409, "idempotency-conflict")
			s.Admin.Post(q.Path+"/comments", `{"text":"Once"}`, keyed(key)).Fault(409, "idempotency-conflict")
			s.Admin.Post("/problems", `{"title":"Once"}`, keyed(key)).Fault(409, "idempotency-conflict")
		})
	})
	s.Admin.Post(p.Path+"/comments", `{"text":"Once"}`, keyed(key)).Is(201).Sends("Idempotency-Replayed", "true")
}

func keyBelongsToTheUser(s *session.Session) {
	bob, eve, p, key := s.User(), s.User(), s.Problem(), s.Unique("key")
	first := bob.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201)
	other := s.As(s.Token(bob.Identifier, "write"))
	other.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "true").Has("", first.Value)
	eve.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "").Has("/author", eve.Ref())
}

func formOfAKey(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201)
	s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(`"`+key+`"`)).Is(201).Sends("Idempotency-Replayed", "true")
	long := s.Unique(strings.Repeat("k", 255-13))
	s.Admin.Post(p.Path+"/comments", "Long", session.Plain(), keyed(long)).Is(201)
	s.Admin.Post(p.Path+"/comments", "Quoted", session.Plain(), keyed(`"`+s.Unique(strings.Repeat("q", 255-13))+`"`)).Is(201)
	s.Untouched(p, func() {
		for _, bad := range []string{long + "k", `""`, "a b", `"a b"`, "a\tb", "é", strings.Repeat("k", 4000)} {
			s.Admin.Post(p.Path+"/comments", "Bad", session.Plain(), keyed(bad)).Fault(400, "malformed-request")
		}
		s.Admin.Post(p.Path+"/comments", "Bad", session.Plain(), keyed("a"), session.More("Idempotency-Key", "b")).Fault(400, "malformed-request")
	})
}

func refusalsAreNotReplayed(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	s.Admin.Post("/problems", `{"title":""}`, keyed(key)).Is(422)
	s.Admin.Post("/problems", `{"title":""}`, keyed(key)).Is(422).Sends("Idempotency-Replayed", "")
	s.Admin.Post(p.Path+"/comments", "x", session.Plain(), keyed(key), session.With("If-Match", `"9"`)).Is(412)
	s.Admin.Post("/problems/999999999999/comments", "x", session.Plain(), keyed(key)).Is(404)
	s.Admin.Post("/problems", `{"title":"Now"}`, keyed(key)).Is(201).Sends("Idempotency-Replayed", "")
}

func duplicatesInFlightWait(s *session.Session) {
	p := s.Problem()
	for round := range 5 {
		key, text := s.Unique("key"), fmt.Sprint("Once ", round)
		answers := session.Together(8, func(int) *session.Answer {
			return s.Admin.Post(p.Path+"/comments", text, session.Plain(), keyed(key))
		})
		replayed := 0
		for _, a := range answers {
			a.Is(201).Has("", answers[0].Value)
			if a.Header.Get("Idempotency-Replayed") == "true" {
				replayed++
			}
		}
		if n := len(s.Admin.Get(p.Path + "/comments").Is(200).List("")); n != round+1 || replayed != 7 {
			s.Fatalf("8 duplicates left %d comments after %d rounds and were replayed %d times", n, round+1, replayed)
		}
	}
	title, key := s.Unique("Once"), s.Unique("key")
	identifiers := map[int64]bool{}
	for _, a := range session.Together(8, func(int) *session.Answer {
		return s.Admin.Post("/problems", `{"title":`+session.Encode(title)+`}`, keyed(key))
	}) {
		identifiers[a.Is(201).Number("/identifier")] = true
	}
	if len(identifiers) != 1 {
		s.Fatalf("8 duplicates made the problems %v", identifiers)
	}
}

func differentRequestsInFlightConflict(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	answers := session.Together(8, func(i int) *session.Answer {
		return s.Admin.Post(p.Path+"/comments", fmt.Sprint("text ", i), session.Plain(), keyed(key))
	})
	if session.Count(answers, 201) != 1 || session.Count(answers, 409) != 7 {
		s.Fatalf("%d were answered with 201 and %d with 409, want 1 and 7", session.Count(answers, 201), session.Count(answers, 409))
	}
	if n := len(s.Admin.Get(p.Path + "/comments").Is(200).List("")); n != 1 {
		s.Fatalf("%d comments were stored", n)
	}
}

func replayIgnoresLaterRevisions(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	etag := p.Load(s.Admin).ETag()
	s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key), session.With("If-Match", etag)).Is(201)
	s.Admin.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key)).Is(201).Sends("Idempotency-Replayed", "true")
}

func creationWithKeywordsIsReplayed(s *session.Session) {
	key, body := s.Unique("key"), `{"title":"Once","revision":7,"keywords":[{"name":"color","value":"red"}]}`
	first := s.Admin.Post("/problems", body, keyed(key)).Is(201).Counts("/keywords", 1).Sends("Ignored-Members", "revision")
	path := "/problems/" + first.Part("/identifier")
	s.Admin.Delete(path+"/keywords/color", "").Is(204)
	s.Admin.Post("/problems", body, keyed(key)).Is(201).Sends("Idempotency-Replayed", "true").Sends("Ignored-Members", "revision").Has("", first.Value)
	s.Admin.Get(path).Is(200).Counts("/keywords", 0).Has("/revision", 2)
}

func otherCreationsAreReplayed(s *session.Session) {
	lists := []string{"/users", "/queries"}
	for _, kind := range session.Kinds {
		lists = append(lists, kind.List)
	}
	for _, list := range lists {
		name, key := s.Unique("once"), s.Unique("key")
		body := func(number int) string {
			name := fmt.Sprint(name, number)
			members := map[string]any{"name": name}
			switch list {
			case "/users":
				members["email"] = name + "@example.org"
			case "/queries":
				members["predicate"] = "FALSEPREDICATE"
			}
			return session.Encode(members)
		}
		first := s.Admin.Post(list, body(1), keyed(key)).Offered("D30").Is(201).Sends("Idempotency-Replayed", "")
		for _, a := range session.Together(4, func(int) *session.Answer { return s.Admin.Post(list, body(1), keyed(key)) }) {
			a.Is(201).Sends("Idempotency-Replayed", "true").Sends("Location", first.Header.Get("Location")).Has("", first.Value)
		}
		s.Admin.Get(list+"/"+first.Text("/identifier")).Is(200).Has("", first.Value)
		s.Admin.Post(list, body(2), keyed(key)).Fault(409, "idempotency-conflict")
		s.Admin.Post(list+"?dryRun=true", body(2), keyed(key)).Fault(409, "idempotency-conflict")
		s.Admin.Post(list, body(2), keyed("a b")).Fault(400, "malformed-request")
		s.Admin.Post(list, `{}`, keyed(key)).Is(422)
		s.Admin.Post(list+"?dryRun=true", body(2), keyed(key+"-2")).Is(201)
		s.Admin.Post(list, body(3), keyed(key+"-2")).Is(201).Sends("Idempotency-Replayed", "")
	}
}

func tokenTakesNoKey(s *session.Session) {
	bob := s.User()
	body := `{"user":` + bob.Part() + `,"scope":"read"}`
	s.Admin.Post("/tokens", body, keyed(s.Unique("key"))).Fault(400, "malformed-request")
	s.Admin.Post("/tokens?dryRun=true", body, keyed(s.Unique("key"))).Fault(400, "malformed-request")
	of := 0
	for _, token := range s.Admin.Get("/tokens").Is(200).List("") {
		if session.At(token, "/user/identifier") == bob.Identifier {
			of++
		}
	}
	if of != 1 {
		s.Fatalf("%s has %d tokens, want the one from before", bob.Name, of)
	}
}

func otherMethodsIgnoreAKey(s *session.Session) {
	p := s.Problem()
	for _, key := range []session.Option{keyed("a"), keyed("a b")} {
		s.Admin.Put(p.Keyword("k"), `"v"`, key).Sends("Idempotency-Replayed", "")
		s.Admin.Delete(p.Keyword("k"), "", key).Is(204).Sends("Idempotency-Replayed", "")
	}
}

func readScopeGetsNoReplay(s *session.Session) {
	bob, p, key := s.User(), s.Problem(), s.Unique("key")
	reader, body := s.As(s.Token(bob.Identifier, "read")), `{"title":"Once"}`
	bob.Post("/problems", body, keyed(key)).Is(201)
	bob.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key+"-2")).Is(201)
	s.Untouched(p, func() {
		reader.Post("/problems", body, keyed(key)).Fault(403, "forbidden").Sends("Idempotency-Replayed", "")
		reader.Post(p.Path+"/comments", "Once", session.Plain(), keyed(key+"-2")).Fault(403, "forbidden").Sends("Idempotency-Replayed", "")
	})
}
