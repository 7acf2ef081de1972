package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/cursor"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// asQuery writes the parameters of a search, which are pairs of name and value.
func asQuery(pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return "?" + values.Encode()
}

// asBody writes the same as the body of a POST.
func asBody(t *testing.T, pairs ...string) string {
	t.Helper()
	members := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
		switch pairs[i] {
		case "limit":
			members[pairs[i]] = json.Number(pairs[i+1])
		case "includeDetail":
			members[pairs[i]] = pairs[i+1] == "true"
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// searchBy makes the same search both ways.
func (f *fixture) searchBy(t *testing.T, path string, status int, slug fault.Kind, pairs ...string) [2]*httptest.ResponseRecorder {
	t.Helper()
	return [2]*httptest.ResponseRecorder{
		f.send(t, request("GET", api+path+asQuery(pairs...), ""), status, slug),
		f.send(t, request("POST", api+path, asBody(t, pairs...)), status, slug),
	}
}

// D31: the chosen members are as in the whole, nested alike, and in its order.
func TestFields(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.hits = []store.Hit{{ID: 12}, {ID: 12}}
	whole := f.send(t, request("GET", api+"/problems/12", ""), 200, "")
	tags := map[string]bool{whole.Header().Get("Etag"): true}
	var p wire.Problem
	if err := json.Unmarshal(whole.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	var next, keywords []map[string]string
	for _, s := range p.State.NextStates {
		next = append(next, map[string]string{"name": s.Name})
	}
	for _, k := range p.Keywords {
		keywords = append(keywords, map[string]string{"name": k.Name})
	}
	encoded := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	for fields, want := range map[string]string{
		"title,identifier":                 fmt.Sprintf(`{"identifier":12,"title":%s}`, encoded(p.Title)),
		"state.name,state.order":           fmt.Sprintf(`{"state":{"name":%s,"order":%d}}`, encoded(p.State.Name), p.State.Order),
		"state.name,state,state.order":     `{"state":` + encoded(p.State) + `}`,
		"state.nextStates.name,title":      fmt.Sprintf(`{"title":%s,"state":{"nextStates":%s}}`, encoded(p.Title), encoded(next)),
		"resolver.name,keywords.name":      `{"resolver":null,"keywords":` + encoded(keywords) + `}`,
		"revision,read,component.fullName": fmt.Sprintf(`{"component":{"fullName":%s},"read":%t,"revision":%d}`, encoded(p.Component.FullName), *p.Read, p.Revision),
	} {
		one := f.send(t, request("GET", api+"/problems/12"+asQuery("fields", fields), ""), 200, "")
		if got := one.Body.String(); got != want+"\n" {
			t.Errorf("%s answers\n%swant\n%s", fields, got, want)
		}
		if tag := one.Header().Get("Etag"); tags[tag] {
			t.Errorf("%s has the ETag %s of another answer", fields, tag)
		} else if tags[tag] = true; f.do(request("PATCH", api+"/problems/12", `{"title":"x"}`, "If-Match", tag)).Code != 200 {
			t.Errorf("If-Match does not take the ETag %s of %s", tag, fields)
		}
		for _, w := range f.searchBy(t, "/problems/search", 200, "", "predicate", "TRUEPREDICATE", "fields", fields) {
			if got := w.Body.String(); got != "["+want+","+want+"]\n" {
				t.Errorf("a search for %s answers\n%s", fields, got)
			}
			header(t, w, map[string]string{"ETag": "", "Link": "", "Vary": "Authorization, Accept", "Content-Length": fmt.Sprint(w.Body.Len())})
		}
	}
	logs := f.send(t, request("GET", api+"/problems/12?fields=logs.type&limit=1", ""), 200, "")
	if got := logs.Body.String(); got != `{"logs":[{"type":"ProblemCreated"}]}`+"\n" || !strings.Contains(logs.Header().Get("Link"), "fields=logs.type") {
		t.Errorf("the log in pages is %s, with %q", got, logs.Header().Get("Link"))
	}
	for _, fields := range []string{"", "titel", "title,", "title.x", "state.", ".state", "logs.to.name", "comments"} {
		f.send(t, request("GET", api+"/problems/12"+asQuery("fields", fields), ""), 400, fault.MalformedRequest)
		f.searchBy(t, "/problems/search", 400, fault.MalformedRequest, "predicate", "TRUEPREDICATE", "fields", fields)
	}
	f.searchBy(t, "/problems/search", 400, fault.MalformedRequest, "predicate", "TRUEPREDICATE", "fields", "logs.type")
	f.send(t, request("GET", api+"/problems/12/comments?fields=title", ""), 400, fault.MalformedRequest)
	f.send(t, request("GET", api+"/users/search?predicate=TRUEPREDICATE&fields=name", ""), 400, fault.MalformedRequest)
}

// The store is asked for what the request says.
func TestSearchAsks(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var asked store.Query
	f.searched = func(_ context.Context, q store.Query) { asked = q }
	f.searchBy(t, "/problems/search", 200, "", "predicate", "assignee.identifier = $ApiUser AND creationDate < NOW()", "sort", "-title,priority.order", "limit", "7")
	if asked.Limit != 8 || asked.As != samples.Ann.ID || asked.After != nil || len(asked.Sort) != 2 || !asked.Sort[0].Descending || asked.Sort[1].Descending {
		t.Errorf("asked for %+v", asked)
	}
	f.send(t, request("GET", api+"/problems", ""), 200, "")
	if all, ok := asked.Plan.Where.(predicate.And); asked.Limit != 101 || asked.Sort != nil || !ok || len(all.Conds) > 0 {
		t.Errorf("the list of problems asks for %+v", asked) // D32
	}
	f.send(t, request("GET", api+"/problems?limit=2&sort=-identifier&includeDetail=true", ""), 200, "")
	if asked.Limit != 3 || len(asked.Sort) != 1 {
		t.Errorf("the list of problems asks for %+v", asked)
	}
	f.send(t, request("GET", api+"/problems?predicate=TRUEPREDICATE", ""), 400, fault.MalformedRequest)
}

// next returns the target of the link to the next page.
func next(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	target, ok := strings.CutSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"), `>; rel="next"`)
	if !ok {
		t.Fatalf("Link: %s", w.Header().Get("Link"))
	}
	return target
}

// A link leads to the next page of the same search: with all that was sent, and by
// nothing that the client says of the server.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	f.hits = []store.Hit{{ID: 12, Keys: []predicate.Value{"<a&b>", nil}}, {ID: 13, Keys: []predicate.Value{"b", int64(1)}}}
	var after *store.Hit
	f.searched = func(_ context.Context, q store.Query) { after = q.After }
	pairs := []string{"predicate", "title != 'a b' AND creationDate < NOW()", "sort", "title,-priority.order", "limit", "1", "includeDetail", "true"}
	for _, r := range []*http.Request{
		request("GET", "/tracker"+api+"/problems/search"+asQuery(pairs...), ""),
		request("POST", "/tracker"+api+"/problems/search", asBody(t, pairs...)),
	} {
		r.Host = "evil.example"
		target := next(t, f.send(t, r, 200, ""))
		u, err := url.Parse(target)
		if err != nil || u.Host != "" || u.Path != "/tracker"+api+"/problems/search" {
			t.Fatalf("the link is %s", target)
		}
		sent := u.Query()
		cursor := sent.Get("cursor")
		sent.Del("cursor")
		if got := "?" + sent.Encode(); got != asQuery(pairs...) || cursor == "" {
			t.Errorf("the link has %s", got)
		}
		f.send(t, request("GET", target, ""), 200, "")
		if after == nil || after.ID != 12 || len(after.Keys) != 2 || after.Keys[0] != "<a&b>" || after.Keys[1] != nil {
			t.Errorf("the next page begins after %+v", after)
		}
		after = nil
		f.send(t, request("POST", "/tracker"+api+"/problems/search", asBody(t, append(pairs, "cursor", cursor)...)), 200, "")
		if after == nil || after.ID != 12 {
			t.Errorf("by POST, the next page begins after %+v", after)
		}
	}
	// What no link can hold is not in it, and has to be sent again.
	for _, text := range []string{strings.Repeat("ä", 5000), strings.Repeat(`"<>`, 3000)} {
		long := []string{"predicate", "title != '" + text + "'", "limit", "1", "sort", "title,-priority.order"}
		for _, w := range []*httptest.ResponseRecorder{
			f.send(t, request("POST", "/tracker"+api+"/problems/search", asBody(t, long...)), 200, ""),
			f.send(t, request("GET", "/tracker"+api+"/problems/search"+asQuery(long...), ""), 200, ""),
		} {
			target := next(t, w)
			u, err := url.Parse(target)
			if err != nil {
				t.Fatal(err)
			}
			cursor := u.Query().Get("cursor")
			if got, want := "?"+u.RawQuery, asQuery("limit", "1", "sort", long[5], "cursor", cursor); got != want {
				t.Errorf("the link of a long search has %s, not %s", got, want)
			}
			if told := f.send(t, request("GET", target, ""), 400, fault.MalformedRequest).Body.String(); !strings.Contains(told, "the same predicate") || !strings.Contains(told, "POST") {
				t.Errorf("without its predicate: %s", told)
			}
			after = nil
			f.send(t, request("POST", "/tracker"+api+"/problems/search", asBody(t, append(long, "cursor", cursor)...)), 200, "")
			if after == nil || after.ID != 12 {
				t.Errorf("with its predicate, the next page begins after %+v", after)
			}
		}
	}
	// The list of all has one too.
	if target := next(t, f.send(t, request("GET", "/tracker"+api+"/problems?limit=1", ""), 200, "")); !strings.HasPrefix(target, "/tracker"+api+"/problems?cursor=") || !strings.HasSuffix(target, "&limit=1") {
		t.Errorf("the link of the list: %s", target)
	}
}

func TestSearchParameters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	long := "title = '" + strings.Repeat("a", predicate.MaxBytes) + "'"
	for _, c := range []struct {
		path, query string
		slug        fault.Kind
	}{
		{"/problems/search", "", fault.MalformedRequest},
		{"/problems/search", "?sort=title", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&savedQuery=" + samples.Identifier(30).String(), fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&predicate=TRUEPREDICATE", fault.MalformedRequest},
		{"/problems/search", "?Predicate=TRUEPREDICATE", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&dryRun=true", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=0", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=-1", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=1001", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=007", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=99999999999999999999", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&includeDetail=1", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&includeDetail=", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&cursor=", fault.MalformedRequest},
		{"/problems/search", "?predicate=TRUEPREDICATE&cursor=abc", fault.MalformedRequest},
		{"/problems/search", "?savedQuery=mine", fault.MalformedRequest},
		{"/problems/search", "?savedQuery=", fault.MalformedRequest},
		{"/problems/search", "?predicate=", fault.InvalidPredicate},
		{"/problems/search", asQuery("predicate", long), fault.InvalidPredicate},
		{"/problems/search", "?predicate=TRUEPREDICATE&sort=logs", fault.InvalidPredicate},
		{"/problems/search", "?predicate=TRUEPREDICATE&limit=1000&sort=&includeDetail=false", ""},
		{"/problems/search", "?limit=0&savedQuery=" + samples.Identifier(99).String(), fault.MalformedRequest},
		{"/problems", "?limit=0", fault.MalformedRequest},
		{"/problems", "?limit=x", fault.MalformedRequest},
		{"/users/search", "", fault.MalformedRequest},
		{"/users/search", "?predicate=TRUEPREDICATE&includeDetail=true", fault.MalformedRequest},
		{"/users/search", "?savedQuery=" + samples.Identifier(30).String(), fault.MalformedRequest},
		{"/users/search", "?predicate=title+%3D+'a'", fault.InvalidPredicate},
		{"/users/search", "?predicate=TRUEPREDICATE&limit=1&sort=-name", ""},
	} {
		status := 200
		if c.slug != "" {
			status = 400
		}
		f.send(t, request("GET", api+c.path+c.query, ""), status, c.slug)
	}
	for body, slug := range map[string]fault.Kind{
		``:                             fault.MalformedJSON,
		`{"predicate":"TRUEPREDICATE"`: fault.MalformedJSON,
		`{}`:                           fault.MalformedRequest,
		`{"predicate":null}`:           fault.MalformedRequest,
		`{"predicate":"TRUEPREDICATE","limit":0}`:              fault.InvalidValue,
		`{"predicate":"TRUEPREDICATE","limit":1001}`:           fault.InvalidValue,
		`{"predicate":"TRUEPREDICATE","limit":"7"}`:            fault.InvalidType,
		`{"predicate":"TRUEPREDICATE","includeDetail":"true"}`: fault.InvalidType,
		`{"predicate":7}`:                                          fault.InvalidType,
		`{"predicate":"TRUEPREDICATE","Limit":7}`:                  fault.UnknownField,
		`{"savedQuery":"mine"}`:                                    fault.InvalidValue,
		`{"savedQuery":"` + samples.Identifier(99).String() + `"}`: fault.NotFound,
		`{"predicate":"TRUEPREDICATE","savedQuery":"` + samples.Identifier(30).String() + `"}`: fault.MalformedRequest,
		`{"predicate":"TRUEPREDICATE","cursor":"abc"}`:                                         fault.MalformedRequest,
		// The order of D18: 400, 404, 422.
		`{"predicate":"foo = ","limit":5000,"page":2}`:                          fault.InvalidPredicate,
		`{"sort":"-","predicate":7}`:                                            fault.InvalidPredicate,
		`{"savedQuery":"` + samples.Identifier(99).String() + `","limit":5000}`: fault.NotFound,
		`{"predicate":"TRUEPREDICATE","limit":5000,"page":2}`:                   fault.ValidationFailed,
		`[]`:                   fault.InvalidType,
		`{"predicate":"TRUE"}`: fault.InvalidPredicate,
		`{"predicate":"TRUEPREDICATE","sort":null,"limit":null,"cursor":null,"includeDetail":null,"savedQuery":null}`: "",
	} {
		status := httpframe.FailureOf(slug).Status
		if slug == "" {
			status = 200
		}
		f.send(t, request("POST", api+"/problems/search", body), status, slug)
	}
	f.send(t, request("POST", api+"/problems/search?predicate=TRUEPREDICATE", "{}"), 400, fault.MalformedRequest)
	f.send(t, request("POST", api+"/problems/search?dryRun=true", `{"predicate":"TRUEPREDICATE"}`), 400, fault.MalformedRequest)
}

// Nobody gets further with a cursor that was changed than the check of it.
func TestSearchByForgedCursor(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.hits = []store.Hit{{ID: 12, Keys: []predicate.Value{"a", samples.Time}}, {ID: 13, Keys: []predicate.Value{"b", samples.Time}}}
	pairs := []string{"predicate", "TRUEPREDICATE", "sort", "title,creationDate", "limit", "1"}
	u, err := url.Parse(next(t, f.send(t, request("GET", api+"/problems/search"+asQuery(pairs...), ""), 200, "")))
	if err != nil {
		t.Fatal(err)
	}
	f.searched = func(_ context.Context, q store.Query) { t.Errorf("searched after %+v", q.After) }
	for name, forge := range map[string]func(*tracker.Position){
		"a nanosecond":     func(p *tracker.Position) { p.Keys[1] = samples.Time.Add(1) },
		"the year 0":       func(p *tracker.Position) { p.Keys[1] = samples.Time.AddDate(-2015, 0, 0) },
		"U+0000":           func(p *tracker.Position) { p.Keys[0] = "\x00" },
		"no title":         func(p *tracker.Position) { p.Keys[0] = nil },
		"another kind":     func(p *tracker.Position) { p.Keys[0] = 1.5 },
		"a fraction of ms": func(p *tracker.Position) { p.Now = p.Now.Add(time.Microsecond) },
	} {
		p, err := cursor.Read(u.Query().Get("cursor"))
		if err != nil {
			t.Fatal(err)
		}
		forge(p)
		forged, err := cursor.Write(*p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f.searchBy(t, "/problems/search", 400, fault.MalformedRequest, append(pairs, "cursor", forged)...)
	}
}

// What does not get its turn is to come again.
func TestSearchHasNoTurn(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) {
		kept := newFixedStore()
		entered, done := make(chan struct{}), make(chan struct{})
		kept.searched = func(context.Context, store.Query) { close(entered); <-done }
		o.Service = usecases.New(tracker.Options{Store: kept, Now: o.Now, Random: zeros{}, Searches: 1, WaitFor: time.Nanosecond}, nil)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = o.Service.As(tracker.Caller{User: samples.Bob.ID}).Search(t.Context(), tracker.SearchProblems{Search: tracker.Search{Predicate: patch.Set("TRUEPREDICATE")}})
		}()
		<-entered
		t.Cleanup(func() { close(done); <-ended })
	})
	for _, w := range f.searchBy(t, "/problems/search", 503, fault.Unavailable, "predicate", "TRUEPREDICATE") {
		header(t, w, map[string]string{"Retry-After": "1"})
		if !strings.Contains(w.Body.String(), "too many searches") {
			t.Errorf("it is told %s", w.Body)
		}
	}
	f.send(t, request("GET", api+"/problems/12", ""), 200, "")
}

// Section 5 of the query language: kind, line and column beside the detail.
func TestInvalidPredicateIsExplained(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, w := range f.searchBy(t, "/problems/search", 400, fault.InvalidPredicate, "predicate", "state.resolved = NO\nAND assigne.identifier = $ApiUser") {
		var got struct {
			Detail, Kind string
			Line, Column int
			Errors       []any
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Kind != "unknownKey" || got.Line != 2 || got.Column != 5 || !strings.Contains(got.Detail, "assignee") || got.Errors == nil {
			t.Errorf("%s (%v)", w.Body, err)
		}
	}
	w := f.send(t, request("GET", api+"/problems?sort=title,-colour", ""), 400, fault.InvalidPredicate)
	if got := w.Body.String(); !strings.Contains(got, `"detail":"sort: `) || !strings.Contains(got, `"kind":"unknownKey","line":1,"column":8}`) {
		t.Error(got)
	}
}

// A store that is away is told to those who wait.
func TestSearchIsUnavailable(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.err = fault.New(fault.Unavailable, "away")
	f.searchBy(t, "/problems/search", 503, fault.Unavailable, "predicate", "TRUEPREDICATE")
}
