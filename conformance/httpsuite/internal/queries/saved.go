package queries

import (
	"reflect"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// savedCases are about saved queries.
func savedCases() []session.Case {
	const source = "D17, D31"
	return []session.Case{
		session.Extended("HTTP-QUERY-001", source, "a query is saved, listed to its owner, loaded, and run by its identifier or a URL that ends in it", savedQueryIsListedAndRun),
		session.Extended("HTTP-QUERY-005", "D37", "savedQuery takes a URL of any scheme, with a slash, a fragment or a title after the identifier", savedQueryByURL),
		session.Extended("HTTP-QUERY-002", source, "a saved query belongs to who saved it; whoever has its identifier can run it, and is $ApiUser then", savedQueryHasAnOwner),
		session.Extended("HTTP-QUERY-003", source, "a saved query that was deleted is gone, and what never was is not-found", deletedQueryIsGone),
		session.Extended("HTTP-QUERY-004", "D17, D18", "what cannot be run is not saved, and the scope read does not save", faultyQueryIsNotSaved),
		session.Extended("HTTP-QUERY-007", "D57", "a shared query is in the list of everybody, and its owner and administrators change, unshare and delete it", sharedQueryIsOfAll),
		session.Extended("HTTP-QUERY-006", "D31", "a predicate that a search takes can be saved and finds the same, with a combining mark after an escape, too", savedQueryMeansTheSame),
	}
}

func savedQueryIsListedAndRun(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	body := map[string]any{"name": s.Unique("query"), "predicate": h.where("TRUEPREDICATE"), "sort": "-title", "columns": "due, state"}
	saved := bob.Post("/queries", session.Encode(body)).Offered("D17, D31").Is(201).JSON().Members("", "identifier", "owner", "name", "predicate", "sort", "columns", "shared", "creationDate").Has("/columns", "due,state").Has("/shared", false)
	saved.Has("/name", body["name"]).Has("/predicate", body["predicate"]).Has("/sort", "-title").Has("/owner", bob.Ref()).Timed("/creationDate")
	path := "/queries/" + saved.Text("/identifier")
	if !strings.HasSuffix(saved.Header.Get("Location"), session.API+path) {
		s.Fatalf("%v\nhas the Location %q", saved, saved.Header.Get("Location"))
	}
	bob.Get(path).Is(200).Has("", saved.Value)
	listed(s, bob, saved.Value)
	for _, query := range []string{saved.Text("/identifier"), s.Server.BaseURL + session.API + path, "https://example.org/any" + path} {
		bob.Get(session.Lookup("/problems/search", "savedQuery", query)).Is(200).Problems(b, a)
		bob.Get(session.Lookup("/problems/search", "savedQuery", query, "sort", "title", "limit", "1")).Is(200).Problems(a)
	}
	bob.Post("/problems/search", session.Encode(map[string]any{"savedQuery": saved.Text("/identifier")})).Is(200).Problems(b, a)
}

// listed compares the list of a person's own saved queries. It also has those that others share.
func listed(s *session.Session, p session.Person, want ...any) {
	s.Helper()
	all := p.Get("/queries").Is(200)
	own := slices.DeleteFunc(all.At("").([]any), func(q any) bool {
		return session.At(q, "/owner/identifier") != p.Identifier && session.At(q, "/shared") == true
	})
	if !reflect.DeepEqual(own, append([]any{}, want...)) {
		s.Fatalf("%v\nhas of %s the queries\n%v, want\n%v", all, p.Name, own, want)
	}
}

func sharedQueryIsOfAll(s *session.Session) {
	bob, eve, reader := s.User(), s.User(), s.UserWith("read")
	saved := bob.Post("/queries", session.Encode(map[string]any{"name": s.Unique("query"), "predicate": "FALSEPREDICATE", "sort": "title"})).Offered("D57").Is(201)
	path := "/queries/" + saved.Text("/identifier")
	for _, other := range []*session.Client{eve.Client, s.Admin} {
		other.Patch(path, `{"shared":true}`).Fault(404, "not-found")
	}
	bob.Patch(path+"?dryRun=true", `{"shared":true}`).Is(200).Sends("Dry-Run", "true").Has("/shared", true)
	bob.Get(path).Is(200).Has("", saved.Value)
	shared := bob.Patch(path, `{"shared":true}`).Is(200).Has("/shared", true).Has("/sort", "title").Has("/owner", bob.Ref())
	bob.Get(path).Is(200).Has("", shared.Value)
	has := func(p session.Person, want bool) {
		s.Helper()
		all := p.Get("/queries").Is(200)
		if slices.ContainsFunc(all.At("").([]any), func(q any) bool { return reflect.DeepEqual(q, shared.Value) }) != want {
			s.Fatalf("%v\nhas the shared query: %v, want %v", all, !want, want)
		}
	}
	has(reader, true)
	listed(s, eve)
	eve.Patch(path, `{"shared":false}`).Fault(403, "forbidden")
	eve.Delete(path, "").Fault(403, "forbidden")
	reader.Patch(path, `{"shared":false}`).Fault(403, "forbidden")
	bob.Patch(path, `{"shared":null}`).Fault(422, "invalid-value", "/shared")
	bob.Patch(path, `{"columns":"state,colour"}`).Fault(422, "invalid-value", "/columns")
	bob.Patch(path, `{"predicate":"titel = 'x'"}`).Refused()
	bob.Patch(path, `{"owner":null}`).Fault(422, "unknown-field", "/owner")
	shared = s.Admin.Patch(path, `{"sort":null,"columns":"state"}`).Is(200).Has("/sort", nil).Has("/columns", "state").Has("/owner", bob.Ref())
	has(eve, true)
	s.Admin.Patch(path, `{"shared":false}`).Is(200)
	has(eve, false)
	s.Admin.Delete(path, "").Fault(404, "not-found")
	bob.Patch(path, `{"shared":true}`).Is(200)
	s.Admin.Delete(path, "").Is(204)
	bob.Get(path).Fault(404, "not-found")
}

func savedQueryByURL(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a := h.add(s.Admin, "a")
	saved := bob.Post("/queries", session.Encode(map[string]any{"name": "all", "predicate": h.where("TRUEPREDICATE")})).Is(201)
	url := "ship://Query/" + saved.Text("/identifier")
	for _, after := range []string{"", "/", "#top", " Open", " <Open, mine>", "<Open, mine>", "/ <Open/mine>"} {
		bob.Get(session.Lookup("/problems/search", "savedQuery", url+after)).Is(200).Problems(a)
		bob.Post("/problems/search", session.Encode(map[string]any{"savedQuery": url + after})).Is(200).Problems(a)
	}
	for _, text := range []string{"Open " + url, url + "/x", url + "0"} {
		bob.Get(session.Lookup("/problems/search", "savedQuery", text)).Fault(400, "malformed-request")
		bob.Post("/problems/search", session.Encode(map[string]any{"savedQuery": text})).Fault(422, "invalid-value", "/savedQuery")
	}
}

func savedQueryHasAnOwner(s *session.Session) {
	h, bob, eve := newHerd(s), s.User(), s.UserWith("read")
	mine, hers := h.add(bob.Client, "bob's", `"assignee":`+bob.Part()), h.add(s.Admin, "eve's", `"assignee":`+eve.Part())
	saved := bob.Post("/queries", session.Encode(map[string]any{"name": "mine", "predicate": h.where("assignee.identifier = $ApiUser")})).Is(201).Has("/sort", nil)
	query := session.Lookup("/problems/search", "savedQuery", saved.Text("/identifier"))
	bob.Get(query).Is(200).Problems(mine)
	eve.Get(query).Is(200).Problems(hers)
	listed(s, eve)
	path := "/queries/" + saved.Text("/identifier")
	s.Admin.Delete(path, "").Fault(404, "not-found")
	eve.Delete(path, "").Fault(403, "forbidden")
	bob.Get(query).Is(200).Problems(mine)
}

func deletedQueryIsGone(s *session.Session) {
	bob := s.User()
	body := session.Encode(map[string]any{"name": "none", "predicate": "FALSEPREDICATE"})
	path := "/queries/" + bob.Post("/queries", body).Offered("D17, D31").Is(201).Text("/identifier")
	bob.Delete(path+"?dryRun=true", "").Is(204).Sends("Dry-Run", "true")
	bob.Get(path).Is(200)
	bob.Delete(path, "").Is(204).Empty()
	bob.Get(path).Fault(404, "not-found")
	bob.Delete(path, "").Fault(404, "not-found")
	listed(s, bob)
	bob.Get(session.Lookup("/problems/search", "savedQuery", strings.TrimPrefix(path, "/queries/"))).Fault(404, "not-found")
	bob.Post("/queries?dryRun=true", body).Is(201).Sends("Dry-Run", "true").Lacks("/identifier")
	listed(s, bob)
}

func faultyQueryIsNotSaved(s *session.Session) {
	bob, reader := s.User(), s.UserWith("read")
	reader.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE"}`).Fault(403, "forbidden")
	bob.Post("/queries", `{}`).Fault(422, "required-field", "/name", "/predicate")
	bob.Post("/queries", `{"name":"x","predicate":"titel = 'x'"}`).Fault(422, "invalid-value", "/predicate")
	bob.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","sort":"colour"}`).Refused()
	bob.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","colour":1}`).Fault(422, "unknown-field", "/colour")
	listed(s, bob)
	saved := bob.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE"}`).Is(201).Text("/identifier")
	bob.Get(session.Lookup("/problems/search", "predicate", "FALSEPREDICATE", "savedQuery", saved)).Fault(400, "malformed-request")
	bob.Get(session.Lookup("/problems/search", "savedQuery", "x")).Fault(400, "malformed-request")
}

func savedQueryMeansTheSame(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a := h.add(s.Admin, "a", `"keywords":[{"name":"k","value":"a\n\u0303"}]`)
	h.add(s.Admin, "b", `"keywords":[{"name":"k","value":"a\nn\u0303"}]`)
	condition := "ANY keywords.value = 'a\\n\u0303'"
	h.finds(bob.Client, condition, a)
	body := map[string]any{"name": "mark", "predicate": h.where(condition)}
	saved := bob.Post("/queries", session.Encode(body)).Offered("D31").Is(201).Text("/identifier")
	bob.Get(session.Lookup("/problems/search", "savedQuery", saved)).Is(200).Problems(a)
}
