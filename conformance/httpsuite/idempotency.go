package httpsuite

import (
	"fmt"
	"strings"
)

// keyed sends an Idempotency-Key.
func keyed(key string) option { return with("Idempotency-Key", key) }

// idempotencyCases are about the Idempotency-Key (D21).
func idempotencyCases() []demand {
	return []demand{
		{extended, "HTTP-IDEM-001", "D21", "the same W1 again gets the first answer, byte for byte, and makes nothing", creationIsReplayed},
		{extended, "HTTP-IDEM-002", "D21", "the same W3 again gets the first answer, byte for byte, and adds nothing", commentIsReplayed},
		{extended, "HTTP-IDEM-003", "D21", "anything different under the same key is idempotency-conflict", otherRequestUnderAKeyConflicts},
		{extended, "HTTP-IDEM-004", "D21", "a key is the user's own, whichever token is used", keyBelongsToTheUser},
		{extended, "HTTP-IDEM-005", "D21", "a key is 1 to 255 visible characters, bare or quoted", formOfAKey},
		{extended, "HTTP-IDEM-006", "D21", "answers of 400 and above are not kept", refusalsAreNotReplayed},
		{extended, "HTTP-IDEM-007", "D21", "duplicates in flight wait for the first: one effect, one answer", duplicatesInFlightWait},
		{extended, "HTTP-IDEM-008", "D21", "different requests in flight under one key: one wins, the others conflict", differentRequestsInFlightConflict},
		{extended, "HTTP-IDEM-009", "D21", "a replay is answered whatever has become of the problem's revision", replayIgnoresLaterRevisions},
		{extended, "HTTP-IDEM-011", "D11, D21", "a W1 with keywords is replayed with them and with its Ignored-Members, and sets nothing again", creationWithKeywordsIsReplayed},
		{extended, "HTTP-IDEM-012", "D21", "users, metadata objects and saved queries are created once under a key, and the first answer comes again", otherCreationsAreReplayed},
		{extended, "HTTP-IDEM-013", "D17, D21", "a token is not issued under a key, whose answer would keep it: the key is refused, and nothing is done", tokenTakesNoKey},
		{extended, "HTTP-IDEM-014", "D21", "PUT, PATCH and DELETE need no key, and take one as if it were not there", otherMethodsIgnoreAKey},
		{extended, "HTTP-IDEM-010", "D17, D18, D21", "a token with the scope read is forbidden, and gets no replay of what the user did with another", readScopeGetsNoReplay},
	}
}

func creationIsReplayed(s *session) {
	key, body := s.unique("key"), `{"title":"Once"}`
	first := s.admin.post("/problems", body, keyed(key)).is(201).sends("Idempotency-Replayed", "")
	s.admin.patch("/problems/"+first.part("/identifier"), `{"title":"Changed since"}`).is(200)
	again := s.admin.post("/problems", body, keyed(key)).is(201).sends("Idempotency-Replayed", "true")
	if string(first.body) != string(again.body) {
		s.Fatalf("first\n%s\nagain\n%s", first.body, again.body)
	}
	for _, name := range []string{"Location", "ETag", "Content-Type", "Problem-Revision"} {
		again.sends(name, first.header.Get(name))
	}
}

func commentIsReplayed(s *session) {
	p, key := s.problem(), s.unique("key")
	first := s.admin.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "")
	s.untouched(p, func() {
		for range 3 {
			again := s.admin.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "true")
			if string(first.body) != string(again.body) || again.revision() != first.revision() {
				s.Fatalf("first\n%v\nagain\n%v", first, again)
			}
		}
	})
}

func otherRequestUnderAKeyConflicts(s *session) {
	p, q, key := s.problem(), s.problem(), s.unique("key")
	s.admin.post(p.path+"/comments", `{"text":"Once"}`, keyed(key)).is(201)
	s.untouched(p, func() {
		s.untouched(q, func() {
			s.admin.post(p.path+"/comments", `{"text":"Twice"}`, keyed(key)).fault(409, "idempotency-conflict")
			s.admin.post(p.path+"/comments", `{"text": "Once"}`, keyed(key)).fault(409, "idempotency-conflict")
			s.admin.post(p.path+"/comments", `{"text":"Once"}`, plain(), keyed(key)).fault(409, "idempotency-conflict")
			s.admin.post(p.path+"/comments?dryRun=false", `{"text":"Once"}`, keyed(key)).fault(409, "idempotency-conflict")
			s.admin.post(q.path+"/comments", `{"text":"Once"}`, keyed(key)).fault(409, "idempotency-conflict")
			s.admin.post("/problems", `{"title":"Once"}`, keyed(key)).fault(409, "idempotency-conflict")
		})
	})
	s.admin.post(p.path+"/comments", `{"text":"Once"}`, keyed(key)).is(201).sends("Idempotency-Replayed", "true")
}

