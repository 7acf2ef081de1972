package httpapi

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/domain/fault"
)

func header(t *testing.T, w *httptest.ResponseRecorder, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := strings.Join(w.Header().Values(name), ", "); got != value {
			t.Errorf("%s: %q, not %q", name, got, value)
		}
	}
}

// tagged checks the form of an ETag, which begins with these numbers.
func tagged(t *testing.T, w *httptest.ResponseRecorder, numbers string) {
	t.Helper()
	form := regexp.MustCompile(`^"` + regexp.QuoteMeta(numbers) + `\.[0-9a-f]{16}"$`)
	if tag := w.Header().Get("ETag"); !form.MatchString(tag) {
		t.Errorf("the ETag is %s, and not %s with 16 digits", tag, numbers)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	f := setup(t)
	api12 := map[string]string{
		"Cache-Control": "private, no-cache", "Vary": "Authorization", "Problem-Revision": "3",
		"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "X-Request-Id": "r1", "Dry-Run": "",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	}
	w := f.send(t, request("GET", api+"/problems/12", ""), 200, "")
	header(t, w, api12)
	header(t, w, map[string]string{"Content-Length": fmt.Sprint(w.Body.Len())})
	tagged(t, w, "3.14.6")

	w = f.send(t, request("POST", api+"/problems", `{"title":"a"}`), 201, "")
	header(t, w, map[string]string{"Location": api + "/problems/14", "Problem-Revision": "1"})
	tagged(t, w, "1.14.2")

	w = f.send(t, request("POST", api+"/problems?dryRun=true", `{"title":"a"}`), 201, "")
	header(t, w, map[string]string{"Location": "", "ETag": "", "Problem-Revision": "1", "Dry-Run": "true"})
	if strings.HasPrefix(w.Body.String(), `{"identifier"`) {
		t.Errorf("a dry run has an identifier: %s", w.Body)
	}

	w = f.send(t, request("DELETE", api+"/problems/12/keywords/version", ""), 204, "")
	header(t, w, map[string]string{"Problem-Revision": "4", "Content-Type": "", "Content-Length": ""})

	w = f.send(t, request("PATCH", api+"/problems/12", `{}`, "If-Match", `"2"`), 412, fault.StaleRevision)
	header(t, w, map[string]string{"Problem-Revision": "3", "Cache-Control": "private, no-cache"})

	w = f.send(t, request("POST", api+"/tokens", `{"user":{"name":"Bob"},"scope":"read"}`), 201, "")
	header(t, w, map[string]string{"Cache-Control": "no-store"})

	w = f.send(t, request("GET", api+"/users", ""), 200, "")
	header(t, w, map[string]string{"ETag": etag.Catalogue(f.catalogue), "Problem-Revision": ""})
}
