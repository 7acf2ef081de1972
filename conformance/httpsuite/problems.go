package httpsuite

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"
)

// problemCases are about creating and loading problems (W1, R1).
func problemCases() []demand {
	return []demand{
		{extended, "HTTP-W1-001", "D10", "creating answers 201 with the problem, its Location, ETag and revision", creationIsAnswered},
		{core, "HTTP-W1-002", "D1", "a new problem has exactly the members of D1, with its batch as logs", createdProblemHasItsMembers},
		{core, "HTTP-W1-003", "D1", "what is not given has its default", defaultsOfANewProblem},
		{core, "HTTP-W1-004", "D1, D2", "metadata in a problem's fields is full, and inside that {identifier,name}", depthOfMetadataInFields},
		{core, "HTTP-W1-005", "D1", "of two problems created one after the other the later has the greater identifier", identifiersAscend},
		{core, "HTTP-W1-006", "spec section 2", "a title is required", titleIsRequired},
		{extended, "HTTP-W1-007", "D1", "neither title nor state nor read can be null", requiredFieldsAreNotNull},
		{core, "HTTP-W1-008", "D11", "null for the other fields is their default", nullIsTheDefault},
		{core, "HTTP-W1-009", "D11", "members that the service writes are ignored", serviceMembersAreIgnored},
		{extended, "HTTP-W1-010", "D18", "a body that is no object is invalid-type", creationThatIsNoObject},
		{extended, "HTTP-W1-011", "D18", "members of another type are invalid-type", wrongTypesOfMembers},
		{extended, "HTTP-W1-012", "D11", "unknown members are unknown-field, also when only the letter case differs", unknownMembers},
		{extended, "HTTP-W1-013", "D11, D18", "all faults of a body are reported together, mixed ones as validation-failed", faultsOfACreationComeTogether},
		{extended, "HTTP-W1-014", "D18", "each fault of a body has type, detail and pointer, and repeats no value", eachFaultHasItsMembers},
		{extended, "HTTP-W1-018", "D4, D8, D11", "a problem is created with keywords as R1 shows them: one batch, one entry each", creationWithKeywords},
		{extended, "HTTP-W1-019", "D4, D11, D18", "faults of keywords are reported where they are, with all others of the body, and nothing is stored", faultsOfKeywordsInACreation},
		{extended, "HTTP-W1-020", "D11", "Ignored-Members names what was sent and not stored, unless it makes no difference", creationNamesIgnoredMembers},
		{core, "HTTP-W1-015", "D10", "a body without a media type is JSON, and Accept is never refused", mediaTypeAndAcceptOfACreation},
		{extended, "HTTP-W1-016", "D18", "a missing title is required-field at /title", missingTitleIsRequiredField},
		{core, "HTTP-W1-017", "D1, D9", "a title of up to 1000 characters is stored whole, by W1 and by W2", longTitleIsStoredWhole},

		{extended, "HTTP-R1-001", "D10, D20", "loading answers 200 with the problem and the headers of a private, revalidated answer", loadedProblemHasItsHeaders},
		{core, "HTTP-R1-002", "D1", "a loaded problem is what creating it answered", loadedProblemIsAsCreated},
		{core, "HTTP-R1-003", "spec section 2", "relationships, comments and watchers are no part of a problem", problemHasNoCollectionsInside},
		{core, "HTTP-R1-004", "D1", "every valid token sees every problem", everyTokenSeesEveryProblem},
		{extended, "HTTP-R1-005", "D18", "an identifier that is absent or no number is problem-not-found", badIdentifierIsNotFound},
		{extended, "HTTP-R1-006", "D1", "comments, keywords and relationships set modifier and modificationDate; watchers raise the revision only", changesSetModifier},
		{extended, "HTTP-R1-007", "D10, D20", "R2 to R4 have the headers of R1: type, revision, ETag, and that the answer is private and to be revalidated", collectionsHaveTheHeadersOfAProblem},
		{core, "HTTP-R1-008", "spec section 4", "a write is seen by whoever asks after its answer", writeIsSeenAtOnce},
		{core, "HTTP-R1-009", "spec sections 1 and 4, D1", "a loaded problem has its full history log and all its keywords, however many there are", wholeLogAndAllKeywordsAreLoaded},
		{extended, "HTTP-R1-012", "D38", "with a limit, the log comes in pages, each with the whole problem beside it; links lead through all of it, in order and once", logComesInPages},
		{core, "HTTP-R1-010", "D1", "an update sets modifier and modificationDate, and loading shows them", updateSetsModifier},
		{extended, "HTTP-R1-011", "D1, D8", "a request that changes nothing leaves read as it was for everybody", emptyRequestLeavesRead},
	}
}