func keyBelongsToTheUser(s *session) {
	bob, eve, p, key := s.user(), s.user(), s.problem(), s.unique("key")
	first := bob.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201)
	other := s.as(s.token(bob.identifier, "write"))
	other.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "true").has("", first.value)
	eve.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "").has("/author", eve.ref())
}

func formOfAKey(s *session) {
	p, key := s.problem(), s.unique("key")
	s.admin.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201)
	s.admin.post(p.path+"/comments", "Once", plain(), keyed(`"`+key+`"`)).is(201).sends("Idempotency-Replayed", "true")
	long := s.unique(strings.Repeat("k", 255-13))
	s.admin.post(p.path+"/comments", "Long", plain(), keyed(long)).is(201)
	s.admin.post(p.path+"/comments", "Quoted", plain(), keyed(`"`+s.unique(strings.Repeat("q", 255-13))+`"`)).is(201)
	s.untouched(p, func() {
		for _, bad := range []string{long + "k", `""`, "a b", `"a b"`, "a\tb", "é", strings.Repeat("k", 4000)} {
			s.admin.post(p.path+"/comments", "Bad", plain(), keyed(bad)).fault(400, "malformed-request")
		}
		s.admin.post(p.path+"/comments", "Bad", plain(), keyed("a"), more("Idempotency-Key", "b")).fault(400, "malformed-request")
	})
}

func refusalsAreNotReplayed(s *session) {
	p, key := s.problem(), s.unique("key")
	s.admin.post("/problems", `{"title":""}`, keyed(key)).is(422)
	s.admin.post("/problems", `{"title":""}`, keyed(key)).is(422).sends("Idempotency-Replayed", "")
	s.admin.post(p.path+"/comments", "x", plain(), keyed(key), with("If-Match", `"9"`)).is(412)
	s.admin.post("/problems/999999999999/comments", "x", plain(), keyed(key)).is(404)
	s.admin.post("/problems", `{"title":"Now"}`, keyed(key)).is(201).sends("Idempotency-Replayed", "")
}

func duplicatesInFlightWait(s *session) {
	p := s.problem()
	for round := range 5 {
		key, text := s.unique("key"), fmt.Sprint("Once ", round)
		answers := together(8, func(int) *answer {
			return s.admin.post(p.path+"/comments", text, plain(), keyed(key))
		})
		replayed := 0
		for _, a := range answers {
			a.is(201).has("", answers[0].value)
			if a.header.Get("Idempotency-Replayed") == "true" {
				replayed++
			}
		}
		if n := len(s.admin.get(p.path + "/comments").is(200).list("")); n != round+1 || replayed != 7 {
			s.Fatalf("8 duplicates left %d comments after %d rounds and were replayed %d times", n, round+1, replayed)
		}
	}
	title, key := s.unique("Once"), s.unique("key")
	identifiers := map[int64]bool{}
	for _, a := range together(8, func(int) *answer { return s.admin.post("/problems", `{"title":`+encode(title)+`}`, keyed(key)) }) {
		identifiers[a.is(201).number("/identifier")] = true
	}
	if len(identifiers) != 1 {
		s.Fatalf("8 duplicates made the problems %v", identifiers)
	}
}

func differentRequestsInFlightConflict(s *session) {
	p, key := s.problem(), s.unique("key")
	answers := together(8, func(i int) *answer {
		return s.admin.post(p.path+"/comments", fmt.Sprint("text ", i), plain(), keyed(key))
	})
	if count(answers, 201) != 1 || count(answers, 409) != 7 {
		s.Fatalf("%d were answered with 201 and %d with 409, want 1 and 7", count(answers, 201), count(answers, 409))
	}
	if n := len(s.admin.get(p.path + "/comments").is(200).list("")); n != 1 {
		s.Fatalf("%d comments were stored", n)
	}
}

