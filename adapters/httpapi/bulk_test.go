package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	bulkPath = api + "/problems?predicate=TRUEPREDICATE"
	bulkBody = `{"state":{"name":"Closed"}}`
)

// setupBulk returns a fixture that finds the problems 12 and 13, which are alike.
func setupBulk(t *testing.T) *fixture {
	t.Helper()
	f := setup(t)
	f.hits = []store.Hit{{ID: 12, Revision: 3}, {ID: 13, Revision: 3}}
	return f
}

func (f *fixture) bulk(t *testing.T, query, body string) (c wire.ChangedProblems) {
	t.Helper()
	w := f.send(t, request("PATCH", bulkPath+query, body), 200, "")
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	dry := ""
	if strings.Contains(query, "dryRun=true") {
		dry = "true"
	}
	header(t, w, map[string]string{"Dry-Run": dry, "ETag": "", "Problem-Revision": ""})
	return c
}

// bulkQuery prepares the fixture for a change of many problems to fail in a way, and
// returns the query.
func bulkQuery(f *fixture, kind fault.Kind) string {
	const query = "?predicate=TRUEPREDICATE"
	f.hits = []store.Hit{{ID: 12, Revision: 3}}
	switch kind {
	case fault.StaleRevision, fault.TooManyResults, fault.QueryTooExpensive:
		return query + "&preview=" + tracker.Preview{Now: samples.Time.Add(2 * time.Hour)}.String()
	case fault.TransitionNotAllowed, fault.UnknownOutcome:
		if kind == fault.TransitionNotAllowed {
			f.snapshot.State = samples.Open.ID
		}
		var c wire.ChangedProblems
		if err := json.Unmarshal(f.do(request("PATCH", bulkPath+"&dryRun=true", bulkBody)).Body.Bytes(), &c); err != nil || c.Preview == nil {
			return ""
		}
		return query + "&preview=" + *c.Preview
	}
	return query
}

// Types of refusals are pages of this server, wherever it is.
func TestBulkRefusalBelowBasePath(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	f.hits, f.snapshot.State = []store.Hit{{ID: 12, Revision: 3}}, samples.Open.ID
	w := f.send(t, request("PATCH", "/tracker"+bulkPath+"&dryRun=true", bulkBody), 200, "")
	if !strings.Contains(w.Body.String(), `"refused":[{"identifier":12,"type":"/tracker/errors/transition-not-allowed","detail":"from \"Open\" a problem can move to: In Progress","errors":[]}]`) {
		t.Errorf("%s", w.Body)
	}
}

// The order of D18, put right one by one.
func TestBulkOrderOfErrors(t *testing.T) {
	t.Parallel()
	f := setupBulk(t)
	f.snapshot.State = samples.Open.ID
	media, body, match := "text/html", `{"state":`, `"3"`
	values := url.Values{"predicate": {"title ="}, "preview": {"x"}, "sort": {"title"}}
	step := func(status int, slug fault.Kind, repair func()) {
		t.Helper()
		f.send(t, request("PATCH", api+"/problems?"+values.Encode(), body, "Content-Type", media, "If-Match", match), status, slug)
		repair()
	}
	step(415, fault.UnsupportedMediaType, func() { media = mediaMerge })
	step(400, fault.MalformedRequest, func() { values.Del("sort") })
	step(400, fault.MalformedRequest, func() { match = "" })
	step(400, fault.MalformedRequest, func() { values.Set("preview", tracker.Preview{Now: samples.Time.Add(2 * time.Hour)}.String()) })
	step(400, fault.InvalidPredicate, func() { values.Set("predicate", "TRUEPREDICATE") })
	step(400, fault.MalformedJSON, func() { body = `{"title":null,"state":{"name":"Done"}}` })
	step(412, fault.StaleRevision, func() { values.Del("preview") })
	step(422, fault.ValidationFailed, func() { body = bulkBody })
	step(422, fault.PreviewRequired, func() { values.Set("dryRun", "true") })
	step(200, "", func() {
		shown := f.bulk(t, "&dryRun=true", body)
		values.Del("dryRun")
		values.Set("preview", *shown.Preview)
	})
	step(409, fault.TransitionNotAllowed, func() {})
	if len(f.changes) > 0 {
		t.Errorf("stored: %+v", f.changes)
	}
}

