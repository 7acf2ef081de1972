package httpsuite

import (
	"encoding/json"
	"fmt"
	"strings"
)

// listCases are about the lists of metadata, and the objects in them as clients send
// them back (D2, D3, D30).
func listCases() []demand {
	return []demand{
		{core, "HTTP-LIST-001", "D2, D30", "each kind of metadata has a list, an array of objects with all their members, for every token", metadataLists},
		{core, "HTTP-LIST-002", "D30", "each object of a list is answered alone under its identifier, and looks the same", listedObjectsAreAnsweredAlone},
		{core, "HTTP-LIST-003", "D30", "lists are by order, then by name", listsAreOrdered},
		{core, "HTTP-LIST-004", "D3, D30", "an object as its list has it can be sent as the value of a problem's field, and null takes it away", listedObjectIsAFieldsValue},
		{core, "HTTP-LIST-005", "D17, D30", "whoever may write makes a milestone with nothing but a name, and moves problems to it by that name", milestoneNeedsOnlyAName},
		{core, "HTTP-LIST-006", "D2, D30", "a metadata object that was renamed is shown by today's name, in its list and in problems", renamedObjectShowsTodaysName},
		{extended, "HTTP-LIST-007", "D20, D30", "the ETag of lists and of their objects is the catalogue's version: 304 while nothing has changed, never after", etagOfListsIsTheCatalogues},
		{extended, "HTTP-LIST-008", "D30", "what is created is answered with 201, Location and the object, and can be sent back as it was read", createdObjectCanBeSentBack},
		{extended, "HTTP-LIST-009", "D18", "the faults of a metadata object, and identifiers that there are not", faultsOfAMetadataObject},
		{extended, "HTTP-LIST-010", "D2", "names are unique: of components within their parent, of milestones within their component, else at all", metadataNamesAreUnique},
		{extended, "HTTP-LIST-011", "D17", "metadata is read with the scope read and changed with admin; a milestone is made with write", scopesForMetadata},
		{extended, "HTTP-LIST-012", "D24, D30", "a dry run of a write to metadata answers what would be, and stores nothing", dryMetadataStoresNothing},
	}
}

func metadataLists(s *session) {
	reader := s.userWith("read")
	s.component(`"parent":` + s.component().part())
	s.milestone()
	for _, kind := range kinds {
		count := 0
		for a := range reader.pages(kind.list) {
			for i := range a.list("") {
				a.members(fmt.Sprintf("/%d", i), kind.members...)
				count++
			}
		}
		if count == 0 {
			s.Fatalf("GET %s lists nothing", kind.list)
		}
	}
	found := false
	for a := range reader.pages("/users") {
		found = found || a.named("", reader.name) != nil
	}
	if !found {
		s.Fatalf("GET /users lacks %s", reader.name)
	}
}

func listedObjectsAreAnsweredAlone(s *session) {
	names := map[string]string{
		"/components": s.component(`"parent":` + s.component().part()).name,
		"/milestones": s.milestone(`"component":`+s.component().part(), `"endDate":"2030-01-02T03:04:05.678Z"`).name,
		"/users":      s.user().name,
	}
	for _, kind := range kinds {
		if kind.known != "" {
			names[kind.list] = kind.known
		}
	}
	for list, name := range names {
		o := s.listed(list, name)
		s.admin.get(fmt.Sprintf("%s/%s", list, o["identifier"])).is(200).json().has("", o)
	}
}

func listsAreOrdered(s *session) {
	for range 2 {
		s.component()
		s.milestone()
	}
	for _, kind := range kinds {
		var last any
		for a := range s.admin.pages(kind.list) {
			for _, o := range a.list("") {
				if last != nil && before(o, last) {
					s.Fatalf("GET %s lists %s after %s", kind.list, encode(o), encode(last))
				}
				last = o
			}
		}
	}
}

