package web

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

const queriesPath = "/administration/queries"

// People see, save and delete their own saved queries, and no others.
func TestSavedQueriesPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann, bob, reader := s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Admin), s.as(t, "Rita", access.Read)
	s.problem(t, "The door is open")
	page := ann.get(queriesPath).is(200).has("There is none yet.", "Saved queries")
	found := page.submit("/queries", "name", "Doors <b>", "predicate", "title CONTAINS 'door'", "sort", "-creationDate").is(200).has("The door is open", "All your saved queries")
	if !strings.HasPrefix(found.path, "/problems?query=") {
		t.Errorf("the answer is at %s", found.path)
	}
	list := ann.get(queriesPath).is(200).has("Doors <b>", "title CONTAINS 'door'", "-creationDate").lacks("There is none yet.")
	if at := link(list, "Doors <b>"); at != found.path {
		t.Errorf("the query leads to %s, want %s", at, found.path)
	}
	remove := "/queries/" + strings.TrimPrefix(found.path, "/problems?query=") + "/delete"
	bob.get(queriesPath).is(200).lacks("Doors")
	bob.post(remove, "from", "queries").is(404)
	reader.get(queriesPath).is(200).has("There is none yet.").lacks("Order")
	reader.post("/queries", "name", "x", "predicate", "TRUEPREDICATE").is(403)
	reader.post(remove, "from", "queries").is(403)
	list.submit(remove).is(200).at(queriesPath).has("There is none yet.")
	ann.get(found.path).is(404)
}

// Each fault is named at its field, and what was typed is kept.
func TestSavedQueryRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	refused := b.get(queriesPath).submit("/queries", "name", "", "predicate", "titel = 'x'", "sort", "odd").is(422).
		has("Name:", "Query: is not valid", "line 1, column 1", "Order: is not valid", "is kept")
	if got := refused.form("/queries"); got.Get("predicate") != "titel = 'x'" || got.Get("sort") != "odd" {
		t.Errorf("the form has %v", got)
	}
	b.get(queriesPath).has("There is none yet.")
}
