package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// D2, D30: the lists, as existing clients read them.
func TestListMetadata(t *testing.T) {
	t.Parallel()
	f := setup(t)
	id := func(n string) string { return `"0150d4f1-6000-7000-8000-0000000000` + n + `"` }
	server := `{"identifier":` + id("07") + `,"name":"Server","fullName":"Server"}`
	for path, want := range map[string]string{
		"/states": `[{"identifier":` + id("03") + `,"name":"Open","resolved":false,"initial":true,"order":1,"nextStates":[{"identifier":` + id("04") + `,"name":"In Progress"}]},` +
			`{"identifier":` + id("04") + `,"name":"In Progress","resolved":false,"initial":false,"order":2,"nextStates":[{"identifier":` + id("03") + `,"name":"Open"},{"identifier":` + id("13") + `,"name":"Closed"}]},` +
			`{"identifier":` + id("13") + `,"name":"Closed","resolved":true,"initial":false,"order":3,"nextStates":[{"identifier":` + id("03") + `,"name":"Open"}]}]`,
		"/priorities":      `[{"identifier":` + id("05") + `,"name":"High","order":2}]`,
		"/classifications": `[{"identifier":` + id("06") + `,"name":"Incorrect Behavior"}]`,
		"/components": `[{"identifier":` + id("08") + `,"name":"Accounts","fullName":"Server/Accounts","closed":false,"successor":null,"parent":` + server + `},` +
			`{"identifier":` + id("07") + `,"name":"Server","fullName":"Server","closed":false,"successor":null,"parent":null}]`,
		"/milestones": `[{"identifier":` + id("09") + `,"name":"Spring","component":` + server + `,"creationDate":"2015-11-05T09:30:00.125Z","startDate":null,"endDate":"2016-05-05T09:30:00.125Z"}]`,
	} {
		w := f.send(t, request("GET", api+path, "", "Authorization", "Ship "+secretOf(access.Read).Reveal()), 200, "")
		if got := strings.TrimSuffix(w.Body.String(), "\n"); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", path, got, want)
		}
		header(t, w, map[string]string{"ETag": etag.Catalogue(f.catalogue), "Content-Type": "application/json"})
		f.send(t, request("GET", api+path, "", "If-None-Match", etag.Catalogue(f.catalogue)), 304, "")
		f.send(t, request("GET", api+path, "", "If-None-Match", `"c13"`), 200, "")
		f.send(t, request("GET", api+path+"?limit=1", ""), 400, fault.MalformedRequest)
	}
}

// D30: a single object is what the list has of it.
func TestLoadMetadata(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, e := range endpoints() {
		if e.Tags[0] != "Metadata" || e.Method != "GET" || !strings.HasSuffix(e.Path, "/{identifier}") {
			continue
		}
		list := strings.TrimSuffix(e.Path, "/{identifier}")
		w := f.send(t, request("GET", api+list+"/"+objectOf(e).String(), ""), 200, "")
		header(t, w, map[string]string{"ETag": etag.Catalogue(f.catalogue)})
		all := f.send(t, request("GET", api+list, ""), 200, "").Body.String()
		if one := strings.TrimSpace(w.Body.String()); !strings.Contains(all, one) {
			t.Errorf("%s: %s is not in the list %s", e.Path, one, all)
		}
		f.send(t, request("GET", api+list+"/"+samples.Ann.ID.String(), ""), 404, fault.NotFound)
		f.send(t, request("GET", api+list+"/1", ""), 404, fault.NotFound)
		f.send(t, request("DELETE", api+list+"/"+objectOf(e).String(), ""), 405, fault.MethodNotAllowed)
	}
}

