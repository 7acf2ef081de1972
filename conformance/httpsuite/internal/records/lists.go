package records

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// listCases are about the lists of metadata, and the objects in them as clients send
// them back (D2, D3, D30).
func listCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-LIST-001", "D2, D30", "each kind of metadata has a list, an array of objects with all their members, for every token", metadataLists),
		session.Core("HTTP-LIST-002", "D30", "each object of a list is answered alone under its identifier, and looks the same", listedObjectsAreAnsweredAlone),
		session.Core("HTTP-LIST-003", "D30", "lists are by order, then by name", listsAreOrdered),
		session.Core("HTTP-LIST-004", "D3, D30", "an object as its list has it can be sent as the value of a problem's field, and null takes it away", listedObjectIsAFieldsValue),
		session.Core("HTTP-LIST-005", "D17, D30", "whoever may write makes a milestone with nothing but a name, and moves problems to it by that name", milestoneNeedsOnlyAName),
		session.Core("HTTP-LIST-006", "D2, D30", "a metadata object that was renamed is shown by today's name, in its list and in problems", renamedObjectShowsTodaysName),
		session.Extended("HTTP-LIST-007", "D20, D30", "the ETag of lists and of their objects is the catalogue's version: 304 while nothing has changed, never after", etagOfListsIsTheCatalogues),
		session.Extended("HTTP-LIST-008", "D30", "what is created is answered with 201, Location and the object, and can be sent back as it was read", createdObjectCanBeSentBack),
		session.Extended("HTTP-LIST-009", "D18", "the faults of a metadata object, and identifiers that there are not", faultsOfAMetadataObject),
		session.Extended("HTTP-LIST-010", "D2", "names are unique: of components within their parent, of milestones within their component, else at all", metadataNamesAreUnique),
		session.Extended("HTTP-LIST-011", "D17", "metadata is read with the scope read and changed with admin; a milestone is made and changed with write", scopesForMetadata),
		session.Extended("HTTP-LIST-012", "D24, D30", "a dry run of a write to metadata answers what would be, and stores nothing", dryMetadataStoresNothing),
	}
}

func metadataLists(s *session.Session) {
	reader := s.UserWith("read")
	s.Component(`"parent":` + s.Component().Part())
	s.Milestone()
	for _, kind := range session.Kinds {
		count := 0
		for a := range reader.Pages(kind.List) {
			for i := range a.List("") {
				a.Members(fmt.Sprintf("/%d", i), kind.Members...)
				count++
			}
		}
		if count == 0 {
			s.Fatalf("GET %s lists nothing", kind.List)
		}
	}
	found := false
	for a := range reader.Pages("/users") {
		found = found || a.Named("", reader.Name) != nil
	}
	if !found {
		s.Fatalf("GET /users lacks %s", reader.Name)
	}
}

func listedObjectsAreAnsweredAlone(s *session.Session) {
	names := map[string]string{
		"/components": s.Component(`"parent":` + s.Component().Part()).Name,
		"/milestones": s.Milestone(`"component":`+s.Component().Part(), `"endDate":"2030-01-02T03:04:05.678Z"`).Name,
		"/users":      s.User().Name,
	}
	for _, kind := range session.Kinds {
		if kind.Known != "" {
			names[kind.List] = kind.Known
		}
	}
	for list, name := range names {
		o := s.Listed(list, name)
		s.Admin.Get(fmt.Sprintf("%s/%s", list, o["identifier"])).Is(200).JSON().Has("", o)
	}
}

func listsAreOrdered(s *session.Session) {
	for range 2 {
		s.Component()
		s.Milestone()
	}
	for _, kind := range session.Kinds {
		var last any
		for a := range s.Admin.Pages(kind.List) {
			for _, o := range a.List("") {
				if last != nil && before(o, last) {
					s.Fatalf("GET %s lists %s after %s", kind.List, session.Encode(o), session.Encode(last))
				}
				last = o
			}
		}
	}
}

func listedObjectIsAFieldsValue(s *session.Session) {
	p := s.Problem()
	names := map[string]string{"/components": s.Component(`"parent":` + s.Component().Part()).Name, "/milestones": s.Milestone().Name}
	for _, kind := range session.Kinds {
		name := names[kind.List] + kind.Known
		if kind.Field == "state" {
			name = "Closed"
		}
		o := s.Listed(kind.List, name)
		s.Admin.Patch(p.Path, session.Encode(map[string]any{kind.Field: o})).Is(200).Has("/"+kind.Field, o)
		p.Load(s.Admin).Has("/"+kind.Field, o)
		if kind.Field != "state" {
			s.Admin.Patch(p.Path, session.Encode(map[string]any{kind.Field: nil})).Is(200).Has("/"+kind.Field, nil)
		}
	}
}