func creationIsAnswered(s *session) {
	a := s.admin.post("/problems", `{"title":"Lamp is broken"}`).is(201)
	a.json()
	a.etag()
	if a.revision() != 1 {
		s.Fatalf("%v\nhas Problem-Revision %d, want 1", a, a.revision())
	}
	base, _ := url.Parse(s.server.baseURL + api + "/problems")
	location, err := base.Parse(a.header.Get("Location"))
	if want := fmt.Sprintf("%s/%d", base, a.number("/identifier")); err != nil || location.String() != want {
		s.Fatalf("Location leads to %v, want %s", location, want)
	}
}

func createdProblemHasItsMembers(s *session) {
	a := s.admin.post("/problems", `{"title":"Lamp is broken"}`).is(201)
	a.members("", problemMembers...).timed("/creationDate", "/modificationDate")
	if len(a.list("/logs")) != 1 {
		s.Fatalf("%v\nhas not one log entry", a)
	}
}

func defaultsOfANewProblem(s *session) {
	bob := s.user()
	a := bob.post("/problems", `{"title":"Lamp is broken"}`).is(201)
	a.has("/title", "Lamp is broken").has("/state/name", "Open").has("/revision", 1)
	for _, name := range []string{"priority", "classification", "component", "milestone", "assignee", "resolver", "resolveDate"} {
		a.has("/"+name, nil)
	}
	a.has("/keywords", raw(`[]`))
	a.has("/read", true).has("/watching", false).has("/readByAssignee", false)
	a.has("/originator", bob.object()).has("/modifier", bob.object())
	a.has("/modificationDate", a.text("/creationDate"))
}

func depthOfMetadataInFields(s *session) {
	bob := s.user()
	a := s.admin.post("/problems", fmt.Sprintf(`{"title":"Lamp","priority":{"name":"High"},
				"classification":{"name":"Task"},"assignee":{"email":%q}}`, bob.email)).is(201)
	a.members("/state", "identifier", "name", "resolved", "initial", "order", "nextStates")
	a.members("/priority", "identifier", "name", "order").has("/priority/name", "High")
	a.members("/classification", "identifier", "name").has("/classification/name", "Task")
	a.has("/assignee", bob.object())
	a.has("/state/initial", true).has("/state/resolved", false)
	for i := range a.list("/state/nextStates") {
		a.members(fmt.Sprintf("/state/nextStates/%d", i), "identifier", "name")
	}
}

func identifiersAscend(s *session) {
	first, second, third := s.problem(), s.create(s.user().client), s.problem()
	if first.id < 1 || first.id >= second.id || second.id >= third.id {
		s.Fatalf("identifiers %d, %d, %d do not ascend from 1", first.id, second.id, third.id)
	}
}

func titleIsRequired(s *session) {
	s.admin.post("/problems", `{}`).refused()
	s.admin.post("/problems", `{"priority":{"name":"High"}}`).refused()
}

func requiredFieldsAreNotNull(s *session) {
	s.admin.post("/problems", `{"title":null,"state":null,"read":null}`).fault(422, "invalid-value", "/title", "/state", "/read")
}

func nullIsTheDefault(s *session) {
	a := s.admin.post("/problems", `{"title":"x","priority":null,"classification":null,"component":null,"milestone":null,"assignee":null}`)
	a.is(201).has("/priority", nil).has("/assignee", nil)
}

func serviceMembersAreIgnored(s *session) {
	bob := s.user()
	p := s.create(bob.client, `"priority":{"name":"Low"}`)
	copied := s.admin.post("/problems", string(p.load(s.admin).body)).is(201)
	copied.has("/revision", 1).has("/priority/name", "Low")
	if copied.number("/identifier") == p.id || copied.text("/originator/identifier") == bob.identifier {
		s.Fatalf("%v\ntook over what the service writes", copied)
	}
}

func creationThatIsNoObject(s *session) {
	for _, body := range []string{`[]`, `"title"`, `7`, `true`, `null`, `[{"title":"x"}]`} {
		s.admin.post("/problems", body).fault(422, "invalid-type", "")
	}
}

func wrongTypesOfMembers(s *session) {
	s.admin.post("/problems", `{"title":7}`).fault(422, "invalid-type", "/title")
	s.admin.post("/problems", `{"title":["x"],"read":"yes","state":"Open","priority":3,"assignee":[]}`).
		fault(422, "invalid-type", "/title", "/read", "/state", "/priority", "/assignee")
}

