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
	found := page.submit("/queries", "name", "Doors <b>", "predicate", "title CONTAINS 'door'", "sort", "-creationDate").is(200).has("The door is open", "All saved queries")
	if !strings.HasPrefix(found.path, "/problems?query=") {
		t.Errorf("the answer is at %s", found.path)
	}
	list := ann.get(queriesPath).is(200).has("Doors <b>", "title CONTAINS 'door'", "-creationDate").lacks("There is none yet.")
	if at := link(list, "Doors <b>"); at != found.path {
		t.Errorf("the query leads to %s, want %s", at, found.path)
	}
	change := "/queries/" + strings.TrimPrefix(found.path, "/problems?query=")
	remove := change + "/delete"
	list.submit(change, "name", "Gates", "sort", "").is(200).at(queriesPath).has("Gates", "title CONTAINS 'door'").lacks("Doors", "-creationDate")
	list.submit(change, "predicate", "titel = 'x'").is(422).has("Query: is not valid", "is kept")
	bob.post(change, "name", "Bob's").is(404)
	bob.get(queriesPath).is(200).lacks("Doors")
	bob.post(remove, "from", "queries").is(404)
	reader.get(queriesPath).is(200).has("There is none yet.").lacks("Order")
	reader.post("/queries", "name", "x", "predicate", "TRUEPREDICATE").is(403)
	reader.post(remove, "from", "queries").is(403)
	list.submit(remove).is(200).at(queriesPath).has("There is none yet.")
	ann.get(found.path).is(404)
}

// A saved query keeps its columns, and everybody has a shared one beside the list (D57).
func TestSharedQueryPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann, bob, admin := s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Write), s.as(t, "Root", access.Admin)
	list := ann.get("/problems?query=open&columns=due&columns=created").submit("/queries", "name", "Late").is(200).find("<h2>Mine</h2>").lacks("Team")
	id := strings.TrimPrefix(list.path, "/problems?query=")
	share := "/queries/" + id + "/share"
	bob.post(share, "shared", "yes").is(404)
	list.submit(share).is(200).at(list.path).has("Team Late", "Stop sharing").lacks("Mine Late")
	bob.get("/problems").is(200).has("Team Late")
	for columns, want := range map[string]string{"": "due created", "&columns=state": "state"} {
		shown := bob.get(list.path + columns).is(200).lacks("Stop sharing").form("/problems/filter")["columns"]
		if got := strings.Join(shown, " "); got != want {
			t.Errorf("with %q the columns are %s, want %s", columns, got, want)
		}
	}
	bob.post(share, "shared", "no").is(403)
	bob.get(queriesPath).is(200).has("Late", "by Ann", "due,creationDate").lacks(share)
	admin.get(queriesPath).is(200).submit(share).is(200).at(queriesPath).lacks("Late")
	bob.get(queriesPath).is(200).lacks("Late")
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
