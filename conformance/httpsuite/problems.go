package httpsuite

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"
)

// problemCases are about creating and loading problems (W1, R1).
func problemCases() []Demand {
	return []Demand{
		{Extended, "HTTP-W1-001", "D10", "creating answers 201 with the problem, its Location, ETag and revision", creationIsAnswered},
		{Core, "HTTP-W1-002", "D1", "a new problem has exactly the members of D1, with its batch as logs", createdProblemHasItsMembers},
		{Core, "HTTP-W1-003", "D1", "what is not given has its default", defaultsOfANewProblem},
		{Core, "HTTP-W1-004", "D1, D2", "metadata in a problem's fields is full, and inside that {identifier,name}", depthOfMetadataInFields},
		{Core, "HTTP-W1-005", "D1", "of two problems created one after the other the later has the greater identifier", identifiersAscend},
		{Core, "HTTP-W1-006", "spec section 2", "a title is required", titleIsRequired},
		{Extended, "HTTP-W1-007", "D1", "neither title nor state nor read can be null", requiredFieldsAreNotNull},
		{Core, "HTTP-W1-008", "D11", "null for the other fields is their default", nullIsTheDefault},
		{Core, "HTTP-W1-009", "D11", "members that the service writes are ignored", serviceMembersAreIgnored},
		{Extended, "HTTP-W1-010", "D18", "a body that is no object is invalid-type", creationThatIsNoObject},
		{Extended, "HTTP-W1-011", "D18", "members of another type are invalid-type", wrongTypesOfMembers},
		{Extended, "HTTP-W1-012", "D11", "unknown members are unknown-field, also when only the letter case differs", unknownMembers},
		{Extended, "HTTP-W1-013", "D11, D18", "all faults of a body are reported together, mixed ones as validation-failed", faultsOfACreationComeTogether},
		{Extended, "HTTP-W1-014", "D18", "each fault of a body has type, detail and pointer, and repeats no value", eachFaultHasItsMembers},
		{Extended, "HTTP-W1-018", "D4, D8, D11", "a problem is created with keywords as R1 shows them: one batch, one entry each", creationWithKeywords},
		{Extended, "HTTP-W1-019", "D4, D11, D18", "faults of keywords are reported where they are, with all others of the body, and nothing is stored", faultsOfKeywordsInACreation},
		{Extended, "HTTP-W1-020", "D11", "Ignored-Members names what was sent and not stored, unless it makes no difference", creationNamesIgnoredMembers},
		{Core, "HTTP-W1-015", "D10", "a body without a media type is JSON, and Accept is never refused", mediaTypeAndAcceptOfACreation},
		{Extended, "HTTP-W1-016", "D18", "a missing title is required-field at /title", missingTitleIsRequiredField},
		{Core, "HTTP-W1-017", "D1, D9", "a title of up to 1000 characters is stored whole, by W1 and by W2", longTitleIsStoredWhole},

		{Extended, "HTTP-R1-001", "D10, D20", "loading answers 200 with the problem and the headers of a private, revalidated answer", loadedProblemHasItsHeaders},
		{Core, "HTTP-R1-002", "D1", "a loaded problem is what creating it answered", loadedProblemIsAsCreated},
		{Core, "HTTP-R1-003", "spec section 2", "relationships, comments and watchers are no part of a problem", problemHasNoCollectionsInside},
		{Core, "HTTP-R1-004", "D1", "every valid token sees every problem", everyTokenSeesEveryProblem},
		{Extended, "HTTP-R1-005", "D18", "an identifier that is absent or no number is problem-not-found", badIdentifierIsNotFound},
		{Extended, "HTTP-R1-006", "D1", "comments, keywords and relationships set modifier and modificationDate; watchers raise the revision only", changesSetModifier},
		{Extended, "HTTP-R1-007", "D10, D20", "R2 to R4 have the headers of R1: type, revision, ETag, and that the answer is private and to be revalidated", collectionsHaveTheHeadersOfAProblem},
		{Core, "HTTP-R1-008", "spec section 4", "a write is seen by whoever asks after its answer", writeIsSeenAtOnce},
		{Core, "HTTP-R1-009", "spec sections 1 and 4, D1", "a loaded problem has its full history log and all its keywords, however many there are", wholeLogAndAllKeywordsAreLoaded},
		{Extended, "HTTP-R1-012", "D38", "with a limit, the log comes in pages, each with the whole problem beside it; links lead through all of it, in order and once", logComesInPages},
		{Core, "HTTP-R1-010", "D1", "an update sets modifier and modificationDate, and loading shows them", updateSetsModifier},
		{Extended, "HTTP-R1-011", "D1, D8", "a request that changes nothing leaves read as it was for everybody", emptyRequestLeavesRead},
	}
}

