package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestExistingClient sends the requests of the clients that were there before this
// service: a Python library and scripts that work against this family of APIs.
// They cannot be changed, so neither can what they send here.
func TestExistingClient(t *testing.T) {
	t.Parallel()
	eachAdapter(t, existingClient)
}

func existingClient(t *testing.T, store string) {
	admin := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+admin)
	c := &oldClient{t: t, client: s.as("Ship " + admin)} // the scheme that the library puts before its token

	// Who is there, and what there is to choose from.
	var users, states, priorities, classifications []record
	for _, list := range []struct {
		path string
		into *[]record
	}{
		{"/users", &users}, {"/states", &states}, {"/priorities", &priorities}, {"/classifications", &classifications},
		{"/components", new([]record)}, {"/milestones", new([]record)},
	} {
		c.get(list.path, list.into)
	}
	me := users[0]
	if me["email"] != "admin@localhost" || len(states) != 3 || len(priorities) != 4 || len(classifications) != 4 {
		t.Fatalf("lists: users %v, states %v, priorities %v, classifications %v", users, states, priorities, classifications)
	}

	// A milestone has only a name when it is made.
	var milestone record
	c.send(http.StatusCreated, http.MethodPost, "/milestones", record{"name": "Next"}, &milestone)
	if milestone["name"] != "Next" || milestone["component"] != nil || milestone["endDate"] != nil {
		t.Errorf("the new milestone is %v", milestone)
	}
	var component record
	c.send(http.StatusCreated, http.MethodPost, "/components", record{"name": "API"}, &component)

	// Every list can be searched.
	for _, search := range []struct {
		path, predicate string
		want            []string
	}{
		{"/users", "identifier == $ApiUser", []string{"Administrator"}},
		{"/users", "inactive == NO", []string{"Administrator"}},
		{"/states", "Initial = YES", []string{"Open"}},
		{"/states", "ANY PreviousStates.identifier = '" + named(t, states, "Open")["identifier"].(string) + "'", []string{"In Progress", "Closed"}},
		{"/priorities", "name IN {'High', 'Low'}", []string{"High", "Low"}},
		{"/classifications", "name BEGINSWITH[c] 'enh'", []string{"Enhancement"}},
		{"/components", "closed = NO AND fullName = 'API'", []string{"API"}},
		{"/components", "ANY children.identifier = '" + component["identifier"].(string) + "'", nil},
		{"/milestones", "(StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())", []string{"Next"}},
	} {
		var found []record
		c.get(search.path+"/search?predicate="+url.QueryEscape(search.predicate), &found)
		if got := namesOf(found); !slices.Equal(got, search.want) {
			t.Errorf("%s where %s: %q, want %q", search.path, search.predicate, got, search.want)
		}
	}

	// Problems, with the milestone by its name.
	var first, second record
	c.send(http.StatusCreated, http.MethodPost, "/problems", record{"title": "The API is slow", "milestone": record{"name": "Next"}, "assignee": record{"email": "admin@localhost"}}, &first)
	c.send(http.StatusCreated, http.MethodPost, "/problems", record{"title": "The disk is slow"}, &second)
	problem := "/problems/" + number(first["identifier"])
	other := "/problems/" + number(second["identifier"])

	// A build tags a problem: a keyword without a value has no body either.
	if status, body := c.do(http.MethodPut, problem+"/keywords/build-1.2", "", "Content-Type", "application/json"); status != http.StatusCreated {
		t.Errorf("a keyword without a value: %d %s", status, body)
	}
	c.send(http.StatusCreated, http.MethodPut, problem+"/keywords/fixed-in", "1.2", nil)

	var comment record
	c.send(http.StatusCreated, http.MethodPost, problem+"/comments", record{"text": "Seen since <yesterday>."}, &comment)
	if comment["text"] != "Seen since <yesterday>." || comment["html"] != nil {
		t.Errorf("the comment is %v", comment)
	}

	// One problem blocks the other; both are open.
	c.send(http.StatusCreated, http.MethodPut, problem+"/relationships", record{"type": "BlockedBy", "problemIdentifier": second["identifier"]}, nil)
	search := func(predicate string, want ...string) (found []record) {
		t.Helper()
		c.get("/problems/search?predicate="+url.QueryEscape(predicate)+"&includeDetail=true", &found)
		var titles []string
		for _, p := range found {
			titles = append(titles, p["title"].(string))
			if logs, ok := p["logs"].([]any); !ok || len(logs) == 0 {
				t.Errorf("where %s: a problem without its log: %v", predicate, p)
			}
		}
		if !slices.Equal(titles, want) {
			t.Errorf("where %s: %q, want %q", predicate, titles, want)
		}
		return found
	}
	search("state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0", "The API is slow")
	search("read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser")
	search("read = YES AND state.resolved = NO AND assignee.identifier = $ApiUser", "The API is slow")
	search("creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)", "The API is slow", "The disk is slow")
	search("SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0", "The API is slow", "The disk is slow")
	search("title CONTAINS[c] 'api'", "The API is slow")
	search("identifier IN {"+number(first["identifier"])+", "+number(second["identifier"])+"}", "The API is slow", "The disk is slow")
	found := search("milestone.name =[c] 'next'", "The API is slow")

	// A bulk close: the state is the whole object as the list has it. What was found
	// can be sent back, too.
	for _, p := range found {
		path := "/problems/" + number(p["identifier"])
		c.send(http.StatusOK, http.MethodPatch, path, record{"state": named(t, states, "Closed")}, &p)
		if p["state"].(record)["name"] != "Closed" || p["resolver"].(record)["email"] != "admin@localhost" {
			t.Errorf("closed, the problem is %v", p)
		}
		c.send(http.StatusOK, http.MethodPatch, path, record{"milestone": nil}, &p)
		if p["milestone"] != nil {
			t.Errorf("without a milestone, the problem is %v", p)
		}
	}
	search("state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0")

	// A relationship is deleted with the object that was listed.
	var related []record
	c.get(problem+"/relationships", &related)
	if len(related) != 1 || related[0]["type"] != "BlockedBy" {
		t.Fatalf("the relationships are %v", related)
	}
	c.send(http.StatusNoContent, http.MethodDelete, problem+"/relationships", related[0], nil)
	for _, path := range []string{problem, other} {
		if c.get(path+"/relationships", &related); len(related) != 0 {
			t.Errorf("%s still has the relationships %v", path, related)
		}
	}

	// Watchers, by whatever the client has at hand.
	var ann, bob, cyd record
	for name, into := range map[string]*record{"Ann": &ann, "Bob": &bob, "Cyd": &cyd} {
		c.send(http.StatusCreated, http.MethodPost, "/users", record{"name": name, "email": strings.ToLower(name) + "@example.org"}, into)
	}
	for _, body := range []record{{"email": "ann@example.org"}, {"identifier": bob["identifier"]}, cyd} {
		c.send(http.StatusCreated, http.MethodPut, problem+"/watchers", body, nil)
	}
	var watchers []record
	c.get(problem+"/watchers", &watchers)
	if got := namesOf(watchers); !slices.Equal(got, []string{"Ann", "Bob", "Cyd"}) {
		t.Errorf("the watchers are %q", got)
	}
	search("watching = YES")

	// A saved query is pasted from the client application: a URL of its own, with the title.
	var saved record
	c.send(http.StatusCreated, http.MethodPost, "/queries", record{"name": "Disks, mine", "predicate": "title CONTAINS 'disk'"}, &saved)
	var listed []record
	c.get("/problems/search?savedQuery="+url.QueryEscape("ship://Query/"+saved["identifier"].(string)+" <Disks, mine>"), &listed)
	if len(listed) != 1 || listed[0]["title"] != "The disk is slow" {
		t.Errorf("by the pasted URL of the saved query: %v", listed)
	}
}

// record is a JSON object.
type record = map[string]any

// oldClient fails the test when it is answered otherwise than it was.
type oldClient struct {
	t testing.TB
	*client
}

func (c *oldClient) get(path string, into any) {
	c.t.Helper()
	*into.(*[]record) = nil
	c.client.get(c.t, path, into)
}

// send sends a JSON body, wants a status, and reads what is answered.
func (c *oldClient) send(status int, method, path string, body any, into *record) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	got, answer := c.do(method, path, string(text), "Content-Type", "application/json")
	if got != status {
		c.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, text, got, status, answer)
	}
	if into == nil {
		return
	}
	*into = nil
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// number is a JSON number as it stands in a path.
func number(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func namesOf(list []record) []string {
	var all []string
	for _, o := range list {
		all = append(all, o["name"].(string))
	}
	return all
}

func named(t testing.TB, list []record, name string) record {
	t.Helper()
	i := slices.IndexFunc(list, func(o record) bool { return o["name"] == name })
	if i < 0 {
		t.Fatalf("no %q among %v", name, list)
	}
	return list[i]
}
