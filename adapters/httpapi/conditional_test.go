package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

// A refusal says what to send instead.
func TestConditionalWrites(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for match, says := range map[string]string{`W/"3"`: `the tag in If-Match is weak`, `W/"3.14.6-gzip"`: `send If-Match: "3"`, `"x"`: `names no revision`, `W/"2"`: "is at revision 3 by now", `"2-gzip"`: "is at revision 3 by now"} {
		w := f.send(t, request("PATCH", api+"/problems/12", `{"title":"another"}`, "If-Match", match), 412, fault.StaleRevision)
		var answer struct{ Detail string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !strings.Contains(answer.Detail, says) {
			t.Errorf("If-Match: %s: the detail is %q, %v", match, answer.Detail, err)
		}
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
