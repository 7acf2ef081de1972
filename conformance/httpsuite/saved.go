package httpsuite

import "strings"

// savedCases are about saved queries.
func savedCases() []demand {
	const source = "D17, D31"
	return []demand{
		{extended, "HTTP-QUERY-001", source, "a query is saved, listed to its owner, loaded, and run by its identifier or a URL that ends in it", savedQueryIsListedAndRun},
		{extended, "HTTP-QUERY-005", "D37", "savedQuery takes a URL of any scheme, with a slash, a fragment or a title after the identifier", savedQueryByURL},
		{extended, "HTTP-QUERY-002", source, "a saved query belongs to who saved it; whoever has its identifier can run it, and is $ApiUser then", savedQueryHasAnOwner},
		{extended, "HTTP-QUERY-003", source, "a saved query that was deleted is gone, and what never was is not-found", deletedQueryIsGone},
		{extended, "HTTP-QUERY-004", "D17, D18", "what cannot be run is not saved, and the scope read does not save", faultyQueryIsNotSaved},
	}
}

func savedQueryIsListedAndRun(s *session) {
	h, bob := newHerd(s), s.user()
	a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
	body := map[string]any{"name": s.unique("query"), "predicate": h.where("TRUEPREDICATE"), "sort": "-title"}
	saved := bob.post("/queries", encode(body)).offered("D17, D31").is(201).json().members("", "identifier", "owner", "name", "predicate", "sort", "creationDate")
	saved.has("/name", body["name"]).has("/predicate", body["predicate"]).has("/sort", "-title").has("/owner", bob.ref()).timed("/creationDate")
	path := "/queries/" + saved.text("/identifier")
	if !strings.HasSuffix(saved.header.Get("Location"), api+path) {
		s.Fatalf("%v\nhas the Location %q", saved, saved.header.Get("Location"))
	}
	bob.get(path).is(200).has("", saved.value)
	bob.get("/queries").is(200).has("", []any{saved.value})
	for _, query := range []string{saved.text("/identifier"), s.server.baseURL + api + path, "https://example.org/any" + path} {
		bob.get(lookup("/problems/search", "savedQuery", query)).is(200).problems(b, a)
		bob.get(lookup("/problems/search", "savedQuery", query, "sort", "title", "limit", "1")).is(200).problems(a)
	}
	bob.post("/problems/search", encode(map[string]any{"savedQuery": saved.text("/identifier")})).is(200).problems(b, a)
}

func savedQueryByURL(s *session) {
	h, bob := newHerd(s), s.user()
	a := h.add(s.admin, "a")
	saved := bob.post("/queries", encode(map[string]any{"name": "all", "predicate": h.where("TRUEPREDICATE")})).is(201)
	url := "ship://Query/" + saved.text("/identifier")
	for _, after := range []string{"", "/", "#top", " Open", " <Open, mine>", "<Open, mine>", "/ <Open/mine>"} {
		bob.get(lookup("/problems/search", "savedQuery", url+after)).is(200).problems(a)
		bob.post("/problems/search", encode(map[string]any{"savedQuery": url + after})).is(200).problems(a)
	}
	for _, text := range []string{"Open " + url, url + "/x", url + "0"} {
		bob.get(lookup("/problems/search", "savedQuery", text)).fault(400, "malformed-request")
		bob.post("/problems/search", encode(map[string]any{"savedQuery": text})).fault(422, "invalid-value", "/savedQuery")
	}
}

func savedQueryHasAnOwner(s *session) {
	h, bob, eve := newHerd(s), s.user(), s.userWith("read")
	mine, hers := h.add(bob.client, "bob's", `"assignee":`+bob.part()), h.add(s.admin, "eve's", `"assignee":`+eve.part())
	saved := bob.post("/queries", encode(map[string]any{"name": "mine", "predicate": h.where("assignee.identifier = $ApiUser")})).is(201).has("/sort", nil)
	query := lookup("/problems/search", "savedQuery", saved.text("/identifier"))
	bob.get(query).is(200).problems(mine)
	eve.get(query).is(200).problems(hers)
	eve.get("/queries").is(200).has("", []any{})
	path := "/queries/" + saved.text("/identifier")
	s.admin.delete(path, "").fault(404, "not-found")
	eve.delete(path, "").fault(403, "forbidden")
	bob.get(query).is(200).problems(mine)
}

func deletedQueryIsGone(s *session) {
	bob := s.user()
	body := encode(map[string]any{"name": "none", "predicate": "FALSEPREDICATE"})
	path := "/queries/" + bob.post("/queries", body).offered("D17, D31").is(201).text("/identifier")
	bob.delete(path+"?dryRun=true", "").is(204).sends("Dry-Run", "true")
	bob.get(path).is(200)
	bob.delete(path, "").is(204).empty()
	bob.get(path).fault(404, "not-found")
	bob.delete(path, "").fault(404, "not-found")
	bob.get("/queries").is(200).has("", []any{})
	bob.get(lookup("/problems/search", "savedQuery", strings.TrimPrefix(path, "/queries/"))).fault(404, "not-found")
	bob.post("/queries?dryRun=true", body).is(201).sends("Dry-Run", "true").lacks("/identifier")
	bob.get("/queries").is(200).has("", []any{})
}

func faultyQueryIsNotSaved(s *session) {
	bob, reader := s.user(), s.userWith("read")
	reader.post("/queries", `{"name":"x","predicate":"TRUEPREDICATE"}`).fault(403, "forbidden")
	bob.post("/queries", `{}`).fault(422, "required-field", "/name", "/predicate")
	bob.post("/queries", `{"name":"x","predicate":"titel = 'x'"}`).refused()
	bob.post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","sort":"colour"}`).refused()
	bob.post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","colour":1}`).fault(422, "unknown-field", "/colour")
	bob.get("/queries").is(200).has("", []any{})
	saved := bob.post("/queries", `{"name":"x","predicate":"TRUEPREDICATE"}`).is(201).text("/identifier")
	bob.get(lookup("/problems/search", "predicate", "FALSEPREDICATE", "savedQuery", saved)).fault(400, "malformed-request")
	bob.get(lookup("/problems/search", "savedQuery", "x")).fault(400, "malformed-request")
}
