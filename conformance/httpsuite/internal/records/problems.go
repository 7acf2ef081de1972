package records

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// problemCases are about creating problems (W1).
func problemCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-W1-001", "D10", "creating answers 201 with the problem, its Location, ETag and revision", creationIsAnswered),
		session.Core("HTTP-W1-002", "D1", "a new problem has exactly the members of D1, with its batch as logs", createdProblemHasItsMembers),
		session.Core("HTTP-W1-003", "D1", "what is not given has its default", defaultsOfANewProblem),
		session.Core("HTTP-W1-004", "D1, D2", "metadata in a problem's fields is full, and inside that {identifier,name}", depthOfMetadataInFields),
		session.Core("HTTP-W1-005", "D1", "of two problems created one after the other the later has the greater identifier", identifiersAscend),
		session.Core("HTTP-W1-006", "spec section 2", "a title is required", titleIsRequired),
		session.Extended("HTTP-W1-007", "D1", "neither title nor state nor read can be null", requiredFieldsAreNotNull),
		session.Core("HTTP-W1-008", "D11", "null for the other fields is their default", nullIsTheDefault),
		session.Core("HTTP-W1-009", "D11", "members that the service writes are ignored", serviceMembersAreIgnored),
		session.Extended("HTTP-W1-010", "D18", "a body that is no object is invalid-type", creationThatIsNoObject),
		session.Extended("HTTP-W1-011", "D18", "members of another type are invalid-type", wrongTypesOfMembers),
		session.Extended("HTTP-W1-012", "D11", "unknown members are unknown-field, also when only the letter case differs", unknownMembers),
		session.Extended("HTTP-W1-013", "D11, D18", "all faults of a body are reported together, mixed ones as validation-failed", faultsOfACreationComeTogether),
		session.Extended("HTTP-W1-014", "D18", "each fault of a body has type, detail and pointer, and repeats no value", eachFaultHasItsMembers),
		session.Extended("HTTP-W1-018", "D4, D8, D11", "a problem is created with keywords as R1 shows them: one batch, one entry each", creationWithKeywords),
		session.Extended("HTTP-W1-019", "D4, D11, D18", "faults of keywords are reported where they are, with all others of the body, and nothing is stored", faultsOfKeywordsInACreation),
		session.Extended("HTTP-W1-020", "D11", "Ignored-Members names what was sent and not stored, unless it makes no difference", creationNamesIgnoredMembers),
		session.Core("HTTP-W1-015", "D10", "a body without a media type is JSON, and Accept is never refused", mediaTypeAndAcceptOfACreation),
		session.Extended("HTTP-W1-016", "D18", "a missing title is required-field at /title", missingTitleIsRequiredField),
		session.Core("HTTP-W1-017", "D1, D9", "a title of up to 1000 characters is stored whole, by W1 and by W2", longTitleIsStoredWhole),
	}
}

func creationIsAnswered(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.JSON()
	a.ETag()
	if a.Revision() != 1 {
		s.Fatalf("%v\nhas Problem-Revision %d, want 1", a, a.Revision())
	}
	base, _ := url.Parse(s.Server.BaseURL + session.API + "/problems")
	location, err := base.Parse(a.Header.Get("Location"))
	if want := fmt.Sprintf("%s/%d", base, a.Number("/identifier")); err != nil || location.String() != want {
		s.Fatalf("Location leads to %v, want %s", location, want)
	}
}

func createdProblemHasItsMembers(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.Members("", session.ProblemMembers...).Timed("/creationDate", "/modificationDate")
	if len(a.List("/logs")) != 1 {
		s.Fatalf("%v\nhas not one log entry", a)
	}
}

func defaultsOfANewProblem(s *session.Session) {
	bob := s.User()
	a := bob.Post("/problems", `{"title":"Lamp is broken"}`).Is(201)
	a.Has("/title", "Lamp is broken").Has("/state/name", "Open").Has("/revision", 1)
	for _, name := range []string{"priority", "classification", "component", "milestone", "assignee", "resolver", "resolveDate"} {
		a.Has("/"+name, nil)
	}
	a.Has("/keywords", session.Raw(`[]`))
	a.Has("/read", true).Has("/watching", false).Has("/readByAssignee", false)
	a.Has("/originator", bob.Object()).Has("/modifier", bob.Object())
	a.Has("/modificationDate", a.Text("/creationDate"))
}