func creationIsAnswered(s *Session) {
	a := s.Admin.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.JSON()
	a.ETag()
	if a.Revision() != 1 {
		s.Fatalf("%v\nhas Problem-Revision %d, want 1", a, a.Revision())
	}
	base, _ := url.Parse(s.Server.BaseURL + API + "/problems")
	location, err := base.Parse(a.Header.Get("Location"))
	if want := fmt.Sprintf("%s/%d", base, a.Number("/identifier")); err != nil || location.String() != want {
		s.Fatalf("Location leads to %v, want %s", location, want)
	}
}

func createdProblemHasItsMembers(s *Session) {
	a := s.Admin.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.Members("", ProblemMembers...).Timed("/creationDate", "/modificationDate")
	if len(a.List("/logs")) != 1 {
		s.Fatalf("%v\nhas not one log entry", a)
	}
}

func defaultsOfANewProblem(s *Session) {
	bob := s.User()
	a := bob.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.Has("/title", "Lamp is broken").Has("/state/name", "Open").Has("/revision", 1)
	for _, name := range []string{"priority", "classification", "component", "milestone", "assignee", "resolver", "resolveDate"} {
		a.Has("/"+name, nil)
	}
	a.Has("/keywords", Raw(`[]`))
	a.Has("/read", true).Has("/watching", false).Has("/readByAssignee", false)
	a.Has("/originator", bob.Object()).Has("/modifier", bob.Object())
	a.Has("/modificationDate", a.Text("/creationDate"))
}

func depthOfMetadataInFields(s *Session) {
	bob := s.User()
	a := s.Admin.Post("/problems", fmt.Sprintf(`{"title":"Lamp","priority":{"name":"High"},
				"classification":{"name":"Task"},"assignee":{"email":%q}}`, bob.Email)).Is(201)
	a.Members("/state", "identifier", "name", "resolved", "initial", "order", "nextStates")
	a.Members("/priority", "identifier", "name", "order").Has("/priority/name", "High")
	a.Members("/classification", "identifier", "name").Has("/classification/name", "Task")
	a.Has("/assignee", bob.Object())
	a.Has("/state/initial", true).Has("/state/resolved", false)
	for i := range a.List("/state/nextStates") {
		a.Members(fmt.Sprintf("/state/nextStates/%d", i), "identifier", "name")
	}
}

func identifiersAscend(s *Session) {
	first, second, third := s.Problem(), s.Create(s.User().Client), s.Problem()
	if first.ID < 1 || first.ID >= second.ID || second.ID >= third.ID {
		s.Fatalf("identifiers %d, %d, %d do not ascend from 1", first.ID, second.ID, third.ID)
	}
}

func titleIsRequired(s *Session) {
	s.Admin.Post("/problems", `{}`).Refused()
	s.Admin.Post("/problems", `{"priority":{"name":"High"}}`).Refused()
}

func requiredFieldsAreNotNull(s *Session) {
	s.Admin.Post("/problems", `{"title":null,"state":null,"read":null}`).Fault(422, "invalid-value", "/title", "/state", "/read")
}

func nullIsTheDefault(s *Session) {
	a := s.Admin.Post("/problems", `{"title":"x","priority":null,"classification":null,"component":null,"milestone":null,"assignee":null}`)
	a.Is(201).Has("/priority", nil).Has("/assignee", nil)
}