func unknownMembers(s *session) {
	s.admin.post("/problems", `{"title":"x","colour":"red","a/b~c":1}`).fault(422, "unknown-field", "/colour", "/a~1b~0c")
	s.admin.post("/problems", `{"title":"x","Title":"y"}`).fault(422, "unknown-field", "/Title")
	s.admin.post("/problems", `{"title":"x","relationships":[],"comments":[],"watchers":[]}`).
		fault(422, "unknown-field", "/relationships", "/comments", "/watchers")
}

func faultsOfACreationComeTogether(s *session) {
	a := s.admin.post("/problems", `{"TITLE":"x","read":1,"priority":{"name":"Nope"},"state":{},"assignee":{"nmae":"x"},"classification":{"name":7}}`)
	a.fault(422, "validation-failed", "/TITLE", "/title", "/read", "/priority", "/state", "/assignee/nmae", "/classification/name")
	for pointer, want := range map[string]string{
		"/TITLE": "unknown-field", "/title": "required-field", "/read": "invalid-type",
		"/priority": "metadata-not-found", "/state": "metadata-ambiguous",
		"/assignee/nmae": "unknown-field", "/classification/name": "invalid-type",
	} {
		if got := a.kinds()[pointer]; got != want {
			s.Errorf("%v\nsays %s at %s, want %s", a, got, pointer, want)
		}
	}
}

func eachFaultHasItsMembers(s *session) {
	a := s.admin.post("/problems", `{"title":"x","read":"hunter2","priority":{"name":"hunter2"}}`).is(422)
	for i := range a.list("/errors") {
		a.members(fmt.Sprintf("/errors/%d", i), "type", "detail", "pointer")
	}
	if strings.Contains(string(a.body), "hunter2") {
		s.Fatalf("%v\nechoes what was sent", a)
	}
}

func creationWithKeywords(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	s.admin.put(p.keyword("a%2Fb"), `null`).is(201)
	want := p.load(s.admin).at("/keywords")
	copied := s.admin.post("/problems", `{"title":"Copy","keywords":`+encode(want)+`}`).is(201).ignores()
	copied.has("/keywords", want).has("/revision", 1).counts("/logs", 3).has("/logs/0/type", "ProblemCreated")
	for i, name := range []string{"a/b", "color"} {
		entry := fmt.Sprintf("/logs/%d", i+1)
		copied.has(entry+"/type", "KeywordSet").has(entry+"/field", name).has(entry+"/from", nil).
			has(entry+"/batchIdentifier", copied.text("/logs/0/batchIdentifier"))
	}
	copied.has("/logs/1/to", raw(`{"value":null}`)).has("/logs/2/to", "red")
	path := "/problems/" + copied.part("/identifier")
	s.admin.get(path).is(200).has("/keywords", want).has("/logs", copied.at("/logs")).has("/revision", 1)
	s.admin.get(path+"?asOf=1").is(200).has("/keywords", want)
	s.admin.delete(path+"/keywords/color", "").is(204)
	s.admin.get(path).is(200).counts("/keywords", 1)
	s.admin.get(path+"?asOf=1").is(200).has("/keywords", want)
	for _, none := range []string{`null`, `[]`} {
		s.admin.post("/problems", `{"title":"None","keywords":`+none+`}`).is(201).has("/keywords", raw(`[]`)).counts("/logs", 1)
	}
	s.admin.post("/problems", `{"title":"T","keywords":[{"name":" e\u0301 "}]}`).is(201).has("/keywords", raw(`[{"name":"é","value":null}]`))
}

func faultsOfKeywordsInACreation(s *session) {
	refused := func(keywords string, pointers ...string) {
		a := s.admin.post("/problems", `{"titel":"x","keywords":`+keywords+`}`).fault(422, "validation-failed", append(pointers, "/titel", "/title")...)
		if strings.Contains(string(a.body), "hunter2") {
			s.Fatalf("%v\nechoes what was sent", a)
		}
	}
	refused(`"hunter2"`, "/keywords")
	refused(`{"name":"hunter2"}`, "/keywords")
	refused(`["hunter2",null,{}]`, "/keywords/0", "/keywords/1", "/keywords/2/name")
	refused(`[{"name":"a","value":7},{"name":"..","value":"\u0000","colour":1},{"name":" a"}]`,
		"/keywords/0/value", "/keywords/1/name", "/keywords/1/value", "/keywords/1/colour", "/keywords/2/name")
}

