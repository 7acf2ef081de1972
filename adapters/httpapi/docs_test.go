package httpapi

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestDocsNeedNothingElse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("GET", "/docs", "", "Authorization", ""), 200, "")
	page := w.Body.String()
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy %s", policy)
	}
	if strings.Contains(page, "//") || strings.Contains(page, "<script>") {
		t.Errorf("the page loads from elsewhere or has a script of its own: %s", page)
	}
	for _, part := range strings.Split(page, `"docs/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if w := f.send(t, request("GET", "/docs/"+name, "", "Accept-Encoding", "gzip"), 200, ""); w.Body.Len() == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// What never changes is sent once, and looks the same however it is asked for.
func TestFilesAreKeptByClients(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for path, start := range map[string]string{
		"/openapi.json": "{", "/docs": "<!DOCTYPE html>", "/docs/init.js": `"use strict"`,
		"/docs/swagger-ui.css": ".swagger-ui", "/docs/swagger-ui-bundle.js": "/*", "/docs/favicon-32x32.png": "\x89PNG",
	} {
		w := f.send(t, request("GET", path, "", "Accept-Encoding", "gzip;q=0"), 200, "")
		if !strings.HasPrefix(w.Body.String(), start) || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s begins with %.20q, in the coding %q", path, w.Body, w.Header().Get("Content-Encoding"))
		}
		for _, r := range []*http.Request{request("HEAD", path, ""), request("GET", path, "", "Accept-Encoding", "gzip")} {
			if other := f.do(r); !reflect.DeepEqual(other.Header(), w.Header()) {
				t.Errorf("%s: %s has the header %v, not %v", path, r.Method, other.Header(), w.Header())
			}
		}
		tag := w.Header().Get("ETag")
		if list, err := parseTags([]string{tag}); err != nil || len(list.tags) != 1 || list.tags[0].weak {
			t.Errorf("%s: the tag %s", path, tag)
		}
		f.send(t, request("GET", path, "", "If-None-Match", tag), 304, "")
		f.send(t, request("GET", path, "", "If-None-Match", `"another"`), 200, "")
	}
}