func serviceMembersAreIgnored(s *Session) {
	bob := s.User()
	p := s.Create(bob.Client, `"priority":{"name":"Low"}`)
	copied := s.Admin.Post("/problems", string(p.Load(s.Admin).Body)).Is(201)
	copied.Has("/revision", 1).Has("/priority/name", "Low")
	if copied.Number("/identifier") == p.ID || copied.Text("/originator/identifier") == bob.Identifier {
		s.Fatalf("%v\ntook over what the service writes", copied)
	}
}

func creationThatIsNoObject(s *Session) {
	for _, body := range []string{`[]`, `"title"`, `7`, `true`, `null`, `[{"title":"x"}]`} {
		s.Admin.Post("/problems", body).Fault(422, "invalid-type", "")
	}
}

func wrongTypesOfMembers(s *Session) {
	s.Admin.Post("/problems", `{"title":7}`).Fault(422, "invalid-type", "/title")
	s.Admin.Post("/problems", `{"title":["x"],"read":"yes","state":"Open","priority":3,"assignee":[]}`).
		Fault(422, "invalid-type", "/title", "/read", "/state", "/priority", "/assignee")
}

func unknownMembers(s *Session) {
	s.Admin.Post("/problems", `{"title":"x","colour":"red","a/b~c":1}`).Fault(422, "unknown-field", "/colour", "/a~1b~0c")
	s.Admin.Post("/problems", `{"title":"x","Title":"y"}`).Fault(422, "unknown-field", "/Title")
	s.Admin.Post("/problems", `{"title":"x","relationships":[],"comments":[],"watchers":[]}`).
		Fault(422, "unknown-field", "/relationships", "/comments", "/watchers")
}

func faultsOfACreationComeTogether(s *Session) {
	a := s.Admin.Post("/problems", `{"TITLE":"x","read":1,"priority":{"name":"Nope"},"state":{},"assignee":{"nmae":"x"},"classification":{"name":7}}`)
	a.Fault(422, "validation-failed", "/TITLE", "/title", "/read", "/priority", "/state", "/assignee/nmae", "/classification/name")
	for pointer, want := range map[string]string{
		"/TITLE": "unknown-field", "/title": "required-field", "/read": "invalid-type",
		"/priority": "metadata-not-found", "/state": "metadata-ambiguous",
		"/assignee/nmae": "unknown-field", "/classification/name": "invalid-type",
	} {
		if got := a.Kinds()[pointer]; got != want {
			s.Errorf("%v\nsays %s at %s, want %s", a, got, pointer, want)
		}
	}
}

func eachFaultHasItsMembers(s *Session) {
	a := s.Admin.Post("/problems", `{"title":"x","read":"hunter2","priority":{"name":"hunter2"}}`).Is(422)
	for i := range a.List("/errors") {
		a.Members(fmt.Sprintf("/errors/%d", i), "type", "detail", "pointer")
	}
	if strings.Contains(string(a.Body), "hunter2") {
		s.Fatalf("%v\nechoes what was sent", a)
	}
}