func depthOfMetadataInFields(s *session.Session) {
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

func identifiersAscend(s *session.Session) {
	first, second, third := s.Problem(), s.Create(s.User().Client), s.Problem()
	if first.ID < 1 || first.ID >= second.ID || second.ID >= third.ID {
		s.Fatalf("identifiers %d, %d, %d do not ascend from 1", first.ID, second.ID, third.ID)
	}
}

func titleIsRequired(s *session.Session) {
	s.Admin.Post("/problems", `{}`).Refused()
	s.Admin.Post("/problems", `{"priority":{"name":"High"}}`).Refused()
}

func requiredFieldsAreNotNull(s *session.Session) {
	s.Admin.Post("/problems", `{"title":null,"state":null,"read":null}`).Fault(422, "invalid-value", "/title", "/state", "/read")
}

func nullIsTheDefault(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"x","priority":null,"classification":null,"component":null,"milestone":null,"assignee":null}`)
	a.Is(201).Has("/priority", nil).Has("/assignee", nil)
}

func serviceMembersAreIgnored(s *session.Session) {
	bob := s.User()
	p := s.Create(bob.Client, `"priority":{"name":"Low"}`)
	copied := s.Admin.Post("/problems", string(p.Load(s.Admin).Body)).Is(201)
	copied.Has("/revision", 1).Has("/priority/name", "Low")
	if copied.Number("/identifier") == p.ID || copied.Text("/originator/identifier") == bob.Identifier {
		s.Fatalf("%v\ntook over what the service writes", copied)
	}
}

func creationThatIsNoObject(s *session.Session) {
	for _, body := range []string{`[]`, `"title"`, `7`, `true`, `null`, `[{"title":"x"}]`} {
		s.Admin.Post("/problems", body).Fault(422, "invalid-type", "")
	}
}

func wrongTypesOfMembers(s *session.Session) {
	s.Admin.Post("/problems", `{"title":7}`).Fault(422, "invalid-type", "/title")
	s.Admin.Post("/problems", `{"title":["x"],"read":"yes","state":"Open","priority":3,"assignee":[]}`).
		Fault(422, "invalid-type", "/title", "/read", "/state", "/priority", "/assignee")
}

func unknownMembers(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"x","colour":"red","a/b~c":1}`).Fault(422, "unknown-field", "/colour", "/a~1b~0c")
	s.Admin.Post("/problems", `{"title":"x","Title":"y"}`).Fault(422, "unknown-field", "/Title")
	s.Admin.Post("/problems", `{"title":"x","relationships":[],"comments":[],"watchers":[]}`).
		Fault(422, "unknown-field", "/relationships", "/comments", "/watchers")
}