// D17, D30: a token of scope write makes milestones, with only a name, and nothing
// else.
func TestCreateMilestoneWithAName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	write := secretOf(access.Write).Reveal()
	w := f.send(t, request("POST", api+"/milestones", `{"name":"Summer"}`, "Authorization", write), 201, "")
	effects := f.changes[0].Effects // the audit entry, the milestone, the event
	put, ok := effects[len(effects)-2].(store.PutMilestone)
	if !ok {
		t.Fatalf("stored is %+v", effects)
	}
	want := `{"identifier":"` + put.Milestone.ID.String() + `","name":"Summer","component":null,"creationDate":"2015-11-05T11:30:00.125Z","startDate":null,"endDate":null}` + "\n"
	if w.Body.String() != want {
		t.Errorf("%s, not %s", w.Body, want)
	}
	header(t, w, map[string]string{"Location": api + "/milestones/" + put.Milestone.ID.String(), "ETag": ""})
	f.send(t, request("PATCH", api+"/milestones/"+samples.Milestone.ID.String(), `{}`, "Authorization", write), 403, fault.Forbidden)
	f.send(t, request("POST", api+"/components", `{"name":"Web"}`, "Authorization", write), 403, fault.Forbidden)
	f.send(t, request("POST", api+"/milestones", `{"name":"Summer"}`, "Authorization", secretOf(access.Read).Reveal()), 403, fault.Forbidden)
}

// D24: what a dry run creates has no identifier, and is not stored.
func TestMetadataInDryRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	ignored := map[string]string{"/states": "identifier", "/components": "fullName", "/milestones": "creationDate"}
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/states", `{"name":"Verified","identifier":"mine"}`, `{"name":"Verified","resolved":false,"initial":false,"order":4,"nextStates":[]}`},
		{"POST", "/priorities", `{"name":"Low"}`, `{"name":"Low","order":3}`},
		{"POST", "/classifications", `{"name":"Task"}`, `{"name":"Task"}`},
		{"POST", "/components", `{"name":"Login","fullName":"x","parent":{"fullName":"Server/Accounts"}}`,
			`{"name":"Login","fullName":"Server/Accounts/Login","closed":false,"successor":null,"parent":{"identifier":"` + samples.Accounts.ID.String() + `","name":"Accounts","fullName":"Server/Accounts"}}`},
		{"POST", "/milestones", `{"name":"Summer","creationDate":7}`, `{"name":"Summer","component":null,"creationDate":"2015-11-05T11:30:00.125Z","startDate":null,"endDate":null}`},
		{"PATCH", "/priorities/" + samples.Priority.ID.String(), `{"order":-1}`, `{"identifier":"` + samples.Priority.ID.String() + `","name":"High","order":-1}`},
		{"PATCH", "/components/" + samples.Accounts.ID.String(), `{"parent":null}`, `{"identifier":"` + samples.Accounts.ID.String() + `","name":"Accounts","fullName":"Accounts","closed":false,"successor":null,"parent":null}`},
	} {
		w := f.do(request(c.method, api+c.path+"?dryRun=true", c.body))
		if got := strings.TrimSuffix(w.Body.String(), "\n"); got != c.want {
			t.Errorf("%s %s: %s, not %s", c.method, c.path, got, c.want)
		}
		header(t, w, map[string]string{"Dry-Run": "true", "Location": "", "Ignored-Members": ignored[c.path]})
	}
	if len(f.changes) > 0 {
		t.Errorf("a dry run wrote %v", f.changes)
	}
}

// D11, D18: all faults of a body are reported together, with their places.
func TestMetadataBodiesAreStrict(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("PATCH", api+"/states/"+samples.Open.ID.String(),
		`{"Name":"a","resolved":"no","nextStates":[{"name":"Closed"},{"nmae":"Open"}],"order":null,"identifier":null}`), 422, fault.ValidationFailed)
	for _, want := range []string{`"pointer":"/Name"`, `"pointer":"/resolved"`, `"pointer":"/nextStates/1/nmae"`, `"pointer":"/order"`, `"pointer":"/identifier"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s is not in %s", want, w.Body)
		}
	}
	f.send(t, request("PATCH", api+"/states/"+samples.Open.ID.String(), `{"nextStates":[`), 400, fault.MalformedJSON)
	// D2: a problem is in the state.
	f.hits = []store.Hit{{ID: 12, Revision: 3}}
	f.send(t, request("PATCH", api+"/states/"+samples.Progress.ID.String(), `{"resolved":true}`), 409, fault.InUse)
}
