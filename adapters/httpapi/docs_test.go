package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
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

// What never changes is sent once, and is the same in both codings. Each has a tag of its
// own.
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
		if head := f.do(request("HEAD", path, "")); !reflect.DeepEqual(head.Header(), w.Header()) {
			t.Errorf("%s: HEAD has the header %v, not %v", path, head.Header(), w.Header())
		}
		zipped := f.send(t, request("GET", path, "", "Accept-Encoding", "gzip"), 200, "")
		if zipped.Header().Get("Content-Encoding") == "gzip" {
			if zipped.Header().Get("ETag") == w.Header().Get("ETag") || zipped.Body.Len() >= w.Body.Len() {
				t.Errorf("%s: in the coding gzip it has the tag %s and %d bytes, else %s and %d", path, zipped.Header().Get("ETag"), zipped.Body.Len(), w.Header().Get("ETag"), w.Body.Len())
			}
			f.send(t, request("GET", path, "", "Accept-Encoding", "gzip", "If-None-Match", zipped.Header().Get("ETag")), 304, "")
			r, err := gzip.NewReader(zipped.Body)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, w.Body.Bytes()) {
				t.Errorf("%s: the coding gzip has another content (%v)", path, err)
			}
		} else if !strings.HasSuffix(path, ".png") && !strings.HasSuffix(path, "init.js") {
			t.Errorf("%s comes without the coding gzip", path)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Vary is %q", path, w.Header().Get("Vary"))
		}
		tag := w.Header().Get("ETag")
		if list, err := parseTags([]string{tag}); err != nil || len(list.tags) != 1 || list.tags[0].weak {
			t.Errorf("%s: the tag %s", path, tag)
		}
		f.send(t, request("GET", path, "", "If-None-Match", tag), 304, "")
		f.send(t, request("GET", path, "", "If-None-Match", `"another"`), 200, "")
	}
}