func faultsOfACreationComeTogether(s *session.Session) {
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

func eachFaultHasItsMembers(s *session.Session) {
	a := s.Admin.Post("/problems", `{"title":"x","read":"hunter2","priority":{"name":"hunter2"}}`).Is(422)
	for i := range a.List("/errors") {
		a.Members(fmt.Sprintf("/errors/%d", i), "type", "detail", "pointer")
	}
	if strings.Contains(string(a.Body), "hunter2") {
		s.Fatalf("%v\nechoes what was sent", a)
	}
}

func creationWithKeywords(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Admin.Put(p.Keyword("a%2Fb"), `null`).Is(201)
	want := p.Load(s.Admin).At("/keywords")
	copied := s.Admin.Post("/problems", `{"title":"Copy","keywords":`+session.Encode(want)+`}`).Is(201).Ignores()
	copied.Has("/keywords", want).Has("/revision", 1).Counts("/logs", 3).Has("/logs/0/type", "ProblemCreated")
	for i, name := range []string{"a/b", "color"} {
		entry := fmt.Sprintf("/logs/%d", i+1)
		copied.Has(entry+"/type", "KeywordSet").Has(entry+"/field", name).Has(entry+"/from", nil).
			Has(entry+"/batchIdentifier", copied.Text("/logs/0/batchIdentifier"))
	}
	copied.Has("/logs/1/to", session.Raw(`{"value":null}`)).Has("/logs/2/to", "red")
	path := "/problems/" + copied.Part("/identifier")
	s.Admin.Get(path).Is(200).Has("/keywords", want).Has("/logs", copied.At("/logs")).Has("/revision", 1)
	s.Admin.Get(path+"?asOf=1").Is(200).Has("/keywords", want)
	s.Admin.Delete(path+"/keywords/color", "").Is(204)
	s.Admin.Get(path).Is(200).Counts("/keywords", 1)
	s.Admin.Get(path+"?asOf=1").Is(200).Has("/keywords", want)
	for _, none := range []string{`null`, `[]`} {
		s.Admin.Post("/problems", `{"title":"None","keywords":`+none+`}`).Is(201).Has("/keywords", session.Raw(`[]`)).Counts("/logs", 1)
	}
	s.Admin.Post("/problems", `{"title":"T","keywords":[{"name":" e\u0301 "}]}`).Is(201).Has("/keywords", session.Raw(`[{"name":"é","value":null}]`))
}

func faultsOfKeywordsInACreation(s *session.Session) {
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

func creationNamesIgnoredMembers(s *session.Session) {
	bob := s.User()
	foreign := `"originator":` + session.Encode(bob.Object()) + `,"creationDate":"2001-02-03T04:05:06.000Z","modificationDate":7,"resolveDate":"x"`
	for _, query := range []string{"", "?dryRun=true"} {
		s.Admin.Post("/problems"+query, `{"title":"T",`+foreign+`}`).Is(201).Ignores("creationDate", "modificationDate", "originator", "resolveDate")
		bob.Post("/problems"+query, `{"title":"T",`+foreign+`,"logs":[],"watching":false,"resolver":null,"identifier":null}`).Is(201).Ignores("creationDate", "modificationDate", "resolveDate")
		s.Admin.Post("/problems"+query, `{"title":"T"}`).Is(201).Ignores()
	}
	p := s.Create(bob.Client)
	s.Admin.Patch(p.Path, `{"title":"Second"}`).Is(200)
	copied := maps.Clone(p.Load(s.Admin).Value.(map[string]any))
	copied["creationDate"], copied["modificationDate"] = "2001-02-03T04:05:06.000Z", "2001-02-03T04:05:06.000Z"
	s.Admin.Post("/problems", session.Encode(copied)).Is(201).
		Ignores("creationDate", "identifier", "logs", "modificationDate", "originator", "revision")
}

func mediaTypeAndAcceptOfACreation(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"x"}`, session.Typed("")).Is(201)
	s.Admin.Post("/problems", `{"title":"x"}`, session.Typed("application/json; charset=utf-8")).Is(201)
	s.Admin.Post("/problems", `{"title":"x"}`, session.With("Accept", "image/png")).Is(201).JSON()
}

func missingTitleIsRequiredField(s *session.Session) {
	s.Admin.Post("/problems", `{}`).Fault(422, "required-field", "/title")
	s.Admin.Post("/problems", `{"priority":{"name":"High"}}`).Fault(422, "required-field", "/title")
}

func longTitleIsStoredWhole(s *session.Session) {
	for _, title := range []string{strings.Repeat("x", 256), strings.Repeat("é", 1000), strings.Repeat("word ", 199) + "words"} {
		body := `{"title":` + session.Encode(title) + `}`
		made := s.Admin.Post("/problems", body).Is(201).Has("/title", title)
		s.Admin.Get("/problems/"+made.Part("/identifier")).Is(200).Has("/title", title)
		p := s.Problem()
		s.Admin.Patch(p.Path, body).Is(200).Has("/title", title)
		p.Load(s.Admin).Has("/title", title)
	}
}