func creationWithKeywords(s *Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Admin.Put(p.Keyword("a%2Fb"), `null`).Is(201)
	want := p.Load(s.Admin).At("/keywords")
	copied := s.Admin.Post("/problems", `{"title":"Copy","keywords":`+Encode(want)+`}`).Is(201).Ignores()
	copied.Has("/keywords", want).Has("/revision", 1).Counts("/logs", 3).Has("/logs/0/type", "ProblemCreated")
	for i, name := range []string{"a/b", "color"} {
		entry := fmt.Sprintf("/logs/%d", i+1)
		copied.Has(entry+"/type", "KeywordSet").Has(entry+"/field", name).Has(entry+"/from", nil).
			Has(entry+"/batchIdentifier", copied.Text("/logs/0/batchIdentifier"))
	}
	copied.Has("/logs/1/to", Raw(`{"value":null}`)).Has("/logs/2/to", "red")
	path := "/problems/" + copied.Part("/identifier")
	s.Admin.Get(path).Is(200).Has("/keywords", want).Has("/logs", copied.At("/logs")).Has("/revision", 1)
	s.Admin.Get(path+"?asOf=1").Is(200).Has("/keywords", want)
	s.Admin.Delete(path+"/keywords/color", "").Is(204)
	s.Admin.Get(path).Is(200).Counts("/keywords", 1)
	s.Admin.Get(path+"?asOf=1").Is(200).Has("/keywords", want)
	for _, none := range []string{`null`, `[]`} {
		s.Admin.Post("/problems", `{"title":"None","keywords":`+none+`}`).Is(201).Has("/keywords", Raw(`[]`)).Counts("/logs", 1)
	}
	s.Admin.Post("/problems", `{"title":"T","keywords":[{"name":" e\u0301 "}]}`).Is(201).Has("/keywords", Raw(`[{"name":"é","value":null}]`))
}

func faultsOfKeywordsInACreation(s *Session) {
	refused := func(keywords string, pointers ...string) {
		a := s.Admin.Post("/problems", `{"titel":"x","keywords":`+keywords+`}`).Fault(422, "validation-failed", append(pointers, "/titel", "/title")...)
		if strings.Contains(string(a.Body), "hunter2") {
			s.Fatalf("%v\nechoes what was sent", a)
		}
	}
	refused(`"hunter2"`, "/keywords")
	refused(`{"name":"hunter2"}`, "/keywords")
	refused(`["hunter2",null,{}]`, "/keywords/0", "/keywords/1", "/keywords/2/name")
	refused(`[{"name":"a","value":7},{"name":"..","value":"\u0000","colour":1},{"name":" a"}]`,
		"/keywords/0/value", "/keywords/1/name", "/keywords/1/value", "/keywords/1/colour", "/keywords/2/name")
}

func creationNamesIgnoredMembers(s *Session) {
	bob := s.User()
	foreign := `"originator":` + Encode(bob.Object()) + `,"creationDate":"2001-02-03T04:05:06.000Z"`
	for _, query := range []string{"", "?dryRun=true"} {
		s.Admin.Post("/problems"+query, `{"title":"T",`+foreign+`}`).Is(201).Ignores("creationDate", "originator")
		bob.Post("/problems"+query, `{"title":"T",`+foreign+`,"logs":[],"watching":false,"resolver":null,"identifier":null}`).Is(201).Ignores("creationDate")
		s.Admin.Post("/problems"+query, `{"title":"T"}`).Is(201).Ignores()
	}
	p := s.Create(bob.Client)
	s.Admin.Patch(p.Path, `{"title":"Second"}`).Is(200)
	copied := maps.Clone(p.Load(s.Admin).Value.(map[string]any))
	copied["creationDate"], copied["modificationDate"] = "2001-02-03T04:05:06.000Z", "2001-02-03T04:05:06.000Z"
	s.Admin.Post("/problems", Encode(copied)).Is(201).
		Ignores("creationDate", "identifier", "logs", "modificationDate", "originator", "revision")
}

func mediaTypeAndAcceptOfACreation(s *Session) {
	s.Admin.Post("/problems", `{"title":"x"}`, Typed("")).Is(201)
	s.Admin.Post("/problems", `{"title":"x"}`, Typed("application/json; charset=utf-8")).Is(201)
	s.Admin.Post("/problems", `{"title":"x"}`, With("Accept", "image/png")).Is(201).JSON()
}

func missingTitleIsRequiredField(s *Session) {
	s.Admin.Post("/problems", `{}`).Fault(422, "required-field", "/title")
	s.Admin.Post("/problems", `{"priority":{"name":"High"}}`).Fault(422, "required-field", "/title")
}

