package httpapi

import (
	"strings"
	"testing"
)

func TestKeywords(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, c := range []struct {
		method, name, body string
		status             int
		want               string
	}{
		{"PUT", "a%2Fb", `"x"`, 201, `{"name":"a/b","value":"x"}`},
		{"PATCH", "a%2Fb", `"x"`, 201, `{"name":"a/b","value":"x"}`},
		{"PUT", "a%252Fb", `"x"`, 201, `{"name":"a%2Fb","value":"x"}`},
		{"PUT", "%2F", `"x"`, 201, `{"name":"/","value":"x"}`},
		{"PUT", "%2f%2F", `"x"`, 201, `{"name":"//","value":"x"}`},
		{"PUT", "a%20b%F0%9F%98%80", ` null `, 201, `{"name":"a b😀","value":null}`},
		{"PUT", "customer", ``, 200, `{"name":"customer","value":null}`},
		{"PUT", "version", `"7.4.1"`, 200, `{"name":"version","value":"7.4.1"}`},
		{"PUT", "version", `""`, 200, `{"name":"version","value":""}`},
		{"PUT", "version", `7`, 422, `"type":"/errors/invalid-type","detail":"must be a string or null","pointer":""`},
		{"PUT", "version", `["a"]`, 422, `invalid-type`},
		{"PUT", "version", ` `, 400, `malformed-json`},
		{"PUT", "%2e%2e", `"x"`, 422, `invalid-value`},
		{"DELETE", "version", ``, 204, ``},
		{"DELETE", "Version", ``, 404, `keyword-not-found`},
	} {
		w := f.do(request(c.method, api+"/problems/12/keywords/"+c.name, c.body))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: status %d, not %d; %s, not %s", c.method, c.name, c.body, w.Code, c.status, w.Body, c.want)
		}
	}
}