func creationNamesIgnoredMembers(s *session) {
	bob := s.user()
	foreign := `"originator":` + encode(bob.object()) + `,"creationDate":"2001-02-03T04:05:06.000Z"`
	for _, query := range []string{"", "?dryRun=true"} {
		s.admin.post("/problems"+query, `{"title":"T",`+foreign+`}`).is(201).ignores("creationDate", "originator")
		bob.post("/problems"+query, `{"title":"T",`+foreign+`,"logs":[],"watching":false,"resolver":null,"identifier":null}`).is(201).ignores("creationDate")
		s.admin.post("/problems"+query, `{"title":"T"}`).is(201).ignores()
	}
	p := s.create(bob.client)
	s.admin.patch(p.path, `{"title":"Second"}`).is(200)
	copied := maps.Clone(p.load(s.admin).value.(map[string]any))
	copied["creationDate"], copied["modificationDate"] = "2001-02-03T04:05:06.000Z", "2001-02-03T04:05:06.000Z"
	s.admin.post("/problems", encode(copied)).is(201).
		ignores("creationDate", "identifier", "logs", "modificationDate", "originator", "revision")
}

func mediaTypeAndAcceptOfACreation(s *session) {
	s.admin.post("/problems", `{"title":"x"}`, typed("")).is(201)
	s.admin.post("/problems", `{"title":"x"}`, typed("application/json; charset=utf-8")).is(201)
	s.admin.post("/problems", `{"title":"x"}`, with("Accept", "image/png")).is(201).json()
}

func missingTitleIsRequiredField(s *session) {
	s.admin.post("/problems", `{}`).fault(422, "required-field", "/title")
	s.admin.post("/problems", `{"priority":{"name":"High"}}`).fault(422, "required-field", "/title")
}

func longTitleIsStoredWhole(s *session) {
	for _, title := range []string{strings.Repeat("x", 256), strings.Repeat("é", 1000), strings.Repeat("word ", 199) + "words"} {
		body := `{"title":` + encode(title) + `}`
		made := s.admin.post("/problems", body).is(201).has("/title", title)
		s.admin.get("/problems/"+made.part("/identifier")).is(200).has("/title", title)
		p := s.problem()
		s.admin.patch(p.path, body).is(200).has("/title", title)
		p.load(s.admin).has("/title", title)
	}
}

func loadedProblemHasItsHeaders(s *session) {
	p := s.problem()
	a := p.load(s.admin)
	a.json().revalidated()
	a.etag()
	if a.revision() != 1 {
		s.Fatalf("%v\nhas another revision than 1", a)
	}
}

func loadedProblemIsAsCreated(s *session) {
	bob := s.user()
	made := s.admin.post("/problems", fmt.Sprintf(`{"title":"x","priority":{"name":"Low"},"assignee":{"email":%q}}`, bob.email)).is(201)
	loaded := s.admin.get(fmt.Sprintf("/problems/%d", made.number("/identifier"))).is(200)
	loaded.members("", problemMembers...)
	loaded.has("", made.value)
}

func problemHasNoCollectionsInside(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	s.admin.post(p.path+"/comments", "text", plain()).is(201)
	p.load(s.admin).members("", problemMembers...)
}

func everyTokenSeesEveryProblem(s *session) {
	p := s.create(s.user().client)
	p.load(s.userWith("read").client)
}

func badIdentifierIsNotFound(s *session) {
	for _, identifier := range []string{
		"999999999999", "9223372036854775808", "99999999999999999999999", "0", "-1", "+1", "007", "7.0", "1e3", "abc", "0x1", "%201", "1%20", "%D9%A1",
	} {
		for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
			s.admin.get("/problems/"+identifier+part).fault(404, "problem-not-found")
		}
	}
}

func changesSetModifier(s *session) {
	bob, p, q := s.user(), s.problem(), s.problem()
	last := p.load(s.admin)
	step := func(what string, a *answer, modifies bool) {
		s.Helper()
		now := p.load(s.admin)
		if now.number("/revision") != last.number("/revision")+1 || a.revision() != now.number("/revision") {
			s.Fatalf("%s: from revision %d to %d, and answered %d", what, last.number("/revision"), now.number("/revision"), a.revision())
		}
		if modifies && (now.text("/modifier/identifier") != bob.identifier || now.text("/modificationDate") < last.text("/modificationDate")) ||
			!modifies && (now.part("/modifier") != last.part("/modifier") || now.text("/modificationDate") != last.text("/modificationDate")) {
			s.Fatalf("%s: modified by %s at %s", what, now.part("/modifier"), now.text("/modificationDate"))
		}
		last = now
	}
	step("W8", bob.put(p.path+"/watchers", encode(bob.object())).is(201), false)
	step("W3", bob.post(p.path+"/comments", "text", plain()).is(201), true)
	step("W4", bob.put(p.keyword("a"), `"1"`).is(201), true)
	step("W4", bob.put(p.keyword("a"), `"2"`).is(200), true)
	step("W5", bob.delete(p.keyword("a"), "").is(204), true)
	step("W6", bob.put(p.path+"/relationships", link("ParentOf", q)).is(201), true)
	step("W7", bob.delete(p.path+"/relationships", link("ParentOf", q)).is(204), true)
	other := q.load(s.admin).has("/revision", 3)
	other.has("/modifier/identifier", bob.identifier)
}

