package httpapi

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// The members that R1 returns and W2 checks, ignores or acts on (D11).
func TestUpdateMembers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for body, want := range map[string]int{
		`{"watching":"x","readByAssignee":1,"logs":{},"modifier":7,"modificationDate":"never"}`: 200,
		`{"identifier":12,"creationDate":"2015-11-05T10:30:00.125+01:00","resolver":null}`:      200,
		`{"originator":{"email":"BOB@example.org"}}`:                                            200,
		`{"identifier":13}`:                        422,
		`{"identifier":"12"}`:                      422,
		`{"identifier":12.0}`:                      422,
		`{"keywords":[]}`:                          422,
		`{"revision":3}`:                           200,
		`{"revision":2}`:                           412,
		`{"revision":"3"}`:                         422,
		`{"revision":3.0}`:                         422,
		`{"revision":null}`:                        422,
		`{"title":null}`:                           422,
		`{"state":null}`:                           422,
		`{"read":null}`:                            422,
		`{"comments":[]}`:                          422,
		`{"state":"Open"}`:                         422,
		`{"priority":null,"component":null}`:       200,
		`{"assignee":{"email":"BOB@EXAMPLE.ORG"}}`: 200,
	} {
		if w := f.do(request("PATCH", api+"/problems/12", body)); w.Code != want {
			t.Errorf("%s: status %d, not %d: %s", body, w.Code, want, w.Body)
		}
	}
	for body, want := range map[string]int{
		`{"title":"a","identifier":"x","revision":"x","creationDate":7,"originator":[],"resolver":0,"resolveDate":"","logs":null,"watching":2}`: 201,
		`{"title":"a","Identifier":1}`: 422,
		`{"identifier":1}`:             422,
		`{"title":"a","keywords":1}`:   422,
	} {
		if w := f.do(request("POST", api+"/problems", body)); w.Code != want {
			t.Errorf("%s: status %d, not %d: %s", body, w.Code, want, w.Body)
		}
	}
	var created problem.Problem
	for _, effect := range f.changes[len(f.changes)-1].Effects {
		if e, ok := effect.(store.CreateProblem); ok {
			created = e.Problem
		}
	}
	if created.ID != 14 || created.Revision != 1 || created.Title != "a" {
		t.Errorf("created %+v", created)
	}
}

// The keywords of a new problem are accepted as R1 shows them; what is wrong with them
// is told with the rest of the body.
func TestCreateWithKeywords(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for body, want := range map[string]string{
		`null`: `[]`, `[]`: `[]`,
		`[{"name":"b","value":null},{"value":"1","name":"a/b"},{"name":"c"}]`: `[{"name":"a/b","value":"1"},{"name":"b","value":null},{"name":"c","value":null}]`,
	} {
		for _, query := range []string{"", "?dryRun=true"} {
			w := f.send(t, request("POST", api+"/problems"+query, `{"title":"T","keywords":`+body+`}`), 201, "")
			if got := w.Body.String(); !strings.Contains(got, `"keywords":`+want) || strings.Count(got, "KeywordSet") != strings.Count(want, "name") {
				t.Errorf("%s, with keywords %s, is answered with %s", query, body, got)
			}
			header(t, w, map[string]string{"Ignored-Members": ""})
		}
	}
	for body, pointers := range map[string][]string{
		`1`: {""}, `{}`: {""}, `"a"`: {""}, `{"a":"b"}`: {""}, `["a"]`: {"/0"}, `[null]`: {"/0"}, `[[]]`: {"/0"},
		`[{}]`:                      {"/0/name"},
		`[{"name":null}]`:           {"/0/name"},
		`[{"name":7,"value":true}]`: {"/0/name", "/0/value"},
		`[{"name":"a"},{"name":"b","value":{},"colour":1,"Name":1}]`: {"/1/value", "/1/colour", "/1/Name"},
		`[{"name":"a"},{"name":"."},{"name":" a"}]`:                  {"/1/name", "/2/name"},
	} {
		w := f.do(request("POST", api+"/problems", `{"titel":"T","keywords":`+body+`}`))
		var got wire.Error
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 422 || len(got.Errors) != len(pointers)+2 {
			t.Errorf("%s: status %d, %s", body, w.Code, w.Body)
		}
		for _, pointer := range pointers {
			if !strings.Contains(w.Body.String(), `"pointer":"/keywords`+pointer+`"`) {
				t.Errorf("%s: no fault at %s: %s", body, pointer, w.Body)
			}
		}
	}
}

// What is not stored is named, in replays and dry runs too; what makes no difference
// is not.
func TestIgnoredMembers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for body, want := range map[string]string{
		`"originator":{"email":"bob@example.org"},"creationDate":"2001-02-03T04:05:06.000Z"`:                                      "creationDate, originator",
		`"modifier":{"name":"Bob"},"resolver":{"name":"Bob"},"resolveDate":"x","modificationDate":7,"watching":true,"revision":9`: "modificationDate, modifier, resolveDate, resolver, revision, watching",
		`"identifier":12,"logs":[{}],"readByAssignee":"yes"`:                                                                      "identifier, logs, readByAssignee",
		`"originator":{"name":"Ann"},"logs":[],"watching":false,"revision":1,"resolver":null,"identifier":null`:                   "",
	} {
		body = `{"title":"T",` + body + `}`
		key := []string{"Idempotency-Key", strconv.Itoa(len(body))}
		header(t, f.send(t, request("POST", api+"/problems?dryRun=true", body), 201, ""), map[string]string{"Ignored-Members": want})
		header(t, f.send(t, request("POST", api+"/problems", body, key...), 201, ""), map[string]string{"Ignored-Members": want})
		header(t, f.send(t, request("POST", api+"/problems", body, key...), 201, ""), map[string]string{"Ignored-Members": want, "Idempotency-Replayed": "true"})
	}
	was := f.send(t, request("GET", api+"/problems/12", ""), 200, "").Body.String()
	for body, want := range map[string]string{
		was: "",
		strings.Replace(was, `"title":"`, `"title":"Now `, 1):                                               "",
		`{"title":"U","watching":"x","readByAssignee":1,"logs":{},"modifier":7,"modificationDate":"never"}`: "logs, modificationDate, modifier, readByAssignee, watching",
		strings.Replace(was, `"type":"ProblemCreated"`, `"type":"CommentAdded"`, 1):                         "logs",
	} {
		for _, query := range []string{"", "?dryRun=true"} {
			header(t, f.send(t, request("PATCH", api+"/problems/12"+query, body), 200, ""), map[string]string{"Ignored-Members": want})
		}
	}
	w := f.do(request("POST", api+"/problems", `{"creationDate":1}`))
	header(t, w, map[string]string{"Ignored-Members": ""}) // nothing was stored at all
}