func listedObjectIsAFieldsValue(s *session) {
	p := s.problem()
	names := map[string]string{"/components": s.component(`"parent":` + s.component().part()).name, "/milestones": s.milestone().name}
	for _, kind := range kinds {
		name := names[kind.list] + kind.known
		if kind.field == "state" {
			name = "Closed"
		}
		o := s.listed(kind.list, name)
		s.admin.patch(p.path, encode(map[string]any{kind.field: o})).is(200).has("/"+kind.field, o)
		p.load(s.admin).has("/"+kind.field, o)
		if kind.field != "state" {
			s.admin.patch(p.path, encode(map[string]any{kind.field: nil})).is(200).has("/"+kind.field, nil)
		}
	}
}

func milestoneNeedsOnlyAName(s *session) {
	bob, name := s.user(), s.unique("milestone")
	body := `{"name":` + encode(name) + `}`
	a := bob.post("/milestones", body).offered("D30").is(201).json().members("", kinds[4].members...)
	a.has("/name", name).has("/component", nil).has("/startDate", nil).has("/endDate", nil).timed("/creationDate")
	if listed := s.listed("/milestones", name); encode(listed) != encode(a.value) {
		s.Fatalf("%v\nis listed as %s", a, encode(listed))
	}
	p := s.create(bob.client, `"milestone":`+body)
	p.load(bob.client).has("/milestone/identifier", a.text("/identifier"))
	q := s.problem()
	bob.patch(q.path, `{"milestone":`+body+`}`).is(200).has("/milestone/identifier", a.text("/identifier"))
	bob.patch(q.path, `{"milestone":null}`).is(200).has("/milestone", nil)
}

func renamedObjectShowsTodaysName(s *session) {
	names := map[string]object{"component": s.component(), "milestone": s.milestone()}
	for field, o := range names {
		p := s.create(s.admin, fmt.Sprintf("%q:%s", field, o.part()))
		name := s.unique("renamed")
		s.admin.patch(o.path, `{"name":`+encode(name)+`}`).is(200).has("/name", name)
		p.load(s.admin).has("/"+field+"/name", name).has("/revision", 1)
		if listed := s.listed("/"+field+"s", name); listed["identifier"] != o.identifier {
			s.Fatalf("GET /%ss lists %s by the name %s", field, encode(listed), name)
		}
	}
}

func etagOfListsIsTheCatalogues(s *session) {
	o := s.component()
	paths := []string{o.path, "/users"}
	for _, kind := range kinds {
		paths = append(paths, kind.list)
	}
	for _, path := range paths {
		s.unchanged(s.admin, path)
		etag := s.admin.get(path).is(200).etag()
		s.admin.patch(o.path, `{"name":`+encode(s.unique("renamed"))+`}`).is(200)
		s.admin.get(path, with("If-None-Match", etag)).is(200)
	}
}

func createdObjectCanBeSentBack(s *session) {
	for _, kind := range kinds {
		name := s.unique("made")
		a := s.admin.post(kind.list, `{"name":`+encode(" "+name+" ")+`}`).offered("D30").is(201).json().members("", kind.members...).has("/name", name)
		path := kind.list + "/" + a.text("/identifier")
		if !uuidForm.MatchString(a.text("/identifier")) || !strings.HasSuffix(a.header.Get("Location"), api+path) {
			s.Fatalf("%v\nhas the Location %q, or no UUIDv7", a, a.header.Get("Location"))
		}
		s.admin.get(path).is(200).has("", a.value)
		s.admin.patch(path, `{}`).is(200).has("", a.value)
		s.admin.patch(path, string(a.body)).is(200).has("", a.value)
		s.admin.patch(path, `{"identifier":"01890000-0000-7000-8000-000000000000"}`).fault(422, "read-only-field", "/identifier")
	}
}

