package queries

import (
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
		session.Extended("HTTP-QUERY-006", "D31", "a predicate that a search takes can be saved and finds the same, with a combining mark after an escape, too", savedQueryMeansTheSame),
	}
}

func savedQueryIsListedAndRun(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	body := map[string]any{"name": s.Unique("query"), "predicate": h.where("TRUEPREDICATE"), "sort": "-title"}
	saved := bob.Post("/queries", session.Encode(body)).Offered("D17, D31").Is(201).JSON().Members("", "identifier", "owner", "name", "predicate", "sort", "creationDate")
	saved.Has("/name", body["name"]).Has("/predicate", body["predicate"]).Has("/sort", "-title").Has("/owner", bob.Ref()).Timed("/creationDate")
	path := "/queries/" + saved.Text("/identifier")
	if !strings.HasSuffix(saved.Header.Get("Location"), session.API+path) {
		s.Fatalf("%v\nhas the Location %q", saved, saved.Header.Get("Location"))
	}
	bob.Get(path).Is(200).Has("", saved.Value)
	bob.Get("/queries").Is(200).Has("", []any{saved.Value})
	for _, query := range []string{saved.Text("/identifier"), s.Server.BaseURL + session.API + path, "https://example.org/any" + path} {
		bob.Get(session.Lookup("/problems/search", "savedQuery", query)).Is(200).Problems(b, a)
		bob.Get(session.Lookup("/problems/search", "savedQuery", query, "sort", "title", "limit", "1")).Is(200).Problems(a)
	}
	bob.Post("/problems/search", session.Encode(map[string]any{"savedQuery": saved.Text("/identifier")})).Is(200).Problems(b, a)
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
	eve.Get("/queries").Is(200).Has("", []any{})
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
	bob.Get("/queries").Is(200).Has("", []any{})
	bob.Get(session.Lookup("/problems/search", "savedQuery", strings.TrimPrefix(path, "/queries/"))).Fault(404, "not-found")
	bob.Post("/queries?dryRun=true", body).Is(201).Sends("Dry-Run", "true").Lacks("/identifier")
	bob.Get("/queries").Is(200).Has("", []any{})
}

func faultyQueryIsNotSaved(s *session.Session) {
	bob, reader := s.User(), s.UserWith("read")
	reader.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE"}`).Fault(403, "forbidden")
	bob.Post("/queries", `{}`).Fault(422, "required-field", "/name", "/predicate")
	bob.Post("/queries", `{"name":"x","predicate":"titel = 'x'"}`).Refused()
	bob.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","sort":"colour"}`).Refused()
	bob.Post("/queries", `{"name":"x","predicate":"TRUEPREDICATE","colour":1}`).Fault(422, "unknown-field", "/colour")
	bob.Get("/queries").Is(200).Has("", []any{})
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