func longTitleIsStoredWhole(s *Session) {
	for _, title := range []string{strings.Repeat("x", 256), strings.Repeat("é", 1000), strings.Repeat("word ", 199) + "words"} {
		body := `{"title":` + Encode(title) + `}`
		made := s.Admin.Post("/problems", body).Is(201).Has("/title", title)
		s.Admin.Get("/problems/"+made.Part("/identifier")).Is(200).Has("/title", title)
		p := s.Problem()
		s.Admin.Patch(p.Path, body).Is(200).Has("/title", title)
		p.Load(s.Admin).Has("/title", title)
	}
}

func loadedProblemHasItsHeaders(s *Session) {
	p := s.Problem()
	a := p.Load(s.Admin)
	a.JSON().Revalidated()
	a.ETag()
	if a.Revision() != 1 {
		s.Fatalf("%v\nhas another revision than 1", a)
	}
}

func loadedProblemIsAsCreated(s *Session) {
	bob := s.User()
	made := s.Admin.Post("/problems", fmt.Sprintf(`{"title":"x","priority":{"name":"Low"},"assignee":{"email":%q}}`, bob.Email)).Is(201)
	loaded := s.Admin.Get(fmt.Sprintf("/problems/%d", made.Number("/identifier"))).Is(200)
	loaded.Members("", ProblemMembers...)
	loaded.Has("", made.Value)
}

func problemHasNoCollectionsInside(s *Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Admin.Post(p.Path+"/comments", "text", Plain()).Is(201)
	p.Load(s.Admin).Members("", ProblemMembers...)
}

func everyTokenSeesEveryProblem(s *Session) {
	p := s.Create(s.User().Client)
	p.Load(s.UserWith("read").Client)
}

func badIdentifierIsNotFound(s *Session) {
	for _, identifier := range []string{
		"999999999999", "9223372036854775808", "99999999999999999999999", "0", "-1", "+1", "007", "7.0", "1e3", "abc", "0x1", "%201", "1%20", "%D9%A1",
	} {
		for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
			s.Admin.Get("/problems/"+identifier+part).Fault(404, "problem-not-found")
		}
	}
}

func changesSetModifier(s *Session) {
	bob, p, q := s.User(), s.Problem(), s.Problem()
	last := p.Load(s.Admin)
	step := func(what string, a *Answer, modifies bool) {
		s.Helper()
		now := p.Load(s.Admin)
		if now.Number("/revision") != last.Number("/revision")+1 || a.Revision() != now.Number("/revision") {
			s.Fatalf("%s: from revision %d to %d, and answered %d", what, last.Number("/revision"), now.Number("/revision"), a.Revision())
		}
		if modifies && (now.Text("/modifier/identifier") != bob.Identifier || now.Text("/modificationDate") < last.Text("/modificationDate")) ||
			!modifies && (now.Part("/modifier") != last.Part("/modifier") || now.Text("/modificationDate") != last.Text("/modificationDate")) {
			s.Fatalf("%s: modified by %s at %s", what, now.Part("/modifier"), now.Text("/modificationDate"))
		}
		last = now
	}
	step("W8", bob.Put(p.Path+"/watchers", Encode(bob.Object())).Is(201), false)
	step("W3", bob.Post(p.Path+"/comments", "text", Plain()).Is(201), true)
	step("W4", bob.Put(p.Keyword("a"), `"1"`).Is(201), true)
	step("W4", bob.Put(p.Keyword("a"), `"2"`).Is(200), true)
	step("W5", bob.Delete(p.Keyword("a"), "").Is(204), true)
	step("W6", bob.Put(p.Path+"/relationships", Link("ParentOf", q)).Is(201), true)
	step("W7", bob.Delete(p.Path+"/relationships", Link("ParentOf", q)).Is(204), true)
	other := q.Load(s.Admin).Has("/revision", 3)
	other.Has("/modifier/identifier", bob.Identifier)
}