func faultsOfAMetadataObject(s *session) {
	for _, kind := range kinds {
		s.admin.post(kind.list, `{}`).offered("D30").fault(422, "required-field", "/name")
		s.admin.post(kind.list, `{"name":7}`).fault(422, "invalid-type", "/name")
		s.admin.post(kind.list, `{"name":"`+strings.Repeat("x", 256)+`"}`).fault(422, "invalid-value", "/name")
		s.admin.post(kind.list, `{"name":"a","Name":"b"}`).fault(422, "unknown-field", "/Name")
		s.admin.post(kind.list, `[]`).fault(422, "invalid-type", "")
		for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x"} {
			s.admin.get(kind.list+"/"+identifier).fault(404, "not-found")
			s.admin.patch(kind.list+"/"+identifier, `{"name":"x"}`).fault(404, "not-found")
		}
	}
	s.admin.post("/components", `{"name":"a/b"}`).fault(422, "invalid-value", "/name")
	s.admin.post("/milestones", `{"name":"a","startDate":"2030-01-02T00:00:00Z","endDate":"2030-01-01T00:00:00Z"}`).is(422)
	for _, wrong := range []string{"2030-01-01", "2030-01-01T4:00:00Z", "2030-01-01T04:00:00,5Z", "2030-01-01T04:00:00+23:60", "2030-02-30T04:00:00Z"} {
		s.admin.post("/milestones", `{"name":"a","startDate":"`+wrong+`"}`).is(422)
	}
	s.admin.post("/states", `{"name":"a","nextStates":[{"name":`+encode(s.unique("none"))+`}]}`).fault(422, "metadata-not-found", "/nextStates/0")
}

func metadataNamesAreUnique(s *session) {
	for _, kind := range kinds {
		first, second := s.object(kind.list, "first"), s.object(kind.list, "second")
		body := `{"name":` + encode(first.name) + `}`
		s.admin.post(kind.list, body).fault(409, "already-exists")
		s.admin.patch(second.path, body).fault(409, "already-exists")
		s.admin.get(second.path).is(200).has("/name", second.name)
		s.admin.patch(first.path, body).is(200)
	}
	parent, other := s.component(), s.component()
	for list, member := range map[string]string{"/components": "parent", "/milestones": "component"} {
		name := s.unique("shared")
		within := func(o object) string { return fmt.Sprintf(`{"name":%q,%q:%s}`, name, member, o.part()) }
		s.admin.post(list, within(parent)).is(201)
		s.admin.post(list, within(parent)).fault(409, "already-exists")
		moved := s.admin.post(list, within(other)).is(201)
		s.admin.post(list, `{"name":`+encode(name)+`}`).is(201)
		s.admin.patch(list+"/"+moved.text("/identifier"), fmt.Sprintf(`{%q:%s}`, member, parent.part())).fault(409, "already-exists")
	}
}

func scopesForMetadata(s *session) {
	reader, writer := s.userWith("read"), s.user()
	for _, kind := range kinds {
		o := s.object(kind.list, "mine")
		body := `{"name":` + encode(s.unique("name")) + `}`
		reader.get(o.path).is(200)
		reader.post(kind.list, body).fault(403, "forbidden")
		reader.patch(o.path, body).fault(403, "forbidden")
		writer.patch(o.path, body).fault(403, "forbidden")
		if kind.field != "milestone" {
			writer.post(kind.list, body).fault(403, "forbidden")
		}
		s.admin.get(o.path).is(200).has("/name", o.name)
		s.as("").get(kind.list).fault(401, "unauthenticated")
	}
}

func dryMetadataStoresNothing(s *session) {
	for _, kind := range kinds {
		o, name := s.object(kind.list, "mine"), s.unique("dry")
		body := `{"name":` + encode(name) + `}`
		a := s.admin.post(kind.list+"?dryRun=true", body).is(201).sends("Dry-Run", "true").has("/name", name).lacks("/identifier")
		if a.header.Get("Location") != "" {
			s.Fatalf("%v\nhas a Location", a)
		}
		s.admin.search(kind.list, "name = '"+name+"'").has("", []any{})
		s.admin.patch(o.path+"?dryRun=true", body).is(200).sends("Dry-Run", "true").has("/name", name)
		s.admin.get(o.path).is(200).has("/name", o.name)
		s.admin.post(kind.list+"?dryRun=true", `{"name":`+encode(o.name)+`}`).fault(409, "already-exists")
	}
}

// before reports whether one object of a list belongs before another (D30).
func before(a, b any) bool {
	order := func(o any) int64 {
		n, _ := at(o, "/order").(json.Number).Int64()
		return n
	}
	if _, ordered := at(a, "/order").(json.Number); ordered && order(a) != order(b) {
		return order(a) < order(b)
	}
	return fmt.Sprint(at(a, "/name")) < fmt.Sprint(at(b, "/name"))
}