func milestoneNeedsOnlyAName(s *session.Session) {
	bob, name := s.User(), s.Unique("milestone")
	body := `{"name":` + session.Encode(name) + `}`
	a := bob.Post("/milestones", body).Offered("D30").Is(201).JSON().Members("", session.Kinds[4].Members...)
	a.Has("/name", name).Has("/component", nil).Has("/startDate", nil).Has("/endDate", nil).Timed("/creationDate")
	if listed := s.Listed("/milestones", name); session.Encode(listed) != session.Encode(a.Value) {
		s.Fatalf("%v\nis listed as %s", a, session.Encode(listed))
	}
	p := s.Create(bob.Client, `"milestone":`+body)
	p.Load(bob.Client).Has("/milestone/identifier", a.Text("/identifier"))
	q := s.Problem()
	bob.Patch(q.Path, `{"milestone":`+body+`}`).Is(200).Has("/milestone/identifier", a.Text("/identifier"))
	bob.Patch(q.Path, `{"milestone":null}`).Is(200).Has("/milestone", nil)
}

func renamedObjectShowsTodaysName(s *session.Session) {
	names := map[string]session.Object{"component": s.Component(), "milestone": s.Milestone()}
	for field, o := range names {
		p := s.Create(s.Admin, fmt.Sprintf("%q:%s", field, o.Part()))
		name := s.Unique("renamed")
		s.Admin.Patch(o.Path, `{"name":`+session.Encode(name)+`}`).Is(200).Has("/name", name)
		p.Load(s.Admin).Has("/"+field+"/name", name).Has("/revision", 1)
		if listed := s.Listed("/"+field+"s", name); listed["identifier"] != o.Identifier {
			s.Fatalf("GET /%ss lists %s by the name %s", field, session.Encode(listed), name)
		}
	}
}

func etagOfListsIsTheCatalogues(s *session.Session) {
	o := s.Component()
	paths := []string{o.Path, "/users"}
	for _, kind := range session.Kinds {
		paths = append(paths, kind.List)
	}
	for _, path := range paths {
		s.Unchanged(s.Admin, path)
		etag := s.Admin.Get(path).Is(200).ETag()
		s.Admin.Patch(o.Path, `{"name":`+session.Encode(s.Unique("renamed"))+`}`).Is(200)
		s.Admin.Get(path, session.With("If-None-Match", etag)).Is(200)
	}
}

func createdObjectCanBeSentBack(s *session.Session) {
	for _, kind := range session.Kinds {
		name := s.Unique("made")
		a := s.Admin.Post(kind.List, `{"name":`+session.Encode(" "+name+" ")+`}`).Offered("D30").Is(201).JSON().Members("", kind.Members...).Has("/name", name)
		path := kind.List + "/" + a.Text("/identifier")
		if !session.UUIDForm.MatchString(a.Text("/identifier")) || !strings.HasSuffix(a.Header.Get("Location"), session.API+path) {
			s.Fatalf("%v\nhas the Location %q, or no UUIDv7", a, a.Header.Get("Location"))
		}
		s.Admin.Get(path).Is(200).Has("", a.Value)
		s.Admin.Patch(path, `{}`).Is(200).Has("", a.Value)
		s.Admin.Patch(path, string(a.Body)).Is(200).Has("", a.Value)
		s.Admin.Patch(path, `{"identifier":"01890000-0000-7000-8000-000000000000"}`).Fault(422, "read-only-field", "/identifier")
	}
	for _, date := range []string{"startDate", "endDate"} {
		s.Admin.Post("/milestones", fmt.Sprintf(`{"name":%q,%q:"2030-01-02T03:04:05.678Z"}`, s.Unique("dated"), date)).Is(201).Has("/"+date, "2030-01-02T03:04:05.678Z")
	}
}