func collectionsHaveTheHeadersOfAProblem(s *Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"Second"}`).Is(200)
	for _, part := range []string{"/comments", "/relationships", "/watchers"} {
		a := s.Admin.Get(p.Path + part).Is(200).JSON().Revalidated()
		a.ETag()
		if a.Revision() != 2 {
			s.Fatalf("%v\nhas the revision %d, want 2", a, a.Revision())
		}
	}
}

func writeIsSeenAtOnce(s *Session) {
	bob, p := s.User(), s.Problem()
	for i := range 5 {
		p.Load(bob.Client)
		title := s.Unique("title")
		s.Admin.Patch(p.Path, `{"title":`+Encode(title)+`}`).Is(200).Has("/title", title)
		p.Load(bob.Client).Has("/title", title)
		p.Load(s.Admin).Has("/title", title)
		s.Admin.Get(p.Path + "/comments").Is(200)
		comment := s.Admin.Post(p.Path+"/comments", title, Plain()).Is(201)
		s.Admin.Get(p.Path+"/comments").Is(200).Has(fmt.Sprintf("/%d", i), comment.Value)
	}
}

func wholeLogAndAllKeywordsAreLoaded(s *Session) {
	const n = 110
	p := s.Problem()
	s.Many(n, func(i int) *Answer {
		return s.Admin.Put(p.Keyword(fmt.Sprintf("k%03d", i)), Encode(fmt.Sprint("v", i)))
	})
	a := p.Load(s.Admin).Counts("/keywords", n).Counts("/logs", n+1).Has("/logs/0/type", "ProblemCreated")
	logged := map[any]any{}
	for _, e := range a.List("/logs") {
		logged[At(e, "/field")] = At(e, "/to")
	}
	for i := range n {
		name, value := fmt.Sprintf("k%03d", i), fmt.Sprint("v", i)
		a.Has(fmt.Sprintf("/keywords/%d", i), map[string]any{"name": name, "value": value})
		if logged[name] != value {
			s.Fatalf("the log of %s lacks that %s was set to %s", p.Path, name, value)
		}
	}
}

func logComesInPages(s *Session) {
	p := s.Problem()
	s.Many(30, func(i int) *Answer {
		return s.Admin.Put(p.Keyword(fmt.Sprintf("k%03d", i)), Encode(fmt.Sprint("v", i)))
	})
	all := p.Load(s.Admin)
	for _, limit := range []int{1000, 31, 30, 7} {
		var log []any
		for page := range s.Admin.Pages(fmt.Sprintf("%s?limit=%d", p.Path, limit)) {
			log = append(log, page.List("/logs")...)
			page.Has("/keywords", all.At("/keywords")).Has("/revision", all.At("/revision"))
			if n := len(page.List("/logs")); n == 0 || n > limit {
				s.Fatalf("%v\nhas %d entries, of at most %d", page, n, limit)
			}
		}
		if !reflect.DeepEqual(log, all.List("/logs")) {
			s.Fatalf("with limit=%d, the pages have other entries than the whole log", limit)
		}
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "cursor=x"} {
		s.Admin.Get(p.Path+"?"+query).Fault(400, "malformed-request")
	}
}

func updateSetsModifier(s *Session) {
	bob, p := s.User(), s.Problem()
	created := p.Load(s.Admin).Text("/creationDate")
	// Two requests can fall into one millisecond.
	s.Eventually(func() bool {
		a := bob.Patch(p.Path, `{"title":`+Encode(s.Unique("t"))+`}`).Is(200).Has("/modifier", bob.Object())
		p.Load(s.Admin).Has("/modifier", bob.Object()).Has("/modificationDate", a.Text("/modificationDate")).
			Has("/creationDate", created)
		return a.Text("/modificationDate") > created
	}, "%s was changed again and again, and modificationDate is still %s", p.Path, created)
}

func emptyRequestLeavesRead(s *Session) {
	bob, p := s.User(), s.Problem()
	title := p.Load(s.Admin).Part("/title")
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	bob.Patch(p.Path, `{"read":true}`).Is(200)
	for _, body := range []string{`{}`, `{"title":` + title + `}`, `{"priority":null}`} {
		s.Admin.Patch(p.Path, body).Is(200)
		p.Load(bob.Client).Has("/read", true)
	}
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(200)
	p.Load(bob.Client).Has("/read", true)
}