func TestBulkParameters(t *testing.T) {
	t.Parallel()
	f := setupBulk(t)
	f.queries = []query.Saved{{ID: samples.Identifier(30), Owner: samples.Ann.ID, Predicate: "TRUEPREDICATE"}}
	preview := tracker.Preview{Now: samples.Time.Add(2 * time.Hour)}.String()
	late := tracker.Preview{Now: samples.Time.Add(time.Hour)}.String()
	for parameters, want := range map[string]fault.Kind{
		"":                                     fault.MalformedRequest, // never all problems by mistake
		"?dryRun=true":                         fault.MalformedRequest,
		"?predicate=":                          fault.InvalidPredicate,
		"?predicate=TRUEPREDICATE&dryRun=1":    fault.MalformedRequest,
		"?predicate=TRUEPREDICATE&preview=":    fault.MalformedRequest,
		"?predicate=TRUEPREDICATE&asOf=1":      fault.MalformedRequest,
		"?predicate=TRUEPREDICATE&limit=1":     fault.MalformedRequest,
		"?predicate=TRUEPREDICATE&predicate=x": fault.MalformedRequest,
		"?savedQuery=x":                        fault.MalformedRequest,
		"?predicate=TRUEPREDICATE&savedQuery=" + samples.Identifier(30).String(): fault.MalformedRequest,
		"?savedQuery=" + samples.Identifier(31).String():                         fault.NotFound,
		"?savedQuery=" + samples.Identifier(30).String():                         fault.PreviewRequired,
		"?predicate=TRUEPREDICATE&preview=" + late:                               fault.PreviewRequired,
		"?predicate=TRUEPREDICATE&preview=" + preview:                            fault.StaleRevision,
		"?predicate=TRUEPREDICATE&dryRun=true&preview=" + preview:                fault.StaleRevision,
	} {
		f.send(t, request("PATCH", api+"/problems"+parameters, bulkBody), httpframe.FailureOf(want).Status, want)
	}
	saved := "?savedQuery=https://example.org/queries/" + samples.Identifier(30).String()
	f.send(t, request("PATCH", api+"/problems"+saved+"&dryRun=true", bulkBody), 200, "")
	if len(f.changes) > 0 {
		t.Errorf("stored: %+v", f.changes)
	}
}

// A dry run ends when its client goes away: nobody waits for what it finds. The change
// itself does not.
func TestBulkWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	f := setupBulk(t)
	shown := f.bulk(t, "&dryRun=true", bulkBody)
	send := func(query string) (status int, aborted any) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		defer func() { aborted = recover() }()
		return f.do(request("PATCH", bulkPath+query, bulkBody).WithContext(ctx)).Code, nil
	}
	if _, aborted := send("&dryRun=true"); aborted != http.ErrAbortHandler {
		t.Errorf("the dry run ends with %v", aborted)
	}
	if status, aborted := send("&preview=" + *shown.Preview); status != 200 || aborted != nil || len(f.changes) != 1 {
		t.Errorf("the change ends with %d (%v), and stores %d", status, aborted, len(f.changes))
	}
}

// The body is that of W2 without what only one problem can have.
func TestBulkMembers(t *testing.T) {
	t.Parallel()
	f := setupBulk(t)
	for body, want := range map[string]fault.Kind{
		`{}`: "",
		`{"title":"U","priority":null,"classification":null,"component":null,"milestone":null,"assignee":{"name":"Bob"},"read":true}`: "",
		`{"identifier":12}`:         fault.UnknownField,
		`{"revision":3}`:            fault.UnknownField,
		`{"keywords":[]}`:           fault.UnknownField,
		`{"watching":true}`:         fault.UnknownField,
		`{"modifier":null}`:         fault.UnknownField,
		`{"Title":"U"}`:             fault.UnknownField,
		`{"title":null}`:            fault.InvalidValue,
		`{"state":null}`:            fault.InvalidValue,
		`{"state":"Closed"}`:        fault.InvalidType,
		`{"read":1}`:                fault.InvalidType,
		`[]`:                        fault.InvalidType,
		`{"assignee":{"name":"x"}}`: fault.MetadataNotFound,
	} {
		status := 200
		if want != "" {
			status = httpframe.FailureOf(want).Status
		}
		f.send(t, request("PATCH", bulkPath+"&dryRun=true", body), status, want)
	}
}
