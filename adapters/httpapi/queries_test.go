package httpapi

import (
	"context"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
)

func TestSavedQueries(t *testing.T) {
	t.Parallel()
	f := setup(t)
	mine, other := samples.Query(), samples.Query()
	other.ID, other.Owner, other.Sort = samples.Identifier(31), samples.Bob.ID, ""
	f.queries = []query.Saved{mine, other}
	const want = `{"identifier":"0150d4f1-6000-7000-8000-00000000001e","owner":{"identifier":"0150d4f1-6000-7000-8000-000000000001","name":"Ann"},` +
		`"name":"Mine, the latest first","predicate":"state.resolved = NO AND assignee.identifier = $ApiUser","sort":"-modificationDate","columns":"state,priority,due","shared":false,"creationDate":"2015-11-05T09:30:00.125Z"}`
	read := []string{"Authorization", secretOf(access.Read).Reveal()}
	if got := f.send(t, request("GET", api+"/queries", "", read...), 200, "").Body.String(); got != "["+want+"]\n" {
		t.Errorf("the list is %s", got)
	}
	if got := f.send(t, request("GET", api+"/queries/"+mine.ID.String(), "", read...), 200, "").Body.String(); got != want+"\n" {
		t.Errorf("it is %s", got)
	}
	if got := f.send(t, request("GET", api+"/queries/"+other.ID.String(), "", read...), 200, "").Body.String(); !strings.Contains(got, `"sort":null`) || !strings.Contains(got, "Bob") {
		t.Errorf("Bob's is %s", got)
	}
	f.send(t, request("DELETE", api+"/queries/"+other.ID.String(), ""), 404, fault.NotFound)
	f.send(t, request("DELETE", api+"/queries/"+mine.ID.String(), "", read...), 403, fault.Forbidden)
	f.send(t, request("DELETE", api+"/queries/"+mine.ID.String()+"?dryRun=true", ""), 204, "")
	if len(f.changes) > 0 {
		t.Fatalf("a dry run changed %v", f.changes)
	}
	f.send(t, request("DELETE", api+"/queries/"+mine.ID.String(), ""), 204, "")
	if len(f.changes) != 1 || len(f.changes[0].Effects) != 2 || f.changes[0].Effects[0] != (store.DropQuery{ID: mine.ID}) {
		t.Errorf("changed %+v", f.changes)
	}
}

func TestSaveQuery(t *testing.T) {
	t.Parallel()
	f := setup(t)
	body := `{"name":"Mine","predicate":"assignee.identifier = $ApiUser"}`
	w := f.send(t, request("POST", api+"/queries", body, "Authorization", secretOf(access.Write).Reveal()), 201, "")
	put, ok := f.changes[0].Effects[0].(store.PutQuery)
	if !ok || put.Query.Owner != samples.Ann.ID || put.Query.Name != "Mine" {
		t.Fatalf("changed %+v", f.changes)
	}
	header(t, w, map[string]string{"Location": api + "/queries/" + put.Query.ID.String()})
	f.send(t, request("POST", api+"/queries", body, "Authorization", secretOf(access.Read).Reveal()), 403, fault.Forbidden)
	w = f.send(t, request("POST", api+"/queries?dryRun=true", body), 201, "")
	header(t, w, map[string]string{"Location": "", "Dry-Run": "true"})
	if strings.HasPrefix(w.Body.String(), `{"identifier"`) || len(f.changes) != 1 {
		t.Errorf("a dry run answers %s", w.Body)
	}
	w = f.send(t, request("POST", api+"/queries", `{"name":"Mine","predicate":"assignee.identifer = $ApiUser"}`), 422, fault.InvalidValue)
	if got := w.Body.String(); !strings.Contains(got, `"pointer":"/predicate"`) || !strings.Contains(got, "line 1, column 10") {
		t.Errorf("what is wrong with it: %s", got)
	}
}

// A saved query is named by its identifier, or by a URL whose last path segment is
// one. A title after it does not count, whatever it looks like.
func TestSavedIdentifier(t *testing.T) {
	t.Parallel()
	id, other := samples.Query().ID, samples.Identifier(99).String()
	for _, before := range []string{"", "/queries/", "queries/", "ship://Query/", "ship:Query/", "https://example.org/base" + api + "/queries/", "https://example.org/#/q/", "https://example.org/?q=", " "} {
		for _, after := range []string{"", "/", "#", "#top", "?x=1#y", "#50%", " Open", " <Open, mine>", "<Open, mine>", "\u00a0Open", "\tOpen", "\nOpen/" + other, " <Open/mine?x=" + other + ">", "/ <" + other, "%20%3COpen%3E", "%20Open/" + other, " 50% #1"} {
			if strings.ContainsAny(before, "?#") && strings.ContainsAny(after, "?#/%") {
				continue // the identifier is in no path there, so nothing but a title ends it
			}
			for _, name := range []string{id.String(), strings.ToUpper(id.String())} {
				if got := savedIdentifier(before + name + after); got != id {
					t.Errorf("%q names %v", before+name+after, got)
				}
			}
		}
	}
	for _, text := range []string{
		"", " ", "x", "<" + id.String() + ">", "Open " + id.String(), "ship://Query/ " + id.String(), "ship://Query/" + id.String() + "0",
		"ship://Query/" + id.String() + "/x", "ship://Query/" + id.String() + ",Open", "ship://Query/%zz" + id.String(),
	} {
		if got := savedIdentifier(text); !got.IsNone() {
			t.Errorf("%q names %v", text, got)
		}
	}
}

// A saved query is named by its identifier, or by a URL that ends in it.
func TestSearchBySavedQuery(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.queries = []query.Saved{samples.Query()}
	f.hits = []store.Hit{{ID: 12, Keys: nil}}
	var asked store.Query
	f.searched = func(_ context.Context, q store.Query) { asked = q }
	id := samples.Query().ID.String()
	for _, name := range []string{id, "https://problems.example.org/tracker" + api + "/queries/" + id, api + "/queries/" + id, "/queries/" + id + "/", "queries/" + id + "?x=1#y",
		"https://problems.example.org/#/q/" + id, "https://problems.example.org/?q=" + id, "https://problems.example.org/#" + id, "ship://Query/" + id + " <Open, mine>"} {
		asked = store.Query{}
		f.searchBy(t, "/problems/search", 200, "", "savedQuery", name)
		if len(asked.Sort) != 1 || !asked.Sort[0].Descending || asked.Plan == nil {
			t.Errorf("%s: asked for %+v", name, asked)
		}
	}
	f.searchBy(t, "/problems/search", 200, "", "savedQuery", id, "sort", "title")
	if len(asked.Sort) != 1 || asked.Sort[0].Descending {
		t.Errorf("the order of the request does not win: %+v", asked.Sort)
	}
	f.searchBy(t, "/problems/search", 404, fault.NotFound, "savedQuery", samples.Identifier(99).String())
	f.send(t, request("GET", api+"/problems/search?savedQuery=0"+id, ""), 400, fault.MalformedRequest)
}