func replayIgnoresLaterRevisions(s *session) {
	p, key := s.problem(), s.unique("key")
	etag := p.load(s.admin).etag()
	s.admin.post(p.path+"/comments", "Once", plain(), keyed(key), with("If-Match", etag)).is(201)
	s.admin.post(p.path+"/comments", "Once", plain(), keyed(key)).is(201).sends("Idempotency-Replayed", "true")
}

func creationWithKeywordsIsReplayed(s *session) {
	key, body := s.unique("key"), `{"title":"Once","revision":7,"keywords":[{"name":"color","value":"red"}]}`
	first := s.admin.post("/problems", body, keyed(key)).is(201).counts("/keywords", 1).sends("Ignored-Members", "revision")
	path := "/problems/" + first.part("/identifier")
	s.admin.delete(path+"/keywords/color", "").is(204)
	s.admin.post("/problems", body, keyed(key)).is(201).sends("Idempotency-Replayed", "true").sends("Ignored-Members", "revision").has("", first.value)
	s.admin.get(path).is(200).counts("/keywords", 0).has("/revision", 2)
}

func otherCreationsAreReplayed(s *session) {
	lists := []string{"/users", "/queries"}
	for _, kind := range kinds {
		lists = append(lists, kind.list)
	}
	for _, list := range lists {
		name, key := s.unique("once"), s.unique("key")
		body := func(number int) string {
			name := fmt.Sprint(name, number)
			members := map[string]any{"name": name}
			switch list {
			case "/users":
				members["email"] = name + "@example.org"
			case "/queries":
				members["predicate"] = "FALSEPREDICATE"
			}
			return encode(members)
		}
		first := s.admin.post(list, body(1), keyed(key)).offered("D30").is(201).sends("Idempotency-Replayed", "")
		for _, a := range together(4, func(int) *answer { return s.admin.post(list, body(1), keyed(key)) }) {
			a.is(201).sends("Idempotency-Replayed", "true").sends("Location", first.header.Get("Location")).has("", first.value)
		}
		s.admin.get(list+"/"+first.text("/identifier")).is(200).has("", first.value)
		s.admin.post(list, body(2), keyed(key)).fault(409, "idempotency-conflict")
		s.admin.post(list+"?dryRun=true", body(2), keyed(key)).fault(409, "idempotency-conflict")
		s.admin.post(list, body(2), keyed("a b")).fault(400, "malformed-request")
		s.admin.post(list, `{}`, keyed(key)).is(422)
		s.admin.post(list+"?dryRun=true", body(2), keyed(key+"-2")).is(201)
		s.admin.post(list, body(3), keyed(key+"-2")).is(201).sends("Idempotency-Replayed", "")
	}
}

func tokenTakesNoKey(s *session) {
	bob := s.user()
	body := `{"user":` + bob.part() + `,"scope":"read"}`
	s.admin.post("/tokens", body, keyed(s.unique("key"))).fault(400, "malformed-request")
	s.admin.post("/tokens?dryRun=true", body, keyed(s.unique("key"))).fault(400, "malformed-request")
	of := 0
	for _, token := range s.admin.get("/tokens").is(200).list("") {
		if at(token, "/user/identifier") == bob.identifier {
			of++
		}
	}
	if of != 1 {
		s.Fatalf("%s has %d tokens, want the one from before", bob.name, of)
	}
}

func otherMethodsIgnoreAKey(s *session) {
	p := s.problem()
	for _, key := range []option{keyed("a"), keyed("a b")} {
		s.admin.patch(p.path, `{"title":"Same"}`, key).is(200).sends("Idempotency-Replayed", "")
		s.admin.put(p.keyword("k"), `"v"`, key).sends("Idempotency-Replayed", "")
		s.admin.delete(p.keyword("k"), "", key).is(204).sends("Idempotency-Replayed", "")
	}
}

func readScopeGetsNoReplay(s *session) {
	bob, p, key := s.user(), s.problem(), s.unique("key")
	reader, body := s.as(s.token(bob.identifier, "read")), `{"title":"Once"}`
	bob.post("/problems", body, keyed(key)).is(201)
	bob.post(p.path+"/comments", "Once", plain(), keyed(key+"-2")).is(201)
	s.untouched(p, func() {
		reader.post("/problems", body, keyed(key)).fault(403, "forbidden").sends("Idempotency-Replayed", "")
		reader.post(p.path+"/comments", "Once", plain(), keyed(key+"-2")).fault(403, "forbidden").sends("Idempotency-Replayed", "")
	})
}
