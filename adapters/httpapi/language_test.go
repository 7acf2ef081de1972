package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

// The page about predicates is there for people and for programs, and errors lead to it.
func TestLanguagePage(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	page := f.send(t, request("GET", "/tracker/docs/predicates", "", "Authorization", ""), http.StatusOK, "")
	for _, want := range []string{"<h1 id=", "<table>", "state.resolved = NO AND assignee.identifier = $ApiUser", "<h2 id=\"6-limits\">"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := page.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") {
		t.Errorf("the policy of the page is %q", got)
	}
	source := f.send(t, request("GET", "/tracker/docs/predicates.md", "", "Authorization", ""), http.StatusOK, "")
	if !strings.HasPrefix(source.Body.String(), "# The predicate language\n") || source.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("the source is %s: %.60s", source.Header().Get("Content-Type"), source.Body)
	}
	again := f.do(request("GET", "/tracker/docs/predicates", "", "Authorization", "", "If-None-Match", page.Header().Get("ETag")))
	if again.Code != http.StatusNotModified {
		t.Errorf("the page is sent again to a client that has it: %d", again.Code)
	}
	wrong := f.send(t, request("GET", "/tracker"+api+"/problems/search?predicate=titel", ""), http.StatusBadRequest, fault.InvalidPredicate)
	if got := wrong.Header().Get("Link"); got != `</tracker/docs/predicates>; rel="help"` {
		t.Errorf("the error leads to %q", got)
	}
	explained := f.send(t, request("GET", "/tracker/errors/invalid-predicate", "", "Authorization", ""), http.StatusOK, "")
	if !strings.Contains(explained.Body.String(), `<a href="/tracker/docs/predicates">`) {
		t.Errorf("the page about the error does not lead to the language: %s", explained.Body)
	}
}