func faultsOfAMetadataObject(s *session.Session) {
	for _, kind := range session.Kinds {
		s.Admin.Post(kind.List, `{}`).Offered("D30").Fault(422, "required-field", "/name")
		s.Admin.Post(kind.List, `{"name":7}`).Fault(422, "invalid-type", "/name")
		s.Admin.Post(kind.List, `{"name":"`+strings.Repeat("x", 256)+`"}`).Fault(422, "invalid-value", "/name")
		s.Admin.Post(kind.List, `{"name":"a","Name":"b"}`).Fault(422, "unknown-field", "/Name")
		s.Admin.Post(kind.List, `[]`).Fault(422, "invalid-type", "")
		for _, identifier := range []string{"01890000-0000-7000-8000-000000000000", "x"} {
			s.Admin.Get(kind.List+"/"+identifier).Fault(404, "not-found")
			s.Admin.Patch(kind.List+"/"+identifier, `{"name":"x"}`).Fault(404, "not-found")
		}
	}
	s.Admin.Post("/components", `{"name":"a/b"}`).Fault(422, "invalid-value", "/name")
	s.Admin.Post("/milestones", `{"name":"a","startDate":"2030-01-02T00:00:00Z","endDate":"2030-01-01T00:00:00Z"}`).Is(422)
	for _, wrong := range []string{"2030-01-01", "2030-01-01T4:00:00Z", "2030-01-01T04:00:00,5Z", "2030-01-01T04:00:00+23:60", "2030-02-30T04:00:00Z"} {
		s.Admin.Post("/milestones", `{"name":"a","startDate":"`+wrong+`"}`).Is(422)
	}
	s.Admin.Post("/states", `{"name":"a","nextStates":[{"name":`+session.Encode(s.Unique("none"))+`}]}`).Fault(422, "metadata-not-found", "/nextStates/0")
}

func metadataNamesAreUnique(s *session.Session) {
	for _, kind := range session.Kinds {
		first, second := s.Object(kind.List, "first"), s.Object(kind.List, "second")
		body := `{"name":` + session.Encode(first.Name) + `}`
		s.Admin.Post(kind.List, body).Fault(409, "already-exists")
		s.Admin.Patch(second.Path, body).Fault(409, "already-exists")
		s.Admin.Get(second.Path).Is(200).Has("/name", second.Name)
		s.Admin.Patch(first.Path, body).Is(200)
	}
	parent, other := s.Component(), s.Component()
	for list, member := range map[string]string{"/components": "parent", "/milestones": "component"} {
		name := s.Unique("shared")
		within := func(o session.Object) string { return fmt.Sprintf(`{"name":%q,%q:%s}`, name, member, o.Part()) }
		s.Admin.Post(list, within(parent)).Is(201)
		s.Admin.Post(list, within(parent)).Fault(409, "already-exists")
		moved := s.Admin.Post(list, within(other)).Is(201)
		s.Admin.Post(list, `{"name":`+session.Encode(name)+`}`).Is(201)
		s.Admin.Patch(list+"/"+moved.Text("/identifier"), fmt.Sprintf(`{%q:%s}`, member, parent.Part())).Fault(409, "already-exists")
	}
}

func scopesForMetadata(s *session.Session) {
	reader, writer := s.UserWith("read"), s.User()
	for _, kind := range session.Kinds {
		o := s.Object(kind.List, "mine")
		body := `{"name":` + session.Encode(s.Unique("name")) + `}`
		reader.Get(o.Path).Is(200)
		reader.Post(kind.List, body).Fault(403, "forbidden")
		reader.Patch(o.Path, body).Fault(403, "forbidden")
		if kind.Field == "milestone" {
			s.Admin.Get(o.Path).Is(200).Has("/name", o.Name)
			writer.Patch(o.Path, body).Is(200)
			continue
		}
		writer.Post(kind.List, body).Fault(403, "forbidden")
		writer.Patch(o.Path, body).Fault(403, "forbidden")
		s.Admin.Get(o.Path).Is(200).Has("/name", o.Name)
		s.As("").Get(kind.List).Fault(401, "unauthenticated")
	}
}

func dryMetadataStoresNothing(s *session.Session) {
	for _, kind := range session.Kinds {
		o, name := s.Object(kind.List, "mine"), s.Unique("dry")
		body := `{"name":` + session.Encode(name) + `}`
		a := s.Admin.Post(kind.List+"?dryRun=true", body).Is(201).Sends("Dry-Run", "true").Has("/name", name).Lacks("/identifier")
		if a.Header.Get("Location") != "" {
			s.Fatalf("%v\nhas a Location", a)
		}
		s.Admin.Search(kind.List, "name = '"+name+"'").Has("", []any{})
		s.Admin.Patch(o.Path+"?dryRun=true", body).Is(200).Sends("Dry-Run", "true").Has("/name", name)
		s.Admin.Get(o.Path).Is(200).Has("/name", o.Name)
		s.Admin.Post(kind.List+"?dryRun=true", `{"name":`+session.Encode(o.Name)+`}`).Fault(409, "already-exists")
	}
}

// before reports whether one object of a list belongs before another (D30).
func before(a, b any) bool {
	order := func(o any) int64 {
		n, _ := session.At(o, "/order").(json.Number).Int64()
		return n
	}
	if _, ordered := session.At(a, "/order").(json.Number); ordered && order(a) != order(b) {
		return order(a) < order(b)
	}
	return fmt.Sprint(session.At(a, "/name")) < fmt.Sprint(session.At(b, "/name"))
}
