package httpapi

import (
	"net/http"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, c := range []struct {
		method, path, body, media string
		status                    int
	}{
		{"POST", "/problems", `{"title":"a"}`, "", 201},
		{"POST", "/problems", `{"title":"a"}`, "application/json", 201},
		{"POST", "/problems", `{"title":"a"}`, "Application/JSON; Charset=UTF-8", 201},
		{"POST", "/problems", `{"title":"a"}`, `application/json;charset="utf-8"`, 201},
		{"POST", "/problems", `{"title":"a"}`, "application/json; charset=utf-16", 415},
		{"POST", "/problems", `{"title":"a"}`, "application/merge-patch+json", 415},
		{"POST", "/problems", `{"title":"a"}`, "application/x-www-form-urlencoded", 415},
		{"POST", "/problems", `{"title":"a"}`, "text/json", 415},
		{"POST", "/problems", `{"title":"a"}`, "json", 415},
		{"POST", "/problems", `{"title":"a"}`, "application/json; charset", 415},
		{"PATCH", "/problems/12", `{}`, "application/merge-patch+json", 200},
		{"PATCH", "/problems/12", `{}`, "application/json-patch+json", 415},
		{"POST", "/problems/12/comments", "a", "", 201},
		{"POST", "/problems/12/comments", "a", "text/plain", 201},
		{"POST", "/problems/12/comments", "ä", "text/plain; charset=utf-8", 201},
		{"POST", "/problems/12/comments", "a", "text/plain; charset=US-ASCII", 201},
		{"POST", "/problems/12/comments", "a", "text/plain; charset=iso-8859-1", 415},
		{"POST", "/problems/12/comments", "a", "text/html", 415},
		{"POST", "/problems/12/comments", `{"text":"a"}`, "application/json", 201},
		{"PUT", "/problems/12/keywords/a", `"a"`, "", 201},
		{"PUT", "/problems/12/keywords/a", ``, "application/json", 201},
		{"PUT", "/problems/12/keywords/a", `a`, "text/plain", 415},
		{"DELETE", "/problems/12/keywords/version", `a`, "text/plain", 204},
		{"GET", "/problems/12", `a`, "text/plain", 200},
		{"DELETE", "/problems/12/relationships", `{"type":"ParentOf","problemIdentifier":13}`, "text/plain", 415},
	} {
		if w := f.do(request(c.method, api+c.path, c.body, "Content-Type", c.media)); w.Code != c.status {
			t.Errorf("%s %s as %q: status %d, not %d: %s", c.method, c.path, c.media, w.Code, c.status, w.Body)
		}
	}
}

func TestContentCodingIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.send(t, request("POST", api+"/problems", `{"title":"a"}`, "Content-Encoding", "gzip"), 415, fault.UnsupportedMediaType)
	f.send(t, request("POST", api+"/problems", `{"title":"a"}`, "Content-Encoding", "identity"), 201, "")
	r := request("POST", api+"/problems", `{"title":"a"}`)
	r.Header = http.Header{"Authorization": r.Header["Authorization"], "Content-Type": {mediaJSON, mediaText}}
	f.send(t, r, 415, fault.UnsupportedMediaType)
}