func collectionsHaveTheHeadersOfAProblem(s *session) {
	p := s.problem()
	s.admin.patch(p.path, `{"title":"Second"}`).is(200)
	for _, part := range []string{"/comments", "/relationships", "/watchers"} {
		a := s.admin.get(p.path + part).is(200).json().revalidated()
		a.etag()
		if a.revision() != 2 {
			s.Fatalf("%v\nhas the revision %d, want 2", a, a.revision())
		}
	}
}

func writeIsSeenAtOnce(s *session) {
	bob, p := s.user(), s.problem()
	for i := range 5 {
		p.load(bob.client)
		title := s.unique("title")
		s.admin.patch(p.path, `{"title":`+encode(title)+`}`).is(200).has("/title", title)
		p.load(bob.client).has("/title", title)
		p.load(s.admin).has("/title", title)
		s.admin.get(p.path + "/comments").is(200)
		comment := s.admin.post(p.path+"/comments", title, plain()).is(201)
		s.admin.get(p.path+"/comments").is(200).has(fmt.Sprintf("/%d", i), comment.value)
	}
}

func wholeLogAndAllKeywordsAreLoaded(s *session) {
	const n = 110
	p := s.problem()
	s.many(n, func(i int) *answer {
		return s.admin.put(p.keyword(fmt.Sprintf("k%03d", i)), encode(fmt.Sprint("v", i)))
	})
	a := p.load(s.admin).counts("/keywords", n).counts("/logs", n+1).has("/logs/0/type", "ProblemCreated")
	logged := map[any]any{}
	for _, e := range a.list("/logs") {
		logged[at(e, "/field")] = at(e, "/to")
	}
	for i := range n {
		name, value := fmt.Sprintf("k%03d", i), fmt.Sprint("v", i)
		a.has(fmt.Sprintf("/keywords/%d", i), map[string]any{"name": name, "value": value})
		if logged[name] != value {
			s.Fatalf("the log of %s lacks that %s was set to %s", p.path, name, value)
		}
	}
}

func logComesInPages(s *session) {
	p := s.problem()
	s.many(30, func(i int) *answer {
		return s.admin.put(p.keyword(fmt.Sprintf("k%03d", i)), encode(fmt.Sprint("v", i)))
	})
	all := p.load(s.admin)
	for _, limit := range []int{1000, 31, 30, 7} {
		var log []any
		for page := range s.admin.pages(fmt.Sprintf("%s?limit=%d", p.path, limit)) {
			log = append(log, page.list("/logs")...)
			page.has("/keywords", all.at("/keywords")).has("/revision", all.at("/revision"))
			if n := len(page.list("/logs")); n == 0 || n > limit {
				s.Fatalf("%v\nhas %d entries, of at most %d", page, n, limit)
			}
		}
		if !reflect.DeepEqual(log, all.list("/logs")) {
			s.Fatalf("with limit=%d, the pages have other entries than the whole log", limit)
		}
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "cursor=x"} {
		s.admin.get(p.path+"?"+query).fault(400, "malformed-request")
	}
}

func updateSetsModifier(s *session) {
	bob, p := s.user(), s.problem()
	created := p.load(s.admin).text("/creationDate")
	// Two requests can fall into one millisecond.
	s.eventually(func() bool {
		a := bob.patch(p.path, `{"title":`+encode(s.unique("t"))+`}`).is(200).has("/modifier", bob.object())
		p.load(s.admin).has("/modifier", bob.object()).has("/modificationDate", a.text("/modificationDate")).
			has("/creationDate", created)
		return a.text("/modificationDate") > created
	}, "%s was changed again and again, and modificationDate is still %s", p.path, created)
}

func emptyRequestLeavesRead(s *session) {
	bob, p := s.user(), s.problem()
	title := p.load(s.admin).part("/title")
	s.admin.put(p.keyword("k"), `"v"`).is(201)
	bob.patch(p.path, `{"read":true}`).is(200)
	for _, body := range []string{`{}`, `{"title":` + title + `}`, `{"priority":null}`} {
		s.admin.patch(p.path, body).is(200)
		p.load(bob.client).has("/read", true)
	}
	s.admin.put(p.keyword("k"), `"v"`).is(200)
	p.load(bob.client).has("/read", true)
}
