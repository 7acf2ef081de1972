package httpapi

import (
	"strings"
	"testing"
)

func TestRelationshipBodies(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, c := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"PUT", `{"type":"CauseOf","problemIdentifier":13}`, 201, `{"type":"CauseOf","problemIdentifier":13,"creationDate":`},
		{"PUT", `{"type":"ParentOf","problemIdentifier":13}`, 200, `"problem":{"identifier":13,`},
		{"PUT", `{"type":"ParentOf","problemIdentifier":13,"problem":{"identifier":13,"title":"x","state":null},"author":{},"creationDate":"x"}`, 200, ``},
		{"PUT", `{"type":"ParentOf","problemIdentifier":13,"problem":{"identifier":14}}`, 422, ``},
		{"PUT", `{"type":"ParentOf","problemIdentifier":13,"problem":{"identifier":"13"}}`, 422, `"pointer":"/problem/identifier"`},
		{"PUT", `{"type":"ChildOf","problemIdentifier":13}`, 409, `relationship-conflict`},
		{"PUT", `{"type":"parentOf","problemIdentifier":13}`, 422, `"pointer":"/type"`},
		{"PUT", `{"type":"ParentOf","problemIdentifier":7.0}`, 422, `"type":"/errors/invalid-type","detail":"must be an integer: a number without fraction or exponent","pointer":"/problemIdentifier"`},
		{"PUT", `{"type":"ParentOf","problemIdentifier":"13"}`, 422, `"pointer":"/problemIdentifier"`},
		{"PUT", `{"type":"ParentOf"}`, 422, `required-field`},
		{"PUT", `{"type":"ParentOf","problemIdentifier":99}`, 422, `"pointer":"/problemIdentifier"`},
		{"PUT", ``, 400, `malformed-json`},
		{"DELETE", `{"type":"ParentOf","problemIdentifier":99}`, 404, `relationship-not-found`},
		{"DELETE", `{"type":"ParentOf","problemIdentifier":13}`, 204, ``},
		{"DELETE", ``, 400, `malformed-json`},
	} {
		w := f.do(request(c.method, api+"/problems/12/relationships", c.body))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: status %d, not %d; %s, not %s", c.method, c.body, w.Code, c.status, w.Body, c.want)
		}
	}
}
