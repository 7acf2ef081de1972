package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

// The tag of a read, of the write before it, and what If-Match takes are one.
func TestConditionalWrites(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for match, status := range map[string]int{`"3"`: 200, `"3.14.6"`: 200, `"3.1.0", "9"`: 200, `*`: 200, `"2"`: 412, `W/"3"`: 412, `3`: 400} {
		if w := f.do(request("PATCH", api+"/problems/12", `{"title":"another"}`, "If-Match", match)); w.Code != status {
			t.Errorf("If-Match: %s: status %d, not %d", match, w.Code, status)
		}
	}
	for match, says := range map[string]string{`W/"3"`: `the tag in If-Match is weak`, `W/"3.14.6-gzip"`: `send If-Match: "3"`, `"x"`: `names no revision`, `W/"2"`: "is at revision 3 by now", `"2-gzip"`: "is at revision 3 by now"} {
		w := f.send(t, request("PATCH", api+"/problems/12", `{"title":"another"}`, "If-Match", match), 412, fault.StaleRevision)
		var answer struct{ Detail string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !strings.Contains(answer.Detail, says) {
			t.Errorf("If-Match: %s: the detail is %q, %v", match, answer.Detail, err)
		}
	}
	f.send(t, request("POST", api+"/problems", `{"title":"a"}`, "If-Match", "*"), 400, fault.MalformedRequest)
	for _, r := range []*http.Request{
		request("POST", api+"/problems/12/comments", "a"),
		request("PUT", api+"/problems/12/keywords/a", ""),
		request("DELETE", api+"/problems/12/keywords/version", ""),
		request("PUT", api+"/problems/12/relationships", `{"type":"RelatedTo","problemIdentifier":13}`),
		request("DELETE", api+"/problems/12/relationships", `{"type":"ParentOf","problemIdentifier":13}`),
		request("PUT", api+"/problems/12/watchers", `{"name":"Bob"}`),
	} {
		r.Header.Set("If-Match", `"2"`)
		f.send(t, r, 412, fault.StaleRevision)
	}
}

// D20: what is about one problem takes If-Match. Elsewhere it is refused, whatever it
// says: who sends it counts on being refused if something has moved.
func TestIfMatchIsForOneProblem(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, e := range endpoints() {
		if !writes(e.Operation) || strings.HasPrefix(e.Path, "/problems/{identifier}") {
			continue
		}
		path, body := strings.ReplaceAll(e.Path, "{identifier}", objectOf(e).String()), ""
		if len(e.bodies) > 0 {
			body = e.bodies[0].example
		}
		for _, match := range []string{"*", `"c14"`, `"3"`, "x"} {
			f.send(t, request(e.Method, api+path, body, "If-Match", match), 400, fault.MalformedRequest)
		}
	}
	if len(f.changes) > 0 {
		t.Errorf("what is refused wrote %v", f.changes)
	}
	f.send(t, request("GET", api+"/priorities", "", "If-Match", `"x"`), 200, "")
	f.send(t, request("POST", api+"/priorities/search", `{"predicate":"TRUEPREDICATE"}`, "If-Match", `"x"`), 200, "")
}
